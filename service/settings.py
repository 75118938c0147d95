"""What the host decides: read from the environment and `marrakech.toml`, and checked before anything starts."""

import difflib
import ipaddress
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, NoReturn
from urllib.parse import SplitResult, urlsplit

from service.secret_file import OpenSecret, kept_secret

PREFIX: Final = "MARRAKECH_"
FILE: Final = "marrakech.toml"
DEFAULT_BASE_URL: Final = "http://127.0.0.1:8000"
SETTINGS: Final = (
    "data_dir",
    "database_url",
    "base_url",
    "secret_key",
    "smtp_url",
    "mail_from",
    "inbound_domain",
    "imap_url",
    "allowed_emails",
    "hosts",
    "worker",
    "rate_limits",
    "proxies",
    "metrics_token",
)
SHORTEST_KEY: Final = 16
MOST_PROXIES: Final = 9

_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS: Final = rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*"
_SENDER: Final = re.compile(rf'{_ADDRESS}|(?:"[^"\\]*"|[^"\\<>@,;:()\[\]]*) ?<{_ADDRESS}>')
_HOSTS_ADDRESS: Final = re.compile(_ADDRESS)
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_WEB_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.:_\[\]-]+(?:/[A-Za-z0-9._~%/-]*)?")
_EMAIL_PATTERN: Final = re.compile(r"\*|[^\s@,\[\]]+@[^\s@,\[\]]+")
_SMTP_SCHEMES: Final = {"smtp", "smtp+starttls", "smtps"}
_IMAP_SCHEMES: Final = {"imap", "imap+starttls", "imaps"}


class SettingsError(Exception):
    """A setting is wrong: one sentence that names it and says what would be right."""


@dataclass(frozen=True)
class Settings:
    """All settings, checked; what may hold a key or a password is left out when they are printed."""

    data_dir: Path
    database_url: str = field(repr=False)
    base_url: str
    secret_keys: tuple[str, ...] = field(repr=False)
    smtp_url: str = field(repr=False)
    mail_from: str
    inbound_domain: str
    imap_url: str = field(repr=False)
    allowed_emails: tuple[str, ...]
    hosts: tuple[str, ...]
    worker: Literal["embedded", "off"]
    rate_limits: bool
    proxies: int
    metrics_token: str = field(repr=False)


class _Given(NamedTuple):
    """A value, and what its setting is called where the host wrote it."""

    name: str
    value: str

    def refuse(self, complaint: str) -> NoReturn:
        """The value itself stays out of the sentence unless the complaint has it: it may hold a password."""
        raise SettingsError(f"{self.name} {complaint}.") from None


def load_settings(environ: Mapping[str, str], folder: Path) -> Settings:
    """The settings: the environment wins over the file in `folder`, and both over the defaults."""
    given = _from_file(folder / FILE) | _from_environment(environ)

    def pick(name: str, default: str) -> _Given:
        return given.get(name, _Given(PREFIX + name.upper(), default))

    data_dir = _data_dir(pick("data_dir", "./var"), folder)
    settings = Settings(
        data_dir=data_dir,
        database_url=_database_url(pick("database_url", f"sqlite:///{data_dir}/marrakech.db")),
        base_url=_base_url(pick("base_url", DEFAULT_BASE_URL)),
        secret_keys=_secret_keys(given["secret_key"]) if "secret_key" in given else (),
        smtp_url=_smtp_url(pick("smtp_url", "")),
        mail_from=_mail_from(pick("mail_from", "Marrakech <marrakech@localhost>")),
        inbound_domain=_inbound_domain(pick("inbound_domain", "")),
        imap_url=_imap_url(pick("imap_url", "")),
        allowed_emails=_allowed_emails(pick("allowed_emails", "*")),
        hosts=_hosts(pick("hosts", "")),
        worker=_worker(pick("worker", "embedded")),
        rate_limits=_on_or_off(pick("rate_limits", "on")),
        proxies=_proxies(pick("proxies", "0")),
        metrics_token=_metrics_token(pick("metrics_token", "")),
    )
    # Only now is anything written: a start that is refused leaves nothing behind.
    _make_data_dir(pick("data_dir", "").name, data_dir)
    if settings.secret_keys:
        return settings
    return replace(settings, secret_keys=_kept_secret_keys(data_dir / "secret_key"))


def secret_key_is_set_in(environ: Mapping[str, str], folder: Path) -> str | None:
    """Where the host has written the secret himself; None where it is kept in its own file."""
    given = (_from_file(folder / FILE) | _from_environment(environ)).get("secret_key")
    return given.name if given else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens on `host`; a name other than localhost may lead anywhere."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


