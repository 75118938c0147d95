"""Every request is attended to from its beginning to its answer: it has an id, is timed, noted and counted."""

import time

from flask import Flask, Response, g
from flask.globals import request_ctx

from service.logs import log_request, request_id, start_logging
from service.metrics import RequestCounts


def attend(app: Flask, counts: RequestCounts) -> None:
    """Attend to every request of the app; call it first, so that whatever else happens to a request is inside."""
    start_logging(app)

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        # Not `request`, which stands for this and looks it up anew at every word.
        asked, began = request_ctx.request, g.get("began")
        seconds = None if began is None else time.perf_counter() - began
        response.headers["X-Request-Id"] = request_id()
        response.headers["X-Content-Type-Options"] = "nosniff"  # a browser must take every answer as what it says it is
        log_request(asked, response, seconds)
        counts.count(asked, response, seconds or 0.0)
        return response
