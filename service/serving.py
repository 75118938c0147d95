"""Serving the application from one process, as `make run` does."""

import time

import waitress

from service.app import create_app, open_office
from service.routes.mailbox import mailbox_allowed
from service.settings import Settings

THREADS = 8


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until somebody stops it."""
    office = open_office(settings, time.time)
    app = create_app(office, mailbox=mailbox_allowed(settings, host))
    print(f"Marrakech by Mail is open at http://{host}:{port}", flush=True)  # noqa: T201 - the host waits for this line
    waitress.serve(app, host=host, port=port, threads=THREADS, ident=None, _quiet=True)
