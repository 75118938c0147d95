"""Looking at a game: `show`, `log`, `replay`, `record` and `open`."""

import json as jsonlib
import time
import webbrowser
from gettext import gettext as say
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import CliError, Refused, UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.output import Line
from cli.replay import steps_of, view_after
from cli.story import told, told_together
from cli.table_text import place_lines, table_lines
from cli.text import seat_names

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
    if after is not None:
        if after > view["head"]:
            raise UsageError(say("This game has only %(head)s events so far.") % view)
        view = view_after(view, api.events(), after)
    path = view["last_roll"]["path"] if view["last_roll"] and view["status"] == "playing" else ()
    ctx.output.result(view, lambda: [*table_lines(view, ctx.output, path), *place_lines(view, ctx.output.width)])


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
    """Tell what happened, a line for each event.

    With --follow and --json together each event is an object on a line of its own.
    """
    ctx = CliContext(game, server, json, verbose)
    api = ctx.current_game()
    names, events = seat_names(api.view()["seats"]), api.events(after)
    if not follow:
        ctx.output.result({"id": api.id, "events": events}, lambda: [_line(event, names) for event in events])
        return
    while True:
        for event in events:
            ctx.output.result(event, lambda event=event: [_line(event, names)])  # type: ignore[misc]
            after = event["seq"]
            if event["type"] == "finished":
                return
        time.sleep(_FOLLOW_SECONDS)
        events = api.events(after) if api.view()["head"] > after else []


def _line(event: dict[str, Any], names: list[str]) -> str:
    return f"{event['seq']:>4}  {event['at'][:16].replace('T', ' ')}  {told(event, names)}"


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
    steps = _Steps(ctx)
    if json:
        ctx.output.result(steps.to_json(), list)
    elif ctx.output.interactive and speed is None:
        _replay_by_keys(ctx, steps)
    else:
        _replay_all(ctx, steps, speed or 0.0)


class _Steps:
    """All the steps of a game, each with the view after it."""

    def __init__(self, ctx: CliContext) -> None:
        game = ctx.current_game()
        self._output, self._view, self._events = ctx.output, game.view(), game.events()
        self.steps = steps_of(self._events)
        if not self.steps:
            raise Refused(say("Nothing has happened in this game yet; it starts when every seat is taken."))

    def lines(self, number: int) -> list[Line]:
        step, view = self.steps[number], self._after(number)
        walked = [event["path"] for event in step if event["type"] == "moved"]
        title = say("Step %(number)s of %(all)s") % {"number": number + 1, "all": len(self.steps)}
        story = told_together(step, seat_names(view["seats"]))
        return [*table_lines(view, self._output, walked[-1] if walked else ()), "", f"{title}: {' '.join(story)}"]

    def to_json(self) -> dict[str, Any]:
        names = seat_names(self._view["seats"])
        steps = []
        for number, step in enumerate(self.steps):
            view = self._after(number)
            position = {key: view[key] for key in ("turn", "assam", "board", "seats")}
            steps.append({"after": view["head"], "told": told_together(step, names), **position})
        return {"id": self._view["id"], "steps": steps}

    def _after(self, number: int) -> dict[str, Any]:
        return view_after(self._view, self._events, self.steps[number][-1]["seq"])


def _replay_all(ctx: CliContext, steps: _Steps, speed: float) -> None:
    for number in range(len(steps.steps)):
        if number and speed:
            time.sleep(speed)
            ctx.output.clear()
        ctx.output.show(lambda number=number: [*steps.lines(number), ""])  # type: ignore[misc]


def _replay_by_keys(ctx: CliContext, steps: _Steps) -> None:
    number, last = 0, len(steps.steps) - 1
    hint = say("(arrow keys: on and back, g and G: first and last, q: end)")
    with prompts.single_keys() as read_key:
        while True:
            drawn = [*steps.lines(number), hint]
            ctx.output.clear()
            ctx.output.show(lambda drawn=drawn: drawn)  # type: ignore[misc]
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
    """Fetch the record of a game: everything that happened, and the seed of the dice once it is over."""
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
    """Open the game in your browser: your seat where you hold a link, and else the onlooker's page."""
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
