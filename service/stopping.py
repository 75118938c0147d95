"""Ending in good order: asked to stop, a server lets nobody in any more and answers whoever has asked.

Waitress by itself stops its threads where they are, and breaks off with everybody who still waits for one.
"""

import signal
import time
from typing import Any, Final

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer

from service.barring import bar

_PATIENCE: Final = 15.0
"""Seconds that those who have asked are answered for; whoever ends the process at last must be more patient."""
_QUIET: Final = 0.3
"""Seconds without a word after which nobody is expected to say anything more."""
_FIRST_WORD: Final = 1.5
"""Seconds within which whoever has just been let in says what he wants; on a busy machine that takes a while."""
_LOOK: Final = 0.05


class Serving:
    """Serves on what a server of waitress has in its map."""

    def __init__(self, server: Any, sockets: dict[int, Any]) -> None:
        self._server, self._sockets, self._asked = server, sockets, False
        self.listeners = [each for each in sockets.values() if isinstance(each, BaseWSGIServer)]

    def run(self) -> None:
        """Serve alone until SIGTERM or Ctrl-C, and then whoever is inside; a second signal is obeyed at once."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)
        while not self._asked:
            self.look(1.0)
        for listener in self.listeners:
            bar(listener.socket)
        self.end()

    def end(self) -> None:
        """Let nobody in any more, and answer whoever is inside."""
        for listener in self.listeners:
            _shut(listener)
        self._answer_the_rest()
        self._server.task_dispatcher.shutdown()
        wasyncore.close_all(self._sockets, ignore_all=True)

    def _ask(self, *_: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self.wake()

    def wake(self) -> None:
        """End a look that waits for guests."""
        self.listeners[0].pull_trigger()

    def look(self, seconds: float) -> None:
        """See to guests for a moment, or wait for them for so long."""
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._sockets, count=1)

    def _answer_the_rest(self) -> None:
        end = time.monotonic() + _PATIENCE
        quiet = time.monotonic() + _QUIET
        while time.monotonic() < min(quiet, end):
            self.look(_LOOK)
            if any(_is_waited_for(each) for each in self._sockets.values() if isinstance(each, HTTPChannel)):
                quiet = time.monotonic() + _QUIET


def _is_waited_for(channel: Any) -> bool:
    """Whether somebody is owed an answer, or has not had the time to ask."""
    has_asked = bool(channel.requests or channel.total_outbufs_len)
    has_been_silent = channel.last_activity == channel.creation_time
    return has_asked or (has_been_silent and time.time() - channel.creation_time < _FIRST_WORD)


def _shut(listener: Any) -> None:
    """Let in whoever stands at the door already, and nobody after them."""
    inside = -1
    while len(listener.active_channels) != inside:
        inside = len(listener.active_channels)
        listener.handle_accept()
    # Not its own `close`: that takes away what the threads wake the loop up with.
    wasyncore.dispatcher.close(listener)
