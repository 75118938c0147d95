"""Every way in which the service says no: a class for each code, with its HTTP status and its sentence for people."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from werkzeug.exceptions import HTTPException

from service.engine import errors as engine
from service.i18n import marked


class Problem(Exception):
    """An answer that is not what was asked for; `detail` says in one sentence why, and what can be done.

    The words and what is put into them are kept apart for those who read another language. What was there once and
    never comes back is `gone`: a page says so with a status of its own, 410; to a program it is what its code says.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]  # the detail where nothing more can be said

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
        self.headers: dict[str, str] = dict(headers or {})
        self.gone = gone
        super().__init__(self.detail)

    def to_json(self) -> dict[str, str | int]:
        """The members of a problem+json answer."""
        return {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }


class BadRequest(Problem):
    status, code, title = 400, "bad_request", "Bad request"
    sentence = marked("The request cannot be read; compare it with /api/v1/openapi.json and send it again.")


class Unauthorised(Problem):
    """It is not known who asks; HTTP wants to hear in a header how they could say so."""

    status, code, title = 401, "unauthorised", "Not signed in"
    sentence = marked("You are not signed in; sign in again, or open the link in your newest letter.")

    def __init__(
        self,
        words: str | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        gone: bool = False,
        **values: Any,
    ) -> None:
        super().__init__(words, {"WWW-Authenticate": "Bearer", **(headers or {})}, gone=gone, **values)


class Forbidden(Problem):
    status, code, title = 403, "forbidden", "Not allowed"
    sentence = marked("You may not do that here; ask whoever set up the table.")


class NotFound(Problem):
    status, code, title = 404, "not_found", "Not found"
    sentence = marked("There is nothing here; check the address, or look in your list of games.")


class MethodNotAllowed(Problem):
    """The address is right and the verb is wrong; the answer names the right ones."""

    status, code, title = 405, "method_not_allowed", "Method not allowed"
    sentence = marked("This address does not take that method; see /api/v1/openapi.json for what it takes.")

    def __init__(self, allowed: Iterable[str], detail: str | None = None) -> None:
        super().__init__(detail, {"Allow": ", ".join(sorted(allowed))})


class Stale(Problem):
    status, code, title = 409, "stale", "The game has moved on"
    sentence = marked(
        "Something has happened in this game since you looked; nothing was changed, so look again and then decide."
    )


class NotYourTurn(Problem):
    status, code, title = 409, "not_your_turn", "Not your turn"
    sentence = marked("The game waits for somebody else; you will get a letter when it is your turn.")


class GameOver(Problem):
    status, code, title = 409, "game_over", "The game is over"
    sentence = marked("The game is over and nothing can be done in it any more; start a new one to play again.")


class TooLarge(Problem):
    status, code, title = 413, "too_large", "Too large"
    sentence = marked("The request is larger than the 64 KiB that are taken; send less.")


class UnsupportedMediaType(Problem):
    status, code, title = 415, "unsupported_media_type", "Unsupported media type"
    sentence = marked("The body is not JSON; send it with the header Content-Type: application/json.")


class IllegalAction(Problem):
    status, code, title = 422, "illegal_action", "Against the rules"
    sentence = marked("The rules do not allow that now; choose one of the actions under `legal` in the game's view.")


class RateLimited(Problem):
    """Too many requests; the answer says after how many whole seconds the next one is welcome."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(self, retry_after: float, detail: str | None = None) -> None:
        # Rounded up: who comes back exactly then must not be turned away once more.
        self.retry_after = max(1, math.ceil(retry_after))
        seconds = "1 second" if self.retry_after == 1 else f"{self.retry_after} seconds"
        sentence = f"That was too often in a short time; try again in {seconds}."
        super().__init__(sentence if detail is None else detail, {"Retry-After": str(self.retry_after)})


class Internal(Problem):
    """A fault of ours; what it was stands in the log, never in the answer."""

    status, code, title = 500, "internal", "A fault of the server"
    sentence = marked("Something went wrong on the server and has been noted; try again in a while.")


class Unavailable(Problem):
    """The database cannot be used just now; whoever tries again later loses nothing."""

    status, code, title = 503, "unavailable", "Not possible just now"
    sentence = marked("The server cannot reach its database just now; nothing was changed, so try again in a minute.")

    def __init__(self, detail: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail, {"Retry-After": "60", **(headers or {})})


_OF_THE_ENGINE: Final[dict[str, type[Problem]]] = {
    each.code: each for each in (BadRequest, IllegalAction, NotYourTurn, GameOver)
}
_OF_THE_WEB: Final[dict[int, type[Problem]]] = {
    each.status: each for each in (Unauthorised, Forbidden, NotFound, TooLarge, UnsupportedMediaType)
}


def problem_of(error: Exception) -> Problem:
    """The problem to answer with; an error that nobody expected becomes `internal` and tells nothing of itself."""
    match error:
        case Problem():
            return error
        case engine.Malformed():
            return _OF_THE_ENGINE[error.code](str(error))
        case engine.IllegalAction():
            return _OF_THE_ENGINE[error.code](error.words, **error.values)
        case HTTPException(code=int(status)):
            return _problem_of_web(error, status)
        case _:
            return Internal()


def _problem_of_web(error: HTTPException, status: int) -> Problem:
    """What Flask refuses by itself: its own sentences speak of URLs and servers, so ours stand in their place."""
    if status == MethodNotAllowed.status:
        return MethodNotAllowed(getattr(error, "valid_methods", None) or ())
    if status in _OF_THE_WEB:
        return _OF_THE_WEB[status]()
    return BadRequest() if 400 <= status < 500 else Internal()
