"""Motifs: none can be taken for another, with or without colour."""

import io
import itertools
import re

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageStat

from service.engine.kilim.pieces import COLOURS, MOTIFS
from service.ui.kilim.motifs import _MAPS, SIDE, draw_motif
from service.ui.kilim.outlines import outline
from service.ui.kilim.palette import CREAM, DYES, HEM, INK, LOOM, MINT, SAFFRON, SEAT_COLOURS, TEAL, WALL
from tests.ui.marrakech.colour_vision import EYES, ciede2000, contrast, lab, seen

KINDS = (*MOTIFS, "torn", "blank")
PAIRS = list(itertools.combinations(KINDS, 2))
TEXT, GRAPHICS = 4.5, 3.0
"""The contrasts that WCAG AA asks of text and of pictures."""


def picture(kind: str, width: int, *, drop_colours: bool = False) -> Image.Image:
    """A half in grey; without its colours, everything woven is black on white."""
    motif = draw_motif(kind)
    if drop_colours:
        motif = re.sub(r'(fill|stroke)="#\w+"', r'\1="#000000"', motif)
    ground = "#ffffff" if drop_colours else DYES[kind].ground
    box = f'<path d="M-20-20h{SIDE}v{SIDE}h-{SIDE}z" fill="{ground}"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -20 {SIDE} {SIDE}">{box}{motif}</svg>'
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True))
    return Image.open(io.BytesIO(png)).convert("L")


def apart(one: Image.Image, other: Image.Image) -> float:
    """How much two pictures differ on the average, from 0 to 255."""
    return ImageStat.Stat(ImageChops.difference(one, other)).mean[0]


@pytest.mark.parametrize("motif", MOTIFS)
def test_a_motif_is_woven_in_fifteen_rows_of_fifteen_knots(motif: str) -> None:
    rows = _MAPS[motif].split()
    assert [len(row) for row in rows] == [15] * 15
    assert set("".join(rows)) <= set(".#o+")
    if motif != "bird":
        assert all(row == row[::-1] for row in rows)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_halves_differ_in_shape_alone(one: str, other: str) -> None:
    assert apart(picture(one, 40, drop_colours=True), picture(other, 40, drop_colours=True)) > 30


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_small_halves_differ_in_grey_print(one: str, other: str) -> None:
    assert apart(picture(one, 14), picture(other, 14)) > 20


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(MOTIFS, 2)))
def test_no_two_grounds_look_alike(one: str, other: str, eye: str) -> None:
    assert ciede2000(lab(seen(DYES[one].ground, eye)), lab(seen(DYES[other].ground, eye))) > 12


@pytest.mark.parametrize("motif", MOTIFS)
def test_the_wool_of_a_motif_stands_out_from_its_ground(motif: str) -> None:
    ground = seen(DYES[motif].ground, "common")
    main = "dark" if motif in {"bird", "eye"} else "light"
    assert contrast(seen(getattr(DYES[motif], main), "common"), ground) >= GRAPHICS


@pytest.mark.parametrize("eye", EYES)
def test_everything_that_is_written_can_be_read(eye: str) -> None:
    pairs = [(CREAM, WALL), (INK, CREAM), *(tuple(SEAT_COLOURS[colour]) for colour in COLOURS)]
    assert all(contrast(seen(one, eye), seen(other, eye)) >= TEXT for one, other in pairs)


@pytest.mark.parametrize("eye", EYES)
def test_what_must_be_seen_stands_out(eye: str) -> None:
    for one, other in [(TEAL, MINT), (TEAL, CREAM), (HEM, LOOM), (HEM, CREAM), (SAFFRON, INK)]:
        assert contrast(seen(one, eye), seen(other, eye)) >= GRAPHICS, (one, other)


# Outlines


def test_the_outline_of_a_square_is_its_four_edges() -> None:
    assert outline({(1, 2)}, 10) == "M10 20L20 20L20 30L10 30z"
    assert outline({(1, 2)}, 10, 1) == "M11 21L19 21L19 29L11 29z"


def test_cells_side_by_side_have_one_outline() -> None:
    assert outline({(0, 0), (1, 0)}, 10) == "M0 0L20 0L20 10L0 10z"


def test_cells_that_touch_at_a_corner_have_two_outlines() -> None:
    assert outline({(0, 0), (1, 1)}, 10).count("M") == 2


def test_an_inner_corner_is_inset_too() -> None:
    assert outline({(0, 0), (0, 1), (1, 1)}, 10, 1) == "M1 1L9 1L9 11L19 11L19 19L1 19z"


def test_a_hole_has_its_own_outline_outside_of_which_the_cells_are() -> None:
    ring = {(x, y) for x in range(3) for y in range(3)} - {(1, 1)}
    outer, inner = outline(ring, 10, 1).split("z")[:2]
    assert outer == "M1 1L29 1L29 29L1 29"
    assert set(inner[1:].split("L")) == {"9 9", "9 21", "21 21", "21 9"}
