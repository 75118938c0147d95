"""The bots. They get the view of their seat as JSON, as any program outside would.

`easy` takes almost any legal action. `medium` weighs the payments of the next roll, and what a rug covers and connects.
`strong` looks for the best winning chance (see `expectimax`).
"""

from collections.abc import Iterator, Mapping
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
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.expectimax import value_options
from service.engine.marrakech.position import read_position
from service.engine.protocol import Bot

_write_action = ActionCodec().write

_ELIMINATION: Final = 100
"""The cost of being eliminated: more than any payment."""


def play_easily(view: Json, chance: Chance) -> Json:
    """Take any legal action, but don't risk being eliminated more than necessary."""
    position, legal = _read_position(view), view["legal"]
    if view["phase"] == "direction":
        risks = [_risk(position, TURNED[position.facing][action["direction"]]) for action in legal]
        legal = [action for action, risk in zip(legal, risks, strict=True) if risk == min(risks)]
    action: Json = chance.pick(legal)
    return action


def play_greedily(view: Json, chance: Chance) -> Json:
    """Take the legal action with the highest value; chance decides between equal ones."""
    position = _read_position(view)
    values = [_VALUE[action["type"]](position, action) for action in view["legal"]]
    best = max(values)
    action: Json = chance.pick(
        [action for action, value in zip(view["legal"], values, strict=True) if value > best - 1e-9]
    )
    return action


def play_strongly(view: Json, chance: Chance) -> Json:
    """Take the action with the best winning chance after one turn of lookahead; chance decides between equal ones."""
    position = read_position(view)
    options = value_options(position, view["phase"])
    best = max(option.chances[position.mover] for option in options)
    return _write_action(
        chance.pick([option.action for option in options if option.chances[position.mover] > best - 1e-9])
    )


BOTS: Final[Mapping[str, Bot]] = {"easy": play_easily, "medium": play_greedily, "strong": play_strongly}


class _Position(NamedTuple):
    """The board as one seat sees it. Colours of players who are out are left out: they cost and score nothing."""

    me: int
    next: int
    """The seat that moves after me."""
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


def _read_position(view: Json) -> _Position:
    me, seats = view["you"], view["seats"]
    playing = [seat for seat in seats if not seat["out"]]
    shown = {colour: 0 for seat in playing for colour in seat["colours"]}
    for name, rug in view["board"].items():
        if rug["colour"] in shown:
            shown[rug["colour"]] |= 1 << read_square(name)
    after_me = [seat["seat"] for seat in (*seats[me + 1 :], *seats[:me]) if not seat["out"] and seat["rugs_left"]]
    return _Position(
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


def _toll(position: _Position, seat: int, square: Square) -> tuple[int, int]:
    """Return whom the seat would pay, and how much, if Assam stopped on the square."""
    for colour, mask in position.shown.items():
        if mask >> square & 1:
            owner = position.owners[colour]
            return owner, 0 if owner == seat else region(square, mask).bit_count()
    return seat, 0


def _tolls(position: _Position, seat: int, assam: Square, facing: Facing) -> Iterator[tuple[int, int]]:
    """Return the payments for the six faces of the die."""
    stops = {die: _toll(position, seat, walk.to) for die, walk in WALKS[assam][facing].items()}
    return (stops[die] for die in FACES)


def _cost(position: _Position, seat: int, assam: Square, facing: Facing) -> float:
    """The average loss of the seat if Assam walks this way."""
    purse = position.dirhams[seat]
    return sum(due if due <= purse else _ELIMINATION for _, due in _tolls(position, seat, assam, facing)) / len(FACES)


def _risk(position: _Position, facing: Facing) -> int:
    """How many faces of the die cost more than I have if Assam walks this way."""
    tolls = _tolls(position, position.me, position.assam, facing)
    return sum(due > position.dirhams[position.me] for _, due in tolls)


def _income(position: _Position, assam: Square, facing: Facing) -> float:
    """The average payment of the next player to me if Assam walks this way, and my gain from that player's loss."""
    purse = position.dirhams[position.next]
    tolls = _tolls(position, position.next, assam, facing)
    paid = sum(min(due, purse) for owner, due in tolls if owner == position.me) / len(FACES)
    return paid * (1 + 1 / position.others)


def _next_income(position: _Position) -> float:
    """My income from the next player from where Assam stands, if the direction is chosen well."""
    if position.next == position.me:
        return 0.0
    if position.rotate_after:
        return max(_income(position, position.assam, TURNED[position.facing][turn]) for turn in TURNS)
    ways = (TURNED[position.facing][direction] for direction in DIRECTIONS)
    way = min(ways, key=lambda facing: _cost(position, position.next, position.assam, facing))
    return _income(position, position.assam, way)


def _board_value(position: _Position) -> float:
    """The value of the rugs on the board to me: the points they score and the payments they may still bring."""
    spread = 1 / position.others
    value = 0.0
    for colour, mask in position.shown.items():
        owner = position.owners[colour]
        # Each remaining move of the others stops on a region with a probability of its share of the board, and then
        # costs its size.
        visits = sum(left for seat, left in enumerate(position.moves_left) if seat != owner) / len(SQUARES)
        tolls = visits * sum(size * size for size in _regions(mask))
        value += (mask.bit_count() + tolls) * (1 if owner == position.me else -spread)
    return value


def _regions(mask: int) -> Iterator[int]:
    """List the sizes of the connected parts of a mask."""
    while mask:
        part = region((mask & -mask).bit_length() - 1, mask)
        mask ^= part
        yield part.bit_count()


def _value_of_face(position: _Position, action: Json) -> float:
    return -_cost(position, position.me, position.assam, TURNED[position.facing][action["direction"]])


def _value_of_lay(position: _Position, action: Json) -> float:
    covered = sum(1 << read_square(name) for name in action["squares"])
    laid = {colour: mask & ~covered for colour, mask in position.shown.items()}
    laid[position.rug] |= covered
    after = position._replace(shown=laid)
    return _board_value(after) + _next_income(after)


def _value_of_turn(position: _Position, action: Json) -> float:
    return _income(position, position.assam, TURNED[position.facing][action["direction"]])


_VALUE: Final = {"face": _value_of_face, "lay": _value_of_lay, "turn": _value_of_turn}
