"""Validation of each setting: parse its text, or raise `SettingsError` with one sentence for the server host."""

import ipaddress
import re
from pathlib import Path
from typing import Final, Literal, NamedTuple, NoReturn
from urllib.parse import SplitResult, urlsplit

SHORTEST_KEY: Final = 16
MOST_PROXIES: Final = 9

_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS: Final = rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*"
_SENDER: Final = re.compile(rf'{_ADDRESS}|(?:"[^"\\]*"|[^"\\<>@,;:()\[\]]*) ?<{_ADDRESS}>')
_HOSTS_ADDRESS: Final = re.compile(_ADDRESS)
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_HOST_PATTERN: Final = re.compile(rf"\*|(?:\*\.)?{_LABEL}(?:\.{_LABEL})*|[0-9a-f:]*:[0-9a-f:]*")
_WEB_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.:_\[\]-]+(?:/[A-Za-z0-9._~%/-]*)?")
_EMAIL_PATTERN: Final = re.compile(r"\*|[^\s@,\[\]]+@[^\s@,\[\]]+")
_SMTP_SCHEMES: Final = {"smtp", "smtp+starttls", "smtps"}
_IMAP_SCHEMES: Final = {"imap", "imap+starttls", "imaps"}


class SettingsError(Exception):
    """A setting is invalid. The message names it and says what to write."""


class Given(NamedTuple):
    """The text of a setting, and the setting's name as the server host wrote it."""

    name: str
    value: str

    def refuse(self, complaint: str) -> NoReturn:
        """Raise `SettingsError`. Never quotes the value, which may be a password, unless the complaint does."""
        raise SettingsError(f"{self.name} {complaint}.") from None


