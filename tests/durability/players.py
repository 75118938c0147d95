"""Clients that play many games at once over HTTP and record every acknowledged action.

After a broken connection a client sends the same request again. Now and then it closes the connection before the
response, or repeats a request that was answered long ago.
"""

import json
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests

from service.auth.login import find_or_create_player
from service.context import AppContext
from tests.support.people import API

_PATIENCE = 120.0
_BROKEN = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
_NOT_NOW = {500, 502, 503, 504}
"""The response while the database restarts. The client tries again."""


class Acknowledged(NamedTuple):
    """An action that the server acknowledged."""

    game: str
    seat: int
    head: int
    action: Any
    salt: str
    tries: int
    """How often it was sent before the response came."""
    events: list[Any]
    repeated: bool


class SeatClient(NamedTuple):
    """The address and token of one player."""

    address: str
    token: str


class Table(threading.Thread):
    """One game after the other, with the same people, until stopped."""

    def __init__(self, clients: "Clients", number: int, seat_clients: Sequence[SeatClient]) -> None:
        super().__init__(name=f"table {number}", daemon=True)
        self._clients, self._seat_clients = clients, seat_clients
        self._random = random.Random(number)  # noqa: S311
        self._session = requests.Session()
        self.trouble: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._clients.closing.is_set():
                self._play(self._set_up())
        except BaseException as trouble:
            self.trouble = trouble
        finally:
            self._session.close()

    def _set_up(self) -> Any:
        seats = [{"email": sitter.address} for sitter in self._seat_clients[1:]]
        variant = self._random.choice(["standard", "rotate-after"])
        view = self._insist(0, "/games", {"game": "marrakech", "seats": seats, "options": {"variant": variant}})[0]
        for seat in range(1, len(self._seat_clients)):
            view = self._insist(seat, f"/games/{view['id']}/seats/{seat}/accept", None)[0]
        self._clients.games.append(view["id"])
        return view

    def _play(self, view: Any) -> None:
        # Taking the last seat starts the game, and the answer shows it to that seat.
        game, seat = view["id"], view["to_act"][0]
        view = self._look(game, seat)
        while view["status"] == "playing" and not self._clients.closing.is_set():
            view = self._act(view, view["to_act"][0])
            time.sleep(self._clients.pause)
            self._clients.going.wait(_PATIENCE)
        # The table stays as it is: a game that was begun is looked at again at the end.

    def _act(self, view: Any, seat: int) -> Any:
        if view["you"] != seat:
            view = self._look(view["id"], seat)
        action, salt = self._random.choice(view["legal"]), secrets.token_hex(8)
        path, body = f"/games/{view['id']}/actions", {"head": view["head"], "action": action, "salt": salt}
        if self._random.random() < 0.1:
            self._hang_up_early(seat, path, body)
        answer, tries = self._insist(seat, path, body)
        taken = Acknowledged(
            view["id"], seat, view["head"], action, salt, tries, answer["events"], answer.get("repeated", False)
        )
        self._clients.acknowledged.append(taken)
        if self._random.random() < 0.1:
            self._send_again(taken)
        return answer["view"]

    def _send_again(self, taken: Acknowledged) -> None:
        """Send it with another salt, which would give another roll. The first one must stay."""
        body = {"head": taken.head, "action": taken.action, "salt": secrets.token_hex(8)}
        answer, _ = self._insist(taken.seat, f"/games/{taken.game}/actions", body)
        assert answer["repeated"], "an action was taken twice"
        assert answer["events"] == taken.events, "an action that was sent again had another outcome"
        self._clients.sent_again += 1

    def _look(self, game: str, seat: int) -> Any:
        return self._insist(seat, f"/games/{game}", None, "GET")[0]

    def _insist(self, seat: int, path: str, body: Any, method: str = "POST") -> tuple[Any, int]:
        """The response, and how many tries it took."""
        until, tries = time.monotonic() + _PATIENCE, 0
        headers = {"Authorization": f"Bearer {self._seat_clients[seat].token}"}
        while True:
            tries += 1
            assert time.monotonic() < until, f"no answer to {method} {path}"
            url = self._random.choice(self._clients.addresses()) + API + path
            try:
                answer = self._session.request(method, url, json=body, headers=headers, timeout=20)
            except _BROKEN:
                self._clients.broken += 1
                time.sleep(0.05)
                continue
            if answer.status_code in _NOT_NOW:
                self._clients.not_now += 1
                time.sleep(0.1)
                continue
            assert answer.status_code in {200, 201}, f"{method} {path} {body}: {answer.status_code} {answer.text}"
            return answer.json(), tries

    def _hang_up_early(self, seat: int, path: str, body: Any) -> None:
        """Send the request and hang up before the response, so that the client can't know whether it happened."""
        parts, sent = urlsplit(self._random.choice(self._clients.addresses())), json.dumps(body).encode()
        head = (
            f"POST {API}{path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Authorization: Bearer {self._seat_clients[seat].token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\nConnection: close\r\n\r\n"
        )
        try:
            with socket.create_connection((parts.hostname, parts.port), timeout=5) as line:
                line.sendall(head.encode() + sent)
        except OSError:
            self._clients.broken += 1


class Clients:
    """All players, and what the server has acknowledged."""

    def __init__(self, ctx: AppContext, addresses: Callable[[], list[str]], games: int, pause: float = 0.0) -> None:
        self.addresses, self.pause = addresses, pause
        self.acknowledged: list[Acknowledged] = []
        self.games: list[str] = []
        self.closing = threading.Event()
        self.going = threading.Event()
        self.broken = self.not_now = self.sent_again = 0
        self._tables = [Table(self, number, _seat_clients(ctx, number)) for number in range(games)]

    def __enter__(self) -> "Clients":
        self.going.set()
        for table in self._tables:
            table.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.going.set()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Pause before new actions, so that checking everything meanwhile takes no longer each time."""
        self.going.clear()
        try:
            yield
        finally:
            self.going.set()

    def close(self) -> None:
        """Let everybody finish their current action."""
        self.closing.set()
        self.going.set()
        for table in self._tables:
            table.join(_PATIENCE + 30)
        self.check()
        assert not any(table.is_alive() for table in self._tables)

    def check(self) -> None:
        """Raise what went wrong in a game."""
        for table in self._tables:
            if table.trouble is not None:
                raise table.trouble

    def play_on(self, actions: int) -> None:
        """Wait until so many more actions were acknowledged."""
        goal, until = len(self.acknowledged) + actions, time.monotonic() + _PATIENCE
        while len(self.acknowledged) < goal:
            self.check()
            assert time.monotonic() < until, f"{len(self.acknowledged)} actions, and no more"
            time.sleep(0.02)


def _seat_clients(ctx: AppContext, number: int) -> list[SeatClient]:
    people = [find_or_create_player(ctx, f"table-{number}-{seat}@example.org") for seat in range(2 + number % 3)]
    return [SeatClient(player.email, ctx.tokens.api(player.id, player.token_version)) for player in people]
