"""What every game must keep, whatever it is: each game's test class inherits `RulesContract`.

Hypothesis plays whole games through it with random legal actions, tries every other action on the way, and now and
then lets somebody resign.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
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
    """A game says which rules it has and answers the questions below; the tests are the same for all."""

    rules: ClassVar[AnyRules]
    setups: ClassVar[Sequence[tuple[Json, int]]]
    """Options and numbers of seats to play with."""

    hidden_fields: ClassVar[frozenset[str]]
    """The fields that an event leaves out as long as they are secret."""

    def every_action(self) -> Iterable[Any]:
        """Every action that can be written down at all, but resigning."""
        raise NotImplementedError

    def resignation(self) -> Any:
        """The action of leaving the game."""
        raise NotImplementedError

    def still_in(self, state: Any) -> Iterable[int]:
        """The seats that may still resign."""
        raise NotImplementedError

    def check_pieces(self, before: Any, after: Any) -> None:
        """Assert that nothing came from nowhere: money, rugs, cards."""
        raise NotImplementedError

    def unknowable(self, state: Any, seat: int | None) -> Iterator[Any]:
        """States that differ from this one only in what the seat must not know."""
        raise NotImplementedError

    # What the tests below play with.

    _is_guest: bool
    """Whether the game is listed for its tests only."""

    @classmethod
    def setup_class(cls) -> None:
        cls._is_guest = cls.rules.name not in GAMES
        if cls._is_guest:
            register(cls.rules)

    @classmethod
    def teardown_class(cls) -> None:
        if cls._is_guest:
            unregister(cls.rules.name)

    def open(self, data: st.DataObject) -> Match:
        options, seats = data.draw(st.sampled_from(self.setups), label="setup")
        seed = data.draw(st.binary(min_size=32, max_size=32), label="seed")
        sitters = [RecordPlayer(f"Player {seat}") for seat in range(seats)]
        return start_match(new_heading(self.rules, "game", "A game", options, sitters, seed), NOW)

    def play(self, data: st.DataObject, *, resign: bool = True) -> Iterator[Match]:
        """The table at the start and after each action of a whole game."""
        table = self.open(data)
        yield table
        for _ in range(MOST_STEPS):
            waiting = sorted(self.rules.to_act(table.state))
            if not waiting:
                return
            if resign and data.draw(st.integers(0, 79), label="anybody leaving?") == 79:
                seat = data.draw(st.sampled_from(sorted(self.still_in(table.state))), label="who leaves")
                action = self.resignation()
            else:
                seat = data.draw(st.sampled_from(waiting), label="seat")
                action = data.draw(st.sampled_from(self.rules.legal_actions(table.state, seat)), label="action")
            table = table.after(self.rules.decide(table.state, seat, action, table.dice("salt")), NOW)
            yield table
        pytest.fail(f"The game did not end within {MOST_STEPS} actions.")

    # The contract.

    @given(data=st.data())
    def test_replaying_the_stored_events_equals_folding_them(self, data: st.DataObject) -> None:
        *_, table = self.play(data)
        stored = json.loads(json.dumps([self.rules.events.write(entry.event) for entry in table.entries]))
        heading = table.heading
        state = self.rules.set_up(heading.options, len(heading.seats))
        for value in stored:
            state = self.rules.evolve(state, self.rules.events.read(value, len(heading.seats)))
        assert state == table.state
        assert table.record().states()[-1] == table.state

    @given(data=st.data())
    def test_every_legal_action_is_accepted_and_every_other_is_refused_and_changes_nothing(
        self, data: st.DataObject
    ) -> None:
        for table in self.play(data):
            state, dice = table.state, table.dice("salt")
            before = copy.deepcopy(state)
            for seat in range(len(table.heading.seats)):
                legal = self.rules.legal_actions(state, seat)
                assert len(set(legal)) == len(legal)
                for action in self.every_action():
                    assert self._is_accepted(state, seat, action, dice) == (action in legal)
            assert state == before

    def _is_accepted(self, state: Any, seat: int, action: Any, dice: Dice) -> bool:
        """Whether something comes of the action; asked too often for `pytest.raises`."""
        try:
            return bool(self.rules.decide(state, seat, action, dice))
        except IllegalAction:
            return False

    @given(data=st.data())
    def test_whoever_is_in_may_resign_at_any_time_and_nobody_else(self, data: st.DataObject) -> None:
        for table in self.play(data):
            staying = set(self.still_in(table.state)) if self.rules.result(table.state) is None else set()
            for seat in range(-1, len(table.heading.seats) + 1):
                if seat in staying:
                    assert self.rules.decide(table.state, seat, self.resignation(), table.dice())
                else:
                    with pytest.raises(IllegalAction):
                        self.rules.decide(table.state, seat, self.resignation(), table.dice())

    @given(data=st.data())
    def test_the_game_waits_for_somebody_until_it_is_over_and_then_for_nobody(self, data: st.DataObject) -> None:
        for table in self.play(data):
            waiting, result = self.rules.to_act(table.state), self.rules.result(table.state)
            assert bool(waiting) == (result is None)
            assert all(self.rules.legal_actions(table.state, seat) for seat in waiting)
        assert result is not None
        assert sorted(result.ranking) == list(range(len(table.heading.seats)))
        assert set(result.winners) == set(result.ranking[: len(result.winners)])
        for action in [*self.every_action(), self.resignation()]:
            with pytest.raises(GameOver):
                self.rules.decide(table.state, 0, action, table.dice())

    @given(data=st.data())
    def test_nothing_comes_from_nowhere(self, data: st.DataObject) -> None:
        tables = self.play(data)
        before = next(tables)
        for table in tables:
            self.check_pieces(before.state, table.state)
            before = table

    @given(data=st.data())
    def test_the_same_action_with_the_same_dice_always_comes_to_the_same(self, data: st.DataObject) -> None:
        for table in self.play(data):
            for seat in self.rules.to_act(table.state):
                action = self.rules.legal_actions(table.state, seat)[0]
                once = self.rules.decide(table.state, seat, action, table.dice("x"))
                assert once == self.rules.decide(table.state, seat, action, table.dice("x"))

    @given(data=st.data())
    def test_a_view_gives_nothing_away(self, data: st.DataObject) -> None:
        for table in self.play(data):
            for seat in (None, *range(len(table.heading.seats))):
                seen = self.rules.view(table.state, seat)
                for other in self.unknowable(table.state, seat):
                    assert other != table.state
                    assert self.rules.view(other, seat) == seen
            over = self.rules.result(table.state) is not None
            assert (str(table.heading.seed) in json.dumps(table.view(0))) == over
            assert (table.record().heading.seed is not None) == over

    @given(data=st.data())
    def test_legal_actions_are_shown_to_the_seat_they_belong_to(self, data: st.DataObject) -> None:
        for table in self.play(data):
            assert table.view(None)["legal"] == []
            for seat in range(len(table.heading.seats)):
                legal = [self.rules.actions.write(action) for action in self.rules.legal_actions(table.state, seat)]
                assert table.view(seat)["legal"] == legal

    @given(data=st.data())
    def test_json_goes_both_ways(self, data: st.DataObject) -> None:
        for table in self.play(data):
            written = self.rules.states.write(table.state)
            assert self.rules.states.read(json.loads(json.dumps(written))) == table.state
            assert "format" in written
        for action in [*self.every_action(), self.resignation()]:
            assert self.rules.actions.read(json.loads(json.dumps(self.rules.actions.write(action)))) == action
        for entry in table.entries:
            value = json.loads(json.dumps(self.rules.events.write(entry.event)))
            assert self.rules.events.read(value, len(table.heading.seats)) == entry.event

    @given(data=st.data())
    def test_a_record_reads_back_at_any_time_as_json_and_as_text(self, data: st.DataObject) -> None:
        for table in self.play(data):
            if data.draw(st.integers(0, 29)) == 0 or self.rules.result(table.state):
                record = table.record()
                assert read_record(json.loads(json.dumps(write_record(record)))) == record
                assert read_text(write_text(record)) == record

    @given(data=st.data())
    def test_whatever_is_broken_in_a_value_is_refused_as_malformed(self, data: st.DataObject) -> None:
        table = data.draw(st.sampled_from(list(self.play(data))))
        seats = len(table.heading.seats)
        actions = [self.rules.actions.write(action) for action in self.every_action()]
        readers = [
            (self.rules.states.read, self.rules.states.write(table.state)),
            (self.rules.actions.read, data.draw(st.sampled_from(actions))),
            (lambda value: self.rules.events.read(value, seats), self._event(data, table)),
            (read_record, write_record(table.record())),
        ]
        for read, value in readers:
            for broken in (without_a_field(data, value, self.hidden_fields), with_a_field_more(data, value)):
                with pytest.raises(Malformed):
                    read(broken)
            with suppress(Malformed):
                read(with_something_else(data, value))

    def _event(self, data: st.DataObject, table: Match) -> Json:
        return self.rules.events.write(data.draw(st.sampled_from(table.entries)).event)

    @given(data=st.data())
    def test_its_own_players_see_only_their_view_and_always_move_legally(self, data: st.DataObject) -> None:
        chance = Chance(data.draw(st.binary(max_size=8)), "bot")
        for table in self.play(data):
            for seat in self.rules.to_act(table.state):
                view = json.loads(json.dumps(table.view(seat)))
                for bot in self.rules.bots.values():
                    assert bot(view, chance) in view["legal"]


JUNK = st.sampled_from([None, True, -1, 0, 3.5, 10**9, "", "north", "zz", "\ud800", [], [1], {}, {"seat": 0}])


def _objects(value: Any) -> list[dict[str, Any]]:
    """The value and every object inside it."""
    if isinstance(value, dict):
        return [value, *(inner for entry in value.values() for inner in _objects(entry))]
    if isinstance(value, list):
        return [inner for entry in value for inner in _objects(entry)]
    return []


def without_a_field(data: st.DataObject, value: Json, hidden: frozenset[str]) -> Json:
    """The value with one of its own fields left out, but none that may be left out."""
    broken = copy.deepcopy(value)
    del broken[data.draw(st.sampled_from(sorted(set(broken) - hidden)))]
    return broken


def with_a_field_more(data: st.DataObject, value: Json) -> Json:
    """The value with a field nobody knows, somewhere in it."""
    broken = copy.deepcopy(value)
    data.draw(st.sampled_from(_objects(broken)))["surprise"] = 1
    return broken


def with_something_else(data: st.DataObject, value: Json) -> Json:
    """The value with junk in one of its places; by chance it may still be sound."""
    broken = copy.deepcopy(value)
    place = data.draw(st.sampled_from([place for place in _objects(broken) if place]))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JUNK)
    return broken
