"""A turn, step by step: `move`, `place`, `turn` and `resign`."""

from gettext import gettext as say
from typing import Annotated

import typer

from cli import prompts
from cli.choices import check_phase, check_turn, read_direction
from cli.context import CliContext
from cli.errors import Refused, UsageError
from cli.options import (
    DebugOption,
    GameOption,
    JsonOption,
    ServerOption,
    VerboseOption,
    complete_direction,
    complete_place,
    complete_turn,
)
from cli.table_text import next_step
from cli.text import one_line
from cli.turn_session import TurnSession

app = typer.Typer()


@app.command(epilog="Example: marrakech-cli move --dir left --place d5-e5")
def move(
    direction: Annotated[
        str | None,
        typer.Option(
            "--dir",
            "-d",
            metavar="DIRECTION",
            help="left, ahead or right (l, a, r, straight), or a wind such as north; asked for where it is left out.",
            autocompletion=complete_direction,
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--place",
            "-p",
            metavar="PLACE",
            help="Where to lay the rug then: two squares such as d5-e5, or the number of a place.",
            autocompletion=complete_place,
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Send Assam on his way, and lay a rug where he stops.

    Shows the roll, Assam's way and who paid what; the places for a rug are numbered on the board. In a terminal it asks
    for what is left out; otherwise it says what to type next. In the variant rotate-after the rug is laid first and the
    direction is the way in which Assam is turned. A connection that drops is tried again and can never roll twice.
    """
    session = TurnSession(CliContext(game, server, json, verbose))
    check_turn(session.view)
    _check_not_walked(session, direction)
    given = {"direction": direction, "rotation": direction, "placement": place}
    turn = session.view["turn"]
    try:
        if direction is None and place is None:
            session.show_table()
        while session.my_turn and session.view["turn"] == turn:
            if not session.choose(given.pop(session.view["phase"], None)):
                break
    finally:
        # The roll has happened even if the place is refused afterwards.
        if session.events:
            session.output.result(session.answer(), list)
    if not session.events:
        raise UsageError(say("Nothing was chosen. %(next)s.") % {"next": next_step(session.view)})


def _check_not_walked(session: TurnSession, direction: str | None) -> None:
    """Refuse a direction that comes too late: it may have been meant for another turn."""
    view = session.view
    if direction is not None and view["phase"] == "placement" and view["options"].get("variant") == "standard":
        raise Refused(say("Assam has walked in this turn already. %(next)s.") % {"next": next_step(view)})
    if direction is not None and view["phase"] == "direction":
        read_direction(direction, view)


@app.command(epilog="Example: marrakech-cli place d5-e5")
def place(
    place: Annotated[
        str | None,
        typer.Argument(
            help="Two squares such as d5-e5, or the number of a place on the board.", autocompletion=complete_place
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Lay your rug, after Assam has walked."""
    _one_step(CliContext(game, server, json, verbose), "placement", place)


@app.command(epilog="Example: marrakech-cli turn left")
def turn(
    direction: Annotated[
        str | None, typer.Argument(help="left or right, or a wind such as north.", autocompletion=complete_turn)
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Turn Assam at the end of your turn; in the variant rotate-after only."""
    _one_step(CliContext(game, server, json, verbose), "rotation", direction)


def _one_step(ctx: CliContext, phase: str, given: str | None) -> None:
    session = TurnSession(ctx)
    check_turn(session.view)
    check_phase(session.view, phase)
    if given is None:
        session.show_table()
    if not session.choose(given):
        raise UsageError(f"{next_step(session.view)}.")
    ctx.output.result(session.answer(), list)


@app.command(epilog="Example: marrakech-cli resign --yes")
def resign(
    sure: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether you are sure.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Leave the game for good; possible at any time, and it asks first."""
    ctx = CliContext(game, server, json, verbose)
    session = TurnSession(ctx)
    if session.view["status"] != "playing":
        check_turn(session.view)
    if not sure:
        if not ctx.output.interactive:
            raise UsageError(say("Resigning cannot be taken back; say that you are sure with --yes."))
        if not prompts.confirm(say("Leave %(name)s for good?") % {"name": one_line(session.view["name"], 48)}):
            raise UsageError(say("You stay in the game."))
    session.act({"type": "resign"})
    ctx.output.result(session.answer(), list)
