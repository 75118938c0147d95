"""Checks a finished game's dice from its record alone, as docs/dice.md describes them."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from gettext import gettext as say
from itertools import pairwise
from typing import Any, Final, NamedTuple

from cli.errors import Refused

Record = dict[str, Any]

_FACES: Final = (1, 2, 2, 3, 3, 4)
_RUGS_OF_A_COLOUR: Final = 12


class Roll(NamedTuple):
    """One roll of the record, and what it should have been."""

    roll: int
    seq: int
    seat: int
    die: int
    expected: int

    @property
    def ok(self) -> bool:
        return self.die == self.expected


class Check(NamedTuple):
    """Something besides the rolls that must agree with the seed."""

    what: str
    ok: bool
    detail: str


class Report(NamedTuple):
    """What came of checking a record."""

    id: str
    checks: list[Check]
    rolls: list[Roll]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks) and all(roll.ok for roll in self.rolls)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "ok": self.ok,
            "checks": [check._asdict() for check in self.checks],
            "rolls": [{**roll._asdict(), "ok": roll.ok} for roll in self.rolls],
        }


class _Numbers:
    """Numbers derived from the seed: the bytes of HMAC-SHA256(seed, `label/k`) for k = 0, 1, …"""

    def __init__(self, seed: bytes, label: str) -> None:
        self._bytes = self._stream(seed, label)

    @staticmethod
    def _stream(seed: bytes, label: str) -> Iterator[int]:
        k = 0
        while True:
            yield from hmac.digest(seed, f"{label}/{k}".encode(), "sha256")
            k += 1

    def below(self, bound: int) -> int:
        fair = 256 - 256 % bound
        return next(byte for byte in self._bytes if byte < fair) % bound

    def shuffled(self, items: Sequence[str]) -> list[str]:
        order = list(items)
        for place in range(len(order) - 1, 0, -1):
            other = self.below(place + 1)
            order[place], order[other] = order[other], order[place]
        return order


def check_record(record: Record, commitment: str | None = None) -> Report:
    """Compute everything again from the seed; the commitment may be one that was noted down before the game."""
    if record["dice"]["seed"] is None:
        raise Refused(say("This game is not over, and its seed is shown only then; verify it when it is."))
    seed, id_ = bytes.fromhex(record["dice"]["seed"]), record["id"]
    events = record["events"]
    checks = [_seed(record, seed, commitment), *_start(record, seed), _numbering(events), _walks(events)]
    rolls = [
        Roll(number, event["seq"], event["seat"], event["die"], _expected(seed, id_, number, event["salt"]))
        for number, event in enumerate(event for event in events if event["type"] == "rolled")
    ]
    return Report(id_, checks, rolls)


def _expected(seed: bytes, id_: str, number: int, salt: str) -> int:
    return _FACES[_Numbers(seed, f"{id_}/roll/{number}/{salt}").below(len(_FACES))]


def _seed(record: Record, seed: bytes, commitment: str | None) -> Check:
    shown = record["dice"]["commitment"]
    if commitment is not None and commitment.lower() != shown:
        return Check("seed", False, say("The record's commitment is not the one that you noted down."))
    if hashlib.sha256(seed).hexdigest() != shown:
        return Check("seed", False, say("The seed is not the one that the commitment promised."))
    return Check("seed", True, say("The seed is the one that the commitment promised."))


def _start(record: Record, seed: bytes) -> Iterator[Check]:
    """Who begins, and with two players the piles."""
    seats, options = record["seats"], record["options"]
    started = next((event for event in record["events"] if event["type"] == "started"), None)
    if started is None:
        yield Check("first", False, say("The record does not say who began."))
        return
    named = options.get("first")
    first = _Numbers(seed, f"{record['id']}/shuffle/first").below(len(seats)) if named is None else named
    words = {"first": started["first"] + 1, "expected": first + 1}
    if started["first"] != first:
        yield Check("first", False, say("Seat %(first)s began, and it should have been seat %(expected)s.") % words)
    else:
        yield Check("first", True, say("Seat %(first)s began, as it should be.") % words)
    if len(seats) == 2:
        yield from _piles(record, seed, started)


def _piles(record: Record, seed: bytes, started: Record) -> Iterator[Check]:
    shown = started.get("piles")
    if shown is None:
        yield Check("piles", False, say("The record does not show the piles."))
        return
    for seat, pile in enumerate(shown):
        stacked = list(record["seats"][seat]["colours"]) * _RUGS_OF_A_COLOUR
        if record["options"].get("pile", "shuffled") == "shuffled":
            stacked = _Numbers(seed, f"{record['id']}/shuffle/pile-{seat}").shuffled(stacked)
        laid = [event["colour"] for event in record["events"] if event["type"] == "laid" and event["seat"] == seat]
        ok = list(pile) == stacked and laid == stacked[: len(laid)]
        good, bad = (
            say("The pile of seat %(seat)s is as it should be."),
            say("The pile of seat %(seat)s is in another order."),
        )
        yield Check(f"pile-{seat}", ok, (good if ok else bad) % {"seat": seat + 1})


def _numbering(events: Sequence[Record]) -> Check:
    """Rolls are counted from 0: one that was left out or put in would shift all that come after it."""
    numbers = [event["roll"] for event in events if event["type"] == "rolled"]
    in_order = numbers == list(range(len(numbers))) and [e["seq"] for e in events] == list(range(1, len(events) + 1))
    if in_order:
        return Check("numbering", True, say("No event and no roll is missing."))
    return Check("numbering", False, say("Events or rolls are missing, or stand in another order."))


def _walks(events: Sequence[Record]) -> Check:
    """Assam walks as far as the die says."""
    for before, event in pairwise(events):
        rolled, moved = before["type"] == "rolled", event["type"] == "moved"
        if rolled != moved or (moved and len(event["path"]) != before["die"]):
            words = {"seq": event["seq"]}
            return Check("walks", False, say("In event %(seq)s Assam did not walk as far as was rolled.") % words)
    return Check("walks", True, say("Assam walked as far as was rolled, each time."))
