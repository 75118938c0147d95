"""The SVG board: complete, small, quick and safe, and it shows what the view contains."""

import itertools
import json
import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, NAMES, SQUARES, STRIDE, TRACKS, read_square
from service.ui.marrakech.board_svg import board_svg, squares_paid
from service.ui.marrakech.geometry import middle
from tests.support.pace import seconds
from tests.ui.marrakech.positions import HOSTILE, laid, new_table, played, resigned, rug, standing

SVG = "{http://www.w3.org/2000/svg}"
FULL_BOARD = [[NAMES[one], NAMES[one + 1]] for one in SQUARES if one + 1 in NAMES]


def drawn(view: Json, places: Sequence[Sequence[str]] = ()) -> ET.Element:
    return ET.fromstring(board_svg(view, places))  # noqa: S314 - the picture is our own


def rugs(picture: ET.Element) -> dict[str, ET.Element]:
    return {use.attrib["data-rug"]: use for use in picture.iter(f"{SVG}use") if "data-rug" in use.attrib}


def shape(picture: ET.Element, number: int) -> str:
    return rugs(picture)[str(number)].attrib["href"]


def text(picture: ET.Element, name: str) -> str:
    return picture.findtext(f"{SVG}{name}") or ""


def covered_by(use: ET.Element) -> set[str]:
    """The squares on which a rug is drawn."""
    move = re.fullmatch(r"translate\((\d+) (\d+)\)(?:rotate\((-?\d+)\))?", use.attrib["transform"])
    assert move
    x, y, turn = int(move[1]), int(move[2]), int(move[3] or 0)
    points = {(x, y)}
    if use.attrib["href"].endswith("-whole"):
        ahead = {0: (40, 0), 90: (0, 40), 180: (-40, 0), -90: (0, -40)}[turn]
        points.add((x + ahead[0], y + ahead[1]))
    return {NAMES[square] for square in SQUARES if middle(square) in points}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_half_that_shows_is_drawn_where_it_lies_and_no_other(players: int) -> None:
    view = played(new_table(players)).view(None)
    lying: dict[str, set[str]] = {}
    for square, top in view["board"].items():
        lying.setdefault(str(top["rug"]), set()).add(square)
    assert {number: covered_by(use) for number, use in rugs(drawn(view)).items()} == lying


def test_every_reference_leads_to_something_in_the_picture() -> None:
    svg = board_svg(resigned(played(new_table(), 30), 1).view(None))
    wanted = set(re.findall(r'(?:href="|url\()#([\w-]+)', svg))
    found = re.findall(r' id="([\w-]+)"', svg)
    assert len(found) == len(set(found))
    assert set(found) - wanted == {"assam", "board-title", "board-words"}
    assert wanted <= set(found)


def test_a_whole_rug_is_one_piece_and_a_half_covered_one_is_not() -> None:
    whole = drawn(laid(c3=rug(1, "red"), d3=rug(1, "red")))
    half = drawn(laid(c3=rug(1, "red"), d3=rug(2, "red"), d4=rug(2, "red")))
    assert shape(whole, 1) == "#rug-red-whole"
    assert shape(half, 1) == "#rug-red-half"
    assert shape(half, 2) == "#rug-red-whole"


def test_a_whole_rug_has_two_fringes_a_half_one_and_a_patch_none() -> None:
    board = laid(c3=rug(3, "red"), d3=rug(3, "red"), c4=rug(2, "red"), g7=rug(1, "red"))
    pieces = {piece.attrib["id"]: piece for piece in drawn(board).iter(f"{SVG}g") if "id" in piece.attrib}
    fringes = {
        name: sum(path.attrib["d"].count("M") for path in piece.findall(f"{SVG}path[@class='fringe']"))
        for name, piece in pieces.items()
        if name.startswith("rug-")
    }
    assert fringes == {"rug-red-whole": 2, "rug-red-half": 1, "rug-red-patch": 0}


