"""What people do at a table that has started: act and resign, each action once."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from service.clock import written
from service.database import Database
from service.engine.dice import Chance
from service.engine.reading import Json
from service.engine.record import Entry
from service.errors import NotYourTurn, Stale
from service.office import Office
from service.store import Batch, LetterDue, StoredGame, append, deed_after, entries, load

MOST_BOT_STEPS = 400
"""More than any game has left; a mistake in a bot or in the rules must not make a request run for ever."""


class Answer(NamedTuple):
    """What came of an action: the game after it, the events it made, and whether they were made before."""

    game: StoredGame
    first: int
    """The number of the first of the events."""
    entries: list[Entry]
    repeated: bool


def act(office: Office, game_id: str, seat: int, head: int, action: Json, salt: str, turn: int | None = None) -> Answer:
    """Take an action of this seat at this head; sent again, it answers with what it made the first time.

    A turn link plays its own turn only, and says which by `turn`.
    """
    return act_in(office, load(office.database, game_id), seat, head, action, salt, turn)


def act_in(
    office: Office, game: StoredGame, seat: int, head: int, action: Json, salt: str, turn: int | None = None
) -> Answer:
    """The same in a game that was just loaded; should it have moved on since, nothing is lost by that."""
    rules = game.rules
    read = rules.actions.read(action)
    if game.head == head:
        _check_turn(game, turn)
        events = rules.decide(game.state, seat, read, game.dice(salt))
        try:
            return _write(office, game, seat, rules.actions.write(read), events)
        except Stale:
            pass  # another request got there first; it may have been this very action
    if not 0 <= head <= game.head:
        raise Stale  # not even looked up: a number in JSON can be larger than one in a database
    return _repeated(office.database, game.id, seat, head, rules.actions.write(read))


def _check_turn(game: StoredGame, turn: int | None) -> None:
    if game.state is None:
        raise NotYourTurn("The game has not started yet; it starts by itself when every seat is taken.")
    if turn is not None and turn != game.turn:
        raise NotYourTurn("The turn of this link is over; wait for the next letter.")


def _repeated(database: Database, game_id: str, seat: int, head: int, action: Json) -> Answer:
    deed = deed_after(database, game_id, head)
    if deed is None or (deed.actor, deed.action) != (seat, action):
        raise Stale
    game = load(database, game_id)
    return Answer(game, deed.first, entries(database, game, deed.first - 1, deed.last), repeated=True)


def _write(office: Office, game: StoredGame, seat: int | None, action: Json | None, events: Sequence[Any]) -> Answer:
    """Write the events down, and those of the bots whose turn it becomes, all in one transaction."""
    happened, state = list(events), _folded(game, game.state, events)
    for bot_events in _bots_play(game, state):
        happened += bot_events
    state = _folded(game, game.state, happened)
    now = office.clock()
    after = game._replace(
        head=game.head + len(happened),
        turn=game.rules.turn(state),
        state=state,
        status="playing" if game.rules.result(state) is None else "finished",
    )
    after = after._replace(deadline=_deadline(game, after, now))
    append(office.database, game, after, Batch(happened, seat, action), _letters(game, after), now)
    at = written(now)
    return Answer(after, game.head + 1, [Entry(at, event) for event in happened], repeated=False)


def open_game(office: Office, game: StoredGame) -> Answer:
    """Start a game whose seats are all taken: its opening events, and what the bots do at once."""
    rules = game.rules
    ready = game._replace(state=rules.set_up(game.options, len(game.seats)))
    return _write(office, ready, None, None, rules.new_game(game.options, len(game.seats), game.dice("")))


def _folded(game: StoredGame, state: Any, events: Sequence[Any]) -> Any:
    for event in events:
        state = game.rules.evolve(state, event)
    return state


def _bots_play(game: StoredGame, state: Any) -> Iterator[Sequence[Any]]:
    """The events of bots as long as the game waits for one of them."""
    rules, chance = game.rules, Chance(secrets.token_bytes(32), "bots")
    bots = {seat.seat: rules.bots[seat.bot] for seat in game.seats if seat.bot}
    for _ in range(MOST_BOT_STEPS):
        waiting = sorted(rules.to_act(state) & bots.keys())
        if not waiting:
            return
        seat = waiting[0]
        action = rules.actions.read(bots[seat](rules.view(state, seat), chance))
        events = rules.decide(state, seat, action, game.dice(secrets.token_hex(8)))
        state = _folded(game, state, events)
        yield events
    raise RuntimeError(f"The bots of game {game.id} did not come to an end.")


def _deadline(before: StoredGame, after: StoredGame, now: float) -> float | None:
    """When the time of whoever is to act is up: a new turn has the table's whole pace."""
    if after.status == "finished" or after.pace is None:
        return None
    return before.deadline if before.deadline and before.turn == after.turn else now + after.pace


def _letters(before: StoredGame, after: StoredGame) -> Iterator[LetterDue]:
    """The letters that follow: to whoever has come to be to act, and to everybody when the game is over."""
    people = [seat for seat in after.seats if seat.address]
    if after.status == "finished":
        for seat in people:
            yield LetterDue("over", str(seat.address), f"{after.id}/{seat.seat}/over", after.id, seat.seat, after.turn)
        return
    waiting = after.rules.to_act(after.state)
    if before.turn == after.turn:
        waiting -= before.rules.to_act(before.state)
    for seat in people:
        if seat.seat in waiting:
            about = f"{after.id}/{seat.seat}/{after.turn}/turn"
            yield LetterDue("turn", str(seat.address), about, after.id, seat.seat, after.turn)
