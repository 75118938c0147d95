"""Turn database failures (full, read-only, busy, unreachable) into a 503 problem."""

from collections.abc import Iterator
from typing import Final

from service.errors import Problem, Unavailable
from service.i18n import marked

# Recognised by name: peewee wraps only some errors of the drivers, PostgreSQL's driver may not be installed, and all
# drivers use the names of the Python database API.
_UNUSABLE: Final = {"OperationalError", "InterfaceError"}
_POSSIBLY_UNUSABLE: Final = {"InternalError"}
_FULL: Final = ("database or disk is full", "no space left on device", "could not extend file", "disk i/o error")
_READ_ONLY: Final = ("readonly database", "read-only transaction", "unable to open database file")
_BUSY: Final = ("database is locked", "lock timeout", "deadlock detected")

FULL: Final = marked(
    "The server's disk is full, so nothing was changed. Tell the person who runs it, and try again later."
)
READ_ONLY: Final = marked(
    "The server can't write to its database, so nothing was changed. Tell the person who runs it, and try again later."
)
BUSY: Final = marked("The server is too busy right now, so nothing was changed. Try again in a minute.")


def _messages(error: BaseException | None) -> Iterator[str]:
    """The messages of an error and its causes: a failed rollback hides the error that led to it."""
    while error is not None:
        yield str(error).lower()
        error = error.__context__


def database_problem(error: Exception) -> Problem | None:
    """The problem to respond with; None if the error is not a failure of the database."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if not names & (_UNUSABLE | _POSSIBLY_UNUSABLE):
        return None
    words = " ".join(_messages(error))
    for parts, sentence in ((_FULL, FULL), (_READ_ONLY, READ_ONLY), (_BUSY, BUSY)):
        if any(part in words for part in parts):
            return Unavailable(sentence)
    return Unavailable() if names & _UNUSABLE else None
