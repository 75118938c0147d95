"""Several processes at one door: whoever has just let a guest in leaves the next one to the others for a moment.

The more guests a process has, the longer it waits, so that all come to have about as many, and none needs to know of
the others. Otherwise one may get nearly all guests, and more work than it can do, while another has none.
"""

import math
import time
from collections.abc import Sequence
from typing import Any, Final

_FOR_EACH_GUEST: Final = 0.0005
_LONGEST: Final = 0.010


class Courtesy:
    """How the listeners of one process behave towards those of the others."""

    def __init__(self, listeners: Sequence[Any]) -> None:
        self._not_before = 0.0
        for listener in listeners:
            self._teach(listener)

    def _teach(self, listener: Any) -> None:
        """Have a listener of waitress's wait after each guest."""
        accept, is_readable, guests = listener.handle_accept, listener.readable, listener.active_channels

        def handle_accept() -> None:
            before = len(guests)
            accept()
            if len(guests) > before:
                self._not_before = time.monotonic() + min(_LONGEST, _FOR_EACH_GUEST * len(guests))

        def readable() -> bool:
            return bool(is_readable()) and self.seconds() == 0.0

        listener.handle_accept, listener.readable = handle_accept, readable

    def seconds(self) -> float:
        """For how long nobody is to be let in by this process, in whole milliseconds: nobody waits for less."""
        return max(0, math.ceil((self._not_before - time.monotonic()) * 1000)) / 1000
