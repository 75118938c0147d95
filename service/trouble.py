"""What to say when the database cannot be used: full, read-only, busy or away. Nothing was changed then."""

from typing import Final

from peewee import InterfaceError, InternalError, OperationalError

from service.errors import Problem, Unavailable

# SQLite has no codes in its errors' words, PostgreSQL has them in the error that peewee wraps.
_FULL: Final = ("database or disk is full", "no space left on device", "disk i/o error")
_READ_ONLY: Final = ("readonly database", "read-only transaction", "unable to open database file")
_BUSY: Final = ("database is locked", "lock timeout", "deadlock detected")

FULL: Final = "The server's disk is full, so nothing was changed; tell its host, and try again later."
READ_ONLY: Final = (
    "The server may not write to its database, so nothing was changed; tell its host, and try again later."
)
BUSY: Final = "The server has too much to do just now, so nothing was changed; try again in a minute."


def database_trouble(error: Exception) -> Problem | None:
    """The problem to answer with, where it was the database that failed."""
    if not isinstance(error, OperationalError | InterfaceError | InternalError):
        return None
    words = f"{error} {error.__cause__ or ''}".lower()
    for parts, sentence in ((_FULL, FULL), (_READ_ONLY, READ_ONLY), (_BUSY, BUSY)):
        if any(part in words for part in parts):
            return Unavailable(sentence)
    return None if isinstance(error, InternalError) else Unavailable()
