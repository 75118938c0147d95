"""The Flask application of the house: what Flask finds out anew at every request, it finds out once."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from flask import Flask, Request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter, Rule


class _Entrance(NamedTuple):
    """One way to come in: whoever comes by the same one is told the same addresses."""

    scheme: str
    host: str | None
    server: str
    port: str
    script: str


Found: TypeAlias = tuple[Rule, Mapping[str, Any]]
"""The rule for an address, and what its parts are."""


class _Finder(MapAdapter):
    """Finds the page for a request; where somebody comes back to, again and again, it knows by heart."""

    def __init__(self, known: Callable[[str, str], Found], *about: Any) -> None:
        super().__init__(*about)
        self._known = known

    def match(self, *args: Any, **kwargs: Any) -> Any:
        """The rule and the parts of the address."""
        if not args and kwargs == {"return_rule": True}:
            with suppress(HTTPException):
                rule, parts = self._known(self.path_info, self.default_method)
                return rule, dict(parts)
        # Whoever is to be sent elsewhere or refused is told so by Flask, with all it knows of the request.
        return super().match(*args, **kwargs)


class House(Flask):
    """The application as Flask makes it, of plain functions only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Bounded, for anybody may make up the name of a host.
        self._known = lru_cache(maxsize=256)(self._look_up)
        self._found = lru_cache(maxsize=1024)(self._find)
        self.gathering: Callable[[], AbstractContextManager[None]] | None = None
        """What the writings of several requests can be gathered in, see `service.clerk`."""

    def ensure_sync(self, func: Any) -> Any:
        """The function as it is: Flask would look at each of them at each request whether it is a coroutine."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """What finds the page for a request. Flask would read and check the name of the host twice for each."""
        if request is None or "HTTP_UPGRADE" in request.environ:
            return super().create_url_adapter(request)
        environ = request.environ
        known, request.host = self._known(
            _Entrance(
                environ["wsgi.url_scheme"],
                environ.get("HTTP_HOST"),
                environ["SERVER_NAME"],
                environ["SERVER_PORT"],
                environ.get("SCRIPT_NAME", ""),
            )
        )
        return _Finder(
            self._found,
            self.url_map,
            known.server_name,
            known.script_name,
            known.subdomain,
            known.url_scheme,
            _text(environ.get("PATH_INFO", "")),
            request.method,
            _text(environ.get("QUERY_STRING", "")),
        )

    def _find(self, path: str, method: str) -> Found:
        """The page for an address, whoever asks for it."""
        found: Found = self.url_map.bind("").match(path, method, return_rule=True)
        return found

    def _look_up(self, entrance: _Entrance) -> tuple[MapAdapter, str]:
        """What Flask itself makes of whoever comes in here; refuses a host that cannot be one."""
        environ = {
            "wsgi.url_scheme": entrance.scheme,
            "SERVER_NAME": entrance.server,
            "SERVER_PORT": entrance.port,
            "SCRIPT_NAME": entrance.script,
            "REQUEST_METHOD": "GET",
            **({} if entrance.host is None else {"HTTP_HOST": entrance.host}),
        }
        first = Request(environ)
        adapter = super().create_url_adapter(first)
        if adapter is None:
            raise RuntimeError("Flask finds a page for every request.")
        return adapter, first.host


def _text(written: str) -> str:
    """What was sent, out of the way in which WSGI writes it."""
    return written.encode("latin-1").decode(errors="replace")
