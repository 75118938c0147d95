"""A server inside the test process: the browser plays on it, and the test can read its database."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from flask import Flask
from werkzeug.serving import make_server

from service.app import create_app, create_context
from service.auth.login import find_or_create_player
from service.config import load_settings
from service.context import AppContext
from service.db.models import Player
from service.engine.marrakech.board import rug_name
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.play import act
from service.games.players import bump_link_version
from service.games.store import StoredGame, entries, load
from service.mail.delivery import Delivery
from service.routes.current import SESSION_COOKIE
from tests.support.tables import join


class GameServer(NamedTuple):
    """The context of the server and its address."""

    ctx: AppContext
    address: str

    def player(self, name: str) -> Player:
        return find_or_create_player(self.ctx, f"{name}@example.org")

    def session(self, name: str) -> Any:
        """The cookie of a browser in which this player is signed in."""
        player = self.player(name)
        token = self.ctx.tokens.session(player.id, player.token_version, self.ctx.clock())
        return {"name": SESSION_COOKIE, "value": token, "url": self.address}

    def table(self, *names: str, title: str = "Friday rugs", **wish: object) -> StoredGame:
        """A game that has begun; the first of them hosts and begins."""
        options = {"first": 0, "variant": wish.get("variant", "standard")}
        pace = wish.get("pace")
        return self.start("marrakech", names, title, options, pace if isinstance(pace, int) else None)

    def start(
        self, game: str, names: Sequence[str], title: str, options: dict[str, object], pace: int | None = None
    ) -> StoredGame:
        """Start any game between these players."""
        host, *others = (self.player(name) for name in names)
        seats = [SeatRequest() for _ in others]
        started = create_game(self.ctx, host, NewGameRequest(game, title, seats, options, pace))
        for player in others:
            started = join(self.ctx, started.id, player)
        return started

    def now(self, game: StoredGame) -> StoredGame:
        return load(self.ctx.database, game.id)

    def seat(self, game: StoredGame, seat: int) -> str:
        return f"/s/{self.ctx.tokens.seat(game.id, seat, 0)}"

    def turn(self, game: StoredGame, seat: int, turn: int) -> str:
        return f"/t/{self.ctx.tokens.turn(game.id, seat, turn, 0)}"

    def replace_links(self, game: StoredGame, seat: int) -> None:
        """Make the links of a seat worthless."""
        bump_link_version(self.ctx, game.id, seat)

    def laid(self, game: StoredGame) -> list[str]:
        """Where rugs were laid, in order."""
        events = (entry.event for entry in entries(self.ctx.database, self.now(game)))
        return [rug_name(event.squares) for event in events if event.type == "laid"]

    def deliver(self) -> None:
        """What a worker does when letters are due: they go to the mailbox page."""
        with closing(Delivery(self.ctx)) as delivery:
            while delivery.deliver():
                pass

    def play(self, game: StoredGame, actions: int = 1000) -> StoredGame:
        """So many actions, now this and now that legal one: rugs lie about, and people pay."""
        game = self.now(game)
        for _ in range(actions):
            if game.status != "playing":
                break
            seat = min(game.rules.to_act(game.state))
            legal = game.rules.view(game.state, seat)["legal"]
            game = act(self.ctx, game.id, seat, game.head, legal[game.head % len(legal)], "salt").game
        return game


@contextmanager
def start_server(
    folder: Path, clock: Callable[[], float] = time.time, furnish: Callable[[Flask], None] | None = None, **more: str
) -> Iterator[GameServer]:
    """Run a server with its mailbox page; a test can add settings and pages of its own."""
    given = {"DATA_DIR": str(folder), "RATE_LIMITS": "off", "WORKER": "off", **more}
    environ = {f"MARRAKECH_{name}": value for name, value in given.items()}
    ctx = create_context(load_settings(environ, folder), clock)
    app = create_app(ctx, mailbox=True)
    if furnish is not None:
        furnish(app)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield GameServer(ctx, f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
        ctx.database.close()
