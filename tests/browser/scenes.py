"""What the pictures of the pages show: a server in which it is always the same evening, with tables in every state."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from service.db.letters import KEPT, PARKED
from service.db.models import Letter, Player
from service.engine.dice import Chance
from service.games import chat, lobby
from service.games.analysis import compute_next
from service.games.channels import add_service
from service.games.high_scores import store_high_scores
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.play import act
from service.games.store import StoredGame
from tests.browser.server import GameServer
from tests.support.finished_games import add_game
from tests.support.sign_in import request_letter

EVENING: Final = 1_794_854_700.0
"""Monday, 16 November 2026, at 19:45 in Paris."""
HOST: Final = "amina@example.org"
_DAYS: Final = 2 * 24 * 3600


class Evening:
    """A clock that stands, but for what the setting up of a table takes."""

    def __init__(self) -> None:
        self.now = EVENING

    def __call__(self) -> float:
        return self.now


class Scene(NamedTuple):
    """The tables by what they show, and the links that come by mail."""

    server: GameServer
    tables: dict[str, StoredGame]
    sign_in: str

    def seat(self, table: str, seat: int | None = None) -> str:
        """The page of a seat; of the one whose turn it is where none is named."""
        game = self.tables[table]
        return self.server.seat(game, min(game.rules.to_act(game.state), default=0) if seat is None else seat)


@contextmanager
def _always_alike() -> Iterator[None]:
    """What is drawn by lot comes out the same each time: the numbers of tables, the dice, the codes."""
    chance = Chance(hashlib.sha256(b"an evening").digest(), "drawn")

    def some(number: int) -> bytes:
        return bytes(chance.below(256) for _ in range(number))

    with (
        patch.object(secrets, "token_bytes", some),
        patch.object(secrets, "token_hex", lambda number: some(number).hex()),
        patch.object(secrets, "token_urlsafe", lambda number: some(number).hex()),
        patch.object(secrets, "choice", lambda letters: letters[chance.below(len(letters))]),
    ):
        yield


def set_scene(server: GameServer, clock: Evening) -> Scene:
    """Everybody at their tables."""
    with _always_alike():
        for name in ("amina", "basim", "chadia", "driss", "farid"):
            player = server.player(name)
            named = {"name": name.capitalize(), "time_zone": "Europe/Paris"}
            Player.update(**named).where(Player.id == player.id).execute(server.ctx.database)
        scene = Scene(server, _tables(server, clock), _mailed_link(server))
        # After all letters were delivered: nothing is sent to this channel.
        add_service(server.ctx, server.player("amina"), "ntfy://amina-plays-rugs")
        return scene


def _tables(server: GameServer, clock: Evening) -> dict[str, StoredGame]:
    tables: dict[str, StoredGame] = {}
    tables["cards"] = _woven(server, clock, "Weaving by the fire", _can_play_card)
    tables["weaving"] = _woven(server, clock, "A carpet for Driss", _must_weave)
    tables["woven"] = _woven(server, clock, "Three days of weaving", lambda state: False)
    tables["over"] = _played(server, clock, ["amina", "basim", "chadia", "driss"], "Tea at Driss's", "over")
    compute_next(server.ctx)
    tables["turning"] = _played(server, clock, ["chadia", "amina"], "Turning rugs", "rotation", variant="rotate-after")
    tables["rolled"] = _played(server, clock, ["basim", "amina", "driss"], "Bazaar on Sunday", "placement")
    tables["direction"] = _played(server, clock, ["amina", "basim", "chadia", "driss"], "Friday rugs", "direction")
    for seat, words in ((1, "Lovely move. Who wants tea?"), (0, "Me! With mint, please.")):
        chat.post_message(server.ctx, tables["direction"].id, seat, words)
    tables["waiting"] = _waiting(server, "Long winter evenings")
    tables["full"] = _waiting(server, "Two more seats")
    tables["cancelled"] = _waiting(server, "Never mind")
    lobby.cancel(server.ctx, tables["cancelled"].id, server.player("amina").id)
    _add_autumn(server)
    _park(server)
    return tables


def _played(server: GameServer, clock: Evening, names: list[str], title: str, until: str, **wish: object) -> StoredGame:
    """A game between people who know how to play, in its middle or at its end."""
    clock.now = EVENING - 3 * _DAYS
    game = server.table(*names, title=title, pace=_DAYS, **wish)
    return _play(server, clock, game, lambda now: now.state.phase == until and now.turn > 6 * len(names))


def _woven(server: GameServer, clock: Evening, title: str, is_reached: Callable[[Any], bool]) -> StoredGame:
    """A game of Kilim; the first player is the one to look at."""
    clock.now = EVENING - 3 * _DAYS
    game = server.start("kilim", ("amina", "basim", "chadia", "driss"), title, {}, _DAYS)
    return _play(server, clock, game, lambda now: is_reached(now.state))


def _can_play_card(state: Any) -> bool:
    own = state.seats[0]
    return bool(state.phase == "choose" and state.round > 23 and own.card is None and not own.owes and own.specials)


def _must_weave(state: Any) -> bool:
    own = state.seats[0]
    return bool(state.phase == "choose" and own.owes_weave and len(own.carpet.shown) > 10)


def _play(server: GameServer, clock: Evening, game: StoredGame, is_reached: Callable[[StoredGame], bool]) -> StoredGame:
    """People who know how to play go on until this position, or to the end."""
    chance = Chance(game.name.encode().ljust(32), "move")
    while game.status == "playing" and not is_reached(game):
        clock.now += (EVENING - clock.now) / 12  # the last moves were made a moment ago
        seat = max(game.rules.to_act(game.state))
        action: Any = game.rules.bots["medium"](game.rules.view(game.state, seat), chance)
        game = act(server.ctx, game.id, seat, game.head, action, "salt").game
    clock.now = EVENING
    return game


def _waiting(server: GameServer, title: str) -> StoredGame:
    chairs = [
        SeatRequest(email="basim@example.org", name="Basim"),
        SeatRequest(),
        SeatRequest(bot="medium", name="Zahra"),
    ]
    return create_game(
        server.ctx, server.player("amina"), NewGameRequest("marrakech", title, chairs, {"first": 0}, _DAYS)
    )


def _add_autumn(server: GameServer) -> None:
    """What Chadia and Driss have played this autumn, with Farid or the computer."""
    chadia, driss, farid = (server.player(name) for name in ("chadia", "driss", "farid"))
    two, three = "rugs-laid-2p-standard-shuffled", "rugs-laid-one-out-3p-rotate-after"
    weaving = "kilim-days-over-3p-strict"
    played: list[tuple[str, list[Player | str]]] = [
        (two, [driss, chadia]),
        (three, [farid, driss, chadia]),
        (weaving, [chadia, driss, farid]),
        (two, [chadia, driss]),
        (two, ["medium", chadia]),
        (three, [driss, farid, chadia]),
        (weaving, [driss, "medium", chadia]),
        (two, [farid, chadia]),
        (three, [driss, chadia, farid]),
    ]
    for number, (name, players) in enumerate(played):
        add_game(server.ctx, name, players, EVENING - 2 * _DAYS * (len(played) - number))
    for _ in played:
        store_high_scores(server.ctx)


def _park(server: GameServer) -> None:
    """The letters are in the mailbox; the host's page lists a dozen, and one of them can't be delivered."""
    server.deliver()
    newest = Letter.select(Letter.id).order_by(Letter.id.desc())
    letters = [id_ for (id_,) in newest.limit(12).tuples().execute(server.ctx.database)]
    Letter.delete().where(Letter.id.not_in(letters)).execute(server.ctx.database)
    Letter.update(status=KEPT).where(Letter.id.not_in(letters[:3])).execute(server.ctx.database)
    trouble = {"status": PARKED, "tries": 8, "trouble": "550 5.1.1 The mailbox is full of other rugs."}
    Letter.update(**trouble).where(Letter.id == letters[0]).execute(server.ctx.database)


def _mailed_link(server: GameServer) -> str:
    return f"/login/{request_letter(server.ctx, 'elif@example.org').link}"
