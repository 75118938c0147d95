"""Finds a game by its name, and lets the user choose if several match."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from cli import prompts
from cli.errors import UsageError
from cli.output import Output
from cli.table import time_left
from cli.text import join_names, one_line, pad_or_truncate

_MAX_LISTED: Final = 9


def match_games(words: str, games: Sequence[dict[str, Any]], finished: bool = False) -> list[dict[str, Any]]:
    """The games with this name, or else those whose names contain these words.

    If both finished and running games match, `finished` decides which of them count.
    """
    wanted = " ".join(words.casefold().split())
    named = [(" ".join(game["name"].casefold().split()), game) for game in games]
    found = [game for name, game in named if name == wanted] or [game for name, game in named if wanted in name]
    return [game for game in found if (game["status"] == "finished") == finished] or found


def choose_game(games: Sequence[dict[str, Any]], output: Output) -> str:
    """The id of the only game, or of the one the user picks from a list. Outside a terminal, several are an error."""
    if len(games) == 1:
        return str(games[0]["id"])
    listed = games[:_MAX_LISTED]
    if not output.interactive:
        named = [f"{game['id']} ({one_line(game['name'], 40)})" if game["name"] else game["id"] for game in listed]
        more = ", and more" if len(games) > _MAX_LISTED else ""
        raise UsageError(f"Which game do you mean? Choose one with --game: {', '.join(named)}{more}.")
    output.note("Which game do you mean?")
    for number, game in enumerate(listed, 1):
        output.note(f"{number}  {_describe(game)}")
    if len(games) > _MAX_LISTED:
        output.note("For any other game, use --game.")
    numbers = {str(number): str(game["id"]) for number, game in enumerate(listed, 1)}
    while (typed := prompts.ask(f"Number (1 to {len(listed)}):")) not in numbers:
        output.note("Type one of the numbers, or press Ctrl-C to stop.")
    return numbers[typed]


def _describe(game: dict[str, Any]) -> str:
    """The game on one line. For a game from a stored link, only the id is known."""
    if "status" not in game:
        return str(game["id"])
    return f"{game['id']}  {pad_or_truncate(game['name'], 32)}  {describe_state(game)}"


def describe_state(game: dict[str, Any]) -> str:
    """Whose turn it is and the time left, or that the game is waiting for players or finished."""
    return ", ".join(filter(None, (_state(game), time_left(game["deadline"], datetime.now(UTC)))))


def _state(game: dict[str, Any]) -> str:
    if game["status"] == "waiting":
        return "waiting for players"
    if game["status"] == "finished":
        return "finished"
    if game["your_turn"]:
        return "your turn"
    return f"waiting for {one_line(join_names(game['to_act']), 40) if game.get('to_act') else 'others'}"
