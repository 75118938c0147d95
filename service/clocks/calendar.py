"""Which of somebody's time counts: not his quiet hours, not his days off, not while he is away."""

from collections.abc import Iterable
from typing import Final, NamedTuple, Self

from service.clocks.local_time import MINUTES
from service.errors import BadRequest

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FEWEST_HOURS: Final = 6
FEWEST_DAYS: Final = 2


class Calendar(NamedTuple):
    """When somebody's clock runs; the one with all defaults never stops."""

    zone: str = "UTC"
    quiet: tuple[int, int] | None = None
    """From this minute of the day up to that one, by the clocks of the zone; it may go past midnight."""
    days_off: frozenset[int] = frozenset()
    """Days of the week, Monday being 0."""
    away: tuple[float, float] | None = None
    """From this moment up to that one."""

    @classmethod
    def stored(
        cls, zone: str, quiet: str | None, days_off: str, away_from: float | None, away_until: float | None
    ) -> Self:
        """The calendar that stands in a player's row."""
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
            raise BadRequest("body.quiet: from and to must differ; send null to have no quiet hours.")
        if sum(ends - begins for begins, ends in self.open_hours) < FEWEST_HOURS * 60:
            raise BadRequest(f"body.quiet: must leave at least {FEWEST_HOURS} hours of the day to play.")
        if len(WEEKDAYS) - len(self.days_off) < FEWEST_DAYS:
            raise BadRequest(f"body.days_off: must leave at least {FEWEST_DAYS} days of the week to play.")


def read_quiet(text: str | None) -> tuple[int, int] | None:
    """Quiet hours as they are stored: `22:00-08:00`."""
    if text is None:
        return None
    begins, _, ends = text.partition("-")
    return _minute(begins), _minute(ends)


def _minute(text: str) -> int:
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes)


def write_days_off(names: Iterable[str]) -> str:
    """Days off as they are stored, in the order of the week and each once: `saturday,sunday`."""
    chosen = set(names)
    return ",".join(name for name in WEEKDAYS if name in chosen)


def read_days_off(text: str) -> frozenset[int]:
    """The days of the week that are stored so."""
    return frozenset(WEEKDAYS.index(name) for name in text.split(",") if name)
