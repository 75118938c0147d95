"""Estimates the winning chances in a position at the beginning of a turn.

A weighted sum of features predicts how each seat will end up compared with the others, and a softmax turns these
predictions into chances. `python -m tools.fit_marrakech` finds the weights in games of bots against each other.
"""

from bisect import bisect
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple, TypeAlias

from service.engine.marrakech.board import (
    DIRECTIONS,
    FACES,
    FILES,
    NEIGHBOURS,
    PLACES,
    SQUARES,
    STRIDE,
    TURNED,
    TURNS,
    WALKS,
    Facing,
    Square,
)
from service.engine.marrakech.position import Position, final_shares, find_toll, measure_tolls
from service.engine.marrakech.state import RUGS_EACH, colours_of
from service.engine.marrakech.weights import FITS, Fit, Fits

VERSION: Final = 2
"""Raise it with every change of the features or weights."""

FEATURES: Final = (
    "dirhams",
    "visible",  # squares
    "toll_area",  # sum of the squared sizes of the groups
    "groups",
    "rim",  # squares at the edge of the board
    "whole_rugs",
    "payments_now",  # expected balance of the payments of the next turn, if Assam goes the cheapest way
    "payments_next",  # the same for the turn after that, whichever way Assam goes
    "payments_later",  # the same for the two turns after that
    "payments_far",  # the same for the four turns after those, no matter who pays
    "covered_now",  # own squares that the next player is likely to cover
    "covered_next",
    "covered_later",
    "covered_far",  # in the four turns after those
    "ruin",  # chance that the next player can't pay, if that is the seat
    "broke",  # how much is missing to twelve dirhams, squared
    "wait",  # how many turns until the seat's own
)
TEMPERATURE_SHARES: Final = (0.0, 0.1, 0.25, 0.5, 1.0)
"""The shares of rugs left for which a fit has a temperature. It changes evenly from one to the next."""
_SAFE: Final = 12
_RIM: Final = sum(1 << square for square in SQUARES if len(NEIGHBOURS[square]) < 4)
_SQUARES_LIMIT: Final = STRIDE * len(FILES)

Chances: TypeAlias = tuple[float, ...]
_PerSquare: TypeAlias = tuple[float, ...]


class _Outlook(NamedTuple):
    """Where Assam may stop from a square, facing some way: chances by square."""

    now: tuple[_PerSquare, ...]
    """With the next roll, for each way that the mover can choose."""
    next: _PerSquare
    later: _PerSquare
    """With the third and the fourth roll together."""
    far: _PerSquare
    """With the fifth to the eighth roll together."""
    covered_now: _PerSquare
    """The chance of each square to be covered after the next roll, if every place is as likely as the others."""
    covered_next: _PerSquare
    covered_later: _PerSquare
    covered_far: _PerSquare


class _ColourMeasure(NamedTuple):
    """What the visible squares of one colour mean, seen from where Assam stands."""

    visible: int
    toll_area: int
    groups: int
    rim: int
    now: tuple[float, ...]
    """Expected payments of the next turn, for each way that the mover can choose."""
    next: float
    later: float
    far: float
    covered_now: float
    covered_next: float
    covered_later: float
    covered_far: float


def estimate_chances(position: Position, fits: Fits = FITS) -> Chances:
    """Estimate each seat's chance to win; the sum is 1. The position must be at the beginning of a turn."""
    if position.over:
        return final_shares(position)
    fit = fits["rotate-after" if position.rotate_after else "standard", position.seats]
    share = rugs_share(position)
    return soften(predict(position, fit.weights, share), temperature(fit, share))


def predict(position: Position, weights: Sequence[tuple[float, ...]], share: float) -> list[float | None]:
    """Predict each seat's final total, apart from a number that is the same for all; None for a seat that is out."""
    now = [a + share * (b + share * (c + share * d)) for a, b, c, d in weights]
    return [
        sum([weight * value for weight, value in zip(now, values, strict=True)]) if values else None
        for values in measure_features(position)
    ]


def soften(predictions: Sequence[float | None], temperature: float) -> Chances:
    """Turn predicted totals into chances; the higher the temperature, the closer they are."""
    highest = max(prediction for prediction in predictions if prediction is not None)
    odds = [0.0 if each is None else exp((each - highest) / temperature) for each in predictions]
    whole = sum(odds)
    return tuple([each / whole for each in odds])


