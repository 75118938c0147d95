"""Every error a user can see: a class for each code, with its HTTP status and its sentence."""

import math
from collections.abc import Iterable, Mapping
from gettext import NullTranslations
from typing import Any, ClassVar, Final

from werkzeug.exceptions import HTTPException

from service.engine import errors as engine
from service.i18n import marked

_ENGLISH: Final = NullTranslations()


class Problem(Exception):
    """An error response; `detail` says what happened and what to do next.

    `words` and `values` are kept apart, so that the sentence can be translated before the values are put in. With
    `gone`, a page responds with status 410 (it is gone for good); the API keeps the class's status.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    """The default detail."""
    default_headers: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        words: str | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        gone: bool = False,
        **values: Any,
    ) -> None:
        self.words = self.sentence if words is None else words
        self.values = values
        self.detail = self.words % values if values else self.words
        self.headers: dict[str, str] = {**self.default_headers, **(headers or {})}
        self.gone = gone
        super().__init__(self.detail)

    def translate(self, translations: NullTranslations) -> str:
        """The detail in the reader's language, if it has been translated."""
        sentence = translations.gettext(self.words)
        return sentence % self.values if self.values else sentence

    def to_json(self, translations: NullTranslations = _ENGLISH) -> dict[str, str | int]:
        """The members of a problem+json response."""
        return {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.translate(translations),
            "code": self.code,
        }


class BadRequest(Problem):
    status, code, title = 400, "bad_request", "Bad request"
    sentence = marked("This request can't be read. Compare it with /api/v1/openapi.json and send it again.")


class Unauthorised(Problem):
    """The request is not authenticated; HTTP requires a header that names the scheme."""

    status, code, title = 401, "unauthorised", "Not signed in"
    sentence = marked("You're not signed in. Sign in, or open the link in your newest e-mail.")
    default_headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": "Bearer"}


class Forbidden(Problem):
    status, code, title = 403, "forbidden", "Not allowed"
    sentence = marked("You can't do that here. Ask the host of the game.")


class NotFound(Problem):
    status, code, title = 404, "not_found", "Not found"
    sentence = marked("There's nothing at this address. Check the link, or look in your list of games.")


class MethodNotAllowed(Problem):
    """The address accepts other methods; the response lists them."""

    status, code, title = 405, "method_not_allowed", "Method not allowed"
    sentence = marked("This address doesn't accept that method. See /api/v1/openapi.json for what it accepts.")

    def __init__(self, allowed: Iterable[str], detail: str | None = None) -> None:
        super().__init__(detail, {"Allow": ", ".join(sorted(allowed))})


class Stale(Problem):
    status, code, title = 409, "stale", "The game has moved on"
    sentence = marked("The game has changed since you last looked, so nothing was played. Look again, then decide.")


class NotYourTurn(Problem):
    status, code, title = 409, "not_your_turn", "Not your turn"
    sentence = marked("It's not your turn. You'll get an e-mail when it is.")


class GameOver(Problem):
    status, code, title = 409, "game_over", "The game is over"
    sentence = marked("This game is over. To play again, start a new one.")


class TooLarge(Problem):
    status, code, title = 413, "too_large", "Too large"
    sentence = marked("This request is larger than 64 KiB. Send less.")


class UnsupportedMediaType(Problem):
    status, code, title = 415, "unsupported_media_type", "Unsupported media type"
    sentence = marked("The body isn't JSON. Send it with the header Content-Type: application/json.")


class IllegalAction(Problem):
    status, code, title = 422, "illegal_action", "Against the rules"
    sentence = marked("The rules don't allow that now. Choose one of the actions in `legal` in the game's view.")


class RateLimited(Problem):
    """Too many requests; Retry-After is in whole seconds."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(self, retry_after: float, detail: str | None = None) -> None:
        # Rounded up, so that a client that retries exactly then is not refused again.
        self.retry_after = max(1, math.ceil(retry_after))
        seconds = "1 second" if self.retry_after == 1 else f"{self.retry_after} seconds"
        sentence = f"That was too often in a short time. Try again in {seconds}."
        super().__init__(sentence if detail is None else detail, {"Retry-After": str(self.retry_after)})


class Internal(Problem):
    """An unexpected error; its details are in the log, never in the response."""

    status, code, title = 500, "internal", "Server error"
    sentence = marked("Something went wrong on the server. The error has been logged. Try again later.")


class Unavailable(Problem):
    """The database cannot be used at the moment; nothing was changed."""

    status, code, title = 503, "unavailable", "Temporarily unavailable"
    sentence = marked("The server can't reach its database right now, so nothing was changed. Try again in a minute.")
    default_headers: ClassVar[Mapping[str, str]] = {"Retry-After": "60"}


_FROM_ENGINE: Final[dict[str, type[Problem]]] = {
    each.code: each for each in (BadRequest, IllegalAction, NotYourTurn, GameOver)
}
_FROM_HTTP: Final[dict[int, type[Problem]]] = {
    each.status: each for each in (Unauthorised, Forbidden, NotFound, TooLarge, UnsupportedMediaType)
}


def problem_of(error: Exception) -> Problem:
    """The problem to respond with; an unexpected error becomes `Internal`, which reveals nothing about it."""
    match error:
        case Problem():
            return error
        case engine.Malformed():
            return _FROM_ENGINE[error.code](str(error))
        case engine.IllegalAction():
            return _FROM_ENGINE[error.code](error.words, **error.values)
        case HTTPException(code=int(status)):
            return _problem_of_http(error, status)
        case _:
            return Internal()


def _problem_of_http(error: HTTPException, status: int) -> Problem:
    """The problem for an error raised by Flask, with our sentence instead of Werkzeug's."""
    if status == MethodNotAllowed.status:
        return MethodNotAllowed(getattr(error, "valid_methods", None) or ())
    if status in _FROM_HTTP:
        return _FROM_HTTP[status]()
    return BadRequest() if 400 <= status < 500 else Internal()
