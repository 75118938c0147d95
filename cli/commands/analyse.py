"""`analyse` shows who had which chances in a finished game, luck and skill, and the costliest choices."""

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

from cli.context import CliContext
from cli.errors import Refused
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.output import USUAL_WIDTH, Output
from cli.text import one_line, pad_or_truncate, seat_names, width_of

if TYPE_CHECKING:
    from cli.api import Game

app = typer.Typer()

Json = dict[str, Any]

_SECONDS_BETWEEN_LOOKS: Final = 1.0
_MOST_LOOKS: Final = 20
_MOST_LISTED: Final = 3
_NOTICEABLE: Final = 0.005
_LONGEST_NAME: Final = 16
_ROUNDED: Final = ("start", "luck", "skill", "others", "end")
_TITLES: Final = ("Start", "Luck", "Choices", "Others", "Rest", "End")
_COLUMN: Final = 9
_DIGITS: Final = "0123456789"
_BLOCKS: Final = "▁▂▃▄▅▆▇█"


@app.command(epilog="Example: marrakech-cli analyse --game Friday")
def analyse(
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show chances, luck, skill and costly choices in a finished game."""
    ctx = CliContext(game, server, json, verbose, finished=True)
    api = ctx.current_game()
    view = api.view()
    if view["status"] != "finished":
        raise Refused("There's no analysis while a game is going on. Look again when it's over.")
    analysis = _wait_for_analysis(api, ctx.output)
    show = ctx.command_for("show", api.id)
    ctx.output.result({"id": api.id, **analysis}, lambda: _describe(analysis, view["name"], show, ctx.output))


def _wait_for_analysis(api: "Game", output: Output) -> Json:
    """The analysis. The server computes it just after the end of a game."""
    for look in range(_MOST_LOOKS):
        analysis = api.analysis()
        if analysis is not None:
            return analysis
        if look == 0:
            output.note("The game is being analysed. That usually takes a few seconds.")
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    raise Refused("The game is still being analysed. Try again in a minute.")


def _describe(analysis: Json, name: str, show: str, output: Output) -> Iterator[str]:
    """The whole answer; `show` is the command that shows the board of this game."""
    names = [one_line(each, _LONGEST_NAME) for each in seat_names(analysis["seats"])]
    room = max(map(width_of, names), default=0)
    yield f"Analysis: {one_line(name, 60)}"
    yield from ["", *_curve(analysis, names, room, output)]
    yield from ["", *_figures(analysis, names, room)]
    yield from ["", *_mistakes(analysis, names, show)]
    luck = sorted(analysis["rolls"], key=_own_luck, reverse=True)
    lucky = [roll for roll in luck if _own_luck(roll) >= _NOTICEABLE][:_MOST_LISTED]
    unlucky = [roll for roll in reversed(luck) if _own_luck(roll) <= -_NOTICEABLE][:_MOST_LISTED]
    yield from ["", "The luckiest rolls", *_rolls(lucky)]
    yield from ["", "The unluckiest rolls", *_rolls(unlucky)]


def _curve(analysis: Json, names: Sequence[str], room: int, output: Output) -> Iterator[str]:
    """A line for each player with a sign for the chance after each turn, between the start and the end."""
    signs = _BLOCKS if output.ansi else _DIGITS
    turns = list({step["turn"]: step["chances"] for step in analysis["curve"]}.values())
    columns = max(1, min(output.width, USUAL_WIDTH) - room - 14)
    if len(turns) > columns:
        turns = [turns[place * len(turns) // columns] for place in range(columns)]
    yield f"Chances of winning after each turn{'' if output.ansi else ' (5 is 50 to 59%)'}"
    for seat, (name, figures) in enumerate(zip(names, analysis["seats"], strict=True)):
        line = "".join(signs[min(int(chances[seat] * len(signs)), len(signs) - 1)] for chances in turns)
        start, end = _percent(figures["start"]), _percent(figures["end"])
        yield f"{pad_or_truncate(name, room)} {start:>5}  {line} {end:>5}"


def _figures(analysis: Json, names: Sequence[str], room: int) -> Iterator[str]:
    """A line for each player with the parts of the way from the start to the end."""
    yield " " * room + "".join(title.rjust(_COLUMN) for title in _TITLES)
    for name, figures in zip(names, analysis["seats"], strict=True):
        start, luck, skill, others, end = (round(100 * figures[part]) for part in _ROUNDED)
        # The rest takes what rounding leaves over, so that the figures still add up.
        changes = [
            f"{part:+}%" if part else "0%" for part in (luck, skill, others, end - start - luck - skill - others)
        ]
        yield pad_or_truncate(name, room) + "".join(cell.rjust(_COLUMN) for cell in (f"{start}%", *changes, f"{end}%"))


def _mistakes(analysis: Json, names: Sequence[str], show: str) -> Iterator[str]:
    yield "The costliest choices"
    costly = sorted(analysis["decisions"], key=_cost, reverse=True)[:_MOST_LISTED]
    noticeable = [decision for decision in costly if _cost(decision) >= _NOTICEABLE]
    for decision in noticeable:
        yield f"  Turn {decision['turn']}: {names[decision['seat']]}, -{_percent(_cost(decision))}"
        yield f"    Played: {decision['label']} ({_percent(decision['chance'])})"
        yield f"    Better: {decision['best_label']} ({_percent(decision['best_chance'])})"
        yield f"    The board: {show} --after {decision['seq'] - 1}"
    if not noticeable:
        yield "  Nobody made a choice that cost much."


def _rolls(rolls: Sequence[Json]) -> Iterator[str]:
    for roll in rolls:
        yield f"  Turn {roll['turn']}: {round(100 * _own_luck(roll)):+}%, {roll['text']}"
    if not rolls:
        yield "  None."


def _cost(decision: Json) -> float:
    return float(decision["best_chance"] - decision["chance"])


def _own_luck(roll: Json) -> float:
    """What the roll gave the player who rolled."""
    return float(roll["luck"][roll["seat"]])


def _percent(share: float) -> str:
    return f"{round(100 * share)}%"
