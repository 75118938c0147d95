"""Charts of a game: a line for each player over the turns."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from service.engine.json_reader import Json
from service.engine.records import Record
from service.i18n import Gettext
from service.text import pad_or_truncate
from service.ui.marrakech.palette import CLAY, CREAM, DYES, GROUT, INK
from service.ui.tables import seat_name

_WIDTH: Final = 480
_HEIGHT: Final = 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 372, 34, 212
_APART: Final = 14
"""The least distance between the names at the ends of the lines."""
_NAME: Final = 12
"""The number of characters of a name that are shown."""
_ROOM: Final = _WIDTH - _RIGHT - 27
"""The greatest width of a name at the end of a line."""
_DASHES: Final = {"red": "", "blue": "9 4", "yellow": "2 4", "green": "12 4 2 4"}
_MARKS: Final = {
    "red": "M0-4.5 4.5 0 0 4.5-4.5 0z",
    "blue": "M0-4.5 4.5 4H-4.5z",
    "yellow": "M-4 0A4 4 0 1 0 4 0 4 4 0 1 0-4 0z",
    "green": "M-4-4H4V4H-4z",
}
"""Lines differ in colour, dashes and marks: a diamond, a triangle, a disc and a square."""


class Series(NamedTuple):
    """One player's numbers at the end of each turn."""

    name: str
    colour: str
    values: Sequence[int]


class Course(NamedTuple):
    """The numbers of every seat at the end of each turn."""

    dirhams: list[Series]
    squares: list[Series]


def course_of(record: Record) -> Course:
    """The dirhams and the visible squares of every seat through the game of a record."""
    heading, seats, turns = record.heading, len(record.heading.seats), dict[int, list[Json]]()
    for state in record.states()[1:]:
        view = heading.rules.view(state, None)
        turns[view["turn"]] = view["seats"]
    names = [seat_name({"name": sitter.name, "seat": seat}) for seat, sitter in enumerate(heading.seats)]
    colours = [heading.rules.seat_assets(seats, seat)["colours"][0] for seat in range(seats)]

    def course(what: str) -> list[Series]:
        return [
            Series(names[seat], colours[seat], [shown[seat][what] for shown in turns.values()]) for seat in range(seats)
        ]

    return Course(course("dirhams"), course("visible"))


def plot_svg(title: str, series: Sequence[Series], say: Gettext = str, *, id_: str = "plot") -> str:
    """Draw a line for each player over the turns, named at its end; `id_` makes the ids of a page's plots unique."""
    most = _round_up(max((value for each in series for value in each.values), default=1))
    words = " ".join(_told(each, say) for each in series)
    lines = "".join(_line(each, most) for each in series)
    return _sheet(id_, title, words, f"{_grid(most)}{_turns(series, say)}{lines}{_names(series, most)}")


def _sheet(id_: str, title: str, words: str, inside: str) -> str:
    head = f'<text x="12" y="20" font-size="14" font-weight="bold">{escape(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f" aria-labelledby={quoteattr(f'{id_}-title {id_}-words')}>"
        f"<title id={quoteattr(f'{id_}-title')}>{escape(title)}</title>"
        f"<desc id={quoteattr(f'{id_}-words')}>{escape(words)}</desc>"
        f'<rect x=".5" y=".5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="10" fill="{CREAM}" stroke="{CLAY}"/>'
        f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">{head}{inside}</g></svg>\n'
    )


def _told(series: Series, say: Gettext) -> str:
    values = series.values or [0]
    words = {"name": series.name, "first": values[0], "last": values[-1], "most": max(values), "least": min(values)}
    return say("%(name)s: %(first)s at the start, %(last)s at the end, lowest %(least)s, highest %(most)s.") % words


def _round_up(value: int) -> int:
    """The next number that gives five lines round numbers."""
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 1000) if step * 5 >= value)
    return step * 5


