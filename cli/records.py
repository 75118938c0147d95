"""Reads a record, as JSON or as text, with everything needed to check its dice."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from cli.errors import UsageError

Record = dict[str, Any]

FORMAT: Final = "marrakech-record/1"
TITLE: Final = "Marrakech by Mail, record 1"
_HIDDEN: Final = "shown when the game is over"
_HEX: Final = re.compile("[0-9a-f]{64}")
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
_PLAYER: Final = re.compile(rf"(\w+): ({_QUOTED}), with (\w+)(?: and (\w+))? (?:rugs|cards)(?:, played by \w+)?")
_EVENT: Final = re.compile(r" *(?P<seq>\d{1,5})  (?P<at>\S+)  (?P<stand_in>Stand-in: )?(?P<words>.+)")
_STARTED: Final = re.compile(
    r"(?P<first>\w+) begins; Assam stands on \w\d and faces \w+\."
    r"(?: The piles are (?P<one>[A-Z]+) for \w+ and (?P<two>[A-Z]+) for \w+\.)?"
)
_ROLLED: Final = re.compile(rf"(?P<seat>\w+) rolls (?P<die>\d+) \(roll (?P<roll>\d+), salt (?P<salt>{_QUOTED})\)\.")
_MOVED: Final = re.compile(r"(?P<seat>\w+) walks Assam along (?P<path>[a-g][1-7](?: [a-g][1-7])*), facing \w+\.")
_LAID: Final = re.compile(r"(?P<seat>\w+) lays (?P<colour>\w+) rug \d+ on [a-g][1-7]-[a-g][1-7]\.")
_OTHER: Final = re.compile(
    r"\w+ sends Assam .+|\w+ pays .+|\w+ cannot pay and is out\.|\w+ turns Assam .+|\w+ resigns\."
    r"|All rugs are laid\. .+|One player is left\. .+"
)
_LOOMS: Final = re.compile(r"The looms are empty\.(?: Piles: (?P<piles>[^.]+)\. Aside: (?P<aside>[^.]+)\.)?")
_REVEALED: Final = re.compile(r"Round (?P<round>\d+) of day \d shows (?P<domino>\w+); on offer [\w ]+\.")
_OTHER_IN_KILIM: Final = re.compile(
    r"\w+ (?:plays|bids) in round \d+(?:: .+)?\.|Round \d+ (?:cards|bids|paid): .+|\w+ keeps a scrap(?:: \w+)?\."
    r"|\w+ takes the token .+|\w+ weaves .+|\w+ patches .+|\w+ uses .+|Evening of day \d\.|\w+ (?:passes|resigns)\."
    r"|The days are over\. .+|One weaver is left\. .+"
)


def read_record(words: str) -> Record:
    """Read a record, or raise a `UsageError` that says what's wrong with it."""
    try:
        return _from_text(words) if words.startswith(TITLE) else _from_json(words)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise _bad(f"something is missing or has the wrong type ({error})") from error


def _bad(what: str) -> UsageError:
    return UsageError(f"This isn't a valid game record: {what[:200]}. Download it again with: marrakech-cli record")


def _from_json(words: str) -> Record:
    try:
        record = json.loads(words)
    except ValueError:
        raise _bad("it's neither JSON nor a text record") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise _bad(f"its format isn't {FORMAT}")
    _check(record)
    return record


def _check(record: Record) -> None:
    """Refuse a record whose dice can't be checked."""
    seed = record["dice"]["seed"]
    for value in (record["dice"]["commitment"], *([] if seed is None else [seed])):
        if not _HEX.fullmatch(value):
            raise _bad("the seed and the commitment must have 64 hexadecimal digits")
    seats = len(record["seats"])
    if record["game"] not in ("marrakech", "kilim"):
        raise _bad("this client doesn't know its game")
    if not isinstance(record["id"], str) or not 2 <= seats <= 5 or not isinstance(record["options"], dict):
        raise _bad("it needs an id, options and 2 to 5 seats")
    for event in record["events"]:
        if type(event["seq"]) is not int or not isinstance(event["type"], str):
            raise _bad("every event needs a number and a type")
        if event["type"] == "rolled":
            _check_roll(event, seats)
        if event["type"] == "revealed" and not (type(event["round"]) is int and isinstance(event["domino"], str)):
            raise _bad(f"event {event['seq']} doesn't say what was revealed")


