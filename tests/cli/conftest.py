"""One real server for each test worker, and a small cast: Ann hosts, Bo plays, Eve must be refused."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.app import create_context
from service.config import load_settings
from tests.cli.players import LocalServer, Player
from tests.support.servers import free_port, serving


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    folder, port = tmp_path_factory.mktemp("local"), free_port()
    environ = {
        "MARRAKECH_DATA_DIR": str(folder / "var"),
        "MARRAKECH_BASE_URL": f"http://127.0.0.1:{port}",
        "MARRAKECH_RATE_LIMITS": "off",
    }
    with serving(["marrakech-server", "run", "--port", str(port)], port, environ, folder) as server:
        ctx = create_context(load_settings(environ, folder), time.time)
        yield LocalServer(server, ctx, folder)
        ctx.database.close()


@pytest.fixture
def ann(local: LocalServer, tmp_path: Path) -> Player:
    return local.player("ann", tmp_path)


@pytest.fixture
def bo(local: LocalServer, tmp_path: Path) -> Player:
    return local.player("bo", tmp_path)


@pytest.fixture
def eve(local: LocalServer, tmp_path: Path) -> Player:
    return local.player("eve", tmp_path)


@pytest.fixture
def stranger(local: LocalServer, tmp_path: Path) -> Player:
    return local.stranger(tmp_path)
