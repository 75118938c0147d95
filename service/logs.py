"""Logs: one line of JSON for each request and each fault, with nothing in it that would let somebody in."""

import logging
import random
import re
import time
import traceback
from functools import lru_cache
from typing import Any, Final, TextIO

from flask import Flask, Request, Response, has_request_context, request
from pydantic_core import to_json

from service.errors import Problem

LOGGER: Final = "service"
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9-]{8,64}")
_ID: Final = "marrakech.request_id"
_LONGEST: Final = 200
_CUT: Final = "…"
# What follows these is a token, and so may be anything that is long; what has an @ is an address.
_AFTER: Final = re.compile(r"(/(?:t|s|u|join|login|unsubscribe)/)[^\s?]+", re.IGNORECASE)
_QUERY: Final = re.compile(r"\?\S*")
_ADDRESS: Final = re.compile(r"[^\s/@]*@[^\s/@]*")
_LONG: Final = re.compile(r"[\w.~%+=-]{33,}")


@lru_cache(maxsize=1024)
def cut(text: str) -> str:
    """The text without tokens, addresses and query strings, on one line of bearable length."""
    for pattern, kept in ((_QUERY, ""), (_AFTER, rf"\1{_CUT}"), (_ADDRESS, _CUT), (_LONG, _CUT)):
        text = pattern.sub(kept, text)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + _CUT


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line: what every record has, then what this event brought along, then where a fault happened."""
        if isinstance(record, _RequestLine):
            return record.line()
        line = {
            "time": _moment(record.created),
            "level": record.levelname.lower(),
            "event": cut(record.getMessage()),
            "request_id": request_id() if has_request_context() else None,
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1]:
            line |= _fault(record.exc_info[1])
        return to_json(line).decode()


class _Lines(logging.StreamHandler[TextIO]):
    """Writes to standard error, which sends every line off by itself."""

    def flush(self) -> None:
        """Nothing is left to send off."""


def _moment(seconds: float) -> str:
    return f"{_second(int(seconds))}.{int(seconds % 1 * 1000):03}Z"


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _fault(error: BaseException) -> dict[str, Any]:
    """What went wrong and where. The error's own words stay out: a database quotes the row it refuses."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__qualname__,
        "where": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
        **({"because": _fault(error.__cause__)} if error.__cause__ else {}),
    }


def request_id() -> str:
    """The id of this request."""
    return id_of(request.environ)


def id_of(environ: dict[str, Any]) -> str:
    """The id of a request, by the server's words about it: the one it came with where that is sound, else a new one."""
    known: str | None = environ.get(_ID)
    if known is None:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        # It need not be hard to guess, only one of its kind.
        known = given if _REQUEST_ID.fullmatch(given) else f"{random.getrandbits(64):016x}"
        environ[_ID] = known
    return known


def start_logging(app: Flask) -> None:
    """Have the app's own lines written as ours are."""
    logger = write_log()
    if app.logger is not logger:
        _write_lines(app.logger)
        app.logger.propagate = app.logger.name.partition(".")[0] != LOGGER


def log_request(asked: Request, answer: Response, seconds: float | None) -> None:
    """Note a request that was answered."""
    logger = logging.getLogger(LOGGER)
    if logger.isEnabledFor(logging.INFO):
        logger.handle(_RequestLine(asked, answer, seconds))


class _RequestLine(logging.LogRecord):
    """A record of a request, made by hand: which process, thread and line of a program speaks is in no line of ours."""

    _SAME = logging.LogRecord(LOGGER, logging.INFO, __file__, 0, "request", (), None).__dict__

    def __init__(self, asked: Request, answer: Response, seconds: float | None) -> None:
        self.__dict__.update(self._SAME, created=time.time())
        self._asked, self._status, self._seconds = asked, answer.status_code, seconds

    def line(self) -> str:
        """The line, put together by hand as well: there is one for every request."""
        asked = self._asked
        took = "null" if self._seconds is None else round(self._seconds * 1000, 1)
        return (
            f'{{"time":"{_moment(self.created)}","level":"info","event":"request","request_id":"{id_of(asked.environ)}",'
            f'"method":{_quoted(asked.method[:16])},"path":{_quoted(cut(asked.path))},'
            f'"status":{self._status},"milliseconds":{took}}}'
        )


@lru_cache(maxsize=1024)
def _quoted(text: str) -> str:
    return to_json(text).decode()


def write_log() -> logging.Logger:
    """Have whatever this process notes written as lines of JSON; gives the logger."""
    logger = logging.getLogger(LOGGER)
    logger.setLevel(logging.INFO)
    _write_lines(logger)
    return logger


def log_fault(error: Exception) -> None:
    """Note an error that nobody expected; a `Problem` is an answer and no fault."""
    if not isinstance(error, Problem):
        logging.getLogger(LOGGER).error("fault", exc_info=error)


def _write_lines(logger: logging.Logger) -> None:
    """Have the logger write our lines to standard error and nothing else; a second app adds no second line."""
    if not any(isinstance(handler.formatter, JsonLines) for handler in logger.handlers):
        handler = _Lines()
        handler.setFormatter(JsonLines())
        logger.handlers[:] = [handler]
