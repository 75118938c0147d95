"""The record of a game (players, options, dice commitment, events) as JSON, and what of it may be shown."""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from service.engine.dice import SEED_BYTES
from service.engine.errors import Malformed
from service.engine.json_reader import Fields, Json, Reader, hexadecimal, list_of, one_of, or_null, refuse, text
from service.engine.registry import GAMES, AnyRules

FORMAT: Final = "marrakech-record/1"
MOST_EVENTS: Final = 10_000
LONGEST_NAME: Final = 200
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TIME: Final = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z")


OLD_LEVELS: Final = {"random": "easy", "greedy": "medium"}
"""What the levels of bots were called in earlier versions; old records and programs still use these names."""


class RecordPlayer(NamedTuple):
    """The player of one seat."""

    name: str
    bot: str | None = None
    """The level of the bot; None for a person."""


class Heading(NamedTuple):
    """Everything about a game except its events."""

    id: str
    game: str
    name: str
    options: Json
    seats: tuple[RecordPlayer, ...]
    commitment: str
    seed: str | None
    """None until the game is over."""

    @property
    def rules(self) -> AnyRules:
        """The rules of the game."""
        return GAMES[self.game]


class Entry(NamedTuple):
    """One event and when it happened."""

    at: str
    event: Any
    stand_in: bool = False
    """Whether a stand-in played for the seat because its time was up."""

    @property
    def mark(self) -> Json:
        """The additional JSON field of an event that a stand-in caused."""
        return {"stand_in": True} if self.stand_in else {}


class Record(NamedTuple):
    """A game, or as much of it as has been played."""

    heading: Heading
    entries: tuple[Entry, ...]

    def states(self) -> list[Any]:
        """Compute the state before the first event and after each."""
        heading = self.heading
        states = [heading.rules.set_up(heading.options, len(heading.seats))]
        for entry in self.entries:
            states.append(heading.rules.evolve(states[-1], entry.event))
        return states


def build_view(heading: Heading, state: Any, head: int, seat: int | None, deadline: str | None = None) -> Json:
    """Build the API's view of a started game: the fields every game has, around those that its rules show the seat."""
    view = heading.rules.view(state, seat)
    over = heading.rules.result(state) is not None
    result = view.pop("result")
    seats = [
        {"seat": number, "name": player.name, **view["seats"][number], "bot": player.bot}
        for number, player in enumerate(heading.seats)
    ]
    return {
        "id": heading.id,
        "game": heading.game,
        "name": heading.name,
        "status": "finished" if over else "playing",
        "head": head,
        "deadline": deadline,
        **view,
        "seats": seats,
        "dice": {"commitment": heading.commitment, "seed": heading.seed if over else None},
        "result": result,
    }


def redact_record(heading: Heading, state: Any, entries: Iterable[Entry]) -> Record:
    """Make the record without anything that is still secret in this state: the seed, hidden piles and choices."""
    rules = heading.rules
    if rules.result(state) is not None:
        return Record(heading, tuple(entries))
    seats = len(heading.seats)
    public = (
        entry._replace(event=rules.events.read(rules.event_view(state, entry.event, None), seats)) for entry in entries
    )
    return Record(heading._replace(seed=None), tuple(public))


def write_record(record: Record) -> Json:
    """Write the record as JSON."""
    heading = record.heading
    rules = heading.rules
    events = [
        {"seq": seq, "at": entry.at, **rules.events.write(entry.event), **entry.mark}
        for seq, entry in enumerate(record.entries, start=1)
    ]
    return {
        "format": FORMAT,
        "id": heading.id,
        "game": heading.game,
        "name": heading.name,
        "options": heading.options,
        "seats": [
            {"seat": seat, "name": name, **rules.seat_assets(len(heading.seats), seat), "bot": bot}
            for seat, (name, bot) in enumerate(heading.seats)
        ],
        "dice": {"commitment": heading.commitment, "seed": heading.seed},
        "events": events,
        "result": next((event["result"] for event in reversed(events) if "result" in event), None),
    }


