"""Whole games, one or two for each way to end, replayed from `tests/fixtures/games`.

Bots played them through the real engine; resignations were added on purpose.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from service.engine.dice import Dice, commitment
from service.engine.marrakech.actions import (
    LAY,
    RESIGN,
    Action,
    Eliminated,
    Event,
    Face,
    Faced,
    Finished,
    Laid,
    Resigned,
    Rolled,
    Rotate,
    Turned,
)
from service.engine.marrakech.codecs import read_options
from service.engine.marrakech.rules import compute_result, decide, new_game
from service.engine.marrakech.state import Reason, Result, Score, State
from service.engine.record_text import read_text, write_text
from service.engine.records import Record
from tests.engine import naive
from tests.engine.kilim.finished_games import GAMES as KILIM_GAMES
from tests.engine.positions import evolve_all, to_naive

GAMES = Path(__file__).parent.parent / "fixtures" / "games"


class Ending(NamedTuple):
    """What is expected of one file."""

    winners: tuple[int, ...]
    reason: Reason
    why: str
    out: tuple[int, ...] = ()


ENDINGS = {
    "rugs-laid-2p-standard-shuffled": Ending((1,), "rugs_laid", "most points"),
    "rugs-laid-4p-standard": Ending((1,), "rugs_laid", "most points"),
    "rugs-laid-one-out-3p-rotate-after": Ending((2,), "rugs_laid", "most points", out=(1,)),
    "two-out-by-one-action-4p-rotate-after": Ending((0,), "rugs_laid", "most points", out=(1, 2)),
    "last-rugs-gone-by-resignation-4p-standard": Ending((2,), "rugs_laid", "the last rugs left the game", out=(3,)),
    "last-standing-elimination-2p-rotate-after-alternating": Ending((0,), "last_standing", "elimination", out=(1,)),
    "last-standing-elimination-4p-standard": Ending((0,), "last_standing", "elimination", out=(2, 1, 3)),
    "last-standing-resignation-2p-rotate-after-shuffled": Ending((1,), "last_standing", "resignation", out=(0,)),
    "last-standing-resignation-3p-standard": Ending((2,), "last_standing", "resignation", out=(0, 1)),
    "tie-broken-by-dirhams-2p-standard-alternating": Ending((1,), "rugs_laid", "more dirhams"),
    "tie-broken-by-dirhams-4p-rotate-after": Ending((1,), "rugs_laid", "more dirhams"),
    "shared-win-2p-rotate-after-shuffled": Ending((0, 1), "rugs_laid", "shared win"),
    "shared-win-3p-standard": Ending((1, 2), "rugs_laid", "shared win"),
}

every_game = pytest.mark.parametrize("name", ENDINGS)


class Step(NamedTuple):
    """One action of a game, or its opening, and the events that came of it."""

    events: tuple[Event, ...]

    @property
    def salt(self) -> str:
        """The salt that came along; where nothing was rolled, none is known."""
        return next((event.salt for event in self.events if isinstance(event, Rolled)), "")


def text_of(name: str) -> str:
    return (GAMES / f"{name}.txt").read_text()


def game(name: str) -> Record:
    return read_text(text_of(name))


def events_of(record: Record) -> tuple[Event, ...]:
    return tuple(entry.event for entry in record.entries)


def steps_of(record: Record) -> Iterator[Step]:
    """The events, split into one step per action."""
    step: list[Event] = []
    for event in events_of(record):
        if isinstance(event, Faced | Laid | Turned | Resigned) and step:
            yield Step(tuple(step))
            step = []
        step.append(event)
    yield Step(tuple(step))


def action_of(event: Event) -> tuple[int, Action]:
    """The seat and action that caused the event."""
    match event:
        case Faced(seat=seat, direction=direction):
            return seat, Face(direction)
        case Laid(seat=seat, squares=squares):
            return seat, LAY[squares]
        case Turned(seat=seat, direction=turn):
            return seat, Rotate(turn)
        case Resigned(seat=seat):
            return seat, RESIGN
        case _:
            raise AssertionError(f"no action begins with {event}")


def set_up(record: Record) -> State:
    state = record.states()[0]
    assert isinstance(state, State)
    return state


def result_of(record: Record) -> Result:
    last = events_of(record)[-1]
    assert isinstance(last, Finished)
    return last.result


def test_every_file_is_expected_and_every_expected_file_is_there() -> None:
    assert {path.stem for path in GAMES.glob("*.txt")} == {*ENDINGS, *KILIM_GAMES}


def test_the_files_cover_both_variants_both_piles_and_every_number_of_players() -> None:
    records = [game(name) for name in ENDINGS]
    shown = {(len(record.heading.seats), record.heading.options["variant"]) for record in records}
    assert shown == {(seats, variant) for seats in (2, 3, 4) for variant in ("standard", "rotate-after")}
    assert {record.heading.options["pile"] for record in records if len(record.heading.seats) == 2} == {
        "shuffled",
        "alternating",
    }


@every_game
def test_a_game_reads_back_to_the_same_text(name: str) -> None:
    assert write_text(game(name)) == text_of(name)


@every_game
def test_the_seed_matches_the_commitment(name: str) -> None:
    heading = game(name).heading
    assert heading.seed is not None
    assert commitment(bytes.fromhex(heading.seed)) == heading.commitment


@every_game
def test_the_events_lead_to_the_result(name: str) -> None:
    record = game(name)
    result = result_of(record)
    before_the_end = evolve_all(set_up(record), events_of(record)[:-1])
    assert compute_result(before_the_end, result.reason) == result
    assert evolve_all(set_up(record), events_of(record)).result == result


@every_game
def test_the_engine_decides_every_action_as_recorded(name: str) -> None:
    record = game(name)
    heading = record.heading
    seed, seats = bytes.fromhex(heading.seed or ""), len(heading.seats)
    opening, *steps = steps_of(record)
    assert tuple(new_game(read_options(heading.options, seats), seats, Dice(heading.id, seed))) == opening.events
    state = evolve_all(set_up(record), opening.events)
    for step in steps:
        seat, action = action_of(step.events[0])
        assert tuple(decide(state, seat, action, Dice(heading.id, seed, step.salt))) == step.events
        state = evolve_all(state, step.events)
    assert state.result == result_of(record)


@every_game
def test_the_naive_rules_allow_every_action_too(name: str) -> None:
    record = game(name)
    opening, *steps = steps_of(record)
    state = evolve_all(set_up(record), opening.events)
    for step in steps:
        before, state = state, evolve_all(state, step.events)
        if not isinstance(step.events[0], Resigned):
            assert to_naive(state).text() in {child.text() for child in naive.children(to_naive(before))}


@every_game
def test_turns_count_up_by_one(name: str) -> None:
    turns = [state.turn for state in game(name).states()]
    assert turns[0] == 1
    assert {later - earlier for earlier, later in pairwise(turns)} == {0, 1}


@every_game
def test_no_dirham_is_lost(name: str) -> None:
    record = game(name)
    assert {sum(state.dirhams) for state in record.states()} == {30 * len(record.heading.seats)}


@every_game
def test_a_game_ended_the_way_its_name_says(name: str) -> None:
    record, ending = game(name), ENDINGS[name]
    result = result_of(record)
    assert (result.winners, result.reason) == (ending.winners, ending.reason)
    assert tuple(event.seat for event in events_of(record) if isinstance(event, Eliminated | Resigned)) == ending.out
    assert result.ranking[len(result.ranking) - len(ending.out) :] == ending.out[::-1]
    assert ending.why == why(events_of(record)[-2], result)


def test_two_players_were_eliminated_by_one_action() -> None:
    steps = steps_of(game("two-out-by-one-action-4p-rotate-after"))
    assert max(sum(isinstance(event, Eliminated) for event in step.events) for step in steps) == 2


def why(last_event: Event, result: Result) -> str:
    """What decided the game, according to its last event and the scores."""
    if result.reason == "last_standing":
        return {Eliminated: "elimination", Resigned: "resignation"}[type(last_event)]
    if not isinstance(last_event, Laid):
        return "the last rugs left the game"
    best, second = sorted((score for score in result.scores if not score.out), key=worth, reverse=True)[:2]
    if best.total > second.total:
        return "most points"
    return "more dirhams" if best.dirhams > second.dirhams else "shared win"


def worth(score: Score) -> tuple[int, int]:
    return score.total, score.dirhams
