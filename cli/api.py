"""The server's HTTP API: one class for each of its areas. No other module sends requests."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import requests
from requests.auth import AuthBase
from requests.exceptions import ConnectTimeout, InvalidURL, JSONDecodeError, RequestException, SSLError
from urllib3.exceptions import NameResolutionError, NewConnectionError

from cli import __version__
from cli.errors import (
    BadAddress,
    CliError,
    LostResponse,
    NoAnswer,
    NotAnApi,
    RateLimited,
    Redirected,
    ServerError,
    TlsError,
    UnknownHost,
    VersionMismatch,
    error_from_problem,
)
from cli.links import API
from cli.text import count

Json = dict[str, Any]

OPENAPI: Final = "/openapi.json"
TIMEOUT: Final = (5.0, 30.0)
SHORT_TIMEOUT: Final = (1.0, 2.0)
GET_PAUSES: Final = (0.3,)
ACTION_PAUSES: Final = (0.5, 1.0, 2.0, 4.0)
"""Pauses before an action is sent again: in total, about the time that a server needs to restart."""
MAX_WAIT: Final = 120.0
_RESTARTING: Final = frozenset({502, 503, 504})
"""What a proxy responds while the server behind it is restarting."""
_VIEW: Final = frozenset(
    {"id", "game", "name", "status", "head", "turn", "to_act", "you", "deadline", "seats", "choices"}
)


class Request(NamedTuple):
    """One call. It is `repeatable` if sending it twice does no harm."""

    method: str
    path: str
    token: str | None = None
    query: Mapping[str, Any] | None = None
    body: Json | None = None
    repeatable: bool = False
    etag: str | None = None


class _Bearer(AuthBase):
    """Sends the token. Without an auth object, requests would use a password from ~/.netrc."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def fill(path: str, **values: object) -> str:
    """Fill in the placeholders of a path."""
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return path


class HttpClient:
    """Sends requests to one server. `note` prints messages for the user, `trace` those for `--verbose`."""

    def __init__(
        self,
        server: str,
        note: Callable[[str], None],
        trace: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
        patient: bool = True,
    ) -> None:
        """`patient=False` is for shell completion: one request with a short timeout."""
        self.server = server
        self._note, self._trace, self._sleep, self._patient = note, trace, sleep, patient
        self._session = requests.Session()
        self._session.headers["User-Agent"] = "marrakech-cli"
        self._waited = 0.0

    def keep_open(self) -> None:
        """Tell the server with each request that the game is open, so that it holds the turn letter."""
        self._session.headers["Game-Open"] = "yes"

    def json(self, request: Request) -> Json:
        """Send a request and return the JSON object of the response."""
        return self.read_json(self.send(request))

    def text(self, request: Request) -> str:
        """Send a request and return the response as text."""
        response = self.send(request)
        if "text/plain" not in response.headers.get("Content-Type", ""):
            raise NotAnApi(server=self.server)
        return response.content.decode("utf-8", "replace")

    def send(self, request: Request) -> requests.Response:
        """Send a request and return the response, or raise its error."""
        while True:
            response = self._deliver(request)
            if response.status_code == 429 and self._wait_as_told(response):
                continue
            if response.is_redirect:
                raise Redirected(server=self.server, to=response.headers.get("Location", "?")[:200])
            if response.status_code >= 400:
                raise self._error(response)
            return response

    def read_json(self, response: requests.Response) -> Json:
        """The JSON object of a response."""
        if "json" not in response.headers.get("Content-Type", ""):
            raise NotAnApi(server=self.server)
        try:
            value = response.json()
        except JSONDecodeError:
            raise NotAnApi(server=self.server) from None
        if not isinstance(value, dict):
            raise self.version_mismatch()
        return value

    def version_mismatch(self) -> VersionMismatch:
        """The error for a response of another version, with the server's version if it's known."""
        try:
            theirs = self._deliver(Request("GET", OPENAPI)).json()["info"]["version"]
        except (CliError, JSONDecodeError, LookupError, TypeError):
            theirs = None
        known = isinstance(theirs, str) and theirs != __version__
        return VersionMismatch(self.server, theirs if known else None, __version__)

    def _deliver(self, request: Request) -> requests.Response:
        """Send a request and return any response. After a dropped connection, try again if that does no harm."""
        arrived = False
        for pause in self._pauses(request):
            try:
                response = self._send_once(request)
            except RequestException as failure:
                error, arrived = self._connection_error(failure), arrived or _may_have_arrived(failure)
            else:
                if response.status_code not in _RESTARTING or pause is None:
                    return response
                error, arrived = NoAnswer(server=self.server), True
            if pause is None or not isinstance(error, NoAnswer):
                raise LostResponse(server=self.server) if arrived and request.body is not None else error
            if request.repeatable:
                self._note("The connection dropped. Trying again (your choice is played only once).")
            self._sleep(pause)
        raise AssertionError

    def _pauses(self, request: Request) -> Iterator[float | None]:
        """The pause after each failed attempt; None after the last."""
        if self._patient and request.repeatable:
            yield from ACTION_PAUSES
        elif self._patient and request.method == "GET":
            yield from GET_PAUSES
        yield None

    def _send_once(self, request: Request) -> requests.Response:
        start = time.monotonic()
        response = self._session.request(
            request.method,
            f"{self.server}{API}{request.path}",
            params=request.query,
            json=request.body,
            headers={"If-None-Match": request.etag} if request.etag else None,
            auth=_Bearer(request.token),
            timeout=TIMEOUT if self._patient else SHORT_TIMEOUT,
            allow_redirects=False,  # a redirect must not receive the token
        )
        took = (time.monotonic() - start) * 1000
        self._trace(f"{request.method} {self.server}{API}{request.path} {response.status_code} {took:.0f} ms")
        return response

    def _connection_error(self, failure: RequestException) -> CliError:
        if isinstance(failure, SSLError):
            return TlsError(server=self.server)
        if isinstance(failure, InvalidURL):
            return BadAddress(server=self.server)
        if isinstance(_reason(failure), NameResolutionError):
            return UnknownHost(server=self.server)
        return NoAnswer(server=self.server)

    def _wait_as_told(self, response: requests.Response) -> bool:
        """Wait as long as the server asks; return false if that's too long."""
        told = response.headers.get("Retry-After", "")
        seconds = int(told) if told.isdecimal() else 5
        if not self._patient or self._waited + seconds > MAX_WAIT:
            return False
        self._waited += seconds
        self._note(f"Too many requests. Waiting {count(seconds, 'second')}.")
        self._sleep(float(seconds))
        return True

    def _error(self, response: requests.Response) -> CliError:
        status = response.status_code
        if "json" not in response.headers.get("Content-Type", ""):
            if status == 429:
                return RateLimited()
            return ServerError(server=self.server, status=status) if status >= 500 else NotAnApi(server=self.server)
        problem = self.read_json(response)
        code, detail = problem.get("code"), problem.get("detail")
        if not isinstance(code, str) or not isinstance(detail, str):
            return self.version_mismatch()
        return error_from_problem(code, detail)


