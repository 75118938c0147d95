"""Looking at a game: `show`, `log`, `replay`, `record` and `open`."""

import json as jsonlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import CliError, Refused, UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.output import Line, Output
from cli.table import CURSOR, board, find_seat, table_lines
from cli.text import sanitize, wrap_words

if TYPE_CHECKING:
    from cli.api import Game

app = typer.Typer()

_FOLLOW_SECONDS: Final = 3.0
_NARROW: Final = 60
"""In a narrower terminal, lines aren't indented."""
_PAGE: Final = 10
"""The steps that Page Up and Page Down skip in a replay."""


@app.command(epilog="Example: marrakech-cli show --after 12")
def show(
    after: Annotated[
        int | None, typer.Option("--after", metavar="N", min=0, help="Show the board after N events.")
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option("--seat", metavar="WHO", help="Show the board of a player: a name, or a seat's number from 0."),
    ] = None,
    everyone: Annotated[bool, typer.Option("--all", help="Show the boards of all players.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show the board, the standings and your choices."""
    if seat is not None and everyone:
        raise UsageError("Use either --seat or --all.")
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    view = api.view()
    if after is None and seat is None and not everyone:
        ctx.output.result(view, lambda: table_lines(api, view, ctx.output, hint=ctx.next_step(view)))
        return
    if after is not None and after > view["head"]:
        raise UsageError(f"This game has only {view['head']} events so far. Use --after with a smaller number.")
    wanted = None if seat is None else find_seat(view, seat)
    drawing = board(api, ctx.output, [CURSOR], after, wanted)
    shown = {"id": api.id, "after": view["head"] if after is None else after, "seat": wanted, "board": drawing.text}
    ctx.output.result(shown, lambda: [drawing])


@app.command(epilog="Example: marrakech-cli log --follow")
def log(
    after: Annotated[int, typer.Option("--after", metavar="N", min=0, help="Skip the first N events.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep showing news until the game is over.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show what happened in a game."""
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    if json and not follow:
        ctx.output.result({"id": api.id, "events": api.events(after)}, list)
        return
    while True:
        view = api.view()
        if view["head"] > after:
            after = _print_events(ctx, api, after) if json else _print_sentences(ctx, api, after)
        if view["status"] == "finished" or not follow:
            return
        time.sleep(_FOLLOW_SECONDS)


def _print_events(ctx: CliContext, api: "Game", after: int) -> int:
    """Print the events after this one as JSON, and return the number of the last."""
    for event in api.events(after):
        ctx.output.result(event, list)
        after = event["seq"]
    return after


def _print_sentences(ctx: CliContext, api: "Game", after: int) -> int:
    """Print what happened after this event in sentences, and return the number of the last event told."""
    story = api.story(after)
    times = {event["seq"]: event["at"][:16].replace("T", " ") for event in api.events(after)}
    ctx.output.show(
        lambda: [
            line
            for each in story
            for line in _indented(f"{each['seq']:>4}  {times[each['seq']]}  ", each["text"], ctx.output)
        ]
    )
    return max((each["seq"] for each in story), default=after)


def _indented(before: str, text: str, output: Output) -> list[str]:
    """The text after these words; in a terminal, its other lines begin in the same column."""
    if output.height is None or output.width < _NARROW:
        return [before + text]
    first, *more = wrap_words(sanitize(text), output.width - len(before))
    return [before + first, *(" " * len(before) + line for line in more)]


@app.command(epilog="Example: marrakech-cli replay --speed 1")
def replay(
    speed: Annotated[
        float | None,
        typer.Option("--speed", metavar="SECONDS", min=0, max=60, help="Show the next step after this time."),
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Step through a game with the arrow keys."""
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    story = api.story()
    if not story:
        raise Refused("This game hasn't started yet. It starts when every seat is taken.")
    if json:
        steps = [{"after": sentence["seq"], "text": sentence["text"]} for sentence in story]
        ctx.output.result({"id": api.id, "steps": steps}, list)
    elif ctx.output.interactive and speed is None:
        _replay_by_keys(ctx, story)
    else:
        _replay_all(ctx, story, speed or 0.0)


def _step_lines(ctx: CliContext, story: list[dict[str, Any]], number: int, hint: str = "") -> list[Line]:
    """The board after one sentence of the story, the sentence, and the keys."""
    below = [f"Step {number + 1} of {len(story)}: {story[number]['text']}", *([hint] if hint else [])]
    return [board(ctx.current_game(), ctx.output, [*below, CURSOR], after=story[number]["seq"]), *below]


def _replay_all(ctx: CliContext, story: list[dict[str, Any]], speed: float) -> None:
    for number in range(len(story)):
        if number and speed:
            time.sleep(speed)
            ctx.output.clear()
        ctx.output.show(lambda number=number: _step_lines(ctx, story, number))  # type: ignore[misc]


def _replay_by_keys(ctx: CliContext, story: list[dict[str, Any]]) -> None:
    number, last = 0, len(story) - 1
    hints = {0: "Right arrow: next, G: last, q: quit", last: "Left arrow: back, g: first, q: quit"}
    usual = f"Arrows: next and back, Page Up and Down: {_PAGE} steps, g: first, G: last, q: quit"
    with prompts.single_keys() as read_key:
        while True:
            lines = _step_lines(ctx, story, number, hints.get(number, usual))
            ctx.output.clear()
            ctx.output.show(lambda lines=lines: lines)  # type: ignore[misc]
            match prompts.read_step(read_key):
                case "next":
                    number = min(last, number + 1)
                case "back":
                    number = max(0, number - 1)
                case "page down":
                    number = min(last, number + _PAGE)
                case "page up":
                    number = max(0, number - _PAGE)
                case "first":
                    number = 0
                case "last":
                    number = last
                case "quit":
                    return


@app.command(epilog="Example: marrakech-cli record --text --output friday.txt")
def record(
    text: Annotated[bool, typer.Option("--text", help="Readable text instead of JSON.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save it in this file.")] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Print or save the record of a game."""
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    written = api.record_text() if text else jsonlib.dumps(api.record(), ensure_ascii=False, indent=1) + "\n"
    if output is None or str(output) == "-":
        value = {"id": api.id, "text": written} if text else jsonlib.loads(written)
        ctx.output.result(value, lambda: written.removesuffix("\n").split("\n"))
        return
    try:
        output.write_text(written, encoding="utf-8")
    except OSError as error:
        raise CliError(f"Can't write {output} ({error.strerror}). Choose another file with --output.") from error
    ctx.output.result({"id": api.id, "file": str(output)}, lambda: [f"Saved the record in {output}."])


@app.command("open", epilog="Example: marrakech-cli open")
def open_in_browser(
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Open a game in your browser."""
    import webbrowser

    ctx = CliContext(game, server, json, verbose)
    public = f"{ctx.server}/g/{ctx.game_id}"
    link = ctx.link_for(ctx.game_id)
    # A seat's link goes only to the browser: anyone who sees it in the output could play with it.
    opened = webbrowser.open(f"{ctx.server}/{link}" if link else public)
    done = "Opened in your browser:" if opened else "No browser found. Open this link yourself:"
    ctx.output.result({"url": public, "opened": opened}, lambda: [f"{done} {public}"])
