"""Every request is attended to from its beginning to its answer: it has an id, is timed, noted and counted."""

import time
from typing import Final

from flask import Flask, Response
from flask.globals import request_ctx

from service.logs import id_of, log_request, start_logging
from service.metrics import RequestCounts

_BEGAN: Final = "marrakech.began"
"""Where a request keeps when it began: among the server's own words about it, at hand sooner than Flask's `g`."""


def attend(app: Flask, counts: RequestCounts) -> None:
    """Attend to every request of the app; call it first, so that whatever else happens to a request is inside."""
    start_logging(app)

    @app.before_request
    def begin() -> None:
        request_ctx.request.environ[_BEGAN] = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        # Not `request`, which stands for this and looks it up anew at every word.
        asked = request_ctx.request
        began = asked.environ.get(_BEGAN)
        seconds = None if began is None else time.perf_counter() - began
        response.headers["X-Request-Id"] = id_of(asked.environ)
        response.headers["X-Content-Type-Options"] = "nosniff"  # a browser must take every answer as what it says it is
        log_request(asked, response, seconds)
        counts.count(asked, response, seconds or 0.0)
        return response
