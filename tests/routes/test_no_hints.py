"""While people play against each other, nobody gets a chance, an analysis or a hint, in whatever way they look.

The guided first game against bots is the only one with hints.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import GameAnalysis, Letter, Player
from service.engine.analysis import Analysis
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.protocol import Bot
from service.games.guests import start_guest_game
from service.games.lobby import SeatRequest, create_game
from service.games.play import act
from service.games.store import StoredGame
from service.mail.letters import Outdated, compose
from service.worker import tick
from tests.engine.analysed_bids import BidsAnalyst, bid_highest
from tests.engine.sealed_bids import bid_randomly
from tests.support.browsers import Browser
from tests.support.people import Cast
from tests.support.tables import OPEN, join, new_game, play_one_action, play_to_end, start_bids

HINTS = re.compile(r"analys|strong player|lucky|\bchances?\b|\bbetter\b|best_|\d ?%", re.IGNORECASE)
"""What only an analysis or a hint says."""
LOOKS = re.compile(r'<(style|svg).*?</\1>|<link[^>]*>|\s(?:style|width)="[^"]*"', re.DOTALL)
"""Parts of a page that are not words."""
API = ("", "/events", "/story", "/record", "/record.txt", "/board.svg", "/board.txt", "/messages", "/clock")


class Watched:
    """An analyst and a strong bot that note when somebody asks them."""

    version = 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, states: Sequence[Any], events: Sequence[Any]) -> Analysis:
        self.asked.append("analyst")
        return BidsAnalyst()(states, events)

    @property
    def bots(self) -> Mapping[str, Bot]:
        return {"any": bid_randomly, "strong": self._advise}

    def _advise(self, view: Json, chance: Chance) -> Json:
        self.asked.append("strong bot")
        return bid_highest(view, chance)


@pytest.fixture
def watched(analysed_bids: Any) -> Watched:
    analysed_bids.analyst = watching = Watched()
    analysed_bids.bots = watching.bots
    return watching


@pytest.fixture
def cast(ctx: AppContext) -> Cast:
    return Cast(ctx)


def seen_by_anyone(ctx: AppContext, cast: Cast, game: StoredGame) -> list[str]:
    """All that can be looked at: pages, the API and the letters."""
    seen = [str(person.call("GET", f"/games/{game.id}{path}").text) for person in _people(cast) for path in API]
    readers = [Browser(ctx), *(Browser(ctx, f"{name}@example.org") for name in ("ann", "bo", "eve"))]
    links = [f"/s/{ctx.tokens.seat(game.id, seat, 0)}" for seat in (0, 1)]
    links += [f"/t/{ctx.tokens.turn(game.id, seat, game.turn, 0)}" for seat in (0, 1)]
    for reader in readers:
        pages = [*links, *(f"/g/{game.id}{rest}" for rest in ("", "/replay?step=1"))]
        seen += [reader.get(page) for page in pages]
    for letter in Letter.select().execute(ctx.database):
        with suppress(Outdated):
            seen += list(compose(ctx, letter)[:3])
    return [LOOKS.sub("", each) for each in seen]


def _people(cast: Cast) -> list[Any]:
    return [cast.ann, cast.bo, cast.eve, cast.nobody]


def test_nothing_anywhere_gives_a_hint_during_a_game(
    ctx: AppContext, cast: Cast, ann: Player, bo: Player, watched: Watched
) -> None:
    game = start_bids(ctx, ann, bo)
    for _ in range(3):
        seen = seen_by_anyone(ctx, cast, game)
        assert len(seen) > 50
        assert [found[0] for each in seen for found in HINTS.finditer(each)] == []
        tick(ctx)
        game = play_one_action(ctx, game).game
    assert watched.asked == []
    assert not GameAnalysis.select().exists(ctx.database)
    over = play_to_end(ctx, game)
    tick(ctx)
    assert watched.asked == ["analyst"]
    assert any(HINTS.search(each) for each in seen_by_anyone(ctx, cast, over)), "the test knows hints when it sees them"


def test_the_analysis_itself_is_refused_to_everybody_during_a_game(
    ctx: AppContext, cast: Cast, ann: Player, bo: Player, watched: Watched
) -> None:
    game = start_bids(ctx, ann, bo)
    for person in _people(cast):
        person.get(f"/games/{game.id}/analysis", 404)
    for reader in (Browser(ctx), Browser(ctx, "ann@example.org")):
        answer = reader.client.get(f"/g/{game.id}/analysis?at=1")
        assert (answer.status_code, answer.location) == (302, f"/g/{game.id}")
    assert watched.asked == []


HINT = "What would a strong player do?"
BOTS = SeatRequest(bot="any")


def start_alone(ctx: AppContext, host: Player, *seats: SeatRequest) -> StoredGame:
    """Start the miniature game of one player against a bot and these seats."""
    return create_game(ctx, host, new_game(BOTS, *seats, options={})._replace(game="sealed-bids"))


def test_a_guest_against_bots_can_see_what_a_strong_player_would_do(ctx: AppContext, watched: Watched) -> None:
    trial = start_guest_game(ctx, "sealed-bids", "Trial", "Guest", "en", None)
    page = Browser(ctx).get(f"/s/{ctx.tokens.seat(trial.id, 0, 0)}")
    assert HINT in page
    assert "choice: Bid 4</p>" in page
    assert HINT not in Browser(ctx).get(f"/g/{trial.id}"), "spectators get no hint, either"


def test_so_can_a_player_in_their_first_game_if_all_others_are_bots(
    ctx: AppContext, cast: Cast, ann: Player, bo: Player, watched: Watched
) -> None:
    first = start_alone(ctx, ann)
    assert HINT in Browser(ctx, "ann@example.org").get(f"/g/{first.id}")
    assert watched.asked == ["strong bot"]
    for reader in (Browser(ctx), Browser(ctx, "bo@example.org")):
        assert HINT not in reader.get(f"/g/{first.id}")
    for person in _people(cast):
        for path in API:
            assert not HINTS.search(LOOKS.sub("", person.call("GET", f"/games/{first.id}{path}").text))
    play_to_end(ctx, first)
    assert "strong player" not in Browser(ctx, "ann@example.org").get(f"/g/{start_alone(ctx, ann).id}")
    assert watched.asked == ["strong bot"]


def test_a_first_game_with_bots_and_another_person_has_no_hint(
    ctx: AppContext, ann: Player, bo: Player, watched: Watched
) -> None:
    game = join(ctx, start_alone(ctx, ann, OPEN).id, bo)
    assert game.status == "playing"
    for name in ("ann", "bo"):
        assert "strong player" not in Browser(ctx, f"{name}@example.org").get(f"/g/{game.id}")
    game = act(ctx, game.id, 2, game.head, {"type": "resign"}, "").game
    assert "strong player" not in Browser(ctx, "ann@example.org").get(f"/g/{game.id}"), "Bo can still read along"
    assert watched.asked == []
