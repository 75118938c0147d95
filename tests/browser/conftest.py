"""What the browser's tests look with and look at: a real Chromium, and a real server with its mailbox page."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.chromium import found_chromium, open_chromium
from tests.browser.server import GameServer, start_server
from tests.support.servers import free_port, serving

HOST_ADDRESS = "host@example.org"
_PATIENCE = 10_000
"""How many milliseconds a page may take; the machines that tests run on are busy ones."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser."""
    found = found_chromium()
    if found is None:
        pytest.skip("Chromium was not found; the browser tests are skipped.")
    with open_chromium(found) as browser:
        yield browser


@pytest.fixture(scope="session")
def site(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server, worker and mailbox page and all."""
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    environ = {
        "MARRAKECH_DATA_DIR": str(folder),
        "MARRAKECH_RATE_LIMITS": "off",
        "MARRAKECH_HOSTS": HOST_ADDRESS,
    }
    with serving(["marrakech-server", "run", "--port", str(port)], port, environ, folder) as address:
        yield address


@pytest.fixture(scope="session")
def server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameServer]:
    """A server into whose books a test can look."""
    with start_server(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def address(request: pytest.FixtureRequest) -> str:
    """Where pages are opened: in the server where the test has one, else at the site."""
    if "server" in request.fixturenames:
        server: GameServer = request.getfixturevalue("server")
        return server.address
    return str(request.getfixturevalue("site"))


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browser's console complained about; a test that expects a complaint clears the list."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture
def page_at(chromium: Browser, address: str, complaints: list[str]) -> Iterator[Callable[..., Page]]:
    """Opens an address of the server in a browser of its own; options are those of a browser context."""
    contexts: list[BrowserContext] = []

    def opened(path: str = "/", **options: Any) -> Page:
        context = chromium.new_context(base_url=address, **{"locale": "en-GB", **options})
        contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
