"""The host's commands for replies by mail: `receive`, for a pipe from a mail server, and `listen`."""

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
from service.mail.inbound.handler import receive as deal_with
from service.mail.inbound.mime import LARGEST, tokens_in

inbound = typer.Typer()


class Exit(enum.IntEnum):
    """What mail servers understand, out of sysexits.h."""

    TOO_LARGE = 65
    NO_SUCH_ADDRESS = 67
    TRY_AGAIN = 75


@inbound.command()
def receive(
    to: Annotated[
        str | None, typer.Option(help="The address that the message was delivered to; without it, its headers say so.")
    ] = None,
) -> None:
    """Take one message on standard input, as a mail server pipes it, and play what it says.

    Exit codes for the mail server: 0 done or dropped, 65 too large, 67 not one of our addresses, 75 try again later.

    Example: marrakech-server receive --to play+TOKEN@reply.example.org < message.eml
    """
    raw = sys.stdin.buffer.read(LARGEST + 1)
    if len(raw) > LARGEST:
        fail(f"The message is larger than the {LARGEST // 1024} KiB that a reply may have.", Exit.TOO_LARGE)
    with _or_later(), _context() as ctx:
        outcome = deal_with(ctx, raw, to)
        ours = to is None or is_sender(ctx, to) or bool(tokens_in([to], ctx.settings.inbound_domain))
    if outcome.result is Result.UNKNOWN and not ours:
        fail("That is not one of the addresses to which players reply.", Exit.NO_SUCH_ADDRESS)
    typer.echo(outcome.result.value)


@inbound.command()
def listen(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 8025,
    lmtp: Annotated[bool, typer.Option("--lmtp", help="Speak LMTP, as Postfix and Dovecot can.")] = False,
) -> None:
    """Take replies by SMTP or LMTP, from the mail server that receives them for your domain.

    Example: marrakech-server listen --port 8025 --lmtp
    """

    def opened(taken: int) -> None:
        typer.echo(f"Replies are taken at {host}:{taken} by {'LMTP' if lmtp else 'SMTP'}")

    with _or_later(), _context() as ctx:
        smtpd.listen(ctx, host, port, lmtp, opened)


@contextmanager
def _context() -> Iterator[AppContext]:
    configure_logging()
    settings = load_settings(os.environ, Path.cwd())
    if not settings.inbound_domain:
        raise SettingsError(
            "MARRAKECH_INBOUND_DOMAIN is not set, so no letter asks for a reply; set it to the domain of the replies."
        )
    with open_context(settings) as ctx:
        yield ctx


@contextmanager
def _or_later() -> Iterator[None]:
    """What a host can put right makes the mail server keep the message and come again."""
    try:
        with report_errors(Exit.TRY_AGAIN):
            yield
    except typer.Exit:
        raise
    except OSError as problem:
        fail(f"That cannot be done: {problem.strerror or problem}.", Exit.TRY_AGAIN)
    except Exception as problem:
        log_error(problem)  # a mail server that is told nothing else sends the message back as undeliverable
        fail("Something went wrong here and has been noted.", Exit.TRY_AGAIN)
