"""Looking ahead: the next player's turn, as the strong bot expects it, is a turn by the rules."""

from math import isclose

import pytest

from service.admin.simulate import simulated_games
from service.engine.dice import Dice
from service.engine.marrakech import rules
from service.engine.marrakech.board import FACES
from service.engine.marrakech.evaluation import estimate_chances
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.expectimax import best_option, expect_medium_turn, value_options, value_options_further
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.medium import best_actions
from service.engine.marrakech.position import final_shares, position_of
from service.engine.marrakech.state import VARIANTS, Phase, State, Variant

every_variant = pytest.mark.parametrize("variant", VARIANTS)
every_number = pytest.mark.parametrize("seats", [2, 3, 4])


def find_state(variant: Variant, seats: int, phase: Phase, rugs_left: int) -> State:
    """A state of a game of bots, in which so many rugs are left."""
    (record,) = simulated_games(MARRAKECH, 1, seats, {"variant": variant}, ["medium"], "ahead")
    states: list[State] = record.states()
    return next(state for state in states if (state.phase, sum(state.rugs_left)) == (phase, rugs_left))


def finish(state: State, seed: int) -> State:
    """Play the rest of the game as `medium` does, with its first choice where several are equally good."""
    dice = Dice("ahead", bytes([seed] * 32))
    while state.result is None:
        action = best_actions(position_of(state), state.phase)[0]
        for event in rules.decide(state, state.mover, action, dice):
            state = evolve(state, event)
    return state


@every_variant
@every_number
def test_a_choice_before_the_last_turn_is_worth_what_medium_makes_of_that_turn(variant: Variant, seats: int) -> None:
    """Every face of the die is rolled by the rules; the average of the results is what the lookahead expects."""
    phase: Phase = "placement" if variant == "standard" else "rotation"
    state = find_state(variant, seats, phase, 2 if phase == "placement" else 1)
    option = value_options_further(position_of(state), phase)[-1]
    after = state
    if phase == "placement":
        for event in rules.decide(state, state.mover, option.action, Dice("ahead", bytes(32))):
            after = evolve(after, event)
    results = {}
    for seed in range(60):
        end = after
        if phase == "rotation":
            for event in rules.decide(state, state.mover, option.action, Dice("ahead", bytes([seed] * 32))):
                end = evolve(end, event)
        end = finish(end, seed)
        results[end.die] = final_shares(position_of(end))
    assert set(results) == set(FACES)
    for seat, chance in enumerate(option.chances):
        assert isclose(chance, sum(results[face][seat] for face in FACES) / len(FACES), abs_tol=1e-9)


@every_variant
@every_number
def test_chances_add_up_to_one(variant: Variant, seats: int) -> None:
    state = find_state(variant, seats, "placement", 2 * seats)
    for option in value_options_further(position_of(state), "placement"):
        assert isclose(sum(option.chances), 1)


@every_variant
def test_a_place_is_worth_what_its_best_turn_of_assam_is_worth(variant: Variant) -> None:
    state = find_state(variant, 3, "placement", 9)
    option = value_options_further(position_of(state), "placement")[0]
    for event in rules.decide(state, state.mover, option.action, Dice("ahead", bytes(32))):
        state = evolve(state, event)
    after = position_of(state)
    if variant == "standard":
        assert option.chances == expect_medium_turn(after)
    else:
        assert option.chances == best_option(value_options_further(after, "rotation"), after.mover).chances


def test_a_direction_looks_one_turn_ahead_only() -> None:
    state = position_of(find_state("standard", 2, "direction", 10))
    assert value_options_further(state, "direction") == value_options(state, "direction", estimate_chances)
