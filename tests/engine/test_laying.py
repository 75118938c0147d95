"""Where a rug may lie, and why it may not lie elsewhere."""

from itertools import product

import pytest

from service.engine.errors import IllegalAction, Malformed, NotYourTurn
from service.engine.marrakech.actions import LAY, Laid, Lay, Rotate
from service.engine.marrakech.board import NAMES, PLACES, SQUARES, Square, read_square, rug_name
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.rules import decide, legal_actions
from service.engine.marrakech.snapshots import StateCodec
from service.engine.marrakech.state import Phase, State
from tests.engine.naive import touch
from tests.engine.positions import ROTATE_AFTER, LoadedDice, draw, draw_state, lay, play, position

PLACES_BESIDE = """
     4  6  7  7  7  6  4
     6 10 11 11 11 10  6
     7 11 12 12 12 11  7
     7 11 12 12 12 11  7
     7 11 12 12 12 11  7
     6 10 11 11 11 10  6
     4  6  7  7  7  6  4
"""
"""For each square Assam can stand on: in how many places a rug may lie while the board is bare."""

PLACES_BESIDE_AT_WORST = """
     2  3  4  4  4  3  2
     3  6  7  7  7  6  3
     4  7  8  8  8  7  4
     4  7  8  8  8  7  4
     4  7  8  8  8  7  4
     3  6  7  7  7  6  3
     2  3  4  4  4  3  2
"""
"""The same where rugs lie as badly in the way as they can: a whole rug blocks one place, and no two share a square."""


def by_square(numbers: str) -> dict[str, int]:
    names = [file + rank for rank in "7654321" for file in "abcdefg"]
    return dict(zip(names, map(int, numbers.split()), strict=True))


def places(state: State) -> list[str]:
    return [rug_name(action.squares) for action in legal_actions(state, state.mover) if isinstance(action, Lay)]


def beside(assam: str, cells: dict[str, str] | None = None, out: tuple[int, ...] = ()) -> State:
    """Red is to lay a rug, Assam having stopped here."""
    return position(draw(cells or {}), assam=f"{assam} north", phase="placement", out=out)


def refusal(state: State, place: str) -> str:
    before = StateCodec().write(state)
    with pytest.raises(IllegalAction) as refused:
        decide(state, state.mover, lay(place), LoadedDice())
    assert StateCodec().write(state) == before
    assert place not in places(state)
    return refused.value.sentence


def test_there_are_84_places_for_a_rug() -> None:
    assert len(LAY) == len({frozenset(squares) for squares in LAY}) == 84
    assert all(touch(NAMES[one], NAMES[other]) for one, other in LAY)


@pytest.mark.parametrize(
    ("assam", "expected"),
    [
        ("a1", "a2-a3 a2-b2 b1-b2 b1-c1"),
        ("g7", "e7-f7 f6-f7 f6-g6 g5-g6"),
        ("d1", "b1-c1 c1-c2 c2-d2 d2-d3 d2-e2 e1-e2 e1-f1"),
        ("d4", "b4-c4 c3-c4 c4-c5 c3-d3 d2-d3 d3-e3 c5-d5 d5-d6 d5-e5 e3-e4 e4-e5 e4-f4"),
    ],
)
def test_the_places_in_a_corner_at_an_edge_and_in_the_middle(assam: str, expected: str) -> None:
    assert sorted(places(beside(assam))) == sorted(expected.split())


@pytest.mark.parametrize(("assam", "count"), list(by_square(PLACES_BESIDE).items()))
def test_a_rug_touches_assam_by_an_edge_and_never_covers_him(assam: str, count: int) -> None:
    found = [place.split("-") for place in places(beside(assam))]
    assert len(found) == count
    assert all(assam not in place and any(touch(assam, square) for square in place) for place in found)


@pytest.mark.parametrize("place", ["d4-d5", "c4-d4"])
def test_a_rug_may_not_cover_assam(place: str) -> None:
    assert refusal(beside("d4"), place) == f"A rug on {place} would cover Assam, who is on d4. Choose another place."


@pytest.mark.parametrize("place", ["c5-c6", "e3-f3", "a1-a2", "d6-d7"])
def test_a_rug_must_touch_the_square_of_assam(place: str) -> None:
    """Not even where it touches his square by a corner."""
    assert (
        refusal(beside("d4"), place)
        == f"{place} isn't next to Assam, who is on d4. Choose a place that shares an edge with his square."
    )


@pytest.mark.parametrize(
    ("rug", "out"),
    [("R1", ()), ("B1", ()), ("B1", (1,))],
    ids=["one's own", "another's", "a neutral one"],
)
def test_both_halves_of_one_rug_may_not_be_covered_even_of_your_own(rug: str, out: tuple[int, ...]) -> None:
    state = beside("d4", {"d5": rug, "e5": rug}, out)
    assert refusal(state, "d5-e5") == "A rug on d5-e5 would cover both halves of another rug. Choose another place."
    assert len(places(state)) == 11


@pytest.mark.parametrize(
    ("d5", "e5"),
    [("R1", "R2"), ("B1", "B2"), ("B1", "Y2"), ("G1", ".."), ("..", "G1")],
    ids=[
        "two of one's own",
        "two of another's",
        "two colours",
        "half a rug and a bare square",
        "a bare square and half",
    ],
)
def test_halves_of_different_rugs_may_be_covered(d5: str, e5: str) -> None:
    played = play(beside("d4", {"d5": d5, "e5": e5}), lay("d5-e5"))
    laid = played.only(Laid)
    assert draw_state(played.after) == draw({"d5": f"R{laid.rug}", "e5": f"R{laid.rug}"})


