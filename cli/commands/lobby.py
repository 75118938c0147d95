"""Games to play: `new`, `games`, `join`, `rematch` and `next`."""

import re
from collections.abc import Sequence
from gettext import gettext as say
from itertools import islice
from typing import Annotated, Any, Final, Literal

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import CliError, Refused, UsageError
from cli.game_choice import describe_state
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.table import table_lines
from cli.text import pad_or_truncate, seat_names

app = typer.Typer()

Status = Literal["my-turn", "waiting", "playing", "finished"]

_BOTS: Final = ("greedy", "random")
_UNITS: Final = {"h": 3600, "d": 86400, "w": 7 * 86400}
_PACE: Final = re.compile(r"(\d{1,4})\s*([hdw])")
_MAX_LOOKED_UP: Final = 20
"""For how many games the names of those to act are looked up; each costs a request."""


@app.command(
    epilog="Example: marrakech-cli new --seat bo@example.org --seat open --bot greedy --variant rotate-after --pace 2d"
)
def new(
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
    game: Annotated[str, typer.Option("--game", "-g", metavar="NAME", help="Which game to play.")] = "marrakech",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option of the game; may be given several times."),
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="standard, or rotate-after: roll first, turn Assam last.")
    ] = None,
    pile: Annotated[str | None, typer.Option("--pile", help="With two players: shuffled or alternating piles.")] = None,
    first: Annotated[
        int | None, typer.Option("--first", min=1, max=4, help="Which seat begins (you are 1); left out: it is drawn.")
    ] = None,
    pace: Annotated[str, typer.Option("--pace", help="Time for a turn, such as 12h, 2d or 1w; none: no clock.")] = "2d",
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Begin a game with friends or bots.

    You sit in the first seat; the others are invited by e-mail. Without any seat it asks in a terminal. The game starts
    when every seat is taken, with bots alone at once. It becomes the current game, so that marrakech-cli play goes on
    with it.
    """
    ctx = CliContext(None, server, json, verbose)
    seats = [*map(_read_seat, seat or ()), *({"bot": level} for level in bot or ())]
    if not seats and ctx.output.interactive:
        seats = _ask_seats(ctx)
        name = name or prompts.ask(say("What is the game called? (Enter: the server picks a name)"))
    if not seats:
        raise UsageError(say("Who plays with you? Name them with --seat ADDRESS, --seat open or --bot greedy."))
    if first is not None and first > len(seats) + 1:
        sentence = say("This game has %(seats)s seats; --first must be a number from 1 to %(seats)s.")
        raise UsageError(sentence % {"seats": len(seats) + 1})
    named = {"variant": variant, "pile": pile, "first": None if first is None else first - 1}
    options = {key: value for key, value in named.items() if value is not None} | dict(map(_read_option, option or ()))
    request: dict[str, Any] = {"game": game, "name": name, "seats": seats, "options": options}
    if pace != "none":
        request["pace"] = _read_pace(pace)
    view = ctx.lobby().create(request)
    _make_current(ctx, view["id"])
    _show(ctx, view)


def _make_current(ctx: CliContext, game: str) -> None:
    """Make the game the current one; it exists even if the configuration cannot be written."""
    ctx.server_config.game, ctx.config.current = game, ctx.server
    try:
        ctx.config.save()
    except CliError as error:
        ctx.output.note(error.message)


def _show(ctx: CliContext, view: dict[str, Any]) -> None:
    from cli.api import Game

    game = Game(ctx.http, ctx.token_for(view["id"]), view["id"])
    ctx.output.result(view, lambda: table_lines(game, view, ctx.output, hint=ctx.next_step(view)))


def _read_option(words: str) -> tuple[str, str | int]:
    name, separator, value = words.partition("=")
    if not separator:
        sentence = say("%(option)s is no option; write it like weaving=strict.")
        raise UsageError(sentence % {"option": repr(words[:40])})
    return name, int(value) if value.isdecimal() else value


def _read_seat(words: str) -> dict[str, Any]:
    from email.utils import parseaddr

    words = words.strip()
    if words.lower() == "open":
        return {"open": True}
    if words.lower().startswith("bot:") or words.lower() in _BOTS:
        return {"bot": words.lower().removeprefix("bot:")}
    name, address = parseaddr(words)
    if "@" not in address:
        raise UsageError(say("%(who)s is no seat: write an address, open, or bot:greedy.") % {"who": repr(words[:60])})
    return {"email": address} | ({"name": name} if name else {})


def _read_pace(words: str) -> int:
    found = _PACE.fullmatch(words.strip().lower())
    if found is None:
        sentence = say("%(pace)s is no time for a turn; write it like 12h, 2d or 1w.")
        raise UsageError(sentence % {"pace": repr(words[:20])})
    return int(found[1]) * _UNITS[found[2]]


def _ask_seats(ctx: CliContext) -> list[dict[str, Any]]:
    seats: list[dict[str, Any]] = []
    ctx.output.note(say("Who plays with you? An address, open, greedy or random (a bot); an empty line ends the list."))
    while True:
        words = prompts.ask(say("Seat %(number)s?") % {"number": len(seats) + 2})
        if not words and seats:
            return seats
        try:
            seats.append(_read_seat(words))
        except CliError as error:
            ctx.output.note(error.message)


@app.command(epilog="Example: marrakech-cli games --status my-turn")
def games(
    status: Annotated[
        Status | None, typer.Option("--status", help="Only those that are my-turn, waiting, playing or finished.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="At most so many.")] = 50,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """List your games: whose turn it is, and how long is left."""
    ctx = CliContext(None, server, json, verbose)
    found = list(islice(ctx.lobby().list(status), most))
    to_act = _names_to_act(ctx, found)
    listed = [{**game, "to_act": to_act.get(game["id"])} for game in found]
    ctx.output.result({"server": ctx.server, "games": listed}, lambda: _list_lines(listed, ctx.output.width))


def _names_to_act(ctx: CliContext, games: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """For each running game the names of the players who are to act."""
    from cli.api import Game

    names = {}
    for id_ in [game["id"] for game in games if game["status"] == "playing"][:_MAX_LOOKED_UP]:
        view = Game(ctx.http, ctx.token, id_).view()
        names[id_] = [seat_names(view["seats"])[seat] for seat in view["to_act"]]
    return names


def _list_lines(games: Sequence[dict[str, Any]], width: int) -> list[str]:
    if not games:
        return [say("You have no such game; begin one with marrakech-cli new.")]
    room = max(12, min(32, width - 48))
    return [
        f"{'>' if game['your_turn'] else ' '} {game['id']:12}  {pad_or_truncate(game['name'], room)}"
        f"  {describe_state(game)}"
        for game in games
    ]


@app.command(epilog="Example: marrakech-cli join --game AbCdEfGhIjKl")
def join(
    decline: Annotated[bool, typer.Option("--decline", help="Say no, and give the seat back.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Accept an invitation, or take an open seat.

    The game starts when every seat is taken. An open seat needs the link that the table's players share: --game LINK.
    """
    ctx = CliContext(game, server, json, verbose)
    view = ctx.current_game().view()
    lobby, id_, you = ctx.lobby(ctx.game_id), ctx.game_id, view["you"]
    if decline:
        if you is None:
            raise UsageError(say("No seat of this game is yours, so there is none to give back."))
        view = lobby.decline(id_, you)
    elif you is not None and view["status"] == "waiting" and not view["seats"][you].get("accepted"):
        view = lobby.accept(id_, you)
    elif you is None and ctx.invitation is None:
        raise UsageError(say("You are not invited to this game. To take an open seat, use its link: --game LINK."))
    elif you is None:
        view = lobby.join(id_, ctx.invitation or "")
    _show(ctx, view)


@app.command(epilog="Example: marrakech-cli rematch --game AbCdEfGhIjKl")
def rematch(
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Play a finished game again, with the same players and options.

    The others are invited. If another player has started the rematch already, you join it. It becomes the current game.
    """
    ctx = CliContext(game, server, json, verbose, finished=True)
    lobby, played = ctx.lobby(), ctx.current_game()
    if played.view()["status"] != "finished":
        raise Refused(say("This game isn't over yet. You can play it again when it is."))
    _choose_and_show(ctx, lobby.rematch(played.id))


@app.command("next", epilog="Example: marrakech-cli next")
def next_game(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show the next game that waits for you.

    It is the one with the nearest deadline, and becomes the current game.
    """
    ctx = CliContext(None, server, json, verbose)
    view = ctx.lobby().next()
    if view is None:
        ctx.output.result({"id": None}, lambda: [say("No game is waiting for you.")])
    else:
        _choose_and_show(ctx, view)


def _choose_and_show(ctx: CliContext, view: dict[str, Any]) -> None:
    """Make the game the current one and show it."""
    ctx.server_config.game, ctx.config.current = view["id"], ctx.server
    ctx.config.save()
    _show(ctx, view)
