"""Commits that several threads share: whoever waits for SQLite's one writer writes in the same transaction.

The disk is asked to keep a whole batch at once. Nobody is told that his part is done before it is on disk, and a part
that is refused takes nothing else with it.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from peewee import SqliteDatabase

from service.turnstile import Turnstile

_Sqlite: Final[Any] = SqliteDatabase
"""Peewee has no types."""


class Part:
    """What one thread wants to write."""

    __slots__ = ("done", "trouble", "work")

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.done = False
        self.trouble: BaseException | None = None

    def run(self) -> None:
        """Do the work and keep what it raises for the thread that asked for it."""
        self.trouble = None
        try:
            self.work()
        except Exception as trouble:
            self.trouble = trouble

    def end(self, trouble: BaseException | None = None) -> None:
        """The batch is on disk, or failed as a whole."""
        self.trouble = self.trouble or trouble
        self.done = True


class SharingSqlite(_Sqlite):  # type: ignore[misc]
    """SQLite whose writers, instead of waiting for each other's commits one by one, share them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._parts: deque[Part] = deque()
        self._writer = threading.Lock()
        self.turnstile = Turnstile()
        """Whoever has something short to do may take it; who waits for a commit lets the next one in meanwhile."""
        super().__init__(*args, **kwargs)

    def together(self, work: Callable[[], None]) -> None:
        """Do the work in a transaction, which may be one with that of other threads; returns when it is on disk.

        Where another's part fails half way, the work is done a second time, as if the first had never been.
        """
        if self.in_transaction():
            work()
            return
        part = Part(work)
        self._parts.append(part)
        inside = self.turnstile.is_inside()
        try:
            self._take_turns(part)
        finally:
            self.turnstile.step_in(again=inside)
        if part.trouble is not None:
            raise part.trouble

    def _take_turns(self, part: Part) -> None:
        """Have the part written by this thread or by another; whoever is inside the turnstile comes out of it."""
        # Where nobody writes, it goes on as it is: to leave and come in again would cost two changes of thread.
        if not self._writer.acquire(blocking=False):
            self.turnstile.step_out()
            self._writer.acquire()
        try:
            if not part.done:
                self._write_all()
        finally:
            self._writer.release()

    def _write_all(self) -> None:
        """Write everything that waits by now, this thread's own part among it."""
        batch: list[Part] = []
        try:
            # A connection that is only made inside would not know that it is in a transaction.
            self.connect(reuse_if_open=True)
            # Written by one thread that is alone, and kept on disk while the next is at work.
            with self.manual_commit():
                self.turnstile.step_in(again=True)
                try:
                    while self._parts:
                        batch.append(self._parts.popleft())
                    self.begin()
                    self._or_nothing(lambda: self._write_down(batch))
                finally:
                    self.turnstile.step_out()
                self._or_nothing(self.commit)
        except BaseException as trouble:
            for part in batch:
                part.end(trouble)
            raise
        for part in batch:
            part.end()

    def _or_nothing(self, step: Callable[[], None]) -> None:
        try:
            step()
        except BaseException:
            self.rollback()
            raise

    def _write_down(self, batch: list[Part]) -> None:
        """All parts one after the other; should one stop half way, all once more, so that it leaves nothing behind."""
        if len(batch) == 1:
            batch[0].work()
        elif any(self._stops_half_way(part) for part in batch):
            self.rollback()
            self.begin()
            for part in batch:
                self._write(part)

    def _stops_half_way(self, part: Part) -> bool:
        """Write the part; most that fail, fail before they have changed anything."""
        before = self.connection().total_changes
        part.run()
        return part.trouble is not None and self.connection().total_changes != before

    def _write(self, part: Part) -> None:
        """One part, which leaves nothing behind where it fails."""
        self.execute_sql("savepoint part")
        part.run()
        if part.trouble is not None:
            self.execute_sql("rollback to savepoint part")
        self.execute_sql("release savepoint part")
