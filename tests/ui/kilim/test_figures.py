"""The figures of the rules page show what the rules allow, and the examples count what the page says."""

import re
from gettext import NullTranslations
from xml.etree import ElementTree as ET

import pytest

from service.engine.kilim.carpet import SQUARES, Carpet
from service.engine.kilim.pieces import DOMINOES, MOTIFS
from service.ui.kilim.carpets import find_groups
from service.ui.kilim.figures import AUCTION, CARPETS, EXAMPLES, OFFER, draw_figure, example_carpet
from tests.ui.kilim.words_ui import FRENCH

ENGLISH = NullTranslations()
SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str) -> ET.Element:
    svg = draw_figure(name, ENGLISH)
    assert svg is not None
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def dominoes_of(picture: ET.Element) -> list[str]:
    return [group.attrib["data-domino"] for group in picture.iter(f"{SVG}g") if group.get("class") == "domino"]


def test_every_piece_is_a_figure_and_nothing_else_is() -> None:
    for name in (*DOMINOES, *MOTIFS):
        assert drawn(name).findtext(f"{SVG}title") == name
    for name in ("", "BE", "be1", "carpet", "carpet-40", "../auction"):
        assert draw_figure(name, ENGLISH) is None


def test_the_carpets_can_be_laid_as_they_are_shown() -> None:
    for carpet in CARPETS.values():
        laid = Carpet()
        for domino, first, second in carpet.dominoes:
            allowed = laid.shown == {} or laid.can_lie_on((first, second))
            assert allowed, domino
            laid = laid.weave(domino, (first, second))
        for motif, square in carpet.scraps:
            assert square in laid.patch_squares
            laid = laid.patch(motif, square)


@pytest.mark.parametrize("token", ["turn", "move", "remove"])
def test_a_token_does_what_its_figure_shows(token: str) -> None:
    before = CARPETS["before"]
    results = [before.rework(piece, squares) for piece, squares in before.reworks(token)]  # type: ignore[arg-type]
    assert CARPETS[token].shown in [carpet.shown for carpet in results]


def test_every_token_makes_a_rectangle_of_the_same_carpet() -> None:
    assert CARPETS["before"].points.rectangle == 0
    assert [CARPETS[token].points.rectangle for token in ("turn", "move", "remove", "perfect")] == [10] * 4
    frames = {drawn(name).attrib["viewBox"] for name in ("before", "turn", "move", "remove", "perfect")}
    assert len(frames) == 1
    assert "OO1" in dominoes_of(drawn("perfect"))


def test_the_scraps_lie_on_the_torn_half_and_in_the_hole() -> None:
    hole, scraps = CARPETS["hole"], CARPETS["scraps"]
    assert hole.shown[SQUARES["n13"]] == "X"
    assert SQUARES["n14"] not in hole.shown
    assert SQUARES["n14"] in hole.patch_squares
    assert [motif for motif, _ in scraps.scraps] == ["star", "tree"]
    assert (hole.points.rectangle, hole.points.torn) == (0, -3)
    assert (scraps.points.rectangle, scraps.points.torn) == (10, 0)


def test_all_places_for_a_third_domino_are_marked() -> None:
    marks = [group for group in drawn("weaving").iter(f"{SVG}g") if group.get("class") == "place"]
    marked = {place for mark in marks for place in mark.attrib["data-places"].split()}
    carpet = CARPETS["weaving"]
    names = {at: name for name, at in SQUARES.items()}
    assert marked == {f"{names[one]}-{names[other]}" for one, other in carpet.weave_places("ET1")}


def test_equal_gold_is_crossed_out_in_the_auction() -> None:
    picture = drawn("auction")
    cards = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "gold"]
    assert [int(card.attrib["data-gold"]) for card in cards] == list(AUCTION)
    assert [len(list(card.iter(f"{SVG}circle"))) for card in cards] == [3, 3, 2]  # a coin has two, a cross one
    assert dominoes_of(picture) == [OFFER]


def test_the_examples_count_what_the_page_says() -> None:
    for points, largest in zip(EXAMPLES, ({"bird": 6, "horn": 5, "star": 3}, {"eye": 5, "tree": 7}), strict=True):
        carpet = example_carpet(points)
        groups = [(carpet[group[0]]["shows"], len(group)) for group in find_groups(carpet)]
        assert {motif: max(size for shows, size in groups if shows == motif) for motif in largest} == largest
    assert "p14" not in example_carpet(32)


def test_a_carpet_is_described_row_by_row_in_the_reader_s_language() -> None:
    words = drawn("turn").findtext(f"{SVG}desc")
    assert words == "Row 14: m14 bird, n14 bird, o14 horn. Row 13: m13 star, n13 eye, o13 eye."
    french = draw_figure("turn", FRENCH)
    assert french is not None
    assert re.search(r"<desc[^>]*>[^<]*oiseau", french)
