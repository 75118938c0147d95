"""The player `greedy`: weighs the payments of one step ahead, and what a rug covers, connects and exposes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.marrakech.board import (
    DIRECTIONS,
    FACES,
    SQUARES,
    TURNED,
    TURNS,
    WALKS,
    Facing,
    Square,
    read_square,
    region,
)

_RUIN: Final = 100
"""What going out costs: more than any payment."""


class _Market(NamedTuple):
    """The market as one seat sees it. Colours of players who are out are left away: they cost and score nothing."""

    me: int
    next: int
    """Who moves after me."""
    assam: Square
    facing: Facing
    rotate_after: bool
    rug: str
    """The colour of my next rug."""
    owners: dict[str, int]
    shown: dict[str, int]
    dirhams: list[int]
    moves_left: list[int]

    @property
    def others(self) -> int:
        """How many opponents are left."""
        return max(1, len(set(self.owners.values())) - 1)


def greedy(view: Json, chance: Chance) -> Json:
    """The legal move with the highest worth; chance decides between equals."""
    market = _market(view)
    worths = [_WORTH[action["type"]](market, action) for action in view["legal"]]
    best = max(worths)
    action: Json = chance.pick(
        [action for action, worth in zip(view["legal"], worths, strict=True) if worth > best - 1e-9]
    )
    return action


def _market(view: Json) -> _Market:
    me, seats = view["you"], view["seats"]
    playing = [seat for seat in seats if not seat["out"]]
    shown = {colour: 0 for seat in playing for colour in seat["colours"]}
    for name, rug in view["board"].items():
        if rug["colour"] in shown:
            shown[rug["colour"]] |= 1 << read_square(name)
    after_me = [seat["seat"] for seat in (*seats[me + 1 :], *seats[:me]) if not seat["out"] and seat["rugs_left"]]
    return _Market(
        me=me,
        next=after_me[0] if after_me else me,
        assam=read_square(view["assam"]["at"]),
        facing=view["assam"]["facing"],
        rotate_after=view["options"]["variant"] == "rotate-after",
        rug=seats[me]["next_rug"],
        owners={colour: seat["seat"] for seat in playing for colour in seat["colours"]},
        shown=shown,
        dirhams=[seat["dirhams"] for seat in seats],
        moves_left=[seat["rugs_left"] for seat in seats],
    )


def _toll(market: _Market, seat: int, square: Square) -> tuple[int, int]:
    """Whom the seat would pay, and how much, if it stopped on the square."""
    for colour, mask in market.shown.items():
        if mask >> square & 1:
            owner = market.owners[colour]
            return owner, 0 if owner == seat else region(square, mask).bit_count()
    return seat, 0


def _tolls(market: _Market, seat: int, assam: Square, facing: Facing) -> Iterator[tuple[int, int]]:
    """The payments for the six faces of the die."""
    stops = {die: _toll(market, seat, walk.to) for die, walk in WALKS[assam][facing].items()}
    return (stops[die] for die in FACES)


def _cost(market: _Market, seat: int, assam: Square, facing: Facing) -> float:
    """What the seat must expect to lose by walking this way."""
    purse = market.dirhams[seat]
    return sum(due if due <= purse else _RUIN for _, due in _tolls(market, seat, assam, facing)) / len(FACES)


def _income(market: _Market, assam: Square, facing: Facing) -> float:
    """What I may expect the next player to pay me if he walks this way; what he loses by it counts as well."""
    purse = market.dirhams[market.next]
    tolls = _tolls(market, market.next, assam, facing)
    paid = sum(min(due, purse) for owner, due in tolls if owner == market.me) / len(FACES)
    return paid * (1 + 1 / market.others)


def _threat(market: _Market) -> float:
    """What I may expect from the next player from where Assam stands: he, or I for him, will choose the way."""
    if market.next == market.me:
        return 0.0
    if market.rotate_after:
        return max(_income(market, market.assam, TURNED[market.facing][turn]) for turn in TURNS)
    ways = (TURNED[market.facing][direction] for direction in DIRECTIONS)
    way = min(ways, key=lambda facing: _cost(market, market.next, market.assam, facing))
    return _income(market, market.assam, way)


def _standing(market: _Market) -> float:
    """What the rugs on the board are worth to me: the points they score and the payments they may still bring."""
    spread = 1 / market.others
    worth = 0.0
    for colour, mask in market.shown.items():
        owner = market.owners[colour]
        # Of the moves that the others have left, a region's share of the board stops on it and pays for its size.
        visits = sum(left for seat, left in enumerate(market.moves_left) if seat != owner) / len(SQUARES)
        tolls = visits * sum(size * size for size in _regions(mask))
        worth += (mask.bit_count() + tolls) * (1 if owner == market.me else -spread)
    return worth


def _regions(mask: int) -> Iterator[int]:
    """The sizes of the connected parts of a mask."""
    while mask:
        part = region((mask & -mask).bit_length() - 1, mask)
        mask ^= part
        yield part.bit_count()


def _worth_of_face(market: _Market, action: Json) -> float:
    return -_cost(market, market.me, market.assam, TURNED[market.facing][action["direction"]])


def _worth_of_lay(market: _Market, action: Json) -> float:
    covered = sum(1 << read_square(name) for name in action["squares"])
    laid = {colour: mask & ~covered for colour, mask in market.shown.items()}
    laid[market.rug] |= covered
    after = market._replace(shown=laid)
    return _standing(after) + _threat(after)


def _worth_of_turn(market: _Market, action: Json) -> float:
    return _income(market, market.assam, TURNED[market.facing][action["direction"]])


_WORTH: Final = {"face": _worth_of_face, "lay": _worth_of_lay, "turn": _worth_of_turn}