def _reason(failure: RequestException) -> object:
    return getattr(failure.args[0], "reason", None) if failure.args else None


def _may_have_arrived(failure: RequestException) -> bool:
    """Whether the server can have received the request: not if there was no connection."""
    return not isinstance(failure, ConnectTimeout | SSLError) and not isinstance(_reason(failure), NewConnectionError)


class _Area:
    """A part of the API, used with one token."""

    def __init__(self, http: HttpClient, token: str | None) -> None:
        self._http, self._token = http, token

    def _call(self, method: str, path: str, required: frozenset[str], **more: Any) -> Json:
        """The response. It must have the required fields, which another version of the server may lack."""
        return self._check(self._http.json(Request(method, path, self._token, **more)), required)

    def _check(self, answer: Any, required: frozenset[str]) -> Json:
        if not isinstance(answer, dict) or not required <= answer.keys():
            raise self._http.version_mismatch()
        return answer

    def _pages(self, path: str, field: str, query: Json) -> Iterator[Json]:
        """The entries of a list, page after page."""
        while True:
            page = self._call("GET", path, frozenset({field, "cursor"}), query=query)
            yield from page[field]
            if not page["cursor"]:
                return
            query = {**query, "cursor": page["cursor"]}


class Account(_Area):
    """Signing in, and the player's own data."""

    def request_code(self, email: str) -> Json:
        return self._call("POST", "/login", frozenset({"detail"}), body={"email": email})

    def confirm(self, email: str, code: str) -> Json:
        return self._call("POST", "/login/confirm", frozenset({"token", "player"}), body={"email": email, "code": code})

    def me(self) -> Json:
        return self._call("GET", "/me", frozenset({"email", "name"}))

    def rename(self, name: str) -> Json:
        return self._call("PATCH", "/me", frozenset({"email", "name"}), body={"name": name})


