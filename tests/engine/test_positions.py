"""The drawings that the other tests use are read correctly."""

import pytest

from service.engine.marrakech.board import NAMES
from service.engine.marrakech.rules import new_game
from service.engine.marrakech.snapshots import StateCodec
from service.engine.marrakech.state import RUGS_EACH, set_up
from tests.engine.positions import (
    ROTATE_AFTER,
    STANDARD,
    LoadedDice,
    NotLoaded,
    draw,
    draw_state,
    evolve_all,
    position,
)

MARKET = """
    R1 R1 .. .. .. .. G2
    .. .. .. .. .. .. G2
    .. .. Y3 .. .. .. ..
    .. .. .. B4 B4 .. ..
    .. .. .. .. .. .. ..
    .. .. .. .. .. .. ..
    R5 .. .. .. .. .. B6
"""


def test_a_drawing_is_read_with_rank_7_on_top() -> None:
    state = position(MARKET)
    shown = [[NAMES[at] for at in NAMES if mask >> at & 1] for mask in state.shown]
    assert shown == [["a1", "a7", "b7"], ["g1", "d4", "e4"], ["c5"], ["g6", "g7"]]
    assert state.laid == 6


def test_drawing_a_state_gives_the_drawing_it_was_read_from() -> None:
    assert draw_state(position(MARKET)).split() == MARKET.split()


def test_a_drawn_state_can_be_stored_and_read_back() -> None:
    state = position(MARKET, out=(1,), dirhams=(40, 0, 50, 30), options=ROTATE_AFTER, assam="g7 west", rolls=9)
    assert StateCodec().read(StateCodec().write(state)) == state


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_bare_position_is_the_opening_of_a_game(seats: int) -> None:
    options = STANDARD._replace(first=0, pile="alternating")
    opening = evolve_all(set_up(options, seats), new_game(options, seats, LoadedDice()))
    assert position(seats=seats, options=options) == opening
    assert sum(opening.rugs_left) == seats * RUGS_EACH[seats]


@pytest.mark.parametrize(
    "cells",
    [
        {"a1": "R1", "c1": "R1"},
        {"a1": "R1", "b2": "R1"},
        {"a1": "R1", "b1": "B1"},
        {"a1": "R1", "b1": "R1", "c1": "R1"},
        {"a1": "r1"},
        {"a1": "R0"},
    ],
)
def test_a_drawing_that_no_game_can_reach_is_refused(cells: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"[Rr]ug"):
        position(draw(cells))


def test_three_players_have_no_green_rugs() -> None:
    with pytest.raises(ValueError, match="for 3 players"):
        position(draw({"a1": "G1"}), seats=3)


def test_a_board_has_seven_ranks() -> None:
    with pytest.raises(ValueError, match="seven ranks"):
        position(".. .. .. .. .. .. ..")


def test_loaded_dice_show_the_chosen_rolls_and_then_refuse() -> None:
    dice = LoadedDice.showing(4, 1)
    assert [dice.roll(7), dice.roll(8)] == [5, 0]
    assert dice.asked == [7, 8]
    with pytest.raises(NotLoaded, match="roll 9"):
        dice.roll(9)
