"""How an analysis is shown: figures that add up, sentences for every case, bars, stops and the lists."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.analysis import Analysis, Decision, Roll, SeatFigures, Step
from service.i18n import Reader
from service.ui.analysis import (
    MOST_LISTED,
    chances_after,
    describe_luck,
    draw_curve,
    find_costliest,
    find_luckiest,
    find_unluckiest,
    list_bars,
    list_chances,
    list_stops,
    round_figures,
)
from service.ui.plots import LINES, pick_colours
from service.ui.tables import Chip, Row, Standings

READER, FRENCH = Reader(), Reader("fr")
NAMES, COLOURS = ["Ann", "Bo"], ["red", "blue"]


def figures(luck: float, skill: float, seat: int = 0) -> SeatFigures:
    return SeatFigures(seat, 0.5, 0.5 + luck + skill, luck, skill, 0.0, 0.0)


def decision(cost: float, seq: int = 2) -> Decision:
    return Decision(seq, 1, 0, {"type": "own"}, {"type": "best"}, 0.4, 0.4 + cost)


def roll(luck: float, seq: int = 3) -> Roll:
    return Roll(seq, 1, 0, (luck, -luck))


ANALYSIS = Analysis(
    version=1,
    seats=(SeatFigures(0, 0.5, 1.0, 0.4, -0.1, 0.15, 0.05), SeatFigures(1, 0.5, 0.0, -0.4, -0.15, 0.1, -0.05)),
    curve=(Step(2, 1, (0.4, 0.6)), Step(3, 1, (0.8, 0.2)), Step(6, 2, (1.0, 0.0))),
    decisions=(decision(0.1),),
    rolls=(roll(0.4),),
)


@given(st.lists(st.floats(-2, 2), min_size=5, max_size=5))
def test_rounded_figures_add_up_like_the_exact_ones(parts: list[float]) -> None:
    start, luck, skill, others, rest = parts
    rounded = round_figures(SeatFigures(0, start, sum(parts), luck, skill, others, rest))
    assert rounded.start + rounded.luck + rounded.skill + rounded.others + rounded.rest == rounded.end
    assert abs(rounded.rest - 100 * rest) <= 3


@pytest.mark.parametrize(
    ("luck", "skill", "sentence"),
    [
        (-0.12, -0.08, "You were 12% unlucky, and your choices cost you 8%."),
        (0.01, -0.01, "You were 1% lucky, and your choices cost you 1%."),
        (0.12, 0.0, "You were 12% lucky, and your choices cost you nothing."),
        (-0.12, -0.004, "You were 12% unlucky, and your choices cost you nothing."),
        (0.004, -0.3, "You were neither lucky nor unlucky, and your choices cost you 30%."),
        (-0.004, 0.0, "You were neither lucky nor unlucky, and your choices cost you nothing."),
    ],
)
def test_the_sentence_about_luck_reads_well_in_every_case(luck: float, skill: float, sentence: str) -> None:
    assert describe_luck(figures(luck, skill), READER) == sentence
    assert describe_luck(figures(luck, skill), FRENCH) != sentence


def test_percents_are_written_as_in_the_readers_language() -> None:
    assert (READER.format_change(12), READER.format_change(-8), READER.format_change(0)) == ("+12%", "−8%", "0%")  # noqa: RUF001
    assert FRENCH.format_percent(12) == "12\xa0%"


def test_bars_lead_from_the_start_to_the_end() -> None:
    players, scale = list_bars(ANALYSIS, NAMES, COLOURS, READER)
    assert [player.name for player in players] == NAMES
    assert [player.look for player in players] == [LINES["red"], LINES["blue"]]
    for player in players:
        first, *changes, last = player.bars
        assert first.low == last.low == 0
        assert [bar.kind for bar in (first, last)] == ["total", "total"]
        at = first.high
        for bar in changes:
            assert at in {bar.low, bar.high}
            assert bar.kind == ("gain" if bar.number.startswith("+") else "loss")
            at = bar.low + bar.high - at
        assert at == last.high
    assert [bar.number for bar in players[0].bars] == ["50%", "+40%", "−10%", "+15%", "+5%", "100%"]  # noqa: RUF001
    assert (scale.low, scale.high) == (-5, 100)


def test_chances_are_those_after_the_last_change() -> None:
    assert [chances_after(ANALYSIS, events) for events in (0, 1, 2, 5, 6, 9)] == [
        [50, 50],
        [50, 50],
        [40, 60],
        [80, 20],
        [100, 0],
        [100, 0],
    ]
    shown = list_chances(ANALYSIS, 3, 2, NAMES, COLOURS, READER)
    assert [(each.name, each.now, each.change) for each in shown] == [("Ann", "80%", "+40%"), ("Bo", "20%", "−40%")]  # noqa: RUF001
    assert [each.change for each in list_chances(ANALYSIS, 5, 3, NAMES, COLOURS, READER)] == ["", ""]


def test_stops_are_before_each_change_and_each_choice() -> None:
    stops = list_stops(ANALYSIS, 6)
    assert stops == [0, 1, 2, 5, 6]
    assert all(
        chances_after(ANALYSIS, before + 1) == chances_after(ANALYSIS, after) for before, after in pairwise(stops)
    )


def test_the_curve_has_a_line_for_each_player_and_a_mark() -> None:
    drawn = ET.fromstring(draw_curve(ANALYSIS, 6, 3, ["Ann <b>", "Bo"], COLOURS, FRENCH))  # noqa: S314 - our own drawing
    lines = drawn.findall(".//{*}g[@class='series']")
    assert [line.attrib["data-colour"] for line in lines] == COLOURS
    assert drawn.find(".//{*}path[@class='now']") is not None
    words = drawn.findtext("{*}desc") or ""
    assert "Ann <b>" in words
    assert "100\xa0%" in words
    texts = {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"0", "100", "Début", "Fin"} <= texts


def test_the_lists_have_only_what_matters_the_most_important_first() -> None:
    costs = [0.1, 0.0, 0.3, 0.004, 0.2, 0.01]
    analysis = ANALYSIS._replace(
        decisions=tuple(decision(cost, seq) for seq, cost in enumerate(costs)),
        rolls=tuple(roll(luck, seq) for seq, luck in enumerate([0.1, -0.2, 0.3, 0.0, -0.01, 0.2, 0.15])),
    )
    assert [each.seq for each in find_costliest(analysis)] == [2, 4, 0]
    assert [each.seq for each in find_luckiest(analysis)] == [2, 5, 6]
    assert [each.seq for each in find_unluckiest(analysis)] == [1, 4]
    assert MOST_LISTED == 3
    assert find_costliest(ANALYSIS._replace(decisions=(decision(0.0),))) == []


def test_a_seat_without_a_colour_of_its_own_gets_one_that_is_free() -> None:
    rows = [Row(0, "Ann", ()), Row(1, "Bo", (), (Chip("red", "red", "#f00", "#fff"),)), Row(2, "Cy", ())]
    colours = pick_colours(Standings((), tuple(rows)))
    assert colours[1] == "red"
    assert len(set(colours)) == 3
    assert set(colours) <= set(LINES)
