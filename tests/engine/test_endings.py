"""How a game ends, who wins, and whose turn is next."""

import pytest

from service.engine.marrakech.actions import RESIGN, Action, Face, Finished, Rotate
from service.engine.marrakech.rules import compute_result, legal_actions, to_act
from service.engine.marrakech.state import Options, State
from tests.engine.positions import ROTATE_AFTER, STANDARD, lay, play, position

MARKET = """
    R1 R1 .. .. .. .. ..
    R5 R5 .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. Y3 Y3 ..
    B2 B2 .. .. .. .. G4
"""

# Who has won


def test_a_score_is_dirhams_plus_visible_squares() -> None:
    result = compute_result(position(MARKET, dirhams=(20, 40, 35, 25)), "rugs_laid")
    assert [(score.dirhams, score.rugs, score.total) for score in result.scores] == [
        (20, 4, 24),
        (40, 2, 42),
        (35, 2, 37),
        (25, 1, 26),
    ]
    assert (result.winners, result.ranking) == ((1,), (1, 2, 3, 0))


def test_with_two_players_both_colours_score() -> None:
    result = compute_result(position(MARKET, seats=2), "rugs_laid")
    assert [score.rugs for score in result.scores] == [6, 3]


def test_a_tie_goes_to_the_player_with_more_dirhams() -> None:
    result = compute_result(position(MARKET, dirhams=(31, 33, 29, 27)), "rugs_laid")
    assert [score.total for score in result.scores] == [35, 35, 31, 28]
    assert (result.winners, result.ranking) == ((1,), (1, 0, 2, 3))


@pytest.mark.parametrize(
    ("dirhams", "winners", "ranking"),
    [
        ((20, 35, 35, 30), (1, 2), (1, 2, 3, 0)),
        ((33, 35, 35, 17), (1, 2), (1, 2, 0, 3)),
        ((20, 27, 27, 46), (3,), (3, 1, 2, 0)),
    ],
    ids=["two share", "two share before a third with the same total", "a tie for the second place"],
)
def test_players_tied_in_dirhams_too_share_the_win(
    dirhams: tuple[int, ...], winners: tuple[int, ...], ranking: tuple[int, ...]
) -> None:
    result = compute_result(position(MARKET, dirhams=dirhams), "rugs_laid")
    assert (result.winners, result.ranking) == (winners, ranking)


def test_players_who_are_out_rank_last_in_reverse_order_of_leaving() -> None:
    state = position(MARKET, dirhams=(3, 60, 57, 0), out=(1, 3, 2))
    result = compute_result(state, "last_standing")
    assert result.ranking == (0, 2, 3, 1)
    assert result.winners == (0,)
    assert [(score.rugs, score.out) for score in result.scores] == [(4, False), (0, True), (0, True), (0, True)]


# The last rug


@pytest.mark.parametrize("options", [STANDARD, ROTATE_AFTER], ids=["standard", "rotate-after"])
def test_the_game_ends_with_the_last_rug_and_assam_is_not_turned_again(options: Options) -> None:
    state = position(MARKET, phase="placement", mover=2, rugs_left=(0, 0, 1, 0), options=options, turn=48)
    played = play(state, lay("d5-e5"))
    assert played.story == "laid finished"
    assert played.only(Finished).result.reason == "rugs_laid"
    assert played.only(Finished).result.scores[2].rugs == 4
    assert (played.after.phase, played.after.facing, played.after.turn) == ("over", "north", 48)
    assert to_act(played.after) == frozenset()
    assert [legal_actions(played.after, seat) for seat in range(4)] == [()] * 4


@pytest.mark.parametrize("options", [STANDARD, ROTATE_AFTER], ids=["standard", "rotate-after"])
def test_the_game_continues_while_a_player_has_a_rug(options: Options) -> None:
    state = position(MARKET, phase="placement", mover=2, rugs_left=(0, 0, 1, 1), options=options)
    played = play(state, lay("d5-e5"))
    assert played.story == "laid"
    assert played.after.result is None