def temperature(fit: Fit, share: float) -> float:
    """The uncertainty of the predictions when this share of the rugs is left."""
    upper = min(bisect(TEMPERATURE_SHARES, share), len(TEMPERATURE_SHARES) - 1)
    before, after = TEMPERATURE_SHARES[upper - 1 : upper + 1]
    cold, hot = fit.temperatures[upper - 1 : upper + 1]
    return cold + (hot - cold) * (share - before) / (after - before)


def rugs_share(position: Position) -> float:
    """The share of the rugs of the players still in the game that aren't laid yet."""
    return sum(position.rugs_left) / (RUGS_EACH[position.seats] * (position.seats - len(position.out)))


def measure_features(position: Position) -> list[list[float]]:
    """Measure each feature for each seat, in the order of `FEATURES`; an empty list for a seat that is out."""
    assam, facing, rotate_after = position.assam, position.facing, position.rotate_after
    measures = [
        [_measure_colour(position.shown[colour], assam, facing, rotate_after) for colour in colours]
        for colours in _COLOURS_OF[position.seats]
    ]
    order = _coming_turns(position)
    now, ruin = _balance_now(position, measures)
    following = [sum([measure.next for measure in colours]) for colours in measures]
    later = [sum([measure.later for measure in colours]) / 2 for colours in measures]
    balances = now, _balance(following, order[1:2]), _balance(later, order[2:4])
    whole = _count_whole_rugs(position)
    return [
        []
        if seat in position.out
        else [
            position.dirhams[seat],
            sum([measure.visible for measure in colours]),
            sum([measure.toll_area for measure in colours]),
            sum([measure.groups for measure in colours]),
            sum([measure.rim for measure in colours]),
            whole[seat],
            *[balance[seat] for balance in balances],
            sum([measure.far for measure in colours]) if len(order) > 4 else 0.0,
            sum([measure.covered_now for measure in colours]) if order[0] != seat else 0.0,
            sum([measure.covered_next for measure in colours]) if order[1:2] not in ([], [seat]) else 0.0,
            sum([measure.covered_later for measure in colours]) if len(order) > 2 else 0.0,
            sum([measure.covered_far for measure in colours]) if len(order) > 4 else 0.0,
            ruin if seat == position.mover else 0.0,
            max(0.0, 1 - position.dirhams[seat] / _SAFE) ** 2,
            order.index(seat) / position.seats if seat in order else 1.0,
        ]
        for seat, colours in enumerate(measures)
    ]


_COLOURS_OF: Final = {seats: [colours_of(seats, seat) for seat in range(seats)] for seats in RUGS_EACH}


def _count_whole_rugs(position: Position) -> list[int]:
    """Count the rugs of each seat of which both halves are visible."""
    counts = [0] * position.seats
    for colour, mask in enumerate(position.shown):
        if mask:
            counts[colour % position.seats] += sum([mask & rug == rug for rug in position.whole])
    return counts


def _coming_turns(position: Position) -> list[int]:
    """List who takes the next five turns; fewer if the game ends before."""
    seats, left = position.seats, list(position.rugs_left)
    order: list[int] = []
    seat = position.mover
    while len(order) < 5 and any(left):
        if left[seat]:
            left[seat] -= 1
            order.append(seat)
        seat = (seat + 1) % seats
    return order


def _balance(tolls: Sequence[float], payers: Sequence[int]) -> list[float]:
    """The balance of each seat after payments; `tolls` are what each seat's rugs would earn from any other seat."""
    balance = [0.0] * len(tolls)
    for payer in payers:
        for seat, toll in enumerate(tolls):
            if seat != payer:
                balance[seat] += toll
                balance[payer] -= toll
    return balance


def _balance_now(position: Position, measures: list[list[_ColourMeasure]]) -> tuple[list[float], float]:
    """The balance after the mover's payment on the cheapest way, and the risk that it is more than the mover has."""
    mover = position.mover
    balances = [
        _balance([sum([measure.now[way] for measure in colours]) for colours in measures], [mover])
        for way in range(len(measures[0][0].now))
    ]
    costs = [-balance[mover] for balance in balances]
    way = costs.index(min(costs))
    return balances[way], _ruin(position, way) if position.dirhams[mover] < _SAFE else 0.0


