"""The statements that every action runs, written out: building them anew each time would cost more than running them.

Everything else asks peewee. `?` stands for a value on both databases.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from service.commits import as_peewee_says_it
from service.db.connection import Database

FIND_PLAYER: Final = "select player.* from player where id = ?"
FIND_SITTER: Final = """
select player.* from player join seat on seat.player = player.id
where seat.game = ? and seat.seat = ? and seat.link_version = ?
"""
LOAD_GAME: Final = """
select {versions}, game.id, game.game, game.name, options, pace, status, host, seed, head, turn, state,
    invitation_version, deadline, time_up, seat.seat, seat.player, seat.name, seat.bot, seat.accepted,
    seat.link_version, player.email, seat.stood_in, player.away_until, player.token_version
from game join seat on seat.game = game.id left join player on player.id = seat.player
where game.id = ? order by seat.seat
"""
FIND_EVENTS: Final = """
select at, body, stand_in from event where game = ? and seq > ? and seq <= ? order by seq
"""
MOVE_ON: Final = """
update game set head = ?, turn = ?, state = ?, to_act = ?, status = ?, deadline = ?, changed = ?
where id = ? and head = ?
"""
ADD_EVENTS: Final = "insert into event (game, seq, at, body, actor, action, last) values {rows}"
ADD_LETTERS: Final = """
insert into letter (kind, address, about, game, seat, turn, details, status, due, tries, created) values {rows}
on conflict (about) do nothing
"""


def run(database: Database, statement: str, values: Sequence[Any]) -> Any:
    """Run a statement; gives the cursor."""
    return database.execute_sql(_spelled(statement, database.param), values)


def ask(database: Database, statement: str, values: Sequence[Any]) -> list[Any]:
    """Run a statement; gives all of its rows at once, which is quicker where it runs at every action."""
    with as_peewee_says_it:
        cursor = _cursor(database.connection())
        rows: list[Any] = cursor.execute(_spelled(statement, database.param), values).fetchall()
    return rows


def _cursor(connection: Any) -> Any:
    """What reads on this connection, one statement after the other."""
    if isinstance(connection, sqlite3.Connection):
        return connection
    # Psycopg takes half as long again to make a cursor as to use it; so each connection keeps one.
    if not hasattr(connection, "kept_cursor"):
        connection.kept_cursor = connection.cursor()
    return connection.kept_cursor


@lru_cache(maxsize=64)
def _spelled(statement: str, param: str) -> str:
    """The statement as the database wants it: each has its own mark for a value."""
    return statement.replace("?", param)


def run_rows(database: Database, statement: str, rows: Sequence[Sequence[Any]]) -> Any:
    """Run a statement with `{rows}` in it for several rows at once."""
    filled = _with_rows(statement, len(rows), len(rows[0]))
    return run(database, filled, [value for row in rows for value in row])


@lru_cache(maxsize=64)
def _with_rows(statement: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return statement.format(rows=", ".join([row] * rows))
