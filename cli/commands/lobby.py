"""Finding and starting games: `new`, `games`, `join`, `rematch` and `next`."""

import re
from collections.abc import Sequence
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

_BOTS: Final = ("easy", "medium", "strong", "random", "greedy")
"""The levels of bots. The last two are the old names of the first two."""
_UNITS: Final = {"h": 3600, "d": 86400, "w": 7 * 86400}
_PACE: Final = re.compile(r"(\d{1,4})\s*([hdw])")
_HOW_TO_NAME_PLAYERS: Final = (
    "Who do you want to play with? Type one of these for each player:",
    "  an e-mail address        to invite a friend",
    "  open                     for a seat that anyone with the link can take",
    "  easy, medium or strong   for a bot",
    "Press Enter when the list is complete.",
)
_MAX_LOOKED_UP: Final = 20
"""How many games are looked up for the names of the players to act; each takes a request."""


@app.command(epilog="Example: marrakech-cli new --seat bo@example.org --seat open --bot medium --pace 2d")
def new(
    seat: Annotated[
        list[str] | None,
        typer.Option(
            "--seat",
            "-s",
            metavar="WHO",
            help='A player: an e-mail address, "Bo <bo@example.org>" or open.',
        ),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option("--bot", metavar="LEVEL", help="A bot: easy, medium or strong."),
    ] = None,
    name: Annotated[str, typer.Option("--name", "-n", metavar="NAME", help="A name for the game.")] = "",
    game: Annotated[str, typer.Option("--game", "-g", metavar="KIND", help="Which game to play.")] = "marrakech",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Any option of the game."),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option("--variant", metavar="NAME", help="standard, or rotate-after (turn Assam after you lay a rug)."),
    ] = None,
    pile: Annotated[
        str | None, typer.Option("--pile", metavar="ORDER", help="For two players: shuffled or alternating rugs.")
    ] = None,
    first: Annotated[
        int | None,
        typer.Option("--first", metavar="SEAT", min=1, max=4, help="The seat that starts (yours is 1)."),
    ] = None,
    pace: Annotated[
        str, typer.Option("--pace", metavar="TIME", help="Time for each turn, such as 12h, 2d, 1w or none.")
    ] = "2d",
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Start a game with friends or bots."""
    ctx = CliContext(None, server, json, verbose)
    lobby = ctx.lobby()
    seats = [*map(_read_seat, seat or ()), *({"bot": level} for level in bot or ())]
    if not seats and ctx.output.interactive:
        seats = _ask_seats(ctx)
        name = name or prompts.ask("Name of the game (Enter for the default):")
    if not seats:
        raise UsageError("Add at least one player: --seat ADDRESS, --seat open or --bot medium.")
    if first is not None and first > len(seats) + 1:
        raise UsageError(f"This game has {len(seats) + 1} seats. Use --first with a number up to {len(seats) + 1}.")
    named = {"variant": variant, "pile": pile, "first": None if first is None else first - 1}
    options = {key: value for key, value in named.items() if value is not None} | dict(map(_read_option, option or ()))
    request: dict[str, Any] = {"game": game, "name": name, "seats": seats, "options": options}
    if pace != "none":
        request["pace"] = _read_pace(pace)
    view = lobby.create(request)
    _make_current(ctx, view["id"])
    _show(ctx, view)


def _make_current(ctx: CliContext, game: str) -> None:
    """Make the game the current one. It exists even if the configuration can't be written."""
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
        raise UsageError(f"Can't read the option {words[:40]!r}. Write it like weaving=strict.")
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
        raise UsageError(f'Unknown player {words[:60]!r}. Use an e-mail address, "open" or "bot:strong".')
    return {"email": address} | ({"name": name} if name else {})


def _read_pace(words: str) -> int:
    found = _PACE.fullmatch(words.strip().lower())
    if found is None:
        raise UsageError(f"Can't read the time {words[:20]!r}. Write it like 12h, 2d, 1w or none.")
    return int(found[1]) * _UNITS[found[2]]


