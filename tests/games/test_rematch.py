"""A rematch: the same players and options, and one rematch however many players ask and however often."""

from collections.abc import Callable

import pytest

from service.context import AppContext
from service.db.models import Game, Letter, Player
from service.errors import Forbidden, NotFound, Problem, Stale
from service.games.lobby import SeatRequest, accept, cancel, create_game, decline
from service.games.play import act
from service.games.players import delete_player
from service.games.rematch import find_rematch, request_rematch
from service.games.store import StoredGame, load
from tests.support.crowd import run_at_once
from tests.support.tables import BOT, OPEN, QueuedLetter, join, new_game, queued_letters, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

OPTIONS = {"first": 2, "variant": "rotate-after"}


@pytest.fixture
def over(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> StoredGame:
    """Ann, Bo, Cy and a bot have played; all letters about it are gone."""
    seats = (SeatRequest("bo@example.org", "Bo"), OPEN, SeatRequest(bot="easy", name="Salma"))
    game = create_game(ctx, ann, new_game(*seats, options=OPTIONS, pace=86_400, name="Souk"))
    accept(ctx, game.id, 1, bo.id)
    return _end(ctx, join(ctx, game.id, cy))


def _end(ctx: AppContext, game: StoredGame) -> StoredGame:
    for seat in game.seats:
        if seat.player is not None and game.status == "playing":
            game = act(ctx, game.id, seat.seat, game.head, {"type": "resign"}, "").game
    assert game.status == "finished"
    Letter.delete().execute(ctx.database)
    return game


def _count_games(ctx: AppContext) -> int:
    return int(Game.select().count(ctx.database))


def test_a_rematch_has_the_same_players_bots_options_and_clock(
    ctx: AppContext, over: StoredGame, ann: Player, bo: Player, cy: Player
) -> None:
    rematch = request_rematch(ctx, over.id, bo)
    assert [seat.player for seat in rematch.seats] == [bo.id, cy.id, None, ann.id]
    assert [(seat.bot, seat.name) for seat in rematch.seats if seat.bot] == [("easy", "Salma")]
    assert (rematch.name, rematch.pace, rematch.time_up, rematch.host) == ("Souk", 86_400, "stand-in", bo.id)
    assert (rematch.options["variant"], rematch.options.get("first")) == ("rotate-after", None)
    assert queued_letters(ctx) == [QueuedLetter("invitation", f"{name}@example.org") for name in ("cy", "ann")]
    assert find_rematch(ctx, over.id) == rematch


def test_a_second_click_and_the_other_players_lead_to_the_same_rematch(
    ctx: AppContext, over: StoredGame, ann: Player, bo: Player, cy: Player
) -> None:
    first = request_rematch(ctx, over.id, ann)
    assert request_rematch(ctx, over.id, ann) == first
    assert request_rematch(ctx, over.id, bo).id == first.id
    started = request_rematch(ctx, over.id, cy)
    assert (started.id, started.status) == (first.id, "playing")
    assert request_rematch(ctx, over.id, bo).id == first.id
    assert _count_games(ctx) == 2


def test_players_who_click_at_the_same_moment_get_one_rematch(
    ctx: AppContext, over: StoredGame, ann: Player, bo: Player, cy: Player
) -> None:
    def click(player: Player) -> Callable[[], StoredGame]:
        return lambda: request_rematch(ctx, over.id, player)

    games = run_at_once(ctx, [click(player) for player in (ann, bo, cy) * 2])
    assert not [game for game in games if isinstance(game, Problem)]
    assert len({game.id for game in games if isinstance(game, StoredGame)}) == 1
    assert _count_games(ctx) == 2
    rematch = find_rematch(ctx, over.id)
    assert rematch is not None
    assert rematch.status == "playing", "every click takes the player's seat"
    assert [kind for kind, *_ in queued_letters(ctx)].count("invitation") == 2


def test_a_rematch_against_bots_starts_at_once(ctx: AppContext, ann: Player) -> None:
    over = _end(ctx, create_game(ctx, ann, new_game(BOT, BOT)))
    rematch = request_rematch(ctx, over.id, ann, mail_link=True)
    assert rematch.status == "playing"
    assert [kind for kind, *_ in queued_letters(ctx) if kind != "turn"] == []


def test_a_host_who_came_by_a_link_gets_the_link_to_the_new_seat(ctx: AppContext, over: StoredGame, bo: Player) -> None:
    for _ in range(2):
        request_rematch(ctx, over.id, bo, mail_link=True)
    assert queued_letters(ctx).count(QueuedLetter("links", "bo@example.org")) == 1


def test_after_a_cancelled_rematch_there_can_be_another(ctx: AppContext, over: StoredGame, ann: Player) -> None:
    first = request_rematch(ctx, over.id, ann)
    cancel(ctx, first.id, ann.id)
    assert find_rematch(ctx, over.id) is None
    second = request_rematch(ctx, over.id, ann)
    assert second.id != first.id
    assert find_rematch(ctx, over.id) == second


def test_a_player_who_has_declined_may_change_their_mind(
    ctx: AppContext, over: StoredGame, ann: Player, bo: Player
) -> None:
    rematch = request_rematch(ctx, over.id, ann)
    decline(ctx, rematch.id, 1, bo.id)
    assert request_rematch(ctx, over.id, bo).seat_of(bo.id) == 1


def test_only_the_players_of_a_finished_game_can_start_a_rematch(
    ctx: AppContext, over: StoredGame, ann: Player, bo: Player, eve: Player
) -> None:
    with pytest.raises(Forbidden):
        request_rematch(ctx, over.id, eve)
    with pytest.raises(NotFound):
        request_rematch(ctx, "unknown", ann)
    playing = start_game(ctx, [ann, bo])
    with pytest.raises(Stale):
        request_rematch(ctx, playing.id, ann)
    waiting = create_game(ctx, ann, new_game(OPEN))
    cancel(ctx, waiting.id, ann.id)
    with pytest.raises(NotFound):
        request_rematch(ctx, waiting.id, ann)
    assert load(ctx.database, over.id) == over
    assert _count_games(ctx) == 3


def test_the_seat_of_a_deleted_player_is_open(ctx: AppContext, over: StoredGame, ann: Player, bo: Player) -> None:
    delete_player(ctx, bo.id)
    seat = request_rematch(ctx, over.id, ann).seats[1]
    assert (seat.player, seat.bot, seat.accepted) == (None, None, False)


def test_there_is_no_rematch_without_anybody_else(ctx: AppContext, ann: Player, bo: Player) -> None:
    over = _end(ctx, start_game(ctx, [ann, bo]))
    delete_player(ctx, bo.id)
    with pytest.raises(Stale, match="Nobody else"):
        request_rematch(ctx, over.id, ann)
    assert _count_games(ctx) == 1
