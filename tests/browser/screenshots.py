"""`make screenshots`: a picture of every page, by day, by night and on a phone, written to docs/screenshots."""

import io
import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.chromium import found_chromium, open_chromium
from tests.browser.gallery import SHOTS, Shot, open_gallery, visited
from tests.browser.scenes import Scene

FOLDER: Final = Path(__file__).parents[2] / "docs" / "screenshots"
MOST_BYTES: Final = 3 * 1024 * 1024
"""All of the pictures together."""
_COLOURS: Final = 40
_TABLES: Final = {"game.html", "replay.html", "analysis.html"}
"""Pages made to fit a screen: their pictures show what a player sees without scrolling, others the whole page."""


def main() -> None:
    """Take every picture anew, and throw away those of pages that are no more."""
    found = found_chromium()
    if found is None:
        sys.exit("Chromium was not found; install it to take pictures of the pages.")
    logging.disable(logging.CRITICAL)  # nobody wants to read every request
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = {file for shot in SHOTS for file in shot.files}
    for old in FOLDER.glob("*.png"):
        if old.name not in wanted:
            old.unlink()
    with open_chromium(found) as browser:
        for name, png in pictures(browser):
            (FOLDER / name).write_bytes(png)
    size = sum(file.stat().st_size for file in FOLDER.glob("*.png"))
    sys.stdout.write(f"{len(wanted)} pictures, {size / 1024:.0f} KB\n")


def pictures(browser: Browser) -> Iterator[tuple[str, bytes]]:
    """Every picture with its name."""
    with tempfile.TemporaryDirectory(prefix="marrakech-pictures-") as folder, open_gallery(Path(folder)) as scene:
        for shot in SHOTS:
            for look in shot.looks:
                yield f"{shot.name}{look}.png", _reduced(_taken(browser, scene, shot, look))


def _taken(browser: Browser, scene: Scene, shot: Shot, look: str) -> bytes:
    with visited(browser, scene, shot, look) as page:
        whole = shot.template not in _TABLES or look == "-print"
        if whole:
            for picture in page.locator("img[loading=lazy]").all():
                picture.scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        if whole:
            _stand_back(page)
        return page.screenshot(full_page=whole, animations="disabled", caret="hide")


def _stand_back(page: Page) -> None:
    """See the page whole: what sticks to the window's edge must not lie over the middle of it."""
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": page.evaluate("innerWidth"), "height": height})
    page.evaluate("scrollTo(0, 0); document.activeElement?.blur()")


def _reduced(png: bytes) -> bytes:
    """The picture in few colours, so that the repository stays light."""
    few = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    # Every colour of the motifs, also the rare ones.
    method = Image.Quantize.MAXCOVERAGE
    picture.quantize(_COLOURS, method, kmeans=5, dither=Image.Dither.NONE).save(few, "PNG", optimize=True)
    return few.getvalue()


if __name__ == "__main__":
    main()
