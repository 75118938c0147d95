"""Tables: set one up, list one's own, take a seat."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parseaddr
from gettext import gettext as say
from itertools import islice
from typing import Annotated, Any, Final

import typer

from cli import prompts
from cli.context import CliContext, check_drawn
from cli.errors import Trouble, Usage
from cli.names import listed, names_of, one_line, padded
from cli.program import command
from cli.table_text import table_lines, time_left

_BOTS: Final = ("greedy", "random")
_UNITS: Final = {"h": 3600, "d": 86400, "w": 7 * 86400}
_PACE: Final = re.compile(r"(\d{1,4})\s*([hdw])")
_MOST_LOOKED_UP: Final = 20
"""For how many games of others' turns it is looked up whose; each costs a question to the server."""


@command(
    "marrakech-cli new --seat bo@example.org --seat open --bot greedy --variant rotate-after --pace 2d", game=False
)
def new_(
    desk: CliContext,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            "--seat",
            "-s",
            metavar="WHO",
            help="Another player: an address, 'Bo <bo@example.org>', open, or bot:greedy.",
        ),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option("--bot", metavar="LEVEL", help="A bot, after the seats: greedy or random."),
    ] = None,
    name: Annotated[str, typer.Option("--name", "-n", help="What the table is called.")] = "",
    variant: Annotated[
        str | None, typer.Option("--variant", help="standard, or rotate-after: roll first, turn Assam last.")
    ] = None,
    pile: Annotated[str | None, typer.Option("--pile", help="With two players: shuffled or alternating piles.")] = None,
    first: Annotated[
        int | None, typer.Option("--first", min=1, max=4, help="Which seat begins (you are 1); left out: it is drawn.")
    ] = None,
    pace: Annotated[
        str | None, typer.Option("--pace", help="Time for a turn, such as 12h, 2d or 1w; left out: no clock.")
    ] = None,
) -> None:
    """Set up a table. You sit in the first seat; whoever has an address gets a letter.

    Without any seat it asks in a terminal. The game starts when every seat is taken, with bots alone at once.
    """
    seats = [*map(_read_seat, seat or ()), *({"bot": level} for level in bot or ())]
    if not seats and desk.paper.asks:
        seats, name, variant = _asked(desk, name, variant)
    if not seats:
        raise Usage(say("Who plays with you? Name them with --seat ADDRESS, --seat open or --bot greedy."))
    options = {"variant": variant, "pile": pile, "first": None if first is None else first - 1}
    wish: dict[str, Any] = {
        "game": "marrakech",
        "name": name,
        "seats": seats,
        "options": {key: value for key, value in options.items() if value is not None},
    }
    if pace is not None and pace != "none":
        wish["pace"] = _read_pace(pace)
    view = check_drawn(desk.tables().create(wish))
    desk.paper.put(view, lambda: table_lines(view, desk.paper))


def _read_seat(words: str) -> dict[str, Any]:
    words = words.strip()
    if words.lower() == "open":
        return {"open": True}
    if words.lower().startswith("bot:") or words.lower() in _BOTS:
        return {"bot": words.lower().removeprefix("bot:")}
    name, address = parseaddr(words)
    if "@" not in address:
        raise Usage(say("%(who)s is no seat: write an address, open, or bot:greedy.") % {"who": repr(words[:60])})
    return {"email": address} | ({"name": name} if name else {})


def _read_pace(words: str) -> int:
    found = _PACE.fullmatch(words.strip().lower())
    if found is None:
        raise Usage(say("%(pace)s is no time for a turn; write it like 12h, 2d or 1w.") % {"pace": repr(words[:20])})
    return int(found[1]) * _UNITS[found[2]]


def _asked(desk: CliContext, name: str, variant: str | None) -> tuple[list[dict[str, Any]], str, str | None]:
    """The table as somebody describes it when asked."""
    seats: list[dict[str, Any]] = []
    desk.paper.note(say("Who plays with you? An address, open, greedy or random (a bot); an empty line ends the list."))
    while len(seats) < 3:
        words = prompts.line(say("Seat %(number)s?") % {"number": len(seats) + 2})
        if not words:
            if seats:
                break
            continue
        try:
            seats.append(_read_seat(words))
        except Trouble as trouble:
            desk.paper.note(trouble.sentence)
    name = name or prompts.line(say("What shall the table be called? (empty: as the server likes)"))
    if variant is None and prompts.yes(say("Roll first and turn Assam last (the variant rotate-after)?")):
        variant = "rotate-after"
    return seats, name, variant


@command("marrakech-cli games --status my-turn", game=False)
def games_(
    desk: CliContext,
    status: Annotated[
        str | None, typer.Option("--status", help="Only those that are my-turn, waiting, playing or finished.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="At most so many.")] = 50,
) -> None:
    """List your games: whose turn it is, and how long is left."""
    found = list(islice(desk.tables().all(status), most))
    turns = _whose_turns(desk, found)
    listed_games = [{**game, "to_act": turns.get(game["id"])} for game in found]
    desk.paper.put({"server": desk.server, "games": listed_games}, lambda: _listed(listed_games, desk.paper.width))


def _whose_turns(desk: CliContext, games: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """For games that go on the names of those who are to act."""
    from cli.client import Play  # noqa: PLC0415 - requests is slow to import

    going_on = [game["id"] for game in games if game["status"] == "playing"]
    turns = {}
    for id_ in going_on[:_MOST_LOOKED_UP]:
        view = Play(desk.connection, desk.own_token, id_).view()
        names = names_of(view["seats"])
        turns[id_] = [names[seat] for seat in view["to_act"]]
    return turns


def _listed(games: Sequence[dict[str, Any]], width: int) -> list[str]:
    if not games:
        return [say("You have no such game; begin one with marrakech-cli new.")]
    now, room = datetime.now(UTC), max(12, min(32, width - 48))
    lines = []
    for game in games:
        mark = ">" if game["your_turn"] else " "
        state = ", ".join(filter(None, (_turn(game), time_left(game["deadline"], now))))
        lines.append(f"{mark} {game['id']:12}  {padded(game['name'], room)}  {state}")
    return lines


def _turn(game: dict[str, Any]) -> str:
    if game["status"] == "waiting":
        return say("waiting for players")
    if game["status"] == "finished":
        return say("over")
    if game["your_turn"]:
        return say("your turn")
    who = listed(game["to_act"]) if game["to_act"] else say("others")
    return say("turn of %(who)s") % {"who": one_line(who, 40)}


@command("marrakech-cli join --game AbCdEfGhIjKl")
def join_(
    desk: CliContext,
    decline: Annotated[bool, typer.Option("--decline", help="Say no, and give the seat back.")] = False,
) -> None:
    """Take the seat that you were offered, or an open one; the game starts when every seat is taken.

    The game may be named by its id or by the link that you were sent.
    """
    play = desk.play()
    view = check_drawn(play.view())
    tables, you = desk.tables(play.game), view["you"]
    if decline:
        if you is None:
            raise Usage(say("No seat of this game is yours, so there is none to give back."))
        view = tables.decline(play.game, you)
    elif you is not None and view["status"] == "waiting" and not view["seats"][you].get("accepted"):
        view = tables.accept(play.game, you)
    elif you is None or view["status"] == "waiting":
        view = tables.join(play.game)
    desk.paper.put(view, lambda: table_lines(view, desk.paper))
