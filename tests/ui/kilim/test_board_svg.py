"""The SVG pictures of carpets: complete, small, quick and safe, and they show what the view contains."""

import itertools
import re
from gettext import NullTranslations
from xml.etree import ElementTree as ET

import pytest

from service.engine.json_reader import Json
from service.engine.kilim.carpet import NAMES as SQUARE_NAMES
from service.ui.kilim.board_svg import board_svg, carpet_svg, piece_svg
from service.ui.kilim.carpets import find_groups, read_dominoes
from service.ui.kilim.figures import EXAMPLES, draw_example, example_carpet, lay_carpet
from tests.support.pace import seconds
from tests.ui.kilim.positions import HOSTILE, PATCHED, examples, play, played, seen_by, weaving

SVG = "{http://www.w3.org/2000/svg}"
ENGLISH = NullTranslations()
QUICK = 0.05


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - the picture is our own


def with_carpet(carpet: Json, **changes: object) -> Json:
    """A view at the start of a game, in which the first seat has this carpet."""
    view = seen_by(played(3, 0), None)
    first, *others = view["seats"]
    return {**view, "seats": [{**first, "carpet": carpet, **changes}, *others]}


def marked_places(picture: ET.Element) -> list[str]:
    return [
        place
        for mark in picture.iter(f"{SVG}g")
        if mark.get("class") == "place"
        for place in mark.attrib["data-places"].split()
    ]


def of_class(picture: ET.Element, name: str) -> list[ET.Element]:
    return [group for group in picture.iter(f"{SVG}g") if group.get("class") == name]


def all_pictures() -> list[str]:
    end, patched = seen_by(played(5), None), with_carpet(PATCHED)
    pictures = [board_svg(end, ENGLISH), board_svg(patched, ENGLISH), board_svg(patched, ENGLISH, 0, groups=True)]
    pictures += [board_svg(weaving(), ENGLISH, weaving()["you"]), board_svg(seen_by(played(2, 0), 0), ENGLISH, 1)]
    return pictures + [draw_example(points, "An example", "Its words") for points in EXAMPLES]


@pytest.mark.parametrize("number", range(7))
def test_a_picture_is_complete_by_itself(number: int) -> None:
    svg = all_pictures()[number]
    picture = drawn(svg)
    ids = [element.attrib["id"] for element in picture.iter() if "id" in element.attrib]
    links = [use.attrib["href"] for use in picture.iter(f"{SVG}use")]
    assert len(ids) == len(set(ids))
    assert links
    assert {link[1:] for link in links} <= set(ids)
    assert picture.attrib["role"] == "img"
    assert set(picture.attrib["aria-labelledby"].split()) <= set(ids)
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"<(script|style|image|foreignObject|animate)|\bon\w+=|url\(|javascript:", svg)
    assert len(svg) < 60_000


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_pictures_can_be_drawn_at_every_moment_of_a_game(seats: int) -> None:
    for state in itertools.islice(play(seats), 0, None, 9):
        for seat in (None, *range(seats)):
            view = seen_by(state, seat)
            picture = drawn(board_svg(view, ENGLISH, seat))
            expected = view["seats"] if seat is None else [view["seats"][seat]]
            laid = [cell["domino"] for shown in expected for cell in shown["carpet"].values() if cell["domino"]]
            named = [group.attrib["data-domino"] for group in of_class(picture, "domino")]
            owed = [] if seat is None else [*expected[0]["owes"]["weave"], *expected[0]["perfect"]]
            assert sorted(named) == sorted([*set(laid), *view["offer"], *owed])


def test_names_and_points_of_everybody_are_shown() -> None:
    view = seen_by(played(5), None)
    picture = drawn(board_svg(view, ENGLISH))
    assert [text.text for text in picture.iter(f"{SVG}text")] == ["Ann", "Bo", "Cleo", "Dan", "Eve"]
    assert len(of_class(picture, "points")) == 5
    assert [group.attrib["data-seat"] for group in of_class(picture, "seat")] == list("01234")


