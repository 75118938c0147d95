"""Looking at a game: `show`, `log`, `replay`, `record` and `open`."""

import json as jsonlib
import time
from gettext import gettext as say
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import CliError, Refused, UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.output import Line
from cli.table import CURSOR, board, table_lines

if TYPE_CHECKING:
    from cli.api import Game

app = typer.Typer()

_FOLLOW_SECONDS: Final = 3.0


@app.command(epilog="Example: marrakech-cli show --after 12")
def show(
    after: Annotated[int | None, typer.Option("--after", min=0, help="As it stood after so many events.")] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show the board, the standings, and what can be done."""
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    view = api.view()
    if after is None:
        ctx.output.result(view, lambda: table_lines(api, view, ctx.output, hint=ctx.next_step(view)))
        return
    if after > view["head"]:
        raise UsageError(say("This game has only %(head)s events so far.") % view)
    drawing = board(api, ctx.output, [CURSOR], after)
    ctx.output.result({"id": api.id, "after": after, "board": drawing.text}, lambda: [drawing])


@app.command(epilog="Example: marrakech-cli log --follow")
def log(
    after: Annotated[int, typer.Option("--after", min=0, help="Leave out the first so many events.")] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on as it happens, until the game is over or Ctrl-C.")
    ] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Tell what happened, a line for each turn.

    With --follow and --json together each event is an object on a line of its own.
    """
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    if not follow:
        events, lines = _read_log(api, after)
        ctx.output.result({"id": api.id, "events": events}, lambda: list(lines.values()))
        return
    while True:
        view = api.view()
        events, lines = _read_log(api, after) if view["head"] > after else ([], {})
        for event in events:
            after = event["seq"]
            line = [lines[after]] if after in lines else []
            ctx.output.result(event, lambda line=line: line)  # type: ignore[misc]
        if view["status"] == "finished":
            return
        time.sleep(_FOLLOW_SECONDS)


def _read_log(api: "Game", after: int) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """The events, and for the last event of each sentence a line with its number and time."""
    story = api.story(after)
    # What has happened since is left for the next time, so that every event is in a sentence.
    last = story[-1]["seq"] if story else after
    events = [event for event in api.events(after) if event["seq"] <= last]
    times = {event["seq"]: event["at"][:16].replace("T", " ") for event in events}
    lines = {told["seq"]: f"{told['seq']:>4}  {times[told['seq']]}  {told['text']}" for told in story}
    return events, lines


@app.command(epilog="Example: marrakech-cli replay --speed 1")
def replay(
    speed: Annotated[
        float | None, typer.Option("--speed", min=0, max=60, help="Go on by itself after so many seconds.")
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Look at a game step by step, with the arrow keys or by itself.

    Right, space or n goes on, left or p goes back, g and G go to the first and the last step, q ends. Outside of a
    terminal all steps are printed one after the other.
    """
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    story = api.story()
    if not story:
        raise Refused(say("Nothing has happened in this game yet; it starts when every seat is taken."))
    if json:
        steps = [{"after": sentence["seq"], "text": sentence["text"]} for sentence in story]
        ctx.output.result({"id": api.id, "steps": steps}, list)
    elif ctx.output.interactive and speed is None:
        _replay_by_keys(ctx, story)
    else:
        _replay_all(ctx, story, speed or 0.0)


def _step_lines(ctx: CliContext, story: list[dict[str, Any]], number: int, hint: str = "") -> list[Line]:
    """The board after a turn, what happened in it, and which keys there are."""
    words = {"number": number + 1, "all": len(story)}
    below = [f"{say('Step %(number)s of %(all)s') % words}: {story[number]['text']}", hint]
    return [board(ctx.current_game(), ctx.output, [*below, CURSOR], after=story[number]["seq"]), *below]


def _replay_all(ctx: CliContext, story: list[dict[str, Any]], speed: float) -> None:
    for number in range(len(story)):
        if number and speed:
            time.sleep(speed)
            ctx.output.clear()
        ctx.output.show(lambda number=number: _step_lines(ctx, story, number))  # type: ignore[misc]


def _replay_by_keys(ctx: CliContext, story: list[dict[str, Any]]) -> None:
    number, last = 0, len(story) - 1
    hints = {
        0: say("(right arrow: on, G: last, q: end)"),
        last: say("(left arrow: back, g: first, q: end)"),
    }
    usual = say("(arrow keys: on and back, g and G: first and last, q: end)")
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
                case "first":
                    number = 0
                case "last":
                    number = last
                case "quit":
                    return


@app.command(epilog="Example: marrakech-cli record --text --output friday.txt")
def record(
    text: Annotated[bool, typer.Option("--text", help="As text for reading aloud, not as JSON.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it into this file; - is standard output.")
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Fetch the record of a game: everything that happened.

    Once the game is over, the seed of the dice is in it.
    """
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
        sentence = say("%(path)s cannot be written (%(why)s); name another file with --output.")
        raise CliError(sentence % {"path": output, "why": error.strerror}) from error
    done = say("The record is in %(path)s.") % {"path": output}
    ctx.output.result({"id": api.id, "file": str(output)}, lambda: [done])


@app.command("open", epilog="Example: marrakech-cli open")
def open_in_browser(
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Open a game in your browser.

    If you have a link for your seat, it is used; otherwise the onlooker's page opens.
    """
    import webbrowser

    ctx = CliContext(game, server, json, verbose)
    public = f"{ctx.server}/g/{ctx.game_id}"
    link = ctx.link_for(ctx.game_id)
    # The link of a seat goes to the browser only: anyone who reads it in the output could play with it.
    opened = webbrowser.open(f"{ctx.server}/{link}" if link else public)
    done = (
        say("Opened in the browser: %(url)s")
        if opened
        else say("There is no browser here; open this yourself: %(url)s")
    )
    ctx.output.result({"url": public, "opened": opened}, lambda: [done % {"url": public}])
