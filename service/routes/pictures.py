"""Pictures of games: drawn once for each game, head and language, and cached by browsers."""

import hashlib
import mimetypes
from collections.abc import Callable
from importlib.metadata import version
from threading import Lock
from typing import Final, NamedTuple

from cachetools import LRUCache
from flask import Flask, Response, current_app, request

from service.games.store import StoredGame

CACHED_BYTES: Final = 8 * 1024 * 1024
_EXTENSION: Final = "marrakech-pictures"
_CACHING: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language, Cookie"}
"""A browser may cache a picture, but must revalidate it."""


class PictureKey(NamedTuple):
    """Everything that a picture depends on."""

    kind: str
    """Its file name, such as `board.svg`."""
    game: str
    head: int
    names: tuple[str, ...]
    language: str
    details: str = ""
    """Other parameters, such as a seat or a width."""


def picture_key(kind: str, game: StoredGame, language: str, details: str = "") -> PictureKey:
    """The key of a picture of this game, whose seats have their display names."""
    names = (game.name, *(seat.name for seat in game.seats))
    return PictureKey(kind, game.id, game.head, names, language, details)


class PictureCache:
    """The most recently used pictures, up to a number of bytes."""

    def __init__(self, most_bytes: int = CACHED_BYTES) -> None:
        self._pictures: LRUCache[PictureKey, bytes] = LRUCache(most_bytes, getsizeof=len)
        self._lock = Lock()
        self._most_bytes = most_bytes

    def get(self, key: PictureKey, draw: Callable[[], str | bytes]) -> bytes:
        """The picture; it is drawn if it isn't here."""
        with self._lock:
            found: bytes | None = self._pictures.get(key)
        if found is None:
            drawn = draw()
            found = drawn.encode() if isinstance(drawn, str) else drawn
            with self._lock:
                if len(found) <= self._most_bytes:
                    self._pictures[key] = found
        return found


def set_picture_cache(app: Flask) -> None:
    """Give the application its cache."""
    app.extensions[_EXTENSION] = PictureCache()


def picture_response(key: PictureKey, draw: Callable[[], str | bytes]) -> Response:
    """The picture, or 304 if the browser has it already."""
    etag = hashlib.sha256(repr((version("marrakech-by-mail"), key)).encode()).hexdigest()[:32]
    if request.if_none_match.contains_weak(etag):
        response = Response(status=304)
    else:
        picture = current_app.extensions[_EXTENSION].get(key, draw)
        response = Response(picture, mimetype=mimetypes.guess_type(key.kind)[0])
    response.headers.update(_CACHING)
    response.set_etag(etag)
    return response
