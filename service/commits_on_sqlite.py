"""Commits on SQLite, whose writers queue up."""

import re
import threading
from collections.abc import Callable
from typing import Any, Final

from peewee import OperationalError, SqliteDatabase

from service.commits import BUSY_SECONDS, Sharing

_Sqlite: Final[Any] = SqliteDatabase
"""Peewee has no types."""

_WRITES: Final = re.compile(r"\s*(insert|update|delete|replace)\b", re.IGNORECASE)


class _Turn(threading.local):
    """Whether it is this thread's turn to write."""

    mine = False


class SharingSqlite(Sharing, _Sqlite):  # type: ignore[misc]
    """SQLite, whose only writer need not wait for the disk after each part.

    Threads of one process that want to write queue up. SQLite itself would have each look again now and then whether
    the file is free, and while somebody gathers all the time it hardly ever is at that moment.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._queue, self._turn = threading.Lock(), _Turn()
        super().__init__(*args, **kwargs)

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction, when it is this thread's turn."""
        self._wait_for_turn()
        try:
            super().begin(lock_type)
        except BaseException:
            self._end_turn()
            raise

    def commit(self) -> None:
        """Have the disk keep it; where that fails, a rollback must follow."""
        super().commit()
        self._end_turn()

    def rollback(self) -> None:
        """Take all back."""
        try:
            super().rollback()
        finally:
            self._end_turn()

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Run a statement; one that writes and is a transaction by itself waits for its turn as well."""
        if self.in_transaction() or not _WRITES.match(sql):
            return super().execute_sql(sql, params)
        self._wait_for_turn()
        try:
            return super().execute_sql(sql, params)
        finally:
            self._end_turn()

    def _wait_for_turn(self) -> None:
        if not self._queue.acquire(timeout=BUSY_SECONDS):
            raise OperationalError("database is locked")
        self._turn.mine = True

    def _end_turn(self) -> None:
        if self._turn.mine:
            self._turn.mine = False
            self._queue.release()

    def together(self, work: Callable[[], None]) -> None:
        """Do all of the work or nothing of it, in a transaction of its own or as a part of the one that is on."""
        around: int = self.transaction_depth()
        if around == 0:
            with self.atomic():
                work()
        elif around == 1 and self.is_gathering():
            self._part(work)
        else:
            work()  # whoever began the transaction ends it

    def _part(self, work: Callable[[], None]) -> None:
        """Work that leaves nothing behind where it fails. Peewee would think of a new name for each savepoint."""
        connection = self.connection()
        connection.execute("savepoint part")
        try:
            work()
        except BaseException:
            connection.execute("rollback to part")
            raise
        finally:
            connection.execute("release part")

    def _is_sound(self) -> bool:
        on: bool = self.connection().in_transaction
        return on
