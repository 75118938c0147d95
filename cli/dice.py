"""Checks the dice or the draw of a finished game from its record, as docs/dice.md describes."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from cli.errors import Refused

Record = dict[str, Any]

_FACES: Final = (1, 2, 2, 3, 3, 4)
_RUGS_OF_A_COLOUR: Final = 12
_MOTIFS: Final = "BEHST"
_PAIRS: Final = tuple(one + other for place, one in enumerate(_MOTIFS) for other in _MOTIFS[place:])
_TORN: Final = {2: (1, 1, 0), 3: (1, 1, 1), 4: (2, 1, 1), 5: (2, 2, 1)}
"""How many torn dominoes are in each of the three piles, by the number of players."""


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
    """A check of anything but the rolls."""

    what: str
    ok: bool
    detail: str


class Report(NamedTuple):
    """The result of checking a record."""

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
    """Compute everything again from the seed. `commitment` is the one that the player noted before the game."""
    if record["dice"]["seed"] is None:
        raise Refused("This game isn't over yet. You can check its dice or its draw when it is.")
    seed, id_ = bytes.fromhex(record["dice"]["seed"]), record["id"]
    events = record["events"]
    checks = [_seed(record, seed, commitment)]
    if record["game"] == "kilim":
        return Report(id_, [*checks, *_draw(record, seed), _numbering(events)], [])
    checks += [*_start(record, seed), _numbering(events), _walks(events)]
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
        return Check("seed", False, "The commitment in the record isn't the one you noted.")
    if hashlib.sha256(seed).hexdigest() != shown:
        return Check("seed", False, "The seed doesn't match the commitment.")
    return Check("seed", True, "The seed matches the commitment.")


def _start(record: Record, seed: bytes) -> Iterator[Check]:
    """The player who starts and, with two players, the piles."""
    seats, options = record["seats"], record["options"]
    started = next((event for event in record["events"] if event["type"] == "started"), None)
    if started is None:
        yield Check("first", False, "The record doesn't say which player started.")
        return
    named = options.get("first")
    first = _Numbers(seed, f"{record['id']}/shuffle/first").below(len(seats)) if named is None else named
    if started["first"] != first:
        message = f"Seat {started['first'] + 1} started, but it should have been seat {first + 1}."
        yield Check("first", False, message)
    else:
        yield Check("first", True, f"The right player started (seat {first + 1}).")
    if len(seats) == 2:
        yield from _piles(record, seed, started)


def _piles(record: Record, seed: bytes, started: Record) -> Iterator[Check]:
    shown = started.get("piles")
    if shown is None:
        yield Check("piles", False, "The record doesn't contain the piles of rugs.")
        return
    for seat, pile in enumerate(shown):
        stacked = list(record["seats"][seat]["colours"]) * _RUGS_OF_A_COLOUR
        if record["options"].get("pile", "shuffled") == "shuffled":
            stacked = _Numbers(seed, f"{record['id']}/shuffle/pile-{seat}").shuffled(stacked)
        laid = [event["colour"] for event in record["events"] if event["type"] == "laid" and event["seat"] == seat]
        ok = list(pile) == stacked and laid == stacked[: len(laid)]
        order = "right" if ok else "wrong"
        yield Check(f"pile-{seat}", ok, f"The rugs of seat {seat + 1} came in the {order} order.")


def _draw(record: Record, seed: bytes) -> Iterator[Check]:
    """The piles of dominoes, what was set aside, and what was revealed."""
    seats, id_ = len(record["seats"]), record["id"]
    size = 10 if seats == 2 else 15
    torn = _Numbers(seed, f"{id_}/shuffle/torn").shuffled([f"{motif}X" for motif in _MOTIFS])
    piles, aside = [], []
    for group, count in enumerate(_TORN[seats], 1):
        dominoes = _Numbers(seed, f"{id_}/shuffle/group-{group}").shuffled([f"{pair}{group}" for pair in _PAIRS])
        chosen = [*dominoes[: size - count], *torn[:count]]
        piles.append(_Numbers(seed, f"{id_}/shuffle/pile-{group}").shuffled(chosen))
        aside.append(dominoes[size - count :])
        torn = torn[count:]
    started: Record = next((event for event in record["events"] if event["type"] == "started"), {})
    ok = started.get("piles") == piles and started.get("aside") == [*aside, torn]
    yield Check("piles", ok, f"The piles of dominoes are {'right' if ok else 'not those of the seed'}.")
    order = [domino for pile in piles for domino in pile]
    revealed = [event for event in record["events"] if event["type"] == "revealed"]
    wrong = [event for number, event in enumerate(revealed) if [event["domino"]] != order[number : number + 1]]
    if wrong:
        message = f"In round {wrong[0]['round']}, {wrong[0]['domino']} was revealed, but it wasn't next in the pile."
        yield Check("revealed", False, message)
    else:
        yield Check("revealed", True, f"All {len(revealed)} dominoes were revealed in the right order.")


def _numbering(events: Sequence[Record]) -> Check:
    """Rolls are numbered from 0, so a missing or added roll would shift all later ones."""
    numbers = [event["roll"] for event in events if event["type"] == "rolled"]
    in_order = numbers == list(range(len(numbers))) and [e["seq"] for e in events] == list(range(1, len(events) + 1))
    if in_order:
        return Check("numbering", True, "No events or rolls are missing.")
    return Check("numbering", False, "Some events or rolls are missing or out of order.")


def _walks(events: Sequence[Record]) -> Check:
    """Whether Assam always moves as far as the roll."""
    for before, event in pairwise(events):
        rolled, moved = before["type"] == "rolled", event["type"] == "moved"
        if rolled != moved or (moved and len(event["path"]) != before["die"]):
            return Check("walks", False, f"In event {event['seq']}, Assam didn't move as far as the roll.")
    return Check("walks", True, "Assam always moved as far as the roll.")