@pytest.mark.parametrize(("cover", "turn"), [("d5", "-90"), ("e4", None), ("d3", "90"), ("c4", "180")])
def test_the_covered_end_goes_under_the_later_rug(cover: str, turn: str | None) -> None:
    use = rugs(drawn(laid(d4=rug(1, "blue"), **{cover: rug(2, "red")})))["1"]
    move = "translate(140 140)" + (f"rotate({turn})" if turn else "")
    assert (use.attrib["href"], use.attrib["transform"]) == ("#rug-blue-half", move)


def test_an_earlier_rug_covers_nothing() -> None:
    assert shape(drawn(laid(d4=rug(2, "blue"), d5=rug(1, "red"))), 2) == "#rug-blue-patch"


def test_between_several_newer_rugs_the_covered_half_is_left_open() -> None:
    board = laid(d4=rug(1, "blue"), d5=rug(2, "red"), e4=rug(3, "red"))
    assert shape(drawn(board), 1) == "#rug-blue-patch"


def test_a_rug_does_not_go_on_along_a_track() -> None:
    use = rugs(drawn(laid(a7=rug(1, "blue"), b7=rug(2, "red"))))["1"]
    assert (use.attrib["href"], use.attrib["transform"]) == ("#rug-blue-half", "translate(20 20)")


def test_later_rugs_are_drawn_over_earlier_ones() -> None:
    numbers = [int(number) for number in rugs(drawn(played(new_table()).view(None)))]
    assert len(numbers) > 12
    assert numbers == sorted(numbers)


def test_the_order_of_the_squares_in_the_view_does_not_matter() -> None:
    view = played(new_table(), 30).view(None)
    turned = view | {"board": dict(reversed(view["board"].items()))}
    assert board_svg(turned) == board_svg(view)


def test_neutral_rugs_keep_their_weave_and_lose_their_colour() -> None:
    alive = {pattern.attrib["id"]: pattern for pattern in drawn(laid(c3=rug(1, "green"))).iter(f"{SVG}pattern")}
    gone = {pattern.attrib["id"]: pattern for pattern in drawn(laid(c3=rug(1, "green", True))).iter(f"{SVG}pattern")}
    colour, grey = list(alive["rug-green"]), list(gone["rug-green-neutral"])
    assert [path.attrib["d"] for path in colour] == [path.attrib["d"] for path in grey]
    assert all(one.attrib["fill"] != other.attrib["fill"] for one, other in zip(colour[:3], grey[:3], strict=True))


def test_the_rugs_of_a_player_who_resigned_are_neutral() -> None:
    before = played(new_table(), 20)
    kinds = {use.attrib["href"].rpartition("-")[0] for use in rugs(drawn(resigned(before, 3).view(None))).values()}
    assert {"#rug-red", "#rug-blue", "#rug-yellow", "#rug-green-neutral"} == kinds


@pytest.mark.parametrize(("facing", "turn"), [("north", -90), ("east", 0), ("south", 90), ("west", 180)])
@pytest.mark.parametrize("at", ["d4", "a1", "g7", "a7", "g1"])
def test_assam_stands_on_his_square_and_faces_his_direction(at: str, facing: str, turn: int) -> None:
    assam = drawn(standing(at, facing)).find(f"{SVG}g[@class='assam']")
    assert assam is not None
    assert assam.attrib["transform"] == f"translate({middle(read_square(at))})rotate({turn})"


def test_ranks_go_up_and_files_to_the_right() -> None:
    assert middle(read_square("a7")) == (20, 20)
    assert middle(read_square("g1")) == (260, 260)


def way(view: Json) -> str:
    group = drawn(view).find(f"{SVG}g[@class='way']")
    assert group is not None
    line = group.find(f"{SVG}g/{SVG}path")
    return "" if line is None else line.attrib["d"]


def test_the_last_path_is_a_line_from_the_square_that_assam_left() -> None:
    assert way(standing("d6", "north", "d5", "d6")) == "M140 140L140 100L140 60"


