"""What a seat, or a spectator, may know: the view of a state, and of an event."""

from collections.abc import Callable

from service.engine.json_reader import Json
from service.engine.kilim.actions import Action, Bade, Event, Kept, Played, Result, Score, Started
from service.engine.kilim.carpet import Carpet
from service.engine.kilim.pieces import COLOURS
from service.engine.kilim.rules import legal_actions, to_act
from service.engine.kilim.scoring import score_seats
from service.engine.kilim.state import SeatState, State


def build_view(state: State, seat: int | None, write_action: Callable[[Action], Json]) -> Json:
    """Build what this seat may know; None is a spectator."""
    has_started = state.round > 0
    pile_left = state.rounds_per_day - (state.round - 1) % state.rounds_per_day - 1 if has_started else 0
    return {
        "turn": state.turn,
        "phase": state.phase,
        "day": state.day,
        "round": state.round,
        "rounds": state.rounds,
        "to_act": sorted(to_act(state)),
        "you": seat,
        "options": {"weaving": state.weaving},
        "offer": list(state.offer),
        "pile_left": pile_left,
        "bag_left": state.bag_left,
        "tokens": list(state.tokens),
        "shown": None if state.shown is None else list(state.shown),
        "seats": [_seat_view(state, score) for score in score_seats(state)],
        "mine": None if seat is None else _own_view(state, state.seats[seat]),
        "legal": [] if seat is None else [write_action(action) for action in legal_actions(state, seat)],
        "last": _last_view(state),
        "result": None if state.result is None else write_result(state.result),
    }


def _seat_view(state: State, score: Score) -> Json:
    own, has_started = state.seats[score.seat], state.round > 0
    return {
        "colours": [COLOURS[score.seat]],
        "out": score.out,
        "gold": list(own.gold) if has_started else [],
        "specials": list(own.specials) if has_started else [],
        "owes": {"weave": list(own.owes_weave), "keep": own.owes_keep, "take": bool(own.owes_take)},
        "scraps": len(own.scraps),
        "perfect": list(own.perfect),
        "token": None if own.token is None else {"token": own.token.token, "used": own.token.used},
        "carpet": carpet_view(own.carpet),
        "points": _points(score),
    }


def carpet_view(carpet: Carpet) -> Json:
    """The squares of a carpet, each with what it shows."""
    return dict(carpet.cells)


def _own_view(state: State, own: SeatState) -> Json:
    """What only the seat itself knows."""
    return {
        "card": own.card,
        "bid": own.bid,
        "scraps": list(own.scraps),
        "bag": list(state.bag) if own.owes_keep else None,
    }


def _last_view(state: State) -> Json | None:
    if state.last is None:
        return None
    cards, auction, settled = state.last
    return {
        "round": auction.round,
        "cards": list(cards),
        "gold": list(auction.gold),
        "winner": auction.winner,
        "dominoes": list(auction.dominoes),
        "fate": auction.fate,
        "paid": [None] * len(cards) if settled is None else list(settled.gold),
        "short": [] if settled is None else list(settled.short),
        "bag": None if settled is None else settled.bag,
        "artisan": None if settled is None else settled.artisan,
    }


def _points(score: Score) -> Json:
    return {
        "rectangle": score.rectangle,
        "motifs": score.motifs,
        "groups": score.groups,
        "largest": score.largest,
        "torn": score.torn,
        "total": score.total,
        "squares": score.squares,
    }


def write_result(result: Result) -> Json:
    """Write the result as JSON."""
    return {
        "winners": list(result.winners),
        "ranking": list(result.ranking),
        "scores": [{"seat": score.seat, **_points(score), "out": score.out} for score in result.scores],
        "reason": result.reason,
    }


def hide_fields(state: State, event: Event, seat: int | None) -> Event:
    """The event with None for what this seat may not know in this state."""
    if state.result is not None:
        return event
    match event:
        case Started():
            return Started(None, None)
        case Played() if event.seat != seat and event.round == state.round and state.shown is None:
            return event._replace(card=None)
        case Bade() if event.seat != seat and event.round == state.round and not _bid_is_public(state, event.seat):
            return event._replace(gold=None)
        case Kept() if event.seat != seat and event.scrap not in state.patched:
            return event._replace(scrap=None)
    return event


def _bid_is_public(state: State, seat: int) -> bool:
    """Whether a bid of this round is known: a spy's after the auction, for bag and artisan after paying."""
    if state.auctioned is None:
        return False
    is_spy = state.shown is not None and state.shown[seat] == "spy"
    return is_spy or state.settled is not None
