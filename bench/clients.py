"""Sixteen clients of a server on loopback, in processes of their own: people who play, or a plain INSERT each time."""

import json
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from random import Random
from typing import Any, Final, NamedTuple, Protocol

PROCESSES: Final = 4
IN_A_PROCESS: Final = 4
CLIENTS: Final = PROCESSES * IN_A_PROCESS
_SECONDS_TO_GATHER: Final = 0.5
_PATIENCE: Final = 30.0
_DIRECTIONS: Final = ("left", "ahead", "right")


class Match(NamedTuple):
    """A game that has begun and waits for its first action, and what its two people need to play it."""

    game: str
    tokens: tuple[str, str]
    head: int
    mover: int


class Load(NamedTuple):
    """What is asked of the clients: on which port, for how long, and how many requests a second at most, all in all."""

    port: int
    seconds: float
    pace: float | None = None


class _Part(NamedTuple):
    """One client's part of a load; it begins at a moment of the monotonic clock, which all processes share."""

    port: int
    begins: float
    ends: float
    interval: float
    """Seconds from one request to the next; 0: as soon as the last one is answered."""
    matches: Sequence[Match] | None
    """None: the client plays nothing and asks for INSERTs."""


class Crowd:
    """The clients, ready to run one load after the other."""

    def __init__(self, processes: ProcessPoolExecutor) -> None:
        self._processes = processes

    def run(self, load: Load, matches: Sequence[Sequence[Match]] | None) -> list[float]:
        """The seconds that each answered request took; raises where an answer was anything but 200."""
        begins = time.monotonic() + _SECONDS_TO_GATHER
        interval = CLIENTS / load.pace if load.pace else 0.0
        parts = [
            # Paced clients do not all come at the same moment.
            _Part(
                load.port,
                begins + interval * client / CLIENTS,
                begins + load.seconds,
                interval,
                matches[client] if matches is not None else None,
            )
            for client in range(CLIENTS)
        ]
        jobs = [self._processes.submit(_together, parts[first::PROCESSES]) for first in range(PROCESSES)]
        return [seconds for job in jobs for seconds in job.result(load.seconds + 2 * _PATIENCE)]


@contextmanager
def gathered() -> Iterator[Crowd]:
    """The clients' processes, for as long as they are needed."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as processes:
        yield Crowd(processes)


def _together(parts: Sequence[_Part]) -> list[float]:
    with ThreadPoolExecutor(len(parts)) as threads:
        return [seconds for times in threads.map(_client, parts) for seconds in times]


def _client(part: _Part) -> list[float]:
    """Send one request after the other until the time is up; a paced one is timed from when it was due."""
    work: _Work = _Inserting() if part.matches is None else _Playing(part.matches)
    times = []
    with socket.create_connection(("127.0.0.1", part.port), _PATIENCE) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        due = part.begins
        while due < part.ends:
            time.sleep(max(0.0, due - time.monotonic()))
            wire.sendall(work.request())
            work.answered(_answer(wire))
            done = time.monotonic()
            if done < part.ends:
                times.append(done - due)
            due = due + part.interval if part.interval else done
    return times


class _Work(Protocol):
    """What a client does over and over."""

    def request(self) -> bytes:
        """The next request."""

    def answered(self, body: bytes) -> None:
        """Look at the answer to it."""


class _Playing:
    """Plays both sides of one game after the other."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self._matches = iter(matches)
        self._random = Random(matches[0].game)
        self._next_match()

    def _next_match(self) -> None:
        match = next(self._matches, None)
        if match is None:
            raise RuntimeError("The clients have played all their games; prepare more of them.")
        self._match, self._head, self._mover = match, match.head, match.mover
        self._legal = _facings()

    def request(self) -> bytes:
        action = self._random.choice(self._legal)
        body = {"head": self._head, "action": action, "salt": f"{self._random.getrandbits(64):016x}"}
        return _post(f"/api/v1/games/{self._match.game}/actions", body, self._match.tokens[self._mover])

    def answered(self, body: bytes) -> None:
        view = json.loads(body)["view"]
        if view["status"] == "finished":
            self._next_match()
            return
        self._head, self._mover = view["head"], view["to_act"][0]
        # What the next player may do is not in the view of the one who has just acted, and a turn always begins so.
        self._legal = view["legal"] or _facings()


class _Inserting:
    """Asks for one INSERT after the other, with a body like that of an action."""

    def __init__(self) -> None:
        self._random = Random(0)

    def request(self) -> bytes:
        action = self._random.choice(_facings())
        body = {"head": 100, "action": action, "salt": f"{self._random.getrandbits(64):016x}"}
        return _post("/insert", body, "the-token-of-an-action-is-about-as-long-as-this-one-is")

    def answered(self, body: bytes) -> None:
        json.loads(body)


def _facings() -> list[Any]:
    return [{"type": "face", "direction": direction} for direction in _DIRECTIONS]


# The clients share the machine with the server, so they speak as little HTTP as will do: `http.client` would take
# about as much of it as the server.


def _post(path: str, body: object, token: str) -> bytes:
    written = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(written)}\r\n\r\n"
    )
    return head.encode() + written


def _answer(wire: socket.socket) -> bytes:
    """The body of the answer, which must be a 200."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _more(wire)
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    length = int(headers[b"content-length"])
    while len(body) < length:
        body += _more(wire)
    if status.split()[1] != b"200":
        raise RuntimeError(f"The server answered {status.decode()}: {body[:300].decode(errors='replace')}")
    return body


def _more(wire: socket.socket) -> bytes:
    received = wire.recv(65536)
    if not received:
        raise RuntimeError("The server closed the connection.")
    return received
