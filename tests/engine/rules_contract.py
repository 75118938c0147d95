"""The contract of every game: each game's test class inherits `RulesContract`.

Hypothesis plays whole games with random legal actions, tries every other action on the way, and lets a seat resign now
and then.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.dice import Chance, Dice
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.engine.json_reader import Json
from service.engine.match import Match, new_heading, start_match
from service.engine.record_text import read_text, write_text
from service.engine.records import RecordPlayer, read_record, write_record
from service.engine.registry import GAMES, AnyRules, register, unregister

NOW = "2026-11-16T09:30:00Z"
MOST_STEPS = 600


class RulesContract:
    """A game's test class sets these attributes and implements these methods; the tests are the same for all games."""

    rules: ClassVar[AnyRules]
    setups: ClassVar[Sequence[tuple[Json, int]]]
    """The options and numbers of seats to test."""

    hidden_fields: ClassVar[frozenset[str]]
    """The fields that an event leaves out as long as they are secret."""

    acts_at_once: ClassVar[bool]
    """Whether several seats act in one turn without making each other's actions stale."""

    every: ClassVar[int] = 1
    """A game with many actions lets the slow tests look at only every so many positions."""

    def every_action(self) -> Iterable[Any]:
        """Every action that can be written as JSON, legal or not, except resigning."""
        raise NotImplementedError

    def resignation(self) -> Any:
        """The action that resigns."""
        raise NotImplementedError

    def check_pieces(self, before: Any, after: Any) -> None:
        """Assert that no money, rug or card appeared or vanished between two states."""
        raise NotImplementedError

    def unknowable(self, state: Any, seat: int | None) -> Iterator[Any]:
        """States that differ from this one only in what the seat must not know."""
        raise NotImplementedError

    # What the tests use.

    _registered_here: bool
    """Whether the game is registered only for its tests."""

    @classmethod
    def setup_class(cls) -> None:
        cls._registered_here = cls.rules.name not in GAMES
        if cls._registered_here:
            register(cls.rules)

    @classmethod
    def teardown_class(cls) -> None:
        if cls._registered_here:
            unregister(cls.rules.name)

    def start(self, data: st.DataObject) -> Match:
        options, seats = data.draw(st.sampled_from(self.setups), label="setup")
        seed = data.draw(st.binary(min_size=32, max_size=32), label="seed")
        players = [RecordPlayer(f"Player {seat}") for seat in range(seats)]
        return start_match(new_heading(self.rules, "game", "A game", options, players, seed), NOW)

    def play(self, data: st.DataObject) -> Iterator[Match]:
        """The match at the start and after each action of a whole game."""
        match = self.start(data)
        yield match
        for _ in range(MOST_STEPS):
            if self.rules.result(match.state) is not None:
                return
            seat, action = self.draw_action(data, match)
            match = match.append(self.rules.decide(match.state, seat, action, match.dice("salt")), NOW)
            yield match
        pytest.fail(f"The game did not end within {MOST_STEPS} actions.")

    def positions(self, data: st.DataObject) -> Iterator[Match]:
        """Some positions of a whole game, the last one among them; all of them unless there are many."""
        offset = data.draw(st.integers(0, self.every - 1), label="first position")
        for number, match in enumerate(self.play(data)):
            if number % self.every == offset or self.rules.result(match.state) is not None:
                yield match

    def draw_action(self, data: st.DataObject, match: Match) -> tuple[int, Any]:
        """A seat and one of its legal actions, or, once in eighty, a seat that resigns."""
        if data.draw(st.integers(0, 79), label="resign?") == 79:
            return data.draw(st.sampled_from(self.active_seats(match)), label="resigning seat"), self.resignation()
        legal = {seat: self.rules.legal_actions(match.state, seat) for seat in self.active_seats(match)}
        seat = data.draw(st.sampled_from([seat for seat, actions in legal.items() if actions]), label="seat")
        return seat, data.draw(st.sampled_from(legal[seat]), label="action")

    def active_seats(self, match: Match) -> list[int]:
        return [seat for seat in seats_of(match) if self.rules.is_active(match.state, seat)]

    # The contract.

    @given(data=st.data())
    def test_replaying_the_stored_events_gives_the_same_state(self, data: st.DataObject) -> None:
        *_, match = self.play(data)
        stored = json.loads(json.dumps([self.rules.events.write(entry.event) for entry in match.entries]))
        heading = match.heading
        state = self.rules.set_up(heading.options, len(heading.seats))
        for value in stored:
            state = self.rules.evolve(state, self.rules.events.read(value, len(heading.seats)))
        assert state == match.state
        assert match.record().states()[-1] == match.state

    @given(data=st.data())
    def test_every_legal_action_is_accepted_and_every_other_is_refused_and_changes_nothing(
        self, data: st.DataObject
    ) -> None:
        for match in self.positions(data):
            state, dice = match.state, match.dice("salt")
            before = copy.deepcopy(state)
            for seat in seats_of(match):
                legal = self.rules.legal_actions(state, seat)
                assert len(set(legal)) == len(legal)
                for action in self.every_action():
                    assert self._is_accepted(state, seat, action, dice) == (action in legal)
            assert state == before

    def _is_accepted(self, state: Any, seat: int, action: Any, dice: Dice) -> bool:
        """Whether the action is accepted; called too often for `pytest.raises`, which is slow."""
        try:
            return bool(self.rules.decide(state, seat, action, dice))
        except IllegalAction:
            return False

    @given(data=st.data())
    def test_exactly_the_active_seats_can_resign_and_are_inactive_afterwards(self, data: st.DataObject) -> None:
        for match in self.positions(data):
            active = self.active_seats(match)
            for seat in range(-1, len(match.heading.seats) + 1):
                if seat in active:
                    events = self.rules.decide(match.state, seat, self.resignation(), match.dice())
                    assert not self.rules.is_active(match.append(events, NOW).state, seat)
                else:
                    with pytest.raises(IllegalAction):
                        self.rules.decide(match.state, seat, self.resignation(), match.dice())

    @given(data=st.data())
    def test_the_game_waits_only_for_active_seats_and_a_seat_never_becomes_active_again(
        self, data: st.DataObject
    ) -> None:
        active: list[set[int]] = []
        for match in self.play(data):
            active.append(set(self.active_seats(match)))
            assert self.rules.to_act(match.state) <= active[-1]
        assert active[0] == set(seats_of(match))
        assert all(later <= earlier for earlier, later in pairwise(active))
        assert active[-1] == set()

    @given(data=st.data())
    def test_an_action_becomes_stale_by_a_new_turn_or_by_any_event(self, data: st.DataObject) -> None:
        match = self.start(data)
        assert not self.rules.is_stale([])
        while self.rules.result(match.state) is None:
            actor, action = self.draw_action(data, match)
            events = self.rules.decide(match.state, actor, action, match.dice("salt"))
            before, match = match, match.append(events, NOW)
            same_turn = self.rules.turn(match.state) == self.rules.turn(before.state)
            if self.rules.result(match.state) is None:
                assert self.rules.is_stale(events) == (not (self.acts_at_once and same_turn))

    @given(data=st.data())
    def test_the_game_waits_for_a_seat_until_it_is_over(self, data: st.DataObject) -> None:
        for match in self.play(data):
            waiting, result = self.rules.to_act(match.state), self.rules.result(match.state)
            assert bool(waiting) == (result is None)
            assert all(self.rules.legal_actions(match.state, seat) for seat in waiting)
        assert result is not None
        assert sorted(result.ranking) == list(seats_of(match))
        assert set(result.winners) == set(result.ranking[: len(result.winners)])
        record = write_record(match.record())
        for value in (match.view(None)["result"], record["result"], record["events"][-1]["result"]):
            assert value["winners"] == list(result.winners)
            assert value["ranking"] == list(result.ranking)
            assert value["reason"] == result.reason
        for action in [*self.every_action(), self.resignation()]:
            with pytest.raises(GameOver):
                self.rules.decide(match.state, 0, action, match.dice())

    @given(data=st.data())
    def test_no_piece_appears_or_vanishes(self, data: st.DataObject) -> None:
        matches = self.play(data)
        before = next(matches)
        for match in matches:
            self.check_pieces(before.state, match.state)
            before = match

    @given(data=st.data())
    def test_the_same_action_with_the_same_dice_has_the_same_events(self, data: st.DataObject) -> None:
        for match in self.positions(data):
            for seat in self.rules.to_act(match.state):
                action = self.rules.legal_actions(match.state, seat)[0]
                once = self.rules.decide(match.state, seat, action, match.dice("x"))
                assert once == self.rules.decide(match.state, seat, action, match.dice("x"))

    @given(data=st.data())
    def test_a_view_reveals_no_secret(self, data: st.DataObject) -> None:
        for match in self.positions(data):
            for seat in (None, *seats_of(match)):
                seen = self.rules.view(match.state, seat)
                for other in self.unknowable(match.state, seat):
                    assert other != match.state
                    assert self.rules.view(other, seat) == seen
            over = self.rules.result(match.state) is not None
            assert (str(match.heading.seed) in json.dumps(match.view(0))) == over
            assert (match.record().heading.seed is not None) == over

    @given(data=st.data())
    def test_the_view_of_an_event_leaves_out_hidden_fields_only_and_none_once_the_game_is_over(
        self, data: st.DataObject
    ) -> None:
        match = data.draw(st.sampled_from(list(self.play(data))))
        over = self.rules.result(match.state) is not None
        for entry in match.entries:
            event = self.rules.events.write(entry.event)
            for seat in (None, *seats_of(match)):
                view = self.rules.event_view(match.state, entry.event, seat)
                assert view == {name: event[name] for name in view}
                left_out = event.keys() - view.keys()
                assert not left_out if over else left_out <= self.hidden_fields

    @given(data=st.data())
    def test_the_view_lists_the_legal_actions_of_its_own_seat(self, data: st.DataObject) -> None:
        for match in self.positions(data):
            assert match.view(None)["legal"] == []
            for seat in seats_of(match):
                legal = [self.rules.actions.write(action) for action in self.rules.legal_actions(match.state, seat)]
                assert match.view(seat)["legal"] == legal

    @given(data=st.data())
    def test_json_reads_back_to_the_same_value(self, data: st.DataObject) -> None:
        for match in self.positions(data):
            written = self.rules.states.write(match.state)
            assert self.rules.states.read(json.loads(json.dumps(written))) == match.state
            assert "format" in written
        for action in [*self.every_action(), self.resignation()]:
            assert self.rules.actions.read(json.loads(json.dumps(self.rules.actions.write(action)))) == action
        for entry in match.entries:
            value = json.loads(json.dumps(self.rules.events.write(entry.event)))
            assert self.rules.events.read(value, len(match.heading.seats)) == entry.event

    @given(data=st.data())
    def test_a_record_reads_back_at_any_time_as_json_and_as_text(self, data: st.DataObject) -> None:
        for match in self.positions(data):
            if data.draw(st.integers(0, 29)) == 0 or self.rules.result(match.state):
                record = match.record()
                assert read_record(json.loads(json.dumps(write_record(record)))) == record
                assert read_text(write_text(record)) == record

    @given(data=st.data())
    def test_a_broken_value_is_refused_as_malformed(self, data: st.DataObject) -> None:
        match = data.draw(st.sampled_from(list(self.play(data))))
        seats = len(match.heading.seats)
        actions = [self.rules.actions.write(action) for action in self.every_action()]
        readers = [
            (self.rules.states.read, self.rules.states.write(match.state)),
            (self.rules.actions.read, data.draw(st.sampled_from(actions))),
            (lambda value: self.rules.events.read(value, seats), self._event(data, match)),
            (read_record, write_record(match.record())),
        ]
        for read, value in readers:
            for broken in (without_a_field(data, value, self.hidden_fields), with_a_field_more(data, value)):
                with pytest.raises(Malformed):
                    read(broken)
            with suppress(Malformed):
                read(with_something_else(data, value))

    def _event(self, data: st.DataObject, match: Match) -> Json:
        return self.rules.events.write(data.draw(st.sampled_from(match.entries)).event)

    @given(data=st.data())
    def test_bots_choose_a_legal_action_from_their_view(self, data: st.DataObject) -> None:
        chance = Chance(data.draw(st.binary(max_size=8)), "bot")
        for match in self.positions(data):
            for seat in self.rules.to_act(match.state):
                view = json.loads(json.dumps(match.view(seat)))
                for bot in self.rules.bots.values():
                    assert bot(view, chance) in view["legal"]

    def test_the_stand_in_is_one_of_the_bots(self) -> None:
        assert self.rules.stand_in in self.rules.bots


