"""What to say when the database cannot be used: full, read-only, busy or away. Nothing was changed then."""

from collections.abc import Iterator
from typing import Final

from service.errors import Problem, Unavailable
from service.i18n import marked

# Errors of the drivers come wrapped by peewee or as they are, and PostgreSQL's driver may not be there; all have the
# names that Python's standard for databases gives them.
_AWAY: Final = {"OperationalError", "InterfaceError"}
_MAYBE: Final = {"InternalError"}
_FULL: Final = ("database or disk is full", "no space left on device", "could not extend file", "disk i/o error")
_READ_ONLY: Final = ("readonly database", "read-only transaction", "unable to open database file")
_BUSY: Final = ("database is locked", "lock timeout", "deadlock detected")

FULL: Final = marked("The server's disk is full, so nothing was changed; tell its host, and try again later.")
READ_ONLY: Final = marked(
    "The server may not write to its database, so nothing was changed; tell its host, and try again later."
)
BUSY: Final = marked("The server has too much to do just now, so nothing was changed; try again in a minute.")


def _words(error: BaseException | None) -> Iterator[str]:
    """What the database has said, first and last: a rollback that fails hides why there had to be one."""
    while error is not None:
        yield str(error).lower()
        error = error.__context__


def database_problem(error: Exception) -> Problem | None:
    """The problem to answer with, where it was the database that failed."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if not names & (_AWAY | _MAYBE):
        return None
    words = " ".join(_words(error))
    for parts, sentence in ((_FULL, FULL), (_READ_ONLY, READ_ONLY), (_BUSY, BUSY)):
        if any(part in words for part in parts):
            return Unavailable(sentence)
    return Unavailable() if names & _AWAY else None
