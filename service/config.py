"""The settings: read from the environment and `marrakech.toml`, and validated at startup."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from service import config_values as read
from service.auth.secret_file import UnprotectedSecret, read_or_create_secret
from service.config_values import Given, SettingsError

PREFIX: Final = "MARRAKECH_"
FILE: Final = "marrakech.toml"
SECRET_FILE: Final = "secret_key"  # noqa: S105 - the name of the file
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
    "keep_letters",
    "notify_hosts",
)


@dataclass(frozen=True)
class Settings:
    """All settings, validated. The repr leaves out those that may contain a key or password."""

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
    keep_letters: int = 90
    notify_hosts: tuple[str, ...] = ()

    @property
    def is_for_this_machine(self) -> bool:
        """Whether only this machine uses the server: its links lead here, and there is no proxy in front of it."""
        return self.proxies == 0 and read.is_loopback(urlsplit(self.base_url).hostname or "")


def load_settings(environ: Mapping[str, str], folder: Path) -> Settings:
    """Load the settings. The environment overrides the file in `folder`, and both override the defaults."""
    given = _from_file(folder / FILE) | _from_environment(environ)

    def pick(name: str, default: str) -> Given:
        return given.get(name, Given(PREFIX + name.upper(), default))

    data_dir = read.data_dir(pick("data_dir", "./var"), folder)
    settings = Settings(
        data_dir=data_dir,
        database_url=read.database_url(pick("database_url", f"sqlite:///{data_dir}/marrakech.db")),
        base_url=read.base_url(pick("base_url", DEFAULT_BASE_URL)),
        secret_keys=read.secret_keys(given["secret_key"]) if "secret_key" in given else (),
        smtp_url=read.smtp_url(pick("smtp_url", "")),
        mail_from=read.mail_from(pick("mail_from", "Marrakech <marrakech@localhost>")),
        inbound_domain=read.inbound_domain(pick("inbound_domain", "")),
        imap_url=read.imap_url(pick("imap_url", "")),
        allowed_emails=read.allowed_emails(pick("allowed_emails", "*")),
        hosts=read.hosts(pick("hosts", "")),
        worker=read.worker(pick("worker", "embedded")),
        rate_limits=read.on_or_off(pick("rate_limits", "on")),
        proxies=read.proxies(pick("proxies", "0")),
        metrics_token=read.metrics_token(pick("metrics_token", "")),
        keep_letters=read.keep_letters(pick("keep_letters", "90")),
        notify_hosts=read.notify_hosts(pick("notify_hosts", "matrix.org, ntfy.sh")),
    )
    # Create files only after everything is validated.
    _make_data_dir(pick("data_dir", "").name, data_dir)
    if settings.secret_keys:
        return settings
    return replace(settings, secret_keys=_read_secret_file(data_dir / SECRET_FILE))


def secret_key_is_set_in(environ: Mapping[str, str], folder: Path) -> str | None:
    """The name of the setting that holds the secret key, or None if the key is in the generated file."""
    given = (_from_file(folder / FILE) | _from_environment(environ)).get("secret_key")
    return given.name if given else None


# Variables of marrakech-cli, which may be set on the same machine.
_CLIENT_VARIABLES: Final = {"MARRAKECH_SERVER", "MARRAKECH_TOKEN"}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in _CLIENT_VARIABLES:
            name = _known(variable.removeprefix(PREFIX), [name.upper() for name in SETTINGS], PREFIX)
            given[name.lower()] = read.printable(Given(variable, environ[variable]))
    return given


def _from_file(path: Path) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for key, value in _toml(path).items():
        name = f"{_known(key, SETTINGS)} in {path.name}"
        if not isinstance(value, str):
            raise SettingsError(f'{name} must be text in quotation marks, such as {key} = "…".')
        given[key] = read.printable(Given(name, value))
    return given


def _toml(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"Can't read {path} ({error.strerror}): make it readable or remove it.") from None
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"Line {line} of {path.name} is not UTF-8: save the file as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        # tomllib's message may quote the file, which may contain a secret.
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else len(content.splitlines())
        raise SettingsError(
            f'Line {line} of {path.name} is invalid: write each setting on its own line as name = "value".'
        ) from None
    except (ValueError, RecursionError):  # a number too long, or lists nested too deeply, for Python
        raise SettingsError(f'{path.name} is invalid: write each setting on its own line as name = "value".') from None


def _known(name: str, known: Sequence[str], prefix: str = "") -> str:
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, 1)
    advice = f"did you mean {prefix}{near[0]}?" if near else f"use one of {', '.join(prefix + each for each in known)}."
    raise SettingsError(f"{prefix + name!r} is not a setting: {advice}")


def _make_data_dir(name: str, folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Only change a folder that this program has used before. Another one may be shared on purpose.
        if (folder / SECRET_FILE).exists() and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise SettingsError(
            f"{name} can't be created at {folder} ({error.strerror}): choose a folder that this user can write to."
        ) from None


def _read_secret_file(path: Path) -> tuple[str, ...]:
    """The keys in the secret file, which is created if it doesn't exist."""
    try:
        content = read_or_create_secret(path)
    except UnprotectedSecret as error:
        raise SettingsError(str(error)) from None
    except OSError as error:
        raise SettingsError(
            f"The secret file {path} can't be read or created ({error.strerror}): give this user access to it,"
            f" or set {PREFIX}SECRET_KEY."
        ) from None
    given = Given(f"The secret file {path}", content.strip())
    if not given.value:
        given.refuse(
            "is empty: restore it from a backup, or remove it to get a new key, which makes all old links invalid"
        )
    return read.secret_keys(read.printable(given))