def test_the_last_path_follows_the_tracks() -> None:
    over_the_edge = way(standing("g1", "west", "g2", "g1"))
    assert over_the_edge == "M220 220L260 220L292 220A20 20 0 0 1 292 260L260 260"
    round_the_corner = way(standing("g7", "west", "g7"))
    assert round_the_corner == "M260 20L260 -12A25 25 0 1 1 292 20L260 20"
    and_back = way(standing("g7", "south", "g7"))
    assert and_back == "M260 20L292 20A25 25 0 1 0 260 -12L260 20"


def test_a_path_that_does_not_fit_assams_direction_has_dots_only() -> None:
    view = standing("d6", "east", "d5", "d6")
    assert way(view) == ""
    dots = drawn(view).findall(f"{SVG}g[@class='way']/{SVG}circle")
    assert [dot.attrib["r"] for dot in dots] == ["4", "4"]


def test_without_a_roll_or_before_the_walk_there_is_no_path() -> None:
    assert 'class="way"' not in board_svg(standing("d4", "north"))
    assert 'class="way"' not in board_svg(standing("d4", "north") | {"last_roll": {"die": 2, "roll": 0, "path": []}})


def test_each_track_is_drawn_once() -> None:
    mosaic = next(path for path in drawn(laid()).iter(f"{SVG}path") if "A20" in path.attrib["d"])
    loops = mosaic.attrib["d"].split("M")[1:]
    assert len(loops) == len(set(loops)) == len(TRACKS) // 2
    assert sum("A25 25 0 1 1" in loop for loop in loops) == 2


def test_the_doors_are_labelled_with_the_files_and_ranks_behind_them() -> None:
    doors = drawn(laid()).findall(f"{SVG}g[@class='doors']/{SVG}g[@class='door']")
    circles = [(door.attrib["data-label"], door.find(f"{SVG}circle")) for door in doors]
    assert all(len(door.findall(f"{SVG}path")) == 1 for door in doors)
    points = {(label, at.attrib["cx"], at.attrib["cy"]) for label, at in circles if at is not None}
    files = {(file, str(20 + 40 * place), y) for place, file in enumerate("abcdefg") for y in ("-12", "292")}
    ranks = {(rank, x, str(20 + 40 * place)) for place, rank in enumerate("7654321") for x in ("-12", "292")}
    assert points == files | ranks


def test_numbered_places_lie_over_the_edge_between_their_squares() -> None:
    picture = drawn(laid(), [["d5", "e5"], ["c3", "c4"]])
    badges = {badge.attrib["data-number"]: badge for badge in picture.findall(f"{SVG}g[@class='place']")}
    assert list(badges) == ["1", "2"]
    boxes = {number: _box(badge) for number, badge in badges.items()}
    assert boxes == {"1": (160, 100, 24, 17), "2": (100, 160, 17, 24)}


def _box(badge: ET.Element) -> tuple[float, float, float, float]:
    rect = badge.find(f"{SVG}g[@class='badge']/{SVG}rect")
    assert rect is not None
    x, y, width, height = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2, width, height


def test_all_numbers_are_written_differently() -> None:
    picture = drawn(laid(), [["d5", "e5"]] * 42)
    written = [
        tuple(stroke.attrib["d"] for stroke in badge.findall(f"{SVG}g[@class='badge']/{SVG}path"))
        for badge in picture.findall(f"{SVG}g[@class='place']")
    ]
    assert len(set(written)) == 42


def test_without_places_there_are_no_badges() -> None:
    assert 'class="place"' not in board_svg(laid())


def test_a_place_shows_the_next_rug_there_once_a_stylesheet_says_so() -> None:
    view = laid() | {"to_act": [1]}
    east, north = drawn(view, [["d5", "e5"], ["c3", "c4"]]).findall(f"{SVG}g[@class='place']")
    ghosts = [place.find(f"{SVG}use[@class='ghost']") for place in (east, north)]
    assert [(ghost.attrib["href"], ghost.attrib["transform"]) for ghost in ghosts if ghost is not None] == [
        ("#rug-blue-whole", "translate(140 100)"),
        ("#rug-blue-whole", "translate(100 180)rotate(-90)"),
    ]
    assert all(ghost is not None and ghost.attrib["opacity"] == "0" for ghost in ghosts)
    assert 'id="rug-blue-whole"' in board_svg(view, [["d5", "e5"]])


