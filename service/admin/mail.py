"""The commands about mail: testing it, listing the outbox, and the worker as a process."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from service.admin.context import fail
from service.auth.addresses import read_address
from service.context import AppContext
from service.db.letters import (
    DROPPED,
    KEPT,
    LONGEST_ID,
    PARKED,
    SENT,
    WAITING,
    drop_letter,
    list_letters,
    retry_letter,
    retry_parked,
)
from service.errors import BadRequest
from service.i18n import Reader
from service.logs import configure_logging
from service.mail.delivery import selftest
from service.mail.smtp import NoConnection, Refused, server_at
from service.worker import work_until_signalled

MOST_LISTED: Final = 100
OpenContext = Callable[[], AbstractContextManager[AppContext]]


class Status(StrEnum):
    """The statuses of a letter."""

    waiting = WAITING
    sent = SENT
    parked = PARKED
    dropped = DROPPED
    kept = KEPT


def check_mail(ctx: AppContext, letter_to: str | None) -> tuple[bool, str]:
    """Whether mail works, and the line that says so."""
    if not ctx.settings.smtp_url:
        return letter_to is None, "not sent, because SMTP_URL is empty: e-mails stay on the mailbox page"
    try:
        address = None if letter_to is None else read_address(letter_to, "--letter-to")
        selftest(ctx, address)
    except BadRequest as problem:
        return False, problem.detail
    except (NoConnection, Refused) as error:
        return False, f"doesn't work: {error}"
    server = server_at(ctx.settings.smtp_url).name
    return True, f"good: {server} answers" if address is None else f"good: {server} accepted an e-mail to {address}"


def mail_commands(program: typer.Typer, create_context: OpenContext) -> None:
    """Add the commands to `marrakech-server`."""

    @program.command()
    def worker() -> None:
        """Send e-mails and run the clocks until stopped. You can start several, next to `run`.

        Example: MARRAKECH_WORKER=off marrakech-server run & marrakech-server worker
        """
        with create_context() as ctx:
            configure_logging()
            typer.echo("The worker is running. Press Ctrl-C to stop.")
            work_until_signalled(ctx)

    program.add_typer(_letters(create_context), name="letters")


def _letters(create_context: OpenContext) -> typer.Typer:
    letters = typer.Typer()

    @letters.callback(invoke_without_command=True)
    def listed(
        context: typer.Context,
        status: Annotated[
            Status | None, typer.Option(help="Only e-mails with this status. Default: waiting and parked.")
        ] = None,
    ) -> None:
        """List the newest e-mails in the outbox and what went wrong with them.

        Example: marrakech-server letters --status parked
        """
        if context.invoked_subcommand is None:
            with create_context() as ctx:
                _list(ctx, [status] if status else [Status.waiting, Status.parked])

    @letters.command()
    def retry(
        letter: Annotated[int | None, typer.Argument(min=1, max=LONGEST_ID, help="The e-mail's number.")] = None,
        all_parked: Annotated[bool, typer.Option("--all-parked", help="All parked e-mails.")] = False,
    ) -> None:
        """Send an unsent e-mail now, or all parked ones.

        Example: marrakech-server letters retry --all-parked
        """
        if (letter is None) != all_parked:
            raise typer.BadParameter("Give either the number of an e-mail or --all-parked.")
        with create_context() as ctx:
            if letter is None:
                again = retry_parked(ctx.database, ctx.clock())
            else:
                again = int(retry_letter(ctx.database, letter, ctx.clock()))
        if letter is not None and not again:
            fail(f"E-mail {letter} doesn't exist or has been sent. `marrakech-server letters` lists the unsent ones.")
        typer.echo(f"{_count(again)} will be sent again." if again else "No e-mails to send again.")

    @letters.command()
    def drop(letter: Annotated[int, typer.Argument(min=1, max=LONGEST_ID, help="The e-mail's number.")]) -> None:
        """Drop an unsent e-mail, so that it's never sent.

        Example: marrakech-server letters drop 17
        """
        with create_context() as ctx:
            dropped = drop_letter(ctx.database, letter)
        if not dropped:
            fail(f"E-mail {letter} doesn't exist or isn't waiting. `marrakech-server letters` lists the unsent ones.")
        typer.echo(f"Dropped e-mail {letter}.")

    return letters


def _list(ctx: AppContext, statuses: list[Status]) -> None:
    found = list_letters(ctx.database, statuses, MOST_LISTED + 1)
    if not found:
        typer.echo(f"No {' or '.join(statuses)} e-mails.")
    for letter in found[:MOST_LISTED]:
        typer.echo(_line(letter))
    if len(found) > MOST_LISTED:
        typer.echo(f"These are the newest {MOST_LISTED}. There are more.")


def _count(letters: int) -> str:
    return "1 e-mail" if letters == 1 else f"{letters} e-mails"


def _line(letter: Any) -> str:
    tries = "1 try  " if letter.tries == 1 else f"{letter.tries} tries"
    posted = Reader().format_time(letter.created)
    address = f"{letter.address} (notification)" if letter.channel else letter.address
    line = f"{letter.id:>6}  {letter.status:<8} {letter.kind:<10} {posted}  {tries}  {address}"
    return f"{line}  {letter.trouble}" if letter.trouble else line
