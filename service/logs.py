"""Logs: a line of JSON for each request (except static files) and each error, without tokens or addresses."""

import logging
import re
import secrets
import time
import traceback
from typing import Any, Final, TextIO, cast

from flask import Request, Response, g, has_request_context, request
from flask.logging import wsgi_errors_stream
from pythonjsonlogger.json import JsonFormatter

from service.errors import Problem

LOGGER: Final = "service"
"""Also the name of the Flask application, so Flask's own messages go through the same logger."""
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9-]{8,64}")
_LONGEST: Final = 200
_REDACTED: Final = "…"
_PATTERNS: Final = (
    (re.compile(r"\?\S*"), ""),
    # A token follows these prefixes; anything else that is long may be one, and anything with an @ is an address.
    (re.compile(r"(/(?:t|s|u|join|login|mailbox)/)[^\s?]+", re.IGNORECASE), rf"\1{_REDACTED}"),
    (re.compile(r"[^\s/@]*@[^\s/@]*"), _REDACTED),
    (re.compile(r"[\w.~%+=-]{33,}"), _REDACTED),
)


class LogFormatter(JsonFormatter):
    """Writes time, level, event and request id, then the `extra` values of the event, then where an error happened."""

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self) -> None:
        names = {"asctime": "time", "levelname": "level", "message": "event"}
        super().__init__([*names, "request_id"], rename_fields=names, json_ensure_ascii=False)
        self.converter = time.gmtime

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Fill the fields of one line."""
        message_dict.pop("exc_info", None)  # the text of an error may quote a secret, such as the row of a database
        super().add_fields(log_data, record, message_dict)
        log_data["level"] = record.levelname.lower()
        log_data["event"] = redact(record.getMessage())
        log_data["request_id"] = request_id() if has_request_context() else None
        if record.exc_info and record.exc_info[1]:
            log_data.update(_describe_error(record.exc_info[1]))


def redact(text: str) -> str:
    """The text without tokens, addresses and query strings, and of limited length."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + _REDACTED


def _describe_error(error: BaseException) -> dict[str, Any]:
    """The type of an error and its stack, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__qualname__,
        "where": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
        **({"because": _describe_error(error.__cause__)} if error.__cause__ else {}),
    }


def request_id() -> str:
    """The id of the current request: the one it came with if that is well-formed, otherwise a new one."""
    if "request_id" not in g:
        given = request.headers.get("X-Request-Id", "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
    return str(g.request_id)


def configure_logging() -> None:
    """Write what this process logs to standard error as lines of JSON; calling it again changes nothing.

    The handler belongs to the root logger, so that the server's own warnings have the same form, and waitress, which
    calls `logging.basicConfig`, adds no handler of its own.
    """
    logging.getLogger(LOGGER).setLevel(logging.INFO)
    root = logging.getLogger()
    if not any(isinstance(handler.formatter, LogFormatter) for handler in root.handlers):
        handler = logging.StreamHandler(cast(TextIO, wsgi_errors_stream))
        handler.setFormatter(LogFormatter())
        root.addHandler(handler)


def log_request(request: Request, response: Response, seconds: float | None) -> None:
    """Log a request, unless it just fetched a static file: every page fetches several of those."""
    if request.endpoint == "static" and response.status_code < 400:
        return
    extra = {
        "method": request.method[:16],
        "path": redact(request.path),
        "status": response.status_code,
        "milliseconds": None if seconds is None else round(seconds * 1000, 1),
    }
    logging.getLogger(LOGGER).info("request", extra=extra)


def log_error(error: Exception) -> None:
    """Log an unexpected error; a `Problem` is a response for the user and isn't logged."""
    if not isinstance(error, Problem):
        logging.getLogger(LOGGER).error("fault", exc_info=error)
