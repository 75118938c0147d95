"""Serving the application: from one process with the worker inside, or as one of several behind gunicorn."""

import gc
import os
import time
from dataclasses import replace
from pathlib import Path

from flask import Flask

from service.app import create_app
from service.door import open_door
from service.office import open_office
from service.routes.mailbox import mailbox_allowed
from service.settings import DEFAULT_BASE_URL, Settings, load_settings
from service.worker import start_embedded


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until somebody stops it."""
    if settings.base_url == DEFAULT_BASE_URL:
        # Nobody has said what links begin with: then with the address that is served.
        settings = replace(settings, base_url=f"http://{host}:{port}")
    office = open_office(settings, time.time)
    app = create_app(office, mailbox=mailbox_allowed(settings, host))
    _settle()
    door = open_door(app, host, port)
    worker = start_embedded(office) if settings.worker == "embedded" else None
    print(f"Marrakech by Mail is open at {settings.base_url}", flush=True)  # noqa: T201 - the host waits for this line
    try:
        # Asked to end, it answers what was asked and comes back; then the worker puts its letters back.
        door.run()
    finally:
        if worker is not None:
            worker.end()


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
