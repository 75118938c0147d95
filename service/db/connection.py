"""Opening the database, and bringing it to the version this program knows."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from peewee import OperationalError, SqliteDatabase
from playhouse.db_url import parse
from playhouse.migrations import Runner

from service.commits import BUSY_SECONDS
from service.commits_on_postgres import SharingPostgres
from service.commits_on_sqlite import SharingSqlite

Database: TypeAlias = Any
"""A peewee database; peewee has no types."""

MIGRATIONS: Final = Path(__file__).parent / "migrations"
MIGRATING: Final = 0x6D61_7272
"""The number of the PostgreSQL lock that whoever migrates holds; the same in every version of this program."""
_PRAGMAS: Final = {
    "journal_mode": "wal",
    # FULL: an action that was answered survives a power cut.
    "synchronous": "full",
    "foreign_keys": 1,
    "busy_timeout": BUSY_SECONDS * 1000,
    "cache_size": -16_000,
    # So many pages are written to the log before they go to their places. An action writes some seven, often the same.
    "wal_autocheckpoint": 4_000,
}


class NewerDatabase(Exception):
    """The database was made by a newer version of this program."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            f"The database was made by a newer version of Marrakech by Mail (it knows {', '.join(names)});"
            " install that version or restore an older backup."
        )


def open_database(url: str) -> Database:
    """The database at this address, not connected yet; every thread that uses it gets a connection of its own."""
    if url.startswith("sqlite:///"):
        # IMMEDIATE: whoever is going to write waits for his turn at the start and not in the middle.
        return SharingSqlite(
            url.removeprefix("sqlite:///"), pragmas=_PRAGMAS, lock_type="IMMEDIATE", timeout=BUSY_SECONDS
        )
    return SharingPostgres(**parse(url, unquote_user=True, unquote_password=True), prefer_psycopg3=True)


def pending_migrations(database: Database, folder: Path = MIGRATIONS) -> list[str]:
    """The steps that are still to be done; raises `NewerDatabase` where steps were done that nobody here knows."""
    _connect(database)
    status = Runner(database, str(folder)).status()
    unknown = [step.name for step in status if step.path is None]
    if unknown:
        raise NewerDatabase(unknown)
    return [step.name for step in status if step.applied is None]


def _connect(database: Database) -> None:
    """Connect, if need be in several tries: SQLite has a file become WAL for one process and lets no other wait."""
    patience = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            database.connect(reuse_if_open=True)
        except OperationalError as trouble:
            if "database is locked" not in str(trouble) or time.monotonic() > patience:
                raise
            time.sleep(0.01)
        else:
            return


def migrate(database: Database, folder: Path = MIGRATIONS) -> list[str]:
    """Bring the database up to date and say which steps were done: all of them or, after an error, none."""
    if not pending_migrations(database, folder):
        return []
    with _alone(database):
        # It looks again: another process may have got there first.
        done: list[str] = Runner(database, str(folder)).up()
    return done


@contextmanager
def _alone(database: Database) -> Iterator[None]:
    """One transaction, while everybody else who wants to migrate waits."""
    if not isinstance(database, SqliteDatabase):
        with database.atomic():
            database.execute_sql("set local lock_timeout = 0")  # others may have much to migrate
            database.execute_sql("select pg_advisory_xact_lock(%s)", (MIGRATING,))
            yield
        return
    # A step that makes a table anew would take along the rows that refer to it; inside a transaction it is too late.
    database.pragma("foreign_keys", 0)
    try:
        with database.atomic():
            yield
    finally:
        database.pragma("foreign_keys", 1)
