"""A game as it stood when a letter was written, and what had happened since its reader last did something.

A letter says the same however often and however late it is read, so it is not told from the game's present state.
"""

from collections.abc import Sequence
from itertools import dropwhile
from typing import Any, NamedTuple

from service.mail.story import actor
from service.models import Event
from service.office import Office
from service.store import StoredGame, entries


class Glance(NamedTuple):
    """The game at one moment, seen from one seat."""

    head: int
    state: Any
    since: Sequence[Any]
    """The events since the reader's last own action, without those of that action."""


class _Deed(NamedTuple):
    first: int
    last: int
    actor: int


def at_turn(office: Office, game: StoredGame, seat: int, turn: int) -> Glance:
    """The game when it began to wait for this seat in this turn."""
    deeds = _deeds(office, game)
    events = [entry.event for entry in entries(office.database, game)]
    opening = deeds[0].first - 1 if deeds else len(events)
    state, done = game.rules.set_up(game.options, len(game.seats)), 0
    for head in [opening, *(deed.last for deed in deeds)]:
        for event in events[done:head]:
            state = game.rules.evolve(state, event)
        done = head
        if game.rules.turn(state) == turn and seat in game.rules.to_act(state):
            break
    start = max((deed.first - 1 for deed in deeds if deed.actor == seat and deed.last <= done), default=0)
    since = dropwhile(lambda event: _is_of(game, event, seat), events[start:done])
    return Glance(done, state, list(since))


def at_the_end(office: Office, game: StoredGame, seat: int) -> Glance:
    """The game when it was over, with everything since the reader's last own action, that action included."""
    own = [deed.first - 1 for deed in _deeds(office, game) if deed.actor == seat]
    start = own[-1] if own else 0
    since = [entry.event for entry in entries(office.database, game, start)]
    return Glance(game.head, game.state, since)


def _is_of(game: StoredGame, event: Any, seat: int) -> bool:
    return actor(game.rules.events.write(event)) == seat


def _deeds(office: Office, game: StoredGame) -> list[_Deed]:
    rows = (
        Event.select(Event.seq, Event.last, Event.actor)
        .where((Event.game == game.id) & Event.action.is_null(False))
        .order_by(Event.seq)
        .tuples()
        .execute(office.database)
    )
    return [_Deed(*row) for row in rows]
