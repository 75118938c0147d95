"""Every signed token. Each purpose has its own salt, so that no token can pass as another.

The token in a reply address has a form of its own: the local part of an address has at most 64 characters and mail
systems may change its case, so it is packed and written in base32.
"""

import base64
import hashlib
import hmac
import re
import string
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeVar

from itsdangerous import BadData, URLSafeSerializer
from itsdangerous.encoding import base64_decode, base64_encode

from service.errors import Unauthorised
from service.i18n import marked

SIGN_IN_SECONDS: Final = 15 * 60
SESSION_SECONDS: Final = 180 * 24 * 3600
_LONGEST: Final = 512
_SHAPE: Final = re.compile(r"\.?[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)")


# Changing the salt or the form breaks the reply address of every letter in people's mailboxes.
_REPLY_SALT: Final = b"marrakech/reply"
_REPLY_SHAPE: Final = re.compile(r"[A-Za-z2-7]{48}")
_REPLY_BYTES: Final = {"game": 9, "seat": 1, "turn": 2, "version": 3}
_REPLY_MAC: Final = 15
_ID_LETTERS: Final = string.digits + string.ascii_letters
_ID_LENGTH: Final = 12


class BadLink(Unauthorised):
    """A token that this server did not sign for this purpose, or that has expired."""

    sentence = marked("This link or token isn't valid here. Open the link in your newest e-mail, or sign in again.")


class TurnLink(NamedTuple):
    """Plays one turn of one seat, as long as the seat's link version is this one."""

    game: str
    seat: int
    turn: int
    version: int


class SeatLink(NamedTuple):
    """Opens a seat: its invitation, and the game as the seat sees it."""

    game: str
    seat: int
    version: int


class SignInLink(NamedTuple):
    """Refers to a mailed code; the address is in the row of the code."""

    code_id: int
    secret: str


class ApiToken(NamedTuple):
    """The bearer token of a signed-in player."""

    player: int
    version: int


class Session(NamedTuple):
    """The session cookie of a signed-in player."""

    player: int
    version: int
    expires: int


class Invitation(NamedTuple):
    """The shared link to a game's open seats."""

    game: str
    version: int


class Unsubscribe(NamedTuple):
    """Ends one kind of letter to a player with one click."""

    player: int
    kind: str


CHAT_TURN: Final = 2**16 - 1
"""The turn of the reply address in a letter about the chat: a reply is posted there and plays nothing."""


class ReplyLink(NamedTuple):
    """Plays the turn of a letter by a reply to it; the reply to an invitation has turn 0, to the chat `CHAT_TURN`."""

    game: str
    seat: int
    turn: int
    version: int


class _SignIn(NamedTuple):
    """A sign-in link as signed, with the second in which it expires.

    The time is in the payload because itsdangerous' own timed signer looks at the clock itself.
    """

    code_id: int
    secret: str
    expires: int


# Changing a salt invalidates every link of that purpose in people's mailboxes.
_SALTS: Final[dict[type[Any], str]] = {
    TurnLink: "marrakech/turn",
    SeatLink: "marrakech/seat",
    _SignIn: "marrakech/sign-in",
    ApiToken: "marrakech/api",
    Session: "marrakech/session",
    Invitation: "marrakech/invitation",
    Unsubscribe: "marrakech/unsubscribe",
}

Link = TypeVar("Link", TurnLink, SeatLink, _SignIn, ApiToken, Session, Invitation, Unsubscribe)


