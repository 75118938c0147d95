"""All that an action writes to PostgreSQL, in one statement: it travels there and back once and not four times.

It can ask besides whether the game is still the one that somebody remembers, so that it need not be read first.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from pydantic_core import to_json

from service.commits_on_postgres import Promised
from service.db.connection import Database
from service.db.statements import ask
from service.errors import Stale

VERSIONS: Final = "concat(game.xmin), concat(seat.xmin, ' ', player.xmin)"
"""PostgreSQL marks each row with the transaction that wrote it: these change with anything that a game is made of."""
STILL_SO: Final = """
xmin = %s::xid and %s = (
    select string_agg(concat(seat.xmin, ' ', player.xmin), ',' order by seat.seat)
    from seat left join player on player.id = seat.player where seat.game = %s
)
"""
"""Whether a game and its seats are still the very rows that were read."""
_APPEND: Final = """
with moved as (
    update game set head = %s, turn = %s, state = %s, to_act = %s, status = %s, deadline = %s, changed = %s
    where id = %s and head = %s and {still_so} returning id, concat(xmin) as version
), happened as (
    insert into event (game, seq, at, body, actor, action, last)
    select moved.id, row.* from moved, json_to_recordset(%s) as row(
        seq integer, at double precision, body text, actor integer, action text, last integer)
), posted as (
    insert into letter (kind, address, about, game, seat, turn, details, status, due, tries, created)
    select row.* from moved, json_to_recordset(%s) as row(
        kind text, address text, about text, game text, seat integer, turn integer, details text, status text,
        due double precision, tries integer, created double precision)
    on conflict (about) do nothing
)
select {answer}
"""
_VERSION: Final = "version from moved"
_VERSION_OR_FAILURE: Final = "coalesce((select version from moved), 'the game has moved on')::bigint"
"""What was put off must not be kept without the rest, so it fails where there is nothing to move: that is no number."""
EVENT_COLUMNS: Final = ("seq", "at", "body", "actor", "action", "last")
LETTER_COLUMNS: Final = (
    *("kind", "address", "about", "game", "seat", "turn", "details"),
    *("status", "due", "tries", "created"),
)


def append_at_once(
    database: Database,
    moves_on: Sequence[Any],
    still_so: Sequence[str],
    events: Sequence[Sequence[Any]],
    letters: Sequence[Sequence[Any]],
) -> str | Promised:
    """Move a game on with all that follows, or raise `Stale`; gives the new version of its row.

    Where several are gathered it is put off to the end of that, and the version is known then.
    """
    # Rows travel as JSON: psycopg would look at each value of an array to find out what it is.
    happened = [dict(zip(EVENT_COLUMNS, row[1:], strict=True)) for row in events]
    posted = [dict(zip(LETTER_COLUMNS, row, strict=True)) for row in letters]
    values = [*moves_on, *still_so, to_json(happened).decode(), to_json(posted).decode()]
    if database.is_gathering():
        promised: Promised = database.put_off(_append(bool(still_so), _VERSION_OR_FAILURE), values)
        return promised
    moved = _asked(database, _append(bool(still_so), _VERSION), values)
    if not moved:
        raise Stale
    return moved[0]


@cache
def _append(if_still_so: bool, answer: str) -> str:
    return _APPEND.format(still_so=STILL_SO if if_still_so else "true", answer=answer)


def _asked(database: Database, statement: str, values: Sequence[Any]) -> list[str]:
    """The one column of the answer."""
    answer: list[str] | None = database.ask_straight(statement, values)
    return [text for (text,) in ask(database, statement, values)] if answer is None else answer
