"""A whole game in one sitting: `play`, `watch` and `say`."""

import time
from collections.abc import Callable
from gettext import gettext as say
from typing import Annotated, Any, Final

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import GameOver, NotAllowed, NotYourTurn, ServerUnreachable, Stale, UsageError
from cli.options import DebugOption, GameOption, JsonOption, ServerOption, VerboseOption
from cli.session import TurnSession
from cli.table import first_key, is_my_turn
from cli.text import MAX_NAME, one_line

app = typer.Typer()

_QUIT: Final = frozenset({"q", "quit", "exit"})


class _Quit(Exception):
    """The player wants to stop for now."""


@app.command(epilog="Example: marrakech-cli play")
def play(
    every: Annotated[float, typer.Option("--every", min=0.2, max=600, help="Look every so many seconds.")] = 2.0,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Play a game: see the board, wait for your turn, choose.

    At each question you may also type q to stop for now (the game goes on later), say WORDS, or resign.
    With --json the questions are read from standard input and one object is printed at the end.
    """
    ctx = CliContext(game, server, json, verbose)
    ctx.http.keep_open()
    session = TurnSession(ctx)
    if session.view["you"] is None:
        raise NotAllowed(say("You have no seat in this game; look on with marrakech-cli watch or replay."))
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
        session.output.note(say("The game waits for you; go on with: %(command)s") % {"command": command})
    session.result()


def _take_step(session: TurnSession) -> None:
    """Ask for one choice; if the game has moved on meanwhile, on the page or by a letter, look again."""
    try:
        session.ask(say("Your choice (? for help)?"), lambda words: _command(session, words))
    except Stale as error:
        session.output.note(error.message)
        before = session.view["head"]
        session.view = session.game.view()
        session.catch_up(before)


def _command(session: TurnSession, words: str) -> bool:
    """Run what the player typed if it is a command and not a choice; false if it is a choice."""
    first, _, rest = words.partition(" ")
    if first.lower() in _QUIT:
        raise _Quit
    if first.lower() == "say" and rest:
        session.game.post_message(rest)
        session.output.note(say("Sent."))
        return True
    if first.lower() == "resign":
        if prompts.confirm(say("Leave the game for good?")):
            session.act("resign")
        return True
    if first.lower() in {"?", "help", "say"}:
        sentence = say("Type a choice, such as %(key)s, or: q to stop for now, say WORDS, resign.")
        session.output.note(sentence % {"key": first_key(session.view)})
        return True
    return False


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
    every: Annotated[float, typer.Option("--every", min=1, max=3600, help="Look every so many seconds.")] = 10.0,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, help="Give up after so many seconds, with exit code 3.")
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Wait until it is your turn, then ring.

    Without --game and without a current game it waits for any of your games. A server that is away is waited for.
    """
    ctx = CliContext(game, server, json, verbose)
    one_game = ctx.names_a_game or ctx.token is None
    look = _look_at_game(ctx) if one_game else _look_through_games(ctx)
    until = None if timeout is None else time.monotonic() + timeout
    found = look()
    while found is None:
        if until is not None and time.monotonic() >= until:
            raise NotYourTurn(say("It has not become your turn in that time; watch again, or look with show."))
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
            raise GameOver(say("The game is over, so there is nothing to wait for; see it with marrakech-cli show."))
        return view if is_my_turn(view) else None

    return look


def _look_through_games(ctx: CliContext) -> Callable[[], dict[str, Any] | None]:
    lobby = ctx.lobby()

    def look() -> dict[str, Any] | None:
        found = next(lobby.list("my-turn"), None)
        if found is None and all(next(lobby.list(status), None) is None for status in ("playing", "waiting")):
            raise GameOver(say("No game of yours goes on, so there is nothing to wait for; begin one with new."))
        return found

    return look


def _your_turn(ctx: CliContext, found: dict[str, Any]) -> str:
    words = {"name": one_line(found["name"], 48), "id": found["id"]}
    sentence = say("It is your turn in %(name)s (%(id)s).") % words
    return f"{sentence} {ctx.how_to_play(found['id'])}"


@app.command("say", epilog='Example: marrakech-cli say "Well played!"')
def chat(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What to say; left out: read what was said.")
    ] = None,
    game: GameOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Chat with the other players, or read the chat."""
    ctx = CliContext(game, server, json, verbose)
    if not words:
        messages = list(ctx.current_game().messages())
        ctx.output.result({"id": ctx.game_id, "messages": messages}, lambda: _message_lines(messages))
        return
    text = " ".join(words).strip()
    if not text:
        raise UsageError(say("There is nothing to say; put your words behind the command."))
    message = ctx.current_game().post_message(text)
    ctx.output.result(message, lambda: _message_lines([message]))


def _message_lines(messages: list[dict[str, Any]]) -> list[str]:
    if not messages:
        return [say("Nobody has said anything yet.")]
    lines: list[str] = []
    for message in messages:
        name, when = one_line(message["name"], MAX_NAME), message["at"][:16].replace("T", " ")
        first, *more = message["text"].split("\n")
        lines += [f"{when}  {name}: {first}", *(f"    {line}" for line in more)]
    return lines
