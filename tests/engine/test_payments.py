"""Who pays whom where Assam stops, how much, and what happens to a player who cannot pay.

In these drawings Assam stands on d4 and faces north; Red (seat 0) sends him ahead unless it is told otherwise.
"""

import pytest

from service.engine.marrakech.actions import Eliminated, Face, Finished, Paid, Rolled, Rotate
from service.engine.marrakech.board import NAMES
from service.engine.marrakech.rules import legal_actions, to_act
from service.engine.marrakech.state import State
from tests.engine.positions import ROTATE_AFTER, Played, lay, play, position

AHEAD = Face("ahead")

SMALL_BLUE_MARKET = """
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. B1 B1 .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. R2 R2 ..
    .. .. .. .. .. .. ..
"""
WINDING_BLUE_MARKET = """
    B1  B1  B2  B2  B3  B3  B4
    ..  ..  ..  ..  ..  ..  B4
    B5  B6  B6  B7  B7  ..  B8
    B5  ..  ..  ..  B9  ..  B8
    B10 ..  B11 B11 B9  ..  B12
    B10 ..  ..  ..  ..  ..  B12
    B13 B13 B14 B14 B15 B15 B16
"""


def paid_squares(played: Played) -> list[str]:
    return [NAMES[square] for square in played.only(Paid).squares]


def stopped(played: Played) -> str:
    return NAMES[played.after.assam]


def test_the_mover_pays_the_owner_a_dirham_for_each_square() -> None:
    played = play(position(SMALL_BLUE_MARKET), AHEAD, 1)
    assert played.story == "faced rolled moved paid"
    payment = played.only(Paid)
    assert (payment.payer, payment.owner, payment.due, payment.paid) == (0, 1, 2, 2)
    assert paid_squares(played) == ["d5", "e5"]
    assert played.after.dirhams == (28, 32, 30, 30)
    assert (played.after.mover, played.after.phase) == (0, "placement")


def test_a_bare_square_costs_nothing() -> None:
    played = play(position(SMALL_BLUE_MARKET), AHEAD, 2)
    assert stopped(played) == "d6"
    assert played.story == "faced rolled moved"
    assert played.after.dirhams == (30, 30, 30, 30)


def test_rugs_that_assam_only_walks_over_cost_nothing() -> None:
    played = play(position(SMALL_BLUE_MARKET), AHEAD, 3)
    assert stopped(played) == "d7"
    assert played.story == "faced rolled moved"


def test_own_rugs_cost_nothing() -> None:
    played = play(position(SMALL_BLUE_MARKET, mover=1), AHEAD, 1)
    assert stopped(played) == "d5"
    assert played.story == "faced rolled moved"


def test_neutral_rugs_cost_nothing() -> None:
    played = play(position(SMALL_BLUE_MARKET, out=(1,)), AHEAD, 1)
    assert stopped(played) == "d5"
    assert played.story == "faced rolled moved"


def test_two_players_pay_for_the_one_colour_under_assam() -> None:
    """Blue and green are both of the second player; Assam stops on blue."""
    market = """
        .. .. .. .. .. .. ..
        .. .. G2 G2 .. .. ..
        .. .. G3 B1 B1 G4 ..
        .. .. G3 .. .. G4 ..
        .. .. .. .. .. .. ..
        .. B5 B5 .. .. .. ..
        .. .. .. .. .. .. ..
    """
    played = play(position(market, seats=2), AHEAD, 1)
    assert paid_squares(played) == ["d5", "e5"]
    assert played.after.dirhams == (28, 32)


def test_two_players_pay_for_the_second_colour_as_well() -> None:
    market = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. B1 G2 G2 .. ..
        .. .. B1 .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    assert play(position(market, seats=2), AHEAD, 1).after.dirhams == (28, 32)


@pytest.mark.parametrize("colour", ["R", "Y"])
def test_with_two_players_both_own_colours_cost_nothing(colour: str) -> None:
    market = SMALL_BLUE_MARKET.replace("B1", f"{colour}1")
    assert play(position(market, seats=2), AHEAD, 1).story == "faced rolled moved"


def test_corners_do_not_connect() -> None:
    market = """
        .. .. .. .. .. .. ..
        .. .. B2 .. B3 .. ..
        .. .. B2 .. B3 .. ..
        .. .. .. B1 .. .. ..
        .. .. .. B1 .. .. ..
        .. B4 B4 .. B5 B5 ..
        .. .. .. .. .. .. ..
    """
    assert paid_squares(play(position(market, assam="d2 north"), AHEAD, 2)) == ["d3", "d4"]


