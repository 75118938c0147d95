"""The rules of Kilim: what each seat can do, what it leads to, and what the server does without asking."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from service.engine.dice import Dice
from service.engine.errors import GameOver, IllegalAction, NotYourTurn
from service.engine.kilim.actions import (
    PASS,
    Action,
    Auctioned,
    Bade,
    Bid,
    BySeat,
    Evening,
    Event,
    Finished,
    Keep,
    Kept,
    Pass,
    Passed,
    Patch,
    Patched,
    Play,
    Played,
    Resign,
    Resigned,
    Revealed,
    Rework,
    Reworked,
    Settled,
    Shown,
    Started,
    Take,
    Took,
    Weave,
    Woven,
)
from service.engine.kilim.carpet import FIRST_PLACE, place_name
from service.engine.kilim.evolve import evolve
from service.engine.kilim.pieces import PERFECT_DOMINOES, TOKENS, Card, Special, Token, draw_piles
from service.engine.kilim.scoring import compute_result
from service.engine.kilim.state import SeatState, State, Weaving, set_up

_PAYING: Final = ("bag", "artisan")


def new_game(weaving: Weaving, seats: int, dice: Dice) -> list[Event]:
    """Start a game: draw the piles and reveal the first domino."""
    events: list[Event] = [Started(*draw_piles(seats, dice))]
    _advance(evolve(set_up(weaving, seats), events[0]), events)
    return events


# Whom the game waits for


def to_act(state: State) -> frozenset[int]:
    """The seats that the game waits for."""
    if state.phase == "over" or state.result is not None:
        return frozenset()
    return frozenset([seat for seat in state.active_seats() if _is_awaited(state, seat)])


def _is_awaited(state: State, seat: int) -> bool:
    own = state.seats[seat]
    if state.phase == "choose":
        return own.card is None
    if state.phase in {"spy", "pay"}:
        return own.bid is None and _must_bid(state, seat)
    if state.phase == "weave":
        return own.owes
    return own.owes or (not own.passed and _has_use(state, own))


def _must_bid(state: State, seat: int) -> bool:
    """Whether the seat has shown a card for which it bids gold in this phase."""
    card = state.shown[seat] if state.shown else None
    return card == "spy" if state.phase == "spy" else card in _PAYING


def _has_use(state: State, own: SeatState) -> bool:
    """Whether the seat holds something that the evening waits for."""
    if own.token is not None and not own.token.used and own.carpet.reworks(own.token.token):
        return True
    is_last = state.round == state.rounds
    return is_last and bool(own.perfect or (own.scraps and own.carpet.patch_squares))


# What a seat can do


def legal_actions(state: State, seat: int) -> list[Action]:
    """List every action the seat can take now, except resigning; those that it has to take come first."""
    if not state.is_active(seat) or state.seats[seat].passed:
        return []
    own = state.seats[seat]
    found: list[Action] = []
    for domino in own.owes_weave:
        found += [Weave(domino, place) for place in own.carpet.weave_places(domino)]
    if own.owes_keep:
        found += [Keep(scrap) for scrap in state.bag]
    if own.owes_take:
        found += [Take(token) for token in _tokens_for(state, own)]
    if state.phase == "choose" and own.card is None and not own.owes:
        found += [Play(card) for card in playable_cards(state, own)]
    if state.phase in {"spy", "pay"} and own.bid is None and _must_bid(state, seat):
        found += [Bid(gold) for gold in possible_bids(state, seat)]
    if own.perfect or own.scraps or own.token is not None:
        found += _anytime_actions(own)
    if state.phase == "evening" and not own.owes and _is_awaited(state, seat):
        found.append(PASS)
    return found


def _anytime_actions(own: SeatState) -> Iterator[Action]:
    """What a seat may do in any phase, whether or not the game waits for it."""
    for domino in own.perfect:
        for place in own.carpet.weave_places(domino):
            yield Weave(domino, place)
    for scrap in own.scraps:
        for square in own.carpet.patch_squares:
            yield Patch(scrap, square)  # type: ignore[arg-type]
    if own.token is not None and not own.token.used:
        for piece, squares in own.carpet.reworks(own.token.token):
            yield Rework(own.token.token, piece, squares)


def playable_cards(state: State, own: SeatState) -> list[Card]:
    """The cards that the seat can play: gold, and special cards that can win something."""
    return [*own.gold, *[special for special in own.specials if _can_win(state, special)]]


def _can_win(state: State, special: Special) -> bool:
    if special == "bag":
        return state.bag_left > sum([seat.owes_keep for seat in state.seats])
    if special == "artisan":
        return len(state.tokens) > sum([seat.owes_take == state.day for seat in state.seats])
    return True


def possible_bids(state: State, seat: int) -> tuple[int, ...]:
    """The gold that the seat can bid: after bag or artisan what fits, or any card if none does."""
    hand = state.seats[seat].gold
    return hand if state.phase == "spy" else (_fitting(state, seat) or hand)


def _fitting(state: State, seat: int) -> tuple[int, ...]:
    """The gold above the winner's for the bag, below it for the artisan; any gold if nobody has won."""
    auction, own = state.auctioned, state.seats[seat]
    price = None if auction is None or auction.winner is None else auction.gold[auction.winner]
    if price is None:
        return own.gold
    above = state.shown is not None and state.shown[seat] == "bag"
    return tuple(card for card in own.gold if (card > price if above else card < price))


