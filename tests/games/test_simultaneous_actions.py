"""Where several seats act at once: other seats' actions make none stale, and every action still happens once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Player
from service.engine.json_reader import Json
from service.engine.registry import register, unregister
from service.errors import Stale
from service.games import play
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.play import ActionResult, act, apply_action
from service.games.store import StoredGame, entries, load
from tests.engine.sealed_bids import SealedBids
from tests.support.crowd import run_at_once
from tests.support.tables import join, snapshot_matches

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def bid(card: int) -> Json:
    return {"type": "bid", "card": card}


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> Iterator[StoredGame]:
    """Three players, all of them to act."""
    register(SealedBids())
    table = create_game(ctx, ann, NewGameRequest("sealed-bids", "", [SeatRequest()] * 2, {}, None))
    for player in (bo, cy):
        table = join(ctx, table.id, player)
    yield table
    unregister("sealed-bids")


def test_a_second_bid_at_the_same_head_is_not_stale(ctx: AppContext, game: StoredGame) -> None:
    first = act(ctx, game.id, 0, game.head, bid(1), "")
    second = act(ctx, game.id, 1, game.head, bid(2), "")
    assert (first.repeated, second.repeated) == (False, False)
    assert second.game.head == game.head + 2
    assert second.game.rules.to_act(second.game.state) == {2}


def test_the_same_bid_sent_again_is_repeated_whatever_happened_in_between(ctx: AppContext, game: StoredGame) -> None:
    first = act(ctx, game.id, 0, game.head, bid(3), "")
    act(ctx, game.id, 1, game.head, bid(2), "")
    act(ctx, game.id, 2, game.head, bid(2), "")  # the round is over
    act(ctx, game.id, 0, load(ctx.database, game.id).head, bid(1), "")
    before = load(ctx.database, game.id)
    again = act(ctx, game.id, 0, game.head, bid(3), "another salt")
    assert again.repeated
    assert (again.first, again.entries) == (first.first, first.entries)
    assert load(ctx.database, game.id) == before


def test_a_bid_whose_sender_had_seen_an_older_head_is_repeated_by_that_head_only(
    ctx: AppContext, game: StoredGame
) -> None:
    act(ctx, game.id, 0, game.head, bid(3), "")
    second = act(ctx, game.id, 1, game.head, bid(2), "")
    assert act(ctx, game.id, 1, game.head, bid(2), "").entries == second.entries
    with pytest.raises(Stale):
        act(ctx, game.id, 1, game.head + 1, bid(2), "")


def test_a_seat_that_has_acted_since_is_stale(ctx: AppContext, game: StoredGame) -> None:
    act(ctx, game.id, 0, game.head, bid(3), "")
    before = load(ctx.database, game.id)
    with pytest.raises(Stale):
        act(ctx, game.id, 0, game.head, bid(4), "")
    assert load(ctx.database, game.id) == before


def test_an_action_of_a_turn_that_is_over_is_stale(ctx: AppContext, game: StoredGame) -> None:
    for seat in range(3):
        act(ctx, game.id, seat, game.head, bid(seat + 1), "")
    with pytest.raises(Stale):
        act(ctx, game.id, 1, game.head, bid(4), "")


def test_all_seats_acting_at_the_same_moment_are_all_accepted_once(ctx: AppContext, game: StoredGame) -> None:
    def send(seat: int) -> Callable[[], ActionResult]:
        return lambda: act(ctx, game.id, seat, game.head, bid(seat + 1), "")

    results = run_at_once(ctx, [send(number % 3) for number in range(12)])
    played = [result for result in results if isinstance(result, ActionResult)]
    assert len(played) == 12
    assert [result.repeated for result in played].count(False) == 3
    after = load(ctx.database, game.id)
    bids = [entry.event.seat for entry in entries(ctx.database, after) if entry.event.type == "bid"]
    assert sorted(bids) == [0, 1, 2]
    assert snapshot_matches(ctx, game.id)


def test_a_repeated_response_has_a_game_that_is_as_new_as_its_events(ctx: AppContext, game: StoredGame) -> None:
    loaded = act(ctx, game.id, 1, game.head, bid(2), "").game
    first = act(ctx, game.id, 0, game.head, bid(1), "")  # by a request that is a little faster
    again = apply_action(ctx, loaded, 0, game.head, bid(1), "")
    assert (again.repeated, again.entries, again.game) == (True, first.entries, first.game)


def test_an_action_whose_twin_is_stored_between_two_queries_is_repeated(
    ctx: AppContext, game: StoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(ctx, game.id, 1, game.head, bid(2), "")
    find_repeated = play._find_repeated

    def find_then_store_the_twin(*arguments: Any) -> ActionResult | None:
        found = find_repeated(*arguments)
        monkeypatch.undo()
        act(ctx, game.id, 0, game.head, bid(1), "")
        return found

    monkeypatch.setattr(play, "_find_repeated", find_then_store_the_twin)
    again = act(ctx, game.id, 0, game.head, bid(1), "")
    assert again.repeated
    assert snapshot_matches(ctx, game.id)
