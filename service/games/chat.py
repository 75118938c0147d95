"""Talk at the table: plain text, seen by everybody who sits there, and mailed in one letter for a while of it."""

import json
from typing import Any, Final, NamedTuple

from service.context import AppContext
from service.db.models import Letter, Message, Player, Seat
from service.db.statements import run

PAGE: Final = 100
COLLECTED_FOR: Final = 600
"""So many seconds after the first line its letter goes out, with everything that was said until then."""

SAID_AGAIN: Final = 60.0

_ANY_LINE: Final = "select 1 from message where game = ? limit 1"


class Line(NamedTuple):
    """One line of the talk."""

    id: int
    seat: int
    text: str
    at: float


def say(ctx: AppContext, game_id: str, seat: int, text: str) -> Line:
    """Add a line; who else sits there and wants to hear of it gets a letter, unless one is waiting already.

    The very same words, right after themselves and within a minute, are taken for a line whose answer was lost.
    """
    now = ctx.clock()
    with ctx.database.atomic():
        last = newest(ctx, game_id, 1)
        if last and (last[0].seat, last[0].text) == (seat, text) and now - last[0].at < SAID_AGAIN:
            return last[0]
        id_ = Message.insert(game=game_id, seat=seat, text=text, at=now).execute(ctx.database)
        _post(ctx, Line(id_, seat, text, now), game_id)
    return Line(id_, seat, text, now)


def lines(ctx: AppContext, game_id: str, after: int) -> list[Line]:
    """The next lines after the one with this id, oldest first."""
    return _lines(ctx, (Message.game == game_id) & (Message.id > after))


def newest(ctx: AppContext, game_id: str, most: int) -> list[Line]:
    """The last so many lines, oldest first."""
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(Message.game == game_id)
    last = rows.order_by(Message.id.desc()).limit(most).tuples().execute(ctx.database)
    return [Line(*row) for row in reversed(list(last))]


def by_others(ctx: AppContext, game_id: str, seat: int, after: int, since: float = 0.0) -> list[Line]:
    """What others than this seat said after the line with this id and after this time, oldest first."""
    heard = (Message.game == game_id) & (Message.id > after) & (Message.seat != seat) & (Message.at > since)
    return _lines(ctx, heard)


def is_talk_at(ctx: AppContext, game_id: str) -> bool:
    """Whether anybody has said anything; most tables are silent, and every letter asks."""
    return run(ctx.database, _ANY_LINE, [game_id]).fetchone() is not None


def _lines(ctx: AppContext, chosen: Any) -> list[Line]:
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(chosen)
    return [Line(*row) for row in rows.order_by(Message.id).limit(PAGE).tuples().execute(ctx.database)]


def _post(ctx: AppContext, line: Line, game_id: str) -> None:
    # Two who speak at the same moment name the letter alike, and it is there once.
    bucket = int(line.at // COLLECTED_FOR)
    rows = [
        {
            "about": f"{game_id}/{seat}/talk/{bucket}",
            "kind": "talk",
            "game": game_id,
            "seat": seat,
            "address": address,
            "details": json.dumps({"after": line.id - 1}),
            "due": line.at + COLLECTED_FOR,
            "created": line.at,
        }
        for seat, address in _listeners(ctx, line, game_id)
    ]
    if rows:
        Letter.insert_many(rows).on_conflict_ignore().execute(ctx.database)


def _listeners(ctx: AppContext, line: Line, game_id: str) -> list[tuple[int, str]]:
    """Who else sits at the table, wants letters about talk, and has none waiting."""
    waiting = (Letter.game == game_id) & (Letter.kind == "talk") & (Letter.status == "waiting")
    # One that is being sent may have been written already, so it is not sure to tell this line.
    waiting &= Letter.claimed_until.is_null() | (Letter.claimed_until < line.at)
    told = {seat for (seat,) in Letter.select(Letter.seat).where(waiting).tuples().execute(ctx.database)}
    seated = (Seat.game == game_id) & (Seat.accepted == True) & (Seat.seat != line.seat)  # noqa: E712 - SQL
    rows = Seat.select(Seat.seat, Player.email, Player.mail).join(Player).where(seated).order_by(Seat.seat).tuples()
    return [
        (seat, address)
        for seat, address, wishes in rows.execute(ctx.database)
        if seat not in told and json.loads(wishes).get("talk", True)
    ]