def test_title_and_words_are_what_the_caller_says() -> None:
    picture = drawn(board_svg(with_carpet({}), ENGLISH, 0, title="Ann & Bo", words="Nothing < something"))
    assert picture.findtext(f"{SVG}title") == "Ann & Bo"
    assert picture.findtext(f"{SVG}desc") == "Nothing < something"
    assert drawn(board_svg(with_carpet({}), ENGLISH)).findtext(f"{SVG}title") == "Weaving day"


def test_hostile_names_are_only_text() -> None:
    view = {**seen_by(played(2, 0), None, [HOSTILE, HOSTILE]), "name": HOSTILE}
    for svg in (board_svg(view, ENGLISH), board_svg(view, ENGLISH, 1)):
        assert "<script" not in svg
        assert "\u202e" not in svg
        assert drawn(svg).tag == f"{SVG}svg"
        svg.encode()


def test_a_player_without_a_name_is_a_number() -> None:
    view = seen_by(played(2, 0), None, ["", "\u200b"])
    assert [text.text for text in drawn(board_svg(view, ENGLISH)).iter(f"{SVG}text")] == ["1", "2"]


def test_squares_run_from_left_to_right_on_pages_that_do_not() -> None:
    picture = drawn(board_svg(seen_by(played(2, 0), None, ["ليلى", "דנה"]), ENGLISH))
    assert picture.attrib["direction"] == "ltr"
    assert {text.attrib["unicode-bidi"] for text in picture.iter(f"{SVG}text")} == {"plaintext"}


# Places


@pytest.mark.parametrize("seats", [2, 4])
def test_exactly_the_legal_places_are_marked(seats: int) -> None:
    found = 0
    for state in play(seats):
        for seat, own in enumerate(state.seats):
            if not own.owes_weave and not own.perfect:
                continue
            view = seen_by(state, seat)
            legal = {"-".join(action["squares"]) for action in view["legal"] if action["type"] == "weave"}
            marked = marked_places(drawn(board_svg(view, ENGLISH, seat)))
            assert len(marked) == len(set(marked))
            assert set(marked) == legal
            found += 1
    assert found > 5


def test_places_are_marked_on_the_own_carpet_only() -> None:
    view = weaving()
    other = (view["you"] + 1) % 4
    assert marked_places(drawn(board_svg(view, ENGLISH, view["you"])))
    assert not marked_places(drawn(board_svg(view, ENGLISH, other)))
    assert not marked_places(drawn(board_svg(view, ENGLISH)))


# One carpet


def named_squares(svg: str) -> set[str]:
    (layer,) = of_class(drawn(svg), "squares")
    return {path.attrib["data-square"] for path in layer}


def test_a_large_carpet_has_a_margin_of_two_squares() -> None:
    squares = named_squares(board_svg(with_carpet(lay_carpet([("BE1", "m13-n13")])), ENGLISH, 0))
    assert squares == {f"{column}{row}" for column in "klmnop" for row in range(11, 16)}


def test_the_margin_ends_at_the_edge_of_the_loom() -> None:
    carpet = lay_carpet([("BE1", "a1-b1"), ("HS1", "y25-y24")])
    assert named_squares(board_svg(with_carpet(carpet), ENGLISH, 0)) == set(SQUARE_NAMES)


def test_an_empty_carpet_shows_where_the_first_domino_goes() -> None:
    assert {"m13", "n13"} < named_squares(board_svg(with_carpet({}), ENGLISH, 0))


def test_the_halves_of_a_domino_are_known_under_scraps() -> None:
    shown = {domino.name: dict(zip(domino.squares, domino.shows, strict=True)) for domino in read_dominoes(PATCHED)}
    assert shown["SX"] == {"m13": "star", "n13": "torn"}
    assert shown["BH2"] == {"l13": "bird", "l14": "horn"}
    assert shown["OO1"] == {"l15": "blank", "l16": "blank"}


