"""The workers' heartbeat: a row per worker, so that /readyz and the metrics can tell when none is running."""

import secrets
from typing import Final

from service.db.connection import Database
from service.db.models import WorkerBeat

SECONDS_BETWEEN_BEATS: Final = 10.0
FORGOTTEN_AFTER: Final = 24 * 3600.0
"""Rows of workers that stopped this long ago are deleted."""


class Heartbeat:
    """One worker's heartbeat."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._worker = secrets.token_hex(8)
        self._last: float | None = None

    def beat(self, now: float) -> None:
        """Store that this worker is running, unless that was stored a few seconds ago."""
        if self._last is not None and 0 <= now - self._last < SECONDS_BETWEEN_BEATS:
            return
        if self._last is None:
            WorkerBeat.delete().where(WorkerBeat.at < now - FORGOTTEN_AFTER).execute(self._database)
        row = WorkerBeat.insert(worker=self._worker, at=now)
        row.on_conflict(conflict_target=[WorkerBeat.worker], update={WorkerBeat.at: now}).execute(self._database)
        self._last = now


def last_beat(database: Database) -> float | None:
    """When a worker was last running; None if none was within a day."""
    found: float | None = WorkerBeat.select(WorkerBeat.at).order_by(WorkerBeat.at.desc()).limit(1).scalar(database)
    return found
