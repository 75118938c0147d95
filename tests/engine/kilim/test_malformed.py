"""Malformed JSON and text of Kilim are refused with a sentence that names the field."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.admin.simulate import simulated_games
from service.engine.errors import Malformed
from service.engine.kilim.game import KILIM
from service.engine.match import Match
from service.engine.record_text import read_text, write_text
from service.engine.records import Record, read_record, redact_record, write_record
from tests.engine.kilim.tables import Table
from tests.fuzz.nasty import MANY, json_value, piece


@pytest.fixture(scope="module")
def finished() -> Record:
    return next(simulated_games(KILIM, 1, 3, {}, ["medium", "easy"], "malformed"))


@pytest.fixture(scope="module")
def unfinished(finished: Record) -> Record:
    """The same game in the middle, as an onlooker gets it."""
    half = Record(finished.heading, finished.entries[: len(finished.entries) // 2])
    return redact_record(half.heading, half.states()[-1], half.entries)


def read_event(value: Any) -> Any:
    return KILIM.events.read(value, 3)


SCORE: dict[str, Any] = {"rectangle": 0, "motifs": 0, "groups": 0, "largest": 0, "torn": 0, "total": 0, "squares": 0}
RESULT: dict[str, Any] = {
    "winners": [1],
    "ranking": [1, 2, 0],
    "scores": [
        {"seat": 0, **SCORE, "out": True},
        {"seat": 1, **SCORE, "groups": 2, "total": 2, "out": False},
        {"seat": 2, **SCORE, "out": False},
    ],
    "reason": "days_over",
}


def result_with(**changes: Any) -> dict[str, Any]:
    return {"type": "finished", "result": {**RESULT, **changes}}


def scores_with(place: int, **changes: Any) -> dict[str, Any]:
    scores = [dict(score) for score in RESULT["scores"]]
    scores[place] |= changes
    return result_with(scores=scores)


def auctioned_with(**changes: Any) -> dict[str, Any]:
    event = {"round": 1, "gold": [1, 2, None], "winner": 1, "dominoes": ["BE1"], "fate": "won"}
    return {"type": "auctioned", **event, **changes}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ([], "action"),
        ({}, "action.type"),
        ({"type": "fold"}, "action.type"),
        ({"type": []}, "action.type"),
        ({"type": "play"}, "action.card"),
        ({"type": "play", "card": True}, "action.card"),
        ({"type": "play", "card": 16}, "action.card"),
        ({"type": "play", "card": "7"}, "action.card"),
        ({"type": "play", "card": ["spy"]}, "action.card"),
        ({"type": "bid", "gold": "spy"}, "action.gold"),
        ({"type": "bid", "gold": 0}, "action.gold"),
        ({"type": "weave", "domino": "EB1", "squares": ["m13", "n13"]}, "action.domino"),
        ({"type": "weave", "domino": "BE4", "squares": ["m13", "n13"]}, "action.domino"),
        ({"type": "weave", "domino": "BE1", "squares": ["m13"]}, "action.squares"),
        ({"type": "weave", "domino": "BE1", "squares": ["m13", "z13"]}, "action.squares[1]"),
        ({"type": "weave", "domino": "BE1", "squares": ["m13", "m13"]}, "action.squares"),
        ({"type": "weave", "domino": "BE1", "squares": ["y1", "a2"]}, "action.squares"),
        ({"type": "weave", "domino": "BE1", "squares": "m13-n13"}, "action.squares"),
        ({"type": "keep", "scrap": "sun"}, "action.scrap"),
        ({"type": "take", "token": "spy"}, "action.token"),
        ({"type": "patch", "scrap": "star", "square": "m26"}, "action.square"),
        ({"type": "patch", "scrap": "star", "square": 300}, "action.square"),
        ({"type": "rework", "token": "move", "piece": "sun", "squares": ["m13"]}, "action.piece"),
        ({"type": "rework", "token": "move", "piece": {}, "squares": ["m13"]}, "action.piece"),
        ({"type": "rework", "token": "move", "piece": "star", "squares": ["m13", "n13"]}, "action.squares"),
        ({"type": "rework", "token": "move", "piece": "BE1", "squares": ["m13"]}, "action.squares"),
        ({"type": "rework", "token": "remove", "piece": "BE1", "squares": ["m13", "n13"]}, "action.squares"),
        ({"type": "pass", "seat": 1}, "'seat'"),
    ],
)
def test_a_malformed_action_names_the_field(value: Any, field: str) -> None:
    check_refusal(KILIM.actions.read, value, field)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "event"),
        ({"type": "woven", "seat": 3, "domino": "BE1", "squares": ["m13", "n13"]}, "event.seat"),
        ({"type": "woven", "seat": 0, "domino": "BE1"}, "event.squares"),
        ({"type": "started", "piles": [[], [], []]}, "event.aside"),
        ({"type": "started", "aside": [[], [], [], []]}, "event.piles"),
        ({"type": "started", "piles": [[], ["BE9"], []], "aside": [[], [], [], []]}, "event.piles[1][0]"),
        ({"type": "revealed", "round": 46, "day": 3, "domino": "BE1", "offer": ["BE1"]}, "event.round"),
        ({"type": "revealed", "round": 45, "day": 4, "domino": "BE1", "offer": ["BE1"]}, "event.day"),
        ({"type": "revealed", "round": 45, "day": 3, "domino": "BE1", "offer": []}, "event.offer"),
        ({"type": "shown", "round": 1, "cards": [1, 2]}, "event.cards"),
        ({"type": "shown", "round": 1, "cards": [1, 2, "king"]}, "event.cards[2]"),
        (auctioned_with(winner=3), "event.winner"),
        (auctioned_with(winner=None), "event.fate"),
        (auctioned_with(fate="carried"), "event.fate"),
        (auctioned_with(fate="drawn"), "event.fate"),
        (auctioned_with(gold=[1, 2, "spy"]), "event.gold[2]"),
        (
            {"type": "settled", "round": 1, "gold": [None] * 3, "short": [5], "bag": None, "artisan": None},
            "event.short[0]",
        ),
        ({"type": "took", "seat": 0, "token": "perfect", "domino": None}, "event.domino"),
        ({"type": "took", "seat": 0, "token": "turn", "domino": "OO1"}, "event.domino"),
        ({"type": "took", "seat": 0, "token": "perfect", "domino": "BE1"}, "event.domino"),
        (result_with(winners=[]), "event.result.winners"),
        (result_with(winners=[2]), "event.result.winners"),
        (result_with(ranking=[1, 1, 0]), "event.result.ranking"),
        (result_with(reason="bored"), "event.result.reason"),
        (scores_with(1, total=3), "event.result.scores[1].total"),
        (scores_with(1, seat=2), "event.result.scores[1].seat"),
        (scores_with(0, groups=2, total=2), "event.result.scores[0]"),
    ],
)
def test_a_malformed_event_names_the_field(value: Any, field: str) -> None:
    check_refusal(read_event, value, field)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ([], "options"),
        ({"weaving": "loose"}, "options.weaving"),
        ({"weaving": None}, "options.weaving"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_malformed_options_name_the_field(value: Any, field: str) -> None:
    check_refusal(lambda options: KILIM.read_options(options, 3), value, field)


@pytest.mark.parametrize("seats", [-1, 0, 1, 6])
def test_kilim_is_for_two_to_five_players(seats: int) -> None:
    with pytest.raises(Malformed, match="2 to 5 players"):
        KILIM.read_options({}, seats)


@pytest.mark.parametrize(
    ("way", "damage", "field"),
    [
        (("format",), "kilim-state/0", "state.format"),
        (("weaving",), "loose", "state.weaving"),
        (("phase",), "night", "state.phase"),
        (("turn",), 0, "state.turn"),
        (("seats",), [], "state.seats"),
        (("seats", 1, "gold"), [99], "state.seats[1].gold[0]"),
        (("seats", 1, "card"), "king", "state.seats[1].card"),
        (("seats", 1, "carpet"), ["BE1 m13"], "state.seats[1].carpet[0]"),
        (("seats", 1, "carpet"), ["BE1 m13-m13"], "state.seats[1].carpet[0]"),
        (("seats", 1, "patches"), ["star"], "state.seats[1].patches[0]"),
        (("seats", 1, "token"), ["turn", 1, 1], "state.seats[1].token"),
        (("auctioned",), {"type": "passed", "seat": 0}, "state.auctioned.type"),
        (("auctioned",), {"type": "auctioned"}, "state.auctioned"),
        (("settled",), {"type": "settled"}, "state.settled"),
        (("last",), {"cards": [None] * 3}, "state.last.auctioned"),
        (("bag",), ["sun"], "state.bag[0]"),
        (("out",), [3], "state.out[0]"),
        (("piles",), [[]], "state.piles"),
    ],
)
def test_a_malformed_state_names_the_field(way: tuple[Any, ...], damage: Any, field: str) -> None:
    table = Table()
    table.play_all(1, 2, "bag")
    value = json.loads(json.dumps(KILIM.states.write(table.state)))
    check_refusal(KILIM.states.read, with_damage(value, way, damage), field)


def check_refusal(read: Callable[[Any], Any], value: Any, field: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(value)
    assert field in caught.value.sentence
    assert caught.value.sentence.endswith(".")


def with_damage(value: Any, way: tuple[Any, ...], damage: Any) -> Any:
    if not way:
        return damage
    damaged = copy.deepcopy(value)
    place = damaged
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = damage
    return damaged


def places_in(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a JSON value."""
    yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places_in(each, (*way, key))


