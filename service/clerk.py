"""Who serves those who have come in: waitress's threads one guest each, and one clerk everybody who acts in a game.

The clerk takes all actions that wait, one after the other, has the disk keep them with one commit, and only then sends
the answers. Threads that each take one would hand Python over to each other at every word with the database.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from queue import SimpleQueue
from typing import Any, Final, TypeAlias

from waitress.task import ThreadedTaskDispatcher

from service.commits import Spoiled
from service.logs import LOGGER, log_fault

Gathering: TypeAlias = Callable[[], AbstractContextManager[None]]
"""All that is written within it is kept at its end, or nothing is and it raises."""

_Dispatcher: Final[Any] = ThreadedTaskDispatcher
"""Waitress has no types."""
_MOST: Final = 8
"""So many are taken at once; the first of them waits for the last."""
_SHUT: Final = None


class Counter(_Dispatcher):  # type: ignore[misc]
    """The threads of a house whose actions can be gathered, and its clerk."""

    def __init__(self, threads: int, gathering: Gathering) -> None:
        super().__init__()
        self.set_thread_count(threads)
        self._gathering = gathering
        self._waiting: SimpleQueue[Any] = SimpleQueue()
        self._clerk = threading.Thread(target=self._work, name="clerk", daemon=True)
        self._clerk.start()

    def add_task(self, task: Any) -> None:
        """Have the next request on this line served."""
        if _is_action(task.requests[0]):
            self._waiting.put(task)
        else:
            super().add_task(task)

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """Serve whoever waits, and nobody after them."""
        self._waiting.put(_SHUT)
        self._clerk.join(timeout)
        done: bool = super().shutdown(cancel_pending, timeout)
        return done

    def _work(self) -> None:
        """What the clerk does all day."""
        while True:
            lines = [self._waiting.get()]
            while len(lines) < _MOST and not self._waiting.empty():
                lines.append(self._waiting.get())
            self._serve([line for line in lines if line is not _SHUT])
            if _SHUT in lines:
                return

    def _serve(self, lines: list[Any]) -> None:
        """Answer all of them, whatever happens: nobody else would."""
        if len(lines) > 1:
            # Two clerks of two processes must not each hold a game that the other waits for.
            lines.sort(key=lambda line: str(line.requests[0].path))
            self._draft(lines)
        for line in lines:
            try:
                line.service()
            except Exception as error:
                log_fault(error)

    def _draft(self, lines: list[Any]) -> None:
        """Have all of them answered and kept; where that fails nothing has happened, and each is answered alone."""
        try:
            with self._gathering():
                for line in lines:
                    if line.draft().status.startswith("5"):
                        raise Spoiled  # noqa: TRY301 - so that what the others have written is taken back
        except Exception as trouble:
            fields = {"actions": len(lines), "error": type(trouble).__qualname__}
            logging.getLogger(LOGGER).warning("actions are taken one by one", extra={"fields": fields})
            for line in lines:
                line.tear_up()


def _is_action(asked: Any) -> bool:
    """Whether a request, as waitress has read it, is one for the clerk."""
    path: str = asked.path
    return asked.command == "POST" and path.endswith("/actions") and path.startswith("/api/") and not asked.error
