"""The headers of every page with something private in its address: nothing is kept, told on or brought in."""

from typing import Final

from flask import Response

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self';"
        " frame-ancestors 'none'"
    ),
}


def seal(response: Response) -> Response:
    """The response with the headers on it."""
    response.headers.update(_HEADERS)
    return response
