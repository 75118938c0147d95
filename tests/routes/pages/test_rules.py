"""The rules, with figures that the game's own renderer draws."""

import re
from gettext import NullTranslations
from html import unescape
from xml.etree import ElementTree as ET

from service.context import AppContext
from service.engine.marrakech.board import WALKS, read_square
from service.engine.registry import GAMES
from service.ui.marrakech.figures import PLACES, POSITIONS
from service.ui.registry import game_ui
from tests.support.browsers import Browser


def test_the_rules_tell_both_variants_and_show_every_figure(ctx: AppContext) -> None:
    browser = Browser(ctx)
    page = browser.get("/rules")
    shown = set(re.findall(r'src="/rules/marrakech/(\w+)\.svg\?lang=en"', page))
    assert shown == set(POSITIONS)
    assert "Send Assam" in page
    assert "turn Assam last" in page
    figures = re.findall(r'<img src="/rules/[^>]+>', page)
    assert all(re.search(r' alt="[^"]{20,}"', figure) for figure in figures)


def test_the_figures_are_sound_pictures_that_may_be_kept(ctx: AppContext) -> None:
    client = Browser(ctx).client
    figures = [f"marrakech/{figure}" for figure in POSITIONS]
    for figure in (*figures, *(f"{game}/picture" for game in GAMES)):
        answer = client.get(f"/rules/{figure}.svg")
        assert answer.mimetype == "image/svg+xml"
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        ET.fromstring(answer.text)  # noqa: S314 - our own drawing
    assert client.get("/rules/marrakech/no-such.svg").status_code == 404
    assert client.get("/rules/no-such-game").status_code == 404


def test_the_figures_speak_the_language_of_the_page(ctx: AppContext) -> None:
    page = Browser(ctx, language="fr").get("/rules")
    (figure,) = re.findall(r'src="(/rules/marrakech/track\.svg[^"]*)"', page)
    answer = Browser(ctx).client.get(figure)  # whoever asks: a proxy may keep it
    assert '<title id="board-title">Une partie de Marrakech : Assam en f5, tourné vers l\u2019ouest' in answer.text
    for language in ("xx", "../fr", ""):
        assert "A game of Marrakech" in Browser(ctx).client.get(f"/rules/marrakech/track.svg?lang={language}").text


def test_the_figures_show_what_the_rules_allow(ctx: AppContext) -> None:
    walk = WALKS[read_square("f6")]["east"][3]
    assert [read_square(name) for name in ("g6", "g5", "f5")] == list(walk.path)
    near = {"d6", "e5", "c5", "d4"}
    board = POSITIONS["places"][0]["board"]
    whole = [{square for square in board if board[square]["rug"] == rug} for rug in (1, 2)]
    assert all(near & set(place) and "d5" not in place and set(place) not in whole for place in PLACES)


def test_the_rules_of_every_game_lead_to_those_of_the_others(ctx: AppContext) -> None:
    for path, current in [("/rules", "marrakech"), *((f"/rules/{game}", game) for game in GAMES)]:
        page = Browser(ctx).get(path)
        links = page[page.index('<nav class="pages"') :].partition("</nav>")[0]
        assert re.findall(r'<a href="/rules/(\w+)"', links) == list(GAMES)
        assert re.findall(r'href="/rules/(\w+)" aria-current="page"', page) == [current]
        assert f'href="/new?game={current}"' in page
        for game in GAMES:
            assert game_ui(game).credits(NullTranslations()) in page.partition("<footer")[2]


def test_every_figure_of_kilim_is_drawn_in_its_size_and_described(ctx: AppContext) -> None:
    browser = Browser(ctx)
    page = browser.get("/rules/kilim")
    figures = re.findall(r'<img src="(/rules/kilim/[^"]+)" alt="([^"]+)" width="(\d+)" height="(\d+)"', page)
    assert len(figures) == page.count("<figure>") > 15
    for address, alt, width, height in figures:
        answer = browser.client.get(address)
        assert answer.mimetype == "image/svg+xml"
        picture = ET.fromstring(answer.text)  # noqa: S314 - our own drawing
        assert picture.attrib["viewBox"] == f"0 0 {width} {height}", address
        assert picture[0].text
        assert len(alt) > 15, address
    for name in ("no-such", "carpet-33", "BE4", "motif"):
        assert browser.client.get(f"/rules/kilim/{name}.svg").status_code == 404


def test_the_two_carpets_of_kilim_are_counted_line_by_line(ctx: AppContext) -> None:
    page = unescape(Browser(ctx).get("/rules/kilim"))
    tables = re.findall(r'<table class="counted">(.*?)</table>', page, re.DOTALL)[1:]
    for table, points in zip(tables, ((0, 10, 13, 15, -6, 32), (10, 5, 16, 10, 0, 41)), strict=True):
        written = re.findall(r"<td>(?:<strong>)?([+-]?\d+)<", table.replace("\N{MINUS SIGN}", "-"))
        assert tuple(int(number) for number in written) == points
        assert sum(points[:-1]) == points[-1]


def test_every_game_has_a_picture(ctx: AppContext) -> None:
    for game in GAMES:
        ET.fromstring(Browser(ctx).client.get(f"/rules/{game}/picture.svg").text)  # noqa: S314 - our own drawing
