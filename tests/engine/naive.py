"""The rules once more, on strings and dicts and with no thought of speed: what the engine is compared with.

Nothing here comes from the engine. The walks are read from `data/walks.txt`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

Stand = tuple[str, str]
"""A square and the way Assam faces on it."""

COMPASS: Final = ("north", "east", "south", "west")
SQUARES: Final = tuple(file + rank for file in "abcdefg" for rank in "1234567")


def read_walks() -> dict[Stand, tuple[Stand, ...]]:
    """For each stand the four that follow it, one for each step."""
    walks: dict[Stand, tuple[Stand, ...]] = {}
    for line in (Path(__file__).parent / "data" / "walks.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            start, _, steps = line.replace("*", "").partition("|")
            walks[_stand(start)] = tuple(_stand(step) for step in steps.split(";"))
    return walks


def _stand(words: str) -> Stand:
    square, facing = words.split()
    return square, facing


WALKS: Final = read_walks()


@dataclass(frozen=True)
class Market:
    """A position. Rugs are written as in the drawings, `R1`; players are the letters of their first colour."""

    rugs: dict[str, str]
    stand: Stand
    phase: str
    mover: str
    dirhams: dict[str, int]
    hands: dict[str, str]
    """For each player still in, the letters of the rugs he has left, the next one first."""
    rotate_after: bool = False

    def text(self) -> str:
        """The position in one line, for comparing."""
        rugs = " ".join(f"{square}={rug}" for square, rug in sorted(self.rugs.items()))
        purses = " ".join(f"{player}{self.dirhams[player]}" for player in sorted(self.dirhams))
        left = " ".join(f"{player}{len(hand)}" for player, hand in sorted(self.hands.items()))
        turn = self.phase if self.phase == "over" else f"{self.mover} {self.phase}"
        return f"{turn} {' '.join(self.stand)} | {purses} | {left} | {rugs}"


def touch(one: str, other: str) -> bool:
    """Whether two squares share an edge."""
    across, along = abs(ord(one[0]) - ord(other[0])), abs(int(one[1]) - int(other[1]))
    return across + along == 1


def children(market: Market) -> Iterator[Market]:
    """Every position one action on, a roll of 1, 2, 3 and 4 being four positions."""
    if market.phase == "direction":
        for quarters in (-1, 0, 1):
            yield from _walked(_turned(market, quarters))
    elif market.phase == "placement":
        for one in SQUARES:
            for other in SQUARES:
                if one < other and _may_lie(market, one, other):
                    yield _laid(market, one, other)
    elif market.phase == "rotation":
        for quarters in (-1, 1):
            yield from _walked(_passed_on(_turned(market, quarters)))


def leaves(market: Market, depth: int) -> Iterator[Market]:
    """Every position so many actions on."""
    if depth == 0:
        yield market
    else:
        for child in children(market):
            yield from leaves(child, depth - 1)


def _turned(market: Market, quarters: int) -> Market:
    square, facing = market.stand
    return replace(market, stand=(square, COMPASS[(COMPASS.index(facing) + quarters) % 4]))


def _may_lie(market: Market, one: str, other: str) -> bool:
    assam = market.stand[0]
    if not touch(one, other) or assam in (one, other) or not (touch(assam, one) or touch(assam, other)):
        return False
    under = {market.rugs.get(one), market.rugs.get(other)}
    return len(under) == 2 or under == {None}


def _laid(market: Market, one: str, other: str) -> Market:
    hand = market.hands[market.mover]
    number = 1 + max((int(rug[1:]) for rug in market.rugs.values()), default=0)
    rug = f"{hand[0]}{number}"
    hands = market.hands | {market.mover: hand[1:]}
    after = replace(market, rugs=market.rugs | {one: rug, other: rug}, hands=hands)
    if not any(hands.values()):
        return replace(after, phase="over")
    return replace(after, phase="rotation") if market.rotate_after else _passed_on(after)


def _passed_on(market: Market) -> Market:
    order = "RBYG"[: len(market.dirhams)] * 2
    later = order[order.index(market.mover) + 1 :]
    return replace(market, mover=next(player for player in later if market.hands.get(player)), phase="direction")


def _walked(market: Market) -> Iterator[Market]:
    for steps in WALKS[market.stand]:
        arrived = replace(market, stand=steps, phase="placement")
        owner, due = _toll(arrived)
        purse = market.dirhams[market.mover]
        paid = min(due, purse)
        moved = {market.mover: purse - paid, owner: market.dirhams[owner] + paid} if due else {}
        after = replace(arrived, dirhams=market.dirhams | moved)
        if due <= purse:
            yield after
        else:
            yield from _without_mover(after)


def _without_mover(market: Market) -> Iterator[Market]:
    hands = {player: hand for player, hand in market.hands.items() if player != market.mover}
    after = replace(market, hands=hands)
    if len(hands) == 1 or not any(hands.values()):
        yield replace(after, phase="over")
    elif market.rotate_after:
        yield from _walked(_passed_on(after))
    else:
        yield _passed_on(after)


def _toll(market: Market) -> tuple[str, int]:
    """Whom the mover must pay where Assam stands, and how much."""
    square = market.stand[0]
    rug = market.rugs.get(square)
    if rug is None:
        return market.mover, 0
    owner = rug[0] if len(market.dirhams) > 2 else {"Y": "R", "G": "B"}.get(rug[0], rug[0])
    if owner == market.mover or owner not in market.hands:
        return owner, 0
    return owner, len(connected(market.rugs, square))


def connected(rugs: dict[str, str], square: str) -> list[str]:
    """The squares of one colour that hang together with a square."""
    found = [square]
    for known in found:
        found += [
            near for near, rug in rugs.items() if near not in found and touch(near, known) and rug[0] == rugs[square][0]
        ]
    return found
