"""The rules of Marrakech: which actions are legal, what they lead to, and who wins."""

from collections.abc import Callable
from typing import Any, Final

from service.engine.dice import Dice
from service.engine.errors import GameOver, IllegalAction, NotYourTurn
from service.engine.marrakech.actions import (
    FACE,
    LAY_BESIDE,
    ROTATE,
    Action,
    Eliminated,
    Event,
    Face,
    Faced,
    Finished,
    Laid,
    Lay,
    Moved,
    Paid,
    Resign,
    Resigned,
    Rolled,
    Rotate,
    Started,
    Turned,
)
from service.engine.marrakech.board import (
    CENTRE,
    FACES,
    NAMES,
    TURNED,
    WALKS,
    Facing,
    Square,
    region,
    rug_name,
    squares_of,
)
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.state import (
    RUGS_EACH,
    Options,
    Phase,
    Piles,
    Reason,
    Result,
    Score,
    State,
    colour_of,
    colours_of,
    owner_of,
    set_up,
)

_NOBODY: Final[frozenset[int]] = frozenset()
_ONE_SEAT: Final = tuple(frozenset({seat}) for seat in range(4))


def new_game(options: Options, seats: int, dice: Dice) -> list[Event]:
    """Start a game; with `rotate-after` the first roll is among the events."""
    first = dice.chance("first").below(seats) if options.first is None else options.first
    started = Started(first, CENTRE, "north", _make_piles(options, dice) if seats == 2 else None)
    events: list[Event] = [started]
    _continue(evolve(set_up(options, seats), started), dice, events)
    return events


