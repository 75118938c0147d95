"""How Assam walks: the tracks round the board, every walk there is, and the die."""

import pytest

from service.engine.errors import IllegalAction, Malformed
from service.engine.marrakech.actions import Face, Faced, Moved, Rolled, Turned
from service.engine.marrakech.board import (
    FACES,
    FACINGS,
    NAMES,
    SQUARES,
    TRACKS,
    TURNED,
    WALKS,
    Direction,
    Facing,
    Square,
    Turn,
    read_square,
    step,
)
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.rules import decide, legal_actions
from service.engine.marrakech.state import Phase
from tests.engine.naive import Stand, read_walks
from tests.engine.positions import ROTATE_AFTER, LoadedDice, play, position

EXITS = {
    "north": "a7 b7 south, b7 a7 south, c7 d7 south, d7 c7 south, e7 f7 south, f7 e7 south, g7 g7 west",
    "east": "g7 g7 south, g6 g5 west, g5 g6 west, g4 g3 west, g3 g4 west, g2 g1 west, g1 g2 west",
    "south": "a1 a1 east, b1 c1 north, c1 b1 north, d1 e1 north, e1 d1 north, f1 g1 north, g1 f1 north",
    "west": "a7 a6 east, a6 a7 east, a5 a4 east, a4 a5 east, a3 a2 east, a2 a3 east, a1 a1 north",
}
"""For each edge: the square Assam leaves, the square he comes back on and the way he faces there."""

ALL_WALKS = read_walks()
OPPOSITE: dict[Facing, Facing] = {"north": "south", "east": "west", "south": "north", "west": "east"}
STANDS = [(square, facing) for square in SQUARES for facing in FACINGS]


def named(stand: tuple[Square, Facing]) -> str:
    return f"{NAMES[stand[0]]} {stand[1]}"


def half_turned(square: Square) -> Square:
    return read_square(NAMES[square].translate(str.maketrans("abcdefg1234567", "gfedcba7654321")))


@pytest.mark.parametrize("edge", FACINGS)
def test_the_tracks_lead_where_they_are_printed(edge: Facing) -> None:
    printed = sorted(EXITS[edge].split(", "))
    assert printed == sorted(f"{NAMES[at]} {named(to)}" for (at, over), to in TRACKS.items() if over == edge)
    assert len(printed) == 7


def test_there_are_28_exits() -> None:
    assert len(TRACKS) == sum(len(exits.split(", ")) for exits in EXITS.values()) == 28


def test_the_file_of_walks_is_complete() -> None:
    assert set(ALL_WALKS) == {(NAMES[square], facing) for square, facing in STANDS}
    assert sum(len(dice) for ways in WALKS.values() for dice in ways.values()) == 784


@pytest.mark.parametrize("start", ALL_WALKS, ids="-".join)
def test_every_walk_matches_the_file(start: Stand) -> None:
    square, facing = start
    steps = ALL_WALKS[start]
    walks = WALKS[read_square(square)][next(way for way in FACINGS if way == facing)]
    for die in (1, 2, 3, 4):
        expected = ([name for name, _ in steps[:die]], *steps[die - 1])
        path, to, facing_there = walks[die]
        assert ([NAMES[at] for at in path], NAMES[to], facing_there) == expected, die


@pytest.mark.parametrize("die", [1, 2, 3, 4])
def test_walking_is_reversible(die: int) -> None:
    """Turned right round where he stopped, Assam would walk back to where he came from."""
    for square, facing in STANDS:
        there = WALKS[square][facing][die]
        back = WALKS[there.to][OPPOSITE[there.facing]][die]
        assert (back.to, back.facing) == (square, OPPOSITE[facing]), named((square, facing))


def test_no_two_steps_lead_to_the_same_square_and_facing() -> None:
    assert sorted(step(*stand) for stand in STANDS) == sorted(STANDS)


