"""The clock of one turn as a value: what it allows, what has counted, when it is up and when to remind of it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.clocks.arithmetic import counted, spend
from service.clocks.calendar import Calendar

REMINDERS: Final = ((0.5, "half"), (0.8, "last"))
"""After which part of the time a reminder is due, and what it is called."""
TIME_UP: Final = len(REMINDERS) + 1
LEEWAY: Final = 7 * 24 * 3600.0
"""By how much one player's changes of quiet hours, days off and zone can put off one turn's deadline."""


class Running(NamedTuple):
    """A turn's clock. Where several are to act at once, the slowest of their calendars counts."""

    turn: int
    allowed: float
    spent: float
    since: float
    leeway: float = LEEWAY
    told: int = 0

    def left(self) -> float:
        """What had not been spent at `since`."""
        return self.allowed - self.spent

    def settled(self, calendars: Sequence[Calendar], now: float) -> "Running":
        """The same clock, with what has counted until now written down."""
        passed = min(counted(self.since, now, calendar) for calendar in calendars)
        return self._replace(spent=self.spent + passed, since=now)

    def ends(self, calendars: Sequence[Calendar]) -> float:
        """When the time is up."""
        return max(spend(self.since, self.left(), calendar) for calendar in calendars)

    def alarm(self, calendars: Sequence[Calendar], deadline: float) -> float | None:
        """When there is next something to tell."""
        if self.told >= TIME_UP:
            return None
        if self.told == len(REMINDERS):
            return deadline
        part = REMINDERS[self.told][0] * self.allowed - self.spent
        return min(deadline, max(spend(self.since, part, calendar) for calendar in calendars))

    def part_spent(self, calendars: Sequence[Calendar], now: float) -> int:
        """How many of the reminders are due or past."""
        # A second of grace: an alarm rings at the very moment, and sums of fractions are not exact.
        spent = self.settled(calendars, now).spent + 1
        return sum(spent >= part * self.allowed for part, _ in REMINDERS)

    def more(self, seconds: float) -> "Running":
        """The same clock with more time, from now on where its time is up."""
        told = min(self.told, len(REMINDERS))
        return self._replace(allowed=max(self.allowed, self.spent) + seconds, told=told)

    def moved(self, calendars: Sequence[Calendar], deadline: float) -> "Running":
        """The same clock, counting by changed quiet hours, days off or zone; settle it first.

        The deadline never comes earlier by that, and in one turn it is put off by no more than the leeway.
        """
        wanted = self.ends(calendars)
        granted = min(max(wanted, deadline), deadline + self.leeway)
        leeway = self.leeway - (granted - deadline)
        if granted == wanted:
            return self._replace(leeway=leeway)
        left = min(counted(self.since, granted, calendar) for calendar in calendars)
        return self._replace(allowed=self.spent + left, leeway=leeway)


def fresh(turn: int, pace: float, now: float) -> Running:
    """The clock of a turn that begins now."""
    return Running(turn, pace, 0.0, now)
