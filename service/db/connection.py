"""Opening the database, write transactions, and migrations."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, TypeAlias

from peewee import OperationalError, PostgresqlDatabase, SqliteDatabase
from playhouse.db_url import parse
from playhouse.migrations import Runner

from service.db.models import RateBucket

Database: TypeAlias = Any
"""A peewee database; peewee has no types."""

BUSY_SECONDS: Final = 10
"""How long a writer waits for another one, or for a locked row, before the request fails with 503."""
_OWNER_ONLY: Final = 0o600
_ROOM_NEEDED: Final = 256 * 1024
"""Bytes that must fit on the disk: a good dozen actions."""
MIGRATIONS: Final = Path(__file__).parent / "migrations"
MIGRATING: Final = 0x6D61_7272
"""The number of the PostgreSQL advisory lock held while migrating; the same in every version of this program."""
_PRAGMAS: Final = {
    "journal_mode": "wal",
    # FULL: an acknowledged action survives a power cut.
    "synchronous": "full",
    "foreign_keys": 1,
    # What was deleted is overwritten, so that a copy of the file has no traces of deleted players.
    "secure_delete": 1,
    "busy_timeout": BUSY_SECONDS * 1000,
    "cache_size": -16_000,
    # An action writes about seven pages, often the same ones, so fewer and larger checkpoints write less.
    "wal_autocheckpoint": 4_000,
}


class NewerDatabase(Exception):
    """The database was made by a newer version of this program."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            f"The database was made by a newer version of Marrakech by Mail (it has {', '.join(names)})."
            " Install that version, or restore an older backup."
        )


def open_database(url: str) -> Database:
    """Return the database at this address, not connected yet; every thread that uses it gets its own connection."""
    if url.startswith("sqlite:///"):
        _restrict_access(Path(url.removeprefix("sqlite:///")))
        # IMMEDIATE: a transaction that is going to write waits for others at its start, not halfway through.
        return SqliteDatabase(
            url.removeprefix("sqlite:///"), pragmas=_PRAGMAS, lock_type="IMMEDIATE", timeout=BUSY_SECONDS
        )
    # By default PostgreSQL waits forever for a row that another connection has locked.
    options = f"-c lock_timeout={BUSY_SECONDS}s"
    return PostgresqlDatabase(
        **parse(url, unquote_user=True, unquote_password=True), options=options, prefer_psycopg3=True
    )


def _restrict_access(file: Path) -> None:
    """Make sure that only the owner can read the database; SQLite gives its other files the mode of this one."""
    with suppress(OSError):  # SQLite says more clearly why it can't open a file
        file.touch(mode=_OWNER_ONLY)
        for part in (file, *(file.with_name(file.name + ending) for ending in ("-wal", "-shm"))):
            if part.exists() and part.stat().st_mode & 0o077:
                part.chmod(_OWNER_ONLY)


def truncate_wal(database: Database) -> None:
    """Move everything from SQLite's write-ahead log into the database file, so that the log keeps nothing deleted."""
    is_sqlite = isinstance(database, SqliteDatabase)
    if is_sqlite:
        database.execute_sql("pragma wal_checkpoint(truncate)").fetchall()


def check_writable(database: Database) -> None:
    """Write to the disk; raises `OperationalError` or `OSError` if that isn't possible.

    A small write to SQLite may fit into space that its files have already, so a new file is written, too.
    """
    name = "write check"
    row = RateBucket.insert(name=name, level=0.0, changed=time.time())
    row.on_conflict(conflict_target=[RateBucket.name], update={RateBucket.changed: time.time()}).execute(database)
    if isinstance(database, SqliteDatabase):
        with TemporaryFile(dir=Path(database.database).parent) as file:
            file.write(bytes(_ROOM_NEEDED))
            file.flush()
            os.fsync(file.fileno())


_sqlite_writer: Final = threading.RLock()


@contextmanager
def transaction(database: Database) -> Iterator[None]:
    """Run a write transaction, or a part of the one that is open.

    On SQLite, which has one writer at a time, the threads of this process queue for a lock. SQLite's own busy handler
    only polls: under load, an unlucky thread would wait for most of a second.
    """
    queue: AbstractContextManager[object] = nullcontext()
    if isinstance(database, SqliteDatabase) and not database.in_transaction():
        queue = _sqlite_writer
    with queue, database.atomic():
        yield


def pending_migrations(database: Database, folder: Path = MIGRATIONS) -> list[str]:
    """List the migrations still to be applied; raises `NewerDatabase` if unknown ones have been applied."""
    _connect(database)
    status = Runner(database, str(folder)).status()
    unknown = [step.name for step in status if step.path is None]
    if unknown:
        raise NewerDatabase(unknown)
    return [step.name for step in status if step.applied is None]


def _connect(database: Database) -> None:
    """Connect, retrying for a while: while one process switches a file to WAL, SQLite lets no other one wait."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            database.connect(reuse_if_open=True)
        except OperationalError as error:
            if "database is locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def migrate(database: Database, folder: Path = MIGRATIONS) -> list[str]:
    """Apply the pending migrations, all or none, and return their names."""
    if not pending_migrations(database, folder):
        return []
    with _migration_lock(database):
        # The runner checks again: another process may have migrated in the meantime.
        done: list[str] = Runner(database, str(folder)).up()
    return done


@contextmanager
def _migration_lock(database: Database) -> Iterator[None]:
    """One transaction, while other processes that want to migrate wait."""
    if not isinstance(database, SqliteDatabase):
        with database.atomic():
            database.execute_sql("set local lock_timeout = 0")  # another migration may take long
            database.execute_sql("select pg_advisory_xact_lock(%s)", (MIGRATING,))
            yield
        return
    # Recreating a table would delete the rows that refer to it; the pragma has no effect inside a transaction.
    database.pragma("foreign_keys", 0)
    try:
        with database.atomic():
            yield
    finally:
        database.pragma("foreign_keys", 1)
