"""Apply an event to the state, without rules: one function per type of event."""

from collections.abc import Callable
from typing import Any, Final

from service.engine.kilim.actions import (
    Auctioned,
    Bade,
    Evening,
    Event,
    Finished,
    Kept,
    Passed,
    Patched,
    Played,
    Resigned,
    Revealed,
    Reworked,
    Settled,
    Shown,
    Started,
    Took,
    Woven,
)
from service.engine.kilim.pieces import SPECIALS, TOKENS, Card
from service.engine.kilim.state import UNKNOWN, HeldToken, SeatState, State, full_hand


def evolve(state: State, event: Event) -> State:
    """Return the state after the event."""
    return _APPLY[type(event)](state, event)


def _with_seat(state: State, seat: int, **changes: Any) -> tuple[SeatState, ...]:
    seats = list(state.seats)
    seats[seat] = seats[seat]._replace(**changes)
    return tuple(seats)


def _started(state: State, event: Started) -> State:
    return state._replace(piles=event.piles, aside=event.aside)


def _revealed(state: State, event: Revealed) -> State:
    if event.day != state.day:
        late = any(seat.owes_take for seat in state.seats)
        state = state._replace(
            seats=tuple(_new_day(state, seat) for seat in state.seats),
            tokens=TOKENS,
            late_tokens=state.tokens if late else (),
        )
    return state._replace(
        seats=tuple(seat._replace(card=None, bid=None) for seat in state.seats),
        phase="choose",
        turn=state.turn + (1 if state.round else 0),
        round=event.round,
        day=event.day,
        offer=event.offer,
        shown=None,
        auctioned=None,
        settled=None,
    )


def _new_day(state: State, seat: SeatState) -> SeatState:
    """All cards come back. In relaxed games an unused token stays until its holder plays a card."""
    keeps = state.weaving == "relaxed" and seat.token is not None and not seat.token.used
    token = seat.token if keeps else None
    return seat._replace(gold=full_hand(len(state.seats)), specials=SPECIALS, token=token, passed=False)


def _played(state: State, event: Played) -> State:
    card: Card | str = UNKNOWN if event.card is None else event.card
    token = state.seats[event.seat].token
    if token is not None and token.day < state.day:
        token = None
    return state._replace(seats=_with_seat(state, event.seat, card=card, token=token))


def _shown(state: State, event: Shown) -> State:
    seats = tuple(_spend(seat, card) for seat, card in zip(state.seats, event.cards, strict=True))
    spies = "spy" in event.cards
    return state._replace(
        seats=seats,
        shown=event.cards,
        phase="spy" if spies else state.phase,
        turn=state.turn + (1 if spies else 0),
    )


def _spend(seat: SeatState, card: Card | None) -> SeatState:
    if card in seat.gold:
        return seat._replace(gold=tuple([gold for gold in seat.gold if gold != card]))
    if card in seat.specials:
        return seat._replace(specials=tuple([special for special in seat.specials if special != card]))
    return seat


def _bade(state: State, event: Bade) -> State:
    return state._replace(seats=_with_seat(state, event.seat, bid=UNKNOWN if event.gold is None else event.gold))


def _auctioned(state: State, event: Auctioned) -> State:
    seats = [_spend(seat, gold) for seat, gold in zip(state.seats, event.gold, strict=True)]
    if event.winner is not None:
        winner = seats[event.winner]
        seats[event.winner] = winner._replace(owes_weave=(*winner.owes_weave, *event.dominoes))
    state = state._replace(
        seats=tuple(seats), offer=state.offer if event.fate == "carried" else (), auctioned=event, settled=None
    )
    if any(state.shown[seat] in {"bag", "artisan"} for seat in state.active_seats()) if state.shown else False:
        return state._replace(phase="pay", turn=state.turn + 1)
    return _end_bidding(state)


def _settled(state: State, event: Settled) -> State:
    seats = [_spend(seat, gold) for seat, gold in zip(state.seats, event.gold, strict=True)]
    if event.bag is not None:
        seats[event.bag] = seats[event.bag]._replace(owes_keep=True)
    if event.artisan is not None:
        seats[event.artisan] = seats[event.artisan]._replace(owes_take=state.day)
    return _end_bidding(state._replace(seats=tuple(seats), settled=event))