# Anything at all


@MANY
@given(json_value)
def test_any_json_is_an_action_or_is_refused(value: Any) -> None:
    for action in taken(lambda: KILIM.actions.read(value)):
        assert KILIM.actions.write(action) == value


@given(json_value, st.integers(-1, 7))
def test_any_json_is_a_set_of_options_or_is_refused(value: Any, seats: int) -> None:
    for options in taken(lambda: KILIM.read_options(value, seats)):
        assert KILIM.read_options(options, seats) == options


@MANY
@given(st.data())
def test_a_damaged_event_is_refused_or_reads_back_from_json_and_text(finished: Record, data: st.DataObject) -> None:
    value = json.loads(json.dumps(KILIM.events.write(data.draw(st.sampled_from(finished.entries)).event)))
    damaged = with_damage(value, data.draw(st.sampled_from(list(places_in(value)))), data.draw(json_value))
    for event in taken(lambda: read_event(damaged)):
        assert KILIM.events.write(event) == damaged
        assert KILIM.events.read_text(KILIM.events.write_text(event), 3) == event


@MANY
@given(st.data())
def test_a_damaged_state_is_refused_or_is_what_it_says(finished: Record, data: st.DataObject) -> None:
    states = finished.states()
    state = data.draw(st.sampled_from(states[:: len(states) // 12]))
    value = json.loads(json.dumps(KILIM.states.write(state)))
    damaged = with_damage(value, data.draw(st.sampled_from(list(places_in(value)))), data.draw(json_value))
    for read in taken(lambda: KILIM.states.read(damaged)):
        assert KILIM.states.write(read) == damaged


@MANY
@given(st.data())
def test_a_damaged_record_is_refused_or_is_what_it_says(finished: Record, data: st.DataObject) -> None:
    value = json.loads(json.dumps(write_record(finished)))
    event = data.draw(st.integers(0, len(value["events"]) - 1))
    way = data.draw(st.sampled_from(list(places_in(value["events"][event]))))
    damaged = with_damage(value, ("events", event, *way), data.draw(json_value))
    for record in taken(lambda: read_record(damaged)):
        assert write_record(record) == damaged
        assert read_text(write_text(record)) == record


@MANY
@given(data=st.data(), half=st.booleans())
def test_a_damaged_text_is_refused_or_is_what_it_says(
    finished: Record, unfinished: Record, data: st.DataObject, half: bool
) -> None:
    lines = write_text(unfinished if half else finished).split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number]
    begin = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(begin, len(line)))
    lines[number] = line[:begin] + data.draw(piece) + line[end:]
    check_text("\n".join(lines))


@MANY
@given(st.data())
def test_a_text_whose_lines_are_mixed_up_is_refused_or_is_what_it_says(finished: Record, data: st.DataObject) -> None:
    """Events in an impossible order are no reason to fail: reading a record checks no rules."""
    entries = list(finished.entries)
    for _ in range(data.draw(st.integers(1, 4))):
        del entries[data.draw(st.integers(0, len(entries) - 1))]
        entries.insert(data.draw(st.integers(0, len(entries))), data.draw(st.sampled_from(finished.entries)))
    check_text(write_text(Record(finished.heading, tuple(entries))))


FINISHED = "The days are over. Red wins. Red has 5: rectangle 0, motifs 0, groups 5, largest 0, torn 0, squares 6."


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Red sings.",
        "Purple passes.",
        "Round 1 cards: Red ², Blue 3, Green 4.",
        f"Round 1 cards: Red {'9' * 5000}, Blue 3, Green 4.",
        "Round 1 cards: Red 2, Blue 3.",
        "Round 1 cards: Blue 2, Red 3, Green 4.",
        "Round 1 bids: Red 1, Blue 3, Green 4. Nobody wins BE1.",
        "Round 1 bids: Red 1, Blue 3, Green 4. Green wins BE1: carried.",
        "Round 1 paid: Red nothing, Blue 2, Green nothing. Short: Zed. Bag: nobody. Artisan: Blue.",
        "The days are over. Zed wins. Red is out; Blue is out; Green is out.",
        FINISHED.replace("5", "9" * 5000),
        "Red takes the token perfect.",
        "Red takes the token turn and OO1.",
        "Red uses remove: BE1 on m13-n13.",
        "The looms are empty. Piles: BE1.",
    ],
)
def test_a_sentence_that_is_no_event_is_refused(sentence: str) -> None:
    with pytest.raises(Malformed):
        KILIM.events.read_text(sentence, 3)


def taken(read: Callable[[], Any]) -> list[Any]:
    """The value, or nothing if it was refused with a sentence. Any other exception is a bug."""
    try:
        return [read()]
    except Malformed as refusal:
        sentence = refusal.sentence
    assert sentence.isprintable()
    assert sentence.endswith(".")
    return []


def check_text(words: str) -> None:
    for record in taken(lambda: read_text(words)):
        assert write_text(record) == words
        for state in record.states():
            Match(record.heading, record.entries, state).view(None)
