"""One server over HTTP: the only place that sends anything; it tries again where that is safe."""

import time
from collections.abc import Callable, Iterator, Mapping
from gettext import gettext as say
from gettext import ngettext
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import requests
from requests.auth import AuthBase
from requests.exceptions import ConnectTimeout, InvalidURL, JSONDecodeError, RequestException, SSLError
from urllib3.exceptions import NameResolutionError, NewConnectionError

from cli.errors import (
    BadAddress,
    BadCertificate,
    LostAnswer,
    NobodyThere,
    NoSuchServer,
    OtherVersion,
    SentElsewhere,
    ServerFault,
    TooOften,
    Trouble,
    WebPage,
    refusal,
)
from cli.links import API
from cli.version import installed_version

Json = dict[str, Any]

DESCRIPTION: Final = "/openapi.json"
TIMEOUT: Final = (5.0, 30.0)
HURRIED: Final = (1.0, 2.0)
LOOKING_AGAIN: Final = (0.3,)
ACTING_AGAIN: Final = (0.5, 1.0, 2.0, 4.0)
"""Pauses before the same action is sent again: about as long as a server takes to be started anew."""
LONGEST_WAIT: Final = 120.0
_AWAY: Final = frozenset({502, 503, 504})
"""What a proxy answers while the server behind it is away."""


class Request(NamedTuple):
    """What is asked: `again` where it may be sent a second time without harm."""

    method: str
    path: str
    token: str | None = None
    query: Mapping[str, Any] | None = None
    body: Json | None = None
    again: bool = False
    etag: str | None = None


class _Bearer(AuthBase):
    """Sends the token, and keeps requests from sending what stands in ~/.netrc instead."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def filled(path: str, **places: object) -> str:
    """The path with its places filled in."""
    for name, value in places.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return path


class Connection:
    """A server that is talked to; `tell` says something to the person who waits, `trace` is for `--verbose`."""

    def __init__(
        self,
        server: str,
        tell: Callable[[str], None],
        trace: Callable[[str], None],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.server = server
        self._tell, self._trace, self._pause = tell, trace, pause
        self._session = requests.Session()
        self._session.headers["User-Agent"] = "marrakech-cli"
        self._waited = 0.0
        self._timeout, self._patient = TIMEOUT, True

    def hurry(self) -> None:
        """Ask once and briefly from now on: somebody waits for the shell to complete a word."""
        self._timeout, self._patient = HURRIED, False

    def json(self, request: Request) -> Json:
        """The answer as an object."""
        return self.object_in(self.answer(request))

    def text(self, request: Request) -> str:
        """The answer as text."""
        response = self.answer(request)
        if "text/plain" not in response.headers.get("Content-Type", ""):
            raise WebPage(self.server)
        return response.content.decode("utf-8", "replace")

    def answer(self, request: Request) -> requests.Response:
        """The answer where it is a good one; every other raises the trouble it means."""
        while True:
            response = self._delivered(request)
            if response.status_code == 429 and self._wait_as_told(response):
                continue
            if response.is_redirect:
                raise SentElsewhere(self.server, response.headers.get("Location", "?")[:200])
            if response.status_code >= 400:
                raise self._refusal(response)
            return response

    def object_in(self, response: requests.Response) -> Json:
        """The JSON object of an answer."""
        kind = response.headers.get("Content-Type", "")
        if "json" not in kind:
            raise WebPage(self.server)
        try:
            value = response.json()
        except JSONDecodeError:
            raise WebPage(self.server) from None
        if not isinstance(value, dict):
            raise self.other_version()
        return value

    def other_version(self) -> OtherVersion:
        """The trouble of two programs that do not understand each other, with both versions where they can be had."""
        theirs, ours = self._version(), installed_version()
        return OtherVersion(self.server, None if theirs == ours else theirs, ours)

    def _version(self) -> str | None:
        """The server's version, as its description tells it where it has one."""
        try:
            version = self._delivered(Request("GET", DESCRIPTION)).json()["info"]["version"]
        except (Trouble, JSONDecodeError, LookupError, TypeError):
            return None
        return version if isinstance(version, str) else None

    def _delivered(self, request: Request) -> requests.Response:
        """Whatever the server answers; a connection that drops is tried again where that does no harm."""
        arrived = False
        for pause in self._pauses(request):
            try:
                response = self._sent(request)
            except RequestException as failure:
                trouble, arrived = self._explained(failure), arrived or _may_have_arrived(failure)
            else:
                if response.status_code not in _AWAY or pause is None:
                    return response
                trouble, arrived = NobodyThere(self.server), True
            if pause is None or not isinstance(trouble, NobodyThere):
                raise LostAnswer(self.server) if arrived and request.body is not None else trouble
            if request.again:
                self._tell(say("The connection broke; sending the very same again, which cannot roll twice."))
            self._pause(pause)
        raise AssertionError

    def _pauses(self, request: Request) -> Iterator[float | None]:
        """What to wait after each attempt that fails; None: it was the last."""
        if not self._patient:
            pass
        elif request.again:
            yield from ACTING_AGAIN
        elif request.method == "GET":
            yield from LOOKING_AGAIN
        yield None

    def _sent(self, request: Request) -> requests.Response:
        start = time.monotonic()
        response = self._session.request(
            request.method,
            f"{self.server}{API}{request.path}",
            params=request.query,
            json=request.body,
            headers={"If-None-Match": request.etag} if request.etag else None,
            auth=_Bearer(request.token),
            timeout=self._timeout,
            allow_redirects=False,  # a token must not travel to where a stranger points
        )
        took = (time.monotonic() - start) * 1000
        self._trace(f"{request.method} {self.server}{API}{request.path} {response.status_code} {took:.0f} ms")
        return response

    def _explained(self, failure: RequestException) -> Trouble:
        if isinstance(failure, SSLError):
            return BadCertificate(self.server)
        if isinstance(failure, InvalidURL):
            return BadAddress(self.server)
        if isinstance(_reason(failure), NameResolutionError):
            return NoSuchServer(self.server)
        return NobodyThere(self.server)

    def _wait_as_told(self, response: requests.Response) -> bool:
        """Wait as long as the server asks; false where that is more than anybody would sit through."""
        told = response.headers.get("Retry-After", "")
        seconds = int(told) if told.isdecimal() else 5
        if not self._patient or self._waited + seconds > LONGEST_WAIT:
            return False
        self._waited += seconds
        told_so = ngettext("asks for a pause of %(n)s second", "asks for a pause of %(n)s seconds", seconds)
        self._tell(say("The server %(pause)s; waiting.") % {"pause": told_so % {"n": seconds}})
        self._pause(float(seconds))
        return True

    def _refusal(self, response: requests.Response) -> Trouble:
        status = response.status_code
        if "json" not in response.headers.get("Content-Type", ""):
            if status == 429:
                return TooOften(say("The server is asked too often; try again in a while."))
            if status >= 500:
                sentence = say("%(server)s has a fault (%(status)s); try again in a while, or tell its host.")
                return ServerFault(sentence % {"server": self.server, "status": status})
            return WebPage(self.server)
        problem = self.object_in(response)
        code, detail = problem.get("code"), problem.get("detail")
        if not isinstance(code, str) or not isinstance(detail, str):
            return self.other_version()
        return refusal(code, detail)


def _reason(failure: RequestException) -> object:
    return getattr(failure.args[0], "reason", None) if failure.args else None


def _may_have_arrived(failure: RequestException) -> bool:
    """Whether the server can have seen the request: not where there was no connection to begin with."""
    return not isinstance(failure, ConnectTimeout | SSLError) and not isinstance(_reason(failure), NewConnectionError)
