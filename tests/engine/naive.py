"""A second, simple implementation of the rules on strings and dicts, to compare the engine with.

It uses nothing of the engine. The walks are read from `data/walks.txt`.
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
    """For each square and facing the four that follow, one for each step."""
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
class Position:
    """A position. Rugs are written as in the drawings, `R1`; a player is the letter of their first colour."""

    rugs: dict[str, str]
    stand: Stand
    phase: str
    mover: str
    dirhams: dict[str, int]
    piles: dict[str, str]
    """For each player still in, the letters of their remaining rugs, the next one first."""
    rotate_after: bool = False

    def text(self) -> str:
        """The position in one line, for comparing."""
        rugs = " ".join(f"{square}={rug}" for square, rug in sorted(self.rugs.items()))
        purses = " ".join(f"{player}{self.dirhams[player]}" for player in sorted(self.dirhams))
        left = " ".join(f"{player}{len(pile)}" for player, pile in sorted(self.piles.items()))
        turn = self.phase if self.phase == "over" else f"{self.mover} {self.phase}"
        return f"{turn} {' '.join(self.stand)} | {purses} | {left} | {rugs}"


def touch(one: str, other: str) -> bool:
    """Whether two squares share an edge."""
    across, along = abs(ord(one[0]) - ord(other[0])), abs(int(one[1]) - int(other[1]))
    return across + along == 1


def children(position: Position) -> Iterator[Position]:
    """Every position after one more action; each possible roll gives its own position."""
    if position.phase == "direction":
        for quarters in (-1, 0, 1):
            yield from _walk(_turn(position, quarters))
    elif position.phase == "placement":
        for one in SQUARES:
            for other in SQUARES:
                if one < other and _may_lie(position, one, other):
                    yield _lay(position, one, other)
    elif position.phase == "rotation":
        for quarters in (-1, 1):
            yield from _walk(_next_turn(_turn(position, quarters)))


def leaves(position: Position, depth: int) -> Iterator[Position]:
    """Every position after this many actions."""
    if depth == 0:
        yield position
    else:
        for child in children(position):
            yield from leaves(child, depth - 1)


def _turn(position: Position, quarters: int) -> Position:
    square, facing = position.stand
    return replace(position, stand=(square, COMPASS[(COMPASS.index(facing) + quarters) % 4]))


def _may_lie(position: Position, one: str, other: str) -> bool:
    assam = position.stand[0]
    if not touch(one, other) or assam in (one, other) or not (touch(assam, one) or touch(assam, other)):
        return False
    under = {position.rugs.get(one), position.rugs.get(other)}
    return len(under) == 2 or under == {None}


def _lay(position: Position, one: str, other: str) -> Position:
    pile = position.piles[position.mover]
    number = 1 + max((int(rug[1:]) for rug in position.rugs.values()), default=0)
    rug = f"{pile[0]}{number}"
    piles = position.piles | {position.mover: pile[1:]}
    after = replace(position, rugs=position.rugs | {one: rug, other: rug}, piles=piles)
    if not any(piles.values()):
        return replace(after, phase="over")
    return replace(after, phase="rotation") if position.rotate_after else _next_turn(after)


def _next_turn(position: Position) -> Position:
    order = "RBYG"[: len(position.dirhams)] * 2
    later = order[order.index(position.mover) + 1 :]
    return replace(position, mover=next(player for player in later if position.piles.get(player)), phase="direction")


def _walk(position: Position) -> Iterator[Position]:
    for steps in WALKS[position.stand]:
        arrived = replace(position, stand=steps, phase="placement")
        owner, due = _toll(arrived)
        purse = position.dirhams[position.mover]
        paid = min(due, purse)
        moved = {position.mover: purse - paid, owner: position.dirhams[owner] + paid} if due else {}
        after = replace(arrived, dirhams=position.dirhams | moved)
        if due <= purse:
            yield after
        else:
            yield from _eliminate_mover(after)


def _eliminate_mover(position: Position) -> Iterator[Position]:
    piles = {player: pile for player, pile in position.piles.items() if player != position.mover}
    after = replace(position, piles=piles)
    if len(piles) == 1 or not any(piles.values()):
        yield replace(after, phase="over")
    elif position.rotate_after:
        yield from _walk(_next_turn(after))
    else:
        yield _next_turn(after)


def _toll(position: Position) -> tuple[str, int]:
    """Whom the mover must pay where Assam stands, and how much."""
    square = position.stand[0]
    rug = position.rugs.get(square)
    if rug is None:
        return position.mover, 0
    owner = rug[0] if len(position.dirhams) > 2 else {"Y": "R", "G": "B"}.get(rug[0], rug[0])
    if owner == position.mover or owner not in position.piles:
        return owner, 0
    return owner, len(connected(position.rugs, square))


def connected(rugs: dict[str, str], square: str) -> list[str]:
    """The squares of the same colour that are connected with a square."""
    found = [square]
    for known in found:
        found += [
            near for near, rug in rugs.items() if near not in found and touch(near, known) and rug[0] == rugs[square][0]
        ]
    return found
