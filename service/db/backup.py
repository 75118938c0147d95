"""Backups while the server runs: a copy of the SQLite file, or lines of JSON that any database can be made of again.

The portable form opens with a line that says what it is and which migrations its tables had; then, for each table, a
line with its columns and a line for each row; its last line counts the rows, so that a cut file is noticed.
"""

import gzip
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, Final

from peewee import SqliteDatabase

from service.db.connection import Database
from service.db.statements import run
from service.text import format_utc

FORMAT: Final = "marrakech-backup/1"
HISTORY: Final = "schema_migration"
_ROWS_AT_ONCE: Final = 1000
_PAGES_AT_ONCE: Final = 256
_COMPRESSED: Final = ".gz"
_PORTABLE: Final = (".jsonl", ".jsonl.gz")

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much."""


class BackupTrouble(Exception):
    """A backup cannot be made or read: one sentence for the host."""


def is_portable(database: Database, file: Path, wanted: bool) -> bool:
    """Whether the backup is to be in the portable form: asked for, called so, or the only one that there is."""
    return wanted or file.name.endswith(_PORTABLE) or not isinstance(database, SqliteDatabase)


def make_backup(database: Database, file: Path, portable: bool, now: float, progress: Progress) -> None:
    """Write a backup, whole or not at all; everybody else goes on meanwhile."""
    if HISTORY not in database.get_tables():
        raise BackupTrouble("There is nothing to back up: the database has no tables yet.")
    with _put_in_place(file) as draft:
        if portable:
            _write_portable(database, draft, file.name.endswith(_COMPRESSED), now, progress)
        else:
            _copy(database, draft, progress)


@contextmanager
def _put_in_place(file: Path) -> Iterator[Path]:
    """A file beside its place that takes it when all went well; it holds addresses, so nobody else may read it."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")  # made with mode 0600
        os.close(handle)
    except OSError as trouble:
        raise BackupTrouble(f"{file} cannot be written ({trouble.strerror}); choose another place.") from None
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb") as whole:
            os.fsync(whole.fileno())
        draft.replace(file)
    except (OSError, sqlite3.Error) as trouble:
        words = getattr(trouble, "strerror", None) or trouble
        raise BackupTrouble(f"{file} cannot be written ({words}); nothing was left behind.") from None
    finally:
        draft.unlink(missing_ok=True)


def _copy(database: Database, draft: Path, progress: Progress) -> None:
    """Copy the file page by page, all of one moment.

    Without a transaction around it SQLite would begin anew whenever somebody writes, and never end in a busy house.
    """

    def told(_status: int, left: int, total: int) -> None:
        progress(total - left, total)

    with closing(sqlite3.connect(draft)) as copy:
        with _one_moment(database):
            database.execute_sql(f"select count(*) from {HISTORY}").fetchone()  # noqa: S608 - from here on it is that moment
            database.connection().backup(copy, pages=_PAGES_AT_ONCE, progress=told, sleep=0)
        # A backup is one file: without this, whoever opens it would make two more beside it.
        copy.execute("pragma journal_mode = delete")


def _write_portable(database: Database, draft: Path, compressed: bool, now: float, progress: Progress) -> None:
    with _opened(draft, compressed, "wt") as file, _one_moment(database):
        tables = _tables(database)
        total = sum(run(database, f"select count(*) from {table}", []).fetchone()[0] for table in tables)  # noqa: S608
        heading = {
            "format": FORMAT,
            "made": format_utc(now),
            "migrations": [name for (name,) in run(database, f"select name from {HISTORY} order by name", [])],  # noqa: S608
            "counters": read_counters(database, tables),
        }
        _write_line(file, heading)
        done = 0
        for table in tables:
            _write_line(file, {"table": table, "columns": _columns(database, table)})
            for row in _rows(database, table):
                _write_line(file, list(row))
                done += 1
                if done % _ROWS_AT_ONCE == 0:
                    progress(done, total)
        _write_line(file, {"rows": done})
        progress(done, total)


def _opened(path: Path, compressed: bool, mode: str) -> IO[str]:
    opener: Any = gzip.open if compressed else open
    file: IO[str] = opener(path, mode, encoding="utf-8")
    return file


def _write_line(file: IO[str], line: object) -> None:
    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


@contextmanager
def _one_moment(database: Database) -> Iterator[None]:
    """Read everything as of one moment, without anybody having to wait."""
    sqlite = isinstance(database, SqliteDatabase)
    database.execute_sql("begin deferred" if sqlite else "begin isolation level repeatable read read only")
    try:
        yield
    finally:
        database.execute_sql("rollback")


def _tables(database: Database) -> list[str]:
    return [name for name in sorted(database.get_tables()) if name != HISTORY and not name.startswith("sqlite_")]


def _columns(database: Database, table: str) -> list[str]:
    return [column.name for column in database.get_columns(table)]


def _rows(database: Database, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows in the order of their key, some at a time: the biggest table need not fit into memory."""
    columns, key = _columns(database, table), list(database.get_primary_keys(table))
    places = [columns.index(name) for name in key]
    # A table's and a column's name come out of the database itself.
    chosen = f"select {', '.join(columns)} from {table}"  # noqa: S608
    ordered = f"order by {', '.join(key)} limit {_ROWS_AT_ONCE}"
    rows = run(database, f"{chosen} {ordered}", []).fetchall()
    after = f"where ({', '.join(key)}) > ({', '.join('?' * len(key))})"
    while rows:
        yield from rows
        rows = run(database, f"{chosen} {after} {ordered}", [rows[-1][place] for place in places]).fetchall()


def read_counters(database: Database, tables: list[str]) -> dict[str, int]:
    """The last number that each table has given out; a number that was given once is never given again."""
    if isinstance(database, SqliteDatabase):
        return dict(run(database, "select name, seq from sqlite_sequence order by name", []).fetchall())
    counters = {}
    for table in tables:
        if "id" in _columns(database, table):
            name = run(database, "select pg_get_serial_sequence(?, 'id')", [table]).fetchone()[0]
            if name is not None:
                last, called = run(database, f"select last_value, is_called from {name}", []).fetchone()  # noqa: S608
                counters[table] = last if called else 0
    return counters
