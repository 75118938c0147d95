"""One game in memory, from its first event on: for simulations, tests and examples."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from service.engine.dice import Dice, commitment
from service.engine.json_reader import Json
from service.engine.records import Entry, Heading, Record, RecordPlayer, build_view, redact_record
from service.engine.registry import AnyRules


class Match(NamedTuple):
    """A game as an immutable value; `act` returns the next one."""

    heading: Heading
    entries: tuple[Entry, ...]
    state: Any

    @property
    def rules(self) -> AnyRules:
        """The rules of the game."""
        return self.heading.rules

    def dice(self, salt: str = "") -> Dice:
        """Return the game's dice with the salt of an action."""
        return Dice(self.heading.id, bytes.fromhex(self.heading.seed or ""), salt)

    def act(self, seat: int, action: object, salt: str, at: str) -> "Match":
        """Play an action given as JSON; raises `Malformed` or `IllegalAction`."""
        rules = self.rules
        return self.append(rules.decide(self.state, seat, rules.actions.read(action), self.dice(salt)), at)

    def append(self, events: Iterable[Any], at: str) -> "Match":
        """Apply events."""
        entries, state = list(self.entries), self.state
        for event in events:
            entries.append(Entry(at, event))
            state = self.rules.evolve(state, event)
        return Match(self.heading, tuple(entries), state)

    def view(self, seat: int | None) -> Json:
        """Build the view of a seat, or of a spectator (None)."""
        return build_view(self.heading, self.state, len(self.entries), seat)

    def record(self) -> Record:
        """Make the record without what is still secret."""
        return redact_record(self.heading, self.state, self.entries)


def new_heading(
    rules: AnyRules, id_: str, name: str, options: object, players: Iterable[RecordPlayer], seed: bytes
) -> Heading:
    """Make the heading of a new game; raises `Malformed` if the options don't fit."""
    seats = tuple(players)
    return Heading(id_, rules.name, name, rules.read_options(options, len(seats)), seats, commitment(seed), seed.hex())


def start_match(heading: Heading, at: str) -> Match:
    """Start a game; the heading must contain the seed."""
    rules, seats = heading.rules, len(heading.seats)
    match = Match(heading, (), rules.set_up(heading.options, seats))
    return match.append(rules.new_game(heading.options, seats, match.dice()), at)
