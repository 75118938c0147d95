"""The mailbox page: every letter of the outbox, for trying the whole game without a mail server."""

import base64
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, abort, render_template, request

from service.config import Settings
from service.config_values import is_loopback
from service.context import AppContext
from service.db.letter_texts import letter_kind_name
from service.db.models import Letter
from service.i18n import marked
from service.mail.letters import Composed, Outdated, compose, in_words_only
from service.routes.pages.page_language import reader_here
from service.routes.pages.security_headers import seal
from service.times import written

ON_A_PAGE: Final = 20
"""Letters are long, and no page is to weigh more than 150 KB, the newest letter with its picture and all."""
_FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
_LETTER_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation"
)
"""For the HTML of a letter, which has its styles in it as mail programs want them, and may do nothing at all."""
_IN_THE_WHOLE_WINDOW: Final = '<head>\n<base target="_top">'
_LATE: Final = marked("This seat is somebody else's by now; the letter is not sent.")


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
    """Whether there is an HTML part to show."""


def mailbox_allowed(settings: Settings, host: str) -> bool:
    """Whether there is a mailbox page: it shows people's letters, so only where nobody but this machine can look."""
    return not settings.smtp_url and is_loopback(host)


def mailbox_pages(ctx: AppContext) -> Blueprint:
    """The pages; register them only where `mailbox_allowed` says so."""
    pages = Blueprint("mailbox", __name__)

    @pages.before_request
    def check_that_it_is_read_here() -> None:
        if not asked_from_here():
            abort(404)

    pages.after_request(_sealed)

    @pages.get("/mailbox")
    def mailbox() -> str:
        before = request.args.get("before", type=int)
        found = _newest(ctx, before)
        opened = [_opened(ctx, letter) for letter in found[:ON_A_PAGE]]
        older = opened[-1].id if len(found) > ON_A_PAGE else None
        return render_template("mailbox.html", letters=opened, older=older, newest=before is None)

    @pages.get("/mailbox/<int:letter>")
    def one_letter(letter: int) -> str:
        return render_template("letter.html", letter=_opened(ctx, _found(ctx, letter)))

    @pages.get("/mailbox/<int:letter>/html")
    def html_part(letter: int) -> Response:
        try:
            composed = compose(ctx, _found(ctx, letter), again=True)
        except Outdated:
            abort(404)
        response = Response(_with_its_pictures(composed))
        response.headers["Content-Security-Policy"] = _LETTER_POLICY
        return response

    return pages


def _sealed(response: Response) -> Response:
    """Sealed as every private page; only that the pages may show the letters in frames, and the letters be shown."""
    own = response.headers.get("Content-Security-Policy")
    response = seal(response)
    response.headers["X-Frame-Options"] = "SAMEORIGIN" if own else "DENY"
    policy = own or f"{response.headers['Content-Security-Policy']}; frame-src 'self'"
    response.headers["Content-Security-Policy"] = policy
    return response


def _with_its_pictures(composed: Composed) -> str:
    """The HTML part for a browser, which does not know what `cid:` means."""
    html = composed.html.replace("<head>", _IN_THE_WHOLE_WINDOW, 1)
    for picture in composed.pictures:
        html = html.replace(f"cid:{picture.cid}", f"data:image/png;base64,{base64.b64encode(picture.png).decode()}")
    return html


def _found(ctx: AppContext, letter: int) -> Any:
    found = list(Letter.select().where(Letter.id == letter).execute(ctx.database)) if _fits(letter) else []
    if not found:
        abort(404)
    return found[0]


def asked_from_here() -> bool:
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


def _newest(ctx: AppContext, before: int | None) -> list[Any]:
    """A page of letters and, where there are older ones, one more."""
    letters = Letter.select().order_by(Letter.id.desc()).limit(ON_A_PAGE + 1)
    if before is not None and _fits(abs(before)):
        letters = letters.where(Letter.id < before)
    return list(letters.execute(ctx.database))


def _opened(ctx: AppContext, letter: Any) -> _Opened:
    reader = reader_here(ctx)
    at, when = written(letter.created), reader.format_short_time(letter.created)
    try:
        words = in_words_only(ctx, letter, again=True)
    except Outdated:
        say = reader.translations.gettext
        subject, late = f"({letter_kind_name(letter.kind, say)})", _Line(say(_LATE), link=False)
        return _Opened(letter.id, letter.address, at, when, subject, (late,), rich=False)
    # Only our own links can be clicked: what else looks like one came with somebody's name.
    links = words.links(ctx.settings.base_url)
    lines = tuple(_Line(line, line in links) for line in words.text.splitlines())
    return _Opened(letter.id, letter.address, at, when, words.subject, lines, rich=True)