def test_a_colour_does_not_connect_round_the_edge_of_the_board() -> None:
    market = """
        .. .. .. B3 .. .. ..
        .. .. .. B3 .. .. ..
        B1 .. .. .. .. .. ..
        B1 .. .. .. .. .. B2
        .. .. .. .. .. .. B2
        .. .. .. .. .. .. ..
        .. .. B4 B4 .. .. ..
    """
    played = play(position(market, assam="d4 east"), AHEAD, 3)
    assert paid_squares(played) == ["g3", "g4"]


def test_another_colour_splits_a_region() -> None:
    market = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. B1 Y2 B3 B3
        .. .. .. .. Y2 .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    assert paid_squares(play(position(market), AHEAD, 1)) == ["d5"]


def test_only_the_rug_on_top_counts() -> None:
    """Blue owns d5-e5 until Yellow covers e5; then Red pays Blue for one square."""
    yellow_to_lay = position(SMALL_BLUE_MARKET, mover=2, phase="placement")
    covered = play(yellow_to_lay, lay("e4-e5")).after
    red_to_move = covered._replace(mover=0)
    assert paid_squares(play(red_to_move, AHEAD, 1)) == ["d5"]
    to_yellow = play(red_to_move, Face("right"), 1).only(Paid)
    assert (to_yellow.owner, [NAMES[square] for square in to_yellow.squares]) == (2, ["e4", "e5"])


def test_every_square_of_a_large_winding_region_counts() -> None:
    """The arm through e4 leads to a5, down the west side and round three edges: 31 squares in order."""
    played = play(position(WINDING_BLUE_MARKET, dirhams=(40, 20, 30, 30), assam="d4 east"), AHEAD, 1)
    by_rank = "a1 b1 c1 d1 e1 f1 g1 a2 g2 a3 c3 d3 e3 g3 a4 e4 g4 a5 b5 c5 d5 e5 g5 g6 a7 b7 c7 d7 e7 f7 g7"
    assert paid_squares(played) == by_rank.split()
    assert played.only(Paid).due == 31
    assert played.after.dirhams == (9, 51, 30, 30)


def test_paying_the_last_dirham_does_not_eliminate_a_player() -> None:
    paid = play(position(SMALL_BLUE_MARKET, dirhams=(2, 30, 30, 58)), AHEAD, 1).after
    assert paid.dirhams == (0, 32, 30, 58)
    assert (paid.out, paid.mover, paid.phase) == ((), 0, "placement")
    laid = play(paid, lay("d6-e6")).after
    assert (laid.rugs_left[0], laid.mover) == (11, 1)


def one_dirham_short() -> Played:
    state = position(SMALL_BLUE_MARKET, dirhams=(1, 30, 30, 59), rugs_left=(11, 11, 12, 12), turn=3)
    return play(state, AHEAD, 1)


def test_a_player_who_is_one_dirham_short_pays_everything_and_is_out() -> None:
    played = one_dirham_short()
    assert played.story == "faced rolled moved paid eliminated"
    assert (played.only(Paid).due, played.only(Paid).paid) == (2, 1)
    assert played.only(Eliminated).seat == 0
    assert played.after.dirhams == (0, 31, 30, 59)
    assert played.after.out == (0,)


def test_an_eliminated_player_lays_no_rug_and_their_pile_leaves_the_game() -> None:
    after = one_dirham_short().after
    assert after.laid == 2
    assert after.rugs_left == (0, 11, 12, 12)
    assert legal_actions(after, 0) == ()


def test_the_next_player_continues_where_assam_stopped() -> None:
    after = one_dirham_short().after
    assert (NAMES[after.assam], after.facing) == ("d5", "north")
    assert (after.mover, after.phase, after.turn) == (1, "direction", 4)
    assert to_act(after) == {1}


def test_the_rugs_of_an_eliminated_player_neither_score_nor_cost() -> None:
    """Red's two squares are neutral now; Blue sends Assam onto one of them."""
    after = one_dirham_short().after
    assert [after.visible(seat) for seat in range(4)] == [0, 2, 0, 0]
    stopped_on_red = play(after._replace(assam=position(assam="e3 south").assam, facing="south"), AHEAD, 1)
    assert stopped(stopped_on_red) == "e2"
    assert stopped_on_red.story == "faced rolled moved"
    assert stopped_on_red.after.dirhams == after.dirhams


