"""A player leaves the game: in turn or out of turn, in every phase, in both variants."""

import pytest

from service.engine.errors import GameOver, IllegalAction
from service.engine.marrakech.actions import RESIGN, Face, Finished, Resigned, Rolled
from service.engine.marrakech.board import NAMES
from service.engine.marrakech.rules import decide, to_act
from service.engine.marrakech.state import Options, Phase, State
from tests.engine.positions import ROTATE_AFTER, STANDARD, LoadedDice, lay, play, position

MARKET = """
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. Y3 .. .. ..
    B2 B2 .. .. R1 R1 ..
    .. .. .. Y5 .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. G4
"""

in_every_phase = pytest.mark.parametrize(
    ("options", "phase"),
    [(STANDARD, "direction"), (STANDARD, "placement"), (ROTATE_AFTER, "placement"), (ROTATE_AFTER, "rotation")],
)
"""Every phase in which a game can wait, in both variants."""


def waiting_for_red(options: Options, phase: Phase) -> State:
    return position(MARKET, phase=phase, options=options, rugs_left=(8, 9, 10, 11), turn=5, rolls=4, assam="d4 west")


@in_every_phase
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_resigning_out_of_turn_does_not_end_the_turn(options: Options, phase: Phase, seat: int) -> None:
    state = waiting_for_red(options, phase)
    played = play(state, RESIGN, seat=seat)
    assert played.events == (Resigned(seat),)
    unlaid_rugs_gone = tuple(0 if each == seat else left for each, left in enumerate(state.rugs_left))
    assert played.after == state._replace(out=(seat,), rugs_left=unlaid_rugs_gone)
    assert [played.after.visible(each) == 0 for each in range(4)] == [each == seat for each in range(4)]


def test_the_rugs_of_a_player_who_resigned_cost_nothing() -> None:
    state = waiting_for_red(STANDARD, "direction")
    assert play(state, Face("ahead"), 3).story == "faced rolled moved paid"
    without_blue = play(state, RESIGN, seat=1).after
    assert play(without_blue, Face("ahead"), 3).story == "faced rolled moved"


@pytest.mark.parametrize("phase", ["direction", "placement"])
def test_the_mover_resigns_and_the_next_player_chooses_a_direction(phase: Phase) -> None:
    state = waiting_for_red(STANDARD, phase)
    played = play(state, RESIGN)
    assert played.events == (Resigned(0),)
    assert played.after == state._replace(out=(0,), rugs_left=(0, 9, 10, 11), mover=1, phase="direction", turn=6)


@pytest.mark.parametrize("phase", ["placement", "rotation"])
def test_rotate_after_the_mover_resigns_and_the_next_player_rolls_at_once(phase: Phase) -> None:
    played = play(waiting_for_red(ROTATE_AFTER, phase), RESIGN, 2)
    assert played.story == "resigned rolled moved"
    assert played.only(Rolled) == Rolled(seat=1, die=2, roll=4, salt="")
    assert (NAMES[played.after.assam], played.after.facing) == ("b4", "west")
    assert (played.after.mover, played.after.phase, played.after.turn) == (1, "placement", 6)


def test_rotate_after_assam_is_not_turned_for_a_player_who_resigned() -> None:
    """Blue walks on west onto what had been Red's, without a quarter turn and without paying."""
    state = waiting_for_red(ROTATE_AFTER, "rotation")._replace(facing="east")
    played = play(state, RESIGN, 1)
    assert played.story == "resigned rolled moved"
    assert NAMES[played.after.assam] == "e4"


def test_rotate_after_a_resignation_may_eliminate_the_next_player() -> None:
    state = waiting_for_red(ROTATE_AFTER, "rotation")._replace(mover=3, dirhams=(0, 30, 30, 60))
    played = play(state, RESIGN, 3, 1)
    assert played.story == "resigned rolled moved paid eliminated rolled moved"
    assert played.after.out == (3, 0)
    assert (played.after.mover, played.after.phase, played.after.turn) == (1, "placement", 7)


