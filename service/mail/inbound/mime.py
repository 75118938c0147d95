"""A message taken apart within bounds: whatever the bytes are, there is an answer, and soon.

The standard library's parser climbs down as deep as a message is nested and looks at every line on every level; a
stranger may send a megabyte that keeps it busy for minutes. A reply needs little of MIME, so that little is read here.
"""

import base64
import binascii
import codecs
import quopri
import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from itertools import islice
from typing import Final, NamedTuple

LARGEST: Final = 1024 * 1024
"""How many bytes a message may have; a reply needs a few."""
_DEEPEST: Final = 8
_MOST_PARTS: Final = 40
_MOST_HEADERS: Final = 400
_HEADERS_BYTES: Final = 64 * 1024
_PART_HEADERS_BYTES: Final = 4 * 1024
_VALUE: Final = 2000
_TEXT_BYTES: Final = 96 * 1024
"""How much of a text is decoded: what a player has to say stands near an end of it, and is short."""

_HEADER: Final = re.compile(r"([!-9;-~]{1,80})[ \t]*:(.*)", re.DOTALL)
_PARAMETER: Final = re.compile(r';\s*([\w*-]{1,40})\s*=\s*(?:"([^"]{0,200})"|([^\s;"]{1,200}))')
_CHARSET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,39}")
_NO_CHARSETS: Final = {"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "charmap"}
"""Codecs of Python that no mail is written in, and that are slow or can be made to fail."""


class Part(NamedTuple):
    """A message or a part of one: its headers in lower case, each with the values it was given, and the rest."""

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
        """The media type; text/plain where none is given."""
        given = self.first("content-type").partition(";")[0].strip().lower()
        return given if "/" in given else "text/plain"

    def parameter(self, name: str) -> str:
        """A parameter of the media type, or nothing."""
        found = _PARAMETER.findall(f";{self.first('content-type').partition(';')[2]}")
        return next((quoted or plain for key, quoted, plain in found if key.lower() == name), "")

    @property
    def attached(self) -> bool:
        """Whether it is a file that came along, and nothing to be read."""
        return self.first("content-disposition").strip().lower().startswith("attachment")

    def text(self) -> str:
        """The body as text, whatever it was written in; what cannot be read becomes a replacement character."""
        return _decoded(_transferred(self.body[:_TEXT_BYTES], self.first("content-transfer-encoding")), self)


def take_apart(raw: bytes) -> Part:
    """The message, with line ends as they are here."""
    raw = raw[: LARGEST + 1].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if raw.startswith((b"From ", b">From ")):
        raw = raw.partition(b"\n")[2]  # the line with which a mailbox file and procmail begin a message
    return _part(raw, _HEADERS_BYTES)


def walk(part: Part) -> Iterator[Part]:
    """The part and those in it, in their order; what is nested too deep or comes too late is left out."""
    return islice(_walk(part, 0), _MOST_PARTS)


def _walk(part: Part, depth: int) -> Iterator[Part]:
    yield part
    if depth < _DEEPEST:
        for inside in _inside(part):
            yield from _walk(inside, depth + 1)


def _inside(part: Part) -> Iterator[Part]:
    boundary = part.parameter("boundary")
    if not part.type.startswith("multipart/") or not boundary:
        return
    # It begins with plain letters, which a regular expression finds many times faster than a choice.
    line = re.compile(rb"\n--" + re.escape(boundary.encode("utf-8", "replace")) + rb"(--)?[ \t]*(?=\n|\Z)")
    body, start = b"\n" + part.body, None
    for mark in line.finditer(body):
        if start is not None:
            yield _part(body[start : mark.start()].removeprefix(b"\n"), _PART_HEADERS_BYTES)
        start = mark.end()
        if mark[1]:
            return
    if start is not None:  # the end is missing: a message that was cut off is read as far as it goes
        yield _part(body[start:].removeprefix(b"\n"), _PART_HEADERS_BYTES)


def _part(raw: bytes, most: int) -> Part:
    if raw.startswith(b"\n"):
        return Part({}, raw[1:])
    head, _, body = raw.partition(b"\n\n")
    return Part(_headers(head[:most]), body)


def _headers(head: bytes) -> dict[str, list[str]]:
    # A header goes on in lines that begin with a space.
    lines = re.sub(rb"\n(?=[ \t])", b"", head).split(b"\n", _MOST_HEADERS)[:_MOST_HEADERS]
    headers: dict[str, list[str]] = {}
    for line in lines:
        found = _HEADER.fullmatch(line[: _VALUE + 80].decode("utf-8", "replace"))
        if found:
            headers.setdefault(found[1].lower(), []).append(found[2].strip()[:_VALUE])
    return headers


def _transferred(body: bytes, encoding: str) -> bytes:
    match encoding.strip().lower():
        case "base64":
            letters = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
            return base64.b64decode(letters[: len(letters) // 4 * 4] + _last_letters(letters))
        case "quoted-printable":
            return quopri.decodestring(body)
        case _:
            return body


def _last_letters(letters: bytes) -> bytes:
    """What is left over when base64 comes without its padding; one letter alone says nothing."""
    rest = letters[len(letters) // 4 * 4 :]
    return rest.ljust(4, b"=") if len(rest) > 1 else b""


def _decoded(body: bytes, part: Part) -> str:
    charset = part.parameter("charset").strip()
    if charset and not is_charset(charset):
        charset = ""
    if not charset or charset.lower() in {"us-ascii", "ascii"}:
        charset = _likely_charset(body)  # who says nothing or "ASCII" often writes something else
    try:
        return body.decode(charset, "replace")
    except (LookupError, ValueError):
        return body.decode("latin-1")


def is_charset(name: str) -> bool:
    """Whether text in mail can be written in what is called so."""
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
        # The text may have been cut in the middle of its last character.
        return "utf-8" if trouble.start >= len(body) - 4 else "windows-1252"
    return "utf-8"


def decoded_words(value: str) -> str:
    """A header as people read it, its encoded words decoded; one that cannot be read stays as it is."""
    try:
        pieces = decode_header(value[:_VALUE])
        return "".join(
            text if isinstance(text, str) else text.decode(charset or "ascii", "replace")
            for text, charset in pieces
            if charset is None or is_charset(charset)
        )
    except (HeaderParseError, binascii.Error, LookupError, ValueError):
        return value
