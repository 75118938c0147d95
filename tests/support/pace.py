"""How long something takes, told so that neither a slow machine nor a busy one upsets it."""

import time
from collections.abc import Callable

_STRIDES = 60_000
_A_WALK = 0.0025
"""Seconds of a processor of its own that so many strides take where the tests' bounds were set."""
_MOST_TRIES = 12


def seconds(work: Callable[[], object], bound: float) -> float:
    """The seconds of a processor that the work takes at best, tried again only while they are not below the bound.

    They are counted in walks: what makes the machine slow just now makes both slow.
    """
    works, walks = [], []
    for _ in range(_MOST_TRIES):
        walks.append(_taken(_walk))
        works.append(_taken(work))
        if (best := min(works) / min(walks) * _A_WALK) < bound:
            break
    return best


def _walk() -> None:
    steps = 0
    for stride in range(_STRIDES):
        steps += stride & 1


def _taken(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began