def _tokens_for(state: State, own: SeatState) -> tuple[Token, ...]:
    """The tokens among which the seat takes one: those of the day on which it won."""
    return state.tokens if own.owes_take == state.day else state.late_tokens


# What an action leads to


def decide(state: State, seat: int, action: Action, dice: Dice) -> list[Event]:
    """Return the events that the action leads to; raises `IllegalAction` if the rules forbid it."""
    if state.result is not None:
        raise GameOver("The game is over.")
    if not state.is_active(seat):
        raise IllegalAction("You have left this game.")
    if state.seats[seat].passed and not isinstance(action, Resign):
        raise NotYourTurn("You have passed for this evening. Wait for the next day.")
    events: list[Event] = [_DECIDERS[type(action)](state, seat, action)]
    _advance(evolve(state, events[0]), events)
    return events


def _play(state: State, seat: int, action: Play) -> Event:
    own = state.seats[seat]
    if state.phase != "choose" or own.card is not None:
        raise NotYourTurn("You can't play a card now. Wait for the next domino.")
    if own.owes:
        raise IllegalAction("First weave, keep or take what you have won.")
    if action.card not in playable_cards(state, own):
        if action.card in own.specials:
            raise IllegalAction("There is nothing left to win with this card today.")
        raise IllegalAction("You don't have this card any more today.")
    return Played(seat, state.round, action.card)


def _bid(state: State, seat: int, action: Bid) -> Event:
    if state.phase not in {"spy", "pay"} or state.seats[seat].bid is not None or not _must_bid(state, seat):
        raise NotYourTurn("You can't bid gold now.")
    if action.gold not in state.seats[seat].gold:
        raise IllegalAction("You don't have this gold card any more today.")
    if action.gold not in possible_bids(state, seat):
        raise IllegalAction("For the bag you must pay more than the winner, for the artisan less.")
    return Bade(seat, state.round, action.gold)


def _weave(state: State, seat: int, action: Weave) -> Event:
    own = state.seats[seat]
    if action.domino not in own.owes_weave and action.domino not in own.perfect:
        raise IllegalAction("You have no domino %(domino)s to weave.", domino=action.domino)
    if action.squares not in own.carpet.weave_places(action.domino):
        raise IllegalAction(
            "%(domino)s can't go on %(place)s. It needs two free squares beside your carpet.",
            domino=action.domino,
            place=place_name(action.squares),
        )
    return Woven(seat, action.domino, action.squares)


def _keep(state: State, seat: int, action: Keep) -> Event:
    if not state.seats[seat].owes_keep:
        raise IllegalAction("You have no scrap to keep.")
    if action.scrap not in state.bag:
        raise IllegalAction("This scrap isn't in the bag any more.")
    return Kept(seat, action.scrap)


def _take(state: State, seat: int, action: Take) -> Event:
    own = state.seats[seat]
    if not own.owes_take:
        raise IllegalAction("You have no token to take.")
    if action.token not in _tokens_for(state, own):
        raise IllegalAction("This token was taken today.")
    is_perfect = action.token == TOKENS[0]
    return Took(seat, action.token, PERFECT_DOMINOES[state.perfect_taken] if is_perfect else None)


def _patch(state: State, seat: int, action: Patch) -> Event:
    own = state.seats[seat]
    if action.scrap not in own.scraps:
        raise IllegalAction("You don't have this scrap.")
    if action.square not in own.carpet.patch_squares:
        raise IllegalAction("A scrap goes on a half of a domino that has none, or into a hole of your carpet.")
    return Patched(seat, action.scrap, action.square)


def _rework(state: State, seat: int, action: Rework) -> Event:
    own = state.seats[seat]
    if own.token is None or own.token.used or own.token.token != action.token:
        raise IllegalAction("You don't have this token, or you have used it.")
    if (action.piece, action.squares) not in own.carpet.reworks(action.token):
        raise IllegalAction("The token can't do that with this piece.")
    return Reworked(seat, action.token, action.piece, action.squares)


def _pass(state: State, seat: int, action: Pass) -> Event:
    if state.phase != "evening" or not _is_awaited(state, seat):
        raise NotYourTurn("There is nothing to pass on now.")
    if state.seats[seat].owes:
        raise IllegalAction("First weave, keep or take what you have won.")
    return Passed(seat)


def _resign(state: State, seat: int, action: Resign) -> Event:
    return Resigned(seat)


_DECIDERS: Final[dict[type[Action], Callable[[State, int, Any], Event]]] = {
    Play: _play,
    Bid: _bid,
    Weave: _weave,
    Keep: _keep,
    Take: _take,
    Patch: _patch,
    Rework: _rework,
    Pass: _pass,
    Resign: _resign,
}


