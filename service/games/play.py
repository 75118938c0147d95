"""What people do at a table that has started: act and resign, each action once."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from service.clocks.saved_clocks import append_with_clock
from service.context import AppContext
from service.db.connection import Database
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.records import Entry
from service.errors import NotYourTurn, Stale
from service.games.participants import present
from service.games.store import Batch, NewLetter, append, entries, find_action, load
from service.games.stored import StoredGame, StoredSeat
from service.times import written

MOST_BOT_STEPS = 400
"""More than any game has left; a mistake in a bot or in the rules must not make a request run for ever."""

STAND_IN: Final = "greedy"
"""Who stands in for a player whose time is up; every game offers this level."""
_STANDING_IN: Final[Json] = {"type": "stand-in"}
"""What is written down as the action then: nobody can send it, so nobody's own action is taken for a repeated one."""


class Answer(NamedTuple):
    """What came of an action: the game after it, the events it made, and whether they were made before."""

    game: StoredGame
    first: int
    """The number of the first of the events."""
    entries: list[Entry]
    repeated: bool


def act(
    ctx: AppContext, game_id: str, seat: int, head: int, action: Json, salt: str, turn: int | None = None
) -> Answer:
    """Take an action of this seat at this head; sent again, it answers with what it made the first time.

    A turn link plays its own turn only, and says which by `turn`.
    """
    return apply_action(ctx, load(ctx.database, game_id), seat, head, action, salt, turn)


def apply_action(
    ctx: AppContext, game: StoredGame, seat: int, head: int, action: Json, salt: str, turn: int | None = None
) -> Answer:
    """The same in a game that was just loaded; should it have moved on since, nothing is lost by that."""
    rules = game.rules
    read = rules.actions.read(action)
    if game.head == head:
        _check_turn(game, turn)
        events = rules.decide(game.state, seat, read, game.dice(salt))
        try:
            return _write(ctx, game, seat, rules.actions.write(read), events)
        except Stale:
            pass  # another request got there first; it may have been this very action
    if game.remembered:
        raise Stale  # it may have moved on long since: whoever remembers it has to look
    if not 0 <= head <= game.head:
        raise Stale  # not even looked up: a number in JSON can be larger than one in a database
    return _repeated(ctx.database, game.id, seat, head, rules.actions.write(read))


def _check_turn(game: StoredGame, turn: int | None) -> None:
    if game.state is None:
        raise NotYourTurn("The game has not started yet; it starts by itself when every seat is taken.")
    if turn is not None and turn != game.turn:
        raise NotYourTurn("The turn of this link is over; wait for the next letter.")


def _repeated(database: Database, game_id: str, seat: int, head: int, action: Json) -> Answer:
    deed = find_action(database, game_id, head)
    if deed is None or (deed.actor, deed.action) != (seat, action):
        raise Stale
    game = load(database, game_id)
    return Answer(game, deed.first, entries(database, game, deed.first - 1, deed.last), repeated=True)


class StoodIn(NamedTuple):
    """What a stand-in has done: the game after it, and the numbers of its first and its last event."""

    game: StoredGame
    first: int
    last: int


def stand_in(ctx: AppContext, game: StoredGame, seats: Sequence[int]) -> StoodIn:
    """Play the rest of this turn for seats whose time is up."""
    happened = [event for events in _stand_ins_play(game, seats) for event in events]
    done = _write(ctx, game, None, _STANDING_IN, happened, stood_in_for=seats)
    return StoodIn(done.game, done.first, game.head + len(happened))


def _stand_ins_play(game: StoredGame, seats: Sequence[int]) -> Iterator[Sequence[Any]]:
    """What comes of it, action by action."""
    rules, chance, state = game.rules, Chance(secrets.token_bytes(32), "stand-in"), game.state
    for _ in range(MOST_BOT_STEPS):
        waiting = [seat for seat in seats if seat in rules.to_act(state)]
        if not waiting or rules.turn(state) != game.turn:
            return
        events = _bot_acts(game, state, waiting[0], STAND_IN, chance)
        state = _folded(game, state, events)
        yield events
    raise RuntimeError(f"The stand-in of game {game.id} did not come to an end.")


