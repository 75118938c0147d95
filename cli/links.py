"""Reads links from letters and server addresses the way people paste them."""

import base64
import binascii
import json
import re
import zlib
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from cli.errors import BadAddress, UsageError

LOCAL: Final = "http://127.0.0.1:8000"
"""Where `make run` serves; the default server."""
API: Final = "/api/v1"
_LINK: Final = re.compile(r"(?P<before>.*)/(?P<kind>t|s|g|join|login)/(?P<last>[^/]+)/?")
_GAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID_LENGTH: Final = 12
_LONGEST: Final = 512


class Link(NamedTuple):
    """A link: its server, its kind (`t`, `s`, `g`, `join` or `login`), and its token and game, if any."""

    server: str
    kind: str
    token: str | None
    game: str | None


def read_link(words: str) -> Link:
    """Read a pasted link, even with the brackets and line breaks that mail programs add."""
    words = "".join(words.split()).strip("<>\"'()[].,;")
    try:
        parts = urlsplit(words)
    except ValueError:
        parts = urlsplit("")
    found = _LINK.fullmatch(parts.path)
    if parts.scheme not in {"http", "https"} or not parts.netloc or not found:
        raise UsageError("That's not a link from an e-mail. Copy the whole line that starts with http.")
    server = read_server(f"{parts.scheme}://{parts.netloc}{found['before']}")
    if found["kind"] == "g":
        return Link(server, "g", None, read_game(found["last"]))
    token = found["last"]
    return Link(server, found["kind"], token, None if found["kind"] == "login" else game_of(token))


def is_link(words: str) -> bool:
    """Whether this is a link and not the id of a game."""
    return "://" in words


def is_game_id(words: str) -> bool:
    """Whether this looks like the id of a game and not like its name."""
    return len(words) == _ID_LENGTH and bool(_GAME.fullmatch(words))


def read_game(words: str) -> str:
    """The id of a game."""
    if not _GAME.fullmatch(words):
        raise UsageError(f"{words[:12]!r} isn't the id of a game. List your games with: marrakech-cli games")
    return words


def game_of(token: str) -> str:
    """The game of a token from a letter.

    Anyone can read the first part of a token, but only the server can check it. The client reads only the game's id
    (see docs/decisions/13-links-in-the-client.md).
    """
    packed = token.startswith(".")
    payload = token.lstrip(".").partition(".")[0]
    try:
        written = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        if packed:
            written = zlib.decompressobj().decompress(written, _LONGEST)
        game = json.loads(written)[0]
    except (ValueError, binascii.Error, zlib.error, LookupError, TypeError):
        game = None
    if not isinstance(game, str) or len(token) > _LONGEST or not _GAME.fullmatch(game):
        raise UsageError("This link is incomplete or doesn't belong to a game. Copy the whole line from the e-mail.")
    return game


def is_seat_token(token: str) -> bool:
    """Whether a token is for one seat (from a letter), not for a player who has signed in."""
    try:
        game_of(token)
    except UsageError:
        return False
    return True


def read_server(words: str) -> str:
    """Normalise a server address. A bare host name means https, or http if it's this machine."""
    words = words.strip()
    if "://" not in words:
        words = f"{'http' if _is_here(words) else 'https'}://{words}"
    try:
        parts = urlsplit(words)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadAddress(server=words[:120]) from None
    if parts.scheme not in {"http", "https"} or not host or parts.username:
        raise BadAddress(server=words[:120].rpartition("@")[2])
    name = f"[{host}]" if ":" in host else host
    # This may be a whole link, and its token must not appear in messages that name the server.
    link = _LINK.fullmatch(parts.path)
    path = link["before"] if link else parts.path.rstrip("/").removesuffix(API)
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{path}"


def _is_here(words: str) -> bool:
    import ipaddress

    host = words.partition("/")[0]
    host = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
