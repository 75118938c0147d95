"""Measures processor time in a way that neither a slow nor a busy machine upsets."""

import time
from collections.abc import Callable

_STEPS = 60_000
_REFERENCE_SECONDS = 0.0025
"""The processor time of the reference loop on the machine where the bounds of the tests were set."""
_MOST_TRIES = 12


def seconds(work: Callable[[], object], bound: float) -> float:
    """The least processor time of the work, scaled to the reference machine; repeated until it is below the bound.

    The reference loop runs next to the work, so that whatever slows the machine down slows both.
    """
    times, references = [], []
    for _ in range(_MOST_TRIES):
        references.append(_measure(_run_reference))
        times.append(_measure(work))
        if (best := min(times) / min(references) * _REFERENCE_SECONDS) < bound:
            break
    return best


def _run_reference() -> None:
    total = 0
    for step in range(_STEPS):
        total += step & 1


def _measure(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began
