"""Commits on PostgreSQL, which is told at the end of a gathering all that was put off until then, in one go.

Each statement would otherwise travel there and back by itself, and so would the beginning and the commit.
"""

import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from peewee import PostgresqlDatabase

from service.commits import BUSY_SECONDS, Sharing, as_peewee_says_it

_Postgres: Final[Any] = PostgresqlDatabase
"""Peewee has no types."""
Question: TypeAlias = tuple[str, Sequence[Any]]
"""A statement and its values."""
_BEGIN: Final[Question] = ("begin", ())
_COMMIT: Final[Question] = ("commit", ())


class Promised:
    """The one text that a statement answers which was put off; not there before, and never where all was taken back."""

    kept: str | None = None


class _PutOff(NamedTuple):
    statement: str
    values: Sequence[Any]
    answer: Promised


class _Pile(threading.local):
    """What this thread has put off, and whether the transaction itself is yet to begin."""

    def __init__(self) -> None:
        self.begins = False
        self.statements: list[_PutOff] = []


class SharingPostgres(Sharing, _Postgres):  # type: ignore[misc]
    """PostgreSQL; whoever asks it for anything has all told first that was put off, so nothing is ever out of order."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._pile = _Pile()
        super().__init__(*args, **kwargs)

    def _initialize_connection(self, connection: Any) -> None:
        # By itself PostgreSQL waits for ever for a row that somebody else has locked.
        connection.execute(f"set lock_timeout = '{BUSY_SECONDS}s'")

    def put_off(self, statement: str, values: Sequence[Any]) -> Promised:
        """Have a statement run before the gathering ends; it must fail where it does not do what it is there for."""
        answer = Promised()
        self._pile.statements.append(_PutOff(statement, values, answer))
        return answer

    def ask_straight(self, statement: str, values: Sequence[Any]) -> list[str] | None:
        """What a statement of one column answers, by the shortest way; None where there is none, in a transaction."""
        line = self._straight_line()
        if not line.is_free():
            return None
        with as_peewee_says_it:
            rows: list[str] = line.ask(statement, values)
        return rows

    def begin(self, isolation_level: Any = None) -> None:
        """Begin a transaction; for a gathering with the first that is told."""
        if self.is_gathering():
            self._pile.begins = True
        else:
            super().begin(isolation_level)

    def commit(self) -> None:
        """Have the disk keep it, with all that was put off."""
        if self._pile.statements:
            self._tell(_COMMIT)
        elif self._pile.begins:
            self._pile.begins = False  # nobody has asked for anything
        else:
            super().commit()

    def rollback(self) -> None:
        """Take all back."""
        self._pile.statements = []
        if self._pile.begins:
            self._pile.begins = False
        else:
            super().rollback()

    def connection(self) -> Any:
        """The connection of this thread, when all was told that was put off."""
        self._catch_up()
        return super().connection()

    def cursor(self, named_cursor: str | None = None) -> Any:
        """The same for a cursor."""
        self._catch_up()
        return super().cursor(named_cursor)

    def _catch_up(self) -> None:
        if self._pile.begins or self._pile.statements:
            self._tell()

    def _tell(self, *last: Question) -> None:
        """Tell all that was put off; raises where any of it failed, and then the transaction can only be taken back."""
        pile = self._pile
        put_off, pile.statements = pile.statements, []
        begin, pile.begins = [_BEGIN] if pile.begins else [], False
        questions = [*begin, *((each.statement, each.values) for each in put_off), *last]
        with as_peewee_says_it:
            answers = self._straight_line().ask_all(questions)
        for each, rows in zip(put_off, answers[len(begin) :], strict=False):
            (each.answer.kept,) = rows

    def _straight_line(self) -> Any:
        connection = super().connection()
        if not hasattr(connection, "straight_line"):
            from service.straight_line import StraightLine  # noqa: PLC0415 - psycopg is there only where it is used

            connection.straight_line = StraightLine(connection)
        return connection.straight_line

    def _is_sound(self) -> bool:
        return self._pile.begins or bool(self._straight_line().is_in_transaction())
