"""`verify` checks the dice of a finished game from its record alone."""

import sys
from gettext import gettext as say
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import CliContext
from cli.errors import DiceDiffer, UsageError
from cli.options import DebugOption, JsonOption, ServerOption, VerboseOption, complete_game
from cli.text import seat_names

if TYPE_CHECKING:
    from cli.dice import Report
    from cli.records import Record

app = typer.Typer()


@app.command(epilog="Example: marrakech-cli verify friday.json")
def verify(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME|FILE",
            help="A file with a record (JSON or text; - is standard input), or a game by its id or a link.",
            autocompletion=complete_game,
        ),
    ] = None,
    commitment: Annotated[
        str | None, typer.Option("--commitment", help="The commitment as you noted it down before the game.")
    ] = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Check a finished game's dice.

    Works every roll out again from the record alone and says what it should have been. Also checks the seed, the draw
    of who begins and the piles. A file is checked offline. Ends with exit code 3 where anything differs.
    """
    from cli.dice import check_record

    record = _read_file(source) or _fetch(CliContext(source, server, json, verbose, finished=True))
    report = check_record(record, commitment)
    CliContext(json=json).output.result(report.to_json(), lambda: _describe(report, record))
    if not report.ok:
        wrong = sum(not roll.ok for roll in report.rolls) + sum(not check.ok for check in report.checks)
        raise DiceDiffer(
            say("%(count)s of the checks failed: these dice are not those that were promised.") % {"count": wrong}
        )


def _read_file(named: str | None) -> "Record | None":
    """The record in the file of this name; None if it names a game."""
    from cli.records import read_record

    if named is None:
        return None
    if named == "-":
        return read_record(sys.stdin.read())
    if Path(named).is_file():
        try:
            return read_record(Path(named).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(say("%(file)s cannot be read; name another file.") % {"file": named}) from error
    if Path(named).suffix in {".json", ".txt"}:
        raise UsageError(say("There is no file %(file)s here; check its name.") % {"file": named})
    return None


def _fetch(ctx: CliContext) -> "Record":
    from cli.records import FORMAT

    record = ctx.current_game().record()
    if record["format"] != FORMAT:
        raise ctx.http.version_mismatch()
    return record


def _describe(report: "Report", record: "Record") -> list[str]:
    lines = [f"{'ok ' if check.ok else 'NO '} {check.detail}" for check in report.checks]
    names = seat_names(record["seats"])
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
