"""From what the clocks on the wall show to moments: local time jumps twice a year, moments never do."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

MINUTES: Final = 24 * 60
"""The minutes of a day as the clocks on the wall count them; the last day's 24:00 is the next day's 0:00."""


def day_of(moment: float, zone: str) -> int:
    """The day that it is in the zone, counted from the first of January in the year 1."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).toordinal()


def year_begins(year: int, zone: str) -> int:
    """When the year begins in the zone."""
    return first_moment(zone, datetime(year, 1, 1, tzinfo=UTC).toordinal(), 0)


def year_of(moment: float, zone: str) -> int:
    """The year that it is in the zone."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).year


@lru_cache(maxsize=8192)
def first_moment(zone: str, day: int, minute: int) -> int:
    """The first moment at which the clocks of the zone show this minute of this day, or a later one.

    So a time that is shown twice, when clocks are put back, is its first showing; one that is skipped, when they are
    put forward, is the moment of the jump. A later time of the day never comes before an earlier one.
    """
    wall = datetime.fromordinal(day) + timedelta(minutes=minute)
    local = wall.replace(tzinfo=ZoneInfo(zone))
    before, after = sorted(int(local.replace(fold=fold).timestamp()) for fold in (0, 1))
    if _shown(before, zone) == wall:
        return before
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (middle, after) if _shown(middle, zone) < wall else (before, middle)
    return after


def _shown(moment: int, zone: str) -> datetime:
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(tzinfo=None, fold=0)
