"""A turn: `act` for any game, `move`, `place` and `turn` for Marrakech, and `resign`."""

from gettext import gettext as say
from typing import Annotated

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption, complete_choice
from cli.session import TurnSession
from cli.text import one_line

app = typer.Typer()


@app.command(epilog="Example: marrakech-cli act left")
def act(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORDS",
            help="Your choice as the game lists it, such as left, d5-e5 or 7; asked for where it is left out.",
            autocompletion=complete_choice,
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Choose in any game, in the words of a reply to a letter."""
    _choose(CliContext(game, server, json, verbose), " ".join(words or ()))


@app.command(epilog="Example: marrakech-cli move --dir left --place d5-e5")
def move(
    direction: Annotated[
        str | None,
        typer.Option(
            "--dir",
            "-d",
            metavar="DIRECTION",
            help="left, ahead or right (l, a, r, straight), or a wind such as north; asked for where it is left out.",
            autocompletion=complete_choice,
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--place",
            "-p",
            metavar="PLACE",
            help="Where to lay the rug then: two squares such as d5-e5, or the number of a place.",
            autocompletion=complete_choice,
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
    session.check_turn()
    given = [direction, place]
    if session.view["options"].get("variant") == "rotate-after":
        given.reverse()
    turn = session.view["turn"]
    try:
        for words in filter(None, given):
            if session.my_turn and session.view["turn"] == turn:
                session.act(words)
        if not any(given):
            session.show()
        while session.my_turn and session.view["turn"] == turn and session.output.interactive:
            session.ask()
    finally:
        # The roll has happened even if the place is refused afterwards.
        if session.events:
            session.result()
    if not session.events:
        raise session.nothing_chosen()


@app.command(epilog="Example: marrakech-cli place d5-e5")
def place(
    place: Annotated[
        str | None,
        typer.Argument(
            help="Two squares such as d5-e5, or the number of a place on the board.", autocompletion=complete_choice
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Lay your rug, after Assam has walked."""
    _choose(CliContext(game, server, json, verbose), place)


@app.command(epilog="Example: marrakech-cli turn left")
def turn(
    direction: Annotated[
        str | None, typer.Argument(help="left or right, or a wind such as north.", autocompletion=complete_choice)
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Turn Assam, in the variant rotate-after."""
    _choose(CliContext(game, server, json, verbose), direction)


def _choose(ctx: CliContext, words: str | None) -> None:
    """Send one choice; without words, ask for it in a terminal."""
    session = TurnSession(ctx)
    session.check_turn()
    if words:
        session.act(words)
    else:
        session.show()
        if not ctx.output.interactive:
            raise session.nothing_chosen()
        session.ask()
    session.result()


@app.command(epilog="Example: marrakech-cli resign --yes")
def resign(
    sure: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether you are sure.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Leave a game for good; asks first."""
    ctx = CliContext(game, server, json, verbose)
    session = TurnSession(ctx)
    if session.view["status"] != "playing":
        session.check_turn()
    if not sure:
        if not ctx.output.interactive:
            raise UsageError(say("Resigning cannot be taken back; say that you are sure with --yes."))
        if not prompts.confirm(say("Leave %(name)s for good?") % {"name": one_line(session.view["name"], 48)}):
            raise UsageError(say("You stay in the game."))
    session.act("resign")
    session.result()
