"""The growth of a house as a picture: a small plot for each figure, with a line for each database."""

import math
from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

from bench.growth import FIGURES, STEPS, Figure, Growth
from service.ui.marrakech.palette import CLAY, CREAM, DYES, GROUT, INK

_COLUMNS: Final = 2
_WIDTH, _HEIGHT = 330, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 312, 40, 136
_HEAD: Final = 44
_COLOURS: Final = ("blue", "red")
_MARKS: Final = ("M-3.5-3.5H3.5V3.5H-3.5z", "M0-4.5 4.5 4H-4.5z")
"""A square and a triangle: a line is known by its colour and by its mark."""


def growth_svg(growths: Sequence[Growth]) -> str:
    """The picture; the number of games grows tenfold from mark to mark."""
    rows = math.ceil(len(FIGURES) / _COLUMNS)
    width, height = _COLUMNS * _WIDTH + 10, _HEAD + rows * _HEIGHT
    panels = "".join(_panel(place, figure, growths) for place, figure in enumerate(FIGURES))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        ' aria-labelledby="growth-title growth-words"><title id="growth-title">What grows with the number of games'
        f'</title><desc id="growth-words">{escape(_words(growths))}</desc>'
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10" fill="{CREAM}" stroke="{CLAY}"/>'
        f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">'
        '<text x="12" y="26" font-size="15" font-weight="bold">What grows with the number of games</text>'
        f"{_key(growths)}{panels}</g></svg>\n"
    )


def _words(growths: Sequence[Growth]) -> str:
    told = (
        f"{figure.name}, {growth.house}: from {growth.numbers[figure][0]:,.{figure.digits}f}"
        f" to {growth.numbers[figure][-1]:,.{figure.digits}f} {figure.unit}."
        for figure in FIGURES
        for growth in growths
    )
    return f"From {STEPS[0]:,} to {STEPS[-1]:,} games. " + " ".join(told)


def _key(growths: Sequence[Growth]) -> str:
    return "".join(
        f'<g transform="translate({440 + 110 * place} 22)">{_mark(place, 0, 0)}<text x="9" y="4">{escape(growth.house)}'
        "</text></g>"
        for place, growth in enumerate(growths)
    )


def _mark(which: int, x: float, y: float) -> str:
    dyes = DYES[_COLOURS[which]]
    return (
        f'<path d="{_MARKS[which]}" transform="translate({x:.4g} {y:.4g})" fill="{dyes.fill}" stroke="{dyes.thread}"/>'
    )


def _panel(place: int, figure: Figure, growths: Sequence[Growth]) -> str:
    x, y = _WIDTH * (place % _COLUMNS), _HEAD + _HEIGHT * (place // _COLUMNS)
    ticks = _ticks(figure, [number for growth in growths for number in growth.numbers[figure]])
    lines = "".join(_line(which, figure, growth, ticks) for which, growth in enumerate(growths))
    name = f"{figure.name.replace('`', '')}, {figure.unit}"
    return (
        f'<g class="panel" transform="translate({x} {y})"><text x="12" y="22" font-weight="bold">{escape(name)}</text>'
        f"{_grid(figure, ticks)}{_games()}{lines}</g>"
    )


def _ticks(figure: Figure, numbers: Sequence[float]) -> list[float]:
    """Where the lines of the grid are: powers of ten for what grows with the house, even steps from 0 for the rest."""
    if figure.of_the_whole_house:
        low, high = math.floor(math.log10(min(numbers))), math.ceil(math.log10(max(numbers)))
        return [10.0**power for power in range(low, max(high, low + 1) + 1)]
    step = 10.0 ** math.floor(math.log10(max(numbers)))
    step = next(step * part for part in (0.25, 0.5, 1, 2.5) if step * part * 4 >= max(numbers))
    return [step * number for number in range(5)]


def _height(figure: Figure, number: float, ticks: Sequence[float]) -> float:
    scale = math.log10 if figure.of_the_whole_house else float
    part = (scale(number) - scale(ticks[0])) / (scale(ticks[-1]) - scale(ticks[0]))
    return _BOTTOM - part * (_BOTTOM - _TOP)


def _grid(figure: Figure, ticks: Sequence[float]) -> str:
    spots = [(tick, _height(figure, tick, ticks)) for tick in ticks]
    lines = "".join(f"M{_LEFT} {y:.4g}H{_RIGHT}" for _, y in spots)
    numbers = "".join(
        f'<text x="{_LEFT - 6}" y="{y + 4:.4g}" text-anchor="end">{tick:,.5g}</text>' for tick, y in spots
    )
    return f'<path d="{lines}" stroke="{GROUT}"/>{numbers}'


def _across(place: int) -> float:
    return _LEFT + 10 + place / (len(STEPS) - 1) * (_RIGHT - _LEFT - 20)


def _games() -> str:
    return "".join(
        f'<text x="{_across(place):.4g}" y="{_BOTTOM + 18}" text-anchor="middle">{games:,}</text>'
        for place, games in enumerate(STEPS)
    )


def _line(which: int, figure: Figure, growth: Growth, ticks: Sequence[float]) -> str:
    spots = [(_across(place), _height(figure, number, ticks)) for place, number in enumerate(growth.numbers[figure])]
    path = "M" + "L".join(f"{x:.4g} {y:.4g}" for x, y in spots)
    marks = "".join(_mark(which, x, y) for x, y in spots)
    colour = DYES[_COLOURS[which]].fill
    return f'<g class="line"><path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{marks}</g>'
