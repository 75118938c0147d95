"""A game as it stood when a letter was written, and what had happened since its reader last did something.

A letter says the same however late it is read, so it is not simply told from the game's present state.
"""

from collections.abc import Sequence
from itertools import dropwhile
from typing import Any, NamedTuple

from service.context import AppContext
from service.db.models import Event
from service.engine.records import Entry
from service.games.store import StoredGame, entries
from service.games.views import state_after


class Snapshot(NamedTuple):
    """The game at one moment, seen from one seat."""

    head: int
    state: Any
    since: Sequence[Entry]
    """The events since the reader's last own action."""
    first: bool
    """Whether the reader has not done anything yet."""


class _Deed(NamedTuple):
    first: int
    last: int
    actor: int


def waits_for(game: StoredGame, seat: int, turn: int) -> bool:
    """Whether the game waits for this seat in this turn."""
    return game.status == "playing" and game.turn == turn and seat in game.rules.to_act(game.state)


def as_it_is(ctx: AppContext, game: StoredGame, seat: int) -> Snapshot:
    """A game that has begun, as it stands now."""
    return _seen(ctx, game, seat, game.head, game.state)


def after_own_action(ctx: AppContext, game: StoredGame, seat: int, turn: int) -> Snapshot:
    """The game between two actions of this seat in one turn, with what came of the first of them."""
    deeds = _deeds(ctx, game)
    start, _ = _folded_up_to(ctx, game, deeds, seat, turn)
    own = next((deed for deed in deeds if deed.first > start and deed.actor == seat), None)
    until = own.last if own else start
    since = entries(ctx.database, game, start, until)
    return Snapshot(until, state_after(ctx, game, until)[0], since, first=False)


def between(ctx: AppContext, game: StoredGame, first: int, last: int) -> Snapshot:
    """The game after the event with the number `last`, with what happened from the number `first` on."""
    since = entries(ctx.database, game, first - 1, last)
    return Snapshot(last, state_after(ctx, game, last)[0], since, first=False)


def _seen(ctx: AppContext, game: StoredGame, seat: int, head: int, state: Any) -> Snapshot:
    """What a seat sees at a head; while it is to act, its story ends where its turn began."""
    rules, deeds = game.rules, _deeds(ctx, game)
    if rules.result(state) is not None:
        # The reader's own last action is told, for the game may have ended with it.
        start = _last_own(deeds, seat, head)
        return Snapshot(head, state, entries(ctx.database, game, start or 0, head), start is None)
    if seat in rules.to_act(state):
        return _at_turn(ctx, game, deeds, seat, rules.turn(state))._replace(head=head, state=state)
    return _glance(ctx, game, deeds, seat, head, state)


def _at_turn(ctx: AppContext, game: StoredGame, deeds: Sequence[_Deed], seat: int, turn: int) -> Snapshot:
    head, state = _present(game, deeds, seat, turn) or _folded_up_to(ctx, game, deeds, seat, turn)
    return _glance(ctx, game, deeds, seat, head, state)


def _glance(ctx: AppContext, game: StoredGame, deeds: Sequence[_Deed], seat: int, head: int, state: Any) -> Snapshot:
    start = _last_own(deeds, seat, head)
    happened = entries(ctx.database, game, start or 0, head)
    own = (game.ui.actor(game.rules.events.write(entry.event)) == seat and not entry.stand_in for entry in happened)
    since = dropwhile(lambda _: next(own), happened)
    return Snapshot(head, state, list(since), start is None)


def _present(game: StoredGame, deeds: Sequence[_Deed], seat: int, turn: int) -> tuple[int, Any] | None:
    """The game as it is, where the turn has only just come to this seat: letters as they are sent need no folding."""
    just_now = waits_for(game, seat, turn) and deeds and deeds[-1].actor != seat
    return (game.head, game.state) if just_now else None


def _folded_up_to(ctx: AppContext, game: StoredGame, deeds: Sequence[_Deed], seat: int, turn: int) -> tuple[int, Any]:
    """The first moment between two actions at which it was this seat's turn."""
    rules, events = game.rules, [entry.event for entry in entries(ctx.database, game)]
    opening = deeds[0].first - 1 if deeds else len(events)
    state, head = rules.set_up(game.options, len(game.seats)), 0
    for until in (opening, *(deed.last for deed in deeds)):
        for event in events[head:until]:
            state = rules.evolve(state, event)
        head = until
        if rules.turn(state) == turn and seat in rules.to_act(state):
            break
    return head, state


def _last_own(deeds: Sequence[_Deed], seat: int, head: int) -> int | None:
    """The head before the last action of this seat up to a head."""
    return max((deed.first - 1 for deed in deeds if deed.actor == seat and deed.last <= head), default=None)


def _deeds(ctx: AppContext, game: StoredGame) -> list[_Deed]:
    acted = (Event.game == game.id) & Event.action.is_null(False)
    rows = Event.select(Event.seq, Event.last, Event.actor).where(acted).order_by(Event.seq).tuples()
    return [_Deed(*row) for row in rows.execute(ctx.database)]