# These two belong to marrakech-cli; whoever hosts and plays on one machine has them set.
_OF_THE_CLIENT: Final = {"MARRAKECH_SERVER", "MARRAKECH_TOKEN"}


def _from_environment(environ: Mapping[str, str]) -> dict[str, _Given]:
    given: dict[str, _Given] = {}
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in _OF_THE_CLIENT:
            name = _known(variable.removeprefix(PREFIX), [name.upper() for name in SETTINGS], PREFIX)
            given[name.lower()] = _printable(_Given(variable, environ[variable]))
    return given


def _from_file(path: Path) -> dict[str, _Given]:
    given: dict[str, _Given] = {}
    for key, value in _toml(path).items():
        name = f"{_known(key, SETTINGS)} in {path.name}"
        if not isinstance(value, str):
            raise SettingsError(f'{name} must be text in quotation marks, such as {key} = "…".')
        given[key] = _printable(_Given(name, value))
    return given


def _toml(path: Path) -> dict[str, Any]:
    try:
        written = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as trouble:
        raise SettingsError(f"{path} cannot be read ({trouble.strerror}); make it readable or remove it.") from None
    try:
        return tomllib.loads(written.decode())
    except UnicodeDecodeError as trouble:
        line = written.count(b"\n", 0, trouble.start) + 1
        raise SettingsError(f"Line {line} of {path.name} is not UTF-8; save the file as UTF-8.") from None
    except tomllib.TOMLDecodeError as trouble:
        # What tomllib says beside the line may quote the file, and a secret may stand there.
        found = re.search(r"at line (\d+)", str(trouble))
        line = int(found[1]) if found else len(written.splitlines())
        raise SettingsError(
            f'Line {line} of {path.name} cannot be read; write each setting as name = "value" on a line of its own.'
        ) from None
    except (ValueError, RecursionError):  # a number too long, or lists too deep, for Python
        raise SettingsError(
            f'{path.name} cannot be read; write each setting as name = "value" on a line of its own.'
        ) from None


def _known(name: str, known: Sequence[str], prefix: str = "") -> str:
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, 1)
    advice = f"did you mean {prefix}{near[0]}?" if near else f"there are {', '.join(prefix + each for each in known)}."
    raise SettingsError(f"{prefix + name!r} is not a setting; {advice}")


def _printable(given: _Given) -> _Given:
    if not given.value.isprintable():
        given.refuse("has a line break or another invisible character in it; write it on one line, as plain text")
    return given


def _data_dir(given: _Given, folder: Path) -> Path:
    if not given.value:
        given.refuse("is empty; name a folder, such as ./var, or leave it out")
    try:
        return (folder / Path(given.value).expanduser()).absolute()
    except RuntimeError:
        given.refuse("begins with ~ and there is no such home folder; write the whole path")


def _split(given: _Given, right: str) -> SplitResult:
    """The parts of a URL, once it is sure that its port is a port."""
    try:
        parts = urlsplit(given.value)
        wrong = parts.port == 0
    except ValueError:
        wrong = True
    if wrong:
        given.refuse(f"has a host or port that cannot be read; write {right}, with %-codes for / # ? @ : in a password")
    return parts


def _database_url(given: _Given) -> str:
    right = "sqlite:///FILE or postgresql://user:password@host/database"
    # In memory, every thread would have a database of its own.
    if given.value.startswith("sqlite:///") and given.value.removeprefix("sqlite:///") not in {"", ":memory:"}:
        return given.value
    if not given.value.startswith("postgresql://"):
        given.refuse(f"names no database that can be used; write {right}")
    # No host is asked for: on the same machine it may be the folder of a socket, as in ?host=/run/postgresql.
    if not _split(given, right).path.strip("/"):
        given.refuse(f"names no database on the PostgreSQL server; write {right}")
    return given.value


def _base_url(given: _Given) -> str:
    right = "http:// or https:// and a host, such as https://marrakech.example.org"
    if not _WEB_ADDRESS.fullmatch(given.value):
        given.refuse(f"is not the address of a web server; write {right}")
    if not _HOST.fullmatch(_split(given, right).hostname or ""):
        given.refuse(f"names no host; write {right}")
    return given.value.rstrip("/")


def _smtp_url(given: _Given) -> str:
    right = "smtp://, smtp+starttls:// or smtps://user:password@host:port"
    if not given.value:
        return ""
    parts = _split(given, right)
    if parts.scheme not in _SMTP_SCHEMES or not given.value.startswith(f"{parts.scheme}://"):
        given.refuse(f"begins with no way of sending mail that is known here; write {right}")
    if not _HOST.fullmatch(parts.hostname or "") or parts.path.strip("/") or parts.query or parts.fragment:
        given.refuse(f"must name a host and nothing behind it; write {right}, with %-codes for / # ? @ : in a password")
    if bool(parts.username) != bool(parts.password):
        given.refuse(f"has a user without a password or the other way round; write {right}, or leave both out")
    return given.value


