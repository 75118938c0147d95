"""A miniature game for tests, in which all seats bid at once, in secret, for the cards of a hidden deck.

It has what Marrakech lacks and other games need: simultaneous actions, hidden choices and a hidden draw.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from service.engine.dice import Chance, Dice
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.engine.json_reader import Fields, Json, flag, list_of, number, one_of
from service.engine.protocol import Analyst, Bot

CARDS: Final = (1, 2, 3, 4)
"""The deck, and also what each seat can bid in each round."""
SEAT_LABELS: Final = "Ada", "Bea", "Cyd", "Dot", "Eve"
REASON: Final = "deck_empty"


class Bid(NamedTuple):
    """An action: bid a card, or resign (None)."""

    card: int | None


class Event(NamedTuple):
    """An event of any type; each type uses some of the fields."""

    type: str
    seat: int = -1
    card: int = 0
    deck: tuple[int, ...] = ()
    ranking: tuple[int, ...] = ()


class State(NamedTuple):
    seats: int
    deck: tuple[int, ...] = ()
    round: int = 0
    bids: tuple[int, ...] = ()
    """The card that each seat has bid this round; 0: none yet."""
    points: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    over: bool = False


class Result(NamedTuple):
    winners: tuple[int, ...]
    ranking: tuple[int, ...]
    reason: str = REASON


_card: Final = number(CARDS[0], CARDS[-1])


class ActionCodec:
    def read(self, value: object) -> Bid:
        fields = Fields(value, "action")
        kind = fields.take("type", one_of(("bid", "resign")))
        bid = Bid(fields.take("card", _card) if kind == "bid" else None)
        fields.end()
        return bid

    def write(self, value: Bid) -> Json:
        return {"type": "resign"} if value.card is None else {"type": "bid", "card": value.card}


def write_result(ranking: Sequence[int]) -> Json:
    return {"winners": [ranking[0]], "ranking": list(ranking), "reason": REASON}


class EventCodec:
    def read(self, value: object, seats: int) -> Event:
        fields = Fields(value, "event")
        seat = number(0, seats - 1)
        match fields.take("type", one_of(("dealt", "bid", "shown", "resigned", "finished"))):
            case "dealt":
                event = Event("dealt", deck=fields.take_or("deck", list_of(_card, len(CARDS), len(CARDS)), ()))
            case "bid":
                event = Event("bid", fields.take("seat", seat), fields.take_or("card", _card, 0))
            case "resigned":
                event = Event("resigned", fields.take("seat", seat))
            case "finished":
                result = Fields(fields.take("result", lambda value, _: value), "event.result")
                ranking = result.take("ranking", list_of(seat, seats, seats))
                result.take("winners", list_of(seat, 1, 1))
                result.take("reason", one_of((REASON,)))
                result.end()
                event = Event("finished", ranking=ranking)
            case _:
                event = Event("shown")
        fields.end()
        return event

    def write(self, event: Event) -> Json:
        value: Json = {"type": event.type}
        if event.seat >= 0:
            value["seat"] = event.seat
        if event.card:
            value["card"] = event.card
        if event.deck:
            value["deck"] = list(event.deck)
        if event.ranking:
            value["result"] = write_result(event.ranking)
        return value

    def write_text(self, event: Event) -> str:
        seat = SEAT_LABELS[event.seat] if event.seat >= 0 else "All"
        return f"{seat} {event.type} {event.card} {''.join(map(str, event.deck or event.ranking))}."

    def read_text(self, sentence: str, seats: int) -> Event:
        match = re.fullmatch(r"(\w+) (\w+) (\d) (\d*)\.", sentence)
        if match is None or match[1] not in {*SEAT_LABELS[:seats], "All"}:
            raise Malformed("this is no event of a bidding game.")
        seat = -1 if match[1] == "All" else SEAT_LABELS.index(match[1])
        numbers = tuple(map(int, match[4]))
        event = Event(match[2], seat, int(match[3]))
        return event._replace(ranking=numbers) if match[2] == "finished" else event._replace(deck=numbers)


class StateCodec:
    def read(self, value: object) -> State:
        fields = Fields(value, "state")
        fields.take("format", one_of(("sealed-bids/1",)))
        seats = fields.take("seats", number(2, 5))
        state = State(
            seats,
            fields.take("deck", list_of(_card, 0, len(CARDS))),
            fields.take("round", number(0, len(CARDS))),
            fields.take("bids", list_of(number(0, CARDS[-1]), seats, seats)),
            fields.take("points", list_of(number(0, 99), seats, seats)),
            fields.take("out", list_of(number(0, seats - 1), 0, seats)),
            fields.take("over", flag),
        )
        fields.end()
        return state

    def write(self, value: State) -> Json:
        plain = {name: list(entry) if isinstance(entry, tuple) else entry for name, entry in value._asdict().items()}
        return {"format": "sealed-bids/1", **plain}


def bid_randomly(view: Json, chance: Chance) -> Json:
    action: Json = chance.pick(view["legal"])
    return action


class SealedBids:
    """In each round all seats bid a card in secret; the highest bid that only one has made wins the next card."""

    name: Final = "sealed-bids"
    seats: Final = range(2, 6)
    bots: Mapping[str, Bot] = {"any": bid_randomly}
    stand_in: Final = "any"
    analyst: Analyst[State, Event] | None = None
    actions: Final = ActionCodec()
    events: Final = EventCodec()
    states: Final = StateCodec()

    def read_options(self, options: object, seats: int) -> Json:
        fields = Fields(options, "options")
        fields.take_or("cards", one_of((len(CARDS),)), len(CARDS))
        fields.end()
        return {"cards": len(CARDS)}

    def rematch_options(self, options: Json) -> Json:
        return options

    def seat_assets(self, seats: int, seat: int) -> Json:
        return {}

    def seat_assets_in_words(self, seats: int, seat: int) -> str:
        return "cards 1 to 4"

    def seat_label(self, seat: int) -> str:
        return SEAT_LABELS[seat]

    def set_up(self, options: Json, seats: int) -> State:
        return State(seats, bids=(0,) * seats, points=(0,) * seats)

    def new_game(self, options: Json, seats: int, dice: Dice) -> Sequence[Event]:
        return [Event("dealt", deck=dice.chance("deck").shuffled(CARDS))]

    def to_act(self, state: State) -> frozenset[int]:
        return frozenset(seat for seat in self._active_seats(state) if not state.bids[seat])

    def _active_seats(self, state: State) -> list[int]:
        return [seat for seat in range(state.seats) if self.is_active(state, seat)]

    def is_active(self, state: State, seat: int) -> bool:
        return not state.over and seat in range(state.seats) and seat not in state.out

    def is_stale(self, since: Sequence[Event]) -> bool:
        return any(event.type in {"shown", "finished"} for event in since)

    def legal_actions(self, state: State, seat: int) -> Sequence[Bid]:
        return [Bid(card) for card in CARDS] if seat in self.to_act(state) else []

    def decide(self, state: State, seat: int, action: Bid, dice: Dice) -> Sequence[Event]:
        if state.over:
            raise GameOver("The deck is empty.")
        if not self.is_active(state, seat):
            raise IllegalAction("You are not in the game.")
        if action.card is None:
            return self._end_round(state, Event("resigned", seat))
        if action not in self.legal_actions(state, seat):
            raise IllegalAction("You have bid already.")
        return self._end_round(state, Event("bid", seat, action.card))

    def _end_round(self, state: State, event: Event) -> list[Event]:
        """Show the bids once all are in; finish the game with the last card, or when one player is left."""
        events = [event]
        state = self.evolve(state, event)
        if len(self._active_seats(state)) > 1 and not self.to_act(state):
            events.append(Event("shown"))
            state = self.evolve(state, events[-1])
        if len(self._active_seats(state)) == 1 or state.round == len(CARDS):
            events.append(Event("finished", ranking=self._rank(state)))
        return events

    def _rank(self, state: State) -> tuple[int, ...]:
        return tuple(sorted(range(state.seats), key=lambda seat: (seat in state.out, -state.points[seat])))

    def evolve(self, state: State, event: Event) -> State:
        match event.type:
            case "dealt":
                return state._replace(deck=event.deck)
            case "bid":
                bids = list(state.bids)
                bids[event.seat] = event.card
                return state._replace(bids=tuple(bids))
            case "resigned":
                return state._replace(out=(*state.out, event.seat))
            case "shown":
                return self._award_card(state)
        return state._replace(over=True)

    def _award_card(self, state: State) -> State:
        bids = {seat: state.bids[seat] for seat in self._active_seats(state)}
        unique = [seat for seat, bid in bids.items() if list(bids.values()).count(bid) == 1]
        points = list(state.points)
        if unique:
            points[max(unique, key=bids.__getitem__)] += state.deck[state.round] if state.deck else 0
        return state._replace(points=tuple(points), bids=(0,) * state.seats, round=state.round + 1)

    def view(self, state: State, seat: int | None) -> Json:
        return {
            "turn": self.turn(state),
            "to_act": sorted(self.to_act(state)),
            "you": seat,
            "card": state.deck[state.round] if state.round < len(state.deck) else None,
            "seats": [
                {"points": state.points[each], "bid": bool(state.bids[each]), "out": each in state.out}
                for each in range(state.seats)
            ],
            "mine": None if seat is None else state.bids[seat],
            "legal": [] if seat is None else [self.actions.write(bid) for bid in self.legal_actions(state, seat)],
            "result": write_result(self._rank(state)) if state.over else None,
        }

    def event_view(self, state: State, event: Event, seat: int | None) -> Json:
        value = self.events.write(event)
        if not state.over:
            value.pop("deck", None)
            if event.seat != seat:
                value.pop("card", None)
        return value

    def result(self, state: State) -> Result | None:
        if not state.over:
            return None
        ranking = self._rank(state)
        return Result(ranking[:1], ranking)

    def turn(self, state: State) -> int:
        return state.round + 1

    def turn_of(self, before: State, after: State) -> int:
        return self.turn(before)
