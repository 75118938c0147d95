"""Commits that several share: one thread gathers what many want to write, and the disk keeps all of it at once.

Nobody is told that his part is done before it is on disk, and a part that is refused takes nothing else with it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from peewee import __exception_wrapper__  # type: ignore[attr-defined]

BUSY_SECONDS: Final = 10
"""So long whoever wants to write waits for those who do."""
as_peewee_says_it: Final[Any] = __exception_wrapper__
"""Within it the drivers' errors become peewee's, the same on both databases."""


class Spoiled(Exception):
    """A gathering in which the database has failed somebody; nothing of it was kept, and each may try alone."""


class _Gathering(threading.local):
    """Whether this thread gathers, and whether that is spoiled already."""

    on = False
    spoiled = False


class Sharing:
    """What our databases have in common; to be mixed into one of peewee's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._gathering = _Gathering()
        super().__init__(*args, **kwargs)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """All that this thread writes within is on disk at its end; or it raises, and nothing of it was ever there."""
        database: Any = self
        database.connect(reuse_if_open=True)
        mine = self._gathering
        mine.on, mine.spoiled = True, False
        try:
            with database.atomic():
                yield
                # A database may have given the transaction up by itself, and would commit nothing then without a word.
                if mine.spoiled or not self._is_sound():
                    raise Spoiled
        finally:
            mine.on = False
            if mine.spoiled or not database.is_connection_usable():
                database.close()  # so that those who try alone have a new one

    def is_gathering(self) -> bool:
        """Whether this thread does."""
        return self._gathering.on

    def close(self) -> bool:
        """Hang up. Within a gathering that spoils it: whoever wants this has no trust in the connection any more."""
        if self.is_gathering():
            self._gathering.spoiled = True
            return False
        closed: bool = super().close()  # type: ignore[misc]
        return closed

    def _is_sound(self) -> bool:
        """Whether the transaction that was begun is still on."""
        raise NotImplementedError
