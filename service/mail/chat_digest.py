"""What was said at the table, as far as letters tell it: in the next letter about a turn, or in one of its own."""

from binascii import b2a_qp
from itertools import accumulate, takewhile
from typing import Any, Final, NamedTuple

from markupsafe import escape

from service.db.models import LONGEST_MESSAGE, Letter
from service.games.chat import ChatMessage, has_messages, messages_from_others
from service.games.names import player_names
from service.mail.game_section import as_it_stands
from service.mail.letter_context import Context, LetterContext, about_table
from service.text import sanitize

MOST_LINES: Final = 20
"""How many lines a letter tells at most, the newest; all of them are on the game's page."""
LARGEST: Final = 16_000
"""How many bytes of a message they take at most: a sign can become twelve, and a letter has a size to keep to."""
_TELLING: Final = ("turn", "over")
"""The letters that tell what was said besides what they are there for."""


class Said(NamedTuple):
    """A line and who said it."""

    name: str
    text: str


def talk(letter_ctx: LetterContext) -> Context:
    """What others have said that no letter to the reader has told yet."""
    heard = messages_from_others(letter_ctx.ctx, letter_ctx.game.id, letter_ctx.seat, letter_ctx.details["after"])
    told_at = _telling(letter_ctx)
    lines = [line for line in heard if not _is_told(line, told_at)]
    letter_ctx.drop_unless(bool(lines))
    said, table = _said(letter_ctx, lines), about_table(letter_ctx)
    # "Right." is a likely answer to talk and must not become a move, so none to this letter does.
    silent = {"may_answer": False, "answer_plays": None, "is_answered": table["may_answer"]}
    return {**table, **as_it_stands(letter_ctx), **silent, "said": said, "more": len(said) < len(lines)}


def said_since(letter_ctx: LetterContext) -> list[Said]:
    """What others had said between the letter before this one and this one."""
    if not has_messages(letter_ctx.ctx, letter_ctx.game.id):
        return []
    before = max((created for created, _ in _telling(letter_ctx) if created < letter_ctx.created), default=0.0)
    heard = messages_from_others(letter_ctx.ctx, letter_ctx.game.id, letter_ctx.seat, 0, before)
    return _said(letter_ctx, [line for line in heard if line.at <= letter_ctx.created])


def _said(letter_ctx: LetterContext, lines: list[ChatMessage]) -> list[Said]:
    names = player_names(letter_ctx.game)
    newest = [Said(names[line.seat], sanitize(line.text, LONGEST_MESSAGE)) for line in lines[-MOST_LINES:]]
    sizes = accumulate(len(b2a_qp(str(escape(said.text)).encode())) for said in reversed(newest))
    fitting = len(list(takewhile(lambda size: size <= LARGEST, sizes)))
    return newest[-fitting:]


def _telling(letter_ctx: LetterContext) -> list[tuple[float, float | None]]:
    """When the letters to this seat were written that tell what was said, and when each was sent."""
    chosen = (Letter.game == letter_ctx.game.id) & (Letter.seat == letter_ctx.seat) & Letter.kind.in_(_TELLING)
    rows: Any = Letter.select(Letter.created, Letter.sent).where(chosen).order_by(Letter.created).tuples()
    return [(created, sent) for created, sent in rows.execute(letter_ctx.ctx.database)]


def _is_told(line: ChatMessage, telling: list[tuple[float, float | None]]) -> bool:
    """Whether the first letter that was written after the line, which tells it, was sent."""
    return next((sent is not None for created, sent in telling if created >= line.at), False)
