"""How long a clock has run, and when it will have run for so long."""

from collections.abc import Iterator
from math import inf
from typing import Final

from service.clocks.calendar import Calendar
from service.clocks.local_time import day_of, first_moment

_MOST_DAYS: Final = 10 * 366
"""No turn is as long: a calendar counts at least 12 hours a week, and nobody is given more than some months."""


def spend(start: float, seconds: float, calendar: Calendar) -> float:
    """The first moment at which so many seconds have counted since the start."""
    left = seconds
    if left <= 0:
        return start
    for begins, ends in _counting(start, calendar):
        if ends - begins >= left:
            return begins + left
        left -= ends - begins
    raise ValueError(f"This calendar leaves no time to spend {seconds} seconds in: {calendar}.")


def counted(start: float, end: float, calendar: Calendar) -> float:
    """How many seconds count between the two moments."""
    total = 0.0
    for begins, ends in _counting(start, calendar):
        if begins >= end:
            break
        total += min(ends, end) - begins
    return total


def _counting(start: float, calendar: Calendar) -> Iterator[tuple[float, float]]:
    """The stretches of time that count from the start on, in their order."""
    away_from, away_until = calendar.away or (inf, inf)
    for begins, ends in _open(start, calendar):
        if begins < min(ends, away_from):
            yield begins, min(ends, away_from)
        if max(begins, away_until) < ends:
            yield max(begins, away_until), ends


def _open(start: float, calendar: Calendar) -> Iterator[tuple[float, float]]:
    """The same, as if nobody were ever away."""
    if calendar.quiet is None and not calendar.days_off:
        yield start, inf
        return
    # One day early: where clocks are put back over midnight, a day goes on after the next has begun.
    today = day_of(start, calendar.zone) - 1
    for day in range(today, today + _MOST_DAYS):
        if (day - 1) % 7 in calendar.days_off:
            continue
        for opens, closes in calendar.open_hours:
            begins, ends = (first_moment(calendar.zone, day, minute) for minute in (opens, closes))
            if ends > start and begins < ends:
                yield max(begins, start), ends
