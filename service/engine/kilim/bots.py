"""Computer players. They get the view of their seat, so they know no more than a person there.

`medium` looks one step ahead: what a domino adds to the value of its own carpet and would add to the others'.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.kilim.carpet import SQUARES, Square
from service.engine.kilim.evaluation import Evaluation, Prospects, Shown, largest_groups
from service.engine.kilim.pieces import DAYS, LETTERS, MOTIF_OF, MOTIFS, PAIRS, SHOWS, TORN
from service.engine.protocol import Bot

_MOST: Final = 256
"""A draw is below this number."""
_LETTER_OF: Final = {shows: letter for letter, shows in SHOWS.items()}
_WINS: Final = 0.7
"""Which part of its share of the dominoes a seat expects to win: it is better to miss a domino than a rectangle."""
_DENIAL: Final = 0.3
"""How much it counts, with two players, that the other doesn't get a domino; with more, that would help all others."""
_SPREAD: Final = 0.3
"""Gold differs by up to half of this share of the hand from what the offer is worth."""
_SPY_FROM: Final = 0.75
"""The spy is for offers that are better than this share of the dominoes that may still come today."""
_SPECIAL_BELOW: Final = 0.35
"""Bag and artisan are for offers that are worse than most."""
_LEAST_FOR_SCRAP: Final = 3.5
_LEAST_FOR_TOKEN: Final = 2.5
"""A token serves only today, so it is used for less than a scrap."""
_LEAST: Final = 0.01
"""At the last opportunity, anything helps."""

Actions: TypeAlias = Mapping[str, list[Json]]
"""The legal actions by type."""