class Group(_Area):
    """Everybody who plays on the server."""

    def show(self, game: str | None, since: str | None, until: str | None) -> Json:
        """Ratings, results and records from the finished games of this kind and between these days."""
        required = frozenset({"games", "titles", "players", "records"})
        return self._call("GET", "/group", required, query={"game": game, "since": since, "until": until})


class Lobby(_Area):
    """Games before they start: create, list, join."""

    def create(self, game: Json) -> Json:
        return self._call("POST", "/games", _VIEW, body=game)

    def list(self, status: str | None = None) -> Iterator[Json]:
        """The player's games."""
        return self._pages("/games", "games", {"status": status} if status else {})

    def join(self, game: str, invitation: str) -> Json:
        return self._call("POST", fill("/games/{id}/join", id=game), _VIEW, body={"invitation": invitation})

    def accept(self, game: str, seat: int) -> Json:
        return self._call("POST", fill("/games/{id}/seats/{seat}/accept", id=game, seat=seat), _VIEW)

    def decline(self, game: str, seat: int) -> Json:
        return self._call("POST", fill("/games/{id}/seats/{seat}/decline", id=game, seat=seat), _VIEW)

    def rematch(self, game: str) -> Json:
        """Start or join the rematch of a finished game. There is only one."""
        return self._call("POST", fill("/games/{id}/rematch", id=game), _VIEW, repeatable=True)

    def next(self) -> Json | None:
        """The next game that is waiting for the player."""
        response = self._http.send(Request("GET", "/games/next", self._token))
        return None if response.status_code == 204 else self._check(self._http.read_json(response), _VIEW)


class Game(_Area):
    """One game: its view, its history and the player's actions."""

    def __init__(self, http: HttpClient, token: str | None, game: str) -> None:
        super().__init__(http, token)
        self.id = game
        self._last: tuple[str, Json] | None = None

    def view(self) -> Json:
        """The current view. The server doesn't send an unchanged view again."""
        etag = self._last[0] if self._last else None
        response = self._http.send(Request("GET", fill("/games/{id}", id=self.id), self._token, etag=etag))
        if response.status_code == 304 and self._last:
            return self._last[1]
        view = self._check(self._http.read_json(response), _VIEW)
        if "ETag" in response.headers:
            self._last = response.headers["ETag"], view
        return view

    def act(self, head: int, do: str, salt: str) -> Json:
        """Play a choice in words. If no response comes, send the same again; the server plays it only once."""
        body = {"head": head, "do": do, "salt": salt}
        path, required = fill("/games/{id}/actions", id=self.id), frozenset({"events", "view", "story"})
        answer = self._call("POST", path, required, body=body, repeatable=True)
        self._check(answer["view"], _VIEW)
        return answer

    def events(self, after: int = 0) -> list[Json]:
        path = fill("/games/{id}/events", id=self.id)
        events: list[Json] = self._call("GET", path, frozenset({"events"}), query={"after": after})["events"]
        return events

    def story(self, after: int = 0) -> list[Json]:
        """What happened in sentences, in the player's language. Each has the `seq` of its last event."""
        path = fill("/games/{id}/story", id=self.id)
        sentences: list[Json] = self._call("GET", path, frozenset({"sentences"}), query={"after": after})["sentences"]
        return sentences

    def board_text(
        self,
        after: int | None = None,
        seat: int | None = None,
        width: int | None = None,
        height: int | None = None,
        ansi: bool = False,
    ) -> str:
        """The board and the standings as text that fits this many columns and rows."""
        query = {"after": after, "seat": seat, "width": width, "height": height, "ansi": 1 if ansi else None}
        path = fill("/games/{id}/board.txt", id=self.id)
        return self._http.text(Request("GET", path, self._token, query=query))

    def record(self) -> Json:
        return self._call("GET", fill("/games/{id}/record", id=self.id), frozenset({"format", "events", "dice"}))

    def record_text(self) -> str:
        return self._http.text(Request("GET", fill("/games/{id}/record.txt", id=self.id), self._token))

    def analysis(self) -> Json | None:
        """Winning chances, luck, skill and the best choices of a finished game; None while they're being computed."""
        response = self._http.send(Request("GET", fill("/games/{id}/analysis", id=self.id), self._token))
        required = frozenset({"seats", "curve", "decisions", "rolls"})
        return None if response.status_code == 202 else self._check(self._http.read_json(response), required)

    def messages(self) -> Iterator[Json]:
        """The game's chat."""
        return self._pages(fill("/games/{id}/messages", id=self.id), "messages", {})

    def post_message(self, text: str) -> Json:
        path = fill("/games/{id}/messages", id=self.id)
        return self._call("POST", path, frozenset({"text"}), body={"text": text})
