"""Serving the application: from one process with the worker inside, or as one of several behind gunicorn."""

import gc
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from flask import Flask
from peewee import OperationalError

from service.app import create_app
from service.config import DEFAULT_BASE_URL, Settings, load_settings
from service.context import AppContext, create_context
from service.door import open_door
from service.routes.pages.mailbox import mailbox_allowed
from service.worker import start_embedded

PATIENCE: Final = 20.0
"""For how many seconds a database may be away when one of several servers begins; gunicorn's own patience is 30."""
_BETWEEN_TRIES: Final = 0.25


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until somebody stops it."""
    if settings.base_url == DEFAULT_BASE_URL:
        # Nobody has said what links begin with: then with the address that is served.
        settings = replace(settings, base_url=f"http://{host}:{port}")
    ctx = create_context(settings, time.time)
    app = create_app(ctx, mailbox=mailbox_allowed(settings, host))
    _settle()
    door = open_door(app, host, port)
    worker = start_embedded(ctx) if settings.worker == "embedded" else None
    print(f"Marrakech by Mail is open at {settings.base_url}", flush=True)  # noqa: T201 - the host waits for this line
    try:
        # Asked to end, it answers what was asked and comes back; then the worker puts its letters back.
        door.run()
    finally:
        if worker is not None:
            worker.end()


def application() -> Flask:
    """The application for gunicorn: `gunicorn 'service.server:application()'`. Workers run beside it."""
    app = create_app(_opened_patiently(load_settings(os.environ, Path.cwd())))
    _settle()
    return app


def _opened_patiently(settings: Settings) -> AppContext:
    """The office, also where PostgreSQL is just being restarted: gunicorn ends for good when a worker cannot begin."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return create_context(settings, time.time)
        except OperationalError:
            if settings.database_url.startswith("sqlite") or time.monotonic() > until:
                raise
            time.sleep(_BETWEEN_TRIES)


def _settle() -> None:
    """What is loaded by now lives as long as the process: the garbage collector need not look at it ever again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
