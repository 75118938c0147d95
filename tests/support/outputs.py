"""Everything that a server tells one reader about a game, in a form in which two servers can be compared."""

import json
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any, Final, NamedTuple

from flask import Flask
from flask.testing import FlaskClient

from service.context import AppContext
from service.db.letters import NOTIFIED
from service.db.models import Event, Letter, Player
from service.engine.json_reader import Json
from service.games.statistics import read_server_stats
from service.games.store import StoredGame, load
from service.logs import LOGGER, LogFormatter
from service.mail.inbound.handler import receive
from service.mail.letters import Outdated, compose, compose_notification
from service.routes.current import SESSION_COOKIE
from service.routes.pages.session import make_form_token
from service.routes.pictures import set_picture_cache
from tests.mail.inbound.post import address, message
from tests.support.apps import app_for
from tests.support.browsers import HTML
from tests.support.commands import run_server

ADDRESSES: Final = {
    "/": ["/"],
    "/api/v1/games": ["/api/v1/games", "/api/v1/games?status=my-turn"],
    "/api/v1/games/next": ["/api/v1/games/next"],
    "/api/v1/games/<id>": ["/api/v1/games/{game}"],
    "/api/v1/games/<id>/analysis": ["/api/v1/games/{game}/analysis"],
    "/api/v1/games/<id>/board.svg": [
        "/api/v1/games/{game}/board.svg",
        "/api/v1/games/{game}/board.svg?seat={hidden}",
        "/api/v1/games/{game}/board.svg?after={before}",
    ],
    "/api/v1/games/<id>/board.txt": ["/api/v1/games/{game}/board.txt?width=200&height=60&ansi=1"],
    "/api/v1/games/<id>/clock": ["/api/v1/games/{game}/clock"],
    "/api/v1/games/<id>/events": ["/api/v1/games/{game}/events"],
    "/api/v1/games/<id>/messages": ["/api/v1/games/{game}/messages"],
    "/api/v1/games/<id>/record": ["/api/v1/games/{game}/record"],
    "/api/v1/games/<id>/record.txt": ["/api/v1/games/{game}/record.txt"],
    "/api/v1/games/<id>/story": ["/api/v1/games/{game}/story"],
    "/api/v1/me": ["/api/v1/me"],
    "/g/<game_id>": ["/g/{game}"],
    "/g/<game_id>/analysis": ["/g/{game}/analysis"],
    "/g/<game_id>/board.svg": ["/g/{game}/board.svg"],
    "/g/<game_id>/game.svg": ["/g/{game}/game.svg"],
    "/g/<game_id>/over": ["/g/{game}/over"],
    "/g/<game_id>/replay": ["/g/{game}/replay?step={head}", "/g/{game}/replay?step={before}"],
    "/host": ["/host"],
    "/me": ["/me"],
    "/s/<token>": ["/s/{seat}"],
    "/t/<token>": ["/t/{turn}"],
}
"""What can be fetched about a game, by the rules of the URL map."""
SLOW: Final = {"/api/v1/games/<id>/board.png": ["/api/v1/games/{game}/board.png"]}
"""The picture is made of the drawing in `board.svg`."""
WITHOUT_GAMES: Final = re.compile(
    r"/(healthz|readyz|login|manifest|new$|rules|push-worker|static|welcome|me/gone|u/|join/|api/v1/openapi)"
    # The mailbox page has the letters of everybody on a server for one person; the letters are compared one by one.
    r"|/mailbox/"
    # These show only finished games.
    r"|/group|/api/v1/group"
    # Apart from its counts of requests, it is what `read_server_stats` returns.
    r"|/metrics"
)
"""The rules of addresses that say nothing about a running game."""
_RANDOM: Final = re.compile(r'(?<=name="salt" value=")[0-9a-f]+')
_HEADERS: Final = ("Content-Type", "ETag", "Location", "Cache-Control", "Vary", "Content-Disposition")
_CHANGING: Final = {"time", "request_id", "milliseconds"}
Outputs = dict[str, str]
"""What was said, by the request that it answers."""


class Reader(NamedTuple):
    """Somebody who reads: a player, or a stranger without a seat or even without an account (an empty address)."""

    address: str
    seat: int | None


