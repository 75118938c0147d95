"""How many durable actions a second the API takes, how long one takes, and how long a whole game takes to load."""

import math
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.clients import CLIENTS, Crowd, Load, gathered
from bench.games import FINISHED, Tables, begun, fill, played
from bench.houses import House, houses, opened
from bench.machine import stolen
from bench.servers import Server, running
from bench.table import Row
from service.auth.identity import player_with
from service.context import AppContext
from service.games.store import load
from service.games.stored import StoredGame
from service.games.views import visible_record

ROUNDS: Final = 5
SECONDS: Final = 1.6
PACED_ROUNDS: Final = 8
"""So many that a single hiccup of the machine is not what one request in a hundred waits for."""
MOST_ROUNDS: Final = 16
"""Where rounds were disturbed more are made, to have enough of the others to look at beside them."""
PACED_SECONDS: Final = 3.0
_DISTURBED: Final = 0.01
"""A round is disturbed in which others on the same host had so much of the processors."""
REPLAYS: Final = 50


class Round(NamedTuple):
    """One stretch of time in which the clients have asked one server."""

    times: list[float]
    """The seconds of each request."""
    seconds: float
    disturbed: bool

    @property
    def rate(self) -> float:
        return len(self.times) / self.seconds


class Figures(NamedTuple):
    """What was measured of one server: requests a second in each round, and the rounds at half of the load."""

    rates: list[float]
    paced: list[Round]

    @property
    def undisturbed(self) -> list[Round]:
        return [paced for paced in self.paced if not paced.disturbed]

    def is_enough(self) -> bool:
        """Whether no more rounds are needed."""
        return len(self.undisturbed) >= PACED_ROUNDS

    @property
    def p99(self) -> float:
        """Over all rounds, disturbed or not."""
        return _p99(self.paced)

    def __str__(self) -> str:
        """How long requests took at half of the load, and how many came in a second then."""
        paces = [paced.rate for paced in self.paced]
        middle = median(seconds for paced in self.paced for seconds in paced.times)
        quiet = f"p99 {_p99(self.undisturbed) * 1e3:.1f} ms" if self.undisturbed else "none"
        return (
            f"{self.p99 * 1e3:.1f} ms over {len(self.paced)} rounds at {min(paces):.0f} to {max(paces):.0f} a second"
            f" (median {middle * 1e3:.1f} ms; of {len(self.undisturbed)} undisturbed ones {quiet})"
        )


def _p99(rounds: list[Round]) -> float:
    times = sorted(seconds for each in rounds for seconds in each.times)
    return times[math.ceil(len(times) * 0.99) - 1]


def api_rows() -> list[Row]:
    """The rows of the API, on both databases."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as folder, gathered() as crowd:
        return [row for house in houses(Path(folder)) for row in _house_rows(house, crowd, Path(folder))]


def _house_rows(house: House, crowd: Crowd, folder: Path) -> list[Row]:
    with ExitStack() as stack:
        empty, full = (stack.enter_context(opened(house.new_database(), folder)) for _ in range(2))
        events = fill(full)
        tables = [None, Tables(empty), Tables(full)]
        urls = [house.new_database(), empty.settings.database_url, full.settings.database_url]
        servers = [
            stack.enter_context(running(house.kind, "real" if table else "bare", url, folder))
            for table, url in zip(tables, urls, strict=True)
        ]
        figures = _measured(crowd, list(zip(servers, tables, strict=True)))
        return [
            *_rate_rows(house, events, *figures),
            *_latency_rows(house, *figures),
            _memory_row(house, servers[1:]),
            _replay_row(house, full),
        ]


# Rows


def _rate_rows(house: House, events: int, bare: Figures, empty: Figures, full: Figures) -> list[Row]:
    share, slowdown = _ratio(empty.rates, bare.rates), _ratio(empty.rates, full.rates)
    return [
        Row(
            f"api: durable actions, {house.name}, {CLIENTS} clients",
            f"{median(empty.rates):,.0f}/s, {share:.2f} of one INSERT ({median(bare.rates):,.0f}/s)",
            "share of 0.6",
            share >= 0.6,
        ),
        Row(
            f"api: the same with {FINISHED:,} finished games of {events} events",
            f"{median(full.rates):,.0f}/s, the empty one {slowdown:.2f} times as fast",
            "within 1.2",
            slowdown <= 1.2,
        ),
    ]


def _latency_rows(house: House, bare: Figures, empty: Figures, full: Figures) -> list[Row]:
    return [
        Row(
            f"api: p99 at half that load, {what}",
            f"{figures}; bare INSERT: {bare}",
            "below 50 ms",
            figures.p99 < 0.050,
        )
        for what, figures in ((house.name, empty), (f"{FINISHED:,} games", full))
    ]


def _memory_row(house: House, servers: list[Server]) -> Row:
    sizes = [size for server in servers if (size := server.resident()) is not None]
    what = f"api: memory of {'the server' if house.kind == 'waitress' else 'a worker'} after that, {house.name}"
    if not sizes:
        return Row(what, "not measured: this system has no /proc", "below 120 MB", None)
    return Row(what, f"{max(sizes):.0f} MB", "below 120 MB", max(sizes) < 120)


def _replay_row(house: House, ctx: AppContext) -> Row:
    """A whole game of four, loaded from the full database and replayed."""
    people = [player_with(ctx, f"reader{number}@bench.example.org") for number in range(4)]
    with ctx.database.atomic():
        game = played(ctx, begun(ctx, people))
    times = [_timed(lambda: _replayed(ctx, game)) for _ in range(REPLAYS)]
    return Row(
        f"api: a record of {game.head} events loads and replays (median, worst), {house.name.split()[-1]}",
        f"{median(times) * 1e3:.1f} ms, {max(times) * 1e3:.1f} ms",
        "below 20 ms",
        max(times) < 0.020,
    )


def _replayed(ctx: AppContext, game: StoredGame) -> None:
    record = visible_record(ctx, load(ctx.database, game.id))
    if record.states()[-1] != game.state:
        raise RuntimeError("The record does not replay to the state of the game.")


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Measuring


def _measured(crowd: Crowd, servers: list[tuple[Server, Tables | None]]) -> list[Figures]:
    """The figures of each; they take turns, because the machine is not equally fast all the time."""

    def asked(server: Server, tables: Tables | None, seconds: float, pace: float | None = None) -> Round:
        return _round(crowd, Load(server.port, seconds, pace), tables)

    def paced(server: Server, tables: Tables | None) -> Round:
        """A round at half of what the server takes at that very moment."""
        return asked(server, tables, PACED_SECONDS, asked(server, tables, SECONDS).rate / 2)

    for each in servers:
        asked(*each, 1.0)  # connections, caches and prepared statements are there afterwards
    figures = [Figures([], []) for _ in servers]
    for _ in range(ROUNDS):
        for each, of_server in zip(servers, figures, strict=True):
            of_server.rates.append(asked(*each, SECONDS).rate)
    for _ in range(MOST_ROUNDS):
        for each, of_server in zip(servers, figures, strict=True):
            if not of_server.is_enough():
                of_server.paced.append(paced(*each))
    return figures


def _round(crowd: Crowd, load: Load, tables: Tables | None) -> Round:
    matches = tables.laid() if tables else None
    before = stolen()
    times = crowd.run(load, matches)
    disturbed = stolen() - before > _DISTURBED * load.seconds * (os.cpu_count() or 1)
    return Round(times, load.seconds, disturbed)


def _ratio(ones: list[float], others: list[float]) -> float:
    """How much faster the ones are, round by round."""
    return median(one / other for one, other in zip(ones, others, strict=True))