def test_scraps_are_sewn_over_what_they_cover() -> None:
    picture = drawn(board_svg(with_carpet(PATCHED), ENGLISH, 0))
    sewn = [group for group in picture.iter(f"{SVG}g") if "data-square" in group.attrib]
    scraps = {group.attrib["data-square"]: group[0].attrib["data-scrap"] for group in sewn}
    assert scraps == {"n13": "star", "n14": "tree", "l13": "eye"}
    order = [group.get("class") for group in picture.iter(f"{SVG}g") if group.get("class") in {"domino", "scrap"}]
    in_carpet = order[: order.index("scrap")]
    assert in_carpet.count("domino") == len(read_dominoes(PATCHED))


def test_dominoes_on_offer_and_to_weave_are_shown_apart() -> None:
    view = {**with_carpet({}, owes={"weave": ["BE1"], "keep": False, "take": False}, perfect=["OO1"])}
    view["offer"] = ["HH1", "TX"]
    picture = drawn(board_svg(view, ENGLISH, 0))
    shown = {
        kind: [
            domino.attrib["data-domino"] for group in of_class(picture, kind) for domino in of_class(group, "domino")
        ]
        for kind in ("offer", "owed")
    }
    assert shown == {"offer": ["HH1", "TX"], "owed": ["BE1", "OO1"]}


def test_many_dominoes_on_offer_stay_inside_the_picture() -> None:
    view = {**with_carpet(lay_carpet([("BE1", "m13-n13")])), "offer": [f"{pair}1" for pair in ("BB", "EE", "HH")] * 5}
    for seat in (None, 0):
        picture = drawn(board_svg(view, ENGLISH, seat))
        width = float(picture.attrib["viewBox"].split()[2])
        moves = [re.match(r"translate\(([\d.]+)", group.attrib["transform"]) for group in of_class(picture, "offer")]
        assert len(moves) == 15
        assert all(move and float(move[1]) + 36 + 80 <= width for move in moves)


def test_the_carpet_of_a_player_who_is_out_is_faded() -> None:
    view = with_carpet(PATCHED, out=True)
    faded = [group.get("opacity") for group in of_class(drawn(board_svg(view, ENGLISH)), "carpet")]
    assert faded == [".4", None, None]


@pytest.mark.parametrize("piece", ["BE1", "TX", "OO2", "star"])
def test_a_piece_can_be_drawn_alone(piece: str) -> None:
    picture = drawn(piece_svg(piece, "A piece", ids="piece"))
    shown = [group.get("data-domino") or group.get("data-scrap") for group in picture.iter(f"{SVG}g")]
    assert [name for name in shown if name] == [piece]
    assert picture.findtext(f"{SVG}title") == "A piece"


# Groups


def test_the_examples_of_the_rules_are_the_carpets_of_the_specification() -> None:
    assert examples() == [(example_carpet(points), points) for points in EXAMPLES]


@pytest.mark.parametrize(("points", "groups"), [(32, 13), (41, 16)])
def test_the_groups_of_the_examples_are_outlined_with_their_points(points: int, groups: int) -> None:
    outlined = [group.attrib["data-squares"].split() for group in of_class(drawn(draw_example(points, "")), "group")]
    assert outlined == find_groups(example_carpet(points))
    assert sum(len(squares) - 1 for squares in outlined) == groups


def test_groups_are_outlined_at_the_end_or_on_request() -> None:
    end, before = seen_by(played(3), None), seen_by(played(3, 150), None)
    assert of_class(drawn(board_svg(end, ENGLISH)), "group")
    assert not of_class(drawn(board_svg(end, ENGLISH, groups=False)), "group")
    assert not of_class(drawn(board_svg(before, ENGLISH)), "group")
    assert of_class(drawn(board_svg(before, ENGLISH, groups=True)), "group")


def test_two_pictures_on_one_page_share_no_ids() -> None:
    one, other = (
        {element.get("id") for element in drawn(carpet_svg(PATCHED, "", ids=ids)).iter()} - {None} for ids in "ab"
    )
    assert not one & other


@pytest.mark.parametrize("seat", [None, 0])
def test_drawing_is_quick(seat: int | None) -> None:
    view = seen_by(played(5), 0)
    assert seconds(lambda: board_svg(view, ENGLISH, seat), QUICK) < QUICK
