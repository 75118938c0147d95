"""Taking a turn: `act` for any game, `move`, `place` and `turn` for Marrakech, and `resign`."""

from typing import Annotated

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption, complete_choice
from cli.session import TurnSession
from cli.text import one_line

app = typer.Typer()


@app.command(epilog='Example: marrakech-cli act left, or marrakech-cli act "weave m14-m13" 7')
def act(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORDS",
            help="Your choice, such as left, d5-e5 or keep star.",
            autocompletion=complete_choice,
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Play one of your choices, or several in this order, in any game.

    Quote a choice of several words if there are more. Nothing is played unless all of them are understood.
    """
    given = words or []
    separator = "\n" if any(" " in each.strip() for each in given) else " "
    _choose(CliContext(game, server, json, verbose), separator.join(given))


@app.command(epilog="Example: marrakech-cli move --dir left --place d5-e5")
def move(
    direction: Annotated[
        str | None,
        typer.Option(
            "--dir",
            "-d",
            metavar="DIRECTION",
            help="left, ahead or right, or north, east, south or west.",
            autocompletion=complete_choice,
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--place",
            "-p",
            metavar="PLACE",
            help="Where to lay your rug, such as d5-e5, or a place's number.",
            autocompletion=complete_choice,
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Take your turn: send Assam off, then lay your rug."""
    ctx = CliContext(game, server, json, verbose)
    session = TurnSession(ctx, asks=ctx.output.interactive)
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
            metavar="PLACE",
            help="Two squares such as d5-e5, or a place's number.",
            autocompletion=complete_choice,
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Lay your rug after Assam has moved."""
    _choose(CliContext(game, server, json, verbose), place)


@app.command(epilog="Example: marrakech-cli turn left")
def turn(
    direction: Annotated[
        str | None,
        typer.Argument(
            metavar="DIRECTION", help="left or right, or north, east, south or west.", autocompletion=complete_choice
        ),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Turn Assam at the end of your turn (variant rotate-after)."""
    _choose(CliContext(game, server, json, verbose), direction)


def _choose(ctx: CliContext, words: str | None) -> None:
    """Send one choice. Without words, ask for it in a terminal."""
    session = TurnSession(ctx, asks=not words and ctx.output.interactive)
    session.check_turn()
    if not words:
        session.show()
        if not ctx.output.interactive:
            raise session.nothing_chosen()
        session.asks = False
        session.ask()
    try:
        if words:
            session.act(words)
    finally:
        # The first of several choices may have been played even if another one is refused.
        if session.events:
            session.result()


@app.command(epilog="Example: marrakech-cli resign --yes")
def resign(
    sure: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Leave a game for good."""
    ctx = CliContext(game, server, json, verbose)
    session = TurnSession(ctx)
    if session.view["status"] != "playing":
        session.check_turn()
    if not sure:
        if not ctx.output.interactive:
            command = ctx.command_for("resign --yes", session.game.id)
            raise UsageError(f"You can't undo resigning. If you're sure, run: {command}")
        if not prompts.confirm(f'Resign from "{one_line(session.view["name"], 48)}"? You can\'t undo this.'):
            raise UsageError("You're still in the game.")
    session.act("resign")
    session.result()