def test_the_remaining_half_of_a_rug_may_be_covered() -> None:
    state = beside("d4", {"d5": "B1", "e5": "B1"})
    half = play(state, lay("e4-e5")).after
    assert draw_state(half) == draw({"d5": "B1", "e5": "R2", "e4": "R2"})
    gone = play(half._replace(mover=1, phase="placement"), lay("c5-d5")).after
    assert draw_state(gone) == draw({"c5": "B3", "d5": "B3", "e5": "R2", "e4": "R2"})


def test_two_rugs_of_one_colour_side_by_side_block_only_their_own_places() -> None:
    state = beside("d4", {"c5": "B1", "d5": "B1", "e5": "B2", "e4": "B2"})
    assert {"c5-d5", "e4-e5"}.isdisjoint(places(state))
    assert {"d5-e5", "c4-c5", "d5-d6", "e3-e4"} <= set(places(state))


@pytest.mark.parametrize("squares", [["d5", "e5"], ["e5", "d5"]])
def test_the_squares_of_a_rug_are_read_in_any_order_and_written_in_ascending_order(squares: list[str]) -> None:
    action = ActionCodec().read({"type": "lay", "squares": squares})
    laid = play(beside("d4"), action).only(Laid)
    assert rug_name(laid.squares) == "d5-e5"
    assert ActionCodec().write(action) == {"type": "lay", "squares": ["d5", "e5"]}


@pytest.mark.parametrize(
    "squares",
    [["d5", "d5"], ["d5", "e6"], ["d5", "d7"], ["g5", "a5"], ["d7", "d8"], ["d5"], ["d5", "e5", "f5"], "d5-e5"],
)
def test_squares_that_form_no_rug_are_malformed(squares: object) -> None:
    with pytest.raises(Malformed, match="squares"):
        ActionCodec().read({"type": "lay", "squares": squares})


def test_a_rug_is_numbered_as_it_is_laid_and_leaves_the_pile() -> None:
    state = beside("d4", {"a1": "B7", "b1": "B7"})
    played = play(state, lay("d5-d6"))
    assert played.events == (Laid(0, 8, 0, (read_square("d5"), read_square("d6"))),)
    assert played.after.rugs_left == (11, 12, 12, 12)
    assert (played.after.mover, played.after.phase) == (1, "direction")


def test_two_players_lay_their_rugs_in_the_order_of_the_pile() -> None:
    piles = ((2, 0) * 12, (1, 3) * 12)
    first = position(seats=2, phase="placement", piles=piles)
    after_yellow = play(first, lay("d5-e5")).after
    assert after_yellow.next_rug(0) == 0
    after_red = play(after_yellow._replace(mover=0, phase="placement"), lay("d3-e3")).after
    assert draw_state(after_red) == draw({"d5": "Y1", "e5": "Y1", "d3": "R2", "e3": "R2"})


def test_with_rotate_after_assam_is_turned_once_the_rug_is_laid() -> None:
    after = play(position(options=ROTATE_AFTER, phase="placement"), lay("d5-e5")).after
    assert (after.mover, after.phase) == (0, "rotation")
    assert legal_actions(after, 0) == (Rotate("left"), Rotate("right"))
    assert legal_actions(after, 1) == ()


def test_only_the_mover_lays_a_rug() -> None:
    state = beside("d4")
    assert legal_actions(state, 2) == ()
    with pytest.raises(NotYourTurn, match="It isn't the turn of seat 2"):
        decide(state, 2, lay("d5-e5"), LoadedDice())


@pytest.mark.parametrize(
    ("phase", "wanted"), [("direction", "choose a direction"), ("rotation", "Now turn Assam left or right")]
)
def test_a_rug_is_laid_only_after_assam_has_walked(phase: Phase, wanted: str) -> None:
    with pytest.raises(IllegalAction, match=wanted):
        decide(position(phase=phase), 0, lay("d5-e5"), LoadedDice())


@pytest.mark.parametrize(("assam", "at_worst"), list(by_square(PLACES_BESIDE_AT_WORST).items()))
def test_there_is_always_a_place_for_a_rug(assam: str, at_worst: int) -> None:
    """Try every way in which whole rugs can lie in Assam's neighbourhood: some place is always left."""
    left = [len(places(beside(assam, cells))) for cells in boards_in_the_way(read_square(assam))]
    assert min(left) == at_worst
    assert max(left) == by_square(PLACES_BESIDE)[assam]


def boards_in_the_way(assam: Square) -> list[dict[str, str]]:
    """Every choice of whole rugs on the places beside Assam; each neighbour of his holds a part of one or of none."""
    near = [square for square in SQUARES if touch(NAMES[square], NAMES[assam])]
    choices = [[None, *(place for place in PLACES[assam] if square in place)] for square in near]
    boards = []
    for chosen in product(*choices):
        rugs = sorted({place for place in chosen if place})
        squares = [square for place in rugs for square in place]
        if len(squares) == len(set(squares)):
            boards.append({NAMES[at]: f"B{rug}" for rug, place in enumerate(rugs, start=1) for at in place})
    return boards
