"""Which of a player's time counts: not quiet hours, not days off, not while they are away.

Local times are converted to moments (seconds since 1970), because local time jumps twice a year.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple, Self
from zoneinfo import ZoneInfo

from service.errors import BadRequest

MINUTES: Final = 24 * 60
"""The minutes of a day by local clocks."""
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FEWEST_HOURS: Final = 6
FEWEST_DAYS: Final = 2
_MOST_DAYS: Final = 10 * 366
"""No turn is this long: a calendar leaves at least 12 hours a week, and a turn gets some months at most."""


class Calendar(NamedTuple):
    """When a player's clock runs; with all defaults, always."""

    zone: str = "UTC"
    quiet: tuple[int, int] | None = None
    """From this minute of the day up to that one, in local time; it may go past midnight."""
    days_off: frozenset[int] = frozenset()
    """Days of the week, Monday being 0."""
    away: tuple[float, float] | None = None
    """From this moment up to that one."""

    @classmethod
    def from_columns(
        cls, zone: str, quiet: str | None, days_off: str, away_from: float | None, away_until: float | None
    ) -> Self:
        """Read the calendar from the columns of a player's row."""
        away = None if away_from is None or away_until is None else (away_from, away_until)
        return cls(zone, read_quiet(quiet), read_days_off(days_off), away)

    @property
    def open_hours(self) -> tuple[tuple[int, int], ...]:
        """The parts of a day that are not quiet, in minutes."""
        if self.quiet is None:
            return ((0, MINUTES),)
        begins, ends = self.quiet
        if begins > ends:
            return ((ends, begins),)
        return tuple(part for part in ((0, begins), (ends, MINUTES)) if part[0] < part[1])

    def check(self) -> None:
        """Refuse a calendar that leaves too little time to play."""
        if self.quiet is not None and self.quiet[0] == self.quiet[1]:
            raise BadRequest("body.quiet: from and to must differ. Send null to have no quiet hours.")
        if sum(ends - begins for begins, ends in self.open_hours) < FEWEST_HOURS * 60:
            raise BadRequest(f"body.quiet: must leave at least {FEWEST_HOURS} hours of the day for playing.")
        if len(WEEKDAYS) - len(self.days_off) < FEWEST_DAYS:
            raise BadRequest(f"body.days_off: must leave at least {FEWEST_DAYS} days of the week for playing.")


def read_quiet(text: str | None) -> tuple[int, int] | None:
    """Read quiet hours as they are stored: `22:00-08:00`."""
    if text is None:
        return None
    begins, _, ends = text.partition("-")
    return _minute(begins), _minute(ends)


def _minute(text: str) -> int:
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes)


def write_days_off(names: Iterable[str]) -> str:
    """Write days off as they are stored, in the order of the week: `saturday,sunday`."""
    chosen = set(names)
    return ",".join(name for name in WEEKDAYS if name in chosen)


def read_days_off(text: str) -> frozenset[int]:
    """Read days off, Monday being 0."""
    return frozenset(WEEKDAYS.index(name) for name in text.split(",") if name)


def add_counted(start: float, seconds: float, calendar: Calendar) -> float:
    """The first moment at which this many seconds have counted since the start."""
    left = seconds
    if left <= 0:
        return start
    for begins, ends in _counting_spans(start, calendar):
        if ends - begins >= left:
            return begins + left
        left -= ends - begins
    raise ValueError(f"This calendar has no room for {seconds} seconds: {calendar}.")


def count_seconds(start: float, end: float, calendar: Calendar) -> float:
    """How many seconds between the two moments count."""
    total = 0.0
    for begins, ends in _counting_spans(start, calendar):
        if begins >= end:
            break
        total += min(ends, end) - begins
    return total


def _counting_spans(start: float, calendar: Calendar) -> Iterator[tuple[float, float]]:
    """The time spans that count from the start on, in order."""
    away_from, away_until = calendar.away or (inf, inf)
    for begins, ends in _open_spans(start, calendar):
        if begins < min(ends, away_from):
            yield begins, min(ends, away_from)
        if max(begins, away_until) < ends:
            yield max(begins, away_until), ends


def _open_spans(start: float, calendar: Calendar) -> Iterator[tuple[float, float]]:
    """The same, ignoring absences."""
    if calendar.quiet is None and not calendar.days_off:
        yield start, inf
        return
    # Start a day early: if clocks are set back across midnight, a day goes on after the next one has begun.
    today = day_of(start, calendar.zone) - 1
    for day in range(today, today + _MOST_DAYS):
        if (day - 1) % 7 in calendar.days_off:
            continue
        for opens, closes in calendar.open_hours:
            begins, ends = (first_moment(calendar.zone, day, minute) for minute in (opens, closes))
            if ends > start and begins < ends:
                yield max(begins, start), ends


def day_of(moment: float, zone: str) -> int:
    """The local day, counted from 1 January of the year 1."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).toordinal()


def year_begins(year: int, zone: str) -> int:
    """When the year begins in the zone, in seconds since 1970."""
    return first_moment(zone, datetime(year, 1, 1, tzinfo=UTC).toordinal(), 0)


def year_of(moment: float, zone: str) -> int:
    """The local year."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).year


@lru_cache(maxsize=8192)
def first_moment(zone: str, day: int, minute: int) -> int:
    """The first moment at which local clocks show this minute of this day, or a later one.

    A time that occurs twice, when clocks are set back, means its first occurrence. A time that is skipped, when they
    are set forward, means the moment of the jump. So a later time of day never comes before an earlier one.
    """
    wall = datetime.fromordinal(day) + timedelta(minutes=minute)
    local = wall.replace(tzinfo=ZoneInfo(zone))
    before, after = sorted(int(local.replace(fold=fold).timestamp()) for fold in (0, 1))
    if _local_time(before, zone) == wall:
        return before
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (middle, after) if _local_time(middle, zone) < wall else (before, middle)
    return after


def _local_time(moment: int, zone: str) -> datetime:
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(tzinfo=None, fold=0)