@pytest.mark.parametrize("die", [1, 2, 3, 4])
def test_the_walks_are_symmetric_under_a_half_turn_of_the_board(die: int) -> None:
    for square, facing in STANDS:
        path, to, facing_there = WALKS[square][facing][die]
        other = WALKS[half_turned(square)][OPPOSITE[facing]][die]
        assert other.path == tuple(half_turned(at) for at in path)
        assert (other.to, other.facing) == (half_turned(to), OPPOSITE[facing_there])


@pytest.mark.parametrize(("place", "die"), [(0, 1), (1, 2), (2, 2), (3, 3), (4, 3), (5, 4)])
def test_the_six_faces_of_the_die(place: int, die: int) -> None:
    faced, rolled, moved = decide(position(), 0, Face("ahead"), LoadedDice(place))
    assert isinstance(faced, Faced)
    assert isinstance(rolled, Rolled)
    assert isinstance(moved, Moved)
    assert rolled.die == len(moved.path) == die
    assert len(FACES) == 6


def test_a_roll_has_the_next_number_and_the_salt_of_the_action() -> None:
    dice = LoadedDice(3, salt="lucky me")
    events = decide(position(rolls=17), 0, Face("ahead"), dice)
    assert dice.asked == [17]
    assert events[1] == Rolled(seat=0, die=3, roll=17, salt="lucky me")


@pytest.mark.parametrize(
    ("facing", "left", "right"),
    [("north", "west", "east"), ("east", "north", "south"), ("south", "east", "west"), ("west", "south", "north")],
)
def test_left_and_right_depend_on_the_way_assam_faces(facing: Facing, left: Facing, right: Facing) -> None:
    assert TURNED[facing] == {"left": left, "ahead": facing, "right": right}


@pytest.mark.parametrize(
    ("direction", "facing", "stop"), [("left", "west", "b4"), ("ahead", "north", "d6"), ("right", "east", "f4")]
)
def test_the_mover_turns_assam_and_then_he_walks(direction: Direction, facing: Facing, stop: str) -> None:
    played = play(position(), Face(direction), 2)
    assert played.story == "faced rolled moved"
    assert played.only(Faced) == Faced(0, direction, facing)
    assert (NAMES[played.after.assam], played.after.facing) == (stop, facing)
    assert (played.after.phase, played.after.mover) == ("placement", 0)


def test_assam_never_turns_right_round() -> None:
    assert all(OPPOSITE[facing] not in ways.values() for facing, ways in TURNED.items())
    assert [action.type for action in legal_actions(position(), 0)] == ["face"] * 3
    with pytest.raises(Malformed, match="direction"):
        ActionCodec().read({"type": "face", "direction": "back"})


def test_with_rotate_after_assam_walks_the_way_he_was_turned() -> None:
    turn: Turn = "left"
    turned, rolled, moved = decide(
        position(options=ROTATE_AFTER, phase="rotation", assam="d4 south"),
        0,
        ActionCodec().read({"type": "turn", "direction": turn}),
        LoadedDice.showing(2),
    )
    assert turned == Turned(0, turn, "east")
    assert isinstance(rolled, Rolled)
    assert rolled.seat == 1
    assert moved == Moved(1, (read_square("e4"), read_square("f4")), read_square("f4"), "east")


@pytest.mark.parametrize("direction", ["ahead", "back"])
def test_with_rotate_after_assam_is_turned_exactly_a_quarter(direction: str) -> None:
    with pytest.raises(Malformed, match="direction"):
        ActionCodec().read({"type": "turn", "direction": direction})


@pytest.mark.parametrize(
    ("phase", "wanted"), [("placement", "Now lay a rug"), ("rotation", "Now turn Assam left or right")]
)
def test_the_direction_is_chosen_only_at_the_start_of_a_turn(phase: Phase, wanted: str) -> None:
    with pytest.raises(IllegalAction, match=wanted):
        decide(position(phase=phase), 0, Face("left"), LoadedDice())


def test_with_rotate_after_no_direction_is_chosen_before_the_roll() -> None:
    state = position(options=ROTATE_AFTER)
    assert legal_actions(state, 0) == ()
    with pytest.raises(IllegalAction, match="after laying your rug"):
        decide(state, 0, Face("left"), LoadedDice())
