"""Which game is meant, if its name is given or several are possible."""

from collections.abc import Sequence
from datetime import UTC, datetime
from gettext import gettext as say
from typing import Any, Final

from cli import prompts
from cli.errors import UsageError
from cli.output import Output
from cli.table import time_left
from cli.text import join_names, one_line, pad_or_truncate

_MAX_LISTED: Final = 9


def match_games(words: str, games: Sequence[dict[str, Any]], finished: bool = False) -> list[dict[str, Any]]:
    """The games with that name, or else with those words in their names.

    If some of them are finished and others not, only those that are `finished` count, or only the others.
    """
    wanted = " ".join(words.casefold().split())
    named = [(" ".join(game["name"].casefold().split()), game) for game in games]
    found = [game for name, game in named if name == wanted] or [game for name, game in named if wanted in name]
    return [game for game in found if (game["status"] == "finished") == finished] or found


def choose_game(games: Sequence[dict[str, Any]], output: Output) -> str:
    """The id of the only game, or of the one that the user picks from a numbered list; not in a terminal: an error."""
    if len(games) == 1:
        return str(games[0]["id"])
    listed = games[:_MAX_LISTED]
    if not output.interactive:
        named = [f"{game['id']} ({one_line(game['name'], 40)})" if game["name"] else game["id"] for game in listed]
        more = say(", and more") if len(games) > _MAX_LISTED else ""
        sentence = say("Several games are possible; name the one that you mean: %(games)s.")
        raise UsageError(sentence % {"games": ", ".join(named) + more})
    output.note(say("Several games are possible:"))
    for number, game in enumerate(listed, 1):
        output.note(f"{number}  {_describe(game)}")
    if len(games) > _MAX_LISTED:
        output.note(say("There are more; name one of those with --game."))
    numbers = {str(number): str(game["id"]) for number, game in enumerate(listed, 1)}
    while (typed := prompts.ask(say("Which one? (1 to %(last)s)") % {"last": len(listed)})) not in numbers:
        output.note(say("Type one of the numbers, or press Ctrl-C."))
    return numbers[typed]


def _describe(game: dict[str, Any]) -> str:
    """The game on a line; of one that is known from a link only its id is known."""
    if "status" not in game:
        return str(game["id"])
    return f"{game['id']}  {pad_or_truncate(game['name'], 32)}  {describe_state(game)}"


def describe_state(game: dict[str, Any]) -> str:
    """Whose turn it is in a game of the list and how long they have, or that it has not begun or is over."""
    return ", ".join(filter(None, (_state(game), time_left(game["deadline"], datetime.now(UTC)))))


def _state(game: dict[str, Any]) -> str:
    if game["status"] == "waiting":
        return say("waiting for players")
    if game["status"] == "finished":
        return say("over")
    if game["your_turn"]:
        return say("your turn")
    who = join_names(game["to_act"]) if game.get("to_act") else say("others")
    return say("turn of %(who)s") % {"who": one_line(who, 40)}
