"""Serving the application: from one process with the worker inside, or as one of several behind gunicorn."""

import gc
import logging
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from flask import Flask
from waitress import create_server
from waitress.channel import HTTPChannel

from service.app import create_app
from service.office import open_office
from service.routes.mailbox import mailbox_allowed
from service.settings import DEFAULT_BASE_URL, Settings, load_settings
from service.stopping import LastWord, Serving
from service.worker import start_embedded

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


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until somebody stops it."""
    if settings.base_url == DEFAULT_BASE_URL:
        # Nobody has said what links begin with: then with the address that is served.
        settings = replace(settings, base_url=f"http://{host}:{port}")
    office = open_office(settings, time.time)
    app = create_app(office, mailbox=mailbox_allowed(settings, host))
    _settle()
    door = _door(app, host, port)
    worker = start_embedded(office) if settings.worker == "embedded" else None
    # Waitress warns whenever requests wait for a thread; under load that is every request and helps nobody.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    print(f"Marrakech by Mail is open at {settings.base_url}", flush=True)  # noqa: T201 - the host waits for this line
    try:
        # Asked to end, it answers what was asked and comes back; then the worker puts its letters back.
        door.run()
    finally:
        if worker is not None:
            worker.end()


class CannotListen(Exception):
    """The place is taken, or not of this machine."""


class _Line(HTTPChannel):
    task_class = LastWord


def _door(app: Flask, host: str, port: int) -> Serving:
    """The server, which listens already."""
    # The mailbox and the metrics must see that a proxy has asked; whom to believe, PROXIES says.
    how = {"host": host, "port": port, "threads": THREADS, "ident": None, "clear_untrusted_proxy_headers": False}
    sockets: dict[int, Any] = {}
    try:
        server = create_server(app, map=sockets, **how, **DOOR)
    except (OSError, ValueError) as trouble:
        raise CannotListen(f"Nobody can be let in at {host}:{port} ({trouble})") from None
    for each in sockets.values():
        each.channel_class = _Line
    return Serving(server, sockets)


def application() -> Flask:
    """The application for gunicorn: `gunicorn 'service.serving:application()'`. Workers run beside it."""
    app = create_app(open_office(load_settings(os.environ, Path.cwd()), time.time))
    _settle()
    return app


def _settle() -> None:
    """What is loaded by now lives as long as the process: the garbage collector need not look at it ever again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
