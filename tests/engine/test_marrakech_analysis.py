"""The analysis of finished games: figures that add up, and decisions that can be checked by hand."""

from functools import cache
from math import isclose
from typing import Any

import pytest

from service.engine.analysis import Analysis
from service.engine.errors import Malformed
from service.engine.marrakech.actions import LAY, RESIGN, Faced, Laid, Resigned, Rolled, Started, Turned
from service.engine.marrakech.board import read_square
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.state import Options, State
from tests.engine.positions import evolve_all, play, position
from tests.engine.test_finished_games import ENDINGS, events_of, game
from tests.support import pace

every_game = pytest.mark.parametrize("name", ENDINGS)


@cache
def analyse(name: str) -> Analysis:
    record = game(name)
    return MARRAKECH.analyst(record.states(), events_of(record))


@every_game
def test_the_figures_of_each_seat_add_up_to_the_result(name: str) -> None:
    winners, seats = ENDINGS[name].winners, len(game(name).heading.seats)
    analysis = analyse(name)
    assert [figures.seat for figures in analysis.seats] == list(range(seats))
    for figures in analysis.seats:
        assert figures.end == (1 / len(winners) if figures.seat in winners else 0)
        parts = figures.start + figures.luck + figures.skill + figures.others + figures.rest
        assert isclose(parts, figures.end, abs_tol=1e-9)
        assert figures.skill <= 1e-9
    for total in ("luck", "rest"):
        assert isclose(sum(getattr(figures, total) for figures in analysis.seats), 0, abs_tol=1e-9)


@every_game
def test_every_choice_and_every_roll_is_in_the_analysis(name: str) -> None:
    events, analysis = events_of(game(name)), analyse(name)
    choices = [seq for seq, event in enumerate(events, 1) if isinstance(event, Faced | Laid | Turned | Resigned)]
    rolls = [seq for seq, event in enumerate(events, 1) if isinstance(event, Rolled)]
    assert [decision.seq for decision in analysis.decisions] == choices
    assert [roll.seq for roll in analysis.rolls] == rolls
    assert all(decision.cost >= 0 and 0 <= decision.chance <= 1 for decision in analysis.decisions)
    assert all(isclose(sum(roll.luck), 0, abs_tol=1e-9) for roll in analysis.rolls)
    assert isinstance(events[analysis.curve[0].seq - 1], Started)
    assert analysis.curve[-1].seq == len(events)
    assert all(isclose(sum(step.chances), 1) for step in analysis.curve)


@every_game
def test_an_analysis_reads_back_from_json(name: str) -> None:
    analysis = analyse(name)
    assert Analysis.from_json(analysis.to_json()) == analysis


@pytest.mark.parametrize("value", [{}, {"version": 1, "seats": 3}, {"version": 1, "seats": [{"seat": 0}]}])
def test_something_else_is_not_an_analysis(value: Any) -> None:
    with pytest.raises(Malformed, match="isn't an analysis"):
        Analysis.from_json(value)


def last_rug(options: Options, place: str) -> tuple[list[State], tuple[Any, ...]]:
    """Red lays the game's last rug. It wins alone if it covers a blue square; otherwise it shares the win."""
    drawing = """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. B1 B1 .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
    """
    before = position(
        drawing,
        seats=3,
        assam="d4 north",
        phase="placement",
        mover=0,
        dirhams=(30, 30, 30),
        rugs_left=(1, 0, 0),
        options=options,
    )
    one, other = sorted(read_square(name) for name in place.split("-"))
    played = play(before, LAY[one, other])
    states = [before]
    for event in played.events:
        states.append(evolve_all(states[-1], [event]))
    started = Started(0, before.assam, before.facing, None)
    return [before, *states], (started, *played.events)


@pytest.mark.parametrize("options", [Options(), Options("rotate-after")])
def test_a_choice_that_shares_the_win_costs_half_the_chance(options: Options) -> None:
    states, events = last_rug(options, "c4-c5")
    (blunder,) = MARRAKECH.analyst(states, events).decisions
    assert (blunder.chance, blunder.best_chance, blunder.cost) == (0.5, 1, 0.5)
    assert set(blunder.best["squares"]) & {"d5", "e5"}
    states, events = last_rug(options, "d5-d6")
    (win,) = MARRAKECH.analyst(states, events).decisions
    assert (win.chance, win.cost) == (1, 0)
    assert win.best == win.action == {"type": "lay", "squares": ["d5", "d6"]}


def test_resigning_is_a_choice_too() -> None:
    before = position(seats=2)
    for seat, best in ((0, "face"), (1, None)):
        played = play(before, RESIGN, seat=seat)
        states = [before, before]
        for event in played.events:
            states.append(evolve_all(states[-1], [event]))
        events = (Started(0, before.assam, before.facing, None), *played.events)
        analysis = MARRAKECH.analyst(states, events)
        (decision,) = analysis.decisions
        assert (decision.seat, decision.action, decision.best.get("type")) == (seat, {"type": "resign"}, best)
        assert decision.chance == 0 < decision.best_chance == decision.cost
        assert isclose(analysis.seats[seat].skill, -decision.cost)
        assert isclose(analysis.seats[1 - seat].others, decision.cost)


def test_a_whole_game_is_analysed_quickly() -> None:
    assert pace.seconds(lambda: analyse.__wrapped__("rugs-laid-4p-standard"), 2) < 2
