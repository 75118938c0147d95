"""Looking at a game: how it stands or stood, what happened in it, and its record."""

import json
import time
from gettext import gettext as say
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.context import CliContext, check_drawn
from cli.errors import Trouble, Usage
from cli.names import names_of
from cli.program import command
from cli.story import told
from cli.table_text import place_lines, table_lines

_FOLLOW_SECONDS = 3.0


@command("marrakech-cli show --after 12")
def show_(
    desk: CliContext,
    after: Annotated[int | None, typer.Option("--after", min=0, help="As it stood after so many events.")] = None,
) -> None:
    """Show the board, the standings, and what can be done."""
    play = desk.play()
    view = check_drawn(play.view())
    if after is not None:
        from cli.replay import view_after  # noqa: PLC0415 - most looks are at the present

        if after > view["head"]:
            raise Usage(say("This game has only %(head)s events so far.") % view)
        view = view_after(view, play.events(), after)
    path = view["last_roll"]["path"] if view["last_roll"] and view["status"] == "playing" else ()
    desk.paper.put(view, lambda: [*table_lines(view, desk.paper, path), *place_lines(view, desk.paper.width)])


@command("marrakech-cli log --follow")
def log_(
    desk: CliContext,
    after: Annotated[int, typer.Option("--after", min=0, help="Leave out the first so many events.")] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on as it happens, until the game is over or Ctrl-C.")
    ] = False,
) -> None:
    """Tell what happened, a line for each event.

    With --follow and --json together each event is an object on a line of its own.
    """
    play = desk.play()
    view = check_drawn(play.view())
    names, events = names_of(view["seats"]), play.events(after)
    if not follow:
        desk.paper.put({"id": view["id"], "events": events}, lambda: [_line(event, names) for event in events])
        return
    while True:
        for event in events:
            desk.paper.put(event, lambda event=event: [_line(event, names)])  # type: ignore[misc]
            after = event["seq"]
            if event["type"] == "finished":
                return
        time.sleep(_FOLLOW_SECONDS)
        events = play.events(after) if play.view()["head"] > after else []


def _line(event: dict[str, Any], names: list[str]) -> str:
    return f"{event['seq']:>4}  {event['at'][:16].replace('T', ' ')}  {told(event, names)}"


@command("marrakech-cli record --text --output friday.txt")
def record_(
    desk: CliContext,
    text: Annotated[bool, typer.Option("--text", help="As text for reading aloud, not as JSON.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it into this file; - is standard output.")
    ] = None,
) -> None:
    """Fetch the record of a game: everything that happened, and the seed of the dice once it is over."""
    play = desk.play()
    written = play.record_text() if text else json.dumps(play.record(), ensure_ascii=False, indent=1) + "\n"
    if output is None or str(output) == "-":
        value = {"id": desk.game, "text": written} if text else json.loads(written)
        desk.paper.put(value, lambda: written.removesuffix("\n").split("\n"))
        return
    try:
        output.write_text(written, encoding="utf-8")
    except OSError as trouble:
        sentence = say("%(path)s cannot be written (%(why)s); name another file with --output.")
        raise Trouble(sentence % {"path": output, "why": trouble.strerror}) from trouble
    told_so = say("The record is in %(path)s.") % {"path": output}
    desk.paper.put({"id": desk.game, "file": str(output)}, lambda: [told_so])
