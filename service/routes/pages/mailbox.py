"""The mailbox page: the messages that would have been sent, for trying the game without a mail server.

Its address contains a key, so that only those who have seen it can open the page: the server prints it at startup, and
the sign-in page links to it.
"""

import base64
import hashlib
import hmac
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, abort, current_app, g, render_template, request

from service import paths
from service.config import Settings
from service.config_values import is_loopback
from service.routes.current import current_context, current_reader, is_local_request
from service.routes.pages.responses import add_security_headers
from service.text import format_utc

ON_A_PAGE: Final = 20
"""Letters are long, and no page should be larger than 150 KB, with the picture of the newest letter."""
_LETTER_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation"
)
"""For the HTML part of a letter: inline styles as mail programs need them, and nothing else."""
_KEY_DIGITS: Final = 32
_HEAD: Final = '<head>\n<base target="_top">'


class _Line(NamedTuple):
    text: str
    link: bool


class _Opened(NamedTuple):
    """A letter as the page shows it."""

    id: int
    address: str
    at: str
    when: str
    subject: str
    lines: tuple[_Line, ...]
    rich: bool
    """Whether the letter has an HTML part."""


def mailbox_allowed(settings: Settings, host: str) -> bool:
    """Whether there is a mailbox page: it shows people's letters, so only if no other machine can reach it."""
    return not settings.smtp_url and is_loopback(host) and settings.is_for_this_machine


def mailbox_path(settings: Settings) -> str:
    """The path of the page; its key follows from the secret key, so it stays the same when the server is restarted."""
    key = hmac.new(settings.secret_keys[-1].encode(), b"marrakech/mailbox", hashlib.sha256).hexdigest()[:_KEY_DIGITS]
    return f"/mailbox/{key}"


def mailbox_link() -> str:
    """The path of the page for a reader who may open it; empty for all others, and if there is no such page."""
    if pages.name not in current_app.blueprints or not is_local_request():
        return ""
    return mailbox_path(current_context().settings)


pages = Blueprint("mailbox", __name__, url_prefix="/mailbox/<key>")
"""Register it only if `mailbox_allowed` says so."""


@pages.url_value_preprocessor
def take_key(_endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Keep the key for `check_access`; the views don't need it."""
    g.mailbox_key = (values or {}).pop("key", "")


@pages.url_defaults
def add_key(_endpoint: str, values: dict[str, Any]) -> None:
    """Put the key into the links between these pages."""
    values["key"] = g.mailbox_key


@pages.before_request
def check_access() -> None:
    """Allow only this machine, and only with the key."""
    given = f"/mailbox/{g.mailbox_key}".encode()
    if not is_local_request() or not hmac.compare_digest(given, mailbox_path(current_context().settings).encode()):
        abort(404)


@pages.after_request
def add_headers(response: Response) -> Response:
    """Add the headers of every private page, except that the pages may frame the letters."""
    is_letter = response.headers.get("Content-Security-Policy") == _LETTER_POLICY
    response = add_security_headers(response)
    if is_letter:
        response.headers["X-Frame-Options"] = "SAMEORIGIN"
        response.headers["Content-Security-Policy"] = _LETTER_POLICY
    else:
        response.headers["Content-Security-Policy"] += "; frame-src 'self'"
    return response


@pages.get("")
def show_mailbox() -> str:
    """The newest letters, or those before a certain letter."""
    before = request.args.get("before", type=int)
    files = _files(before)
    letters = [_open(file) for file in files[:ON_A_PAGE]]
    older = letters[-1].id if len(files) > ON_A_PAGE else None
    return render_template("mailbox.html", letters=letters, older=older, newest=before is None)


@pages.get("/<int:letter>")
def show_letter(letter: int) -> str:
    """One letter."""
    return render_template("letter.html", letter=_open(_find(letter)))


@pages.get("/<int:letter>/html")
def show_html_part(letter: int) -> Response:
    """The HTML part of a letter, for the frame in which it is shown."""
    response = Response(_html(_read(_find(letter))))
    response.headers["Content-Security-Policy"] = _LETTER_POLICY
    return response


def _files(before: int | None = None) -> list[Path]:
    """The messages, newest first, or those that are older than a certain letter; file names begin with the time."""
    files = sorted(paths.mailbox(current_context().settings.data_dir).glob("*-*.eml"), reverse=True)
    ids = [_letter_id(file) for file in files]
    return files[ids.index(before) + 1 :] if before in ids else files


def _letter_id(file: Path) -> int:
    return int(file.stem.rpartition("-")[2])


def _find(letter: int) -> Path:
    found = next((file for file in _files() if _letter_id(file) == letter), None)
    return found or abort(404)


def _read(file: Path) -> Any:
    try:
        return message_from_bytes(file.read_bytes(), policy=policy.default)
    except FileNotFoundError:  # a newer letter has just pushed it out
        abort(404)


def _open(file: Path) -> _Opened:
    message = _read(file)
    created: datetime = message["Date"].datetime
    at, when = created.timestamp(), current_reader().format_short_time(created.timestamp())
    # Only our own links can be clicked: anything else that looks like one came with somebody's name.
    own = f"{current_context().settings.base_url}/"
    text = message.get_body(("plain",)).get_content()
    lines = tuple(_Line(line, line.startswith(own)) for line in text.splitlines())
    rich = message.get_body(("html",)) is not None
    return _Opened(_letter_id(file), message["To"], format_utc(at), when, message["Subject"], lines, rich)


def _html(message: EmailMessage) -> str:
    """The HTML part for a browser, which doesn't know `cid:`."""
    body = message.get_body(("html",)) or abort(404)
    html = str(body.get_content()).replace("<head>", _HEAD, 1)
    for part in message.walk():
        if part.get_content_type() == "image/png":
            data = base64.b64encode(part.get_content()).decode()
            html = html.replace(f"cid:{part['Content-ID'].strip('<>')}", f"data:image/png;base64,{data}")
    return html
