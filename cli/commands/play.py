"""Commands for a running game: `play`, `watch` and `say`."""

import time
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import GameOver, NotYourTurn, ServerUnreachable, Stale, UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.session import TurnSession
from cli.table import board, find_seat, is_my_turn, suggest_choice
from cli.text import MAX_NAME, one_line

app = typer.Typer()

_QUIT: Final = frozenset({"q", "quit", "exit"})
_HELP: Final = (
    "  show       show the game again",
    "  show NAME  show the board of a player, or of all players: show all",
    "  say TEXT   send a chat message",
    "  resign     leave the game for good",
    "  q          stop for now",
)


class _Quit(Exception):
    """The player wants to stop for now."""


@app.command(epilog="Example: marrakech-cli play")
def play(
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=0.2, max=600, help="How often to check for news.")
    ] = 2.0,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Play a game: see the board, wait for your turn and choose."""
    ctx = CliContext(game, server, json, verbose)
    ctx.http.keep_open()
    session = TurnSession(ctx, waits=True)
    if session.view["you"] is None:
        raise session.not_playing()
    session.check_seat()
    session.show()
    try:
        while session.view["status"] != "finished":
            if session.my_turn:
                _take_step(session)
            else:
                _wait(session, every)
    except (_Quit, EOFError):
        command = ctx.command_for("play", session.game.id)
        session.output.note(f"Continue later with: {command}")
    session.result()


def _take_step(session: TurnSession) -> None:
    """Ask for one choice. If the game has moved on, on the page or by e-mail, show it again."""
    try:
        session.ask(lambda words: _command(session, words))
    except (Stale, GameOver) as error:
        session.output.note(error.message)
        before = session.view["head"]
        session.view = session.game.view()
        session.catch_up(before)


def _command(session: TurnSession, words: str) -> bool:
    """Run a command such as `say` or `q`; return false if the words are a choice."""
    first, _, rest = words.partition(" ")
    if first.lower() in _QUIT:
        raise _Quit
    if first.lower() == "say" and rest:
        session.game.post_message(rest)
        session.output.note("Message sent.")
        return True
    if first.lower() == "show":
        _show(session, rest)
        return True
    if first.lower() == "resign":
        if prompts.confirm("Resign from this game? You can't undo this."):
            session.act("resign")
        return True
    if first.lower() in {"?", "help", "say"}:
        session.output.note(f"{suggest_choice(session.view)} {session.view.get('unlisted', '')}".rstrip())
        session.output.note("You can also type:")
        for line in _HELP:
            session.output.note(line)
        return True
    return False


def _show(session: TurnSession, who: str) -> None:
    """Show the game, or the board of one player or of all."""
    if not who:
        session.show()
        return
    seat = None if who.lower() == "all" else find_seat(session.view, who)
    session.output.show(lambda: [board(session.game, session.output, [session.prompt], seat=seat)])


def _wait(session: TurnSession, every: float) -> None:
    """Wait until something happens, and show it."""
    before = session.view["head"]
    while session.view["head"] == before and not session.my_turn:
        time.sleep(every)
        try:
            session.view = session.game.view()
        except ServerUnreachable as error:
            session.output.note(error.message)
    session.catch_up(before)


@app.command(epilog="Example: marrakech-cli watch && marrakech-cli move --dir ahead")
def watch(
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=1, max=3600, help="How often to check for news.")
    ] = 10.0,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=0, help="Give up after this time.")
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Wait until it's your turn, then ring the bell."""
    ctx = CliContext(game, server, json, verbose)
    one_game = ctx.names_a_game or ctx.token is None
    look = _look_at_game(ctx) if one_game else _look_through_games(ctx)
    until = None if timeout is None else time.monotonic() + timeout
    found = look()
    while found is None:
        if until is not None and time.monotonic() >= until:
            raise NotYourTurn("It still isn't your turn. Wait again, or see the game with: marrakech-cli show")
        time.sleep(every if until is None else max(0.0, min(every, until - time.monotonic())))
        try:
            found = look()
        except ServerUnreachable as error:
            ctx.output.note(error.message)
    ctx.output.ring()
    ctx.output.result(found, lambda: [_your_turn(ctx, found)])


def _look_at_game(ctx: CliContext) -> Callable[[], dict[str, Any] | None]:
    game = ctx.current_game()

    def look() -> dict[str, Any] | None:
        view = game.view()
        if view["status"] == "finished":
            raise GameOver(f"This game is over. See how it ended with: {ctx.command_for('show', game.id)}")
        return view if is_my_turn(view) else None

    return look


def _look_through_games(ctx: CliContext) -> Callable[[], dict[str, Any] | None]:
    lobby = ctx.lobby()

    def look() -> dict[str, Any] | None:
        found = next(lobby.list("my-turn"), None)
        if found is None and all(next(lobby.list(status), None) is None for status in ("playing", "waiting")):
            raise GameOver("You have no running games. Start one with: marrakech-cli new")
        return found

    return look


def _your_turn(ctx: CliContext, found: dict[str, Any]) -> str:
    return f'It\'s your turn in "{one_line(found["name"], 48)}". {ctx.how_to_play(found["id"])}'


@app.command("say", epilog='Example: marrakech-cli say "Well played!"')
def chat(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Your message. Without it, the chat is shown.")
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Send a chat message, or show the chat."""
    ctx = CliContext(game, server, json, verbose)
    if not words:
        messages = list(ctx.current_game().messages())
        ctx.output.result({"id": ctx.game_id, "messages": messages}, lambda: _message_lines(messages))
        return
    text = " ".join(words).strip()
    if not text:
        raise UsageError('Your message is empty. Write it like: marrakech-cli say "Hello"')
    message = ctx.current_game().post_message(text)
    ctx.output.result(message, lambda: _message_lines([message]))


def _message_lines(messages: list[dict[str, Any]]) -> list[str]:
    if not messages:
        return ["There are no messages yet. Send one with: marrakech-cli say TEXT"]
    lines: list[str] = []
    for message in messages:
        name, when = one_line(message["name"], MAX_NAME), message["at"][:16].replace("T", " ")
        first, *more = message["text"].split("\n")
        lines += [f"{when}  {name}: {first}", *(f"    {line}" for line in more)]
    return lines
