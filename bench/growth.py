"""How a house grows: the same figures at a hundred, a thousand, ten thousand and a hundred thousand games."""

import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from werkzeug.test import create_environ, run_wsgi_app

from bench.clients import Crowd, Load, gathered
from bench.games import Tables, fill
from bench.houses import House, houses, opened
from bench.servers import Server, running
from bench.table import Row
from service.app import create_app
from service.context import AppContext
from service.db.backup import make_backup
from service.db.models import Game, Letter, Player, Seat
from service.games.store import check_snapshots
from service.mail.delivery import Delivery
from service.routes.pages.sessions import COOKIE
from service.worker import tick

STEPS: Final = (100, 1_000, 10_000, 100_000)
GAMES_FOR_A_READER: Final = 10
TIMES: Final = 40
ROUNDS: Final = 3
SECONDS: Final = 1.0
GAMES_EACH: Final = 4
"""Games for each client in such a round."""


class Figure(NamedTuple):
    """What is measured at every step; what is counted for the whole house grows with it, the rest had better not."""

    name: str
    unit: str
    digits: int
    of_the_whole_house: bool = False


FIGURES: Final = (
    Figure("durable actions", "a second", 0),
    Figure("the page of a game", "ms", 1),
    Figure(f"the home page of somebody with {GAMES_FOR_A_READER} games", "ms", 1),
    Figure("a tick of a worker with nothing to do", "ms", 1),
    Figure("`check`, for each thousand games", "s", 2),
    Figure("a portable backup", "s", 2, of_the_whole_house=True),
    Figure("the database on the disk", "MB", 1, of_the_whole_house=True),
)


class Growth(NamedTuple):
    """What was measured in one house: for each figure, a number for each step."""

    house: str
    numbers: dict[Figure, list[float]]


def grown() -> list[Growth]:
    """Both houses, each filled step by step."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as folder, gathered() as crowd:
        return [_grown(house, crowd, Path(folder)) for house in houses(Path(folder))]


def growth_rows(growths: list[Growth]) -> list[Row]:
    """The rows of the table."""
    return [
        Row(f"growth: {figure.name}, {growth.house}", _said(figure, growth.numbers[figure]), "", None)
        for figure in FIGURES
        for growth in growths
    ]


def _said(figure: Figure, numbers: list[float]) -> str:
    return f"{', '.join(f'{number:,.{figure.digits}f}' for number in numbers)} {figure.unit}"


def _grown(house: House, crowd: Crowd, folder: Path) -> Growth:
    steps: list[tuple[float, ...]] = []
    with ExitStack() as stack:
        ctx = stack.enter_context(opened(house.new_database(), folder))
        server = stack.enter_context(running(house.kind, "real", ctx.settings.database_url, folder))
        for games in STEPS:
            _fill_up(ctx, games)
            # The actions come last, since they make games.
            others = tuple(measure(ctx) for measure in (_game_page, _home_page, _tick, _check, _backup, _size))
            steps.append((_actions(ctx, server, crowd), *others))
    by_figure = zip(*steps, strict=True)
    kind = "SQLite" if house.kind == "waitress" else "PostgreSQL"
    return Growth(kind, {figure: list(numbers) for figure, numbers in zip(FIGURES, by_figure, strict=True)})


def _fill_up(ctx: AppContext, games: int) -> None:
    """Add finished games until there are so many; nothing is left to be sent."""
    missing = games - Game.select().count(ctx.database) - 1
    fill(ctx, missing, missing * 2 // GAMES_FOR_A_READER)
    Letter.update(status="sent").where(Letter.status == "waiting").execute(ctx.database)


def _actions(ctx: AppContext, server: Server, crowd: Crowd) -> float:
    tables, rates = Tables(ctx), []
    for _ in range(1 + ROUNDS):
        rates.append(len(crowd.run(Load(server.port, SECONDS), tables.laid(GAMES_EACH))) / SECONDS)
    return median(rates[1:])


def _game_page(ctx: AppContext) -> float:
    ids = Game.select(Game.id).where(Game.status == "finished").order_by(Game.id).limit(TIMES + 1).tuples()
    return _in_ms(_asking(ctx, [f"/g/{game}" for (game,) in ids.execute(ctx.database)], ""))


def _home_page(ctx: AppContext) -> float:
    newest = Seat.select(Seat.player).order_by(Seat.player.desc()).limit(1).scalar(ctx.database)
    reader = Player.select().where(Player.id == newest).execute(ctx.database)[0]
    cookie = f"{COOKIE}={ctx.links.session(reader.id, reader.token_version, ctx.clock())}"
    return _in_ms(_asking(ctx, ["/"] * (TIMES + 1), cookie))


def _asking(ctx: AppContext, paths: list[str], cookie: str) -> Iterator[Callable[[], None]]:
    app = create_app(ctx)
    logging.getLogger("service").setLevel(logging.ERROR)
    for path in paths:

        def ask(path: str = path) -> None:
            body, status, _ = run_wsgi_app(app, create_environ(path, headers={"Cookie": cookie}))
            if status != "200 OK" or not b"".join(body):
                raise RuntimeError(f"{path} answered {status}.")

        yield ask


def _tick(ctx: AppContext) -> float:
    # With a mail server it looks for letters; as none is due, it never calls there.
    sending = ctx._replace(settings=replace(ctx.settings, smtp_url="smtp://127.0.0.1:1"))
    with closing(Delivery(sending)) as delivery:

        def once() -> None:
            tick(sending, delivery)

        return _in_ms(once for _ in range(TIMES + 1))


def _in_ms(deeds: Iterator[Callable[[], None]]) -> float:
    """The median; the first one is not counted, for it finds nothing ready."""
    times = []
    for deed in deeds:
        start = time.perf_counter()
        deed()
        times.append(time.perf_counter() - start)
    return median(times[1:]) * 1e3


def _check(ctx: AppContext) -> float:
    """Of a thousand games, where there are so many: all would take most of the time that the benchmarks have."""
    start = time.perf_counter()
    looked_at = [sound for _, sound in islice(check_snapshots(ctx.database), 1_000)]
    seconds = time.perf_counter() - start
    if not all(looked_at):
        raise RuntimeError("A snapshot differs from its events.")
    return seconds * 1_000 / len(looked_at)


def _backup(ctx: AppContext) -> float:
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as folder:
        start = time.perf_counter()
        make_backup(ctx.database, Path(folder, "all.jsonl.gz"), True, ctx.clock(), lambda _done, _total: None)
        return time.perf_counter() - start


def _size(ctx: AppContext) -> float:
    if ctx.settings.database_url.startswith("sqlite"):
        return Path(ctx.settings.database_url.removeprefix("sqlite:///")).stat().st_size / 1e6
    return float(ctx.database.execute_sql("select pg_database_size(current_database())").fetchone()[0]) / 1e6
