"""Shows a game in a terminal: title, board, whose turn it is, and the choices."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from cli.errors import UsageError
from cli.output import Drawing, Line, Output
from cli.text import count, join_names, one_line, pad_or_truncate, sanitize, seat_names, width_of, wrap_words

if TYPE_CHECKING:
    from cli.api import Game

View = dict[str, Any]

_MIN_BOARD_HEIGHT: Final = 14
"""A board gets at least this many lines, even if a long sentence above it scrolls away."""
_EARLIER: Final = "(For earlier events, see marrakech-cli log.)"
_LINES_WITHOUT_CHOICES: Final = 23
"""The lines for a small board, the title, the story and the prompt."""
_FEW_CHOICES: Final = 6
"""So many choices are shown in full even in a low terminal, if they need only `_FEW_LINES`."""
_FEW_LINES: Final = 3
_SHORTEST_TITLE: Final = 20
_LONGEST_TITLE: Final = 48
_LONGEST_QUESTION: Final = 160
CURSOR: Final = ""
"""The last line, with the shell's prompt."""
_GAP: Final = 2


def table_lines(
    game: "Game",
    view: View,
    output: Output,
    story: Sequence[dict[str, Any]] = (),
    hint: str = "",
    below: Sequence[str] = (CURSOR,),
) -> list[Line]:
    """What has just happened, the game, and in a terminal a hint.

    All of it fits the terminal together with what will be printed below it: a prompt, or the prompt of the shell.
    """
    if view["status"] == "waiting":
        return [*_waiting_lines(view), *([hint] if hint and output.height is not None else [])]
    ending = "" if any(sentence["seq"] == view["head"] for sentence in story) else _last_sentence(game, view)
    above = [_title(view, status_line(view, ending), output.width)]
    choices = choice_lines(view, output.width, output.height)
    if is_my_turn(view) and view.get("question") and below[-1] == CURSOR:
        choices.insert(0, choice_prompt(view))
    if hint and output.height is not None:
        choices.append(hint)
    told = _story_lines([sentence["text"] for sentence in story], output, [*above, *choices, *below])
    seat = None if view["status"] == "finished" else view["you"]
    drawing = board(game, output, [*told, *above, *choices, *below], seat=seat)
    return [*told, *above, drawing, *choices]


def _story_lines(story: list[str], output: Output, others: Iterable[str]) -> list[str]:
    """The story as a paragraph. In a terminal, only the last sentences, as many as fit above the board."""
    told = " ".join(story)
    if output.height is None:
        return [told] if story else []
    room = output.height - _MIN_BOARD_HEIGHT - sum(_count_rows(line, output.width) for line in others)
    while len(story) > 1 and _count_rows(told, output.width) > room:
        story = story[1:]
        told = " ".join([_EARLIER, *story])
    return [told] if story else []


def board(
    game: "Game", output: Output, others: Iterable[str], after: int | None = None, seat: int | None = None
) -> Drawing:
    """The board and the standings; in a terminal, they leave room for the other lines."""
    height = None
    if output.height is not None:
        used = sum(_count_rows(line, output.width) for line in others)
        height = max(_MIN_BOARD_HEIGHT, output.height - used)
    return Drawing(game.board_text(after=after, seat=seat, width=output.width, height=height, ansi=output.ansi))


