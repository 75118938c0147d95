"""Charts of a game: a line for each player over its turns or rounds."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeVar
from xml.sax.saxutils import escape, quoteattr

from markupsafe import Markup

from service.engine.records import Heading
from service.i18n import Gettext
from service.text import pad_or_truncate
from service.ui.tables import Standings, seat_name

N = TypeVar("N", bound=float)

_WIDTH: Final = 480
_HEIGHT: Final = 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 372, 34, 212
_APART: Final = 14
"""The least distance between the names at the ends of the lines."""
_NAME: Final = 12
"""The number of characters of a name that are shown."""
_ROOM: Final = _WIDTH - _RIGHT - 27
"""The greatest width of a name at the end of a line."""
INK: Final = "#3a1a0e"
PAPER: Final = "#fff4da"
EDGE: Final = "#a4552d"
GRID: Final = "#dcc08d"


class Line(NamedTuple):
    """How the line of a colour is drawn: lines differ in colour, dashes and marks."""

    fill: str
    edge: str
    dashes: str
    mark: str


LINES: Final = {
    "red": Line("#cf3f1d", "#7f1a08", "", "M0-4.5 4.5 0 0 4.5-4.5 0z"),
    "blue": Line("#14559b", "#082c5c", "9 4", "M0-4.5 4.5 4H-4.5z"),
    "yellow": Line("#f7cf2e", "#a66a00", "2 4", "M-4 0A4 4 0 1 0 4 0 4 4 0 1 0-4 0z"),
    "green": Line("#2aa982", "#0a6b50", "12 4 2 4", "M-4-4H4V4H-4z"),
    "purple": Line("#8a4fa3", "#43195a", "5 3", "M-4.5-4.5-1.5 0-4.5 4.5 0 1.5 4.5 4.5 1.5 0 4.5-4.5 0-1.5z"),
}
"""A diamond, a triangle, a disc, a square and a star."""


class Series(NamedTuple):
    """One player's numbers at the end of each turn or round."""

    name: str
    colour: str
    values: Sequence[int]


class Plot(NamedTuple):
    """A chart: drawn, and as the numbers it was drawn from."""

    title: str
    picture: Markup
    series: Sequence[Series]
    unit: str
    """What one step of its axis is: a turn or a round."""


def series_of(heading: Heading, colours: Sequence[str], numbers: Sequence[Sequence[int]]) -> list[Series]:
    """A line for each seat from the numbers of all seats at each step."""
    return [
        Series(seat_name({"name": player.name, "seat": seat}), colours[seat], [step[seat] for step in numbers])
        for seat, player in enumerate(heading.seats)
    ]


def pick_colours(standings: Standings) -> list[str]:
    """The colour of each seat's line: the first of its own colours, or any that is free."""
    own = [row.chips[0].colour if row.chips else "" for row in standings.rows]
    free = [colour for colour in LINES if colour not in own]
    return [colour if colour in LINES else free.pop(0) for colour in own]


def draw_plots(
    titled: Sequence[tuple[str, Sequence[Series]]], unit: str, say: Gettext, breaks: Sequence[int] = ()
) -> list[Plot]:
    """The charts of one page."""
    plots = []
    for number, (title, series) in enumerate(titled, 1):
        drawn = plot_svg(title, series, say, id_=f"course-{number}", unit=unit, breaks=breaks)
        # Our own drawing, which escapes every name.
        plots.append(Plot(title, Markup(drawn), series, unit))  # noqa: S704
    return plots


def plot_svg(
    title: str,
    series: Sequence[Series],
    say: Gettext = str,
    *,
    id_: str = "plot",
    unit: str = "Turn",
    breaks: Sequence[int] = (),
    ends: tuple[str, str] | None = None,
    tell: Callable[[int], str] = str,
    now: int | None = None,
) -> str:
    """Draw a line for each player, named at its end; `id_` makes the ids of a page's plots unique.

    `unit` is what one step is called, and `breaks` are the steps after which something new begins, such as a day.
    `ends` are the words below the first and the last step, `tell` writes a number in words, and `now` is marked.
    """
    values = [value for each in series for value in each.values]
    scale = _find_scale(min(values, default=0), max(values, default=1))
    words = " ".join(describe_course(each.name, each.values or [0], say, tell) for each in series)
    lines = "".join(_line(each, scale) for each in series)
    count = max((len(each.values) for each in series), default=1)
    below = _steps(ends or (f"{unit} 1", f"{unit} {count}"))
    frame = f"{_grid(scale)}{_breaks(breaks, count)}{below}{_mark(now, count)}"
    return _sheet(id_, title, words, f"{frame}{lines}{_names(series, scale)}")


