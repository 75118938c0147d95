"""A server inside the test's own process: the browser plays on it, and the test can look into its books."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from flask import Flask
from werkzeug.serving import make_server

from service.app import create_app
from service.engine.marrakech.board import rug_name
from service.identity import player_with
from service.lobby import Chair, Wish, create, join
from service.models import Player
from service.office import Office, open_office
from service.play import act
from service.seat_links import renew
from service.settings import load_settings
from service.store import entries, load
from service.stored import StoredGame


class House(NamedTuple):
    """The server's tools and its address."""

    office: Office
    address: str

    def player(self, name: str) -> Player:
        return player_with(self.office, f"{name}@example.org")

    def table(self, *names: str, title: str = "Friday rugs", **wish: object) -> StoredGame:
        """A game that has begun; the first of them hosts and begins."""
        host, *others = (self.player(name) for name in names)
        options = {"first": 0, "variant": wish.get("variant", "standard")}
        pace = wish.get("pace")
        chairs = [Chair() for _ in others]
        game = create(
            self.office, host, Wish("marrakech", title, chairs, options, pace if isinstance(pace, int) else None)
        )
        for player in others:
            game = join(self.office, game.id, player)
        return game

    def now(self, game: StoredGame) -> StoredGame:
        return load(self.office.database, game.id)

    def seat(self, game: StoredGame, seat: int) -> str:
        return f"/s/{self.office.links.seat(game.id, seat, 0)}"

    def turn(self, game: StoredGame, seat: int, turn: int) -> str:
        return f"/t/{self.office.links.turn(game.id, seat, turn, 0)}"

    def replace_links(self, game: StoredGame, seat: int) -> None:
        """Make the links of a seat worthless."""
        renew(self.office, game.id, seat)

    def laid(self, game: StoredGame) -> list[str]:
        """Where rugs were laid, in order."""
        events = (entry.event for entry in entries(self.office.database, self.now(game)))
        return [rug_name(event.squares) for event in events if event.type == "laid"]

    def play(self, game: StoredGame, actions: int = 1000) -> StoredGame:
        """So many actions, now this and now that legal one: rugs lie about, and people pay."""
        game = self.now(game)
        for _ in range(actions):
            if game.status != "playing":
                break
            seat = min(game.rules.to_act(game.state))
            legal = game.rules.view(game.state, seat)["legal"]
            game = act(self.office, game.id, seat, game.head, legal[game.head % len(legal)], "salt").game
        return game


@contextmanager
def open_house(
    folder: Path, clock: Callable[[], float] = time.time, furnish: Callable[[Flask], None] | None = None, **more: str
) -> Iterator[House]:
    """A house whose server is up, its mailbox page and all; more settings can be given, and pages of the test's own."""
    given = {"DATA_DIR": str(folder), "RATE_LIMITS": "off", "WORKER": "off", **more}
    environ = {f"MARRAKECH_{name}": value for name, value in given.items()}
    office = open_office(load_settings(environ, folder), clock)
    app = create_app(office, mailbox=True)
    if furnish is not None:
        furnish(app)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield House(office, f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
        office.database.close()
