"""How everybody on the server has played: `group`."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import typer

from cli.context import CliContext
from cli.options import DebugOption, JsonOption, ServerOption, VerboseOption
from cli.text import count, join_names, one_line, pad_or_truncate

app = typer.Typer()

_NAME: Final = 24
_TITLES: Final = ("Rating", "+/-", "Games", "Wins", "Place")
_ANALYSED: Final = ("Luck", "Skill")
_MET: Final = ("Games", "Ahead", "Behind", "Tied")


@app.command(epilog="Example: marrakech-cli group --game kilim --since 2026-01-01")
def group(
    game: Annotated[str | None, typer.Option("--game", "-g", metavar="KIND", help="Only games of this kind.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DAY", help="Only games that ended on this day or later.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DAY", help="Only games that ended on this day or earlier.")
    ] = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show everybody's ratings, results and records, and head to head."""
    ctx = CliContext(None, server, json, verbose)
    found = ctx.group().show(game, since, until)
    ctx.output.result(found, lambda: _list_lines(found))


def _list_lines(group: dict[str, Any]) -> Iterator[str]:
    if not group["games"]:
        yield (
            "No finished games match."
            if group["game"] or group["since"] or group["until"]
            else ("Nobody has finished a game yet. Start one with: marrakech-cli new")
        )
        return
    yield f"{count(group['games'], 'finished game')}. Sorted by rating minus uncertainty (+/-)."
    for kind, title in group["titles"].items():
        yield ""
        yield from _list_standings(group, kind, title)
        yield ""
        yield from _list_records(group, kind)
    met = [each for each in group["head_to_head"] if group["you"] in {each["one"], each["other"]}]
    if met:
        yield ""
        yield from _list_encounters(group, met)


def _list_standings(group: dict[str, Any], kind: str, title: str) -> Iterator[str]:
    """A table of the players of one game; with luck and skill once a game has been analysed."""
    players = [player for player in group["players"] if kind in player["by_game"]]
    players.sort(key=lambda player: _cautious(player["by_game"][kind]), reverse=True)
    analysed = any(player["by_game"][kind]["luck"] is not None for player in players)
    yield _write_row(title, [*_TITLES, *(_ANALYSED if analysed else ())])
    for player in players:
        played = player["by_game"][kind]
        cells = [f"{played['rating']:.1f}", f"{played['uncertainty']:.1f}", str(played["games"]), str(played["wins"])]
        cells += [f"{played['average_place']:.1f}"]
        if analysed:
            cells += ["" if played[name] is None else f"{round(100 * played[name]):+}%" for name in ("luck", "skill")]
        yield _write_row(player["name"], cells)


def _list_encounters(group: dict[str, Any], met: list[dict[str, Any]]) -> Iterator[str]:
    """A table of the others: in how many games the user was ahead of each of them."""
    names = {player["key"]: player["name"] for player in group["players"]}
    yield _write_row("You against", _MET)
    for each in met:
        is_first = each["one"] == group["you"]
        ahead, behind = (each["ahead"], each["behind"]) if is_first else (each["behind"], each["ahead"])
        other = each["other"] if is_first else each["one"]
        yield _write_row(names[other], [str(number) for number in (each["games"], ahead, behind, each["tied"])])


def _cautious(played: dict[str, Any]) -> float:
    return float(played["rating"] - played["uncertainty"])


def _write_row(name: str, cells: Sequence[str]) -> str:
    return f"{pad_or_truncate(name, _NAME)}{''.join(cell.rjust(8) for cell in cells)}"


def _list_records(group: dict[str, Any], kind: str) -> Iterator[str]:
    names = {player["key"]: one_line(player["name"], _NAME) for player in group["players"]}
    for record in group["records"]:
        if record["game"] == kind:
            reached = join_names([names[key] for key in record["players"]])
            yield f"{one_line(record['title'], 60)}: {one_line(record['words'], 40)} ({reached}, {record['at'][:10]})"