def _sheet(id_: str, title: str, words: str, inside: str) -> str:
    head = f'<text x="12" y="20" font-size="14" font-weight="bold">{escape(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f" aria-labelledby={quoteattr(f'{id_}-title {id_}-words')}>"
        f"<title id={quoteattr(f'{id_}-title')}>{escape(title)}</title>"
        f"<desc id={quoteattr(f'{id_}-words')}>{escape(words)}</desc>"
        f'<rect x=".5" y=".5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="10" fill="{PAPER}" stroke="{EDGE}"/>'
        f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">{head}{inside}</g></svg>\n'
    )


def describe_course(name: str, values: Sequence[N], say: Gettext, write: Callable[[N], str] = str) -> str:
    """A line in words, for readers who can't see it; `write` writes a number for the reader."""
    ends = {"first": values[0], "last": values[-1], "most": max(values), "least": min(values)}
    words = {"name": name, **{end: write(value) for end, value in ends.items()}}
    return say("%(name)s: %(first)s at the start, %(last)s at the end, lowest %(least)s, highest %(most)s.") % words


class _Scale(NamedTuple):
    """The numbers that the grid begins and ends with; its lines are `step` apart."""

    least: int
    most: int
    step: int

    def height(self, value: int) -> float:
        return _BOTTOM - (value - self.least) / (self.most - self.least) * (_BOTTOM - _TOP)


def _find_scale(least: int, most: int) -> _Scale:
    """A grid with round numbers, about five lines and zero."""
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 1000) if step * 5 >= most - min(0, least))
    return _Scale(min(0, least // step * step), step * 5, step)


def _across(place: int, count: int) -> float:
    return _LEFT + place / max(1, count - 1) * (_RIGHT - _LEFT)


def _grid(scale: _Scale) -> str:
    marks = [(value, scale.height(value)) for value in range(scale.least, scale.most + 1, scale.step)]
    lines = "".join(f"M{_LEFT} {y:g}H{_RIGHT}" for _, y in marks)
    numbers = "".join(f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{value}</text>' for value, y in marks)
    return f'<path d="{lines}" stroke="{GRID}"/>{numbers}'


def _breaks(places: Sequence[int], count: int) -> str:
    path = "".join(f"M{_across(place, count):.4g} {_TOP}V{_BOTTOM}" for place in places if place < count - 1)
    return path and f'<path class="breaks" d="{path}" stroke="{EDGE}" stroke-dasharray="3 3"/>'


def _mark(step: int | None, count: int) -> str:
    if step is None:
        return ""
    x = f"{_across(step, count):.4g}"
    return (
        f'<path class="now" d="M{x} {_TOP - 4}V{_BOTTOM + 4}" stroke="{INK}" stroke-width="1.5"/>'
        f'<path d="M{x} {_TOP - 2}l-5-7h10z" fill="{INK}"/>'
    )


def _steps(ends: tuple[str, str]) -> str:
    """The labels of the first and the last step."""
    first, last = map(escape, ends)
    return (
        f'<text x="{_LEFT}" y="{_BOTTOM + 18}">{first}</text>'
        f'<text x="{_RIGHT}" y="{_BOTTOM + 18}" text-anchor="end">{last}</text>'
    )


def _line(series: Series, scale: _Scale) -> str:
    """A line with a dark edge, which makes any colour visible on the background, and a mark every few steps."""
    if not series.values:
        return ""
    count, look = len(series.values), LINES[series.colour]
    spots = [(_across(place, count), scale.height(value)) for place, value in enumerate(series.values)]
    path = "M" + "L".join(f"{x:.4g} {y:.4g}" for x, y in _corners(spots))
    dashes = f' stroke-dasharray="{look.dashes}"' if look.dashes else ""
    every = spots[:: max(1, count // 6)]
    marks = "".join(f'<path d="{look.mark}" transform="translate({x:.4g} {y:.4g})"/>' for x, y in every)
    return (
        f'<g class="series" data-colour="{series.colour}"><g fill="none" stroke-linejoin="round">'
        f'<path d="{path}" stroke="{look.edge}" stroke-width="3.6"{dashes}/>'
        f'<path d="{path}" stroke="{look.fill}" stroke-width="1.8"{dashes}/></g>'
        f'<g fill="{look.fill}" stroke="{look.edge}" stroke-width="1.2">{marks}</g></g>'
    )


def _corners(spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The spots without those in the middle of a level stretch."""
    corners = []
    for _, level in groupby(spots, key=lambda spot: spot[1]):
        first, *others = level
        corners += [first, *others[-1:]]
    return corners


def _names(series: Sequence[Series], scale: _Scale) -> str:
    """The names at the ends of the lines, moved apart if lines end close together."""
    ends = [scale.height(each.values[-1] if each.values else 0) for each in series]
    return "".join(
        f'<path d="{LINES[each.colour].mark}" transform="translate({_RIGHT + 12} {y:g})"'
        f' fill="{LINES[each.colour].fill}" stroke="{LINES[each.colour].edge}" stroke-width="1.2"/>'
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
