"""From a composed letter to the message that is sent: its headers, and its parts as every mail server takes them."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from email.headerregistry import Address
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from service.config import Settings
from service.context import AppContext
from service.games.players import MAIL_PREFERENCES
from service.mail.letters import Composed, subject_line
from service.mail.outbox import Addressee
from service.mail.parts import body_of

_LINE: Final = 76
_IDENTIFYING: Final = 32
"""How many hex digits of a hash make an id: as many as no two letters share, and a line that needs no folding."""


def write_message(ctx: AppContext, letter: Any, addressee: Addressee, composed: Composed) -> bytes:
    """The letter as a message, ready for the mail server."""
    headers = _headers(ctx, letter, addressee, composed.answer_plays)
    head = [_as_it_is(name, value) for name, value in headers]
    head += [_in_words("Subject", subject_line(composed.subject)), _sender(ctx.settings), "MIME-Version: 1.0\r\n"]
    return "".join(head).encode("ascii") + body_of(composed, _told(ctx.settings, letter.about))


def _as_it_is(name: str, value: str) -> str:
    """A header of plain characters, such as a link, on one line: folding would cut or encode a long word."""
    if not value.isascii() or not value.isprintable():
        raise ValueError("A header has characters in it that would have to be encoded.")
    return f"{name}: {value}\r\n"


def _in_words(name: str, words: str) -> str:
    """A header of any words at all, encoded and folded where need be."""
    if words.isascii() and words.isprintable() and "=?" not in words and len(name) + len(words) < _LINE:
        return f"{name}: {words}\r\n"
    return _folded(name, words)


def _folded(name: str, value: str | Address) -> str:
    folded: str = SMTP.header_factory(name, value).fold(policy=SMTP)
    return folded


def _headers(ctx: AppContext, letter: Any, addressee: Addressee, answer_plays: int | None) -> Iterator[tuple[str, str]]:
    settings = ctx.settings
    yield "To", letter.address
    yield "Date", format_datetime(datetime.fromtimestamp(letter.created, UTC))
    yield "Message-ID", message_id(settings, letter.about)
    if letter.game_id is not None:
        yield from _thread(settings, letter)
    yield "Auto-Submitted", "auto-replied" if letter.kind == "answer" else "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    yield "List-Id", f"Marrakech by Mail <letters.{mail_domain(settings)}>"
    reply_to = reply_address(ctx, letter, addressee, answer_plays)
    if reply_to is not None:
        yield "Reply-To", reply_to
    if addressee.player is not None and letter.kind != "sign-in":
        token = ctx.links.unsubscribe(addressee.player, MAIL_PREFERENCES.get(letter.kind, "turns"))
        yield "List-Unsubscribe", f"<{settings.base_url}/u/{token}>"
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


def _thread(settings: Settings, letter: Any) -> Iterator[tuple[str, str]]:
    """Every letter answers one that was never sent, so that a mail program shows a game as one thread."""
    thread = message_id(settings, f"{letter.game_id}/{letter.seat}/thread")
    # An answer answers what the player wrote besides; that id was checked when it came.
    written = json.loads(letter.details).get("message_id", "") if letter.kind == "answer" else ""
    yield "In-Reply-To", written or thread
    yield "References", f"{thread} {written}".rstrip()


def reply_address(ctx: AppContext, letter: Any, addressee: Addressee, answer_plays: int | None = None) -> str | None:
    """Where an answer to the letter is read as a move; None where answers are not read, or it is about no seat.

    It plays the turn whose choices the letter offers; where there are none, it is read as one to the letter's own turn.
    """
    if not ctx.settings.inbound_domain or letter.game_id is None or addressee.link_version is None:
        return None
    turn = (letter.turn or 0) if answer_plays is None else answer_plays
    token = ctx.links.reply(letter.game_id, letter.seat, turn, addressee.link_version)
    return f"play+{token}@{ctx.settings.inbound_domain}"


def message_id(settings: Settings, about: str) -> str:
    """The same id whenever the same thing is told, so that a repeat is known as one.

    It is made with the oldest key: while a key is being rotated, threads stay together.
    """
    return f"<{_told(settings, about)}@{mail_domain(settings)}>"


def _told(settings: Settings, about: str) -> str:
    told = hmac.new(settings.secret_keys[-1].encode(), f"message-id/{about}".encode(), hashlib.sha256)
    return told.hexdigest()[:_IDENTIFYING]


def mail_domain(settings: Settings) -> str:
    """The name of this house among mail servers: the host of our links or, where that is none, the sender's domain."""
    host = urlsplit(settings.base_url).hostname or ""
    # A number or a bare name such as localhost is every house's own.
    if "." in host and not host.rpartition(".")[2].isdecimal() and ":" not in host:
        return host
    return sender_address(settings).rpartition("@")[2].lower()


def sender_address(settings: Settings) -> str:
    """The address that letters come from."""
    return parseaddr(settings.mail_from)[1]


def _sender(settings: Settings) -> str:
    return _folded_sender(settings.mail_from)


@lru_cache(maxsize=4)
def _folded_sender(mail_from: str) -> str:
    name, address = parseaddr(mail_from)
    return _folded("From", Address(display_name=name, addr_spec=address))
