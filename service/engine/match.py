"""One game in memory, from its first event on: what `simulate`, the tests and the examples play on."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from service.engine.dice import Dice, commitment
from service.engine.json_reader import Json
from service.engine.records import Entry, Heading, Record, RecordPlayer, build_view, redact_record
from service.engine.registry import AnyRules


class Match(NamedTuple):
    """A game as an immutable value; `act` gives the next one."""

    heading: Heading
    entries: tuple[Entry, ...]
    state: Any

    @property
    def rules(self) -> AnyRules:
        """The rules of the game that is played."""
        return self.heading.rules

    def dice(self, salt: str = "") -> Dice:
        """The game's dice together with the salt of one action."""
        return Dice(self.heading.id, bytes.fromhex(self.heading.seed or ""), salt)

    def act(self, seat: int, action: object, salt: str, at: str) -> "Match":
        """The table after this action, given as JSON; raises `Malformed` or `IllegalAction`."""
        rules = self.rules
        return self.after(rules.decide(self.state, seat, rules.actions.read(action), self.dice(salt)), at)

    def after(self, events: Iterable[Any], at: str) -> "Match":
        """The table after these events."""
        entries, state = list(self.entries), self.state
        for event in events:
            entries.append(Entry(at, event))
            state = self.rules.evolve(state, event)
        return Match(self.heading, tuple(entries), state)

    def view(self, seat: int | None) -> Json:
        """The whole view of the game for this seat; None is an onlooker."""
        return build_view(self.heading, self.state, len(self.entries), seat)

    def record(self) -> Record:
        """The record as it may be shown now."""
        return redact_record(self.heading, self.state, self.entries)


def start_match(heading: Heading, at: str) -> Match:
    """A new game with its first events; the heading must hold the seed."""
    rules, seats = heading.rules, len(heading.seats)
    table = Match(heading, (), rules.set_up(heading.options, seats))
    return table.after(rules.new_game(heading.options, seats, table.dice()), at)


def new_heading(
    rules: AnyRules, id_: str, name: str, options: object, sitters: Iterable[RecordPlayer], seed: bytes
) -> Heading:
    """The heading of a game that is about to start; raises `Malformed` where the options do not fit."""
    seats = tuple(sitters)
    return Heading(id_, rules.name, name, rules.read_options(options, len(seats)), seats, commitment(seed), seed.hex())
