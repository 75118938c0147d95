"""Computer players. They get the view of their seat, so they know no more than a person there.

`medium` looks one step ahead: what a domino adds to its own carpet and would add to the others'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.kilim.carpet import NEIGHBOURS, SIZE, SQUARES, Square, bounds, group_squares, score_shown
from service.engine.kilim.pieces import BLANK, LETTERS, PAIRS, SHOWS, TORN
from service.engine.protocol import Bot

_MOST: Final = 256
"""A draw is below this number."""
_LETTER_OF: Final = {shows: letter for letter, shows in SHOWS.items()}
_DENIAL: Final = 0.3
"""How much it counts that the best of the others doesn't get a domino."""
_SPY_FROM: Final = 0.75
"""The spy is for offers that are better than this share of all dominoes."""
_SPREAD: Final = 0.3
"""Gold differs by up to half of this share of the hand from what the offer is worth."""
_NO_GROUP: Final[frozenset[int]] = frozenset()
_TRIED: Final = 40
"""How many of a token's most promising uses are scored in full."""
_SPECIAL_BELOW: Final = 0.35
"""Bag and artisan are for offers that are worse than most."""


def play_randomly(view: Json, chance: Chance) -> Json:
    """Choose any legal action."""
    legal = view["legal"]
    if len(legal) > _MOST:
        start = chance.below(-(-len(legal) // _MOST)) * _MOST
        legal = legal[start : start + _MOST]
    action: Json = chance.pick(legal)
    return action


def play_greedily(view: Json, chance: Chance) -> Json:
    """Weave and rework for the most points; bid more for a domino the better it is beside the others."""
    loom = _loom_of(view["seats"][view["you"]])
    by_type: dict[str, list[Json]] = {}
    for action in view["legal"]:
        by_type.setdefault(action["type"], []).append(action)
    for choose in (_weave, _keep, _take, _patch, _rework):
        chosen = choose(view, loom, by_type)
        if chosen is not None:
            return chosen
    if "play" in by_type:
        return _play(view, loom, by_type["play"], chance)
    if "bid" in by_type:
        return _bid(view, by_type["bid"], chance)
    return by_type["pass"][0] if "pass" in by_type else play_randomly(view, chance)


@dataclass(frozen=True)
class _Loom:
    """What a carpet shows. What follows from it is computed once and kept, because dominoes are tried everywhere."""

    shown: dict[Square, str]

    @cached_property
    def groups(self) -> dict[Square, int]:
        """For each square with a motif the first square of its group."""
        return {square: squares[0] for _, squares in group_squares(self.shown) for square in squares}

    @cached_property
    def places(self) -> list[tuple[Square, Square]]:
        """Where a domino can go, each place once."""
        shown = self.shown
        edges = {other for square in shown for other in NEIGHBOURS[square] if other not in shown}
        pairs = {(min(at, to), max(at, to)) for at in edges for to in NEIGHBOURS[at] if to not in shown}
        return sorted(pairs)

    @cached_property
    def _joined(self) -> dict[Square, dict[str, set[int]]]:
        return {}

    def joined(self, square: Square) -> dict[str, set[int]]:
        """The groups beside a square, by letter."""
        found = self._joined.get(square)
        if found is None:
            found = self._joined[square] = {}
            for near in NEIGHBOURS[square]:
                if near in self.groups:
                    found.setdefault(self.shown[near], set()).add(self.groups[near])
        return found

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        return bounds(self.shown)

    @cached_property
    def _growth(self) -> dict[tuple[Square, Square], int]:
        return {}

    def growth(self, first: Square, second: Square) -> int:
        """By how many squares more than two the rectangle around the carpet grows."""
        found = self._growth.get((first, second))
        if found is None:
            found = self._growth[first, second] = _growth(self.box, first, second) if self.shown else 0
        return found


def _loom_of(seat: Json) -> _Loom:
    return _Loom({SQUARES[name]: _LETTER_OF[cell["shows"]] for name, cell in seat["carpet"].items()})


def _gain(loom: _Loom, domino: str, first: Square, second: Square) -> float:
    """What a domino adds there: each half a point for every group it joins, less what spoils the shape."""
    one, two = domino[0], domino[1]
    joined_one, joined_two = loom.joined(first).get(one, _NO_GROUP), loom.joined(second).get(two, _NO_GROUP)
    if one == two and one != BLANK:
        points = 1.0 + len(joined_one | joined_two)
    else:
        points = float(len(joined_one) + len(joined_two))
    if two == TORN:
        points -= 3.0
    return points - 0.15 * loom.growth(first, second)


def _growth(box: tuple[int, int, int, int], first: Square, second: Square) -> int:
    west, east, south, north = box
    columns, rows = (first % SIZE, second % SIZE), (first // SIZE, second // SIZE)
    wide: int = max(east, *columns) - min(west, *columns) + 1
    high: int = max(north, *rows) - min(south, *rows) + 1
    return wide * high - (east - west + 1) * (north - south + 1) - 2


def _best_gain(loom: _Loom, domino: str) -> float:
    """The most that a domino can add to a carpet."""
    if not loom.shown:
        return 1.0 if domino[0] == domino[1] else 0.0
    best = max(_gain(loom, domino, low, high) for low, high in loom.places)
    return best if domino[0] == domino[1] else max(best, *(_gain(loom, domino, high, low) for low, high in loom.places))


# Debts, scraps and tokens


def _weave(view: Json, loom: _Loom, actions: Mapping[str, list[Json]]) -> Json | None:
    owed = view["seats"][view["you"]]["owes"]["weave"]
    places = [action for action in actions.get("weave", ()) if action["domino"] in owed]
    late: float = view["round"] / view["rounds"]

    def value(action: Json) -> float:
        first, second = (SQUARES[name] for name in action["squares"])
        return _gain(loom, action["domino"], first, second) + late * late * _full(loom, (first, second))

    if places:
        return max(places, key=value)
    return _weave_perfect(view, loom, actions)


def _full(loom: _Loom, squares: Sequence[Square]) -> float:
    """Ten points if the carpet is a rectangle with these squares."""
    west, east, south, north = bounds([*loom.shown, *squares])
    return 10.0 if (east - west + 1) * (north - south + 1) == len(loom.shown) + len(squares) else 0.0


def _weave_perfect(view: Json, loom: _Loom, actions: Mapping[str, list[Json]]) -> Json | None:
    """Use a perfect domino in the last evening if it completes the rectangle, otherwise keep it."""
    if view["phase"] != "evening" or view["round"] < view["rounds"]:
        return None
    before = score_shown(loom.shown)
    for action in actions.get("weave", ()):
        squares = [SQUARES[name] for name in action["squares"]]
        if before.rectangle == 0 and _full(loom, squares):
            return action
    return None


def _keep(view: Json, loom: _Loom, actions: Mapping[str, list[Json]]) -> Json | None:
    """Keep the scrap of which the carpet has most."""
    letters = list(loom.shown.values())
    return max(actions.get("keep", ()), key=lambda action: letters.count(LETTERS[action["scrap"]]), default=None)


def _take(view: Json, loom: _Loom, actions: Mapping[str, list[Json]]) -> Json | None:
    """Prefer to remove something torn, then to move, to turn, and the perfect domino."""
    order = ["move", "turn", "perfect", "remove"]
    if TORN in loom.shown.values():
        order.remove("remove")
        order.insert(0, "remove")
    return min(actions.get("take", ()), key=lambda action: order.index(action["token"]), default=None)


def _points_of(shown: dict[Square, str]) -> float:
    points = score_shown(shown)
    return points.rectangle + points.motifs + points.groups + points.torn + 0.5 * max(points.largest_groups)


def _patch(view: Json, loom: _Loom, actions: Mapping[str, list[Json]]) -> Json | None:
    """Use a scrap where it helps enough, or in the last evening where it helps at all."""
    least = 0.0 if view["phase"] == "evening" and view["round"] == view["rounds"] else 3.5
    before = _points_of(loom.shown)

    def value(action: Json) -> float:
        return _points_of({**loom.shown, SQUARES[action["square"]]: LETTERS[action["scrap"]]}) - before

    best = max(actions.get("patch", ()), key=value, default=None)
    return best if best is not None and value(best) > least else None


def _rework(view: Json, loom: _Loom, actions: Mapping[str, list[Json]]) -> Json | None:
    """Use a token if that gains something; pieces with a scrap are left alone."""
    cells = view["seats"][view["you"]]["carpet"]
    looms: dict[str, _Loom] = {}
    guessed: list[tuple[float, int, Json]] = []
    for number, action in enumerate(actions.get("rework", ())):
        piece = action["piece"]
        if piece not in looms:
            looms[piece] = _Loom(_shown_without(cells, loom.shown, piece))
        if len(looms[piece].shown) == len(loom.shown) - 2:
            squares = [SQUARES[name] for name in action["squares"]]
            gain = _gain(looms[piece], piece, squares[0], squares[1]) if squares else 0.0
            guessed.append((gain, number, action))
    before, best, chosen = _points_of(loom.shown) + 1.0, 0.0, None
    for _, _, action in sorted(guessed, reverse=True)[:_TRIED]:
        halves = {SQUARES[name]: letter for name, letter in zip(action["squares"], action["piece"], strict=False)}
        gain = _points_of({**looms[action["piece"]].shown, **halves}) - before
        if gain > best:
            best, chosen = gain, action
    return chosen


def _shown_without(cells: Json, shown: dict[Square, str], piece: str) -> dict[Square, str]:
    """What the carpet shows without a domino that has no scrap on it; otherwise the same as before."""
    old = [name for name, cell in cells.items() if cell["domino"] == piece]
    if any(cells[name]["scrap"] for name in old):
        return shown
    gone = {SQUARES[name] for name in old}
    return {square: letter for square, letter in shown.items() if square not in gone}


# Bidding


def _offer_value(view: Json, loom: _Loom) -> float:
    """What all dominoes on offer add, and what they would add to the best of the others."""
    own = sum(_best_gain(loom, domino) for domino in view["offer"])
    others = [
        sum(_best_gain(_loom_of(seat), domino) for domino in view["offer"])
        for number, seat in enumerate(view["seats"])
        if number != view["you"] and not seat["out"]
    ]
    return own + _DENIAL * max(others, default=0.0)


def _rank(view: Json, loom: _Loom) -> float:
    """The share of all dominoes that would be worth less than the offer."""
    value = _offer_value(view, loom) / (1 + _DENIAL)
    usual = [_best_gain(loom, f"{pair}1") for pair in PAIRS]
    return sum(each < value for each in usual) / len(usual)


def _play(view: Json, loom: _Loom, actions: list[Json], chance: Chance) -> Json:
    """The better the offer, the higher the gold; not exactly, because equal gold of two such bots cancels."""
    cards: dict[Any, Json] = {action["card"]: action for action in actions}
    rank = _rank(view, loom)
    gold = sorted(card for card in cards if isinstance(card, int))
    if len(gold) > 2 and chance.below(2) == 0:
        if "spy" in cards and rank >= _SPY_FROM:
            return cards["spy"]
        for special in ("artisan", "bag"):
            if special in cards and rank <= _SPECIAL_BELOW:
                return cards[special]
    place = int((rank + _SPREAD * (chance.below(_MOST) / _MOST - 0.5)) * len(gold))
    return cards[gold[min(max(place, 0), len(gold) - 1)]]


def _bid(view: Json, actions: list[Json], chance: Chance) -> Json:
    """A spy bids just above what is shown; bag and artisan are paid with as little as may win."""
    gold = sorted(actions, key=lambda action: action["gold"])
    if view["phase"] == "spy":
        shown = [card for card in view["shown"] if isinstance(card, int)]
        single = [card for card in shown if shown.count(card) == 1]
        enough = [action for action in gold if action["gold"] > max(single, default=0) and action["gold"] not in shown]
        rivals = view["shown"].count("spy") - 1
        return chance.pick(enough[: rivals + 1]) if enough else gold[0]
    return chance.pick(gold[: -(-len(gold) // 2)])


BOTS: Final[Mapping[str, Bot]] = {"easy": play_randomly, "medium": play_greedily}