def _make_piles(options: Options, dice: Dice) -> Piles:
    """Make the piles of a two-player game."""
    alternating = [colours_of(2, seat) * (RUGS_EACH[2] // 2) for seat in range(2)]
    if options.pile == "alternating":
        return tuple(alternating)
    return tuple(dice.chance(f"pile-{seat}").shuffled(pile) for seat, pile in enumerate(alternating))


def to_act(state: State) -> frozenset[int]:
    """Return the seat whose turn it is, or nobody once the game is over."""
    return _NOBODY if state.result else _ONE_SEAT[state.mover]


def legal_actions(state: State, seat: int) -> tuple[Action, ...]:
    """List every action the seat can take now, except resigning."""
    if seat != state.mover or state.result:
        return ()
    if state.phase == "placement":
        top = state.top
        places = LAY_BESIDE[state.assam].items()
        return tuple([lay for (low, high), lay in places if top[low] != top[high] or not top[low]])
    if state.phase == "rotation":
        return ROTATE
    return FACE if state.options.variant == "standard" else ()


def decide(state: State, seat: int, action: Action, dice: Dice) -> list[Event]:
    """Return the events that the action leads to; raises `IllegalAction` if the rules forbid it."""
    if state.result:
        raise GameOver("This game is over, so you can't play in it any more.")
    phase, decide_action = _DECIDERS[type(action)]
    if phase is None:
        return decide_action(state, seat, action, dice)
    if seat != state.mover:
        raise NotYourTurn(
            "It isn't the turn of seat %(seat)s. The game is waiting for seat %(mover)s.", mover=state.mover, seat=seat
        )
    if phase != state.phase:
        raise _wrong_phase(state.phase)
    return decide_action(state, seat, action, dice)


def _wrong_phase(phase: Phase) -> IllegalAction:
    """Make the error for an action of another phase than the current one."""
    if phase == "direction":
        return IllegalAction("First choose a direction for Assam: left, ahead or right.")
    if phase == "placement":
        return IllegalAction("Assam has moved. Now lay a rug next to him.")
    return IllegalAction("Your rug is laid. Now turn Assam left or right.")


def _face(state: State, seat: int, action: Face, dice: Dice) -> list[Event]:
    if state.options.variant != "standard":
        raise IllegalAction("In this game you turn Assam after laying your rug, not before the roll.")
    facing = TURNED[state.facing][action.direction]
    events: list[Event] = [Faced(seat, action.direction, facing)]
    if _walk(state, facing, dice, events):
        _continue(_evolve_all(state, events), dice, events)
    return events


def _walk(state: State, facing: Facing, dice: Dice, events: list[Event]) -> bool:
    """Roll, walk and pay; returns whether the mover could not pay and is out."""
    seat, number = state.mover, state.rolls
    die = FACES[dice.roll(number)]
    path, to, facing = WALKS[state.assam][facing][die]
    events.append(Rolled(seat, die, number, dice.salt))
    events.append(Moved(seat, path, to, facing))
    toll = toll_at(state, seat, to)
    if toll is None:
        return False
    owner, squares = toll
    due, purse = len(squares), state.dirhams[seat]
    events.append(Paid(seat, owner, due, min(due, purse), squares))
    if due <= purse:
        return False
    events.append(Eliminated(seat))
    return True


def toll_at(state: State, seat: int, square: Square) -> tuple[int, tuple[Square, ...]] | None:
    """Return whom the seat pays if Assam stops on the square, and for which squares; None if it pays nothing."""
    top = state.top[square]
    if not top:
        return None
    colour = colour_of(top)
    owner = owner_of(colour, state.seats)
    if owner == seat or owner in state.out:
        return None
    return owner, squares_of(region(square, state.shown[colour]))


def _lay(state: State, seat: int, action: Lay, dice: Dice) -> list[Event]:
    place = action.squares
    low, high = place
    if place not in LAY_BESIDE[state.assam]:
        raise _wrong_place(place, state.assam)
    covered = state.top[low]
    if covered and covered == state.top[high]:
        raise IllegalAction(
            "A rug on %(place)s would cover both halves of another rug. Choose another place.", place=rug_name(place)
        )
    colour = state.next_rug(seat)
    if colour is None:
        raise IllegalAction("The order of the piles is unknown here, so this game can only be viewed.")
    events: list[Event] = [Laid(seat, state.laid + 1, colour, place)]
    if sum(state.rugs_left) == 1:
        events.append(Finished(compute_result(_evolve_all(state, events), "rugs_laid")))
    return events


def _wrong_place(place: tuple[Square, Square], assam: Square) -> IllegalAction:
    """Make the error for a place that isn't beside Assam."""
    named = {"place": rug_name(place), "assam": NAMES[assam]}
    if assam in place:
        return IllegalAction(
            "A rug on %(place)s would cover Assam, who is on %(assam)s. Choose another place.", **named
        )
    return IllegalAction(
        "%(place)s isn't next to Assam, who is on %(assam)s. Choose a place that shares an edge with his square.",
        **named,
    )


def _rotate(state: State, seat: int, action: Rotate, dice: Dice) -> list[Event]:
    events: list[Event] = [Turned(seat, action.direction, TURNED[state.facing][action.direction])]
    _continue(_evolve_all(state, events), dice, events)
    return events


def _resign(state: State, seat: int, action: Resign, dice: Dice) -> list[Event]:
    if seat not in range(state.seats):
        raise IllegalAction("This game has no seat %(seat)s.", seat=seat)
    if seat in state.out:
        raise IllegalAction("Seat %(seat)s is already out of this game.", seat=seat)
    events: list[Event] = [Resigned(seat)]
    after = _evolve_all(state, events)
    if seat == state.mover:
        _continue(after, dice, events)
    else:
        _end_if_over(after, events)
    return events


def _continue(state: State, dice: Dice, events: list[Event]) -> None:
    """End the game if it is over; otherwise, with `rotate-after`, roll for the next player until one can pay."""
    while not _end_if_over(state, events) and state.options.variant == "rotate-after":
        before = len(events)
        eliminated = _walk(state, state.facing, dice, events)
        if not eliminated:
            return
        state = _evolve_all(state, events[before:])


def _end_if_over(state: State, events: list[Event]) -> bool:
    """Add the `Finished` event if one player or no rug is left; returns whether it did."""
    if len(state.out) == state.seats - 1:
        events.append(Finished(compute_result(state, "last_standing")))
    elif not any(state.rugs_left):
        events.append(Finished(compute_result(state, "rugs_laid")))
    else:
        return False
    return True


def compute_result(state: State, reason: Reason) -> Result:
    """Compute the result of a game that ends in this state."""
    scores = tuple(
        Score(seat, state.dirhams[seat], state.visible(seat), seat in state.out) for seat in range(state.seats)
    )
    still_in = sorted((score for score in scores if not score.out), key=_best_first)
    winners = tuple(score.seat for score in still_in if _best_first(score) == _best_first(still_in[0]))
    ranking = (*(score.seat for score in still_in), *reversed(state.out))
    return Result(winners, ranking, scores, reason)


def _best_first(score: Score) -> tuple[int, int]:
    """Sort key: the higher total first, and with equal totals the one with more dirhams."""
    return -score.total, -score.dirhams


def _evolve_all(state: State, events: list[Event]) -> State:
    for event in events:
        state = evolve(state, event)
    return state


_DECIDERS: Final[dict[type[Action], tuple[Phase | None, Callable[[State, int, Any, Dice], list[Event]]]]] = {
    Face: ("direction", _face),
    Lay: ("placement", _lay),
    Rotate: ("rotation", _rotate),
    Resign: (None, _resign),
}
"""For each type of action its phase (None: any) and the function that decides it."""