def _ask_seats(ctx: CliContext) -> list[dict[str, Any]]:
    seats: list[dict[str, Any]] = []
    for line in _HOW_TO_NAME_PLAYERS:
        ctx.output.note(line)
    while True:
        words = prompts.ask(f"Player {len(seats) + 2}:")
        if not words and seats:
            return seats
        if not words:
            ctx.output.note("Add at least one player, or press Ctrl-C to stop.")
            continue
        try:
            seats.append(_read_seat(words))
        except CliError as error:
            ctx.output.note(error.message)


@app.command(epilog="Example: marrakech-cli games --status my-turn")
def games(
    status: Annotated[
        Status | None, typer.Option("--status", metavar="STATUS", help="my-turn, waiting, playing or finished.")
    ] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="Show at most N games.")] = 50,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """List your games, whose turn it is and the time left."""
    ctx = CliContext(None, server, json, verbose)
    found = list(islice(ctx.lobby().list(status), most))
    to_act = _names_to_act(ctx, found)
    listed = [{**game, "to_act": to_act.get(game["id"])} for game in found]
    ctx.output.result({"server": ctx.server, "games": listed}, lambda: _list_lines(listed, status, ctx.output.width))


def _names_to_act(ctx: CliContext, games: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """For each running game, the names of the players to act."""
    from cli.api import Game

    names = {}
    for id_ in [game["id"] for game in games if game["status"] == "playing"][:_MAX_LOOKED_UP]:
        view = Game(ctx.http, ctx.token, id_).view()
        names[id_] = [seat_names(view["seats"])[seat] for seat in view["to_act"]]
    return names


def _list_lines(games: Sequence[dict[str, Any]], status: Status | None, width: int) -> list[str]:
    if not games and status:
        return [f'You have no games with the status "{status}". List all with: marrakech-cli games']
    if not games:
        return ["You have no games yet. Start one with: marrakech-cli new"]
    room = max(12, min(32, width - 48))
    return [
        f"{'>' if game['your_turn'] else ' '} {game['id']:12}  {pad_or_truncate(game['name'], room)}"
        f"  {describe_state(game)}"
        for game in games
    ]


@app.command(epilog="Example: marrakech-cli join --game AbCdEfGhIjKl")
def join(
    decline: Annotated[bool, typer.Option("--decline", help="Decline the invitation.")] = False,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Accept an invitation, or take an open seat with --game LINK."""
    ctx = CliContext(game, server, json, verbose)
    view = ctx.current_game().view()
    lobby, id_, you = ctx.lobby(ctx.game_id), ctx.game_id, view["you"]
    if decline:
        if you is None:
            raise UsageError("You're not invited to this game. List your games with: marrakech-cli games")
        view = lobby.decline(id_, you)
        ctx.output.result(view, lambda: ["You've declined the invitation."])
        return
    if you is not None and view["status"] == "waiting" and not view["seats"][you].get("accepted"):
        view = lobby.accept(id_, you)
    elif you is None and ctx.invitation is None:
        raise UsageError("You're not invited to this game. Take an open seat with: marrakech-cli join --game LINK")
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
    """Play a finished game again with the same players."""
    ctx = CliContext(game, server, json, verbose, finished=True)
    lobby, played = ctx.lobby(), ctx.current_game()
    if played.view()["status"] != "finished":
        raise Refused("This game isn't over yet. You can play it again when it is.")
    _choose_and_show(ctx, lobby.rematch(played.id))


@app.command("next", epilog="Example: marrakech-cli next")
def next_game(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Go to the next game that is waiting for you."""
    ctx = CliContext(None, server, json, verbose)
    view = ctx.lobby().next()
    if view is None:
        ctx.output.result({"id": None}, lambda: ["No games are waiting for you."])
    else:
        _choose_and_show(ctx, view)


def _choose_and_show(ctx: CliContext, view: dict[str, Any]) -> None:
    """Make the game the current one and show it."""
    ctx.server_config.game, ctx.config.current = view["id"], ctx.server
    ctx.config.save()
    _show(ctx, view)
