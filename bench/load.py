"""Sixteen clients that play, or request INSERTs, as fast as the server responds."""

import http.client
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from statistics import quantiles
from typing import Final, NamedTuple

PROCESSES: Final = 4
THREADS: Final = 4
CLIENTS: Final = PROCESSES * THREADS


class Table(NamedTuple):
    """A game of two people before its first action."""

    game: str
    tokens: tuple[str, str]
    head: int


class Load(NamedTuple):
    """Requests per second, and how long they took."""

    rate: float
    p99: float


def run_load(port: int, seconds: float, tables: Sequence[Sequence[Table]] | None) -> Load:
    """Run all clients for some seconds. Without tables, they request INSERTs."""
    given: Sequence[Sequence[Table] | None] = tables or [None] * CLIENTS
    starts = time.time() + 1.0
    with ProcessPoolExecutor(PROCESSES, get_context("fork")) as processes:
        jobs = [processes.submit(_run_threads, port, starts, seconds, given[n::PROCESSES]) for n in range(PROCESSES)]
        times = [each for job in jobs for each in job.result()]
    return Load(len(times) / seconds, quantiles(times, n=100)[98])


def _run_threads(port: int, starts: float, seconds: float, parts: Sequence[Sequence[Table] | None]) -> list[float]:
    with ThreadPoolExecutor(len(parts)) as threads:
        jobs = [threads.submit(_run_client, port, starts, starts + seconds, part) for part in parts]
        return [each for job in jobs for each in job.result()]


def _run_client(port: int, starts: float, ends: float, tables: Sequence[Table] | None) -> list[float]:
    """Send one request after the other, and return the seconds that each took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    player = None if tables is None else _Player(tables)
    times = []
    time.sleep(max(0.0, starts - time.time()))
    while (began := time.time()) < ends:
        path, body, headers = ("/", b"", {}) if player is None else player.next_request()
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        content = response.read()
        times.append(time.time() - began)
        if response.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{path}: status {response.status}: {content[:200]!r}")
        if player is not None:
            player.read(content)
    return times


class _Player:
    """Plays both seats of one game after the other."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = iter(tables)
        self._next_table()

    def _next_table(self) -> None:
        self._table = next(self._tables)
        self._head, self._seat = self._table.head, 0
        self._action: object = {"type": "face", "direction": "ahead"}

    def next_request(self) -> tuple[str, bytes, dict[str, str]]:
        body = json.dumps({"head": self._head, "action": self._action, "salt": "salt"}).encode()
        headers = {"Authorization": f"Bearer {self._table.tokens[self._seat]}", "Content-Type": "application/json"}
        return f"/api/v1/games/{self._table.game}/actions", body, headers

    def read(self, content: bytes) -> None:
        view = json.loads(content)["view"]
        if view["status"] != "playing":
            self._next_table()
            return
        self._head, (seat, *_) = view["head"], view["to_act"]
        legal = view["legal"] if seat == self._seat else [{"type": "face", "direction": "ahead"}]
        self._action = legal[self._head % len(legal)]
        self._seat = seat
