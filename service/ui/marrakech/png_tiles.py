"""Stamps: the pieces of the drawing, each drawn once by resvg and then pressed onto any number of pictures."""

import sys
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

import resvg_py

from service.ui.marrakech.geometry import MARGIN, SIDE
from service.ui.marrakech.pixels import read_rgba
from service.ui.marrakech.png_palette import CLEAR, LEVELS, glaze, ink

PIXELS: Final = 64
"""How many pixels wide a square is in a letter: nine of them make 576, large enough for any phone."""


Block: TypeAlias = tuple[bytes, ...]
"""A part of a picture, row by row."""


class Box(NamedTuple):
    """A part of the drawing, in its units; its edges fall between two pixels."""

    x: int
    y: int
    width: int
    height: int


class _Run(NamedTuple):
    """Neighbouring pixels of one row: the inks themselves, or a table that says what becomes of what lies below."""

    start: int
    end: int
    inks: bytes
    table: bytes


class Stamp:
    """A piece that can be pressed anywhere."""

    def __init__(self, rows: Sequence[Sequence[_Run]], width: int) -> None:
        self._rows = rows
        self._width = width

    def dab(self, canvas: list[bytearray], x: float, y: float) -> None:
        """Press it with its middle at this point, without remembering what came of it."""
        left = round((x + MARGIN) * PIXELS / SIDE) - self._width // 2
        top = round((y + MARGIN) * PIXELS / SIDE) - len(self._rows) // 2
        for row, runs in zip(canvas[top:], self._rows, strict=False):
            _lay(row, runs, left)

    def on(self, below: Block) -> Block:
        """What a part of a picture, just as large, looks like with the stamp on it."""
        after = [bytearray(row) for row in below]
        for row, runs in zip(after, self._rows, strict=True):
            _lay(row, runs, 0)
        return tuple(bytes(row) for row in after)


def _lay(row: bytearray, runs: Sequence[_Run], left: int) -> None:
    for start, end, inks, table in runs:
        part = slice(left + start, left + end)
        row[part] = row[part].translate(table) if table else inks


@lru_cache(maxsize=4096)
def pressed(stamp: Stamp, block: Block) -> Block:
    """A block with the stamp on it; mostly it comes down on what it came down on before, on bare ground or a rug."""
    return stamp.on(block)


@lru_cache(maxsize=1024)
def stamp(piece: str, box: Box) -> Stamp:
    """The stamp that this piece of the drawing makes in this box."""
    return Stamp([tuple(_runs(row)) for row in _drawn(piece, box)], _pixels(box.width))


@lru_cache(maxsize=1)
def blocks(piece: str, box: Box) -> tuple[Block, ...]:
    """A piece on nothing, cut into blocks of one square each, row by row."""
    width, height = _pixels(box.width), _pixels(box.height)
    whole = stamp(piece, box).on((bytes([CLEAR]) * width,) * height)
    return tuple(
        tuple(row[left : left + PIXELS] for row in whole[top : top + PIXELS])
        for top in range(0, height, PIXELS)
        for left in range(0, width, PIXELS)
    )


def joined(cut: Sequence[Block], across: int) -> list[bytearray]:
    """Blocks put together again, so many across, as the rows of a picture."""
    return [
        bytearray(b"".join(parts))
        for first in range(0, len(cut), across)
        for parts in zip(*cut[first : first + across], strict=True)
    ]


def _pixels(units: int) -> int:
    return units * PIXELS // SIDE


def _drawn(piece: str, box: Box) -> list[bytes]:
    view_box = f"{box.x} {box.y} {box.width} {box.height}"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}">{piece}</svg>'
    # There is no text in the drawing, and looking for the machine's fonts would take longer than drawing it.
    return read_rgba(resvg_py.svg_to_bytes(svg_string=svg, width=_pixels(box.width), skip_system_fonts=True))


def _runs(row: bytes) -> Iterator[_Run]:
    start = 0
    for coat, run in groupby(map(_coat, memoryview(row).cast("I")), lambda pixel: _whole(*pixel)):
        inks = bytes(number for number, _ in run)
        end = start + len(inks)
        if coat == LEVELS:
            yield _Run(start, end, inks, b"")
        elif isinstance(coat, tuple):
            yield _Run(start, end, b"", glaze(*coat))
        start = end


def _whole(number: int, level: int) -> int | tuple[int, int]:
    """What makes one run of neighbours: being opaque, being clear, or being the very same coat."""
    return level if level in {0, LEVELS} else (number, level)


@cache
def _coat(pixel: int) -> tuple[int, int]:
    """The ink of a pixel, and how thick it lies."""
    red, green, blue, alpha = pixel.to_bytes(4, sys.byteorder)
    return ink(red, green, blue), (alpha * LEVELS + 127) // 255
