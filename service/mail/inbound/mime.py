"""Incoming messages: MIME parsing with limits, and what matters in a message.

The standard library's parser recurses as deep as a message is nested and looks at every line on every level: a stranger
could send a megabyte that keeps it busy for minutes. A reply needs little of MIME, so only that is parsed here.
"""

import base64
import binascii
import codecs
import enum
import quopri
import re
from collections.abc import Iterable, Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from itertools import islice
from typing import Final, NamedTuple

from service.db.letter_texts import CAME_BACK
from service.mail.inbound.html_text import html_to_text
from service.mail.inbound.quoting import extract_reply, unflow
from service.text import clean

LARGEST: Final = 1024 * 1024
"""Bytes of a message; a reply needs few."""
_DEEPEST: Final = 8
_MOST_PARTS: Final = 40
_MOST_HEADERS: Final = 400
_HEADERS_BYTES: Final = 64 * 1024
_PART_HEADERS_BYTES: Final = 4 * 1024
_VALUE: Final = 2000
_TEXT_BYTES: Final = 96 * 1024
"""Bytes of a text that are decoded: a reply is short and near one end of it."""

_MOST_TEXTS: Final = 6
"""Texts of a message that are read: a reply is in one of the first."""

_HEADER: Final = re.compile(r"([!-9;-~]{1,80})[ \t]*:(.*)", re.DOTALL)
_PARAMETER: Final = re.compile(r';\s*([\w*-]{1,40})\s*=\s*(?:"([^"]{0,200})"|([^\s;"]{1,200}))')
_CHARSET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,39}")
_NO_CHARSETS: Final = {"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "charmap"}
"""Codecs of Python that no mail uses, and that are slow or can be made to fail."""

LOCAL_PART: Final = "play"
_ADDRESSED_IN: Final = ("x-original-to", "delivered-to", "envelope-to", "to", "cc")
"""Headers with the recipient's address; those that mail servers add come first."""
_LONGEST_SUBJECT: Final = 120
_LONGEST_REASON: Final = 300
_MESSAGE_ID: Final = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,100}>")
_MOST_REFERENCES: Final = 20
_BULK: Final = {"bulk", "junk", "list", "auto_reply"}
_DO_NOT_ANSWER: Final = re.compile(r"\b(?:all|oof|autoreply)\b", re.IGNORECASE)
_FAILED: Final = re.compile(r"^Action:\s*failed\b", re.IGNORECASE | re.MULTILINE)
_DIAGNOSIS: Final = re.compile(r"^(?:Diagnostic-Code|Status):\s*(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)

_STATUS: Final = re.compile(r"^Status:\s*([45]\.\d{1,3}\.\d{1,3})\b", re.IGNORECASE | re.MULTILINE)


class Part(NamedTuple):
    """A message or a part of one: its headers by lower-case name, and its body."""

    headers: dict[str, list[str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return self.headers.get(name, [])

    def first(self, name: str) -> str:
        """The first value of a header, or nothing."""
        return next(iter(self.all(name)), "")

    @property
    def type(self) -> str:
        """The media type; text/plain by default."""
        given = self.first("content-type").partition(";")[0].strip().lower()
        return given if "/" in given else "text/plain"

    def parameter(self, name: str) -> str:
        """A parameter of the media type, or nothing."""
        found = _PARAMETER.findall(f";{self.first('content-type').partition(';')[2]}")
        return next((quoted or plain for key, quoted, plain in found if key.lower() == name), "")

    @property
    def attached(self) -> bool:
        """Whether it is an attachment."""
        return self.first("content-disposition").strip().lower().startswith("attachment")

    def text(self) -> str:
        """The body as text; bytes that can't be decoded become replacement characters."""
        return _decode_charset(_decode_transfer(self.body[:_TEXT_BYTES], self.first("content-transfer-encoding")), self)


def parse_message(raw: bytes) -> Part:
    """The message; whatever the bytes are, there is a result."""
    raw = raw[: LARGEST + 1].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if raw.startswith((b"From ", b">From ")):
        raw = raw.partition(b"\n")[2]  # the first line of a message in an mbox file
    return _part(raw, _HEADERS_BYTES)


def walk(part: Part) -> Iterator[Part]:
    """The part and its subparts in order, up to a depth and a number."""
    return islice(_walk(part, 0), _MOST_PARTS)


def _walk(part: Part, depth: int) -> Iterator[Part]:
    yield part
    if depth < _DEEPEST:
        for inside in _subparts(part):
            yield from _walk(inside, depth + 1)


def _subparts(part: Part) -> Iterator[Part]:
    boundary = part.parameter("boundary")
    if not part.type.startswith("multipart/") or not boundary:
        return
    # It begins with literal characters, which a regular expression finds many times faster than an alternative.
    line = re.compile(rb"\n--" + re.escape(boundary.encode("utf-8", "replace")) + rb"(--)?[ \t]*(?=\n|\Z)")
    body, start = b"\n" + part.body, None
    for mark in line.finditer(body):
        if start is not None:
            yield _part(body[start : mark.start()].removeprefix(b"\n"), _PART_HEADERS_BYTES)
        start = mark.end()
        if mark[1]:
            return
    if start is not None:  # the closing boundary is missing: the message was cut off
        yield _part(body[start:].removeprefix(b"\n"), _PART_HEADERS_BYTES)


def _part(raw: bytes, most: int) -> Part:
    if raw.startswith(b"\n"):
        return Part({}, raw[1:])
    head, _, body = raw.partition(b"\n\n")
    return Part(_headers(head[:most]), body)


def _headers(head: bytes) -> dict[str, list[str]]:
    # Lines that begin with a space continue the header above.
    lines = re.sub(rb"\n(?=[ \t])", b"", head).split(b"\n", _MOST_HEADERS)[:_MOST_HEADERS]
    headers: dict[str, list[str]] = {}
    for line in lines:
        found = _HEADER.fullmatch(line[: _VALUE + 80].decode("utf-8", "replace"))
        if found:
            headers.setdefault(found[1].lower(), []).append(found[2].strip()[:_VALUE])
    return headers


def _decode_transfer(body: bytes, encoding: str) -> bytes:
    match encoding.strip().lower():
        case "base64":
            letters = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
            return base64.b64decode(letters[: len(letters) // 4 * 4] + _padded_rest(letters))
        case "quoted-printable":
            return quopri.decodestring(body)
        case _:
            return body


def _padded_rest(letters: bytes) -> bytes:
    """The last characters of base64 without padding; a single one encodes nothing."""
    rest = letters[len(letters) // 4 * 4 :]
    return rest.ljust(4, b"=") if len(rest) > 1 else b""


def _decode_charset(body: bytes, part: Part) -> str:
    charset = part.parameter("charset").strip()
    if charset and not is_charset(charset):
        charset = ""
    if not charset or charset.lower() in {"us-ascii", "ascii"}:
        charset = _likely_charset(body)  # mail without a charset, or with "ASCII", is often something else
    try:
        return body.decode(charset, "replace")
    except (LookupError, ValueError):
        return body.decode("latin-1")


def is_charset(name: str) -> bool:
    """Whether this is the name of a charset that mail can use."""
    if not _CHARSET.fullmatch(name):
        return False
    try:
        return codecs.lookup(name).name.replace("-", "_") not in _NO_CHARSETS
    except (LookupError, ValueError):
        return False


def _likely_charset(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as trouble:
        # The text may have been cut inside its last character.
        return "utf-8" if trouble.start >= len(body) - 4 else "windows-1252"
    return "utf-8"


def decode_words(value: str) -> str:
    """A header with its encoded words decoded; one that can't be decoded stays as it is."""
    try:
        pieces = decode_header(value[:_VALUE])
        return "".join(
            text if isinstance(text, str) else text.decode(charset or "ascii", "replace")
            for text, charset in pieces
            if charset is None or is_charset(charset)
        )
    except (HeaderParseError, binascii.Error, LookupError, ValueError):
        return value


class Kind(enum.Enum):
    """Who wrote a message."""

    PERSON = "person"
    AUTOMATIC = "automatic"
    BOUNCE = "bounce"


class Received(NamedTuple):
    """What matters in a message."""

    kind: Kind
    tokens: tuple[str, ...]
    """The tokens of our addresses that it was sent to, in lower case, each once; not verified yet."""
    words: str
    message_id: str
    """With its brackets; empty if it has none that can safely stand in a header of ours."""
    date: str
    subject: str
    replies_to: tuple[str, ...] = ()
    """The ids of the messages it replies to, with their brackets, the nearest first."""
    bounce_reason: str = ""
    """Why a mail server could not deliver a letter of ours, for good."""


def read_message(raw: bytes, domain: str, envelope_to: str | None = None) -> Received:
    """What matters in the message; never fails, whatever the bytes are."""
    message = parse_message(raw)
    kind = _kind(message)
    bounce_reason = _bounce_reason(message) if kind is Kind.BOUNCE else ""
    return Received(
        kind=kind,
        tokens=_tokens(message, domain, envelope_to, kind),
        words=_reply_text(message, domain) if kind is Kind.PERSON else "",
        message_id=_message_id(message),
        date=message.first("date")[:100],
        subject=clean(decode_words(message.first("subject")))[:_LONGEST_SUBJECT],
        replies_to=_replied_ids(message),
        bounce_reason=bounce_reason,
    )


def _message_id(message: Part) -> str:
    """The message's id; empty if it has none that can safely stand in a header of ours."""
    found = _MESSAGE_ID.findall(message.first("message-id"))
    return next((each for each in found if "=?" not in each), "")


def _replied_ids(message: Part) -> tuple[str, ...]:
    """The ids in `In-Reply-To`, and those in `References` from the last one back."""
    references = reversed(_MESSAGE_ID.findall(message.first("references")))
    return tuple(dict.fromkeys([*_MESSAGE_ID.findall(message.first("in-reply-to")), *references]))[:_MOST_REFERENCES]


def tokens_in(values: Iterable[str], domain: str) -> tuple[str, ...]:
    """The tokens of those addresses that are ours."""
    if not domain:
        return ()
    found = (token.lower() for value in values for token in _address(domain).findall(value))
    return tuple(dict.fromkeys(found))


def _address(domain: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.+-]){LOCAL_PART}\+([a-z2-7]{{1,59}})@{re.escape(domain)}(?![\w.-])", re.IGNORECASE)


def _tokens(message: Part, domain: str, envelope_to: str | None, kind: Kind) -> tuple[str, ...]:
    if envelope_to is not None:
        tokens = tokens_in([envelope_to], domain)
        if tokens or kind is not Kind.BOUNCE:
            return tokens
    for header in _ADDRESSED_IN:
        if tokens := tokens_in(message.all(header), domain):
            return tokens
    return _returned_tokens(message, domain) if kind is Kind.BOUNCE else ()


def _returned_tokens(message: Part, domain: str) -> tuple[str, ...]:
    """The tokens in our letter that a bounce returns."""
    for part in walk(message):
        if part.type in {"message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global-headers"}:
            letter = parse_message(part.body if part.type == "message/rfc822" else part.body + b"\n\n")
            if tokens := tokens_in(letter.all("reply-to"), domain):
                return tokens
    return ()


def _kind(message: Part) -> Kind:
    if message.type == "multipart/report":
        report = message.parameter("report-type").lower()
        return Kind.BOUNCE if report == "delivery-status" else Kind.AUTOMATIC
    return Kind.AUTOMATIC if _is_automatic(message) else Kind.PERSON


def _is_automatic(message: Part) -> bool:
    """Whether a program wrote it and must not be answered, or two programs might answer each other forever."""
    submitted = message.first("auto-submitted").partition(";")[0].strip().lower()
    replies = [*message.all("x-autoreply"), *message.all("x-autorespond"), *message.all("x-autoresponder")]
    return (
        submitted not in {"", "no"}
        or any(value.strip().lower() != "no" for value in replies)
        or message.first("precedence").strip().lower() in _BULK
        or _DO_NOT_ANSWER.search(message.first("x-auto-response-suppress")) is not None
        or any(value.replace(" ", "") == "<>" for value in message.all("return-path"))
        or "list-id" in message.headers
        or "list-unsubscribe" in message.headers  # our own letters have it, should one be forwarded to us
    )


def _bounce_reason(message: Part) -> str:
    """What the mail server said; empty if it keeps trying or has delivered."""
    for part in walk(message):
        if part.type in {"message/delivery-status", "message/global-delivery-status"}:
            report = part.text()
            if _FAILED.search(report):
                # The words of the mail server often say more than the status, and sometimes lack it.
                said = clean(max(_DIAGNOSIS.findall(report), key=len, default="") or CAME_BACK)
                status = _STATUS.search(report)
                return (said if status is None or status[1] in said else f"{status[1]} {said}")[:_LONGEST_REASON]
    return ""


def _reply_text(message: Part, domain: str) -> str:
    """What the person wrote, from the first text that has it."""
    own_address = _address(domain) if domain else None
    return next((words for words in islice(_readings(message, own_address), _MOST_TEXTS) if words), "")


def _readings(message: Part, own_address: re.Pattern[str] | None) -> Iterator[str]:
    """What is read in each text of the message.

    A text in HTML comes after the same one in plain text. If the HTML marks the quoted letter, the plain text is not
    read, because the quoted letter may stand there without any mark.
    """
    leaves = [part for part in walk(message) if not part.type.startswith("multipart/")]
    plain = ""
    for part in leaves:
        html = html_to_text(_decoded(part)) if part.type == "text/html" and not part.attached else None
        if plain and not (html and html.marks_quotation):
            yield extract_reply(plain, own_address)
        if html:
            yield extract_reply(html.text, own_address)
        plain = _plain_text(part) if part.type == "text/plain" and not part.attached else ""
    yield extract_reply(plain, own_address)


def _decoded(part: Part) -> str:
    return part.text().replace("\0", "")


def _plain_text(part: Part) -> str:
    text = _decoded(part)
    if part.parameter("format").lower() == "flowed":
        return unflow(text, part.parameter("delsp").lower() == "yes")
    return text
