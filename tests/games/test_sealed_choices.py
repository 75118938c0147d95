"""A sealed card, bid or scrap changes nothing that anyone else can see, read or be sent, until the rules reveal it.

Servers are compared that have the same database but for one choice: whatever anyone but its player gets from them must
be equal. As soon as the choice is public, and at any time for its player, it must not.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from gettext import NullTranslations
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from service.app import build_context
from service.auth.login import find_or_create_player
from service.clocks.deadlines import run_due_clocks
from service.context import AppContext
from service.db.connection import open_database
from service.engine.json_reader import Json
from service.games.chat import post_message
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.players import delete_player
from service.games.store import STAND_IN_AFTER, StoredGame, load, set_stood_in
from service.games.vapid import load_vapid_key
from service.mail.inbound.answers import Result
from service.mail.inbound.handler import receive
from tests.mail.inbound.post import DOMAIN, address, message
from tests.support.apps import app_for
from tests.support.clock import Clock
from tests.support.outputs import ADDRESSES, SLOW, WITHOUT_GAMES, Outputs, Reader, Server, read_log
from tests.support.soak import SOAKING
from tests.support.tables import OPEN, join

PEOPLE: Final = tuple(Reader(f"{name}@example.org", seat) for seat, name in enumerate(("ann", "bo", "cy")))
EVE: Final = Reader("eve@example.org", None)
NOBODY: Final = Reader("", None)
DAY: Final = 24 * 3600
MANY_ROUNDS: Final = 18 if SOAKING else 0
_ENGLISH: Final = NullTranslations()
_SCRIPT: Final = (("spy", "spy", "gold"), ("bag", "artisan", "gold"), ("gold", "gold", "gold"))
"""What Ann, Bo and Cy play in three rounds, so that they bid for everything."""
_TRIES: Final[Sequence[Json]] = (
    *({"type": "keep", "scrap": scrap} for scrap in ("bird", "eye", "horn", "star", "tree")),
    {"type": "play", "card": 15},
    {"type": "bid", "gold": 15},
    {"type": "pass"},
)
_files = count()


@pytest.fixture
def ctx(ctx: AppContext) -> AppContext:
    """The context of a server that reads replies, counts no requests and is hosted by Ann."""
    settings = replace(ctx.settings, inbound_domain=DOMAIN, rate_limits=False, hosts=(PEOPLE[0].address,))
    load_vapid_key(ctx.database)  # otherwise each server creates one of its own
    return build_context(settings, ctx.database, ctx.clock)


def invite(ctx: AppContext, weaving: str, bots: int = 0) -> StoredGame:
    """A game of Ann, Bo, Cy and bots that waits for Cy."""
    ann, bo, *_ = [find_or_create_player(ctx, each.address) for each in (*PEOPLE, EVE)]
    seats = [OPEN, OPEN, *[SeatRequest(bot="medium")] * bots]
    game = create_game(ctx, ann, NewGameRequest("kilim", "", seats, {"weaving": weaving}, DAY))
    return join(ctx, game.id, bo)


def start(ctx: AppContext, weaving: str, bots: int = 0) -> StoredGame:
    """A game of Ann, Bo, Cy and bots."""
    game = join(ctx, invite(ctx, weaving, bots).id, find_or_create_player(ctx, PEOPLE[2].address))
    post_message(ctx, game.id, 0, "Good luck!")  # so that there are e-mails about the chat, too
    return game


def copy(ctx: AppContext) -> AppContext:
    """Another server with the same database."""
    file = Path(ctx.settings.data_dir, f"copy-{next(_files)}.db")
    with closing(sqlite3.connect(file)) as target:
        ctx.database.connection().backup(target)
    url = f"sqlite:///{file}"
    return build_context(replace(ctx.settings, database_url=url), open_database(url), ctx.clock)


# Comparing servers


def read(ctx: AppContext, game_id: str, reader: Reader, hidden: int, *, in_full: bool = False) -> Outputs:
    """What the reader gets from a server."""
    # Trying things out leaves traces, such as answers to replies; the game goes on without them.
    server = Server(copy(ctx) if in_full else ctx, game_id, hidden, _TRIES)
    return server.read_all(reader, slow=SOAKING) if in_full else server.read_quickly(reader)


def check_equal(found: Outputs, other: Outputs) -> None:
    """What both servers say must be equal, request by request."""
    assert found.keys() == other.keys()
    for request in found:
        assert found[request] == other[request], request


def check_nobody_notices(ctx: AppContext, other: AppContext, game_id: str, hidden: int, *readers: Reader) -> None:
    """For these readers, and for the server host, both servers are the same in everything."""
    for reader in readers:
        check_equal(*(read(each, game_id, reader, hidden, in_full=True) for each in (ctx, other)))
    check_equal(*(Server(each, game_id, hidden).read_host() for each in (ctx, other)))


class Other(NamedTuple):
    """A server on which a seat has made another secret choice."""

    ctx: AppContext
    seat: int
    kind: str
    chosen: str
    instead: str


class Table:
    """A game, and beside it the same game with other choices, as long as nobody may know them."""

    def __init__(self, ctx: AppContext, game: StoredGame) -> None:
        self.ctx, self.id = ctx, game.id
        self.others: list[Other] = []
        self.compared: list[str] = []
        """The kinds of choices that were compared."""
        self.revealed: list[str] = []
        """Those of them that have become public since."""
        self._ways, self._turns = count(), count()

    @property
    def game(self) -> StoredGame:
        return load(self.ctx.database, self.id)

    def act(self, seat: int, words: str) -> None:
        """Play in the game and in all others."""
        self._send_all(seat, [(other.ctx, _say(other, seat, words)) for other in self.others], words)

    def seal(self, seat: int, kind: str, words: str, instead: str) -> None:
        """Play a secret choice, and another one on another server."""
        other = Other(copy(self.ctx), seat, kind, words, instead)
        self._send_all(seat, [(other.ctx, instead), *((each.ctx, words) for each in self.others)], words)
        self.others.append(other)
        own, others_own = self._read_both(other, PEOPLE[seat])
        assert own != others_own
        self.check(other, in_full=SOAKING or kind not in self.compared)
        self.compared.append(kind)

    def _send_all(self, seat: int, others: Sequence[tuple[AppContext, str]], words: str) -> None:
        way, logs = next(self._ways) % len(WAYS), []
        for server, said in ((self.ctx, words), *others):
            with read_log() as log:
                WAYS[way](server, load(server.database, self.id), seat, said)
            logs.append(log)
        assert all(log == logs[0] for log in logs)

    def check_others(self) -> None:
        """Nobody has noticed anything yet."""
        for other in self.others:
            self.check(other, in_full=SOAKING)

    def check(self, other: Other, *, in_full: bool) -> None:
        """One reader after the other gets the same from the game and from the other one."""
        readers = [reader for reader in (*PEOPLE, EVE, NOBODY) if reader.seat != other.seat]
        reader = readers[next(self._turns) % len(readers)]
        check_equal(*self._read_both(other, reader, in_full=in_full))
        if in_full:
            check_equal(*(Server(each, self.id, other.seat).read_host() for each in (self.ctx, other.ctx)))

    def reveal(self, others: Sequence[Other]) -> None:
        """From now on everybody must notice these choices."""
        for other in others:
            for reader in (*PEOPLE, EVE, NOBODY):
                found, others_found = self._read_both(other, reader)
                assert found != others_found
            self.revealed.append(other.kind)
        self.forget(others)

    def forget(self, others: Sequence[Other]) -> None:
        self.others = [other for other in self.others if other not in others]
        for other in others:
            other.ctx.database.close()

    def _read_both(self, other: Other, reader: Reader, *, in_full: bool = False) -> Iterator[Outputs]:
        return (read(each, self.id, reader, other.seat, in_full=in_full) for each in (self.ctx, other.ctx))


def _say(other: Other, seat: int, words: str) -> str:
    """What the seat says on the other server: who has kept another scrap uses that one."""
    kept, instead = other.chosen.split()[-1], other.instead.split()[-1]
    return words.replace(kept, instead) if seat == other.seat and words.startswith("patch") else words


# Ways to play


def _play_by_mail(ctx: AppContext, game: StoredGame, seat: int, words: str) -> None:
    reply = message(address(ctx, game, seat), words, message_id=f"<{game.head}@example.org>")
    assert receive(ctx, reply).result is Result.PLAYED


def _play_through_api(ctx: AppContext, game: StoredGame, seat: int, words: str) -> None:
    player = find_or_create_player(ctx, PEOPLE[seat].address)
    headers = {"Authorization": f"Bearer {ctx.tokens.api(player.id, player.token_version)}"}
    body = {"head": game.head, "do": words}
    path = f"/api/v1/games/{game.id}/actions"
    assert app_for(ctx, mailbox=True).test_client().post(path, json=body, headers=headers).status_code == 200


def _play_on_page(ctx: AppContext, game: StoredGame, seat: int, words: str) -> None:
    link = ctx.tokens.seat(game.id, seat, game.seats[seat].link_version)
    _submit(ctx, f"/s/{link}", game.head, words)


def _play_with_link(ctx: AppContext, game: StoredGame, seat: int, words: str) -> None:
    link = ctx.tokens.turn(game.id, seat, game.turn, game.seats[seat].link_version)
    _submit(ctx, f"/t/{link}", game.head, words)


def _submit(ctx: AppContext, path: str, head: int, words: str) -> None:
    form = {"head": head, "do": words, "sure": "yes"}
    assert app_for(ctx, mailbox=True).test_client().post(path, data=form).status_code == 303


WAYS: Final = (_play_by_mail, _play_through_api, _play_on_page, _play_with_link)


# Choosing


class Choice(NamedTuple):
    """What a seat does next."""

    kind: str
    words: str
    instead: str
    """What it could do as well; empty if the choice is no secret."""


def choose(game: StoredGame, seat: int) -> Choice:
    """Follow the script in playing cards, bid what wins, use scraps at once."""
    view = game.rules.view(game.state, seat)
    first = next((action for action in view["legal"] if action["type"] == "patch"), view["legal"][0])
    options = [action for action in view["legal"] if action["type"] == first["type"]]
    match first["type"]:
        case "play":
            gold = [action for action in options if isinstance(action["card"], int)]
            wanted = {"type": "play", "card": _SCRIPT[(view["round"] - 1) % 3][seat]}
            chosen = wanted if wanted in options else gold[(len(gold) // 2 + seat) % len(gold)]
            return _make_choice(game, view, "play", chosen, options)
        case "bid":
            card = view["shown"][seat]
            chosen = options[0] if card == "artisan" else options[-1 - seat]  # not the same as others
            return _make_choice(game, view, f"bid after {card}", chosen, options)
        case "keep":
            return _make_choice(game, view, "keep", first, options)
    return _make_choice(game, view, first["type"], first, [])


def _make_choice(game: StoredGame, view: Json, kind: str, chosen: Json, options: Sequence[Json]) -> Choice:
    instead = next((action for action in reversed(options) if action != chosen), None)
    keys = {str(choice.action): choice.key for choice in game.ui.choices(view, _ENGLISH)}
    return Choice(kind, keys[str(chosen)], keys[str(instead)] if instead else "")


@pytest.mark.parametrize(("weaving", "bots", "rounds"), [("relaxed", 1, 2), ("strict", 0, 3)])
def test_nobody_else_can_tell_one_secret_choice_from_another(
    ctx: AppContext, weaving: str, bots: int, rounds: int
) -> None:
    table = Table(ctx, start(ctx, weaving, bots))
    while (game := table.game).status == "playing" and game.state.round <= (MANY_ROUNDS or rounds):
        waiting = sorted(game.rules.to_act(game.state))
        choice = choose(game, waiting[0])
        if choice.instead and (len(waiting) > 1 or choice.kind == "keep"):
            table.seal(waiting[0], choice.kind, choice.words, choice.instead)
        else:
            table.act(waiting[0], choice.words)
        is_over, is_used = table.game.turn > game.turn, choice.kind == "patch"
        if bots and is_over:  # a bot plays at random, so what follows may differ
            table.forget([other for other in table.others if other.kind == "keep"])
        table.reveal([other for other in table.others if (is_used if other.kind == "keep" else is_over)])
        table.check_others()
    assert {"play", "bid after spy"} <= set(table.revealed)
    assert bots or {"bid after bag", "keep"} <= set(table.revealed)


def test_a_choice_stays_secret_when_its_player_resigns_and_until_all_have_played(ctx: AppContext) -> None:
    table = Table(ctx, start(ctx, "relaxed"))
    table.seal(0, "play", "7", "artisan")
    table.act(0, "resign")
    table.check_others()
    table.act(1, "5")
    table.check(table.others[0], in_full=True)
    table.act(2, "6")
    table.reveal(table.others)


def test_a_choice_stays_secret_when_its_player_is_deleted(ctx: AppContext, clock: Clock) -> None:
    game, other = start(ctx, "strict"), copy(ctx)
    for server, card in ((ctx, "7"), (other, "spy")):
        _play_on_page(server, game, 0, card)
        delete_player(server, find_or_create_player(server, PEOPLE[0].address).id, resign=True)
    clock.now += DAY / 2
    for server in (ctx, other):
        run_due_clocks(server)
    check_nobody_notices(ctx, other, game.id, 0, PEOPLE[1])


def test_cards_of_bots_and_of_players_who_are_away_for_long_are_secret(ctx: AppContext) -> None:
    """A stand-in that has taken over a seat plays its cards at once, as a bot does."""
    game = invite(ctx, "relaxed", bots=1)
    set_stood_in(ctx.database, game.id, 1, STAND_IN_AFTER)
    by_cards: dict[tuple[object, ...], AppContext] = {}
    while len(by_cards) < 2:
        server = copy(ctx)
        started = join(server, game.id, find_or_create_player(server, PEOPLE[2].address))
        by_cards[tuple(started.state.seats[seat].card for seat in (1, 3))] = server
    one, other = by_cards.values()
    check_nobody_notices(one, other, game.id, 1, PEOPLE[0], NOBODY)


def test_every_address_that_shows_games_is_compared(ctx: AppContext) -> None:
    rules = {rule.rule for rule in app_for(ctx, mailbox=True).url_map.iter_rules() if "GET" in (rule.methods or ())}
    assert {rule for rule in rules if not WITHOUT_GAMES.match(rule)} == ADDRESSES.keys() | SLOW.keys()
