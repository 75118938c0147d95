"""The door of a server that is one process: asked to stop, it lets nobody in any more and answers whoever has asked.

Waitress by itself stops its threads where they are, and breaks off with everybody who still waits for one.
"""

import signal
import time
from typing import Any, Final

from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer
from waitress.task import WSGITask

_PATIENCE: Final = 15.0
"""Seconds that those who have asked are answered for; whoever ends the process at last must be more patient."""
_QUIET: Final = 0.3
"""Seconds without a word: whoever was let in a moment ago has said what he wants by then."""
_LOOK: Final = 0.05


class CannotListen(Exception):
    """The place is taken, or not of this machine."""


class _Task(WSGITask):
    """An answer that says, once the door is shut, that it is the last one on this line."""

    def build_response_header(self) -> Any:
        if not self.channel.server.accepting:
            self.set_close_on_finish()
        return super().build_response_header()


class _Channel(HTTPChannel):
    task_class = _Task

    @property
    def is_owed_an_answer(self) -> bool:
        return bool(self.requests or self.total_outbufs_len)


class Door:
    """Waitress, listening; `how` are its own settings."""

    def __init__(self, app: Any, **how: Any) -> None:
        self._sockets: dict[int, Any] = {}
        try:
            self._server = create_server(app, map=self._sockets, **how)
        except (OSError, ValueError) as trouble:
            raise CannotListen(f"Nobody can be let in at {how['host']}:{how['port']} ({trouble})") from None
        self._listeners = [each for each in self._sockets.values() if isinstance(each, BaseWSGIServer)]
        for listener in self._listeners:
            listener.channel_class = _Channel
        self._asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def serve(self) -> None:
        """Serve until SIGTERM or Ctrl-C, and then whoever is inside; a second signal is obeyed at once."""
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
            if any(channel.is_owed_an_answer for channel in self._sockets.values() if isinstance(channel, _Channel)):
                quiet = time.monotonic() + _QUIET


def _shut(listener: Any) -> None:
    """Let in whoever stands at the door already, and nobody after them."""
    inside = -1
    while len(listener.active_channels) != inside:
        inside = len(listener.active_channels)
        listener.handle_accept()
    # Not its own `close`: that takes away what the threads wake the loop up with.
    wasyncore.dispatcher.close(listener)
