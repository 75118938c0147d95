"""Checking the dice of a finished game."""

import sys
from gettext import gettext as say
from pathlib import Path
from typing import Annotated

import typer

from cli.completing import games
from cli.context import CliContext
from cli.dice import Report, check_record
from cli.errors import DiceDiffer, Usage
from cli.names import names_of
from cli.program import command
from cli.reading import Record, read_record


@command("marrakech-cli verify friday.json", game=False)
def verify_(
    desk: CliContext,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME|FILE",
            help="A file with a record (JSON or text; - is standard input), or a game by its id or a link.",
            autocompletion=games,
        ),
    ] = None,
    commitment: Annotated[
        str | None, typer.Option("--commitment", help="The commitment as you noted it down before the game.")
    ] = None,
) -> None:
    """Check a finished game's dice: work every roll out again from the record alone.

    Says for each roll what it should have been, and checks the seed, the draw of who begins and the piles. A file is
    checked offline. Ends with exit code 3 where anything differs.
    """
    record = _record(desk, source)
    report = check_record(record, commitment)
    desk.paper.put(report.to_json(), lambda: _told(report, record))
    if not report.ok:
        wrong = sum(not roll.ok for roll in report.rolls) + sum(not check.ok for check in report.checks)
        raise DiceDiffer(
            say("%(count)s of the checks failed: these dice are not those that were promised.") % {"count": wrong}
        )


def _record(desk: CliContext, named: str | None) -> Record:
    """The record: of a file where there is one of this name, and else of a game."""
    if named == "-":
        return read_record(sys.stdin.read())
    if named is not None and Path(named).is_file():
        try:
            return read_record(Path(named).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as trouble:
            raise Usage(say("%(file)s cannot be read; name another file.") % {"file": named}) from trouble
    if named is not None and Path(named).suffix in {".json", ".txt"}:
        raise Usage(say("There is no file %(file)s here; check its name.") % {"file": named})
    record = desk.about(named).play().record() if named else desk.play().record()
    if record["format"] != "marrakech-record/1":
        raise desk.connection.other_version()
    return record


def _told(report: Report, record: Record) -> list[str]:
    lines = [f"{'ok ' if check.ok else 'NO '} {check.detail}" for check in report.checks]
    names = names_of(record["seats"])
    for roll in report.rolls:
        words = {"name": names[roll.seat], **roll._asdict()}
        if roll.ok:
            told = say("Roll %(roll)s (event %(seq)s): %(name)s rolled %(die)s, as it should be.")
        else:
            told = say("Roll %(roll)s (event %(seq)s): %(name)s rolled %(die)s, and it should have been %(expected)s.")
        lines.append(f"{'ok ' if roll.ok else 'NO '} {told % words}")
    if report.ok:
        lines.append(say("All %(count)s rolls are right.") % {"count": len(report.rolls)})
    return lines
