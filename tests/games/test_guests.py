"""Games of visitors who have not signed in: against bots, without letters, deleted after a while."""

from dataclasses import replace

import pytest

from service.auth.addresses import read_address
from service.auth.rate_limits import GUEST_GAMES_BY_NETWORK
from service.context import AppContext
from service.db.models import Event, Game, Letter, Player, Seat
from service.errors import BadRequest, RateLimited
from service.games.guests import KEPT_SECONDS, is_guest, start_guest_game
from service.games.players import resend_all_links
from service.games.store import StoredGame, load
from tests.support.clock import Clock
from tests.support.tables import play_to_end, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def try_it(ctx: AppContext, ip: str = "192.0.2.1") -> StoredGame:
    return start_guest_game(ctx, "marrakech", "Trial game", "Guest", "en", ip)


def guests(ctx: AppContext) -> list[Player]:
    return [player for player in Player.select().execute(ctx.database) if is_guest(player)]


def test_a_guest_plays_a_whole_game_against_bots_and_gets_no_letter(ctx: AppContext) -> None:
    game = try_it(ctx)
    assert (game.status, game.pace, [seat.bot is not None for seat in game.seats]) == (
        "playing",
        None,
        [False, True, True],
    )
    assert play_to_end(ctx, game).status == "finished"
    assert Letter.select().count(ctx.database) == 0


def test_nobody_can_sign_in_as_a_guest_or_mail_one(ctx: AppContext) -> None:
    try_it(ctx)
    (guest,) = guests(ctx)
    with pytest.raises(BadRequest):
        read_address(guest.email)
    assert resend_all_links(ctx) == 0


def test_old_games_of_guests_are_deleted_and_no_others(ctx: AppContext, clock: Clock, ann: Player, bo: Player) -> None:
    others, old = start_game(ctx, [ann, bo]), try_it(ctx)
    clock.now += KEPT_SECONDS - 60
    recent = try_it(ctx)
    clock.now += 120
    new = try_it(ctx)
    assert {game.id for game in Game.select(Game.id).execute(ctx.database)} == {others.id, recent.id, new.id}
    assert len(guests(ctx)) == 2
    assert not Event.select().where(Event.game == old.id).exists(ctx.database)
    assert not Seat.select().where(Seat.game == old.id).exists(ctx.database)
    assert load(ctx.database, recent.id).status == "playing"


def test_games_of_guests_are_limited_by_network(ctx: AppContext) -> None:
    limited = ctx._replace(settings=replace(ctx.settings, rate_limits=True))
    for _ in range(GUEST_GAMES_BY_NETWORK.most):
        try_it(limited)
    with pytest.raises(RateLimited):
        try_it(limited)
    assert try_it(limited, "198.51.100.1").status == "playing"
