"""The host's commands about mail: whether it works, what lies in the outbox, and the worker as a process."""

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
OpenOffice = Callable[[], AbstractContextManager[AppContext]]


class Status(StrEnum):
    """What can have become of a letter."""

    waiting = WAITING
    sent = SENT
    parked = PARKED
    dropped = DROPPED
    kept = KEPT


def check_mail(ctx: AppContext, letter_to: str | None) -> tuple[bool, str]:
    """Whether mail works, and the same in words."""
    if not ctx.settings.smtp_url:
        return letter_to is None, "is not sent: SMTP_URL is empty, so letters stay on the mailbox page"
    try:
        address = None if letter_to is None else read_address(letter_to, "--letter-to")
        selftest(ctx, address)
    except BadRequest as problem:
        return False, problem.detail
    except (NoConnection, Refused) as trouble:
        return False, f"does not work: {trouble}"
    server = server_at(ctx.settings.smtp_url).name
    return True, f"good: {server} answers" if address is None else f"good: {server} has taken a letter to {address}"


def mail_commands(program: typer.Typer, create_context: OpenOffice) -> None:
    """Add the commands to the host's program."""

    @program.command()
    def worker() -> None:
        """Send letters and watch the clocks until stopped; any number of these may run beside `run`.

        Example: MARRAKECH_WORKER=off marrakech-server run & marrakech-server worker
        """
        with create_context() as ctx:
            configure_logging()
            typer.echo("The worker is at work.")
            work_until_signalled(ctx)

    program.add_typer(_letters(create_context), name="letters")


def _letters(create_context: OpenOffice) -> typer.Typer:
    letters = typer.Typer()

    @letters.callback(invoke_without_command=True)
    def listed(
        context: typer.Context,
        status: Annotated[
            Status | None, typer.Option(help="Only such letters; left out: those waiting and those parked.")
        ] = None,
    ) -> None:
        """List the newest letters in the outbox with their troubles, send one again, or drop it.

        Example: marrakech-server letters --status parked
        """
        if context.invoked_subcommand is None:
            with create_context() as ctx:
                _list(ctx, [status] if status else [Status.waiting, Status.parked])

    @letters.command()
    def retry(
        letter: Annotated[int | None, typer.Argument(min=1, max=LONGEST_ID, help="The letter's number.")] = None,
        all_parked: Annotated[bool, typer.Option("--all-parked", help="Every letter that is parked.")] = False,
    ) -> None:
        """Send a letter that was not sent, or all that are parked, at once and as if for the first time.

        Example: marrakech-server letters retry --all-parked
        """
        if (letter is None) != all_parked:
            raise typer.BadParameter("give either the number of a letter or --all-parked")
        with create_context() as ctx:
            if letter is None:
                again = retry_parked(ctx.database, ctx.clock())
            else:
                again = int(retry_letter(ctx.database, letter, ctx.clock()))
        if letter is not None and not again:
            fail(f"There is no letter {letter} that was not sent; `marrakech-server letters` lists them.")
        typer.echo("1 letter is due again." if again == 1 else f"{again} letters are due again.")

    @letters.command()
    def drop(letter: Annotated[int, typer.Argument(min=1, max=LONGEST_ID, help="The letter's number.")]) -> None:
        """Drop a letter that was not sent, so that it never will be.

        Example: marrakech-server letters drop 17
        """
        with create_context() as ctx:
            dropped = drop_letter(ctx.database, letter)
        if not dropped:
            fail(f"There is no letter {letter} that waits or is parked; `marrakech-server letters` lists them.")
        typer.echo(f"Letter {letter} is dropped.")

    return letters


def _list(ctx: AppContext, statuses: list[Status]) -> None:
    found = list_letters(ctx.database, statuses, MOST_LISTED + 1)
    if not found:
        typer.echo(f"No letter is {' or '.join(statuses)}.")
    for letter in found[:MOST_LISTED]:
        typer.echo(_line(letter))
    if len(found) > MOST_LISTED:
        typer.echo(f"These are the newest {MOST_LISTED}; there are more.")


def _line(letter: Any) -> str:
    tries = "1 try  " if letter.tries == 1 else f"{letter.tries} tries"
    posted = Reader().format_time(letter.created)
    address = f"{letter.address} (notification)" if letter.channel else letter.address
    line = f"{letter.id:>6}  {letter.status:<8} {letter.kind:<10} {posted}  {tries}  {address}"
    return f"{line}  {letter.trouble}" if letter.trouble else line
