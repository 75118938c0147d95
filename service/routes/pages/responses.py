"""What all pages have in common: security headers, the words and values that every template knows, and error pages."""

from gettext import NullTranslations
from typing import Final
from urllib.parse import quote

from flask import Blueprint, Flask, Response, current_app, g, make_response, render_template, request

from service.auth.rate_limits import check_page
from service.auth.tokens import BadLink
from service.context import AppContext
from service.db.models import Player
from service.errors import MethodNotAllowed, Problem, RateLimited
from service.games.names import describe_bot
from service.i18n import marked
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.catalogue import present_games
from service.routes.pages.session import form_token, reject_cross_site_post

CACHE_FOR_A_DAY: Final = {"Cache-Control": "public, max-age=86400"}
"""For responses that browsers and proxies may cache: independent of the player, with the language in the URL."""
_SECURITY_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
}
_PAGES_TO_RETURN_TO: Final = ("/g/", "/group", "/join/", "/new", "/me", "/rules")
"""Beginnings of the paths to which signing in leads back. The private links of seats and turns are not stored."""
_MINUTE: Final = 60
GONE: Final = 410
_HEADINGS: Final = {
    400: marked("We couldn't read that"),
    401: marked("Please sign in"),
    403: marked("Not allowed"),
    404: marked("Page not found"),
    405: marked("That doesn't work here"),
    409: marked("The game has moved on"),
    410: marked("No longer available"),
    413: marked("That's too large"),
    415: marked("We couldn't read that"),
    422: marked("Against the rules"),
    429: marked("Please wait a moment"),
    500: marked("Something went wrong"),
    503: marked("Unavailable for a moment"),
}
_FORMS_ONLY: Final = marked(
    "You can't open this address directly. Go back to the page you came from and press the button there."
)
_TRY_AGAIN: Final = marked("That was too often in a short time. Try again in %(minutes)s minutes.")
_TRY_SOON: Final = marked("That was too often in a short time. Try again in a minute.")


def create_page_blueprint(name: str, *, cross_site_posts: bool = False) -> Blueprint:
    """A blueprint whose requests are counted, whose responses have the security headers and whose errors are pages."""
    pages = Blueprint(name, __name__)
    pages.before_request(count_anonymous_request)
    if not cross_site_posts:
        pages.before_request(reject_cross_site_post)
    pages.after_request(add_security_headers)
    pages.register_error_handler(Problem, problem_page)
    return pages


def count_anonymous_request() -> None:
    """Count a request for a page by its network, unless a player has signed in or opens the link of their seat."""
    ctx = current_context()
    if current_player() is None and not _has_seat_link(ctx):
        check_page(ctx, request.remote_addr)


def _has_seat_link(ctx: AppContext) -> bool:
    try:
        ctx.tokens.identify((request.view_args or {}).get("token", ""))
    except BadLink:
        return False
    return True


def add_security_headers(response: Response) -> Response:
    """Add the headers; a response that sets its own cache time keeps it."""
    caching = response.headers.get("Cache-Control", _SECURITY_HEADERS["Cache-Control"])
    response.headers.update({**_SECURITY_HEADERS, "Cache-Control": caching})
    return response


def prepare_templates(app: Flask) -> None:
    """Translate all templates, and pass them the player who reads the page."""
    environment = app.jinja_env
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(_gettext, _ngettext, newstyle=True)  # type: ignore[attr-defined]

    # Not `_`, which treats its text as markup: an error may quote what somebody wrote.
    environment.filters["said"] = lambda problem: problem_sentence(problem, current_reader().translations)
    environment.filters["bot_level"] = lambda level: describe_bot(level, _gettext)

    @app.context_processor
    def add_page_values() -> dict[str, object]:
        reader, player = current_reader(), current_player()
        return {
            "lang": reader.language,
            "dir": reader.direction,
            "visitor": player,
            "form": form_token(),
            "is_host": is_host(player),
            "login": login_path(),
            "all_games": present_games(reader.translations),
        }


def _gettext(text: str) -> str:
    return current_reader().translations.gettext(text)


def _ngettext(one: str, many: str, number: int) -> str:
    return current_reader().translations.ngettext(one, many, number)


def is_host(player: Player | None) -> bool:
    """Whether this player runs the server."""
    return player is not None and player.email in current_context().settings.hosts


def login_path() -> str:
    """The path of the sign-in page, which leads back to the current page."""
    page = _find_page()
    return f"/login?next={quote(page)}" if page.startswith(_PAGES_TO_RETURN_TO) else "/login"


def _find_page() -> str:
    """The path of the current page; for a form with a path of its own, of the page above it."""
    adapter = current_app.create_url_adapter(request)
    is_page = adapter is not None and adapter.test(request.path, "GET")
    return request.path if is_page else request.path.rpartition("/")[0] or "/"


def wants_page() -> bool:
    """Whether a browser sent the request, and not to the API."""
    if request.path.startswith("/api/"):
        return False
    return request.accept_mimetypes.best_match(["application/problem+json", "text/html"]) == "text/html"


def problem_page(problem: Problem) -> Response:
    """The error page, with the status and the headers of the problem."""
    if problem.status >= 500:
        g.player = None  # the database may have failed, so don't look up the player
    status = GONE if problem.gone else problem.status
    page = render_template(
        "problem.html",
        status=status,
        heading=_HEADINGS.get(status, problem.title),
        problem=problem,
        back=_find_page() if request.method == "POST" else "",
        again=request.full_path.removesuffix("?") if _is_temporary(status) and request.method == "GET" else "",
    )
    response = make_response(page, status)
    response.headers.update(problem.headers)
    return response


def _is_temporary(status: int) -> bool:
    """Whether the same request may succeed later."""
    return status == RateLimited.status or status >= 500


def problem_sentence(problem: Problem | str, translations: NullTranslations) -> str:
    """The problem's sentence in the reader's language, if it has been translated."""
    if isinstance(problem, str):
        return translations.gettext(problem)
    if isinstance(problem, RateLimited):
        minutes = -(-problem.retry_after // _MINUTE)
        return translations.gettext(_TRY_SOON if minutes == 1 else _TRY_AGAIN) % {"minutes": minutes}
    if isinstance(problem, MethodNotAllowed):  # its sentence is for developers
        return translations.gettext(_FORMS_ONLY)
    return problem.translate(translations)