class Server:
    """One server and its game. `hidden` is the seat whose choices its other readers may not know yet."""

    def __init__(self, ctx: AppContext, game_id: str, hidden: int, tries: Sequence[Json] = ()) -> None:
        """`tries` are actions that a curious reader sends, as far as they are not legal."""
        self.ctx, self.hidden, self.tries = ctx, hidden, tries
        self.game: StoredGame = load(ctx.database, game_id)
        self.app: Flask = app_for(ctx, mailbox=True)
        set_picture_cache(self.app)  # another server's game with the same id may have filled it

    def read_all(self, reader: Reader, *, slow: bool = False) -> Outputs:
        """Everything that the reader can fetch or is sent, and then how the server refuses or repeats what they do."""
        client = _Client(self, reader)
        paths = [path for group in (ADDRESSES | (SLOW if slow else {})).values() for path in group]
        found = dict(client.get(path) for path in paths if client.can_open(path))
        return found | self._read_letters(reader) | dict(client.try_everything())

    def read_quickly(self, reader: Reader) -> Outputs:
        """The most telling part of it."""
        client = _Client(self, reader)
        return dict(client.get(f"/api/v1/games/{{game}}{part}") for part in ("", "/events", "/record", "/story"))

    def read_host(self) -> Outputs:
        """What the server host sees, and which letters go to whom."""
        environ = {
            "MARRAKECH_DATA_DIR": str(self.ctx.settings.data_dir),
            "MARRAKECH_DATABASE_URL": self.ctx.settings.database_url,
        }
        commands = ("games", "players", "letters")
        found = {f"marrakech-server {command}": run_server([command], environ).output for command in commands}
        columns = (Letter.kind, Letter.about, Letter.address, Letter.seat, Letter.turn, Letter.status, Letter.due)
        rows = list(Letter.select(*columns).order_by(Letter.id).tuples().execute(self.ctx.database))
        return {**found, "outbox": repr(rows), "metrics": repr(read_server_stats(self.ctx))}

    def _read_letters(self, reader: Reader) -> Outputs:
        """The letters and notifications to the reader that would be sent now."""
        chosen = Letter.select().where(Letter.address == reader.address).order_by(Letter.id)
        found = {}
        for letter in list(chosen.execute(self.ctx.database)):
            try:
                composed = compose(self.ctx, letter)
                found[f"letter {letter.about}"] = repr(composed._replace(pictures=()))
                if letter.kind in NOTIFIED:
                    found[f"notification {letter.about}"] = repr(compose_notification(self.ctx, letter))
            except Outdated as outdated:
                found[f"letter {letter.about}"] = outdated.reason
        return found


class _Client:
    """The reader's browser, API client and mail program."""

    def __init__(self, server: Server, reader: Reader) -> None:
        ctx, game, self._server, self._reader = server.ctx, server.game, server, reader
        self._client: FlaskClient = server.app.test_client()
        self._session, self._token = "", ""
        if reader.address:
            player = Player.select().where(Player.email == reader.address).get(ctx.database)
            self._session = ctx.tokens.session(player.id, player.token_version, ctx.clock())
            self._token = ctx.tokens.api(player.id, player.token_version)
            self._client.set_cookie(SESSION_COOKIE, self._session)
        self._places = {"game": game.id, "hidden": server.hidden, "head": game.head, "before": game.head - 1}
        if reader.seat is not None:
            version = game.seats[reader.seat].link_version
            self._places["seat"] = ctx.tokens.seat(game.id, reader.seat, version)
            self._places["turn"] = ctx.tokens.turn(game.id, reader.seat, game.turn, version)

    def can_open(self, path: str) -> bool:
        """Whether the reader has the link."""
        return self._reader.seat is not None or not {"{seat}", "{turn}"} & set(re.findall(r"\{\w+\}", path))

    def get(self, path: str) -> tuple[str, str]:
        filled = path.format(**self._places)
        return filled, self._send("GET", filled)

    def try_everything(self) -> Iterator[tuple[str, str]]:
        """Requests that change nothing in the game: wrong, late and repeated ones, the export, and a reply."""
        game, here = self._server.game, "/api/v1/games/{game}/actions".format(**self._places)
        legal = game.rules.view(game.state, self._reader.seat)["legal"] if self._reader.seat is not None else []
        bodies: list[Json] = [{"head": game.head, "action": each} for each in self._server.tries if each not in legal]
        bodies += [{"head": game.head, "do": "perhaps"}, {"head": 1, "do": "resign"}, *self._own_actions()]
        for body in bodies:
            yield f"{here} {body}", self._send("POST", here, json=body)
        page = "/g/{game}".format(**self._places)
        form = make_form_token(self._server.ctx.settings.secret_keys[0], self._session)
        yield f"{page} form", self._send("POST", page, data={"form": form, "head": game.head, "do": "perhaps"})
        yield "export", self._send("POST", "/me/export", data={"form": form})
        if self._reader.seat is not None:
            yield "reply", self._reply("perhaps?")

    def _own_actions(self) -> Iterator[Json]:
        """The reader's last action, sent again."""
        if self._reader.seat is None:
            return
        acted = (Event.game == self._server.game.id) & (Event.actor == self._reader.seat)
        rows = Event.select(Event.seen_head, Event.action).where(acted).order_by(Event.seq.desc()).limit(1)
        for head, action in rows.tuples().execute(self._server.ctx.database):
            yield {"head": head, "action": json.loads(action)}

    def _reply(self, words: str) -> str:
        """The answer to a reply that can't be used."""
        ctx, game, seat = self._server.ctx, self._server.game, self._reader.seat or 0
        outcome = receive(ctx, message(address(ctx, game, seat), words, message_id="<same@example.com>"))
        letter = Letter.select().where(Letter.kind == "answer").order_by(Letter.id.desc()).first(ctx.database)
        return f"{outcome} {compose(ctx, letter)._replace(pictures=())}"

    def _send(self, method: str, path: str, **content: Any) -> str:
        headers = {} if path.startswith("/api/") else HTML
        if path.startswith("/api/") and self._token:
            headers = {"Authorization": f"Bearer {self._token}"}
        response = self._client.open(path, method=method, headers=headers, **content)
        told = {name: response.headers.get(name) for name in _HEADERS}
        return f"{response.status_code} {told}\n{_RANDOM.sub('', response.data.decode('latin-1'))}"


@contextmanager
def read_log() -> Iterator[list[Json]]:
    """The lines that are logged meanwhile, without what differs from request to request."""
    stream, logger, lines = StringIO(), logging.getLogger(LOGGER), list[Json]()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogFormatter())
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        written = map(json.loads, stream.getvalue().splitlines())
        lines += [{name: value for name, value in line.items() if name not in _CHANGING} for line in written]