def _check_roll(event: Record, seats: int) -> None:
    numbers = all(type(event[name]) is int for name in ("seat", "die", "roll"))
    if not numbers or event["seat"] not in range(seats) or not isinstance(event["salt"], str):
        raise _bad(f"event {event['seq']} isn't a valid roll")


def _from_text(words: str) -> Record:
    lines = words.splitlines()
    fields = dict(line.split(": ", 1) for line in lines[2:8])
    players = list(_players(lines[8:]))
    seed = fields["Seed"]
    record: Record = {
        "format": FORMAT,
        "game": fields["Game"],
        "id": fields["Id"],
        "options": _options(fields["Options"]),
        "seats": [{"seat": seat, "name": name, "colours": colours} for seat, (_, name, colours) in enumerate(players)],
        "dice": {"commitment": fields["Commitment"], "seed": None if seed == _HIDDEN else seed},
        "events": list(_events(lines[8 + len(players) :], 9 + len(players), [call for call, _, _ in players])),
    }
    _check(record)
    return record


def _options(words: str) -> Record:
    pairs = (option.split(" ", 1) for option in words.split(", "))
    return {name: int(value) if value.isdecimal() else value for name, value in pairs}


def _players(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """For each seat: its label in the sentences, the player's name, and its colours."""
    for line in lines:
        found = _PLAYER.fullmatch(line)
        if found is None:
            return
        yield found[1], json.loads(found[2]), [colour for colour in (found[3], found[4]) if colour]


def _events(lines: list[str], number: int, calls: list[str]) -> Iterator[Record]:
    for place, line in enumerate(lines, number):
        if not line or re.fullmatch(r"Turn \d+", line):
            continue
        found = _EVENT.fullmatch(line)
        event = found and _event(found["words"], calls)
        if not found or event is None:
            raise _bad(f"line {place} can't be read")
        mark = {"stand_in": True} if found["stand_in"] else {}
        yield {"seq": int(found["seq"]), "at": found["at"], **event, **mark}


def _event(words: str, calls: list[str]) -> Record | None:
    """The event, with the fields that the checks need."""
    if found := _ROLLED.fullmatch(words):
        numbers = {"die": int(found["die"]), "roll": int(found["roll"])}
        return {"type": "rolled", "seat": calls.index(found["seat"]), **numbers, "salt": json.loads(found["salt"])}
    if found := _MOVED.fullmatch(words):
        return {"type": "moved", "seat": calls.index(found["seat"]), "path": found["path"].split()}
    if found := _LAID.fullmatch(words):
        return {"type": "laid", "seat": calls.index(found["seat"]), "colour": found["colour"]}
    if found := _STARTED.fullmatch(words):
        piles = {"piles": [_pile(found["one"]), _pile(found["two"])]} if found["one"] else {}
        return {"type": "started", "first": calls.index(found["first"]), **piles}
    if found := _LOOMS.fullmatch(words):
        lists = {name: _dominoes(found[name]) for name in ("piles", "aside") if found[name]}
        return {"type": "started", **lists}
    if found := _REVEALED.fullmatch(words):
        return {"type": "revealed", "round": int(found["round"]), "domino": found["domino"]}
    return {"type": "other"} if _OTHER.fullmatch(words) or _OTHER_IN_KILIM.fullmatch(words) else None


def _dominoes(words: str) -> list[list[str]]:
    return [[] if each == "nothing" else each.split() for each in words.split("; ")]


def _pile(letters: str) -> list[str]:
    colours = {colour[0].upper(): colour for colour in ("red", "blue", "yellow", "green")}
    return [colours[letter] for letter in letters]
