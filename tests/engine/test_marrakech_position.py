"""The position that bots see: it says the same from a view as from a state, and a turn changes it as the rules do."""

import pytest

from service.engine.marrakech.actions import LAY, Eliminated, Laid, Moved, Paid, Rolled, Turned
from service.engine.marrakech.board import STRIDE, read_square
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.position import (
    Position,
    end_turn,
    final_shares,
    lay,
    leave,
    places,
    position_of,
    read_position,
    walk,
)
from service.engine.marrakech.rules import legal_actions
from tests.engine.positions import position
from tests.engine.test_finished_games import ENDINGS, events_of, game

every_game = pytest.mark.parametrize("name", ENDINGS)


@every_game
def test_a_view_shows_the_whole_position(name: str) -> None:
    for state in game(name).states():
        if not state.result:
            shown = read_position(MARRAKECH.view(state, state.mover))
            assert shown == position_of(state)._replace(out=tuple(sorted(state.out)))


@every_game
def test_turns_lead_to_the_same_positions_as_the_rules(name: str) -> None:
    record = game(name)
    states, events = record.states(), events_of(record)
    for number, event in enumerate(events):
        before, after = position_of(states[number]), position_of(states[number + 1])
        if isinstance(event, Laid):
            assert {LAY[place] for place in places(before)} == set(legal_actions(states[number], event.seat))
            laid = lay(before, event.squares)
            assert known(end_turn(laid) if before.mover != after.mover else laid) == known(after)
        elif isinstance(event, Turned):
            assert known(end_turn(before)._replace(facing=event.facing)) == known(after)
        elif isinstance(event, Rolled):
            paid = next(here for here in range(number + 1, len(events)) if not isinstance(events[here], Moved | Paid))
            paid += isinstance(events[paid], Eliminated)
            assert known(walk(before, before.facing, event.die)) == known(position_of(states[paid]))


@every_game
def test_the_winners_share_the_win(name: str) -> None:
    shares = final_shares(position_of(game(name).states()[-1]))
    winners = ENDINGS[name].winners
    assert shares == tuple(1 / len(winners) if seat in winners else 0 for seat in range(len(shares)))


def known(after: Position) -> Position:
    """What a turn itself shows: not the colour of the rug that comes to the top of a pile, nor who moves at the end."""
    return after._replace(next_rugs=(), mover=-1 if after.over else after.mover)


def test_rugs_of_players_who_leave_cost_and_score_nothing_but_can_lie_whole() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. B1 B1 .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    before = position_of(position(drawing, assam="d4 north", mover=0))
    blue = 1 << read_square("d5") | 1 << read_square("e5")
    assert before.shown == (0, blue, 0, 0)
    assert walk(before, "north", 1).dirhams == (28, 32, 30, 30)
    after = leave(before, 1)
    assert after.shown == (0, 0, 0, 0)
    assert after.rugs_left == (12, 0, 12, 12)
    assert walk(after, "north", 1).dirhams == (30, 30, 30, 30)
    assert (read_square("d5"), read_square("e5")) not in places(after)
    assert after.whole == {blue}


def test_a_player_who_cannot_pay_is_out_and_the_next_one_moves() -> None:
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. B2 .. .. ..
        .. .. .. B1 B1 .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    before = position_of(position(drawing, assam="d4 north", mover=0, dirhams=(2, 58, 30, 30)))
    after = walk(before, "north", 1)
    assert (after.out, after.mover, after.dirhams, after.rugs_left) == ((0,), 1, (0, 60, 30, 30), (0, 12, 12, 12))
    assert after.assam == before.assam + STRIDE
