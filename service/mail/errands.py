"""A letter on its way to the mail server, carried by a thread of its own while the next one is written."""

import threading
from collections.abc import Callable
from typing import Any


class Errand:
    """One letter that is being handed over; whoever sent it off asks later what came of it."""

    def __init__(self, letter: Any, carry: Callable[[], bool]) -> None:
        self.letter = letter
        self._carry = carry
        self._handed_over = False
        self._trouble: BaseException | None = None
        # A daemon, so that a mail server which never answers keeps nobody from ending the program.
        self._thread = threading.Thread(target=self._run, name="errand", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._handed_over = self._carry()
        except BaseException as trouble:
            self._trouble = trouble

    def wait(self) -> bool:
        """Whether the mail server has it; raises what the carrier raised."""
        self._thread.join()
        if self._trouble is not None:
            raise self._trouble
        return self._handed_over
