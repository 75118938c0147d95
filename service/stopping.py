"""Ending in good order: asked to stop, a server lets nobody in any more and answers whoever has asked.

Waitress by itself stops its threads where they are, and breaks off with everybody who still waits for one.
"""

import signal
import time
from typing import Any, Final

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer
from waitress.task import WSGITask

_PATIENCE: Final = 15.0
"""Seconds that those who have asked are answered for; whoever ends the process at last must be more patient."""
_QUIET: Final = 0.3
"""Seconds without a word: whoever was let in a moment ago has said what he wants by then."""
_LOOK: Final = 0.05


class LastWord(WSGITask):
    """An answer that says, once the door is shut, that it is the last one on its line."""

    def build_response_header(self) -> Any:
        if not self.channel.server.accepting:
            self.set_close_on_finish()
        return super().build_response_header()


class Serving:
    """Serves on what a server of waitress has in its map, until SIGTERM or Ctrl-C; heeds both from now on."""

    def __init__(self, server: Any, sockets: dict[int, Any]) -> None:
        self._server, self._sockets, self._asked = server, sockets, False
        self._listeners = [each for each in sockets.values() if isinstance(each, BaseWSGIServer)]
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def run(self) -> None:
        """Serve until asked to stop, and then whoever is inside; a second signal is obeyed at once."""
        while not self._asked:
            self._look(1.0)
        for listener in self._listeners:
            _shut(listener)
        self._answer_the_rest()
        self._server.task_dispatcher.shutdown()
        wasyncore.close_all(self._sockets, ignore_all=True)

    def _ask(self, *_: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self._listeners[0].pull_trigger()  # it may be waiting for guests

    def _look(self, seconds: float) -> None:
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._sockets, count=1)

    def _answer_the_rest(self) -> None:
        end = time.monotonic() + _PATIENCE
        quiet = time.monotonic() + _QUIET
        while time.monotonic() < min(quiet, end):
            self._look(_LOOK)
            if any(_is_owed_an_answer(each) for each in self._sockets.values() if isinstance(each, HTTPChannel)):
                quiet = time.monotonic() + _QUIET


def _is_owed_an_answer(channel: Any) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)


def _shut(listener: Any) -> None:
    """Let in whoever stands at the door already, and nobody after them."""
    inside = -1
    while len(listener.active_channels) != inside:
        inside = len(listener.active_channels)
        listener.handle_accept()
    # Not its own `close`: that takes away what the threads wake the loop up with.
    wasyncore.dispatcher.close(listener)
