"""The chat in letters: new messages come with the next letter about a turn, or in a letter of their own."""

from binascii import b2a_qp
from itertools import accumulate, takewhile
from typing import Any, Final, NamedTuple

from markupsafe import escape

from service.auth.tokens import CHAT_TURN
from service.db.models import LONGEST_MESSAGE, Letter
from service.games.chat import ChatMessage, has_messages, messages_from_others
from service.games.names import player_names
from service.mail.game_section import current_section
from service.mail.letter_context import Context, LetterContext, table_section
from service.text import sanitize

MOST_LINES: Final = 20
"""The newest messages that a letter shows; all of them are on the game's page."""
LARGEST: Final = 16_000
"""Bytes they may take in the encoded message: one character can become twelve."""
_TELLING: Final = ("turn", "time-up", "over")
"""The kinds of letters that also show new messages."""


class Said(NamedTuple):
    """A message and the name of its author."""

    name: str
    text: str


def talk(letter_ctx: LetterContext) -> Context:
    """Messages from others that no letter has shown to the reader yet; replies go to the chat."""
    heard = messages_from_others(letter_ctx.ctx, letter_ctx.game.id, letter_ctx.seat, letter_ctx.details["after"])
    told_at = _telling_letters(letter_ctx)
    lines = [line for line in heard if not _is_told(line, told_at)]
    letter_ctx.drop_unless(bool(lines))
    said, table = _newest_messages(letter_ctx, lines), table_section(letter_ctx)
    # "Right." is a likely reply to a message and must not play a turn, so all replies to this letter go to the chat.
    chat = {"may_answer": False, "answer_plays": CHAT_TURN, "is_answered": table["may_answer"]}
    return {
        **table,
        **current_section(letter_ctx),
        **chat,
        "said": said,
        "number": len(lines),
        "more": len(said) < len(lines),
    }


def chat_since(letter_ctx: LetterContext) -> list[Said]:
    """Messages from others between the previous letter and this one."""
    if not has_messages(letter_ctx.ctx, letter_ctx.game.id):
        return []
    before = max((created for created, _ in _telling_letters(letter_ctx) if created < letter_ctx.created), default=0.0)
    heard = messages_from_others(letter_ctx.ctx, letter_ctx.game.id, letter_ctx.seat, 0, before)
    return _newest_messages(letter_ctx, [line for line in heard if line.at <= letter_ctx.created])


def _newest_messages(letter_ctx: LetterContext, lines: list[ChatMessage]) -> list[Said]:
    names = player_names(letter_ctx.game)
    newest = [Said(names[line.seat], sanitize(line.text, LONGEST_MESSAGE)) for line in lines[-MOST_LINES:]]
    sizes = accumulate(len(b2a_qp(str(escape(said.text)).encode())) for said in reversed(newest))
    fitting = len(list(takewhile(lambda size: size <= LARGEST, sizes)))
    return newest[-fitting:]


def _telling_letters(letter_ctx: LetterContext) -> list[tuple[float, float | None]]:
    """When letters to this seat that show the chat were created, and when each was sent."""
    chosen = (Letter.game == letter_ctx.game.id) & (Letter.seat == letter_ctx.seat) & Letter.kind.in_(_TELLING)
    chosen &= Letter.channel.is_null()
    rows: Any = Letter.select(Letter.created, Letter.sent).where(chosen).order_by(Letter.created).tuples()
    return [(created, sent) for created, sent in rows.execute(letter_ctx.ctx.database)]


def _is_told(line: ChatMessage, telling: list[tuple[float, float | None]]) -> bool:
    """Whether the first such letter after the message, which shows it, was sent."""
    return next((sent is not None for created, sent in telling if created >= line.at), False)
