"""Restoring a backup: read into a database of its own, brought up to date there, then moved in, all or nothing."""

import gzip
import json
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from peewee import DatabaseError, PeeweeException, SqliteDatabase, chunked
from playhouse.migrations import Runner

from service.db.backup import FORMAT, HISTORY, BackupTrouble, Progress, read_counters
from service.db.connection import MIGRATIONS, Database, NewerDatabase, migrate, open_database
from service.db.models import MODELS, Incoming, RateBucket, WorkerBeat
from service.db.statements import run

_SQLITE: Final = b"SQLite format 3\0"
_GZIP: Final = b"\x1f\x8b"
_ROWS_AT_ONCE: Final = 500
_DAMAGE: Final = (EOFError, gzip.BadGzipFile, zlib.error, ValueError, KeyError, TypeError, PeeweeException)
"""What comes of reading a file that is none of ours, or no longer whole."""
_PASSING: Final = (RateBucket, WorkerBeat, Incoming)
"""What a server writes by itself; a database with nothing else in it counts as empty."""


def restore_backup(database: Database, file: Path, replace: bool, progress: Progress) -> int:
    """Put the rows of a backup into the database and say how many they were."""
    with _unpacked(file) as backup:
        _check_references(backup)
        migrate(database)
        with database.atomic():
            if not replace and not is_empty(database):
                raise BackupTrouble(
                    "The database has games or players in it, and restoring would remove them; add --replace if you"
                    " mean it, after a backup of what is there."
                )
            _clear(database)
            moved = _move(backup, database, progress)
            _set_counters(database, read_counters(backup, []))
    return moved


def is_empty(database: Database) -> bool:
    """Whether nothing would be lost by restoring."""
    return not any(model.select().exists(database) for model in MODELS if model not in _PASSING)


@contextmanager
def _unpacked(file: Path) -> Iterator[Database]:
    """The backup as an up-to-date SQLite database, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="marrakech-restore-") as folder:
        copy = Path(folder, "backup.db")
        try:
            with file.open("rb") as opened:
                kind = opened.read(len(_SQLITE))
            if kind == _SQLITE:
                shutil.copyfile(file, copy)
        except OSError as trouble:
            raise BackupTrouble(f"{file} cannot be read ({trouble.strerror}).") from None
        backup = open_database(f"sqlite:///{copy}")
        try:
            if kind != _SQLITE:
                _load(file, kind.startswith(_GZIP), backup)
            _bring_up_to_date(file, backup)
            yield backup
        finally:
            backup.close()


def _bring_up_to_date(file: Path, backup: Database) -> None:
    try:
        backup.connect(reuse_if_open=True)
        broken = [words for (words,) in backup.execute_sql("pragma quick_check") if words != "ok"]
        ours = HISTORY in backup.get_tables()
    except (DatabaseError, sqlite3.DatabaseError) as trouble:  # peewee wraps no error of reading on
        broken, ours = [str(trouble)], True
    if broken:
        raise BackupTrouble(f"{file} is damaged ({broken[0]}); take another backup.")
    if not ours:
        raise BackupTrouble(f"{file} is a SQLite database, but none of Marrakech by Mail.")
    migrate(backup)


def _load(file: Path, compressed: bool, backup: Database) -> None:
    """Read the portable form, all of it, into an empty database with the very tables that it was made from."""
    try:
        opener: Any = gzip.open if compressed else open
        with opener(file, "rt", encoding="utf-8") as lines:
            _load_lines(lines, backup)
    except BackupTrouble as trouble:
        raise BackupTrouble(f"{file} {trouble}") from None
    except _DAMAGE:
        raise BackupTrouble(f"{file} is no backup of Marrakech by Mail, or it is damaged; take another.") from None


def _load_lines(lines: IO[str], backup: Database) -> None:
    heading = json.loads(lines.readline() or "null")
    if not isinstance(heading, dict) or heading.get("format") != FORMAT:
        raise BackupTrouble("is no backup of Marrakech by Mail.")
    _make_tables(backup, heading["migrations"])
    backup.pragma("foreign_keys", 0)
    try:
        with backup.atomic():
            _fill(lines, backup)
            _set_counters(backup, heading["counters"])
    finally:
        backup.pragma("foreign_keys", 1)


def _make_tables(backup: Database, steps: list[str]) -> None:
    known = [step.stem for step in sorted(MIGRATIONS.glob("[0-9]*.py"))]
    unknown = [step for step in steps if step not in known]
    if unknown:
        raise NewerDatabase(unknown)
    if not steps or steps != known[: len(steps)]:
        raise BackupTrouble("says that it was made by a version that never was.")
    backup.connect(reuse_if_open=True)
    Runner(backup, str(MIGRATIONS)).up(steps[-1])


def _fill(lines: IO[str], backup: Database) -> None:
    """Every row into its table; the last line must say how many they were."""
    count, statement, width = 0, "", -1
    tables = set(backup.get_tables())
    for text in lines:
        line = json.loads(text)
        if isinstance(line, list):
            if len(line) != width:
                raise BackupTrouble("has a row that fits no table; take another backup.")
            backup.execute_sql(statement, line)
            count += 1
        elif "rows" in line:
            if line["rows"] != count:
                break
            return
        else:
            statement, width = _insert(backup, tables, line["table"], line["columns"]), len(line["columns"])
    raise BackupTrouble("has not all of its rows, so it was cut off; take another backup.")


def _insert(backup: Database, tables: set[str], table: str, columns: list[str]) -> str:
    if table not in tables or not set(columns) <= {column.name for column in backup.get_columns(table)}:
        raise BackupTrouble("has a table or a column that is not known; take another backup.")
    return f"insert into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"  # noqa: S608


def _check_references(backup: Database) -> None:
    wrong = run(backup, "pragma foreign_key_check", []).fetchall()
    if wrong:
        raise BackupTrouble(f"The backup is damaged: {len(wrong)} of its rows refer to rows that are not there.")


def _clear(database: Database) -> None:
    for model in reversed(MODELS):
        model.delete().execute(database)


def _move(backup: Database, database: Database, progress: Progress) -> int:
    total, moved = sum(model.select().count(backup) for model in MODELS), 0
    for model in MODELS:
        rows = model.select().dicts().execute(backup).iterator()
        for some in chunked(rows, _ROWS_AT_ONCE):
            model.insert_many(some).execute(database)
            moved += len(some)
            progress(moved, total)
    return moved


def _set_counters(database: Database, counters: dict[str, int]) -> None:
    """Go on counting where the backup stopped: numbers of letters and codes must not come a second time."""
    for table, last in counters.items():
        if isinstance(database, SqliteDatabase):
            run(database, "delete from sqlite_sequence where name = ?", [table])
            run(database, "insert into sqlite_sequence (name, seq) values (?, ?)", [table, last])
        else:
            statement = "select setval(pg_get_serial_sequence(?, 'id'), ?, ?)"
            run(database, statement, [table, max(last, 1), last > 0])