def _spot(place: int, count: int, value: int, most: int) -> tuple[float, float]:
    across = place / max(1, count - 1)
    return _LEFT + across * (_RIGHT - _LEFT), _BOTTOM - value / most * (_BOTTOM - _TOP)


def _grid(most: int) -> str:
    marks = [(value, _spot(0, 1, value, most)[1]) for value in range(0, most + 1, most // 5)]
    lines = "".join(f"M{_LEFT} {y:g}H{_RIGHT}" for _, y in marks)
    numbers = "".join(f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{value}</text>' for value, y in marks)
    return f'<path d="{lines}" stroke="{GROUT}"/>{numbers}'


def _turns(series: Sequence[Series], say: Gettext) -> str:
    """The labels of the first and the last turn."""
    count = max((len(each.values) for each in series), default=1)
    words = say("Turn %(turn)s")
    return (
        f'<text x="{_LEFT}" y="{_BOTTOM + 18}">{escape(words % {"turn": 1})}</text>'
        f'<text x="{_RIGHT}" y="{_BOTTOM + 18}" text-anchor="end">{escape(words % {"turn": count})}</text>'
    )


def _line(series: Series, most: int) -> str:
    """A line with a dark edge, which makes any colour visible on the background, and a mark every few turns."""
    if not series.values:
        return ""
    count, dyes = len(series.values), DYES[series.colour]
    spots = [_spot(place, count, value, most) for place, value in enumerate(series.values)]
    path = "M" + "L".join(f"{x:.4g} {y:.4g}" for x, y in spots)
    dashes = f' stroke-dasharray="{_DASHES[series.colour]}"' if _DASHES[series.colour] else ""
    every = spots[:: max(1, count // 6)]
    marks = "".join(f'<path d="{_MARKS[series.colour]}" transform="translate({x:.4g} {y:.4g})"/>' for x, y in every)
    return (
        f'<g class="series" data-colour="{series.colour}"><g fill="none" stroke-linejoin="round">'
        f'<path d="{path}" stroke="{dyes.thread}" stroke-width="3.6"{dashes}/>'
        f'<path d="{path}" stroke="{dyes.fill}" stroke-width="1.8"{dashes}/></g>'
        f'<g fill="{dyes.fill}" stroke="{dyes.thread}" stroke-width="1.2">{marks}</g></g>'
    )


def _names(series: Sequence[Series], most: int) -> str:
    """The names at the ends of the lines, moved apart if lines end close together."""
    ends = [_spot(0, 1, each.values[-1] if each.values else 0, most)[1] for each in series]
    return "".join(
        f'<path d="{_MARKS[each.colour]}" transform="translate({_RIGHT + 12} {y:g})" fill="{DYES[each.colour].fill}"'
        f' stroke="{DYES[each.colour].thread}" stroke-width="1.2"/>'
        f'<text x="{_RIGHT + 21}" y="{y + 4:g}"{_squeezed(name)}>{escape(name)}</text>'
        for each, y, name in zip(series, _moved_apart(ends), _shown(series), strict=True)
    )


def _shown(series: Sequence[Series]) -> list[str]:
    return [pad_or_truncate(each.name, _NAME).rstrip() for each in series]


def _squeezed(name: str) -> str:
    """Attributes that squeeze a name of wide letters into the picture; their width depends on the reader's font."""
    guess = sum(12.0 if letter in "MW@%" else 8.2 if letter.isupper() else 6.2 for letter in name)
    return f' textLength="{_ROOM}" lengthAdjust="spacingAndGlyphs"' if guess > _ROOM else ""


def _moved_apart(heights: Sequence[float]) -> list[float]:
    """The heights in the same order, no two of them closer than a line of text."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed, lowest = dict[int, float](), -1000.0
    for place in order:
        lowest = placed[place] = max(heights[place], lowest + _APART)
    above = float(_BOTTOM + _APART)
    for place in reversed(order):
        above = placed[place] = min(placed[place], above - _APART)
    return [placed[place] for place in range(len(heights))]