def _count_rows(line: str, width: int) -> int:
    """The number of terminal rows that a line needs."""
    return sum(max(1, -(-width_of(row) // width)) for row in wrap_words(line, width))


def status_line(view: View, ending: str = "") -> str:
    """Whose turn it is and the time left, or how the game ended."""
    if view["status"] == "finished":
        return ending
    left = time_left(view["deadline"], datetime.now(UTC))
    if is_my_turn(view):
        sentence = "It's your turn"
    else:
        names = seat_names(view["seats"])
        sentence = f"Waiting for {join_names([names[seat] for seat in view['to_act']])}"
    return f"{sentence} ({left})." if left else f"{sentence}."


def _waiting_lines(view: View) -> list[str]:
    """The seats of a game that hasn't started, and how to take them; its board is still empty."""
    lines = [f"{one_line(view['name'], _LONGEST_TITLE)}  {view['id']}, waiting for players."]
    for number, (seat, name) in enumerate(zip(view["seats"], seat_names(view["seats"]), strict=True), 1):
        you = " (you)" if seat["seat"] == view["you"] else ""
        lines.append(f"  {number}. {name}{you}, {_seat_state(seat)}" if seat["name"] else f"  {number}. open seat")
    if view["you"] is not None and view["seats"][view["you"]].get("accepted") is False:
        lines.append(f"You're invited. Accept with: marrakech-cli join -g {view['id']}")
    else:
        lines.append("The game starts when every seat is taken.")
    if view.get("invitation"):
        lines += ["Anyone with this link can take an open seat:", view["invitation"]]
    return lines


def _seat_state(seat: dict[str, Any]) -> str:
    if seat.get("bot"):
        return f"{seat['bot']} bot"
    return "invited" if seat.get("accepted") is False else "ready"


def choice_lines(view: View, width: int, height: int | None = None) -> list[str]:
    """The choices in the server's words, and how to write those that it doesn't list.

    In a low terminal, a long list has only numbers and keys.
    """
    listed = [(number, choice) for number, choice in enumerate(view["choices"], 1) if choice.get("listed", True)]
    lines = _columns([_label(choice) for _, choice in listed], width)
    if height is not None and len(lines) > _lines_for_choices(len(listed), height):
        keys = [_short_label(number, choice) for number, choice in listed]
        row = (" " * _GAP).join(keys)
        lines = [row] if width_of(row) <= width else _columns(keys, width)
    return [*lines, *([sanitize(view["unlisted"])] if view.get("unlisted") else [])]


def _lines_for_choices(number: int, height: int) -> int:
    """How many lines so many choices may take in full."""
    room = height - _LINES_WITHOUT_CHOICES
    return max(_FEW_LINES, room) if number <= _FEW_CHOICES else room


def _columns(labels: list[str], width: int) -> list[str]:
    """The labels in as many columns as fit. A label wider than the terminal is wrapped."""
    column = max(map(width_of, labels), default=0) + _GAP
    per_line = max(1, (width + _GAP) // column)
    rows = [labels[start : start + per_line] for start in range(0, len(labels), per_line)]
    lines = ["".join(pad_or_truncate(label, column) for label in row).rstrip() for row in rows]
    return [row for line in lines for row in wrap_words(line, width)]


def _label(choice: dict[str, Any]) -> str:
    """The label with its hint, and with the key to type if the label doesn't contain its words."""
    key, label = one_line(choice["key"], 40), one_line(choice["label"], 200)
    hint = one_line(choice.get("hint") or "", 200)
    words = re.findall(r"\w+", label.casefold())
    is_named = all(word in words for word in re.findall(r"\w+", key.casefold()))
    return (label if is_named else f"{key}: {label}") + (f" ({hint})" if hint else "")


def _short_label(number: int, choice: dict[str, Any]) -> str:
    """The key, with the choice's number if the label has it too, as in "#1 - lay your rug on d4-d5"."""
    before, found, _ = choice["label"].partition(choice["key"])
    numbers = re.findall(r"\d+", before) if found else []
    return one_line(f"#{number} {choice['key']}" if str(number) in numbers else choice["key"], 40)


def is_my_turn(view: View) -> bool:
    return view["you"] is not None and view["you"] in view["to_act"]


def find_seat(view: View, words: str) -> int:
    """The seat with this number, or of the only player whose name begins with these words."""
    if words.isdecimal():
        return int(words)
    names = [seat["name"] or "" for seat in view["seats"]]
    found = [seat for seat, name in enumerate(names) if name.casefold().startswith(words.casefold())]
    if len(found) != 1:
        raise UsageError(
            f"We don't know which player you mean. Choose one of: {join_names(seat_names(view['seats']))}."
        )
    return found[0]


def first_key(view: View) -> str:
    """The first choice, as an example of what to type."""
    return one_line(view["choices"][0]["key"], 40) if view["choices"] else "WORDS"


def suggest_choice(view: View) -> str:
    return f"Type a choice, such as {first_key(view)}."


def choice_prompt(view: View, has_help: bool = False) -> str:
    """What the server asks the player, or just "Your choice", and that `?` helps."""
    question = one_line(view.get("question") or "", _LONGEST_QUESTION) or "Your choice"
    prompt = f"{question} (? for help)" if has_help else question
    return prompt if prompt.endswith("?") else f"{prompt}:"


def time_left(deadline: str | None, now: datetime) -> str:
    """The time left in words, or an empty string if there's no deadline."""
    if deadline is None:
        return ""
    minutes = int((datetime.fromisoformat(deadline) - now).total_seconds() // 60)
    if minutes < 0:
        return "time is up"
    hours = minutes // 60
    if minutes < 120:
        return f"{count(minutes, 'minute')} left"
    return f"{count(hours, 'hour')} left" if hours < 48 else f"{count(hours // 24, 'day')} left"


def _title(view: View, status: str, width: int) -> str:
    """The game's name, id and state. A long name is truncated to keep everything on one row."""
    state = "finished" if view["status"] == "finished" else f"turn {view['turn']}"
    rest = f"  {view['id']}, {state}. {status}".rstrip()
    return one_line(view["name"], max(_SHORTEST_TITLE, min(_LONGEST_TITLE, width - width_of(rest)))) + rest


def _last_sentence(game: "Game", view: View) -> str:
    """How a finished game ended."""
    if view["status"] != "finished":
        return ""
    return " ".join(sentence["text"] for sentence in game.story(view["head"] - 1))
