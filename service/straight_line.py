"""A straight line to PostgreSQL, through its own library: with a psycopg cursor this process works twice as long on it.

Only for what every action runs. After many a rollback psycopg has the connection forget all statements, ours as well;
where that is found out outside of a transaction they are prepared again, and within one it fails like any other error.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from psycopg import DataError, OperationalError
from psycopg.abc import PQGen
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.waiting import Wait

_NO_SUCH_STATEMENT: Final = b"26000"
_GOOD: Final = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


class StraightLine:
    """One connection, and the statements that were prepared on it."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._line = connection.pgconn
        self._encoding: str = connection.info.encoding
        self._names: dict[str, bytes] = {}
        self._numbers = count()  # no name is given twice: the connection may still know it

    def is_free(self) -> bool:
        """Whether the connection is in no transaction."""
        free: bool = self._line.transaction_status == TransactionStatus.IDLE
        return free

    def is_in_transaction(self) -> bool:
        """Whether the connection is in one that can still be committed."""
        on: bool = self._line.transaction_status == TransactionStatus.INTRANS
        return on

    def ask(self, statement: str, values: Sequence[Any]) -> list[str]:
        """The rows of an answer that has one text in each."""
        written = self._all_written(values)
        result = self._line.exec_prepared(self._name(statement), written)
        if self._has_forgotten(result):
            result = self._line.exec_prepared(self._name(statement), written)
        self._check(result)
        return self._rows(result)

    def ask_all(self, questions: Sequence[tuple[str, Sequence[Any]]]) -> list[list[str]]:
        """The same for one statement after the other, in one go; after the first that fails none is run."""
        results = self._all_results(questions)
        if any(self._has_forgotten(result) for result in results) and self.is_free():
            results = self._all_results(questions)
        for result in results:
            self._check(result)
        return [self._rows(result) for result in results]

    def _all_results(self, questions: Sequence[tuple[str, Sequence[Any]]]) -> list[Any]:
        asked = [(self._name(statement), self._all_written(values)) for statement, values in questions]
        line = self._line
        line.enter_pipeline_mode()
        try:
            for name, written in asked:
                line.send_query_prepared(name, written)
            line.pipeline_sync()
            results: list[Any] = self._connection.wait(_results(line))
            line.exit_pipeline_mode()
        except BaseException:
            self._connection.close()  # nobody knows how far it has come
            raise
        return results

    def _has_forgotten(self, result: Any) -> bool:
        """Whether it failed because the connection does not know the statement any more; then it may know none."""
        forgotten: bool = result.error_field(DiagnosticField.SQLSTATE) == _NO_SUCH_STATEMENT
        if forgotten:
            self._names.clear()
        return forgotten

    def _rows(self, result: Any) -> list[str]:
        return [result.get_value(row, 0).decode(self._encoding) for row in range(result.ntuples)]

    def _all_written(self, values: Sequence[Any]) -> list[bytes | None]:
        return [None if value is None else self._written(value) for value in values]

    def _written(self, value: Any) -> bytes:
        text = str(value)
        if "\0" in text:
            raise DataError("PostgreSQL takes no text with a NUL in it.")  # the library would cut it off there
        return text.encode(self._encoding)

    def _name(self, statement: str) -> bytes:
        """What the statement is called on this connection."""
        name = self._names.get(statement)
        if name is None:
            name = f"straight_{next(self._numbers)}".encode()
            self._check(self._line.prepare(name, _numbered(statement).encode()))
            self._names[statement] = name
        return name

    def _check(self, result: Any) -> None:
        if result.status in _GOOD:
            return
        if self._line.status != ConnStatus.OK:
            raise OperationalError(result.error_message.decode(errors="replace"))
        raise error_from_result(result, self._encoding)


def _results(line: Any) -> PQGen[list[Any]]:
    """What comes of all that was sent, up to the mark at its end; to be waited for."""
    results: list[Any] = []
    ended = False
    while True:
        yield Wait.RW if line.flush() else Wait.R
        line.consume_input()
        while not line.is_busy():
            result = line.get_result()
            if result is None and ended:
                raise OperationalError("The connection was lost.")  # there is nothing more, and it was not the mark
            ended = result is None
            if result is None:
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return results
            results.append(result)


def _numbered(statement: str) -> str:
    """The statement with its values numbered, as the library wants them."""
    first, *rest = statement.split("%s")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, start=1))
