"""Playing a game that has started: every action happens exactly once."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from service.context import AppContext
from service.db.connection import transaction
from service.db.letters import NewLetter
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.records import Entry
from service.errors import NotYourTurn, Stale
from service.games.analysis import enqueue_analysis
from service.games.store import NewEvents, StoredGame, StoredSeat, actions_after, append_events, entries, is_stale, load
from service.text import format_utc

MOST_BOT_STEPS: Final = 400
"""More than any game has left; a mistake in a bot or in the rules must not make a request run forever."""
MOST_ATTEMPTS: Final = 10
"""How often an action is tried while other seats act at the same moment."""
_STAND_IN_ACTION: Final[Json] = {"type": "stand-in"}
"""Stored as the action when a stand-in plays. No client can send it, so it is never taken for a repeated action."""


class ActionResult(NamedTuple):
    """The game after an action, the events it caused, and whether they were caused by an earlier, equal request."""

    game: StoredGame
    first: int
    """The number of the first event."""
    entries: list[Entry]
    repeated: bool


def act(
    ctx: AppContext, game_id: str, seat: int, head: int, action: Json, salt: str, turn: int | None = None
) -> ActionResult:
    """Play an action of this seat, chosen at this head; sent again, it returns what it caused the first time.

    A turn link can play only its own turn, which is passed as `turn`.
    """
    return apply_action(ctx, load(ctx.database, game_id), seat, head, action, salt, turn)


def apply_action(
    ctx: AppContext,
    game: StoredGame,
    seat: int,
    head: int,
    action: Json,
    salt: str,
    turn: int | None = None,
    seen_head: int | None = None,
) -> ActionResult:
    """Play an action in a game that was just loaded.

    `seen_head` is what the player has seen of the game, if that is less than the head: with several actions in one
    reply, they have not seen what the first one led to.
    """
    parsed = game.rules.actions.read(action)
    action = game.rules.actions.write(parsed)
    for _ in range(MOST_ATTEMPTS):
        if game.head != head:
            earlier = _find_repeated(ctx, game, seat, head, action)
            if earlier is not None:
                return earlier
            if is_stale(ctx.database, game, seat, head):
                raise Stale
        _check_turn(game, turn)
        events = game.rules.decide(game.state, seat, parsed, game.dice(salt))
        try:
            seen = head if seen_head is None else seen_head
            return _write(ctx, game, events, actor=seat, action=action, seen_head=seen)
        except Stale:
            game = load(ctx.database, game.id)  # another request was faster; it may have been this very action
    raise Stale


def _find_repeated(ctx: AppContext, game: StoredGame, seat: int, head: int, action: Json) -> ActionResult | None:
    """What the same action, sent by the same seat with the same head, caused before."""
    if not 0 <= head < game.head:
        return None  # a number in JSON may be too large for the database
    for found in actions_after(ctx.database, game.id, head):
        if (found.actor, found.action, found.seen_head) == (seat, action, head):
            if found.last > game.head:  # it was stored since the game was loaded
                game = load(ctx.database, game.id)
            made = entries(ctx.database, game, found.first - 1, found.last)
            return ActionResult(game, found.first, made, repeated=True)
    return None


def _check_turn(game: StoredGame, turn: int | None) -> None:
    if game.state is None:
        raise NotYourTurn("The game hasn't started yet. It starts when every seat is taken.")
    if turn is not None and turn != game.turn:
        raise NotYourTurn("This link is for a turn that's over. Wait for the next e-mail.")


class StandInResult(NamedTuple):
    """The game after a stand-in's turn, and the numbers of its first and last event."""

    game: StoredGame
    first: int
    last: int


def play_stand_in(ctx: AppContext, game: StoredGame, seats: Sequence[int]) -> StandInResult:
    """Play the rest of this turn for seats whose time is up."""
    events = [event for step in _play_for(game, seats) for event in step]
    done = _write(ctx, game, events, action=_STAND_IN_ACTION, stood_in_for=seats)
    return StandInResult(done.game, done.first, game.head + len(events))


def _play_for(game: StoredGame, seats: Sequence[int]) -> Iterator[Sequence[Any]]:
    """The events of a stand-in for these seats, action by action, until the turn is over."""
    rules, chance, state = game.rules, Chance(secrets.token_bytes(32), "stand-in"), game.state
    for _ in range(MOST_BOT_STEPS):
        waiting = [seat for seat in seats if seat in rules.to_act(state)]
        if not waiting or rules.turn(state) != game.turn:
            return
        events = _bot_action(game, state, waiting[0], rules.stand_in, chance)
        state = _evolve(game, state, events)
        yield events
    raise RuntimeError(f"The stand-in of game {game.id} didn't finish.")


def choose_for_player(game: StoredGame, seat: int, chance: Chance) -> Json:
    """Choose an action as the stand-in would, for a player who leaves the choice to it."""
    return game.rules.bots[game.rules.stand_in](game.rules.view(game.state, seat), chance)


def start_game(ctx: AppContext, game: StoredGame) -> StoredGame:
    """Start a game whose seats are all taken: its opening events, and what the bots do first."""
    rules = game.rules
    ready = game._replace(state=rules.set_up(game.options, len(game.seats)))
    return _write(ctx, ready, rules.new_game(game.options, len(game.seats), game.dice(""))).game