def test_only_rugs_of_players_still_in_keep_the_game_going() -> None:
    """Green went out before: the round ends with Yellow's rug."""
    state = position(MARKET, phase="placement", mover=2, rugs_left=(0, 0, 1, 0), out=(3,), dirhams=(40, 40, 40, 0))
    result = play(state, lay("d5-e5")).only(Finished).result
    assert (result.reason, result.winners, result.ranking) == ("rugs_laid", (0, 2), (0, 2, 1, 3))


BLUE_ROAD = """
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. B1 B1 .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
"""


def test_the_game_ends_if_the_last_player_with_a_rug_is_eliminated() -> None:
    state = position(BLUE_ROAD, mover=3, rugs_left=(0, 0, 0, 1), dirhams=(40, 30, 49, 1))
    played = play(state, Face("ahead"), 1)
    assert played.story == "faced rolled moved paid eliminated finished"
    result = played.only(Finished).result
    assert (result.reason, result.winners, result.ranking) == ("rugs_laid", (2,), (2, 0, 1, 3))


def test_rotate_after_the_game_ends_if_the_last_player_with_a_rug_is_eliminated() -> None:
    state = position(
        BLUE_ROAD,
        assam="d4 east",
        phase="rotation",
        mover=2,
        rugs_left=(0, 0, 0, 1),
        dirhams=(40, 30, 49, 1),
        options=ROTATE_AFTER,
    )
    played = play(state, Rotate("left"), 1)
    assert played.story == "turned rolled moved paid eliminated finished"
    assert played.only(Finished).result.reason == "rugs_laid"


# Whose turn it is


@pytest.mark.parametrize(
    ("mover", "out", "following"),
    [(0, (), 1), (3, (), 0), (0, (1,), 2), (2, (3, 0), 1), (3, (1, 0), 2), (1, (0, 2), 3)],
)
def test_turns_follow_the_seat_order_and_skip_players_who_are_out(
    mover: int, out: tuple[int, ...], following: int
) -> None:
    state = position(MARKET, phase="placement", mover=mover, out=out, turn=20)
    after = play(state, lay("d5-e5")).after
    assert (after.mover, after.turn) == (following, 21)


def test_rotate_after_the_turn_ends_when_assam_is_turned() -> None:
    state = position(MARKET, phase="placement", mover=3, out=(0,), options=ROTATE_AFTER, turn=20)
    laid = play(state, lay("d5-e5")).after
    assert (laid.mover, laid.turn) == (3, 20)
    turned = play(laid, Rotate("left"), 1).after
    assert (turned.mover, turned.turn) == (1, 21)


LAST_TURN = 30
ENDS_IN_LAST_TURN: dict[str, tuple[State, Action, int, tuple[int, ...]]] = {
    "the last rug is laid": (
        position(BLUE_ROAD, seats=2, phase="placement", rugs_left=(1, 0), turn=LAST_TURN),
        lay("c4-c5"),
        0,
        (),
    ),
    "the other player resigns": (position(BLUE_ROAD, seats=2, turn=LAST_TURN), RESIGN, 1, ()),
    "the mover resigns": (position(BLUE_ROAD, seats=2, turn=LAST_TURN), RESIGN, 0, ()),
    "the mover cannot pay": (position(BLUE_ROAD, seats=2, dirhams=(1, 59), turn=LAST_TURN), Face("ahead"), 0, (1,)),
}


@pytest.mark.parametrize("end", ENDS_IN_LAST_TURN)
def test_the_turn_number_stays_the_same_when_the_game_ends(end: str) -> None:
    """A turn that nobody plays isn't counted: the record would give it a heading of its own."""
    state, action, seat, rolls = ENDS_IN_LAST_TURN[end]
    after = play(state, action, *rolls, seat=seat).after
    assert after.phase == "over"
    assert after.turn == LAST_TURN
