"""Backups of a running server: a copy of the SQLite file, or portable JSON lines for any database.

The portable format starts with a line that names the format and the migrations of its tables. Each table follows with
one line for its columns and one for each row. The last line has the number of rows, so that truncation is detected.
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
from service.text import format_utc

FORMAT: Final = "marrakech-backup/1"
HISTORY: Final = "schema_migration"
_ROWS_AT_ONCE: Final = 1000
_PAGES_AT_ONCE: Final = 256
_COMPRESSED: Final = ".gz"
_PORTABLE: Final = (".jsonl", ".jsonl.gz")

Progress = Callable[[int, int], None]
"""Called with the amount done and the total."""


class BackupError(Exception):
    """A backup can't be made or read; the message is for the server host."""


def is_portable(database: Database, file: Path, wanted: bool) -> bool:
    """Whether to use the portable format: requested, implied by the file name, or the only one for this database."""
    return wanted or file.name.endswith(_PORTABLE) or not isinstance(database, SqliteDatabase)


def make_backup(database: Database, file: Path, portable: bool, now: float, progress: Progress) -> None:
    """Write a backup, complete or not at all, without blocking other connections."""
    if HISTORY not in database.get_tables():
        raise BackupError("There is nothing to back up: the database has no tables yet.")
    with _replace_when_complete(file) as draft:
        if portable:
            _write_portable(database, draft, file.name.endswith(_COMPRESSED), now, progress)
        else:
            _copy(database, draft, progress)


@contextmanager
def _replace_when_complete(file: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target on success; it has mode 0600, because it contains addresses."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
        os.close(handle)
    except OSError as error:
        raise BackupError(f"Can't write {file} ({error.strerror}). Choose another path.") from None
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb") as whole:
            os.fsync(whole.fileno())
        draft.replace(file)
    except (OSError, sqlite3.Error) as error:
        words = getattr(error, "strerror", None) or error
        raise BackupError(f"Can't write {file} ({words}). No partial file was left.") from None
    finally:
        draft.unlink(missing_ok=True)


def _copy(database: Database, draft: Path, progress: Progress) -> None:
    """Copy the SQLite file page by page, as of one moment.

    Outside a transaction SQLite restarts the copy after every write, so on a busy server it might never finish.
    """

    def report(_status: int, left: int, total: int) -> None:
        progress(total - left, total)

    with closing(sqlite3.connect(draft)) as copy:
        with _read_snapshot(database):
            database.execute_sql(f"select count(*) from {HISTORY}").fetchone()  # noqa: S608 - the first read fixes the snapshot
            database.connection().backup(copy, pages=_PAGES_AT_ONCE, progress=report, sleep=0)
        # In WAL mode, opening the backup would create two more files next to it.
        copy.execute("pragma journal_mode = delete")


def _write_portable(database: Database, draft: Path, compressed: bool, now: float, progress: Progress) -> None:
    with _opened(draft, compressed, "wt") as file, _read_snapshot(database):
        tables = _tables(database)
        total = sum(database.execute_sql(f"select count(*) from {table}").fetchone()[0] for table in tables)  # noqa: S608
        heading = {
            "format": FORMAT,
            "made": format_utc(now),
            "migrations": [name for (name,) in database.execute_sql(f"select name from {HISTORY} order by name")],  # noqa: S608
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
def _read_snapshot(database: Database) -> Iterator[None]:
    """Run in a read transaction that sees the database as of one moment and blocks no writer."""
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
    """The rows in the order of their key, read in chunks, because a table may not fit into memory."""
    columns, key = _columns(database, table), list(database.get_primary_keys(table))
    places = [columns.index(name) for name in key]
    # The names of tables and columns come from the database itself.
    chosen = f"select {', '.join(columns)} from {table}"  # noqa: S608
    ordered = f"order by {', '.join(key)} limit {_ROWS_AT_ONCE}"
    rows = database.execute_sql(f"{chosen} {ordered}").fetchall()
    after = f"where ({', '.join(key)}) > ({', '.join([database.param] * len(key))})"
    while rows:
        yield from rows
        rows = database.execute_sql(f"{chosen} {after} {ordered}", [rows[-1][place] for place in places]).fetchall()


def read_counters(database: Database, tables: list[str]) -> dict[str, int]:
    """The last id that each table has assigned, so that a restored database never assigns it again."""
    sqlite = isinstance(database, SqliteDatabase)
    if sqlite:
        return dict(database.execute_sql("select name, seq from sqlite_sequence order by name").fetchall())
    counters = {}
    for table in tables:
        if "id" in _columns(database, table):
            name = database.execute_sql("select pg_get_serial_sequence(%s, 'id')", [table]).fetchone()[0]
            if name is not None:
                last, called = database.execute_sql(f"select last_value, is_called from {name}").fetchone()  # noqa: S608
                counters[table] = last if called else 0
    return counters