def _mail_from(given: _Given) -> str:
    if not _SENDER.fullmatch(given.value):
        given.refuse(f"is not an address ({given.value!r}); write it as Marrakech <marrakech@example.org>")
    return given.value


def _inbound_domain(given: _Given) -> str:
    if given.value and not _DOMAIN.fullmatch(given.value):
        given.refuse(f"is not a domain ({given.value!r}); write one such as reply.example.org, or leave it out")
    return given.value.lower()


def _imap_url(given: _Given) -> str:
    right = "imaps:// or imap+starttls://user:password@host:port/FOLDER"
    if not given.value:
        return ""
    parts = _split(given, right)
    if parts.scheme not in _IMAP_SCHEMES or not given.value.startswith(f"{parts.scheme}://"):
        given.refuse(f"begins with no way of fetching mail that is known here; write {right}")
    if not _HOST.fullmatch(parts.hostname or "") or parts.query or parts.fragment:
        given.refuse(f"must name a host and a folder; write {right}, with %-codes for / # ? @ : in a password")
    if not parts.username or not parts.password:
        given.refuse(f"has no user or no password; write {right}")
    if parts.scheme == "imap" and not is_loopback(parts.hostname or ""):
        given.refuse(f"would send the password where everybody can read it; write {right}")
    return given.value


def _allowed_emails(given: _Given) -> tuple[str, ...]:
    patterns = tuple(pattern.strip().lower() for pattern in given.value.split(","))
    for pattern in patterns:
        if not _EMAIL_PATTERN.fullmatch(pattern):
            given.refuse(
                f"has a pattern that fits no address ({pattern!r}); write * or *@example.org, with commas between"
            )
    return patterns


def _hosts(given: _Given) -> tuple[str, ...]:
    addresses = tuple(address.strip().lower() for address in given.value.split(",")) if given.value else ()
    for address in addresses:
        if "*" in address or not _HOSTS_ADDRESS.fullmatch(address):
            given.refuse(
                f"has something in it that is no address ({address!r}); write ann@example.org, with commas between"
            )
    return addresses


def _worker(given: _Given) -> Literal["embedded", "off"]:
    if given.value not in {"embedded", "off"}:
        given.refuse(f"is {given.value!r}; it must be embedded or off")
    return "embedded" if given.value == "embedded" else "off"


def _on_or_off(given: _Given) -> bool:
    if given.value not in {"on", "off"}:
        given.refuse(f"is {given.value!r}; it must be on or off")
    return given.value == "on"


def _proxies(given: _Given) -> int:
    if not re.fullmatch("[0-9]", given.value):
        given.refuse(
            f"is {given.value!r}; it must be the number of proxies before the server, from 0 to {MOST_PROXIES}"
        )
    return int(given.value)


def _metrics_token(given: _Given) -> str:
    if given.value and not re.fullmatch(rf"[A-Za-z0-9._~+/=-]{{{SHORTEST_KEY},}}", given.value):
        given.refuse(
            f"is too short or no word for a header; write {SHORTEST_KEY} or more letters and digits, or leave it out"
        )
    return given.value


def _secret_keys(given: _Given) -> tuple[str, ...]:
    keys = tuple(key.strip() for key in given.value.split(","))
    for number, key in enumerate(keys, 1):
        if len(key) < SHORTEST_KEY:
            given.refuse(
                f"has a key that is too short (number {number}); a key has at least {SHORTEST_KEY} characters, commas"
                " stand between keys, and without the setting one is made for you"
            )
    return keys


def _make_data_dir(name: str, folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as trouble:
        raise SettingsError(
            f"{name} cannot be made: {folder} ({trouble.strerror}); name a folder that this user may write to."
        ) from None


def _kept_secret_keys(path: Path) -> tuple[str, ...]:
    """The keys in the secret's file."""
    try:
        written = kept_secret(path)
    except OpenSecret as trouble:
        raise SettingsError(str(trouble)) from None
    except OSError as trouble:
        raise SettingsError(
            f"The secret file {path} cannot be read or made ({trouble.strerror}); give this user the right to,"
            f" or set {PREFIX}SECRET_KEY."
        ) from None
    given = _Given(f"The secret file {path}", written.strip())
    if not given.value:
        given.refuse("is empty; restore it from a backup, or remove it to have a new key, with which no old link works")
    return _secret_keys(_printable(given))
