"""The preview of a direction matches what the rules do, whatever the die shows."""

from collections.abc import Sequence

import pytest

from service.engine.dice import Chance, Dice
from service.engine.marrakech.actions import Action, Eliminated, Event, Moved, Paid, Rolled
from service.engine.marrakech.board import FACES, Direction
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.roll_preview import Outcome, preview_rolls
from service.engine.marrakech.state import State
from tests.engine.positions import position


def happened(events: Sequence[Event], die: int) -> Outcome:
    """What came of a roll, as a preview would have put it."""
    (moved, *_) = [event for event in events if isinstance(event, Moved)]
    paid = next((event for event in events if isinstance(event, Paid)), None)
    ruin = any(isinstance(event, Eliminated) for event in events)
    payee, due = (paid.owner, paid.due) if paid else (None, 0)
    return Outcome(die, FACES.count(die), moved.path, moved.to, payee, due, ruin)


def first_walk(events: Sequence[Event]) -> Sequence[Event]:
    """The events of the first roll only: with `rotate-after` the next player rolls if one is eliminated."""
    rolls = [place for place, event in enumerate(events) if isinstance(event, Rolled)]
    return events[: rolls[1]] if len(rolls) > 1 else events


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_preview_matches_what_the_rules_do(seats: int, variant: str) -> None:
    options, chance = MARRAKECH.read_options({"variant": variant}, seats), Chance(b"preview_rolls", str(seats))
    dice = [Dice("preview_rolls", bytes([salt]) * 32) for salt in range(24)]
    state, paid = MARRAKECH.set_up(options, seats), 0
    for event in MARRAKECH.new_game(options, seats, dice[0]):
        state = MARRAKECH.evolve(state, event)
    while state.result is None:
        paid += _compare(state, dice)
        action = chance.pick(MARRAKECH.legal_actions(state, state.mover))
        for event in MARRAKECH.decide(state, state.mover, action, dice[0]):
            state = MARRAKECH.evolve(state, event)
    assert paid > 20


def _action(state: State, direction: Direction) -> Action:
    return next(action for action in MARRAKECH.legal_actions(state, state.mover) if direction in action)


def _compare(state: State, dice: Sequence[Dice]) -> int:
    """Compare every preview with what comes of it; gives how many of them cost something."""
    costs = 0
    for preview in preview_rolls(state):
        foreseen = {outcome.face: outcome for outcome in preview.outcomes}
        assert sum(outcome.chances for outcome in preview.outcomes) == len(FACES)
        costs += any(outcome.due for outcome in preview.outcomes)
        for each in dice:
            events = first_walk(MARRAKECH.decide(state, state.mover, _action(state, preview.direction), each))
            rolled = next((event for event in events if isinstance(event, Rolled)), None)
            if rolled is not None:
                assert rolled.seat == preview.walker
                assert foreseen[rolled.die] == happened(events, rolled.die)
    return costs


def test_there_is_no_preview_while_a_rug_is_to_be_laid() -> None:
    assert preview_rolls(position(phase="placement")) == []
    assert len(preview_rolls(position())) == 3


def test_a_preview_warns_of_elimination() -> None:
    state = position(
        """
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. B1 B1 .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        .. .. .. .. .. .. ..
        """,
        dirhams=(1, 59, 30, 30),
    )
    ahead = preview_rolls(state)[1]
    assert ahead.outcomes[0][-3:] == (1, 2, True)
    assert not any(each.ruin for each in ahead.outcomes[1:])
