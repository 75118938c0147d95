"""From a composed letter to the bytes of a message: its headers, its text, its HTML and its pictures."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from email.contentmanager import raw_data_manager
from email.header import Header
from email.message import EmailMessage
from email.policy import compat32
from email.utils import format_datetime, formataddr, parseaddr
from typing import Any, Final
from urllib.parse import urlsplit

from service.auth.tokens import ReplyLink
from service.config import Settings
from service.context import AppContext
from service.mail.letter_context import unsubscribe_link
from service.mail.letters import Composed, subject_line
from service.mail.outbox import Addressee

# Not `policy.SMTP`: it decodes encoded words in the values it is given, so that a game named "=?l1?b?DQpCY2M6?="
# would put line breaks into the Subject; in Python 3.11 it also loses spaces between words that it encodes and splits
# long URLs. With `compat32` a header is what `email.header.Header` makes of it.
_FORMAT: Final = compat32.clone(linesep="\r\n", max_line_length=76)
_UNFOLDED: Final = _FORMAT.clone(max_line_length=None)
"""For the headers: folded URLs and message ids confuse mail programs, and no line of ours reaches SMTP's 998 bytes."""
_CONTENT: Final[Any] = {"cte": "quoted-printable", "content_manager": raw_data_manager}
"""Quoted-printable keeps lines short and works with servers that don't support 8BITMIME."""
_ID_DIGITS: Final = 32


def write_message(ctx: AppContext, letter: Any, addressee: Addressee, composed: Composed) -> bytes:
    """The letter as a message, ready for the mail server."""
    message = EmailMessage(_FORMAT)
    for name, value in _headers(ctx, letter, addressee, composed.answer_plays):
        _add_header(message, name, value)
    message["From"] = formataddr(parseaddr(ctx.settings.mail_from))
    message["Subject"] = _encode_text("Subject", subject_line(composed.subject))
    message.set_content(composed.text, **_CONTENT)
    if composed.html:
        _add_html(message, composed)
    return message.as_bytes(policy=_UNFOLDED)


def _add_header(message: EmailMessage, name: str, value: str) -> None:
    """Add a header of ASCII tokens: an address, an id, a link."""
    if not value.isascii() or not value.isprintable() or "=?" in value:
        raise ValueError(f"The header {name} contains characters that would have to be encoded.")
    message[name] = value


def _encode_text(name: str, text: str) -> str:
    """Any text as the value of a header, in encoded words if need be; the text itself is never read as encoded."""
    charset = "us-ascii" if text.isascii() and "=?" not in text else "utf-8"
    # 75 gives lines of 76, which is the limit of RFC 2047.
    return Header(text, charset, maxlinelen=75, header_name=name).encode(linesep=_FORMAT.linesep)


def _add_html(message: EmailMessage, composed: Composed) -> None:
    message.add_alternative(composed.html, subtype="html", **_CONTENT)
    if not composed.pictures:
        return
    _, html = message.iter_parts()
    for picture in composed.pictures:
        html.add_related(
            picture.png,
            maintype="image",
            subtype="png",
            disposition="inline",
            filename=picture.name,
            cid=f"<{picture.cid}>",
            content_manager=raw_data_manager,
        )
    html.set_param("type", "text/html")  # RFC 2387 wants the type of the part that shows the others


def _headers(ctx: AppContext, letter: Any, addressee: Addressee, answer_plays: int | None) -> Iterator[tuple[str, str]]:
    settings = ctx.settings
    yield "To", letter.address
    yield "Date", format_datetime(datetime.fromtimestamp(ctx.clock(), UTC))
    yield "Message-ID", message_id(settings, letter.about)
    if letter.game_id is not None:
        yield from _thread(settings, letter)
    yield "Auto-Submitted", "auto-replied" if letter.kind == "answer" else "auto-generated"
    # Everything but NDR: bounces are wanted.
    yield "X-Auto-Response-Suppress", "DR, RN, NRN, OOF, AutoReply"
    yield "List-Id", f"Marrakech by Mail <letters.{mail_domain(settings)}>"
    reply_to = reply_address(ctx, letter, addressee, answer_plays)
    if reply_to is not None:
        yield "Reply-To", reply_to
    if addressee.player is not None and letter.kind != "sign-in":
        link = unsubscribe_link(ctx, addressee.player, letter.kind, accepted=addressee.accepted)
        yield "List-Unsubscribe", f"<{link}>"
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


def _thread(settings: Settings, letter: Any) -> Iterator[tuple[str, str]]:
    """Every letter refers to an id that was never sent, so that mail programs show a game as one thread."""
    thread = message_id(settings, f"{letter.game_id}/{letter.seat}/thread")
    # The answer to a reply also refers to that reply; its id was checked when the reply came in.
    replied_to = json.loads(letter.details).get("message_id", "") if letter.kind == "answer" else ""
    yield "In-Reply-To", replied_to or thread
    yield "References", f"{thread} {replied_to}".rstrip()


def reply_address(ctx: AppContext, letter: Any, addressee: Addressee, answer_plays: int | None = None) -> str | None:
    """The address at which a reply to this letter plays; None if replies are off or it has no seat."""
    link = reply_link(ctx, letter, addressee, answer_plays)
    return f"play+{ctx.tokens.reply(*link)}@{ctx.settings.inbound_domain}" if link else None


def reply_link(ctx: AppContext, letter: Any, addressee: Addressee, answer_plays: int | None) -> ReplyLink | None:
    """What a reply to this letter is about: the turn whose choices it offers, or the chat; else the letter's own turn.

    None if replies are off or the letter has no seat.
    """
    if not ctx.settings.inbound_domain or letter.game_id is None or addressee.link_version is None:
        return None
    turn = (letter.turn or 0) if answer_plays is None else answer_plays
    return ReplyLink(letter.game_id, letter.seat, turn, addressee.link_version)


def message_id(settings: Settings, about: str) -> str:
    """The id of the letter with this key: always the same, so that mail programs recognise a second copy.

    It is made with the oldest key, so that threads stay together while a key is being rotated.
    """
    digest = hmac.new(settings.secret_keys[-1].encode(), f"message-id/{about}".encode(), hashlib.sha256)
    return f"<{digest.hexdigest()[:_ID_DIGITS]}@{mail_domain(settings)}>"


def mail_domain(settings: Settings) -> str:
    """The domain of our message ids: the host of our links or, if that is an IP or local name, the sender's domain."""
    host = urlsplit(settings.base_url).hostname or ""
    if "." in host and not host.rpartition(".")[2].isdecimal() and ":" not in host:
        return host
    return sender_address(settings).rpartition("@")[2].lower()


def sender_address(settings: Settings) -> str:
    """The address that letters come from."""
    return parseaddr(settings.mail_from)[1]
