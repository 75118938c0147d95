"""Games for the benchmarks: some that are just begun, one that is played to its end, and many that lie in the past."""

import sqlite3
from contextlib import closing
from random import Random
from typing import Any, Final, NamedTuple

import psycopg

from bench.clients import CLIENTS, Match
from service.auth.identity import player_with
from service.context import AppContext
from service.db.models import Player
from service.games.lobby import SeatRequest, Wish, create, join
from service.games.play import act
from service.games.stored import StoredGame

GAMES_EACH: Final = 8
"""Games for each client in a round: enough for some 5,000 actions a second in one that is not paced."""
FINISHED: Final = 100_000
PEOPLE: Final = 20_000
"""Who have played the finished games."""
SHORT: Final = 4
"""Actions in each of the finished games before somebody resigns."""


def begun(ctx: AppContext, people: list[Player]) -> StoredGame:
    host, *guests = people
    game = create(ctx, host, Wish("marrakech", "A game for the benchmark", [SeatRequest()] * len(guests), {}, None))
    for guest in guests:
        game = join(ctx, game.id, guest)
    return game


def mover(game: StoredGame) -> int:
    return min(game.rules.to_act(game.state))


def played(ctx: AppContext, game: StoredGame, most: int | None = None) -> StoredGame:
    """The game after so many actions, or played to its end."""
    random, actions = Random(7), 0
    while game.status == "playing" and actions != most:
        seat, rules = mover(game), game.rules
        action = rules.actions.write(random.choice(rules.legal_actions(game.state, seat)))
        game = act(ctx, game.id, seat, game.head, action, "").game
        actions += 1
    return game


class Tables:
    """Two people for each client, and the games they play."""

    def __init__(self, ctx: AppContext) -> None:
        self._office = ctx
        with ctx.database.atomic():
            self._pairs = [(self._player(2 * pair), self._player(2 * pair + 1)) for pair in range(CLIENTS)]

    def _player(self, number: int) -> Player:
        return player_with(self._office, f"player{number}@bench.example.org")

    def laid(self, each: int = GAMES_EACH) -> list[list[Match]]:
        """New games for every client, begun and waiting."""
        with self._office.database.atomic():
            return [[self._match(*pair) for _ in range(each)] for pair in self._pairs]

    def _match(self, host: Player, guest: Player) -> Match:
        game = begun(self._office, [host, guest])
        api = self._office.links.api
        tokens = (api(host.id, host.token_version), api(guest.id, guest.token_version))
        return Match(game.id, tokens, game.head, mover(game))


# A database with a past


def fill(ctx: AppContext, games: int = FINISHED, readers: int = PEOPLE) -> int:
    """Add so many finished games, each a copy of a short one that is played here; says how many events each has."""
    people = [player_with(ctx, f"{name}@bench.example.org") for name in ("ann", "bo")]
    with ctx.database.atomic():
        game = played(ctx, begun(ctx, people), SHORT)
        game = act(ctx, game.id, mover(game), game.head, {"type": "resign"}, "").game
    url = ctx.settings.database_url
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