class TokenSigner:
    """Signs with the newest key and reads what any of the keys has signed."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        # A string is also a sequence, of keys with one character each.
        if isinstance(secret_keys, str) or not secret_keys or not all(secret_keys):
            raise ValueError("Tokens need a list of secret keys, newest first.")
        oldest_first = list(reversed(secret_keys))
        signing = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        self._serializers = {
            kind: URLSafeSerializer(oldest_first, salt=salt, signer_kwargs=signing) for kind, salt in _SALTS.items()
        }
        self._replies = ReplyTokens(secret_keys)

    def turn(self, game: str, seat: int, turn: int, version: int) -> str:
        return self._sign(TurnLink(game, seat, turn, version))

    def read_turn(self, token: str) -> TurnLink:
        return self._read(TurnLink, token)

    def seat(self, game: str, seat: int, version: int) -> str:
        return self._sign(SeatLink(game, seat, version))

    def read_seat(self, token: str) -> SeatLink:
        return self._read(SeatLink, token)

    def sign_in(self, code_id: int, secret: str, now: float) -> str:
        return self._sign(_SignIn(code_id, secret, int(now) + SIGN_IN_SECONDS))

    def read_sign_in(self, token: str, now: float) -> SignInLink:
        link = self._read(_SignIn, token)
        if now >= link.expires:
            words = marked("This sign-in link has expired. Get a new one and use it within 15 minutes.")
            raise BadLink(words, gone=True)
        return SignInLink(link.code_id, link.secret)

    def api(self, player: int, version: int) -> str:
        return self._sign(ApiToken(player, version))

    def read_api(self, token: str) -> ApiToken:
        return self._read(ApiToken, token)

    def session(self, player: int, version: int, now: float) -> str:
        return self._sign(Session(player, version, int(now) + SESSION_SECONDS))

    def read_session(self, token: str, now: float) -> Session:
        session = self._read(Session, token)
        if now >= session.expires:
            raise BadLink("You haven't been here for a long time. Sign in again.")
        return session

    def invitation(self, game: str, version: int) -> str:
        return self._sign(Invitation(game, version))

    def read_invitation(self, token: str) -> Invitation:
        return self._read(Invitation, token)

    def unsubscribe(self, player: int, kind: str) -> str:
        return self._sign(Unsubscribe(player, kind))

    def read_unsubscribe(self, token: str) -> Unsubscribe:
        return self._read(Unsubscribe, token)

    def reply(self, game: str, seat: int, turn: int, version: int) -> str:
        """The token in a reply address."""
        return self._replies.write(ReplyLink(game, seat, turn, version))

    def read_reply(self, token: str) -> ReplyLink:
        link = self._replies.read(token)
        if link is None:
            raise BadLink
        return link

    def identify(self, token: str) -> ApiToken | TurnLink | SeatLink:
        """Find out what a bearer token stands for: a player, or a seat by a link from a letter."""
        for read in (self.read_api, self.read_turn):
            try:
                return read(token)
            except BadLink:
                continue
        return self.read_seat(token)

    def _sign(self, link: tuple[object, ...]) -> str:
        token = self._serializers[type(link)].dumps(list(link))
        if len(token) > _LONGEST:
            raise ValueError(f"A link of {len(token)} characters would be too long to be read again.")
        return token

    def _read(self, kind: type[Link], token: str) -> Link:
        if not _is_in_form(token):
            raise BadLink
        try:
            payload = self._serializers[kind].loads(token)
        except BadData:
            raise BadLink from None
        # A valid signature doesn't guarantee the form: another version of this program may have signed it.
        types = list(kind.__annotations__.values())
        if not isinstance(payload, list) or [type(value) for value in payload] != types:
            raise BadLink
        if any(isinstance(value, int) and value < 0 for value in payload):
            raise BadLink
        return kind(*payload)


def _is_in_form(token: str) -> bool:
    """Whether a token is written in the one form that we write.

    Decoding base64 ignores foreign characters and the spare bits of the last character, so a changed signature
    could still be accepted.
    """
    if len(token) > _LONGEST:
        return False
    shape = _SHAPE.fullmatch(token)
    if shape is None:
        return False
    try:
        return base64_encode(base64_decode(shape[1])) == shape[1].encode("ascii")
    except BadData:
        return False


class ReplyTokens:
    """Signs with the newest key and reads what any of the keys has signed."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        self._keys = [hmac.digest(key.encode(), _REPLY_SALT, "sha256") for key in secret_keys]

    def write(self, link: ReplyLink) -> str:
        """The token: 48 letters and digits in lower case."""
        payload = _packed(link)
        return base64.b32encode(payload + _mac(self._keys[0], payload)).decode().lower()

    def read(self, token: str) -> ReplyLink | None:
        """Read a token in any case; None if none of the keys has signed it."""
        if not _REPLY_SHAPE.fullmatch(token):
            return None
        packed = base64.b32decode(token.upper())
        payload, mac = packed[:-_REPLY_MAC], packed[-_REPLY_MAC:]
        if not any(hmac.compare_digest(_mac(key, payload), mac) for key in self._keys):
            return None
        return _unpacked(payload)


def _mac(key: bytes, payload: bytes) -> bytes:
    return hmac.digest(key, payload, "sha256")[:_REPLY_MAC]


def _packed(link: ReplyLink) -> bytes:
    """Pack the link into 15 bytes; a game's id is a number of twelve digits in base 62."""
    if len(link.game) != _ID_LENGTH or not set(link.game) <= set(_ID_LETTERS):
        raise ValueError(f"A reply needs a game's id of {_ID_LENGTH} letters and digits, not {link.game[:40]!r}.")
    number = 0
    for letter in link.game:
        number = number * len(_ID_LETTERS) + _ID_LETTERS.index(letter)
    try:
        fields = zip((number, *link[1:]), _REPLY_BYTES.values(), strict=True)
        return b"".join(value.to_bytes(size, "big") for value, size in fields)
    except OverflowError:
        raise ValueError(f"A reply has no room for this seat, turn or version: {link[1:]}.") from None


def _unpacked(payload: bytes) -> ReplyLink:
    values, start = [], 0
    for size in _REPLY_BYTES.values():
        values.append(int.from_bytes(payload[start : start + size], "big"))
        start += size
    number, game = values[0], ""
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_ID_LETTERS))
        game = _ID_LETTERS[digit] + game
    return ReplyLink(game, *values[1:])
