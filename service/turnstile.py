"""A turnstile: of many threads with something to do only one is at work, and the others wait outside.

Python runs one thread at a time anyway, but lets another go on at every word with the database, thirty times for an
action, and going to and fro takes longer than the words.
"""

import threading
from types import TracebackType


class Turnstile:
    """Lets one thread in at a time, by `with`; only threads that mean to be short should ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = threading.local()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._thread.inside = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._thread.inside = False
        self._lock.release()

    def is_inside(self) -> bool:
        """Whether this thread is."""
        inside: bool = getattr(self._thread, "inside", False)
        return inside

    def step_out(self) -> None:
        """Let somebody else in while this thread waits; who is not inside stays where he is."""
        if self.is_inside():
            self.__exit__(None, None, None)

    def step_in(self, *, again: bool) -> None:
        """The same the other way round, for who was inside and is not now."""
        if again and not self.is_inside():
            self.__enter__()
