"""Talk at the table: plain text, seen by everybody who sits there, and mailed in one letter for a while of it."""

import json
from typing import Any, Final, NamedTuple

from service.context import AppContext
from service.db.models import Letter, Message, Player, Seat
from service.db.statements import run

PAGE: Final = 100
DIGEST_SECONDS: Final = 600
"""So many seconds after the first line its letter goes out, with everything that was said until then."""

REPEAT_SECONDS: Final = 60.0

_ANY_LINE: Final = "select 1 from message where game = ? limit 1"


class ChatMessage(NamedTuple):
    """One line of the talk."""

    id: int
    seat: int
    text: str
    at: float


def post_message(ctx: AppContext, game_id: str, seat: int, text: str) -> ChatMessage:
    """Add a line; who else sits there and wants to hear of it gets a letter, unless one is waiting already.

    The very same words, right after themselves and within a minute, are taken for a line whose answer was lost.
    """
    now = ctx.clock()
    with ctx.database.atomic():
        last = latest_messages(ctx, game_id, 1)
        if last and (last[0].seat, last[0].text) == (seat, text) and now - last[0].at < REPEAT_SECONDS:
            return last[0]
        id_ = Message.insert(game=game_id, seat=seat, text=text, at=now).execute(ctx.database)
        _post(ctx, ChatMessage(id_, seat, text, now), game_id)
    return ChatMessage(id_, seat, text, now)


def list_messages(ctx: AppContext, game_id: str, after: int) -> list[ChatMessage]:
    """The next lines after the one with this id, oldest first."""
    return _lines(ctx, (Message.game == game_id) & (Message.id > after))


def latest_messages(ctx: AppContext, game_id: str, most: int) -> list[ChatMessage]:
    """The last so many lines, oldest first."""
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(Message.game == game_id)
    last = rows.order_by(Message.id.desc()).limit(most).tuples().execute(ctx.database)
    return [ChatMessage(*row) for row in reversed(list(last))]


def messages_from_others(ctx: AppContext, game_id: str, seat: int, after: int, since: float = 0.0) -> list[ChatMessage]:
    """What others than this seat said after the line with this id and after this time, oldest first."""
    heard = (Message.game == game_id) & (Message.id > after) & (Message.seat != seat) & (Message.at > since)
    return _lines(ctx, heard)


def has_messages(ctx: AppContext, game_id: str) -> bool:
    """Whether anybody has said anything; most tables are silent, and every letter asks."""
    return run(ctx.database, _ANY_LINE, [game_id]).fetchone() is not None


def _lines(ctx: AppContext, chosen: Any) -> list[ChatMessage]:
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(chosen)
    return [ChatMessage(*row) for row in rows.order_by(Message.id).limit(PAGE).tuples().execute(ctx.database)]


def _post(ctx: AppContext, line: ChatMessage, game_id: str) -> None:
    # Two who speak at the same moment name the letter alike, and it is there once.
    bucket = int(line.at // DIGEST_SECONDS)
    rows = [
        {
            "about": f"{game_id}/{seat}/talk/{bucket}",
            "kind": "talk",
            "game": game_id,
            "seat": seat,
            "address": address,
            "details": json.dumps({"after": line.id - 1}),
            "due": line.at + DIGEST_SECONDS,
            "created": line.at,
        }
        for seat, address in _listeners(ctx, line, game_id)
    ]
    if rows:
        Letter.insert_many(rows).on_conflict_ignore().execute(ctx.database)


def _listeners(ctx: AppContext, line: ChatMessage, game_id: str) -> list[tuple[int, str]]:
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
