"""The token in the address of a reply: what a signed link says, packed so that it fits beside `play+`.

A local part has 64 characters at most, and mail systems change their case, so it is base32, unlike other links.
"""

import base64
import hmac
import re
import string
from collections.abc import Sequence
from typing import Final, NamedTuple

# Changing the salt or the form makes every letter in people's mailboxes unanswerable.
_SALT: Final = b"marrakech/reply"
_SHAPE: Final = re.compile(r"[A-Za-z2-7]{48}")
_BYTES: Final = {"game": 9, "seat": 1, "turn": 2, "version": 3}
_MAC: Final = 15
_ID_LETTERS: Final = string.digits + string.ascii_letters
_ID_LENGTH: Final = 12


class ReplyLink(NamedTuple):
    """Plays the turn of a letter by an answer to it; the reply to an invitation has turn 0."""

    game: str
    seat: int
    turn: int
    version: int


class ReplyTokens:
    """Signs with the newest of the keys and reads what any of them has signed."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        self._keys = [hmac.digest(key.encode(), _SALT, "sha256") for key in secret_keys]

    def write(self, link: ReplyLink) -> str:
        """The token: 48 letters and digits in lower case."""
        payload = _packed(link)
        return base64.b32encode(payload + _mac(self._keys[0], payload)).decode().lower()

    def read(self, token: str) -> ReplyLink | None:
        """What the token says, in whatever case it comes; None where none of the keys has signed it."""
        if not _SHAPE.fullmatch(token):
            return None
        packed = base64.b32decode(token.upper())
        payload, mac = packed[:-_MAC], packed[-_MAC:]
        if not any(hmac.compare_digest(_mac(key, payload), mac) for key in self._keys):
            return None
        return _unpacked(payload)


def _mac(key: bytes, payload: bytes) -> bytes:
    return hmac.digest(key, payload, "sha256")[:_MAC]


def _packed(link: ReplyLink) -> bytes:
    """The link in 15 bytes; a game's id is a number of twelve digits to the base 62."""
    if len(link.game) != _ID_LENGTH or not set(link.game) <= set(_ID_LETTERS):
        raise ValueError(f"A reply needs a game's id of {_ID_LENGTH} letters and digits, not {link.game[:40]!r}.")
    number = 0
    for letter in link.game:
        number = number * len(_ID_LETTERS) + _ID_LETTERS.index(letter)
    try:
        fields = zip((number, *link[1:]), _BYTES.values(), strict=True)
        return b"".join(value.to_bytes(size, "big") for value, size in fields)
    except OverflowError:
        raise ValueError(f"A reply has no room for this seat, turn or version: {link[1:]}.") from None


def _unpacked(payload: bytes) -> ReplyLink:
    values, start = [], 0
    for size in _BYTES.values():
        values.append(int.from_bytes(payload[start : start + size], "big"))
        start += size
    number, game = values[0], ""
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_ID_LETTERS))
        game = _ID_LETTERS[digit] + game
    return ReplyLink(game, *values[1:])
