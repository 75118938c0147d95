"""The mailbox page: every letter of the outbox, for trying the whole game without a mail server."""

from typing import Any, Final, NamedTuple

from flask import Blueprint, abort, render_template, request

from service.mail.letters import Outdated, compose
from service.mail.wording import moment
from service.models import Letter
from service.office import Office
from service.routes.sealing import seal
from service.settings import Settings, is_loopback

ON_A_PAGE: Final = 50
_FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")


class _Line(NamedTuple):
    text: str
    link: bool


class _Opened(NamedTuple):
    """A letter as the page shows it."""

    id: int
    address: str
    when: str
    subject: str
    lines: tuple[_Line, ...]


def mailbox_allowed(settings: Settings, host: str) -> bool:
    """Whether there is a mailbox page: it shows people's letters, so only where nobody but this machine can look."""
    return not settings.smtp_url and is_loopback(host)


def mailbox_pages(office: Office) -> Blueprint:
    """The pages; register them only where `mailbox_allowed` says so."""
    pages = Blueprint("mailbox", __name__)

    @pages.before_request
    def check_that_it_is_read_here() -> None:
        if not _asked_from_here():
            abort(404)

    pages.after_request(seal)

    @pages.get("/mailbox")
    def mailbox() -> str:
        before = request.args.get("before", type=int)
        found = _newest(office, before)
        opened = [_opened(office, letter) for letter in found[:ON_A_PAGE]]
        older = opened[-1].id if len(found) > ON_A_PAGE else None
        return render_template("mailbox.html", letters=opened, older=older, newest=before is None)

    @pages.get("/mailbox/<int:letter>")
    def one_letter(letter: int) -> str:
        found = list(Letter.select().where(Letter.id == letter).execute(office.database)) if _fits(letter) else []
        if not found:
            abort(404)
        return render_template("letter.html", letter=_opened(office, found[0]))

    return pages


def _asked_from_here() -> bool:
    """Whether the browser asked this machine by its own name and not through a proxy.

    A foreign site can point a name of its own at 127.0.0.1 and have the browser read the page for it, and a proxy
    that is put before a server without mail would show everybody's sign-in codes to everybody.
    """
    name = request.host.rpartition(":")[0] if _has_port(request.host) else request.host
    return is_loopback(name) and not any(header in request.headers for header in _FORWARDED)


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def _fits(letter: int) -> bool:
    """Whether the number can be that of a letter; PostgreSQL refuses to compare a larger one."""
    return letter < 2**31


def _newest(office: Office, before: int | None) -> list[Any]:
    """A page of letters and, where there are older ones, one more."""
    letters = Letter.select().order_by(Letter.id.desc()).limit(ON_A_PAGE + 1)
    if before is not None and _fits(abs(before)):
        letters = letters.where(Letter.id < before)
    return list(letters.execute(office.database))


def _opened(office: Office, letter: Letter) -> _Opened:
    try:
        composed = compose(office, letter)
        subject, text, links = composed.subject, composed.text, composed.links
    except Outdated:
        subject, text, links = f"({letter.kind})", "This seat is somebody else's by now; the letter is not sent.\n", ()
    # Only our own links can be clicked: what else looks like one came with somebody's name.
    lines = tuple(_Line(line, line in links) for line in text.splitlines())
    return _Opened(letter.id, letter.address, moment(letter.created), subject, lines)