def _write(
    ctx: AppContext,
    game: StoredGame,
    seat: int | None,
    action: Json | None,
    events: Sequence[Any],
    stood_in_for: Sequence[int] = (),
) -> Answer:
    """Write the events down, and those of the bots whose turn it becomes, all in one transaction."""
    happened, state = list(events), _folded(game, game.state, events)
    marks = [bool(stood_in_for)] * len(happened)
    sitting = game._replace(seats=_seats_after(game, seat, stood_in_for))
    for standing_in, bot_events in _bots_play(sitting, state):
        happened += bot_events
        marks += [standing_in] * len(bot_events)
        state = _folded(game, state, bot_events)
    now = ctx.clock()
    after = sitting._replace(
        head=game.head + len(happened),
        turn=game.rules.turn(state),
        state=state,
        status="playing" if game.rules.result(state) is None else "finished",
    )
    batch, letters = Batch(happened, seat, action), _letters(game, after)
    if after.pace is None:
        after = append(ctx.database, game, after, batch, letters, now)
    else:
        stood_in = [seq for seq, mark in enumerate(marks, start=game.head + 1) if mark]
        after = append_with_clock(ctx.database, game, after, batch, letters, now, stood_in)
    at = written(now)
    made = [Entry(at, event, mark) for event, mark in zip(happened, marks, strict=True)]
    return Answer(after, game.head + 1, made, repeated=False)


def _seats_after(game: StoredGame, actor: int | None, stood_in_for: Sequence[int]) -> tuple[StoredSeat, ...]:
    """The seats, counting the turns that were played for somebody; whoever acts himself has come back by that.

    A table that waits decides anew each time, so there nobody is made to keep a seat.
    """
    seats = list(game.seats)
    if actor is not None and 0 <= actor < len(seats) and seats[actor].stood_in:
        seats[actor] = seats[actor]._replace(stood_in=0)
    for seat in stood_in_for if game.time_up == "stand-in" else ():
        seats[seat] = seats[seat]._replace(stood_in=seats[seat].stood_in + 1)
    return tuple(seats)


def open_game(ctx: AppContext, game: StoredGame) -> Answer:
    """Start a game whose seats are all taken: its opening events, and what the bots do at once."""
    rules = game.rules
    ready = game._replace(state=rules.set_up(game.options, len(game.seats)))
    return _write(ctx, ready, None, None, rules.new_game(game.options, len(game.seats), game.dice("")))


def _folded(game: StoredGame, state: Any, events: Sequence[Any]) -> Any:
    for event in events:
        state = game.rules.evolve(state, event)
    return state


def _bots_play(game: StoredGame, state: Any) -> Iterator[tuple[bool, Sequence[Any]]]:
    """The events of bots and stand-ins as long as the game waits for one of them, and whether it was a stand-in."""
    bots = {seat.seat: seat.bot for seat in game.seats if seat.bot}
    kept = {seat.seat: STAND_IN for seat in game.seats if seat.played_by_stand_in}
    if not bots and not kept:
        return
    chance = Chance(secrets.token_bytes(32), "bots")
    for _ in range(MOST_BOT_STEPS):
        # With nobody there to play with, stand-ins take their time: somebody may still come back.
        levels = bots | kept if kept and present(game, state) else bots
        waiting = sorted(game.rules.to_act(state) & levels.keys())
        if not waiting:
            return
        seat = waiting[0]
        events = _bot_acts(game, state, seat, levels[seat], chance)
        state = _folded(game, state, events)
        yield seat in kept, events
    raise RuntimeError(f"The bots of game {game.id} did not come to an end.")


def _bot_acts(game: StoredGame, state: Any, seat: int, level: str, chance: Chance) -> Sequence[Any]:
    rules = game.rules
    action = rules.actions.read(rules.bots[level](rules.view(state, seat), chance))
    return rules.decide(state, seat, action, game.dice(secrets.token_hex(8)))


def _letters(before: StoredGame, after: StoredGame) -> Iterator[NewLetter]:
    """The letters that follow: to whoever has come to be to act, and to everybody when the game is over."""
    people = [seat for seat in after.seats if seat.address]
    if after.status == "finished":
        for seat in people:
            yield NewLetter("over", str(seat.address), f"{after.id}/{seat.seat}/over", after.id, seat.seat, after.turn)
        return
    waiting = after.rules.to_act(after.state)
    if before.turn == after.turn:
        waiting -= before.rules.to_act(before.state)
    for seat in people:
        if seat.seat in waiting and not seat.played_by_stand_in:
            yield turn_letter(after, seat)


def turn_letter(game: StoredGame, seat: StoredSeat) -> NewLetter:
    """The letter that tells somebody that this turn is his."""
    about = f"{game.id}/{seat.seat}/{game.turn}/turn"
    return NewLetter("turn", str(seat.address), about, game.id, seat.seat, game.turn)
