"""One real server for each worker of the tests, and the same small cast: Ann, Bo and Eve."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.app import create_context
from service.config import load_settings
from tests.cli.people import House, Person
from tests.support.servers import free_port, serving


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder, port = tmp_path_factory.mktemp("house"), free_port()
    environ = {
        "MARRAKECH_DATA_DIR": str(folder / "var"),
        "MARRAKECH_BASE_URL": f"http://127.0.0.1:{port}",
        "MARRAKECH_RATE_LIMITS": "off",
    }
    with serving(["marrakech-server", "run", "--port", str(port)], port, environ, folder) as server:
        ctx = create_context(load_settings(environ, folder), time.time)
        yield House(server, ctx, folder)
        ctx.database.close()


@pytest.fixture
def ann(house: House, tmp_path: Path) -> Person:
    return house.person("ann", tmp_path)


@pytest.fixture
def bo(house: House, tmp_path: Path) -> Person:
    return house.person("bo", tmp_path)


@pytest.fixture
def eve(house: House, tmp_path: Path) -> Person:
    return house.person("eve", tmp_path)


@pytest.fixture
def stranger(house: House, tmp_path: Path) -> Person:
    return house.stranger(tmp_path)
