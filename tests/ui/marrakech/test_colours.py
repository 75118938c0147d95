"""Colours: labels are readable and no two colours look alike, also with a colour vision deficiency."""

import itertools
from xml.etree import ElementTree as ET

import pytest

from service.ui.marrakech.board_svg import board_svg
from service.ui.marrakech.palette import AUBERGINE, CREAM, DUNE, DYES, INK, NEUTRAL_DYES, SAFFRON, SAND, WEAVES
from tests.ui.marrakech.colour_vision import EYES, ciede2000, contrast, lab, seen
from tests.ui.marrakech.positions import laid, rug

SVG = "{http://www.w3.org/2000/svg}"
TEXT = 4.5
"""What WCAG AA asks of text."""
GRAPHICS = 3.0
"""What it asks of whatever a picture cannot be understood without."""


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
    ],
)
def test_the_measure_agrees_with_its_published_examples(
    one: tuple[float, float, float], other: tuple[float, float, float], difference: float
) -> None:
    assert ciede2000(one, other) == pytest.approx(difference, abs=0.0001)
    assert ciede2000(other, one) == pytest.approx(difference, abs=0.0001)


def test_the_eyes_are_what_they_are_called() -> None:
    red, green = "#d04030", "#30a040"
    apart = {eye: ciede2000(lab(seen(red, eye)), lab(seen(green, eye))) for eye in EYES}
    assert apart["deuteranopia"] < apart["common"] / 2
    assert apart["protanopia"] < apart["common"] / 2
    assert apart["tritanopia"] > apart["common"] / 2
    # Grey is grey to everybody.
    assert all(abs(channel - seen("#808080", "common")[0]) < 0.01 for eye in EYES for channel in seen("#808080", eye))
    assert contrast(seen("#000000", "common"), seen("#ffffff", "common")) == pytest.approx(21, abs=0.01)


def written_on(picture: ET.Element) -> list[tuple[str, str]]:
    """The ink and the ground of everything that is written."""
    doors = [(group, group.findall(f"{SVG}g/{SVG}circle")) for group in picture.findall(f"{SVG}g[@class='doors']")]
    badges = [(group, group.findall(f"{SVG}rect")) for group in picture.findall(f".//{SVG}g[@class='badge']")]
    return [(group.attrib["stroke"], ground.attrib["fill"]) for group, grounds in doors + badges for ground in grounds]


@pytest.mark.parametrize("eye", EYES)
def test_everything_that_is_written_can_be_read(eye: str) -> None:
    svg = board_svg(laid(c3=rug(1, "red")), [["d5", "e5"], ["c3", "c4"]])
    pairs = written_on(ET.fromstring(svg))  # noqa: S314 - the picture is our own
    assert len(pairs) == 28 + 2
    assert all(contrast(seen(ink, eye), seen(ground, eye)) >= TEXT for ink, ground in pairs)


@pytest.mark.parametrize("eye", EYES)
def test_no_two_players_colours_are_mistaken_for_each_other(eye: str) -> None:
    for one, other in itertools.combinations(DYES, 2):
        fills, threads = (
            [lab(seen(dye, eye)) for dye in pair] for pair in zip(DYES[one][:2], DYES[other][:2], strict=True)
        )
        assert ciede2000(*fills) > 20, (one, other)
        assert ciede2000(*threads) > 15, (one, other)
        assert WEAVES[one] != WEAVES[other]


@pytest.mark.parametrize("eye", EYES)
def test_a_neutral_rug_is_not_mistaken_for_one_that_costs_something(eye: str) -> None:
    for colour, dyes in DYES.items():
        assert ciede2000(lab(seen(dyes.fill, eye)), lab(seen(NEUTRAL_DYES[colour].fill, eye))) > 10


def test_printed_without_colour_the_rugs_differ_in_lightness() -> None:
    for one, other in itertools.combinations(DYES.values(), 2):
        assert abs(lab(seen(one.fill, "common"))[0] - lab(seen(other.fill, "common"))[0]) > 10


@pytest.mark.parametrize("eye", EYES)
def test_what_must_be_seen_stands_out(eye: str) -> None:
    hems = [(dyes.thread, ground) for dyes in DYES.values() for ground in (SAND, DUNE)]
    hems += [(dyes.thread, SAND) for dyes in NEUTRAL_DYES.values()]
    way, cord, assam = (AUBERGINE, CREAM), (SAFFRON, INK), (CREAM, INK)
    for one, other in [*hems, way, cord, assam]:
        assert contrast(seen(one, eye), seen(other, eye)) >= GRAPHICS, (one, other)
