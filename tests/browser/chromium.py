"""The browser that the tests and the pictures look with: the Chromium of this machine."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

_SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic"]
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first is the same browser without its windows: it shows the same pages at half of the trouble."""


def found_chromium() -> str | None:
    """Where it is; None on a machine without it."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def open_chromium(where: str) -> Iterator[Browser]:
    """The browser, running."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=_SWITCHES)
        yield browser
        browser.close()