def seats_of(match: Match) -> range:
    return range(len(match.heading.seats))


JUNK = st.sampled_from([None, True, -1, 0, 3.5, 10**9, "", "north", "zz", "\ud800", [], [1], {}, {"seat": 0}])


def _objects(value: Any) -> list[dict[str, Any]]:
    """The value and every object inside it."""
    if isinstance(value, dict):
        return [value, *(inner for entry in value.values() for inner in _objects(entry))]
    if isinstance(value, list):
        return [inner for entry in value for inner in _objects(entry)]
    return []


def without_a_field(data: st.DataObject, value: Json, hidden: frozenset[str]) -> Json:
    """Leave out one of the fields, but none that is optional."""
    broken = copy.deepcopy(value)
    del broken[data.draw(st.sampled_from(sorted(set(broken) - hidden)))]
    return broken


def with_a_field_more(data: st.DataObject, value: Json) -> Json:
    """Add an unknown field somewhere."""
    broken = copy.deepcopy(value)
    data.draw(st.sampled_from(_objects(broken)))["surprise"] = 1
    return broken


def with_something_else(data: st.DataObject, value: Json) -> Json:
    """Replace one field with junk; by chance the value may still be valid."""
    broken = copy.deepcopy(value)
    place = data.draw(st.sampled_from([place for place in _objects(broken) if place]))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JUNK)
    return broken
