"""From the bytes of a message to what matters in it: who it is for, whether a person wrote it, and the words."""

import enum
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from service.db.letter_texts import CAME_BACK
from service.mail.inbound.html_to_text import as_text
from service.mail.inbound.mime import Part, decoded_words, take_apart, walk
from service.mail.inbound.quoting import unflowed, words_of
from service.text import clean

LOCAL_PART: Final = "play"
_ADDRESSED_IN: Final = ("x-original-to", "delivered-to", "envelope-to", "to", "cc")
"""Where the address may stand that the message was sent to, what the mail server wrote itself coming first."""
_LONGEST_SUBJECT: Final = 120
_LONGEST_TROUBLE: Final = 300
_MESSAGE_ID: Final = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,100}>")
_BULK: Final = {"bulk", "junk", "list", "auto_reply"}
_DO_NOT_ANSWER: Final = re.compile(r"\b(?:all|oof|autoreply)\b", re.IGNORECASE)
_FAILED: Final = re.compile(r"^Action:\s*failed\b", re.IGNORECASE | re.MULTILINE)
_DIAGNOSIS: Final = re.compile(r"^(?:Diagnostic-Code|Status):\s*(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)


class Kind(enum.Enum):
    """Who wrote a message."""

    PERSON = "person"
    AUTOMATIC = "automatic"
    BOUNCE = "bounce"


class Received(NamedTuple):
    """A message as far as it matters here."""

    kind: Kind
    tokens: tuple[str, ...]
    """Those of the addresses at which it came in, in lower case, each once; none has been checked yet."""
    words: str
    message_id: str
    """As the message has it, brackets and all; empty where it has none that could stand in a header again."""
    date: str
    subject: str
    trouble: str = ""
    """What a mail server said that could not deliver a letter of ours for good."""


def read_message(raw: bytes, domain: str, envelope_to: str | None = None) -> Received:
    """The message; whatever the bytes are, they are read as something."""
    message = take_apart(raw)
    kind = _kind(message)
    trouble = _trouble(message) if kind is Kind.BOUNCE else ""
    return Received(
        kind=kind,
        tokens=_tokens(message, domain, envelope_to, kind),
        words=_words(message) if kind is Kind.PERSON else "",
        message_id=next(iter(_MESSAGE_ID.findall(message.first("message-id"))), ""),
        date=message.first("date")[:100],
        subject=clean(decoded_words(message.first("subject")))[:_LONGEST_SUBJECT],
        trouble=trouble,
    )


def tokens_in(values: Iterable[str], domain: str) -> tuple[str, ...]:
    """The tokens of the addresses of ours that are among these."""
    if not domain:
        return ()
    found = (token.lower() for value in values for token in _address(domain).findall(value))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=16)
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
    """The tokens in the letter of ours that a bounce sends back."""
    for part in walk(message):
        if part.type in {"message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global-headers"}:
            letter = take_apart(part.body if part.type == "message/rfc822" else part.body + b"\n\n")
            if tokens := tokens_in(letter.all("reply-to"), domain):
                return tokens
    return ()


def _kind(message: Part) -> Kind:
    if message.type == "multipart/report":
        report = message.parameter("report-type").lower()
        return Kind.BOUNCE if report == "delivery-status" else Kind.AUTOMATIC
    return Kind.AUTOMATIC if _is_automatic(message) else Kind.PERSON


def _is_automatic(message: Part) -> bool:
    """Whether a program wrote it: an answer to it might be answered by a program again. The subject proves nothing."""
    submitted = message.first("auto-submitted").partition(";")[0].strip().lower()
    replies = [*message.all("x-autoreply"), *message.all("x-autorespond"), *message.all("x-autoresponder")]
    return (
        submitted not in {"", "no"}
        or any(value.strip().lower() != "no" for value in replies)
        or message.first("precedence").strip().lower() in _BULK
        or _DO_NOT_ANSWER.search(message.first("x-auto-response-suppress")) is not None
        or any(value.replace(" ", "") == "<>" for value in message.all("return-path"))
        or "list-id" in message.headers
        or "list-unsubscribe" in message.headers  # our own letters have it, should one of them come back to us
    )


def _trouble(message: Part) -> str:
    """What the mail server said; nothing where it will go on trying, or did deliver."""
    for part in walk(message):
        if part.type in {"message/delivery-status", "message/global-delivery-status"}:
            report = part.text()
            if _FAILED.search(report):
                said = _DIAGNOSIS.findall(report)
                return clean(max(said, key=len, default="") or CAME_BACK)[:_LONGEST_TROUBLE]
    return ""


def _words(message: Part) -> str:
    """The words of the first text that has any; plain text is read before HTML."""
    texts = [part for part in walk(message) if part.type in {"text/plain", "text/html"} and not part.attached]
    for part in sorted(texts, key=lambda part: part.type == "text/html"):
        if words := words_of(_plain(part)):
            return words
    return ""


def _plain(part: Part) -> str:
    text = part.text().replace("\0", "")
    if part.type == "text/html":
        return as_text(text)
    if part.parameter("format").lower() == "flowed":
        return unflowed(text, part.parameter("delsp").lower() == "yes")
    return text
