"""Rolls, draws and shuffles from a committed seed, as docs/dice.md specifies them."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from service.engine.errors import Malformed

T = TypeVar("T")

SEED_BYTES: Final = 32
LONGEST_SALT: Final = 64
_DIE: Final = 6
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


def commitment(seed: bytes) -> str:
    """Compute what is published of a seed before the game: its SHA-256 in hexadecimal digits."""
    return hashlib.sha256(seed).hexdigest()


class Chance:
    """Fair random numbers from a key and a label: the bytes of HMAC-SHA256(key, `label/k`) for k = 0, 1, …"""

    def __init__(self, key: bytes, label: str) -> None:
        self._bytes = _bytes(key, label)

    def below(self, bound: int) -> int:
        """Draw a number from 0 up to but not including the bound, which is at most 256."""
        fair = 256 - 256 % bound
        return next(byte for byte in self._bytes if byte < fair) % bound

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle the items: from the last place down, swap each with one at or before it."""
        order = list(items)
        for place in range(len(order) - 1, 0, -1):
            other = self.below(place + 1)
            order[place], order[other] = order[other], order[place]
        return tuple(order)

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[self.below(len(items))]


def _bytes(key: bytes, label: str) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(key, f"{label}/{block}".encode(), "sha256")
        block += 1


class Dice:
    """The dice of one game, together with the salt that was sent with the current action."""

    __slots__ = ("_inner", "_outer", "_seed", "game", "salt")

    def __init__(self, game: str, seed: bytes, salt: str = "") -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"A seed has {SEED_BYTES} bytes, not {len(seed)}.")
        self.game = game
        self.salt = check_salt(salt)
        self._seed = seed
        # HMAC with its two inner hashes prepared once: twice as fast as `hmac.digest`, and simulations roll a lot.
        key = seed.ljust(64, b"\0")
        self._inner = hashlib.sha256(key.translate(_INNER) + f"{game}/roll/".encode())
        self._outer = hashlib.sha256(key.translate(_OUTER))

    def roll(self, number: int) -> int:
        """Return the face, 0 to 5, of roll `number` of the game with this salt."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(f"{number}/{self.salt}/0".encode())
        outer.update(inner.digest())
        for byte in outer.digest():
            if byte < 252:  # the largest multiple of six in a byte
                return byte % _DIE
        return Chance(self._seed, f"{self.game}/roll/{number}/{self.salt}").below(_DIE)

    def chance(self, label: str) -> Chance:
        """Return the random numbers for a shuffle or draw of this game, which doesn't depend on the salt."""
        return Chance(self._seed, f"{self.game}/shuffle/{label}")


def check_salt(salt: str) -> str:
    """Return the salt; raises `Malformed` if it is too long or isn't text."""
    if len(salt) > LONGEST_SALT:
        raise Malformed(f"salt must be text of at most {LONGEST_SALT} characters, not {len(salt)}.")
    try:
        salt.encode()
    except UnicodeEncodeError:
        raise Malformed("salt must be text that can be written as UTF-8.") from None
    return salt
