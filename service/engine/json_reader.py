"""Strict reading of JSON values; a value that doesn't fit raises `Malformed` with a sentence that names the field."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias, TypeVar

from service.engine.errors import Malformed

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
Reader: TypeAlias = Callable[[object, str], T]
"""Reads a value; the second argument is its path, for the error message."""


def refuse(where: str, wanted: str, value: object) -> NoReturn:
    """Raise `Malformed` for a value that isn't what was wanted."""
    shown = repr(value)
    raise Malformed(f"{where} must be {wanted}, not {shown if len(shown) <= 60 else shown[:57] + '...'}.")


def number(low: int, high: int) -> Reader[int]:
    """Make a reader for an integer within bounds; `true` isn't one."""

    def read(value: object, where: str) -> int:
        if type(value) is not int or not low <= value <= high:
            refuse(where, f"a whole number from {low} to {high}", value)
        return value

    return read


def one_of(choices: Sequence[T]) -> Reader[T]:
    """Make a reader for one of a few values."""
    *most, last = [str(choice) for choice in choices]
    wanted = f"{', '.join(most)} or {last}" if most else last

    def read(value: object, where: str) -> T:
        for choice in choices:
            if type(value) is type(choice) and value == choice:
                return choice
        refuse(where, wanted, value)

    return read


def text(longest: int) -> Reader[str]:
    """Make a reader for text that can be encoded as UTF-8, up to a number of characters."""

    def read(value: object, where: str) -> str:
        if not isinstance(value, str) or len(value) > longest or any("\ud800" <= c <= "\udfff" for c in value):
            refuse(where, f"text of at most {longest} characters", value)
        return value

    return read


def hexadecimal(length: int) -> Reader[str]:
    """Make a reader for a number of bytes, written as lower-case hexadecimal digits."""

    def read(value: object, where: str) -> str:
        if not isinstance(value, str) or len(value) != 2 * length or set(value) - set("0123456789abcdef"):
            refuse(where, f"{2 * length} hexadecimal digits in lower case", value)
        return value

    return read


def flag(value: object, where: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        refuse(where, "true or false", value)
    return value


def list_of(read_one: Reader[T], shortest: int, longest: int) -> Reader[tuple[T, ...]]:
    """Make a reader for a list within bounds of length, all of whose entries are read the same way."""

    def read(value: object, where: str) -> tuple[T, ...]:
        if not isinstance(value, list | tuple) or not shortest <= len(value) <= longest:
            count = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
            refuse(where, f"a list of {count}", value)
        return tuple(read_one(entry, f"{where}[{place}]") for place, entry in enumerate(value))

    return read


def or_null(read_one: Reader[T]) -> Reader[T | None]:
    """Make a reader that also accepts null."""

    def read(value: object, where: str) -> T | None:
        return None if value is None else read_one(value, where)

    return read


class Fields:
    """The fields of one JSON object: each is taken once, and `end` refuses those that are left."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            refuse(where, "an object", value)
        self._left = dict(value)
        self._where = where

    def take(self, name: str, read: Reader[T]) -> T:
        """Take the field of this name, which must be there."""
        if name not in self._left:
            raise Malformed(f"{self._where}.{name} is missing.")
        return read(self._left.pop(name), f"{self._where}.{name}")

    def take_or(self, name: str, read: Reader[T], default: T) -> T:
        """Take the field of this name, or the default if it is missing."""
        return self.take(name, read) if name in self._left else default

    def rest(self) -> Json:
        """Return the fields that are left, for another reader."""
        return self._left

    def end(self) -> None:
        """Refuse fields that are left."""
        for name in self._left:
            raise Malformed(f"{self._where} has an unknown field {str(name)[:40]!r}.")


def quote(value: str) -> str:
    """Write text in double quotes on one line, as in JSON, with unprintable characters escaped."""
    return escape_unprintable(json.dumps(value, ensure_ascii=False))


def escape_unprintable(value: str) -> str:
    """Escape unprintable characters as in JSON, line breaks included."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in value)


def unquote(value: str) -> str:
    """Read text that was written by `quote`."""
    try:
        unquoted = json.loads(value)
    except ValueError:
        unquoted = None
    if not isinstance(unquoted, str):
        raise Malformed(f"{escape_unprintable(value[:60])} is not a text in double quotes.")
    return unquoted
