"""From a composed letter to the message that is sent: its headers, and its parts as every mail server takes them."""

import hashlib
import hmac
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.generator import BytesGenerator
from email.headerregistry import Address, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import parseaddr
from io import BytesIO
from typing import Any, Final
from urllib.parse import urlsplit

from service.mail.letters import Composed
from service.mail.outbox import Addressee
from service.mail.wishes import WISHES
from service.mail.wording import subject_line
from service.office import Office
from service.settings import Settings

_AS_THEY_ARE: Final = (
    "to",
    "reply-to",
    "message-id",
    "in-reply-to",
    "references",
    "list-id",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "auto-submitted",
    "x-auto-response-suppress",
    "content-id",
)
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_IDENTIFYING: Final = 32
"""How many hex digits of a hash make an id: as many as no two letters share, and a line that needs no folding."""


class _AsItIs(UnstructuredHeader):
    """A header of plain characters, such as a link, written as it is: folding would cut or encode a long word."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        if not value.isascii() or not value.isprintable():
            raise ValueError("A header has characters in it that would have to be encoded.")
        kwds |= {"parse_tree": None, "decoded": value}

    def fold(self, *, policy: Any) -> str:
        return f"{self.name}: {self}{policy.linesep}"  # type: ignore[attr-defined]


class _Headers(HeaderRegistry):
    """The classes of headers, each made once; the library makes them anew for every header of every letter."""

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, Any] = {}
        for name in _AS_THEY_ARE:
            self.map_to_type(name, _AsItIs)  # type: ignore[arg-type]  # the registry adds the base class itself

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = super().__getitem__(name)
        return self._made[name]


class _Writer(BytesGenerator):
    """Writes a part at once and not line by line, which takes a tenth of the time where there are pictures."""

    def _write_lines(self, lines: str) -> None:
        self.write(self._NL.join(_LINE_END.split(lines)))  # type: ignore[attr-defined]


_POLICY: Final = SMTP.clone(header_factory=_Headers())


def to_bytes(message: EmailMessage) -> bytes:
    """The message as it goes over the line."""
    written = BytesIO()
    _Writer(written, mangle_from_=False, policy=message.policy).flatten(message)
    return written.getvalue()


def write_message(office: Office, letter: Any, addressee: Addressee, composed: Composed) -> EmailMessage:
    """The letter as a message, ready for the mail server."""
    message = EmailMessage(policy=_POLICY)
    for name, value in _headers(office, letter, addressee):
        message[name] = value
    message["Subject"] = subject_line(composed.subject)
    message["From"] = _sender(office.settings)
    _write_body(message, composed)
    return message


def _write_body(message: EmailMessage, composed: Composed) -> None:
    # Quoted-printable keeps the lines short and the spaces at their ends, and needs no server that takes eight bits.
    message.set_content(composed.text, cte="quoted-printable")
    if not composed.html:
        return
    message.add_alternative(composed.html, subtype="html", cte="quoted-printable")
    html: Any = message.get_payload(1)
    for picture in composed.pictures:
        html.add_related(
            picture.png, "image", "png", cid=f"<{picture.cid}>", filename=picture.name, disposition="inline"
        )


def _headers(office: Office, letter: Any, addressee: Addressee) -> Iterator[tuple[str, str | datetime]]:
    settings = office.settings
    yield "To", letter.address
    yield "Date", datetime.fromtimestamp(letter.created, UTC)
    yield "Message-ID", message_id(settings, letter.about)
    if letter.game_id is not None:
        # Every letter answers one that was never sent, so that a mail program shows a game as one thread.
        thread = message_id(settings, f"{letter.game_id}/{letter.seat}/thread")
        yield "In-Reply-To", thread
        yield "References", thread
    yield "Auto-Submitted", "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    yield "List-Id", f"Marrakech by Mail <letters.{mail_domain(settings)}>"
    reply_to = reply_address(office, letter, addressee)
    if reply_to is not None:
        yield "Reply-To", reply_to
    if addressee.player is not None and letter.kind != "sign-in":
        token = office.links.unsubscribe(addressee.player, WISHES.get(letter.kind, "turns"))
        yield "List-Unsubscribe", f"<{settings.base_url}/u/{token}>"
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


def reply_address(office: Office, letter: Any, addressee: Addressee) -> str | None:
    """Where an answer to the letter is read as a move; None where answers are not read, or it is about no seat."""
    if not office.settings.inbound_domain or letter.game_id is None or addressee.link_version is None:
        return None
    token = office.links.reply(letter.game_id, letter.seat, letter.turn or 0, addressee.link_version)
    return f"play+{token}@{office.settings.inbound_domain}"


def message_id(settings: Settings, about: str) -> str:
    """The same id whenever the same thing is told, so that a repeat is known as one.

    It is made with the oldest key: while a key is being rotated, threads stay together.
    """
    told = hmac.new(settings.secret_keys[-1].encode(), f"message-id/{about}".encode(), hashlib.sha256)
    return f"<{told.hexdigest()[:_IDENTIFYING]}@{mail_domain(settings)}>"


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


def _sender(settings: Settings) -> Address:
    name, address = parseaddr(settings.mail_from)
    return Address(display_name=name, addr_spec=address)
