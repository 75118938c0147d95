"""Restore a backup: load it into a temporary database, migrate that, and copy its rows in one transaction."""

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

from service.db.backup import FORMAT, HISTORY, BackupError, Progress, read_counters
from service.db.connection import MIGRATIONS, Database, NewerDatabase, migrate, open_database
from service.db.models import MODELS, Game, Incoming, Player, RateBucket, Seat, ServerKey, WorkerBeat

_SQLITE: Final = b"SQLite format 3\0"
_GZIP: Final = b"\x1f\x8b"
_ROWS_AT_ONCE: Final = 500
_VERSIONS_SKIPPED: Final = 1000
"""More than anyone can have used since the backup."""
_DAMAGE: Final = (EOFError, gzip.BadGzipFile, zlib.error, ValueError, KeyError, TypeError, PeeweeException)
"""The errors of reading a file that is not a backup, or is damaged."""
_TRANSIENT: Final = (RateBucket, WorkerBeat, Incoming, ServerKey)
"""Tables that a server without players fills too; they don't count as data."""


def restore_backup(database: Database, file: Path, replace: bool, progress: Progress) -> int:
    """Replace the database's rows with those of a backup and return their number."""
    with _load_backup(file) as backup:
        _check_references(backup)
        migrate(database)
        with database.atomic():
            if not replace and not is_empty(database):
                raise BackupError(
                    "The database has games or players, and restoring would remove them. Make a backup first, then"
                    " add --replace."
                )
            _clear(database)
            moved = _copy_rows(backup, database, progress)
            _invalidate_links(database)
            _set_counters(database, read_counters(backup, []))
    return moved


def is_empty(database: Database) -> bool:
    """Whether the database has no data that restoring would remove."""
    return not any(model.select().exists(database) for model in MODELS if model not in _TRANSIENT)


@contextmanager
def _load_backup(file: Path) -> Iterator[Database]:
    """Yield the backup as a temporary, migrated SQLite database."""
    with tempfile.TemporaryDirectory(prefix="marrakech-restore-") as folder:
        copy = Path(folder, "backup.db")
        try:
            with file.open("rb") as opened:
                kind = opened.read(len(_SQLITE))
            if kind == _SQLITE:
                shutil.copyfile(file, copy)
        except OSError as error:
            raise BackupError(f"Can't read {file} ({error.strerror}). Check the path and its permissions.") from None
        backup = open_database(f"sqlite:///{copy}")
        try:
            if kind != _SQLITE:
                _load_portable(file, kind.startswith(_GZIP), backup)
            _check_and_migrate(file, backup)
            yield backup
        finally:
            backup.close()


def _check_and_migrate(file: Path, backup: Database) -> None:
    try:
        backup.connect(reuse_if_open=True)
        broken = [words for (words,) in backup.execute_sql("pragma quick_check") if words != "ok"]
        ours = HISTORY in backup.get_tables()
    except (DatabaseError, sqlite3.DatabaseError) as error:  # peewee does not wrap errors while rows are fetched
        broken, ours = [str(error)], True
    if broken:
        raise BackupError(f"{file} is damaged ({broken[0]}). Use another backup.")
    if not ours:
        raise BackupError(f"{file} is a SQLite database, but not one of Marrakech by Mail. Use another file.")
    migrate(backup)


def _load_portable(file: Path, compressed: bool, backup: Database) -> None:
    """Load a portable backup into an empty database with the tables of the backup's version."""
    try:
        opener: Any = gzip.open if compressed else open
        with opener(file, "rt", encoding="utf-8") as lines:
            _load_lines(lines, backup)
    except BackupError as error:
        raise BackupError(f"{file} {error}") from None
    except _DAMAGE:
        raise BackupError(f"{file} isn't a backup of Marrakech by Mail, or it is damaged. Use another one.") from None


def _load_lines(lines: IO[str], backup: Database) -> None:
    heading = json.loads(lines.readline() or "null")
    if not isinstance(heading, dict) or heading.get("format") != FORMAT:
        raise BackupError("isn't a backup of Marrakech by Mail. Use another file.")
    _create_tables(backup, heading["migrations"])
    backup.pragma("foreign_keys", 0)
    try:
        with backup.atomic():
            _insert_rows(lines, backup)
            _set_counters(backup, heading["counters"])
    finally:
        backup.pragma("foreign_keys", 1)


def _create_tables(backup: Database, steps: list[str]) -> None:
    known = [step.stem for step in sorted(MIGRATIONS.glob("[0-9]*.py"))]
    unknown = [step for step in steps if step not in known]
    if unknown:
        raise NewerDatabase(unknown)
    if not steps or steps != known[: len(steps)]:
        raise BackupError("was made by an unknown version. Use another backup.")
    backup.connect(reuse_if_open=True)
    Runner(backup, str(MIGRATIONS)).up(steps[-1])


def _insert_rows(lines: IO[str], backup: Database) -> None:
    """Insert every row; the last line must match their number."""
    count, statement, width = 0, "", -1
    tables = set(backup.get_tables())
    for text in lines:
        line = json.loads(text)
        if isinstance(line, list):
            if len(line) != width:
                raise BackupError("has a row that fits no table. Use another backup.")
            backup.execute_sql(statement, line)
            count += 1
        elif "rows" in line:
            if line["rows"] != count:
                break
            return
        else:
            statement, width = _insert_statement(backup, tables, line["table"], line["columns"]), len(line["columns"])
    raise BackupError("is incomplete: rows are missing. Use another backup.")


def _insert_statement(backup: Database, tables: set[str], table: str, columns: list[str]) -> str:
    if table not in tables or not set(columns) <= {column.name for column in backup.get_columns(table)}:
        raise BackupError("has an unknown table or column. Use another backup.")
    return f"insert into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"  # noqa: S608


def _check_references(backup: Database) -> None:
    wrong = backup.execute_sql("pragma foreign_key_check").fetchall()
    if wrong:
        raise BackupError(f"The backup is damaged: {len(wrong)} of its rows refer to missing rows. Use another one.")


def _clear(database: Database) -> None:
    for model in reversed(MODELS):
        model.delete().execute(database)


def _copy_rows(backup: Database, database: Database, progress: Progress) -> int:
    total, moved = sum(model.select().count(backup) for model in MODELS), 0
    for model in MODELS:
        rows = model.select().dicts().execute(backup).iterator()
        for chunk in chunked(rows, _ROWS_AT_ONCE):
            model.insert_many(chunk).execute(database)
            moved += len(chunk)
            progress(moved, total)
    return moved


def _invalidate_links(database: Database) -> None:
    """Invalidate every link and token that was given out: some may have been revoked after the backup was made."""
    Seat.update(link_version=Seat.link_version + _VERSIONS_SKIPPED).execute(database)
    Game.update(invitation_version=Game.invitation_version + _VERSIONS_SKIPPED).execute(database)
    Player.update(token_version=Player.token_version + _VERSIONS_SKIPPED).execute(database)


def _set_counters(database: Database, counters: dict[str, int]) -> None:
    """Continue assigning ids after the backup's last ones: ids of letters and codes must not be reused."""
    sqlite = isinstance(database, SqliteDatabase)
    for table, last in counters.items():
        if sqlite:
            database.execute_sql("delete from sqlite_sequence where name = ?", [table])
            database.execute_sql("insert into sqlite_sequence (name, seq) values (?, ?)", [table, last])
        else:
            statement = "select setval(pg_get_serial_sequence(%s, 'id'), %s, %s)"
            database.execute_sql(statement, [table, max(last, 1), last > 0])
