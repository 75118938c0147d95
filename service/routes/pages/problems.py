"""A refusal as a page for people, where a browser asks; programs get problem+json."""

from gettext import NullTranslations
from typing import Final

from flask import Response, g, make_response, render_template, request

from service.errors import MethodNotAllowed, Problem, RateLimited
from service.i18n import marked

_MINUTE: Final = 60
GONE: Final = 410
_HEADINGS: Final = {
    400: marked("That cannot be read"),
    401: marked("Who are you?"),
    403: marked("This door is closed to you"),
    404: marked("There is no stall here"),
    405: marked("That cannot be done here"),
    409: marked("The game has moved on"),
    410: marked("The stall has closed"),
    413: marked("That is too much to carry"),
    415: marked("That cannot be read"),
    422: marked("Against the rules"),
    429: marked("Not so fast"),
    500: marked("A rug has slipped"),
    503: marked("The market is closed for a moment"),
}
_FORMS_ONLY: Final = marked("Only a form leads here; go back to its page and press the button there.")
_TRY_AGAIN: Final = marked("That was too often in a short time; try again in %(minutes)s minutes.")
_TRY_SOON: Final = marked("That was too often in a short time; try again in a minute.")


def wants_page() -> bool:
    """Whether it is a browser that asks, and not for the API."""
    if request.path.startswith("/api/"):
        return False
    return request.accept_mimetypes.best_match(["application/problem+json", "text/html"]) == "text/html"


def problem_page(problem: Problem) -> Response:
    """The page, with the status and the headers of the problem."""
    if problem.status >= 500:
        g.visitor = None  # what went wrong may be the very database that knows who this is
    status = GONE if problem.gone else problem.status
    page = render_template(
        "problem.html",
        status=status,
        heading=_HEADINGS.get(status, problem.title),
        problem=problem,
        back=request.path if request.method == "POST" else "",
        again=request.full_path.removesuffix("?") if _may_pass(status) and request.method == "GET" else "",
    )
    response = make_response(page, status)
    response.headers.update(problem.headers)
    return response


def _may_pass(status: int) -> bool:
    """Whether it may be otherwise when the same is asked again in a while."""
    return status == RateLimited.status or status >= 500


def in_words(problem: Problem | str, translations: NullTranslations) -> str:
    """The problem's sentence in the reader's language, as far as the translators know it."""
    if isinstance(problem, str):
        return translations.gettext(problem)
    if isinstance(problem, RateLimited):
        minutes = -(-problem.retry_after // _MINUTE)
        return translations.gettext(_TRY_SOON if minutes == 1 else _TRY_AGAIN) % {"minutes": minutes}
    if isinstance(problem, MethodNotAllowed):  # its sentence is for those who write programs
        return translations.gettext(_FORMS_ONLY)
    said = translations.gettext(problem.words)
    return said % problem.values if problem.values else said
