"""The table's talk."""

from gettext import gettext as say
from typing import Annotated, Any

import typer

from cli.context import CliContext
from cli.errors import Usage
from cli.names import LONGEST, one_line
from cli.program import command


@command('marrakech-cli say "Well played!"')
def say_(
    desk: CliContext,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What to say; left out: read what was said.")
    ] = None,
) -> None:
    """Say something at the table, or read what was said; only for those who sit there."""
    play = desk.play()
    if words is None:
        lines = list(play.talk())
        desk.paper.put({"id": play.game, "messages": lines}, lambda: _read_out(lines))
        return
    text = " ".join(words).strip()
    if not text:
        raise Usage(say("There is nothing to say; put your words behind the command."))
    said = play.say(text)
    desk.paper.put(said, lambda: _read_out([said]))


def _read_out(lines: list[dict[str, Any]]) -> list[str]:
    if not lines:
        return [say("Nobody has said anything yet.")]
    out: list[str] = []
    for line in lines:
        name, when = one_line(line["name"], LONGEST), line["at"][:16].replace("T", " ")
        first, *more = line["text"].split("\n")
        out += [f"{when}  {name}: {first}", *(f"    {each}" for each in more)]
    return out
