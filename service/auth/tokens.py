"""Every signed token: one pair of functions for each purpose, one salt for each, so that none can pass as another."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from itsdangerous import BadData, URLSafeSerializer
from itsdangerous.encoding import base64_decode, base64_encode

from service.auth.reply_tokens import ReplyLink, ReplyTokens
from service.errors import Unauthorised
from service.i18n import marked

SIGN_IN_SECONDS: Final = 15 * 60
SESSION_SECONDS: Final = 180 * 24 * 3600
_LONGEST: Final = 512
_SHAPE: Final = re.compile(r"\.?[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)")


class BadLink(Unauthorised):
    """A token that this server did not sign for this purpose, or one that has expired."""

    sentence = marked("This link or token is not valid here; open the link in your newest letter, or sign in again.")


class TurnLink(NamedTuple):
    """Plays one turn of one seat, for as long as the seat's link version is this one."""

    game: str
    seat: int
    turn: int
    version: int


class SeatLink(NamedTuple):
    """Opens a seat at a table: its invitation, and the game from its side."""

    game: str
    seat: int
    version: int


class SignInLink(NamedTuple):
    """Stands for a mailed code; the address stays in the database, where the code's row is."""

    code_id: int
    secret: str


class ApiToken(NamedTuple):
    """What a signed-in player's program sends along."""

    player: int
    version: int


class Session(NamedTuple):
    """What a signed-in player's browser keeps."""

    player: int
    version: int
    expires: int


class Invitation(NamedTuple):
    """The link to share for a table's open seats."""

    game: str
    version: int


class Unsubscribe(NamedTuple):
    """Ends one kind of letter to a player with one click."""

    player: int
    kind: str


class _SignIn(NamedTuple):
    """A sign-in link as signed, with the second in which it expires.

    The time is in the payload because itsdangerous' own timed signer looks at the clock itself.
    """

    code_id: int
    secret: str
    expires: int


# Changing a salt makes every link of that purpose in people's mailboxes worthless.
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
    """Signs with the newest of the keys and reads what any of them has signed."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        # A string is a sequence as well, of keys that are one character long.
        if isinstance(secret_keys, str) or not secret_keys or not all(secret_keys):
            raise ValueError("Links need a list of secret keys, the newest first.")
        oldest_first = list(reversed(secret_keys))
        signing = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        self._serializers = {
            kind: URLSafeSerializer(oldest_first, salt=salt, signer_kwargs=signing) for kind, salt in _SALTS.items()
        }
        self._replies = ReplyTokens(secret_keys)
        # A sound token stays sound as long as the keys are these; whether it was revoked is for the database to say.
        self._identified = lru_cache(maxsize=4096)(self._identify)

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
            words = marked("This sign-in link has expired; ask for a new one, it is good for 15 minutes.")
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
            raise BadLink("You have been away for long; sign in again.")
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
        """The token of a reply's address, which is shorter than the others and written in one case."""
        return self._replies.write(ReplyLink(game, seat, turn, version))

    def read_reply(self, token: str) -> ReplyLink:
        link = self._replies.read(token)
        if link is None:
            raise BadLink
        return link

    def identify(self, token: str) -> ApiToken | TurnLink | SeatLink:
        """Who sends this bearer token: a player, or a seat by a link out of a letter."""
        return self._identified(token)

    def _identify(self, token: str) -> ApiToken | TurnLink | SeatLink:
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
        # Our key alone does not vouch for the form: another version of this program may have signed it.
        types = list(kind.__annotations__.values())
        if not isinstance(payload, list) or [type(value) for value in payload] != types:
            raise BadLink
        if any(isinstance(value, int) and value < 0 for value in payload):
            raise BadLink
        return kind(*payload)


def _is_in_form(token: str) -> bool:
    """Whether a token is written the one way we write it.

    Decoding base64 passes over foreign characters and over the last character's spare bits, so that a changed
    signature could still be accepted; then one link would have many names.
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
