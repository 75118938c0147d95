"""A game's chat: plain text, visible to its players, and mailed to them in digests."""

import json
from typing import Any, Final, NamedTuple

from service.context import AppContext
from service.db.models import Letter, Message, Player, Seat

PAGE: Final = 100
DIGEST_SECONDS: Final = 600
"""How long after the first message a digest is sent, with all messages until then."""

REPEAT_SECONDS: Final = 60.0
"""The same text from the same seat within this time is a request that was sent twice."""


class ChatMessage(NamedTuple):
    """One message of the chat."""

    id: int
    seat: int
    text: str
    at: float


def post_message(ctx: AppContext, game_id: str, seat: int, text: str) -> ChatMessage:
    """Add a message and enqueue digests to the other players; a message sent twice is stored once."""
    now = ctx.clock()
    with ctx.database.atomic():
        last = latest_messages(ctx, game_id, 1)
        if last and (last[0].seat, last[0].text) == (seat, text) and now - last[0].at < REPEAT_SECONDS:
            return last[0]
        id_ = Message.insert(game=game_id, seat=seat, text=text, at=now).execute(ctx.database)
        message = ChatMessage(id_, seat, text, now)
        _enqueue_digests(ctx, message, game_id)
    return message


def list_messages(ctx: AppContext, game_id: str, after: int) -> list[ChatMessage]:
    """The next messages after this id, oldest first."""
    return _select(ctx, (Message.game == game_id) & (Message.id > after))


def latest_messages(ctx: AppContext, game_id: str, limit: int) -> list[ChatMessage]:
    """The last messages, oldest first."""
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(Message.game == game_id)
    last = rows.order_by(Message.id.desc()).limit(limit).tuples().execute(ctx.database)
    return [ChatMessage(*row) for row in reversed(list(last))]


def messages_from_others(ctx: AppContext, game_id: str, seat: int, after: int, since: float = 0.0) -> list[ChatMessage]:
    """Messages of other seats after this id and this time, oldest first."""
    chosen = (Message.game == game_id) & (Message.id > after) & (Message.seat != seat) & (Message.at > since)
    return _select(ctx, chosen)


def has_messages(ctx: AppContext, game_id: str) -> bool:
    """Whether the chat has any message."""
    return bool(Message.select().where(Message.game == game_id).exists(ctx.database))


def _select(ctx: AppContext, chosen: Any) -> list[ChatMessage]:
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(chosen)
    return [ChatMessage(*row) for row in rows.order_by(Message.id).limit(PAGE).tuples().execute(ctx.database)]


def _enqueue_digests(ctx: AppContext, message: ChatMessage, game_id: str) -> None:
    # Two messages at the same moment give their digest the same `about`, so it is inserted once.
    bucket = int(message.at // DIGEST_SECONDS)
    rows = [
        {
            "about": f"{game_id}/{seat}/talk/{bucket}",
            "kind": "talk",
            "game": game_id,
            "seat": seat,
            "address": address,
            "details": json.dumps({"after": message.id - 1}),
            "due": message.at + DIGEST_SECONDS,
            "created": message.at,
        }
        for seat, address in _recipients(ctx, message, game_id)
    ]
    if rows:
        Letter.insert_many(rows).on_conflict_ignore().execute(ctx.database)


def _recipients(ctx: AppContext, message: ChatMessage, game_id: str) -> list[tuple[int, str]]:
    """The other players who want digests and don't have one in the outbox."""
    waiting = (Letter.game == game_id) & (Letter.kind == "talk") & (Letter.status == "waiting")
    # A digest that is being sent may have been composed before this message.
    waiting &= Letter.claimed_until.is_null() | (Letter.claimed_until < message.at)
    pending = {seat for (seat,) in Letter.select(Letter.seat).where(waiting).tuples().execute(ctx.database)}
    seated = (Seat.game == game_id) & (Seat.accepted == True) & (Seat.seat != message.seat)  # noqa: E712 - SQL
    rows = Seat.select(Seat.seat, Player.email, Player.mail).join(Player).where(seated).order_by(Seat.seat).tuples()
    return [
        (seat, address)
        for seat, address, preferences in rows.execute(ctx.database)
        if seat not in pending and json.loads(preferences).get("talk", True)
    ]