def play_easy(view: Json, chance: Chance) -> Json:
    """Choose any legal action."""
    legal = view["legal"]
    if len(legal) > _MOST:
        start = chance.below(-(-len(legal) // _MOST)) * _MOST
        legal = legal[start : start + _MOST]
    action: Json = chance.pick(legal)
    return action


def play_medium(view: Json, chance: Chance) -> Json:
    """Weave and rework for the most points; bid more for a domino the better it is beside the others."""
    table = _Table(view)
    actions: dict[str, list[Json]] = {}
    for action in view["legal"]:
        actions.setdefault(action["type"], []).append(action)
    for choose in (_weave, _keep, _take, _use):
        chosen = choose(table, actions)
        if chosen is not None:
            return chosen
    if "play" in actions:
        return _play(table, actions["play"], chance)
    if "bid" in actions:
        return _bid(view, actions["bid"], chance)
    return actions["pass"][0] if "pass" in actions else play_easy(view, chance)


class _Table:
    """What a bot makes of its view: the value of every carpet."""

    def __init__(self, view: Json) -> None:
        self.view = view
        self.seat: Json = view["seats"][view["you"]]
        self._shown = [_shown_on(seat["carpet"]) for seat in view["seats"]]
        self._largest = [largest_groups(shown) for shown in self._shown]
        self._active = [number for number, seat in enumerate(view["seats"]) if not seat["out"]]
        self.own = self._evaluate(view["you"])

    @property
    def is_last_evening(self) -> bool:
        """Whether the game ends when everybody has passed."""
        return bool(self.view["phase"] == "evening" and self.view["round"] == self.view["rounds"])

    @property
    def is_token_expiring(self) -> bool:
        """Whether a token must be used now: in an evening, or before the first card of the next day."""
        return bool(self.view["phase"] == "evening" or self.view["round"] % (self.view["rounds"] // DAYS) == 1)

    def only_rival(self) -> Evaluation | None:
        """The other carpet, if two players are left."""
        rivals = [number for number in self._active if number != self.view["you"]]
        return self._evaluate(rivals[0]) if len(rivals) == 1 else None

    def unseen_dominoes(self) -> list[str]:
        """The dominoes of today's group that are neither on offer nor won by anybody; some of them may be set aside."""
        seen = set(self.view["offer"])
        for seat in self.view["seats"]:
            seen.update(seat["owes"]["weave"], (cell["domino"] for cell in seat["carpet"].values()))
        return [domino for domino in (f"{pair}{self.view['day']}" for pair in PAIRS) if domino not in seen]

    def _evaluate(self, number: int) -> Evaluation:
        seat, view = self.view["seats"][number], self.view
        rivals = [self._largest[other] for other in self._active if other != number]
        auctions = view["rounds"] - view["round"] + (view["phase"] in {"choose", "spy"})
        owed = len(seat["owes"]["weave"])
        if number == view["you"]:
            owed = max(0, owed - 1)  # without the domino that is woven now
        return Evaluation(
            self._shown[number],
            Prospects(
                wins=_WINS * auctions / len(self._active) + owed,
                rivals={letter: max((sizes[letter] for sizes in rivals), default=0) for letter in MOTIF_OF},
                scraps=seat["scraps"],
                perfect=len(seat["perfect"]),
            ),
        )


def _shown_on(carpet: Json) -> dict[Square, str]:
    return {SQUARES[name]: _LETTER_OF[cell["shows"]] for name, cell in carpet.items()}


def _squares_of(action: Json) -> tuple[Square, Square]:
    first, second = action["squares"]
    return SQUARES[first], SQUARES[second]


# Debts


def _weave(table: _Table, actions: Actions) -> Json | None:
    owed = table.seat["owes"]["weave"]
    places = [action for action in actions.get("weave", ()) if action["domino"] in owed]
    return max(places, key=lambda action: table.own.gain(action["domino"], _squares_of(action)), default=None)


def _keep(table: _Table, actions: Actions) -> Json | None:
    """Keep the scrap of which the carpet has most."""
    letters = list(table.own.shown.values())
    return max(actions.get("keep", ()), key=lambda action: letters.count(LETTERS[action["scrap"]]), default=None)


def _take(table: _Table, actions: Actions) -> Json | None:
    """Prefer to remove something torn, then the perfect domino, because the others seldom gain anything."""
    order = ["perfect", "move", "turn"]
    order.insert(0 if TORN in table.own.shown.values() else len(order), "remove")
    return min(actions.get("take", ()), key=lambda action: order.index(action["token"]), default=None)


# Scraps, perfect dominoes and tokens


def _use(table: _Table, actions: Actions) -> Json | None:
    """Use what gains most if it gains enough, or at the last opportunity if it gains anything."""
    best, chosen = 0.0, None
    for gain, action in (*_patches(table, actions), *_perfect_weaves(table, actions), *_reworks(table, actions)):
        if gain > best:
            best, chosen = gain, action
    return chosen


def _patches(table: _Table, actions: Actions) -> Iterator[tuple[float, Json]]:
    """What each use of a scrap gains beyond the least that it must."""
    least = _LEAST if table.is_last_evening else _LEAST_FOR_SCRAP
    prospects = table.own.prospects
    later = prospects._replace(scraps=prospects.scraps - 1)
    for action in actions.get("patch", ()):
        shown = {**table.own.shown, SQUARES[action["square"]]: LETTERS[action["scrap"]]}
        yield Evaluation(shown, later).value - _value_if_kept(table) - least, action


def _perfect_weaves(table: _Table, actions: Actions) -> Iterator[tuple[float, Json]]:
    """The same for the places of perfect dominoes, which wait for the last evening."""
    if not table.is_last_evening:
        return
    prospects = table.own.prospects
    later = Evaluation(table.own.shown, prospects._replace(perfect=prospects.perfect - 1))
    for action in actions.get("weave", ()):
        gain = later.gain(action["domino"], _squares_of(action))
        yield later.value + gain - _value_if_kept(table) - _LEAST, action


def _value_if_kept(table: _Table) -> float:
    """The value of the carpet if nothing is used now. In the last evening, what isn't used is worth nothing."""
    if not table.is_last_evening:
        return table.own.value
    return Evaluation(table.own.shown, table.own.prospects._replace(scraps=0, perfect=0)).value


def _reworks(table: _Table, actions: Actions) -> Iterator[tuple[float, Json]]:
    """The same for a token; pieces with a scrap are left alone."""
    least = _LEAST if table.is_token_expiring else _LEAST_FOR_TOKEN
    rests: dict[str, Evaluation | None] = {}
    for action in actions.get("rework", ()):
        piece = action["piece"]
        if piece not in rests:
            rests[piece] = _without(table, piece)
        rest = rests[piece]
        if rest is not None:
            gain = rest.gain(piece, _squares_of(action)) if action["squares"] else 0.0
            yield rest.value + gain - table.own.value - least, action


def _without(table: _Table, piece: str) -> Evaluation | None:
    """The own carpet without a domino that has no scrap on it."""
    old = {name: cell for name, cell in table.seat["carpet"].items() if cell["domino"] == piece}
    if piece in MOTIFS or any(cell["scrap"] for cell in old.values()):
        return None
    gone = {SQUARES[name] for name in old}
    rest: Shown = {square: letter for square, letter in table.own.shown.items() if square not in gone}
    return Evaluation(rest, table.own.prospects)


# Bidding


def _rank(table: _Table) -> float:
    """The share of the dominoes that may still come today that would be worth less than the offer."""
    rival = table.only_rival()

    def worth(dominoes: Sequence[str]) -> float:
        denied = 0.0 if rival is None else _DENIAL * _total_gain(rival, dominoes)
        return _total_gain(table.own, dominoes) + denied

    offer = worth(table.view["offer"])
    usual = [worth([domino]) for domino in table.unseen_dominoes()]
    return sum((each < offer) + (each == offer) / 2 for each in usual) / len(usual) if usual else 0.5


def _total_gain(carpet: Evaluation, dominoes: Sequence[str]) -> float:
    """What dominoes add that are woven one after the other."""
    total = 0.0
    for domino in dominoes[:-1]:
        place = carpet.best_place(domino)
        total += carpet.gain(domino, place)
        carpet = carpet.with_domino(domino, place)
    return total + carpet.best_gain(dominoes[-1])


def _play(table: _Table, actions: list[Json], chance: Chance) -> Json:
    """The better the offer, the higher the gold; not exactly, because equal gold of two such bots cancels."""
    cards: dict[Any, Json] = {action["card"]: action for action in actions}
    rank = _rank(table)
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


BOTS: Final[Mapping[str, Bot]] = {"easy": play_easy, "medium": play_medium}
