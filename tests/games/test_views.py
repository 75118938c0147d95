"""The next game that waits for a player."""

import pytest

from service.context import AppContext
from service.db.models import Game, Player, Seat
from service.games.lobby import create_game
from service.games.store import STAND_IN_AFTER
from service.games.views import next_game_id
from tests.support.clock import Clock
from tests.support.tables import OPEN, new_game, play_one_action, play_to_end, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

DAY = 24 * 3600


def test_the_game_with_the_nearest_deadline_is_next_then_the_one_that_has_waited_longest(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock
) -> None:
    late, early = (start_game(ctx, [ann, bo], pace=days * DAY) for days in (3, 1))
    clock.now += 60
    waited = start_game(ctx, [ann, bo])
    clock.now += 60
    newest = start_game(ctx, [ann, bo])
    order = []
    while (found := next_game_id(ctx, ann.id)) is not None:
        order.append(found)
        Game.update(to_act=0).where(Game.id == found).execute(ctx.database)
    assert order == [early.id, late.id, waited.id, newest.id]


def test_no_other_game_waits_for_a_player(ctx: AppContext, ann: Player, bo: Player) -> None:
    create_game(ctx, ann, new_game(OPEN))
    play_to_end(ctx, start_game(ctx, [ann, bo]))
    assert next_game_id(ctx, ann.id) is None
    game = start_game(ctx, [ann, bo])
    assert (next_game_id(ctx, ann.id), next_game_id(ctx, bo.id)) == (game.id, None)
    assert next_game_id(ctx, ann.id, besides=game.id) is None
    for _ in range(2):
        game = play_one_action(ctx, game).game
    assert (next_game_id(ctx, ann.id), next_game_id(ctx, bo.id)) == (None, game.id)


def test_a_seat_that_a_stand_in_plays_is_not_waited_for(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    Seat.update(stood_in=STAND_IN_AFTER).where((Seat.game == game.id) & (Seat.seat == 0)).execute(ctx.database)
    assert next_game_id(ctx, ann.id) is None
