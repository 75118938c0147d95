"""The statements that every action runs, written out: building them anew each time would cost more than running them.

Everything else asks peewee. `?` stands for a value on both databases.
"""

from collections.abc import Sequence
from typing import Any, Final

from service.database import Database

FIND_PLAYER: Final = "select player.* from player where id = ?"
FIND_SITTER: Final = """
select player.* from player join seat on seat.player = player.id
where seat.game = ? and seat.seat = ? and seat.link_version = ?
"""
LOAD_GAME: Final = """
select id, game, name, options, pace, status, host, seed, head, turn, state, invitation_version, deadline,
    time_up
from game where id = ?
"""
LOAD_SEATS: Final = """
select seat.seat, seat.player, seat.name, seat.bot, seat.accepted, seat.link_version, player.email,
    seat.stood_in, player.away_until
from seat left join player on player.id = seat.player where seat.game = ? order by seat.seat
"""
MOVE_ON: Final = """
update game set head = ?, turn = ?, state = ?, status = ?, deadline = ?, changed = ? where id = ? and head = ?
"""
ADD_EVENTS: Final = "insert into event (game, seq, at, body, actor, action, last) values {rows}"
WAIT_FOR: Final = "update seat set to_act = (seat in ({seats})) where game = ?"
WAIT_FOR_NOBODY: Final = "update seat set to_act = (0 = 1) where game = ?"
ADD_LETTERS: Final = """
insert into letter (kind, address, about, game, seat, turn, details, status, due, tries, created) values {rows}
on conflict (about) do nothing
"""


def run(database: Database, statement: str, values: Sequence[Any]) -> Any:
    """Run a statement; gives the cursor."""
    return database.execute_sql(statement.replace("?", database.param), values)


def run_rows(database: Database, statement: str, rows: Sequence[Sequence[Any]]) -> Any:
    """Run a statement with `{rows}` in it for several rows at once."""
    row = f"({', '.join('?' * len(rows[0]))})"
    return run(database, statement.format(rows=", ".join([row] * len(rows))), [value for row in rows for value in row])
