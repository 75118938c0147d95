"""`verify` checks the dice of a finished game from its record."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import CliContext
from cli.errors import DiceDiffer, UsageError
from cli.options import DebugOption, JsonOption, ServerOption, VerboseOption, complete_game
from cli.text import count, seat_names

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
            help="A game's name, id or link, or a record file (- for standard input).",
            autocompletion=complete_game,
        ),
    ] = None,
    commitment: Annotated[
        str | None,
        typer.Option("--commitment", metavar="HASH", help="The dice fingerprint you noted before the game."),
    ] = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Check the dice or the draw of a finished game."""
    from cli.dice import check_record

    record = _read_file(source) or _fetch(CliContext(source, server, json, verbose, finished=True))
    report = check_record(record, commitment)
    CliContext(json=json).output.result(report.to_json(), lambda: _describe(report, record))
    if not report.ok:
        wrong = sum(not roll.ok for roll in report.rolls) + sum(not check.ok for check in report.checks)
        raise DiceDiffer(
            f"{count(wrong, 'check')} failed: this record doesn't match its dice."
            " Download it again, and if that doesn't help, ask the server host."
        )


def _read_file(named: str | None) -> "Record | None":
    """The record in this file, or None if the name isn't a file's."""
    from cli.records import read_record

    if named is None:
        return None
    if named == "-":
        return read_record(sys.stdin.read())
    if Path(named).is_file():
        try:
            return read_record(Path(named).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"Can't read {named}. Check that it's a record and that you may read it.") from error
    if Path(named).suffix in {".json", ".txt"}:
        raise UsageError(f"There's no file {named}. Check its name and folder.")
    return None


def _fetch(ctx: CliContext) -> "Record":
    from cli.records import FORMAT

    record = ctx.current_game().record()
    if record["format"] != FORMAT:
        raise ctx.http.version_mismatch()
    return record


def _describe(report: "Report", record: "Record") -> list[str]:
    """All checks, and the rolls that are wrong; a list of all rolls would not fit the screen."""
    names, wrong = seat_names(record["seats"]), [roll for roll in report.rolls if not roll.ok]
    found = [(check.ok, check.detail) for check in report.checks]
    found += [
        (False, f"Event {roll.seq}: {names[roll.seat]} rolled {roll.die}, but it should have been {roll.expected}.")
        for roll in wrong
    ]
    if report.rolls and not wrong:
        found.append((True, f"All {len(report.rolls)} rolls are right."))
    return [f"{'ok' if ok else 'failed':6}  {detail}" for ok, detail in found]
