"""The rules, with figures that the game's own renderer draws."""

import re
from xml.etree import ElementTree

from service.engine.marrakech.board import read_square
from service.engine.marrakech.game import MARRAKECH
from service.office import Office
from service.routes.rules import FIGURES
from tests.service.browsers import Browser


def test_the_rules_tell_both_variants_and_show_every_figure(office: Office) -> None:
    browser = Browser(office)
    page = browser.get("/rules")
    shown = set(re.findall(r'src="/rules/(\w+)\.svg"', page))
    assert shown | {"market"} == set(FIGURES)
    assert "Send Assam" in page
    assert "turn at the end" in page
    assert all(f'alt="{alt}"' for alt in re.findall(r'alt="([^"]*)"', page))


def test_the_figures_are_sound_pictures_that_may_be_kept(office: Office) -> None:
    client = Browser(office).client
    for figure in FIGURES:
        answer = client.get(f"/rules/{figure}.svg")
        assert answer.mimetype == "image/svg+xml"
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        ElementTree.fromstring(answer.text)  # noqa: S314 - our own drawing
    assert client.get("/rules/no-such.svg").status_code == 404


def test_the_figures_show_what_the_rules_allow(office: Office) -> None:
    """The walk over the edge and the places for a rug are those of the engine."""
    from service.engine.marrakech.board import WALKS
    from service.routes.rules import _FREE

    walk = WALKS[read_square("f6")]["east"][3]
    assert [read_square(name) for name in ("g6", "g5", "f5")] == list(walk.path)
    near = {"d6", "e5", "c5", "d4"}
    assert all(near & set(place) and "d5" not in place for place in _FREE)
    assert MARRAKECH.name == "marrakech"
