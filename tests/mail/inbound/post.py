"""Replies as players' mail programs send them, and what the letters to which they reply would have as an address."""

import itertools
import json
from typing import Any

from service.context import AppContext
from service.db.models import Incoming, Letter
from service.engine.json_reader import Json
from service.games.store import StoredGame
from service.mail.inbound.answers import Outcome
from service.mail.inbound.handler import receive

DOMAIN = "reply.example.org"
_numbers = itertools.count(1)


def address(ctx: AppContext, game: StoredGame, seat: int, turn: int | None = None) -> str:
    """What `Reply-To` says in a letter about this turn."""
    turn = game.turn if turn is None else turn
    return f"play+{ctx.tokens.reply(game.id, seat, turn, game.seats[seat].link_version)}@{DOMAIN}"


def message(to: str, words: str, headers: str = "", message_id: str | None = None) -> bytes:
    """A reply in plain text; each has an id of its own where none is given."""
    message_id = f"<{next(_numbers)}@example.com>" if message_id is None else message_id
    head = f"From: Eve <eve@example.net>\nTo: {to}\nSubject: Re: Your turn\n{headers}"
    if message_id:
        head += f"Message-ID: {message_id}\n"
    return f"{head}Content-Type: text/plain; charset=utf-8\n\n{words}\n\n> it is your turn\n".encode()


def arrive(ctx: AppContext, game: StoredGame, seat: int, words: str, **more: Any) -> Outcome:
    """A player answers the letter of this turn."""
    turn = more.pop("turn", None)
    return receive(ctx, message(address(ctx, game, seat, turn), words, **more))


def answers(ctx: AppContext) -> list[tuple[str, Json]]:
    """The answers that were posted: where to, and what they say."""
    rows = Letter.select().where(Letter.kind == "answer").order_by(Letter.id).execute(ctx.database)
    return [(row.address, json.loads(row.details)) for row in rows]


def noted(ctx: AppContext) -> list[tuple[str, bool]]:
    """What is noted of the messages that came."""
    rows = Incoming.select(Incoming.outcome, Incoming.answered).order_by(Incoming.outcome)
    return [(outcome, bool(answered)) for outcome, answered in rows.tuples().execute(ctx.database)]
