"""The door of the house: waitress, set up for guests who are slow, silent or many."""

import logging
from collections.abc import Sequence
from socket import socket
from typing import Any, Final

from flask import Flask
from waitress.server import BaseWSGIServer, create_server

from service.clerk import Counter
from service.house import House
from service.line import Line
from service.stopping import Serving

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


class CannotListen(Exception):
    """The place is taken, or not of this machine."""


def open_door(app: Flask, host: str, port: int) -> Serving:
    """The server, which listens already; its `run` answers until somebody stops it."""
    try:
        return _open(app, THREADS, {"host": host, "port": port})
    except (OSError, ValueError) as trouble:
        raise CannotListen(f"Nobody can be let in at {host}:{port} ({trouble})") from None


def open_door_at(app: Flask, listening: Sequence[socket], threads: int) -> Serving:
    """The same where somebody else has seen to it that the house can be reached."""
    return _open(app, threads, {"sockets": list(listening)})


def _open(app: Flask, threads: int, where: dict[str, Any]) -> Serving:
    # Waitress warns whenever requests wait for a thread; under load that is every request and helps nobody.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    # The mailbox and the metrics must see that a proxy has asked; whom to believe, PROXIES says.
    how = {**where, "threads": threads, "ident": None, "clear_untrusted_proxy_headers": False}
    counter = Counter(threads, app.gathering) if isinstance(app, House) and app.gathering else None
    sockets: dict[int, Any] = {}
    server = create_server(app, map=sockets, _dispatcher=counter, **how, **DOOR)
    for each in sockets.values():
        if isinstance(each, BaseWSGIServer):
            each.channel_class = Line
    return Serving(server, sockets)
