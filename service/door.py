"""The door of the house: waitress, set up for guests who are slow, silent or many."""

import logging
from typing import Any, Final

from flask import Flask
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server

from service.stopping import LastWord, Serving

THREADS: Final = 8
DOOR: Final = {
    # A guest who says nothing for long is shown out; one with a slow line is not.
    "channel_timeout": 30,
    "cleanup_interval": 10,
    # So many may stand at the door at once: only who has asked takes up a thread. One file for each, out of 1024.
    "connection_limit": 500,
    "asyncore_use_poll": True,
    # Larger than the application takes, so that most get its own sentence; what is larger still is not even read.
    "max_request_body_size": 1024 * 1024,
    "inbuf_overflow": 1024 * 1024,
    "max_request_header_size": 32 * 1024,
}
"""How waitress treats guests: its own settings would let a hundred idle ones keep everybody else out."""

_Channel: Final[Any] = HTTPChannel
"""Waitress has no types."""


class CannotListen(Exception):
    """The place is taken, or not of this machine."""


class Line(_Channel):  # type: ignore[misc]
    """The line to one guest.

    Whatever a thread writes it sends itself, and calls the main loop where something is left over. Waitress's own line
    has the main loop look again and again meanwhile whether it may send it instead, for half of all the time there is.
    """

    task_class = LastWord

    def writable(self) -> bool:
        """Whether the main loop has something to do: not while a thread is at it."""
        if self.will_close or self.close_when_flushed:
            return True
        if not self.total_outbufs_len or not self.outbuf_lock.acquire(blocking=False):
            return False
        self.outbuf_lock.release()
        return True


def open_door(app: Flask, host: str, port: int) -> Serving:
    """The server, which listens already; its `run` answers until somebody stops it."""
    # Waitress warns whenever requests wait for a thread; under load that is every request and helps nobody.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    # The mailbox and the metrics must see that a proxy has asked; whom to believe, PROXIES says.
    how = {"host": host, "port": port, "threads": THREADS, "ident": None, "clear_untrusted_proxy_headers": False}
    sockets: dict[int, Any] = {}
    try:
        server = create_server(app, map=sockets, **how, **DOOR)
    except (OSError, ValueError) as trouble:
        raise CannotListen(f"Nobody can be let in at {host}:{port} ({trouble})") from None
    for each in sockets.values():
        if isinstance(each, BaseWSGIServer):
            each.channel_class = Line
    return Serving(server, sockets)