def test_a_player_without_dirhams_is_eliminated_on_another_players_rug() -> None:
    played = play(position(SMALL_BLUE_MARKET, dirhams=(0, 30, 30, 60)), AHEAD, 1)
    assert played.story == "faced rolled moved paid eliminated"
    assert played.only(Paid).paid == 0
    assert played.after.dirhams == (0, 30, 30, 60)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_last_player_left_wins(seats: int) -> None:
    out = () if seats == 2 else (2,)
    dirhams = (1, 59) if seats == 2 else (1, 60, 29)
    played = play(position(SMALL_BLUE_MARKET, seats=seats, dirhams=dirhams, out=out), AHEAD, 1)
    assert played.story == "faced rolled moved paid eliminated finished"
    result = played.only(Finished).result
    assert (result.winners, result.reason) == ((1,), "last_standing")
    assert result.ranking == (1, 0, *out)
    assert played.after.phase == "over"
    assert to_act(played.after) == frozenset()


RED_ROAD = """
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. R1 R1 ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
"""


def red_turns_assam_east(dirhams: tuple[int, ...], *rolls: int, out: tuple[int, ...] = ()) -> Played:
    """With rotate-after Red has laid a rug and turns Assam towards his own road; the next players roll."""
    state: State = position(
        RED_ROAD, seats=len(dirhams), phase="rotation", dirhams=dirhams, options=ROTATE_AFTER, turn=9, rolls=8, out=out
    )
    return play(state, Rotate("right"), *rolls)


def test_rotate_after_the_next_player_walks_and_pays_at_once() -> None:
    played = red_turns_assam_east((30, 30, 30, 30), 2)
    assert played.story == "turned rolled moved paid"
    assert played.after.dirhams == (32, 28, 30, 30)
    assert (played.after.mover, played.after.phase, played.after.turn) == (1, "placement", 10)


def test_rotate_after_an_eliminated_player_does_not_turn_assam_and_the_next_player_rolls_at_once() -> None:
    """Blue cannot pay on e4; Yellow walks on east from there, over the edge from g4 to g3."""
    played = red_turns_assam_east((60, 1, 30, 29), 1, 3)
    assert played.story == "turned rolled moved paid eliminated rolled moved"
    assert [event.seat for event in played.events if isinstance(event, Rolled)] == [1, 2]
    assert [event.roll for event in played.events if isinstance(event, Rolled)] == [8, 9]
    assert (NAMES[played.after.assam], played.after.facing) == ("g3", "west")
    assert (played.after.mover, played.after.phase, played.after.turn) == (2, "placement", 11)
    assert played.after.laid == 1
    assert played.after.rugs_left == (12, 0, 12, 12)


def test_rotate_after_one_action_can_eliminate_two_players_in_a_row() -> None:
    played = red_turns_assam_east((88, 1, 1, 30), 1, 1, 1)
    assert played.story == "turned" + " rolled moved paid eliminated" * 2 + " rolled moved"
    assert played.after.out == (1, 2)
    assert played.after.dirhams == (90, 0, 0, 30)
    assert NAMES[played.after.assam] == "g4"
    assert (played.after.mover, played.after.phase, played.after.turn) == (3, "placement", 12)


def test_rotate_after_the_game_ends_if_the_last_two_opponents_are_eliminated_in_a_row() -> None:
    played = red_turns_assam_east((88, 1, 1), 1, 1)
    assert played.story == "turned" + " rolled moved paid eliminated" * 2 + " finished"
    result = played.only(Finished).result
    assert (result.winners, result.ranking, result.reason) == ((0,), (0, 2, 1), "last_standing")


def test_rotate_after_the_rugs_of_a_player_just_eliminated_are_neutral_for_the_next_roll() -> None:
    """Blue lost his last dirhams on red e4; Yellow walks from there onto blue g4, which is neutral by now."""
    market = RED_ROAD.replace("R1 R1 ..", "R1 R1 B2")
    state = position(market, phase="rotation", dirhams=(59, 1, 30, 30), options=ROTATE_AFTER)
    played = play(state, Rotate("right"), 1, 2)
    assert played.story == "turned rolled moved paid eliminated rolled moved"
    assert NAMES[played.after.assam] == "g4"
    assert played.after.dirhams == (60, 0, 30, 30)