def test_without_a_rug_to_lay_a_place_shows_only_its_number() -> None:
    assert 'class="ghost"' not in board_svg(laid() | {"to_act": []}, [["d5", "e5"]])


def test_the_parts_of_the_board_that_belong_to_places_do_not_overlap() -> None:
    every = FULL_BOARD + [[NAMES[one], NAMES[one + STRIDE]] for one in SQUARES if one + STRIDE in NAMES]
    reaches = [path.attrib["d"] for path in drawn(laid(), every).findall(f".//{SVG}path[@class='reach']")]
    middles = set()
    for reach in reaches:
        shape = re.fullmatch(r"M(-?\d+) (-?\d+)l20-20 20 20-20 20z", reach)
        assert shape
        middles.add((int(shape[1]) + 20, int(shape[2])))
    assert len(middles) == len(every) == 84
    # Two diamonds that wide and high share no more than a side where their middles are so far apart.
    assert all(abs(x - u) + abs(y - v) >= 40 for (x, y), (u, v) in itertools.combinations(middles, 2))


def test_every_square_can_be_pointed_at() -> None:
    sheets = drawn(laid()).findall(f"{SVG}g[@class='squares']/{SVG}path")
    found = {sheet.attrib["data-square"]: sheet.attrib["d"] for sheet in sheets}
    assert found == {NAMES[at]: f"M{middle(at).x - 20} {middle(at).y - 20}h40v40h-40z" for at in SQUARES}


def test_assam_has_attributes_for_his_square_and_path() -> None:
    assam = drawn(standing("d6", "north", "d5", "d6")).find(f"{SVG}g[@id='assam']")
    assert assam is not None
    assert {name: assam.attrib.get(f"data-{name}") for name in ("at", "facing", "way")} == {
        "at": "d6",
        "facing": "north",
        "way": "d5 d6",
    }
    assert "data-way" not in board_svg(laid())


def test_the_squares_that_were_paid_for_have_a_cord_round_them_and_none_between() -> None:
    picture = ET.fromstring(board_svg(laid(), paid_squares=["a7", "b7"]))  # noqa: S314 - the picture is our own
    cord = picture.find(f"{SVG}g[@class='payment']")
    assert cord is not None
    assert cord.attrib["data-squares"] == "a7 b7"
    lines = [set(path.attrib["d"].split("M")[1:]) for path in cord]
    assert lines == [{"0 0L40 0", "40 0L80 0", "0 40L40 40", "40 40L80 40", "0 0L0 40", "80 0L80 40"}] * 2
    assert "Squares paid for: a7, b7." in text(picture, "desc")
    assert 'class="payment"' not in board_svg(laid())
    assert "Paid for" not in board_svg(laid())


def test_at_the_end_the_cord_is_round_the_squares_of_all_winners() -> None:
    view = laid(a7=rug(1, "red"), b7=rug(2, "blue"), c7=rug(3, "green")) | {"result": {"winners": [0, 3]}}
    picture = board_svg(view, paid_squares=["b7"])
    assert 'class="winners" data-squares="a7 c7"' in picture
    assert 'class="payment"' not in picture
    assert 'class="winners"' not in board_svg(laid(a7=rug(1, "red")))


def test_the_words_are_in_the_readers_language() -> None:
    french = {
        "%(name)s: Assam on %(at)s, facing %(facing)s": "%(name)s : Assam en %(at)s, vers le %(facing)s",
        "north": "nord",
        "There are no rugs on the board yet.": "Aucun tapis.",
    }
    picture = ET.fromstring(board_svg(laid(), (), lambda text: french.get(text, text)))  # noqa: S314 - our own
    assert text(picture, "title") == "Market day : Assam en d4, vers le nord"
    assert text(picture, "desc").endswith("Aucun tapis.")
    named = {element.attrib["id"] for element in picture if "id" in element.attrib}
    assert set(picture.attrib["aria-labelledby"].split()) <= named