def is_loopback(host: str) -> bool:
    """Whether `host` is a loopback address; names other than localhost may resolve to anything."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def printable(given: Given) -> Given:
    if not given.value.isprintable():
        given.refuse("contains a line break or another invisible character: write it on one line, as plain text")
    return given


def data_dir(given: Given, folder: Path) -> Path:
    if not given.value:
        given.refuse("is empty: set it to a folder such as ./var, or remove it")
    try:
        return (folder / Path(given.value).expanduser()).absolute()
    except RuntimeError:
        given.refuse("starts with ~, but that home folder doesn't exist: write the full path")


def _split(given: Given, right: str) -> SplitResult:
    """Split a URL; refuses one whose host or port is invalid."""
    try:
        parts = urlsplit(given.value)
        wrong = parts.port == 0
    except ValueError:
        wrong = True
    if wrong:
        given.refuse(
            f"has an invalid host or port: write {right}, with / # ? @ : in a password percent-encoded (%2F for /)"
        )
    return parts


def database_url(given: Given) -> str:
    right = "sqlite:///FILE or postgresql://user:password@host/database"
    # With an in-memory database, every thread would have its own.
    if given.value.startswith("sqlite:///") and given.value.removeprefix("sqlite:///") not in {"", ":memory:"}:
        return given.value
    if not given.value.startswith("postgresql://"):
        given.refuse(f"doesn't name a supported database: write {right}")
    # The host is optional: it may be the folder of a socket, as in ?host=/run/postgresql.
    if not _split(given, right).path.strip("/"):
        given.refuse(f"has no database name: write {right}")
    return given.value


def base_url(given: Given) -> str:
    right = "http:// or https:// and a host, such as https://marrakech.example.org"
    if not _WEB_ADDRESS.fullmatch(given.value):
        given.refuse(f"is not a web address: write {right}")
    if not _HOST.fullmatch(_split(given, right).hostname or ""):
        given.refuse(f"has no host name: write {right}")
    return given.value.rstrip("/")


def smtp_url(given: Given) -> str:
    right = "smtp://, smtp+starttls:// or smtps://user:password@host:port"
    if not given.value:
        return ""
    parts = _split(given, right)
    if parts.scheme not in _SMTP_SCHEMES or not given.value.startswith(f"{parts.scheme}://"):
        given.refuse(f"has an unknown scheme: write {right}")
    if not _HOST.fullmatch(parts.hostname or "") or parts.path.strip("/") or parts.query or parts.fragment:
        given.refuse(f"has no host, or text after it: write {right}, with / # ? @ : in a password percent-encoded")
    if bool(parts.username) != bool(parts.password):
        given.refuse(f"needs both a user and a password, or neither: write {right}")
    return given.value


def mail_from(given: Given) -> str:
    if not _SENDER.fullmatch(given.value):
        given.refuse(
            f"is not an e-mail address ({given.value!r}): write something like Marrakech <marrakech@example.org>"
        )
    return given.value


def inbound_domain(given: Given) -> str:
    if given.value and not _DOMAIN.fullmatch(given.value):
        given.refuse(f"is not a domain ({given.value!r}): write something like reply.example.org, or remove it")
    return given.value.lower()


def imap_url(given: Given) -> str:
    right = "imaps:// or imap+starttls://user:password@host:port/FOLDER"
    if not given.value:
        return ""
    parts = _split(given, right)
    if parts.scheme not in _IMAP_SCHEMES or not given.value.startswith(f"{parts.scheme}://"):
        given.refuse(f"has an unknown scheme: write {right}")
    if not _HOST.fullmatch(parts.hostname or "") or parts.query or parts.fragment:
        given.refuse(
            f"has no host, or something after the folder: write {right}, with / # ? @ : in a password percent-encoded"
        )
    if not parts.username or not parts.password:
        given.refuse(f"needs a user and a password: write {right}")
    if parts.scheme == "imap" and not is_loopback(parts.hostname or ""):
        given.refuse(f"would send the password unencrypted: write {right}")
    return given.value


def allowed_emails(given: Given) -> tuple[str, ...]:
    patterns = tuple(pattern.strip().lower() for pattern in given.value.split(","))
    for pattern in patterns:
        if not _EMAIL_PATTERN.fullmatch(pattern):
            given.refuse(
                f"has an invalid pattern ({pattern!r}): write * or patterns such as *@example.org, separated by commas"
            )
    return patterns


def hosts(given: Given) -> tuple[str, ...]:
    addresses = tuple(address.strip().lower() for address in given.value.split(",")) if given.value else ()
    for address in addresses:
        if "*" in address or not _HOSTS_ADDRESS.fullmatch(address):
            given.refuse(
                f"has an invalid address ({address!r}): write addresses such as ann@example.org, separated by commas"
            )
    return addresses


def notify_hosts(given: Given) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in given.value.split(",")) if given.value else ()
    for name in names:
        if not _HOST_PATTERN.fullmatch(name):
            given.refuse(
                f"has an invalid host name ({name!r}): write names such as chat.example.org or *.example.org, or *,"
                " separated by commas"
            )
    return names


def worker(given: Given) -> Literal["embedded", "off"]:
    if given.value not in {"embedded", "off"}:
        given.refuse(f"is {given.value!r}: it must be embedded or off")
    return "embedded" if given.value == "embedded" else "off"


def on_or_off(given: Given) -> bool:
    if given.value not in {"on", "off"}:
        given.refuse(f"is {given.value!r}: it must be on or off")
    return given.value == "on"


def proxies(given: Given) -> int:
    if not re.fullmatch("[0-9]", given.value):
        given.refuse(
            f"is {given.value!r}: it must be the number of proxies in front of the server, from 0 to {MOST_PROXIES}"
        )
    return int(given.value)


def keep_letters(given: Given) -> int:
    if not re.fullmatch("0|[1-9][0-9]{0,3}", given.value):
        given.refuse(f"is {given.value!r}: it must be a number of days from 1 to 9999, or 0 to keep letters forever")
    return int(given.value)


def metrics_token(given: Given) -> str:
    if given.value and not re.fullmatch(rf"[A-Za-z0-9._~+/=-]{{{SHORTEST_KEY},}}", given.value):
        given.refuse(
            f"is too short or has characters that a header can't have: write {SHORTEST_KEY} or more letters and digits"
        )
    return given.value


def secret_keys(given: Given) -> tuple[str, ...]:
    keys = tuple(key.strip() for key in given.value.split(","))
    for number, key in enumerate(keys, 1):
        if len(key) < SHORTEST_KEY:
            given.refuse(
                f"has a key that is too short (number {number}): write at least {SHORTEST_KEY} characters per key and a"
                " comma between keys, or remove the setting to have a key generated"
            )
    return keys