# What follows without anybody's choice


def _advance(state: State, events: list[Event]) -> None:
    """Add the events that follow at once, until the game is over or waits for a seat that has a choice."""
    while state.result is None:
        event = _next_event(state)
        if event is None:
            return
        events.append(event)
        state = evolve(state, event)


def _next_event(state: State) -> Event | None:
    if len(state.active_seats()) == 1:
        return Finished(compute_result(state, "last_standing"))
    return next(_automatic_actions(state), None) or _next_phase(state)


def _automatic_actions(state: State) -> Iterator[Event]:
    """Actions without a choice: the lowest seat's first, in the order of KILIM.md."""
    for seat in state.active_seats():
        own = state.seats[seat]
        if own.owes_weave and not own.carpet.shown:
            yield Woven(seat, own.owes_weave[0], FIRST_PLACE)
        if own.owes_keep and state.bag_left == 1:
            yield _keep(state, seat, Keep(state.bag[0]))
        if own.owes_take and len(_tokens_for(state, own)) == 1:
            yield _take(state, seat, Take(_tokens_for(state, own)[0]))
        if state.phase == "choose" and own.card is None and not own.owes and len(own.gold) == 1:
            cards = playable_cards(state, own)
            if len(cards) == 1:
                yield Played(seat, state.round, cards[0])
        if state.phase in {"spy", "pay"} and own.bid is None and _must_bid(state, seat):
            bids = possible_bids(state, seat)
            if len(bids) == 1:
                yield Bade(seat, state.round, bids[0])


def _next_phase(state: State) -> Event | None:
    """The event that ends the phase once it has everything it waits for."""
    if state.round == 0:
        return _reveal(state)
    if state.weaving == "relaxed" and _is_bidding_over(state) and state.phase != "evening":
        return Evening(state.day) if state.round == state.rounds else _reveal(state)
    if state.phase == "weave" and state.is_last_of_day:
        return Evening(state.day)
    if to_act(state):
        return None
    return _PHASE_ENDS[state.phase](state)


def _is_bidding_over(state: State) -> bool:
    return state.auctioned is not None and (state.phase != "pay" or state.settled is not None)


def _end_choosing(state: State) -> Event:
    if state.shown is None:
        active = state.active_seats()
        cards: tuple[Any, ...] = tuple(own.card if seat in active else None for seat, own in enumerate(state.seats))
        return Shown(state.round, cards)
    return _auction(state)


def _end_evening(state: State) -> Event:
    return Finished(compute_result(state, "days_over")) if state.round == state.rounds else _reveal(state)


def _reveal(state: State) -> Event:
    number = state.round + 1
    size = state.rounds_per_day
    if state.piles is None:
        raise IllegalAction("The piles are not known here, so this game can only be read.")
    domino = state.piles[(number - 1) // size][(number - 1) % size]
    return Revealed(number, (number - 1) // size + 1, domino, (*state.offer, domino))


def _auction(state: State) -> Event:
    """Equal gold cancels, and the highest gold left wins the offer."""
    gold = tuple(_gold_for_dominoes(state, seat) for seat in range(len(state.seats)))
    winner = find_winner(gold)
    fate = "won" if winner is not None else "lost" if state.is_last_of_day else "carried"
    return Auctioned(state.round, gold, winner, state.offer, fate)  # type: ignore[arg-type]


def find_winner(gold: BySeat) -> int | None:
    """The seat with the highest gold that no other seat has bid."""
    single = [amount for amount in gold if amount is not None and gold.count(amount) == 1]
    return gold.index(max(single)) if single else None


def _gold_for_dominoes(state: State, seat: int) -> int | None:
    card = state.shown[seat] if state.shown and seat not in state.out else None
    if card == "spy":
        bid: Any = state.seats[seat].bid
        return int(bid)
    return card if isinstance(card, int) else None


def _settle(state: State) -> Event:
    """The highest payer gets the bag and the lowest the artisan, unless another paid the same."""
    paying = [seat for seat in state.active_seats() if _must_bid(state, seat)]
    short = tuple(seat for seat in paying if not _fitting(state, seat))
    bids: dict[int, Any] = {seat: state.seats[seat].bid for seat in paying}
    winners, shown = {}, state.shown or ()
    for card, best in (("bag", max), ("artisan", min)):
        rivals = {seat: bids[seat] for seat in paying if seat not in short and shown[seat] == card}
        top = [seat for seat, gold in rivals.items() if gold == best(rivals.values())]
        winners[card] = top[0] if len(top) == 1 else None
    gold = tuple(bids.get(seat) for seat in range(len(state.seats)))
    return Settled(state.round, gold, short, winners["bag"], winners["artisan"])


_PHASE_ENDS: Final[dict[str, Callable[[State], Event]]] = {
    "choose": _end_choosing,
    "spy": _auction,
    "pay": _settle,
    "weave": _reveal,
    "evening": _end_evening,
}