def _write(
    ctx: AppContext,
    game: StoredGame,
    events: Sequence[Any],
    *,
    actor: int | None = None,
    action: Json | None = None,
    seen_head: int | None = None,
    stood_in_for: Sequence[int] = (),
) -> ActionResult:
    """Store the events, and those of the bots whose turn it becomes, in one transaction."""
    events, state = list(events), _evolve(game, game.state, events)
    marks = _mark(game, events, stood_in_for)
    seated = game._replace(seats=_count_stand_ins(game, actor, stood_in_for))
    for absent, bot_events in _play_bots(seated, state):
        events += bot_events
        marks += _mark(game, bot_events, absent)
        state = _evolve(game, state, bot_events)
    after = seated._replace(
        head=game.head + len(events),
        turn=game.rules.turn(state),
        state=state,
        status="playing" if game.rules.result(state) is None else "finished",
    )
    now = ctx.clock()
    with transaction(ctx.database):
        new = NewEvents(events, marks, actor, action, seen_head)
        append_events(ctx.database, game, after, new, _letters(game, after, stood_in_for), now)
        if after.status == "finished":
            enqueue_analysis(ctx.database, after, now)
        after = ctx.advance_clock(ctx.database, game, after, now)
    at = format_utc(now)
    made = [Entry(at, event, mark) for event, mark in zip(events, marks, strict=True)]
    return ActionResult(after, game.head + 1, made, repeated=False)


def _mark(game: StoredGame, events: Sequence[Any], absent: Sequence[int]) -> list[bool]:
    """Which events a stand-in for these seats caused; what other seats do without a choice is not its doing."""
    return [bool(absent) and game.actor(event) in {None, *absent} for event in events]


def _count_stand_ins(game: StoredGame, actor: int | None, stood_in_for: Sequence[int]) -> tuple[StoredSeat, ...]:
    """The seats with their number of missed turns in a row; a player who acts has returned.

    In a game that waits when time is up, the players vote each time, so the number stays 0.
    """
    seats = list(game.seats)
    if actor is not None and 0 <= actor < len(seats) and seats[actor].stood_in:
        seats[actor] = seats[actor]._replace(stood_in=0)
    for seat in stood_in_for if game.time_up == "stand-in" else ():
        seats[seat] = seats[seat]._replace(stood_in=seats[seat].stood_in + 1)
    return tuple(seats)


def _evolve(game: StoredGame, state: Any, events: Sequence[Any]) -> Any:
    for event in events:
        state = game.rules.evolve(state, event)
    return state


def _play_bots(game: StoredGame, state: Any) -> Iterator[tuple[Sequence[int], Sequence[Any]]]:
    """The events of bots and stand-ins as long as the game waits for one, and the seat for which a stand-in played."""
    bots = {seat.seat: seat.bot for seat in game.seats if seat.bot}
    stand_ins = {seat.seat: game.rules.stand_in for seat in game.seats if seat.played_by_stand_in}
    if not bots and not stand_ins:
        return
    chance = Chance(secrets.token_bytes(32), "bots")
    for _ in range(MOST_BOT_STEPS):
        # While no person is left to play with, stand-ins wait for the clock, so that a player can still return.
        levels = bots | stand_ins if stand_ins and game.present_people(state) else bots
        waiting = sorted(game.rules.to_act(state) & levels.keys())
        if not waiting:
            return
        seat = waiting[0]
        events = _bot_action(game, state, seat, levels[seat], chance)
        state = _evolve(game, state, events)
        yield [seat] if seat in stand_ins else [], events
    raise RuntimeError(f"The bots of game {game.id} didn't finish.")


def _bot_action(game: StoredGame, state: Any, seat: int, level: str, chance: Chance) -> Sequence[Any]:
    rules = game.rules
    action = rules.actions.read(rules.bots[level](rules.view(state, seat), chance))
    return rules.decide(state, seat, action, game.dice(secrets.token_hex(8)))


def _letters(before: StoredGame, after: StoredGame, stood_in_for: Sequence[int]) -> Iterator[NewLetter]:
    """The letters that follow: to players whose turn it has become, and to everybody when the game is over.

    Players for whom a stand-in has just played get a letter about that. If it's their turn again, it says so.
    """
    people = [seat for seat in after.seats if seat.address]
    if after.status == "finished":
        for seat in people:
            yield NewLetter("over", str(seat.address), f"{after.id}/{seat.seat}/over", after.id, seat.seat, after.turn)
        return
    waiting = after.rules.to_act(after.state)
    if before.turn == after.turn:
        waiting -= before.rules.to_act(before.state)
    for seat in people:
        if seat.seat in waiting and seat.seat not in stood_in_for and not seat.played_by_stand_in:
            yield turn_letter(after, seat)


def turn_letter(game: StoredGame, seat: StoredSeat) -> NewLetter:
    """The letter that tells a player that it is their turn."""
    about = f"{game.id}/{seat.seat}/{game.turn}/turn"
    return NewLetter("turn", str(seat.address), about, game.id, seat.seat, game.turn)
