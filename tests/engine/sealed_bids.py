"""A game in miniature that has what Kilim has and Marrakech has not: everybody chooses at once, hidden, from a hidden
deck. It shows that the protocol carries such games; nobody plays it."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from service.engine.dice import Chance, Dice
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.engine.json_reader import Fields, Json, list_of, number, one_of, or_null
from service.engine.protocol import Bot

HAND: Final = (1, 2, 3, 4)
WEAVERS: Final = "Ada", "Bea", "Cyd", "Dot", "Eve"


class Bid(NamedTuple):
    card: int | None
    """None: leave the game."""


class Happened(NamedTuple):
    """One kind of event is enough here; which fields count hangs on the type."""

    type: str
    seat: int = -1
    card: int = 0
    deck: tuple[int, ...] = ()


class Bidding(NamedTuple):
    seats: int
    deck: tuple[int, ...] = ()
    round: int = 0
    bids: tuple[int, ...] = ()
    """The card each seat has chosen this round; 0: none yet."""
    points: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    over: bool = False


class Outcome(NamedTuple):
    winners: tuple[int, ...]
    ranking: tuple[int, ...]
    reason: str = "deck_empty"


class Bids:
    def read(self, value: object) -> Bid:
        fields = Fields(value, "action")
        match fields.take("type", one_of(("bid", "resign"))):
            case "bid":
                bid = Bid(fields.take("card", number(HAND[0], HAND[-1])))
            case _:
                bid = Bid(None)
        fields.end()
        return bid

    def write(self, value: Bid) -> Json:
        return {"type": "resign"} if value.card is None else {"type": "bid", "card": value.card}


class Happenings:
    def read(self, value: object, seats: int) -> Happened:
        fields = Fields(value, "event")
        kind = fields.take("type", one_of(("dealt", "bid", "shown", "left", "ended")))
        seat, card = -1, 0
        deck: tuple[int, ...] = ()
        if kind == "dealt":
            deck = fields.take_or("deck", list_of(number(HAND[0], HAND[-1]), 4, 4), ())
        if kind in {"bid", "left"}:
            seat = fields.take("seat", number(0, seats - 1))
        if kind == "bid":
            card = fields.take_or("card", number(HAND[0], HAND[-1]), 0)
        if kind == "ended":
            fields.take("result", lambda value, _: value)
        fields.end()
        return Happened(kind, seat, card, deck)

    def write(self, event: Happened) -> Json:
        value: Json = {"type": event.type}
        if event.seat >= 0:
            value["seat"] = event.seat
        if event.card:
            value["card"] = event.card
        if event.deck:
            value["deck"] = list(event.deck)
        if event.type == "ended":
            value["result"] = "over"
        return value

    def write_text(self, event: Happened) -> str:
        who = WEAVERS[event.seat] if event.seat >= 0 else "Everybody"
        return f"{who} {event.type} {event.card} {''.join(map(str, event.deck))}."

    def read_text(self, words: str, seats: int) -> Happened:
        match = re.fullmatch(r"(\w+) (\w+) (\d) (\d*)\.", words)
        if match is None or match[1] not in {*WEAVERS[:seats], "Everybody"}:
            raise Malformed("that is no bidding.")
        seat = WEAVERS.index(match[1]) if match[1] in WEAVERS else -1
        return Happened(match[2], seat, int(match[3]), tuple(map(int, match[4])))


class Biddings:
    def read(self, value: object) -> Bidding:
        fields = Fields(value, "state")
        fields.take("format", one_of(("sealed-bids/1",)))
        seats = fields.take("seats", number(2, 5))
        cards = list_of(number(0, HAND[-1]), 0, 5)
        state = Bidding(
            seats,
            fields.take("deck", cards),
            fields.take("round", number(0, 4)),
            fields.take("bids", cards),
            fields.take("points", list_of(number(0, 99), 0, seats)),
            fields.take("gone", list_of(number(0, seats - 1), 0, seats)),
            bool(fields.take("over", or_null(one_of((True, False))))),
        )
        fields.end()
        return state

    def write(self, value: Bidding) -> Json:
        plain = {name: list(entry) if isinstance(entry, tuple) else entry for name, entry in value._asdict().items()}
        return {"format": "sealed-bids/1", **plain}


def any_bid(view: Json, chance: Chance) -> Json:
    action: Json = chance.pick(view["legal"])
    return action


class SealedBids:
    """Each round everybody bids a card in secret; the highest that only one has bid wins the card from the deck."""

    name: Final = "sealed-bids"
    seats: Final = range(2, 6)
    bots: Final[Mapping[str, Bot]] = {"any": any_bid}
    stand_in: Final = "any"
    actions: Final = Bids()
    events: Final = Happenings()
    states: Final = Biddings()

    def read_options(self, options: object, seats: int) -> Json:
        fields = Fields(options, "options")
        fields.take_or("cards", one_of((4,)), 4)
        fields.end()
        return {"cards": 4}

    def seat_assets(self, seats: int, seat: int) -> Json:
        return {}

    def is_active(self, state: Bidding, seat: int) -> bool:
        return not state.over and seat in self._staying(state)

    def is_stale(self, since: Sequence[Happened], seat: int) -> bool:
        return any(event.type in {"shown", "ended"} or event.seat == seat for event in since)

    def seat_label(self, seat: int) -> str:
        return WEAVERS[seat]

    def seat_assets_in_words(self, seats: int, seat: int) -> str:
        return "cards 1 to 4"

    def set_up(self, options: Json, seats: int) -> Bidding:
        return Bidding(seats, bids=(0,) * seats, points=(0,) * seats)

    def new_game(self, options: Json, seats: int, dice: Dice) -> Sequence[Happened]:
        return [Happened("dealt", deck=dice.chance("deck").shuffled(HAND))]

    def _staying(self, state: Bidding) -> list[int]:
        return [seat for seat in range(state.seats) if seat not in state.gone]

    def to_act(self, state: Bidding) -> frozenset[int]:
        if state.over:
            return frozenset()
        return frozenset(seat for seat in self._staying(state) if not state.bids[seat])

    def legal_actions(self, state: Bidding, seat: int) -> Sequence[Bid]:
        return [Bid(card) for card in HAND] if seat in self.to_act(state) else []

    def decide(self, state: Bidding, seat: int, action: Bid, dice: Dice) -> Sequence[Happened]:
        if state.over:
            raise GameOver("The deck is empty.")
        if action.card is None:
            if seat not in self._staying(state):
                raise IllegalAction("You are not in the game.")
            return self._closed(state, [Happened("left", seat)])
        if action not in self.legal_actions(state, seat):
            raise IllegalAction("You have bid already.")
        return self._closed(state, [Happened("bid", seat, action.card)])

    def _closed(self, state: Bidding, events: list[Happened]) -> list[Happened]:
        """Show the bids once all are in, and end with the deck or the last but one player."""
        for event in events:
            state = self.evolve(state, event)
        if len(self._staying(state)) > 1 and not self.to_act(state):
            events.append(Happened("shown"))
            state = self.evolve(state, events[-1])
        if len(self._staying(state)) == 1 or state.round == len(HAND):
            events.append(Happened("ended"))
        return events

    def evolve(self, state: Bidding, event: Happened) -> Bidding:
        match event.type:
            case "dealt":
                return state._replace(deck=event.deck)
            case "bid":
                bids = list(state.bids)
                bids[event.seat] = event.card
                return state._replace(bids=tuple(bids))
            case "left":
                return state._replace(gone=(*state.gone, event.seat))
            case "shown":
                return self._shown(state)
        return state._replace(over=True)

    def _shown(self, state: Bidding) -> Bidding:
        bids = {seat: state.bids[seat] for seat in self._staying(state)}
        alone = [seat for seat, bid in bids.items() if list(bids.values()).count(bid) == 1]
        points = list(state.points)
        if alone:
            points[max(alone, key=bids.__getitem__)] += state.deck[state.round] if state.deck else 0
        return state._replace(points=tuple(points), bids=(0,) * state.seats, round=state.round + 1)

    def view(self, state: Bidding, seat: int | None) -> Json:
        return {
            "turn": self.turn(state),
            "to_act": sorted(self.to_act(state)),
            "you": seat,
            "card": state.deck[state.round] if state.round < len(state.deck) else None,
            "seats": [
                {"points": state.points[each], "bid": bool(state.bids[each]), "gone": each in state.gone}
                for each in range(state.seats)
            ],
            "mine": None if seat is None else state.bids[seat],
            "legal": [] if seat is None else [self.actions.write(bid) for bid in self.legal_actions(state, seat)],
            "result": "over" if state.over else None,
        }

    def event_view(self, state: Bidding, event: Happened, seat: int | None) -> Json:
        value = self.events.write(event)
        if not state.over:
            value.pop("deck", None)
            if event.seat != seat:
                value.pop("card", None)
        return value

    def result(self, state: Bidding) -> Outcome | None:
        if not state.over:
            return None
        ranking = sorted(range(state.seats), key=lambda seat: (seat in state.gone, -state.points[seat]))
        return Outcome((ranking[0],), tuple(ranking))

    def turn(self, state: Bidding) -> int:
        return state.round + 1