def _end_bidding(state: State) -> State:
    """The round's bids are all settled. In strict games the phase `weave` begins."""
    if state.shown is not None and state.auctioned is not None:
        state = state._replace(last=(state.shown, state.auctioned, state.settled))
    return state._replace(phase="weave", turn=state.turn + 1) if state.weaving == "strict" else state


def _kept(state: State, event: Kept) -> State:
    scraps = (*state.seats[event.seat].scraps, event.scrap or UNKNOWN)
    return state._replace(
        seats=_with_seat(state, event.seat, scraps=scraps, owes_keep=False),
        bag=tuple(scrap for scrap in state.bag if scrap != event.scrap),
        bag_left=state.bag_left - 1,
    )


def _took(state: State, event: Took) -> State:
    seat = state.seats[event.seat]
    held: HeldToken | None = HeldToken(event.token, event.domino is not None, seat.owes_take)
    late = seat.owes_take < state.day
    if late and event.domino is not None:
        held = None  # yesterday's token can't be used any more
    perfect = seat.perfect if event.domino is None else (*seat.perfect, event.domino)
    seats = _with_seat(state, event.seat, owes_take=0, token=held, perfect=perfect)
    taken = state.perfect_taken + (0 if event.domino is None else 1)
    if late:
        return state._replace(seats=seats, late_tokens=(), perfect_taken=taken)
    tokens = tuple(token for token in state.tokens if token != event.token)
    return state._replace(seats=seats, tokens=tokens, perfect_taken=taken)


def _woven(state: State, event: Woven) -> State:
    seat = state.seats[event.seat]
    owes = tuple(domino for domino in seat.owes_weave if domino != event.domino)
    perfect = tuple(domino for domino in seat.perfect if domino != event.domino)
    carpet = seat.carpet.weave(event.domino, event.squares)
    return state._replace(seats=_with_seat(state, event.seat, owes_weave=owes, perfect=perfect, carpet=carpet))


def _patched(state: State, event: Patched) -> State:
    seat = state.seats[event.seat]
    used = event.scrap if event.scrap in seat.scraps else UNKNOWN
    place = seat.scraps.index(used) if used in seat.scraps else len(seat.scraps)
    scraps = (*seat.scraps[:place], *seat.scraps[place + 1 :])
    seats = _with_seat(state, event.seat, scraps=scraps, carpet=seat.carpet.patch(event.scrap, event.square))
    return state._replace(seats=seats, patched=(*state.patched, event.scrap))


def _reworked(state: State, event: Reworked) -> State:
    seat = state.seats[event.seat]
    held = seat.token
    used = None if held is None or held.day < state.day else held._replace(used=True)
    carpet = seat.carpet.rework(event.piece, event.squares)
    return state._replace(seats=_with_seat(state, event.seat, token=used, carpet=carpet))


def _evening(state: State, event: Evening) -> State:
    return state._replace(phase="evening", turn=state.turn + 1)


def _passed(state: State, event: Passed) -> State:
    return state._replace(seats=_with_seat(state, event.seat, passed=True))


def _resigned(state: State, event: Resigned) -> State:
    held = state.seats[event.seat].token
    gone = {
        "owes_weave": (),
        "owes_keep": False,
        "owes_take": 0,
        "scraps": (),
        "perfect": (),
        "card": None,
        "bid": None,
    }
    tokens = state.tokens
    if held is not None and not held.used:
        gone["token"] = None
        if held.day == state.day:
            tokens = tuple(token for token in TOKENS if token in tokens or token == held.token)
    seats = _with_seat(state, event.seat, **gone)
    late = state.late_tokens if any(0 < seat.owes_take < state.day for seat in seats) else ()
    return state._replace(seats=seats, tokens=tokens, late_tokens=late, out=(*state.out, event.seat))


def _finished(state: State, event: Finished) -> State:
    return state._replace(phase="over", result=event.result)


_APPLY: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    Started: _started,
    Revealed: _revealed,
    Played: _played,
    Shown: _shown,
    Bade: _bade,
    Auctioned: _auctioned,
    Settled: _settled,
    Kept: _kept,
    Took: _took,
    Woven: _woven,
    Patched: _patched,
    Reworked: _reworked,
    Evening: _evening,
    Passed: _passed,
    Resigned: _resigned,
    Finished: _finished,
}
