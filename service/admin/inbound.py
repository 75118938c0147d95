"""The commands for replies by e-mail: `receive`, for a pipe from a mail server, and `listen`."""

import enum
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from service.admin.context import fail, open_context, report_errors
from service.config import load_settings
from service.config_values import SettingsError
from service.context import AppContext
from service.logs import configure_logging, log_error
from service.mail.inbound import smtpd
from service.mail.inbound.answers import Result
from service.mail.inbound.handler import is_sender
from service.mail.inbound.handler import receive as handle_message
from service.mail.inbound.mime import LARGEST, tokens_in

inbound = typer.Typer()


class Exit(enum.IntEnum):
    """Exit codes that mail servers understand, from sysexits.h."""

    TOO_LARGE = 65
    NO_SUCH_ADDRESS = 67
    TRY_AGAIN = 75


@inbound.command()
def receive(
    to: Annotated[
        str | None, typer.Option(help="The address the message was delivered to. Default: taken from its headers.")
    ] = None,
) -> None:
    """Read one e-mail from standard input, as piped by a mail server, and play what it says.

    Exit codes for the mail server: 0 done or dropped, 65 too large, 67 unknown address, 75 try again later.

    Example: marrakech-server receive --to play+TOKEN@reply.example.org < message.eml
    """
    raw = sys.stdin.buffer.read(LARGEST + 1)
    if len(raw) > LARGEST:
        fail(f"The message is too large. A reply can have up to {LARGEST // 1024} KiB.", Exit.TOO_LARGE)
    with _try_later(), _context() as ctx:
        outcome = handle_message(ctx, raw, to)
        ours = to is None or is_sender(ctx, to) or bool(tokens_in([to], ctx.settings.inbound_domain))
    if outcome.result is Result.UNKNOWN and not ours:
        fail("Unknown address. Players reply to the Reply-To address of an e-mail.", Exit.NO_SUCH_ADDRESS)
    typer.echo(outcome.result.value)


@inbound.command()
def listen(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on. 0: any free one.")] = 8025,
    lmtp: Annotated[bool, typer.Option("--lmtp", help="Use LMTP, which Postfix and Dovecot speak.")] = False,
) -> None:
    """Accept replies over SMTP or LMTP from the mail server of your domain.

    Example: marrakech-server listen --port 8025 --lmtp
    """

    def opened(open_port: int) -> None:
        typer.echo(f"Listening for replies on {host}:{open_port} ({'LMTP' if lmtp else 'SMTP'})")

    with _try_later(), _context() as ctx:
        smtpd.listen(ctx, host, port, lmtp, opened)


@contextmanager
def _context() -> Iterator[AppContext]:
    configure_logging()
    settings = load_settings(os.environ, Path.cwd())
    if not settings.inbound_domain:
        raise SettingsError(
            "MARRAKECH_INBOUND_DOMAIN is not set, so players can't reply. Set it to the domain of the reply addresses."
        )
    with open_context(settings) as ctx:
        yield ctx


@contextmanager
def _try_later() -> Iterator[None]:
    """Make the mail server keep the message and try again after an error that the server host can fix."""
    try:
        with report_errors(Exit.TRY_AGAIN):
            yield
    except typer.Exit:
        raise
    except OSError as problem:
        fail(f"Can't do that now: {problem.strerror or problem}.", Exit.TRY_AGAIN)
    except Exception as problem:
        log_error(problem)  # with any other exit code, the mail server would return the message as undeliverable
        fail("Something went wrong. The server's log says what.", Exit.TRY_AGAIN)
