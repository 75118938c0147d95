"""The record as text that people can read, and that parses back to the same record."""

import re
from collections.abc import Iterator
from typing import Final

from service.engine.dice import SEED_BYTES
from service.engine.errors import Malformed
from service.engine.json_reader import Json, hexadecimal, one_of, quote, text, unquote
from service.engine.records import (
    LONGEST_NAME,
    MOST_EVENTS,
    Entry,
    Heading,
    Record,
    RecordPlayer,
    read_bot,
    read_id,
    read_time,
)
from service.engine.registry import GAMES, AnyRules

TITLE: Final = "Marrakech by Mail, record 1"
_HIDDEN_SEED: Final = "shown when the game is over"
_STAND_IN: Final = "Stand-in: "
_EVENT: Final = re.compile(r" *(?P<seq>[0-9]{1,5})  (?P<at>\S+)  (?P<sentence>.+)")
_PLAYER: Final = re.compile(r'(?P<label>\w+): (?P<name>"(?:[^"\\]|\\.)*"), with [^,]*(?:, played by (?P<bot>\w+))?')


def write_text(record: Record) -> str:
    """Write the record as text."""
    return "".join(f"{line}\n" for line in _write_lines(record))


def _write_lines(record: Record) -> Iterator[str]:
    heading = record.heading
    yield TITLE
    yield ""
    yield f"Game: {heading.game}"
    yield f"Id: {heading.id}"
    yield f"Name: {quote(heading.name)}"
    yield f"Options: {', '.join(f'{name} {value}' for name, value in heading.options.items())}"
    yield f"Commitment: {heading.commitment}"
    yield f"Seed: {heading.seed or _HIDDEN_SEED}"
    rules = heading.rules
    for seat, player in enumerate(heading.seats):
        bot = f", played by {player.bot}" if player.bot else ""
        assets = rules.seat_assets_in_words(len(heading.seats), seat)
        yield f"{rules.seat_label(seat)}: {quote(player.name)}, with {assets}{bot}"
    turn, states = 0, record.states()
    for seq, (before, after, entry) in enumerate(zip(states, states[1:], record.entries, strict=False), start=1):
        if rules.turn_of(before, after) != turn:
            turn = rules.turn_of(before, after)
            yield ""
            yield f"Turn {turn}"
        mark = _STAND_IN if entry.stand_in else ""
        yield f"{seq:>4}  {entry.at}  {mark}{rules.events.write_text(entry.event)}"


class _LineReader:
    """Reads the lines of a text record one by one; errors contain the line number."""

    def __init__(self, text: str) -> None:
        self.lines = text.removesuffix("\n").split("\n")
        self.number = 0

    def more(self) -> bool:
        return self.number < len(self.lines)

    def take(self) -> str:
        if not self.more():
            raise Malformed("the record breaks off here.", len(self.lines))
        self.number += 1
        return self.lines[self.number - 1]

    def take_field(self, name: str) -> str:
        line = self.take()
        if not line.startswith(f"{name}: "):
            raise self.error(f"this line must begin with {name + ': '!r}.")
        return line.removeprefix(f"{name}: ")

    def error(self, sentence: str) -> Malformed:
        return Malformed(sentence, self.number)


def read_text(text: str) -> Record:
    """Read the record from text; raises `Malformed` with the number of the first wrong line."""
    lines = _LineReader(text)
    try:
        record = _read_record(lines)
    except Malformed as error:
        if error.line is not None:
            raise
        raise lines.error(error.sentence) from None
    _compare(lines.lines, list(_write_lines(record)))
    return record


def _compare(found: list[str], expected: list[str]) -> None:
    """Refuse text that was parsed but would be written differently: a wrong turn, spacing or colour."""
    for number, (line, wanted) in enumerate(zip(found, expected, strict=False), start=1):
        if line != wanted:
            raise Malformed(f"this line must read {wanted[:120]!r}.", number)
    if len(found) != len(expected):
        raise Malformed("the record should end before this line.", len(expected) + 1)


def _read_record(lines: _LineReader) -> Record:
    if lines.take() != TITLE:
        raise lines.error(f"a record begins with {TITLE!r}.")
    lines.take()
    game = one_of(tuple(GAMES))(lines.take_field("Game"), "Game")
    rules = GAMES[game]
    id_ = read_id(lines.take_field("Id"), "Id")
    name = text(LONGEST_NAME)(unquote(lines.take_field("Name")), "Name")
    options_line = lines.number + 1
    options = _read_options(lines.take_field("Options"))
    commitment = hexadecimal(SEED_BYTES)(lines.take_field("Commitment"), "Commitment")
    seed = lines.take_field("Seed")
    if seed != _HIDDEN_SEED:
        hexadecimal(SEED_BYTES)(seed, "Seed")
    seats = tuple(_read_players(lines, rules))
    try:
        options = rules.read_options(options, len(seats))
    except Malformed as error:
        raise Malformed(error.sentence, options_line) from None
    heading = Heading(id_, game, name, options, seats, commitment, None if seed == _HIDDEN_SEED else seed)
    return Record(heading, tuple(_read_entries(lines, rules, len(seats))))


def _read_options(line: str) -> Json:
    """Read the options as JSON; the rules of the game check them."""
    options: Json = {}
    for option in line.split(", "):
        name, _, value = option.partition(" ")
        options[name] = int(value) if re.fullmatch("[0-9]{1,4}", value) else value
    return options


def _read_players(lines: _LineReader, rules: AnyRules) -> Iterator[RecordPlayer]:
    """Read one player per line, up to the next empty line."""
    seat = 0
    while lines.more() and (line := lines.take()):
        match = _PLAYER.fullmatch(line)
        if match is None or seat >= rules.seats.stop - 1 or match["label"] != rules.seat_label(seat):
            raise lines.error("this line must name the next seat and who sits there.")
        yield RecordPlayer(
            text(LONGEST_NAME)(unquote(match["name"]), "name"), read_bot(rules)(match["bot"], "played by")
        )
        seat += 1


def _read_entries(lines: _LineReader, rules: AnyRules, seats: int) -> Iterator[Entry]:
    seq = 0
    while lines.more():
        line = lines.take()
        if not line or line.startswith("Turn "):
            continue
        seq += 1
        match = _EVENT.fullmatch(line)
        if match is None or int(match["seq"]) != seq or seq > MOST_EVENTS:
            raise lines.error(f"this line must be event {seq}: its number, its time and what happened.")
        sentence = match["sentence"].removeprefix(_STAND_IN)
        event = rules.events.read_text(sentence, seats)
        yield Entry(read_time(match["at"], "the time"), event, stand_in=sentence != match["sentence"])
