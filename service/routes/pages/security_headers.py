"""Every page is sealed: nothing of it is kept, told on or brought in from elsewhere, and a refusal is a page."""

from typing import Final

from flask import Blueprint, Response

from service.errors import Problem
from service.routes.pages.problems import problem_page

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
}


def seal(response: Response) -> Response:
    """The response with the headers on it; only what says itself how long it may be kept is kept."""
    keeping = response.headers.get("Cache-Control", _HEADERS["Cache-Control"])
    response.headers.update({**_HEADERS, "Cache-Control": keeping})
    return response


def sealed_pages(name: str) -> Blueprint:
    """A blueprint whose pages are all sealed and whose refusals people can read."""
    pages = Blueprint(name, __name__)
    pages.after_request(seal)

    @pages.errorhandler(Problem)
    def explain(problem: Problem) -> Response:
        return problem_page(problem)

    return pages