@in_every_phase
@pytest.mark.parametrize("seat", [0, 1])
def test_with_two_players_the_other_one_wins(options: Options, phase: Phase, seat: int) -> None:
    state = position(MARKET, seats=2, phase=phase, options=options)
    played = play(state, RESIGN, seat=seat)
    assert played.story == "resigned finished"
    result = played.only(Finished).result
    assert (result.reason, result.winners, result.ranking) == ("last_standing", (1 - seat,), (1 - seat, seat))
    assert to_act(played.after) == frozenset()


def test_a_player_who_resigned_keeps_their_dirhams_but_ranks_below_all_who_are_in() -> None:
    state = position(MARKET, seats=2, dirhams=(59, 1))
    result = play(state, RESIGN).only(Finished).result
    assert [(score.dirhams, score.rugs, score.out) for score in result.scores] == [(59, 0, True), (1, 3, False)]
    assert result.ranking == (1, 0)


@pytest.mark.parametrize("seat", [1, 4, -1], ids=["already out", "no such seat", "below the first seat"])
def test_only_players_in_the_game_can_resign(seat: int) -> None:
    state = play(waiting_for_red(STANDARD, "direction"), RESIGN, seat=1).after
    with pytest.raises(IllegalAction, match=f"Seat {seat} is already out of this game|This game has no seat {seat}"):
        decide(state, seat, RESIGN, LoadedDice())


@pytest.mark.parametrize("seat", [0, 1])
def test_nobody_can_resign_after_the_end(seat: int) -> None:
    over = play(position(MARKET, seats=2), RESIGN).after
    with pytest.raises(GameOver, match="game is over"):
        decide(over, seat, RESIGN, LoadedDice())


def test_no_other_action_is_legal_after_the_end() -> None:
    over = play(position(MARKET, seats=2, phase="placement"), RESIGN, seat=1).after
    for action in (Face("ahead"), lay("d5-e5")):
        with pytest.raises(GameOver):
            decide(over, 0, action, LoadedDice())


@pytest.mark.parametrize(
    ("options", "phase"), [(STANDARD, "direction"), (STANDARD, "placement"), (ROTATE_AFTER, "placement")]
)
def test_the_game_ends_if_the_last_player_with_a_rug_resigns(options: Options, phase: Phase) -> None:
    state = position(MARKET, phase=phase, mover=3, rugs_left=(0, 0, 0, 1), options=options, dirhams=(30, 40, 20, 30))
    played = play(state, RESIGN)
    assert played.story == "resigned finished"
    result = played.only(Finished).result
    assert (result.reason, result.winners, result.ranking) == ("rugs_laid", (1,), (1, 0, 2, 3))


def test_a_player_who_has_laid_their_last_rug_may_still_resign() -> None:
    state = position(MARKET, mover=3, rugs_left=(0, 0, 0, 1))
    played = play(state, RESIGN, seat=0)
    assert played.story == "resigned"
    assert (played.after.mover, played.after.rugs_left) == (3, (0, 0, 0, 1))


def test_rotate_after_assam_is_not_turned_when_the_last_rug_left_the_game() -> None:
    """Yellow has laid the last of their rugs and would turn Assam for Green, who resigns with the last rug of all."""
    state = position(MARKET, phase="rotation", mover=2, rugs_left=(0, 0, 0, 1), options=ROTATE_AFTER)
    played = play(state, RESIGN, seat=3)
    assert played.story == "resigned finished"
    assert played.only(Finished).result.reason == "rugs_laid"


def test_rotate_after_the_next_player_lays_the_last_rug_if_the_mover_resigns_instead_of_turning() -> None:
    state = position(MARKET, phase="rotation", mover=2, rugs_left=(0, 0, 0, 1), options=ROTATE_AFTER)
    played = play(state, RESIGN, 2)
    assert played.story == "resigned rolled moved"
    assert (played.after.mover, played.after.phase) == (3, "placement")
