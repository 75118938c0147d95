"""A game as the API describes it, in lines for a terminal: title, board, whose turn it is, and the choices."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from gettext import gettext as say
from gettext import ngettext
from typing import TYPE_CHECKING, Any, Final

from cli.output import Drawing, Line, Output
from cli.text import join_names, one_line, pad_or_truncate, seat_names, width_of, wrap_words

if TYPE_CHECKING:
    from cli.api import Game

View = dict[str, Any]

_MIN_BOARD_HEIGHT: Final = 11
"""A board gets at least so many lines; a story that leaves fewer scrolls away."""
_LINES_WITHOUT_CHOICES: Final = 21
"""The lines that a small board, the title, the story and the prompt take."""
_FEW_LINES: Final = 3
"""So many lines of choices are always shown in full."""
_SHORTEST_TITLE: Final = 20
_LONGEST_TITLE: Final = 48
CURSOR: Final = ""
"""The line after the last one, with a prompt or the shell's."""
_GAP: Final = 2


def table_lines(
    game: "Game", view: View, output: Output, story: Sequence[dict[str, Any]] = (), hint: str = ""
) -> list[Line]:
    """What has just happened, the game as it stands, and in a terminal a hint; all of it fits the terminal."""
    told = [" ".join(sentence["text"] for sentence in story)] if story else []
    ending = "" if any(sentence["seq"] == view["head"] for sentence in story) else _last_sentence(game, view)
    status, *more = status_lines(view, ending)
    above = [_title(view, status, output.width), *more]
    below = choice_lines(view, output.width, output.height)
    if hint and output.height is not None:
        below.append(hint)
    drawing = board(game, output, [*told, *above, *below, CURSOR], seat=view["you"])
    return [*told, *above, drawing, *below]


def board(
    game: "Game", output: Output, others: Iterable[str], after: int | None = None, seat: int | None = None
) -> Drawing:
    """The board and the standings; on a terminal there is room left for the other lines."""
    height = None
    if output.height is not None:
        used = sum(_count_rows(line, output.width) for line in others)
        height = max(_MIN_BOARD_HEIGHT, output.height - used)
    return Drawing(game.board_text(after=after, seat=seat, width=output.width, height=height, ansi=output.ansi))


def _count_rows(line: str, width: int) -> int:
    """How many rows of the terminal a line takes."""
    return sum(max(1, -(-width_of(row) // width)) for row in wrap_words(line, width))


def status_lines(view: View, ending: str = "") -> list[str]:
    """Whose turn it is and how long they have, what a waiting game waits for, or how the game ended."""
    if view["status"] == "finished":
        return [ending]
    if view["status"] == "waiting":
        return _waiting_lines(view)
    left = time_left(view["deadline"], datetime.now(UTC))
    if is_my_turn(view):
        sentence = say("It is your turn")
    else:
        names = seat_names(view["seats"])
        sentence = say("It is the turn of %(who)s") % {"who": join_names([names[seat] for seat in view["to_act"]])}
    return [f"{sentence} ({left})." if left else f"{sentence}."]


def _waiting_lines(view: View) -> list[str]:
    you, names = view["you"], seat_names(view["seats"])
    open_seats = [seat["seat"] for seat in view["seats"] if seat.get("accepted") is False]
    if you in open_seats:
        lines = [say("You are asked to play; take your seat with: marrakech-cli join")]
    else:
        lines = [say("The game starts by itself when every seat is taken.")]
    if open_seats:
        lines.append(say("Not taken yet: %(who)s.") % {"who": join_names([names[seat] for seat in open_seats])})
    if view.get("invitation"):
        lines += [say("Whoever has this link can take an open seat:"), view["invitation"]]
    return lines


def choice_lines(view: View, width: int, height: int | None = None) -> list[str]:
    """The choices as the server words them; in a low terminal, many of them by their numbers and keys alone."""
    lines = _columns([_label(choice) for choice in view["choices"]], width)
    if height is None or len(lines) <= max(_FEW_LINES, height - _LINES_WITHOUT_CHOICES):
        return lines
    return _columns([_short_label(number, choice) for number, choice in enumerate(view["choices"], 1)], width)


def _columns(labels: list[str], width: int) -> list[str]:
    """The labels in as many columns as there is room for; one that is wider than the terminal is wrapped."""
    column = max(map(width_of, labels), default=0) + _GAP
    per_line = max(1, (width + _GAP) // column)
    rows = [labels[start : start + per_line] for start in range(0, len(labels), per_line)]
    lines = ["".join(pad_or_truncate(label, column) for label in row).rstrip() for row in rows]
    return [row for line in lines for row in wrap_words(line, width)]


def _label(choice: dict[str, Any]) -> str:
    """The label, with the key to type if the label does not contain it, and what may come of the choice."""
    key, label = one_line(choice["key"], 40), one_line(choice["label"], 200)
    hint = one_line(choice.get("hint") or "", 200)
    return (label if key in label else f"{key}: {label}") + (f" ({hint})" if hint else "")


def _short_label(number: int, choice: dict[str, Any]) -> str:
    """The key, after the choice's number if the label has it before the key, as in "#1 - lay your rug on d4-d5"."""
    numbers = re.findall(r"\d+", choice["label"].partition(choice["key"])[0])
    return one_line(f"#{number} {choice['key']}" if str(number) in numbers else choice["key"], 40)


def is_my_turn(view: View) -> bool:
    return view["you"] is not None and view["you"] in view["to_act"]


def first_key(view: View) -> str:
    """The first choice, as an example of what to type."""
    return one_line(view["choices"][0]["key"], 40) if view["choices"] else "WORDS"


def time_left(deadline: str | None, now: datetime) -> str:
    """How long somebody has, in words; empty if there is no clock."""
    if deadline is None:
        return ""
    minutes = int((datetime.fromisoformat(deadline) - now).total_seconds() // 60)
    if minutes < 0:
        return say("time is up")
    if minutes < 120:
        return ngettext("%(n)s minute left", "%(n)s minutes left", minutes) % {"n": minutes}
    hours = minutes // 60
    if hours < 48:
        return ngettext("%(n)s hour left", "%(n)s hours left", hours) % {"n": hours}
    return ngettext("%(n)s day left", "%(n)s days left", hours // 24) % {"n": hours // 24}


def _title(view: View, status: str, width: int) -> str:
    """The game's name, its id and how it stands; a long name is truncated if that keeps all on one row."""
    states = {"waiting": say("waiting for players"), "finished": say("over")}
    state = states.get(view["status"]) or say("turn %(turn)s") % view
    rest = f"  {view['id']}, {state}. {status}".rstrip()
    return one_line(view["name"], max(_SHORTEST_TITLE, min(_LONGEST_TITLE, width - width_of(rest)))) + rest


def _last_sentence(game: "Game", view: View) -> str:
    """How a finished game ended."""
    if view["status"] != "finished":
        return ""
    return " ".join(sentence["text"] for sentence in game.story(view["head"] - 1))
