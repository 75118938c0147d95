"""The animation of a game: it shows every position in order, and Assam walks all his paths."""

from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from service.engine.marrakech.board import read_square
from service.engine.match import Match
from service.ui.marrakech.animation import game_svg
from service.ui.marrakech.geometry import middle
from service.ui.marrakech.rugs import visible_rugs
from tests.ui.marrakech.positions import HOSTILE, new_table, played, resigned

SVG = "{http://www.w3.org/2000/svg}"


class Shown(NamedTuple):
    """A piece of the animation with its key times and values."""

    piece: ET.Element
    keys: list[tuple[float, str]]

    def seen_at(self, moment: float) -> bool:
        return [value for at, value in self.keys if at <= moment][-1:] == ["1"]


def animation_of(table: Match) -> ET.Element:
    return ET.fromstring(game_svg(table.record()))  # noqa: S314 - the picture is our own


def keys_of(animation: ET.Element) -> list[tuple[float, str]]:
    times = [float(time) for time in animation.attrib["keyTimes"].split(";")]
    values = animation.attrib["values"].split(";")
    assert times[0] == 0
    assert times == sorted(times)
    assert times[-1] <= 1
    return list(zip(times, values, strict=True))


def shown(picture: ET.Element) -> list[Shown]:
    """All pieces that come or go, and those that are there from the first to the last moment."""
    pieces = []
    for element in picture:
        animation = element.find(f"{SVG}animate")
        pieces.append(Shown(element, [(0.0, "1")] if animation is None else keys_of(animation)))
    return pieces


def rugs_at(picture: ET.Element, moment: float) -> frozenset[tuple[str, str]]:
    return frozenset(
        (use.attrib["data-rug"], use.attrib["transform"])
        for each in shown(picture)
        if each.seen_at(moment)
        for use in each.piece.iter(f"{SVG}use")
        if "data-rug" in use.attrib
    )


def boards(table: Match) -> list[frozenset[tuple[str, str]]]:
    """The different boards of a game, in order."""
    found: list[frozenset[tuple[str, str]]] = []
    for state in table.record().states():
        rugs = visible_rugs(table.rules.view(state, None)["board"])
        board = frozenset((str(rug.number), rug.transform) for rug in rugs)
        if found[-1:] != [board]:
            found.append(board)
    return found


@pytest.mark.parametrize("players", [2, 4])
def test_every_board_of_the_game_comes_once_and_in_order(players: int) -> None:
    table = played(new_table(players), 20)
    picture = animation_of(table)
    moments = sorted({moment for each in shown(picture) for moment, _ in each.keys})
    seen: list[frozenset[tuple[str, str]]] = []
    for moment in moments:
        board = rugs_at(picture, moment)
        if seen[-1:] != [board]:
            seen.append(board)
    assert seen == boards(table)


def test_without_animation_the_last_position_is_visible() -> None:
    table = played(new_table(3), 1000, "medium")
    still = [element for element in animation_of(table) if element.attrib.get("opacity") != "0"]
    rugs = [use for element in still for use in element.iter(f"{SVG}use") if "data-rug" in use.attrib]
    assert frozenset((use.attrib["data-rug"], use.attrib["transform"]) for use in rugs) == boards(table)[-1]
    texts = {text.text for element in still for text in element.iter(f"{SVG}text")}
    view = table.view(None)
    assert {str(seat["total"]) for seat in view["seats"]} <= texts
    assert f"Turn {view['turn']}" in texts
    assert f"Turn {view['turn'] - 1}" not in texts


def test_assam_comes_to_every_square_of_his_paths_in_order() -> None:
    table = played(new_table(4), 25)
    walks = [event for entry in table.entries if "path" in (event := table.rules.events.write(entry.event))]
    squares = [str(middle(read_square(name))) for walk in walks for name in walk["path"]]
    picture = animation_of(table)
    group = next(each for each in picture if each.find(f"{SVG}animateTransform") is not None)
    animation = group.find(f"{SVG}animateTransform")
    assert animation is not None
    spots = iter(value for _, value in keys_of(animation))
    assert len(squares) > 40
    assert all(square in spots for square in squares)
    at = middle(read_square(table.view(None)["assam"]["at"]))
    assert group.attrib["transform"] == f"translate({at})"


def test_a_payment_is_shown_only_for_a_while() -> None:
    picture = animation_of(played(new_table(4), 25))
    cords = [each for each in shown(picture) if each.piece.find(f"{SVG}g[@class='payment']") is not None]
    assert cords
    assert all(each.keys[0] == (0.0, "0") and each.keys[-1][1] == "0" for each in cords)


def test_all_animations_have_the_same_duration() -> None:
    svg = game_svg(played(new_table(4), 10).record())
    picture = ET.fromstring(svg)  # noqa: S314 - the picture is our own
    animations = [each for each in picture.iter() if each.tag.startswith(f"{SVG}animate")]
    assert len({each.attrib["dur"] for each in animations}) == 1
    assert {each.attrib["repeatCount"] for each in animations} == {"indefinite"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_game_is_small(players: int) -> None:
    assert len(game_svg(played(new_table(players), 1000).record()).encode()) < 300_000


def test_a_game_that_has_only_begun_and_one_that_was_resigned_can_be_animated() -> None:
    assert boards(new_table(2)) == [frozenset()]
    assert rugs_at(animation_of(new_table(2)), 0) == frozenset()
    words = ET.tostring(animation_of(resigned(played(new_table(3), 9), 1)), encoding="unicode")
    assert "rug-blue-neutral" in words
    assert ">out</" in words


def test_names_are_text_and_nothing_comes_from_outside() -> None:
    table = played(new_table(2, (HOSTILE, "Bob")), 3)
    picture = animation_of(table._replace(heading=table.heading._replace(name=HOSTILE)))
    assert not [element for element in picture.iter() if element.tag in {f"{SVG}script", f"{SVG}image", f"{SVG}style"}]
    assert (picture.findtext(f"{SVG}title") or "").startswith("</title><script>")
    assert "</title><script>alert(.." in {text.text for text in picture.iter(f"{SVG}text")}
