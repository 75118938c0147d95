"""What a mail server's refusal means for the letter and its address, and who is notified.

An address gets no more letters if it is invalid, or after several rejections in a row. A full mailbox or a spam filter
may take the same letter later.
"""

import enum
import re
from typing import Any, Final

from service.auth.tokens import ReplyLink
from service.context import AppContext
from service.db.connection import Database
from service.db.letters import PARKED, SENT, WAITING, NewLetter, enqueue_letters
from service.db.models import Incoming, Letter, Player
from service.games.lobby import report_undeliverable

MOST_REJECTIONS: Final = 3
"""After so many rejections in a row, whatever they say, an address gets no more letters."""
HOLD_SECONDS: Final = tuple(3600.0 * hours for hours in (1, 2, 4, 8, 16))
"""How long a letter waits each time that a full mailbox or a spam filter rejects it; then it is parked."""
REPORT: Final = "refusals"
_HOUR: Final = 3600.0
_DAY: Final = 24 * _HOUR
_ENHANCED: Final = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?!\d|\.\d)")
"""An enhanced status code (RFC 3463), but no part of an IP address."""
_BASIC: Final = re.compile(r"(?<![\d.])[45]\d\d(?![\d.])")
_INVALID: Final = {"1", "2", "3", "4", "6", "10"}
"""The details of 5.1.x that are about the recipient's address; others are about the sender's."""
_SENT_AGAIN: Final = ("invitation", "turn")
"""The kinds that need no details, so that they can be written again when they come back."""


class Cause(enum.Enum):
    """Why a letter was refused."""

    ADDRESS = "address"
    """There is no such address."""
    HELD = "held"
    """The mailbox is full, or the letter was taken for spam."""
    OTHER = "other"


def find_cause(words: str) -> Cause:
    """Why a letter was refused, by what the mail server said."""
    found = _ENHANCED.search(words)
    if found and found[2] != "0":
        level, subject, detail = found.groups()
        if (level, subject) == ("5", "1") and detail in _INVALID:
            return Cause.ADDRESS
        is_held = (subject, detail) == ("2", "2") or (level, subject) == ("5", "7")
        return Cause.HELD if is_held else Cause.OTHER
    code = _BASIC.search(words)
    return Cause.HELD if code and code[0] in {"552", "554"} else Cause.OTHER


def accept_address(database: Database, address: str) -> None:
    """A mail server has accepted a letter to the address, so that it works again."""
    player = Player.email == address
    Player.update(mail_trouble=None).where(player & Player.mail_trouble.is_null(False)).execute(database)
    # A relay accepts letters that come back later, so after a bounce this proves nothing; see `_is_first_bounce`.
    Player.update(rejections=0).where(player & (Player.rejections > 0) & Player.bounced.is_null()).execute(database)


def record_rejection(database: Database, address: str, words: str) -> None:
    """Count a letter that was refused because of its recipient; the player is marked if the address doesn't work."""
    cause = find_cause(words)
    if cause is Cause.HELD:
        return
    player = Player.email == address
    Player.update(rejections=Player.rejections + 1).where(player).execute(database)
    enough = 1 if cause is Cause.ADDRESS else MOST_REJECTIONS
    Player.update(mail_trouble=words).where(player & (Player.rejections >= enough)).execute(database)


def record_bounce(ctx: AppContext, link: ReplyLink, address: str, words: str, key: str) -> None:
    """A letter to a seat came back; the same bounce, known by its key, is recorded once."""
    database, now = ctx.database, ctx.clock()
    with database.atomic():
        row = {"key": key, "at": now, "sender": "", "outcome": "bounced"}
        if not Incoming.insert(**row).on_conflict_ignore().as_rowcount().execute(database):
            return
        if find_cause(words) is Cause.HELD:
            report_to_hosts(ctx)
            if _hold_again(ctx, link, address, words):
                return
        elif _is_first_bounce(database, address, now):
            Player.update(rejections=0).where(Player.email == address).execute(database)
        Player.update(bounced=now).where(Player.email == address).execute(database)
        record_rejection(database, address, words)
        report_undeliverable(ctx, link.game, link.seat)


def _is_first_bounce(database: Database, address: str, now: float) -> bool:
    """Whether a letter has arrived since the last bounce: one that was sent a while ago and did not come back."""
    player = Player.select(Player.bounced).where(Player.email == address)
    since = player.scalar(database) or 0.0
    sent = (Letter.address == address) & (Letter.status == SENT) & (Letter.sent > since) & (Letter.sent < now - _HOUR)
    sent &= Letter.channel.is_null()
    # One of them is the letter that has come back now.
    return bool(Letter.select().where(sent).count(database) > 1)


def _hold_again(ctx: AppContext, link: ReplyLink, address: str, words: str) -> bool:
    """Put the letter that came back into the outbox again; False if it can't be, or was held too often."""
    seat = (Letter.game == link.game) & (Letter.seat == link.seat) & (Letter.address == address)
    turn = (Letter.turn == link.turn) if link.turn else Letter.turn.is_null()
    sent = seat & turn & (Letter.status == SENT) & Letter.kind.in_(_SENT_AGAIN) & Letter.channel.is_null()
    letter: Any = Letter.select().where(sent).order_by(Letter.id.desc()).first(ctx.database)
    if letter is None:
        return False
    due = hold_until(letter, ctx.clock())
    changes = {"status": PARKED} if due is None else {"status": WAITING, "due": due, "sent": None}
    again = {"rejections": Letter.rejections + 1, "trouble": words}
    Letter.update(**changes, **again).where(Letter.id == letter.id).execute(ctx.database)
    return due is not None


def hold_until(letter: Any, now: float) -> float | None:
    """When to try a letter again that a full mailbox or a spam filter rejected; None if that happened too often."""
    return now + HOLD_SECONDS[letter.rejections] if letter.rejections < len(HOLD_SECONDS) else None


def report_to_hosts(ctx: AppContext) -> None:
    """Tell the server hosts that full mailboxes or spam filters reject letters, at most once a day."""
    now = ctx.clock()
    letters = [
        NewLetter(REPORT, address, f"{REPORT}/{int(now // _DAY)}/{number}")
        for number, address in enumerate(ctx.settings.hosts)
    ]
    enqueue_letters(ctx.database, letters, now)