def read_record(value: object) -> Record:
    """Read the record from JSON; raises `Malformed` with a sentence that names the field."""
    fields = Fields(value, "record")
    fields.take("format", one_of((FORMAT,)))
    game = fields.take("game", one_of(tuple(GAMES)))
    rules = GAMES[game]
    seats = fields.take("seats", list_of(_anything, rules.seats.start, rules.seats.stop - 1))
    dice = Fields(fields.take("dice", _anything), "record.dice")
    heading = Heading(
        id=fields.take("id", read_id),
        game=game,
        name=fields.take("name", text(LONGEST_NAME)),
        options=rules.read_options(fields.take("options", _anything), len(seats)),
        seats=tuple(_read_player(rules, len(seats), seat, player) for seat, player in enumerate(seats)),
        commitment=dice.take("commitment", hexadecimal(SEED_BYTES)),
        seed=dice.take("seed", or_null(hexadecimal(SEED_BYTES))),
    )
    dice.end()
    record = Record(heading, fields.take("events", _make_entries_reader(rules, len(seats))))
    if fields.take("result", _anything) != write_record(record)["result"]:
        raise Malformed("record.result must be the result in the last event, and null while there is none.")
    fields.end()
    return record


def _anything(value: object, where: str) -> object:
    """Accept any value; another reader checks it."""
    return value


def _only_true(value: object, where: str) -> bool:
    """Read a flag that is left out if it is false, so that there is only one way to write it."""
    if value is not True:
        refuse(where, "true, or left out", value)
    return True


def read_id(value: object, where: str) -> str:
    """Read the id of a game."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        refuse(where, "1 to 64 letters, digits, - or _", value)
    return value


def read_time(value: object, where: str) -> str:
    """Read a UTC time such as 2026-11-16T09:30:00Z."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[3]) > _days_in(int(match[1]), int(match[2])):
        refuse(where, "a UTC time such as 2026-11-16T09:30:00Z", value)
    return match[0]


def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def read_level(rules: AnyRules) -> Reader[str]:
    """Make a reader for the level of a bot of this game, which may be written in its old name."""
    check = one_of(tuple(rules.bots))

    def read(value: object, where: str) -> str:
        return check(OLD_LEVELS.get(value, value) if isinstance(value, str) else value, where)

    return read


def read_bot(rules: AnyRules) -> Reader[str | None]:
    """Make a reader for the level of a bot in a record, by the name it had then, or null for a person."""
    check = read_level(rules)

    def read(value: object, where: str) -> str:
        check(value, where)
        return str(value)

    return or_null(read)


def _read_player(rules: AnyRules, seats: int, seat: int, value: object) -> RecordPlayer:
    where = f"record.seats[{seat}]"
    fields = Fields(value, where)
    fields.take("seat", one_of((seat,)))
    player = RecordPlayer(fields.take("name", text(LONGEST_NAME)), fields.take("bot", read_bot(rules)))
    for name, expected in rules.seat_assets(seats, seat).items():
        found = fields.take(name, _anything)
        if found != expected:
            refuse(f"{where}.{name}", repr(expected), found)
    fields.end()
    return player


def _make_entries_reader(rules: AnyRules, seats: int) -> Reader[tuple[Entry, ...]]:
    def read_entries(value: object, where: str) -> tuple[Entry, ...]:
        events = list_of(_anything, 0, MOST_EVENTS)(value, where)
        return tuple(read_entry(event, seq, f"{where}[{seq - 1}]") for seq, event in enumerate(events, start=1))

    def read_entry(value: object, seq: int, where: str) -> Entry:
        fields = Fields(value, where)
        fields.take("seq", one_of((seq,)))
        at = fields.take("at", read_time)
        stand_in = fields.take_or("stand_in", _only_true, False)
        try:
            return Entry(at, rules.events.read(fields.rest(), seats), stand_in)
        except Malformed as problem:
            raise Malformed(f"In {where}: {problem.sentence}") from None

    return read_entries
