"""Serving the application: one waitress process with the worker inside, or one of several gunicorn processes."""

import errno
import logging
import os
import signal
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from flask import Flask
from peewee import OperationalError
from waitress import serve as run_waitress

from service.app import create_app, create_context
from service.config import DEFAULT_BASE_URL, PREFIX, Settings, load_settings
from service.context import AppContext
from service.games.vapid import load_vapid_key
from service.mail.smtp import server_at
from service.routes.pages.mailbox import mailbox_allowed, mailbox_path
from service.worker import start_embedded

WAITRESS_SETTINGS: Final[dict[str, Any]] = {
    "threads": 8,
    # An idle connection is closed after 30 seconds; `_listen` has the same for clients that don't read.
    "channel_timeout": 30,
    "cleanup_interval": 10,
    "connection_limit": 500,
    # Waitress answers every request of one read before it reads on, and a thread waits while a client leaves more than
    # 16 MB of responses unread. Two dozen short requests stay far below.
    "recv_bytes": 1024,
    # select() can't watch more than 1,024 files.
    "asyncore_use_poll": True,
    # More than the application takes, so that most senders get its own error message.
    "max_request_body_size": 1024 * 1024,
    "max_request_header_size": 32 * 1024,
    "ident": None,
    # The mailbox page and the metrics check for forwarding headers; the setting PROXIES says which ones to trust.
    "clear_untrusted_proxy_headers": False,
}


class CannotListen(Exception):
    """The port is in use, or the address doesn't belong to this machine."""


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until SIGTERM or Ctrl-C; then waitress finishes running requests and the worker releases its letters."""
    if settings.base_url == DEFAULT_BASE_URL:
        # No address was configured, so links begin with the one that is served.
        settings = replace(settings, base_url=f"http://{host}:{port}")
    ctx = create_context(settings, time.time)
    load_vapid_key(ctx.database)
    has_mailbox = mailbox_allowed(settings, host)
    app = create_app(ctx, mailbox=has_mailbox)
    listening = _listen(host, port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # waitress shuts down on SystemExit
    # Waitress warns whenever requests wait for a thread; under load that would be every request.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    worker = start_embedded(ctx) if settings.worker == "embedded" else None
    print("\n".join(_greeting(settings, has_mailbox)), flush=True)  # noqa: T201 - for the person who started it
    try:
        run_waitress(app, sockets=[listening], **WAITRESS_SETTINGS)
    finally:
        if worker is not None:
            worker.end()


def _greeting(settings: Settings, has_mailbox: bool) -> list[str]:
    """Three lines: where the server runs, where e-mails go, and what to do next."""
    lines = [f"Marrakech by Mail is running at {settings.base_url}"]
    if has_mailbox:
        lines.append(f"E-mails appear in the mailbox at {settings.base_url}{mailbox_path(settings)}")
        lines.append("Open the first address and sign in: the code is in the mailbox. Press Ctrl-C to stop.")
    elif settings.smtp_url:
        lines.append(f"E-mails are sent through {server_at(settings.smtp_url).name}")
        lines.append("Run `marrakech-server check` to test your settings. Press Ctrl-C to stop.")
    else:
        lines.append(f"No e-mails are sent, because {PREFIX}SMTP_URL is empty.")
        lines.append("Set it to your mail server, then start again. Press Ctrl-C to stop.")
    return lines


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, ValueError) as error:
        raise CannotListen(_cannot_listen(host, port, error)) from None
    if sys.platform == "linux":
        # Waitress can't close a connection while its client doesn't read; with this option, which connections inherit,
        # the system does.
        milliseconds = WAITRESS_SETTINGS["channel_timeout"] * 1000
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
    return listening


def _cannot_listen(host: str, port: int, error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else port - 1
        # make sets MAKELEVEL for the programs it starts.
        again = f"make run PORT={other}" if "MAKELEVEL" in os.environ else f"marrakech-server run --port {other}"
        return f"Port {port} is already in use. Try `{again}`."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"Can't listen on {host}:{port} ({reason}). Choose another address with --host and --port."


def application() -> Flask:
    """The application for gunicorn: `gunicorn 'service.server:application()'`. Workers run in other processes."""
    ctx = wait_for_context(load_settings(os.environ, Path.cwd()))
    load_vapid_key(ctx.database)
    return create_app(ctx)


def wait_for_context(settings: Settings, seconds: float = 20.0) -> AppContext:
    """Create the context, waiting for a PostgreSQL server that is being restarted.

    If a worker can't start, gunicorn stops all the others, too.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            return create_context(settings, time.time)
        except OperationalError:
            if settings.database_url.startswith("sqlite") or time.monotonic() > until:
                raise
            time.sleep(0.25)
