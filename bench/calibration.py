"""A plain-Python loop beside every figure: figures of two machines are compared by their ratio to it."""

from time import perf_counter

_STEPS = 2_000_000


def calibrate() -> float:
    """Steps a second of a loop with an addition, a list access and a comparison; the best of five."""
    return max(_STEPS / _timed() for _ in range(5))


def _timed() -> float:
    numbers = list(range(64))
    total = 0
    start = perf_counter()
    for step in range(_STEPS):
        total += numbers[step & 63]
        if total > 1_000_000:
            total = 0
    return perf_counter() - start
