"""The time, as it is passed in, stored and written."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]
"""What says the time: seconds since 1970 in UTC. The server takes `time.time`, a test whatever it needs."""


def written(seconds: float) -> str:
    """A time as the outside sees it: 2026-11-16T09:30:00Z."""
    return _written(int(seconds))


@lru_cache(maxsize=1024)
def _written(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
