"""A view as people see it: the board, the standings, whose turn it is, and what can be done."""

from collections.abc import Sequence
from datetime import UTC, datetime
from gettext import gettext as say
from gettext import ngettext
from typing import Any, Final

from cli.board import ASCII, UNICODE, board_lines, dye
from cli.output import Line, Output
from cli.story import place_name, winners_told
from cli.text import MAX_NAME, join_names, one_line, pad_or_truncate, seat_names, width_of

View = dict[str, Any]

_NAME: Final = MAX_NAME
_ROW: Final = 74
"""How many columns a row of the standings takes."""
_PIPS: Final[dict[int, Sequence[str]]] = {
    1: ("     ", "  o  ", "     "),
    2: ("o    ", "     ", "    o"),
    3: ("o    ", "  o  ", "    o"),
    4: ("o   o", "     ", "o   o"),
}


def table_lines(view: View, output: Output, path: Sequence[str] = (), now: datetime | None = None) -> list[Line]:
    """The whole table."""
    return [
        *_title(view),
        *board_lines(view, output.width, output.unicode, places_of(view), path),
        *_captions(view, output),
        "",
        *standings(view, output.width),
        "",
        *_what_next(view, now or datetime.now(UTC)),
    ]


def places_of(view: View) -> list[list[str]]:
    """Where a rug may lie, in the order in which the places are numbered; empty where none is to be laid."""
    return [action["squares"] for action in view["legal"] if action["type"] == "lay"]


def die_lines(die: int, unicode: bool) -> list[Line]:
    """The die as it fell."""
    rows = _PIPS[die]
    if unicode:
        rows = [row.replace("o", "●") for row in rows]
        return ["  ╭───────╮", *(f"  │ {row} │" for row in rows), "  ╰───────╯"]
    return ["  .-------.", *(f"  | {row} |" for row in rows), "  '-------'"]


def place_lines(view: View, width: int) -> list[Line]:
    """The legal places with their numbers, as many in a line as there is room for."""
    cells = [f"{number:>3}  {place_name(place):7}" for number, place in enumerate(places_of(view), 1)]
    each = max(1, min(6, width // 12))
    return ["".join(cells[start : start + each]).rstrip() for start in range(0, len(cells), each)]


def time_left(deadline: str | None, now: datetime) -> str:
    """How long somebody has, in words; empty where there is no clock."""
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


def _title(view: View) -> list[Line]:
    name = one_line(view["name"], 48)
    states = {"waiting": say("waiting for players"), "finished": say("over")}
    state = states.get(view["status"]) or say("turn %(turn)s") % view
    return [[(name, "bold"), (f"  {view['id']}, {state}", "")], ""]


def _captions(view: View, output: Output) -> list[Line]:
    assam = view["assam"]
    arrow = (UNICODE if output.unicode else ASCII).arrows[assam["facing"]]
    words = {"arrow": arrow, "at": assam["at"], "facing": assam["facing"]}
    lines: list[Line] = [say("Assam (%(arrow)s) stands on %(at)s and faces %(facing)s.") % words]
    if any(rug["neutral"] for rug in view["board"].values()):
        lines.append(say("Rugs in small letters are neutral: they cost nothing."))
    return lines


def standings(view: View, width: int) -> list[Line]:
    """A line for each seat; `>` marks those who are to act."""
    names = seat_names(view["seats"])
    lines: list[Line] = []
    if width >= _ROW:
        columns = (say("Name"), say("Colours"), say("Dirhams"), say("Squares"), say("Total"), say("Rugs"), say("Next"))
        lines.append("  {:{w}} {:12} {:>7} {:>7} {:>5} {:>4} {}".format(*columns, w=_NAME))
    for seat, name in zip(view["seats"], names, strict=True):
        mark = ">" if seat["seat"] in view["to_act"] else " "
        own = say(" (you)") if seat["seat"] == view["you"] else ""
        if width >= _ROW:
            lines.append(_row(seat, mark, pad_or_truncate(one_line(name, _NAME - width_of(own)) + own, _NAME)))
        else:
            figures = say("%(dirhams)s + %(visible)s = %(total)s, %(rugs_left)s rugs") % seat
            lines.append(f"{mark} {name}{own} ({seat['colours'][0][0].upper()}): {figures}{_state(seat)}")
    return lines


def _row(seat: View, mark: str, name: str) -> Line:
    swatches: list[tuple[str, str]] = []
    for colour in seat["colours"]:
        swatches += [(f"{colour}", dye(colour)), (" ", "")]
    room = 13 - sum(len(text) for text, _ in swatches)
    figures = f"{seat['dirhams']:>7} {seat['visible']:>7} {seat['total']:>5} {seat['rugs_left']:>4}"
    tail = f" {seat['next_rug'] or '-'}{_state(seat)}"
    return [(f"{mark} {name} ", ""), *swatches, (" " * max(0, room) + figures + tail, "")]


def _state(seat: View) -> str:
    if seat["out"]:
        return say(", out")
    if seat.get("accepted") is False:
        return say(", asked") if seat["name"] else say(", open")
    return ""


def _what_next(view: View, now: datetime) -> list[Line]:
    names = seat_names(view["seats"])
    if view["status"] == "finished":
        return [winners_told(view["result"], names)]
    if view["status"] == "waiting":
        return _waiting(view, names)
    left = time_left(view["deadline"], now)
    if view["you"] not in view["to_act"]:
        who = join_names([names[seat] for seat in view["to_act"]])
        sentence = say("It is the turn of %(who)s") % {"who": who}
        return [f"{sentence} ({left})." if left else f"{sentence}."]
    sentence = say("It is your turn")
    return [f"{sentence} ({left}). {next_step(view)}" if left else f"{sentence}. {next_step(view)}"]


def _waiting(view: View, names: Sequence[str]) -> list[Line]:
    lines: list[Line] = [say("The game starts by itself when every seat is taken.")]
    you = view["you"]
    if you is not None and view["seats"][you].get("accepted") is False:
        lines = [say("You are asked to play; take your seat with: marrakech-cli join")]
    if view.get("invitation"):
        lines.append(say("Whoever has this link can take an open seat:"))
        lines.append([(view["invitation"], "")])
    return lines


def next_step(view: View) -> str:
    """What to type now."""
    steps = {
        "direction": say("Send Assam with: marrakech-cli move --dir left (or ahead, or right)"),
        "placement": say("Lay your rug with: marrakech-cli place 1 (or %(example)s, …)"),
        "rotation": say("Turn Assam with: marrakech-cli turn left (or right)"),
    }
    places = places_of(view)
    sentence = steps.get(view["phase"], "") % {"example": place_name(places[0]) if places else ""}
    return sentence.replace("…", "...")
