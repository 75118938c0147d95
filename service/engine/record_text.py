"""The record as text that people can read aloud, and that reads back to the very same record."""

import re
from collections.abc import Iterator
from typing import Final

from service.engine.dice import SEED_BYTES
from service.engine.errors import Malformed
from service.engine.json_reader import Json, hexadecimal, one_of, quoted, text, unquoted
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
_EVENT: Final = re.compile(r" *(?P<seq>[0-9]{1,5})  (?P<at>\S+)  (?P<words>.+)")
_SITTER: Final = re.compile(r'(?P<call>\w+): (?P<name>"(?:[^"\\]|\\.)*"), with [^,]*(?:, played by (?P<bot>\w+))?')


def write_text(record: Record) -> str:
    """The record as text."""
    return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: Record) -> Iterator[str]:
    heading = record.heading
    yield TITLE
    yield ""
    yield f"Game: {heading.game}"
    yield f"Id: {heading.id}"
    yield f"Name: {quoted(heading.name)}"
    yield f"Options: {', '.join(f'{name} {value}' for name, value in heading.options.items())}"
    yield f"Commitment: {heading.commitment}"
    yield f"Seed: {heading.seed or _HIDDEN_SEED}"
    rules = heading.rules
    for seat, sitter in enumerate(heading.seats):
        played = f", played by {sitter.bot}" if sitter.bot else ""
        seat_assets = rules.seat_assets_in_words(len(heading.seats), seat)
        yield f"{rules.seat_label(seat)}: {quoted(sitter.name)}, with {seat_assets}{played}"
    turn = 0
    for seq, (before, entry) in enumerate(zip(record.states(), record.entries, strict=False), start=1):
        if rules.turn(before) != turn:
            turn = rules.turn(before)
            yield ""
            yield f"Turn {turn}"
        mark = _STAND_IN if entry.stand_in else ""
        yield f"{seq:>4}  {entry.at}  {mark}{rules.events.write_text(entry.event)}"


class _Page:
    """The lines of a text record, taken from the top; a refusal names the line."""

    def __init__(self, words: str) -> None:
        self.lines = words.removesuffix("\n").split("\n")
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
            raise self.problem(f"this line must begin with {name + ': '!r}.")
        return line.removeprefix(f"{name}: ")

    def problem(self, sentence: str) -> Malformed:
        return Malformed(sentence, self.number)


def read_text(words: str) -> Record:
    """The record that was written so; raises `Malformed` with the number of the line that is broken."""
    page = _Page(words)
    try:
        record = _record(page)
    except Malformed as problem:
        if problem.line is not None:
            raise
        raise page.problem(problem.sentence) from None
    _compare(page.lines, list(_lines(record)))
    return record


def _compare(found: list[str], expected: list[str]) -> None:
    """Refuse what was read but would not have been written so: a wrong turn, spacing, a colour."""
    for number, (line, wanted) in enumerate(zip(found, expected, strict=False), start=1):
        if line != wanted:
            raise Malformed(f"this line must read {wanted[:120]!r}.", number)
    if len(found) != len(expected):
        raise Malformed("the record should end before this line.", len(expected) + 1)


def _record(page: _Page) -> Record:
    if page.take() != TITLE:
        raise page.problem(f"a record begins with {TITLE!r}.")
    page.take()
    game = one_of(tuple(GAMES))(page.take_field("Game"), "Game")
    rules = GAMES[game]
    id_ = read_id(page.take_field("Id"), "Id")
    name = text(LONGEST_NAME)(unquoted(page.take_field("Name")), "Name")
    options_line = page.number + 1
    options = _options(page.take_field("Options"))
    commitment = hexadecimal(SEED_BYTES)(page.take_field("Commitment"), "Commitment")
    seed = page.take_field("Seed")
    if seed != _HIDDEN_SEED:
        hexadecimal(SEED_BYTES)(seed, "Seed")
    seats = tuple(_sitters(page, rules))
    try:
        options = rules.read_options(options, len(seats))
    except Malformed as problem:
        raise Malformed(problem.sentence, options_line) from None
    heading = Heading(id_, game, name, options, seats, commitment, None if seed == _HIDDEN_SEED else seed)
    return Record(heading, tuple(_entries(page, rules, len(seats))))


def _options(words: str) -> Json:
    """The options as they stand there; the rules of the game judge them."""
    options: Json = {}
    for option in words.split(", "):
        name, _, value = option.partition(" ")
        options[name] = int(value) if re.fullmatch("[0-9]{1,4}", value) else value
    return options


def _sitters(page: _Page, rules: AnyRules) -> Iterator[RecordPlayer]:
    """The lines up to the next empty one."""
    seat = 0
    while page.more() and (line := page.take()):
        match = _SITTER.fullmatch(line)
        if match is None or seat >= rules.seats.stop - 1 or match["call"] != rules.seat_label(seat):
            raise page.problem("this line must name the next seat and who sits there.")
        yield RecordPlayer(
            text(LONGEST_NAME)(unquoted(match["name"]), "name"), read_bot(rules)(match["bot"], "played by")
        )
        seat += 1


def _entries(page: _Page, rules: AnyRules, seats: int) -> Iterator[Entry]:
    seq = 0
    while page.more():
        line = page.take()
        if not line or line.startswith("Turn "):
            continue
        seq += 1
        match = _EVENT.fullmatch(line)
        if match is None or int(match["seq"]) != seq or seq > MOST_EVENTS:
            raise page.problem(f"this line must be event {seq}: its number, its time and what happened.")
        words = match["words"].removeprefix(_STAND_IN)
        event = rules.events.read_text(words, seats)
        yield Entry(read_time(match["at"], "the time"), event, words != match["words"])