@pytest.mark.parametrize("facing", FACINGS)
def test_the_words_say_where_assam_stands_and_what_shows(facing: str) -> None:
    view = standing("b6", facing, board={"c3": rug(1, "red"), "c4": rug(2, "blue", True)})
    picture = drawn(view)
    assert picture.attrib["role"] == "img"
    assert text(picture, "title") == f"Market day: Assam on b6, facing {facing}"
    assert text(picture, "desc") == (
        f"Assam is on b6, facing {facing}. Ann (red): dirhams 30, visible squares 0."
        " Bob (blue): dirhams 30, visible squares 0. Cleo (yellow): dirhams 30, visible squares 0."
        " Dan (green): dirhams 30, visible squares 0. Neutral blue rugs: c4. Red rugs: c3."
    )


def test_the_words_tell_of_the_last_roll_of_who_is_out_and_of_a_bare_board() -> None:
    words = text(drawn(resigned(new_table(), 2).view(None)), "desc")
    assert "Cleo (yellow) is out." in words
    assert words.endswith("There are no rugs on the board yet.")
    assert "Last roll: 2 (d5, d6)." in text(drawn(standing("d6", "north", "d5", "d6")), "desc")


def test_hostile_names_are_text() -> None:
    view = new_table(2, (HOSTILE, "\u200f\x07")).view(None) | {"name": HOSTILE}
    picture = drawn(view)
    shown = "</title><script>alert(1)</script>&\"'[31mgnp.exe"
    assert text(picture, "title").startswith(f"{shown}: Assam on")
    assert f"{shown} (red and yellow): dirhams" in text(picture, "desc")
    assert "Seat 2 (blue and green): dirhams" in text(picture, "desc")
    assert not list(picture.iter(f"{SVG}script"))


def test_nothing_in_it_needs_other_files_or_a_lenient_content_security_policy() -> None:
    svg = board_svg(played(new_table(2)).view(None), FULL_BOARD)
    picture = ET.fromstring(svg)  # noqa: S314 - the picture is our own
    assert not {element.tag for element in picture.iter()} & {
        f"{SVG}{tag}" for tag in ("style", "script", "image", "text")
    }
    assert not {name for element in picture.iter() for name in element.attrib if name == "style" or name[:2] == "on"}
    assert re.findall(r"https?:[^\"]*", svg) == ["http://www.w3.org/2000/svg"]


def test_a_full_board_is_small_and_quickly_drawn() -> None:
    view = played(new_table(2)).view(None)
    assert len(view["board"]) > 40
    around = [["c3", "d3"], ["c4", "c5"]] * 6
    assert len(board_svg(view, around, paid_squares=sorted(view["board"])[::2]).encode()) < 40_000
    assert seconds(lambda: board_svg(view), 0.003) < 0.003


def test_the_same_view_gives_the_same_picture_and_is_left_as_it_was() -> None:
    view = played(new_table(), 20).view(0)
    kept = json.dumps(view)
    assert board_svg(view) == board_svg(json.loads(kept))
    assert json.dumps(view) == kept


def test_only_a_payment_for_the_roll_that_is_shown_counts_as_the_last() -> None:
    events: list[Json] = [
        {"type": "rolled", "roll": 4},
        {"type": "paid", "squares": ["a1"]},
        {"type": "laid", "squares": ["c1", "c2"]},
    ]
    shows = standing("d6", "north", "d5", "d6") | {"last_roll": {"die": 2, "roll": 4, "path": ["d5", "d6"]}}
    assert squares_paid(shows, events) == ["a1"]
    assert squares_paid(shows, [*events, {"type": "rolled", "roll": 5}, {"type": "paid", "squares": ["b1"]}]) == ["a1"]
    assert squares_paid(shows, events[1:]) == []
    assert squares_paid(shows | {"last_roll": {"die": 1, "roll": 5, "path": ["d6"]}}, events) == []
    assert squares_paid(shows | {"last_roll": None}, events) == []
