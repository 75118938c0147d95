"""The workers' heartbeat: each notes now and then that it is at work, so that anybody can tell when none is."""

import secrets
from typing import Final

from service.context import AppContext
from service.db.models import WorkerBeat

SECONDS_BETWEEN_BEATS: Final = 10.0
FORGOTTEN_AFTER: Final = 24 * 3600.0
"""A worker that has been silent for so long is not coming back under the same name."""


class Heartbeat:
    """One worker's heartbeat."""

    def __init__(self, ctx: AppContext) -> None:
        self._office = ctx
        self._worker = secrets.token_hex(8)
        self._last: float | None = None

    def beat(self) -> None:
        """Note that this worker is at work, if the last note is some seconds old."""
        now = self._office.clock()
        if self._last is not None and 0 <= now - self._last < SECONDS_BETWEEN_BEATS:
            return
        database = self._office.database
        if self._last is None:
            # Only the newest says anything; it stays, so that it can be told since when nobody has been at work.
            WorkerBeat.delete().where(WorkerBeat.at < now - FORGOTTEN_AFTER).execute(database)
        row = WorkerBeat.insert(worker=self._worker, at=now)
        row.on_conflict(conflict_target=[WorkerBeat.worker], update={WorkerBeat.at: now}).execute(database)
        self._last = now


def last_beat(ctx: AppContext) -> float | None:
    """When a worker was last at work; None where none ever was, or not for a day."""
    found: float | None = WorkerBeat.select(WorkerBeat.at).order_by(WorkerBeat.at.desc()).limit(1).scalar(ctx.database)
    return found
