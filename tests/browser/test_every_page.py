"""Every page is accessible, fits a phone, can be mirrored for right-to-left languages, and prints well."""

from collections.abc import Iterator
from typing import Any

import html5lib
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from service.db.models import Player
from tests.browser.gallery import SHOTS, Shot, open_gallery, visited
from tests.browser.scenes import Scene

BY_NAME = {shot.name: shot for shot in SHOTS}
LOOKED_AT_ELSEWHERE = {
    *("home", "my-games", "sign-in", "new-table", "waiting", "join", "rules", "settings", "host", "problem-404"),
    *("onlooker", "direction", "placement", "replay", "over"),
}
"""The tests of the home page and of the table check these in more than one state."""
LEAVING = {"given-back", "called-off", "farewell"}
"""What is done there changes the scene."""


@pytest.fixture(scope="module")
def scene(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with open_gallery(tmp_path_factory.mktemp("gallery")) as opened:
        yield opened


def grave(page: Page, options: dict[str, Any] | None = None) -> list[Any]:
    found = Axe().run(page, options=options).response["violations"]
    serious = [each for each in found if each["impact"] in {"serious", "critical"}]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in serious]


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize("shot", [shot for shot in SHOTS if shot.name not in LOOKED_AT_ELSEWHERE], ids=lambda s: s.name)
def test_a_page_is_sound_on_a_phone_in_light_and_dark(chromium: Browser, scene: Scene, shot: Shot) -> None:
    with visited(chromium, scene, shot, "-phone") as page:
        assert fits(page)
        assert grave(page) == []
        page.emulate_media(color_scheme="dark")
        assert grave(page, {"runOnly": ["color-contrast"]}) == []
        assert page.locator("time:not([datetime])").count() == 0
        if shot.name not in LEAVING:
            html5lib.HTMLParser(strict=True).parse(page.request.get(page.url, headers={"Accept": "text/html"}).text())


ALSO_TURNED = {"analysis", "group", "unsubscribe", "mailbox", "problem-410"}


@pytest.mark.parametrize("name", sorted(LOOKED_AT_ELSEWHERE | ALSO_TURNED))
def test_a_page_turns_round_for_languages_that_are_written_from_the_right(
    chromium: Browser, scene: Scene, name: str
) -> None:
    with visited(chromium, scene, BY_NAME[name], "-phone") as page:
        page.evaluate("document.documentElement.dir = 'rtl'")
        assert fits(page)
        brand, whole = page.locator("nav.site .brand").bounding_box(), page.locator("nav.site").bounding_box()
        assert brand
        assert whole
        assert brand["x"] + brand["width"] > whole["width"] * 0.9
        for drawing in page.locator("main svg[viewBox]").all():
            assert drawing.evaluate("(each) => getComputedStyle(each).direction") == "ltr"
        if page.locator("#board").count():
            assert page.evaluate("document.querySelector('#board svg').getScreenCTM().a > 0")  # a is on the left


def test_the_words_of_a_plot_stay_where_they_were_drawn(chromium: Browser, scene: Scene) -> None:
    with visited(chromium, scene, BY_NAME["over"]) as page:
        places = "[...document.querySelectorAll('.plot text')].map((each) => each.getBBox().x)"
        before = page.evaluate(places)
        page.evaluate("document.documentElement.dir = 'rtl'")
        assert page.evaluate(places) == before
        assert len(before) > 10


def test_the_words_of_a_plot_can_be_read_by_night(chromium: Browser, scene: Scene) -> None:
    with visited(chromium, scene, BY_NAME["over"], "-dark") as page:
        inks = "[...document.querySelectorAll('.plot text')].map((each) => getComputedStyle(each).fill)"
        by_night = page.evaluate(inks)
        page.emulate_media(color_scheme="light")
        by_day = page.evaluate(inks)
        assert by_night == by_day  # the plot brings its own paper


def test_a_table_is_printed_with_its_board_and_log_and_without_buttons(chromium: Browser, scene: Scene) -> None:
    with visited(chromium, scene, BY_NAME["direction"], "-print") as page:
        for kept in ("#board svg", "#standings table", "#log li", ".lines li"):
            expect(page.locator(kept).first).to_be_visible()
        for hidden in ("nav.site", "footer.site", "button", "form", "textarea", "#pointing", "#leave"):
            assert [each for each in page.locator(hidden).all() if each.is_visible()] == [], hidden
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        board = page.locator("#board svg").bounding_box()
        assert board
        assert board["width"] <= 455  # 12 centimetres
        inks = page.locator(".chip").evaluate_all("(all) => all.map((each) => getComputedStyle(each).printColorAdjust)")
        assert set(inks) == {"exact"}  # or their white words would be printed on nothing
    with visited(chromium, scene, BY_NAME["direction"], "-dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert grave(page, {"runOnly": ["color-contrast"]}) == []


@pytest.mark.parametrize("name", ["over", "replay", "rules", "home"])
def test_other_pages_are_printed_without_the_way_about(chromium: Browser, scene: Scene, name: str) -> None:
    with visited(chromium, scene, BY_NAME[name], "-print") as page:
        for hidden in ("nav.site", "footer.site", "button", ".button"):
            assert [each for each in page.locator(hidden).all() if each.is_visible()] == [], hidden
        expect(page.locator("main h1, header h1").first).to_be_visible()


def test_french_words_fit_on_a_phone(chromium: Browser, scene: Scene) -> None:
    for shot in SHOTS:
        if shot.name in {"direction", "turning", "over", "settings", "group"}:
            with visited(chromium, scene, shot._replace(do=None), "-fr") as page:
                assert page.locator("html").get_attribute("lang") == "fr"
                assert fits(page), shot.name
    Player.update(language="en").execute(scene.server.ctx.database)


def test_the_heaviest_pages_weigh_little(chromium: Browser, scene: Scene) -> None:
    """A game of 48 turns, its replay and its end: all that comes with them counts as it is, not as it is packed."""
    entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    assert scene.tables["over"].turn >= 48
    for name in ("over", "replay", "analysis", "direction"):
        with visited(chromium, scene, BY_NAME[name]) as page:
            page.wait_for_load_state("networkidle")
            sizes = page.evaluate(f"{entries}.map((each) => each.decodedBodySize)")
            assert len(sizes) >= 4
            assert 10_000 < sum(sizes) < 150_000, name


def test_the_site_can_be_installed(chromium: Browser, scene: Scene) -> None:
    with visited(chromium, scene, BY_NAME["home"]) as page:
        found = page.context.new_cdp_session(page).send("Page.getAppManifest")
        assert found["errors"] == []
        manifest = page.request.get(found["url"])
        assert manifest.headers["content-type"].startswith("application/manifest+json")
        icons = {icon["sizes"]: page.request.get(icon["src"]) for icon in manifest.json()["icons"]}
        assert {"192x192", "512x512", "any"} == set(icons)
        assert all(icon.ok for icon in icons.values())