def _ruin(position: Position, way: int) -> float:
    """The chance that the mover can't pay."""
    purse, mover = position.dirhams[position.mover], position.mover
    walks = WALKS[position.assam][_ways(position.facing, position.rotate_after)[way]]
    return sum([find_toll(position, mover, walks[die].to)[1] > purse for die in FACES]) / len(FACES)


def _ways(facing: Facing, rotate_after: bool) -> tuple[Facing, ...]:
    """List the ways Assam may walk next."""
    return (facing,) if rotate_after else tuple(TURNED[facing][direction] for direction in DIRECTIONS)


@lru_cache(1 << 13)
def _measure_colour(mask: int, assam: Square, facing: Facing, rotate_after: bool) -> _ColourMeasure:
    tolls = measure_tolls(mask)
    cells = tuple(tolls.by_square.items())
    outlook = _look_out(assam, facing, rotate_after)
    return _ColourMeasure(
        visible=len(cells),
        toll_area=tolls.total,
        groups=tolls.groups,
        rim=(mask & _RIM).bit_count(),
        now=tuple([sum([chance[square] * toll for square, toll in cells]) for chance in outlook.now]),
        next=sum([outlook.next[square] * toll for square, toll in cells]),
        later=sum([outlook.later[square] * toll for square, toll in cells]),
        far=sum([outlook.far[square] * toll for square, toll in cells]),
        covered_now=sum([outlook.covered_now[square] for square, _ in cells]),
        covered_next=sum([outlook.covered_next[square] for square, _ in cells]),
        covered_later=sum([outlook.covered_later[square] for square, _ in cells]),
        covered_far=sum([outlook.covered_far[square] for square, _ in cells]),
    )


@lru_cache(1 << 10)
def _look_out(assam: Square, facing: Facing, rotate_after: bool) -> _Outlook:
    ways = _ways(facing, rotate_after)
    now = [_roll({(assam, way): 1.0}) for way in ways]
    reached: dict[tuple[Square, Facing], float] = {}
    for stands in now:
        for stand, chance in stands.items():
            reached[stand] = reached.get(stand, 0.0) + chance / len(ways)
    rolls = [reached]
    for _ in range(7):
        rolls.append(_roll(_turn(rolls[-1], rotate_after)))
    stops = [_by_square(stands) for stands in rolls]
    later, far = _sum(stops[2:4]), _sum(stops[4:8])
    return _Outlook(
        now=tuple(_by_square(stands) for stands in now),
        next=stops[1],
        later=later,
        far=far,
        covered_now=_cover(stops[0]),
        covered_next=_cover(stops[1]),
        covered_later=_cover(later),
        covered_far=_cover(far),
    )


def _sum(stops: Sequence[_PerSquare]) -> _PerSquare:
    return tuple(sum(chances) for chances in zip(*stops, strict=True))


def _turn(stands: dict[tuple[Square, Facing], float], rotate_after: bool) -> dict[tuple[Square, Facing], float]:
    """Turn Assam each possible way with the same chance."""
    turned: dict[tuple[Square, Facing], float] = {}
    directions = TURNS if rotate_after else DIRECTIONS
    for (square, facing), chance in stands.items():
        for direction in directions:
            stand = square, TURNED[facing][direction]
            turned[stand] = turned.get(stand, 0.0) + chance / len(directions)
    return turned


def _roll(stands: dict[tuple[Square, Facing], float]) -> dict[tuple[Square, Facing], float]:
    """Roll the die and walk."""
    reached: dict[tuple[Square, Facing], float] = {}
    for (square, facing), chance in stands.items():
        for die in FACES:
            _, to, heading = WALKS[square][facing][die]
            reached[to, heading] = reached.get((to, heading), 0.0) + chance / len(FACES)
    return reached


def _by_square(stands: dict[tuple[Square, Facing], float]) -> _PerSquare:
    chances = [0.0] * _SQUARES_LIMIT
    for (square, _), chance in stands.items():
        chances[square] += chance
    return tuple(chances)


def _cover(stops: _PerSquare) -> _PerSquare:
    """The chance of each square to be covered by the rug that is laid where Assam stops."""
    chances = [0.0] * _SQUARES_LIMIT
    for assam in SQUARES:
        if stops[assam]:
            for place in PLACES[assam]:
                for square in place:
                    chances[square] += stops[assam] / len(PLACES[assam])
    return tuple(chances)
