"""Games of Marrakech that bots play against each other, to fit and to rate them."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from service.engine.dice import Chance, Dice
from service.engine.marrakech import rules
from service.engine.marrakech.actions import Action
from service.engine.marrakech.bots import BOTS
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.evaluation import Chances, estimate_chances
from service.engine.marrakech.evolve import evolve
from service.engine.marrakech.expectimax import Evaluate, Option, best_option, value_options
from service.engine.marrakech.position import Position, position_of
from service.engine.marrakech.state import PILE_KINDS, Options, Phase, Result, State, Variant, set_up
from service.engine.marrakech.view import view
from service.engine.marrakech.weights import Fits

Play: TypeAlias = Callable[[State, random.Random], Action]
_read_action = ActionCodec().read


class Sample(NamedTuple):
    """A position at the beginning of a turn, and how its game ended."""

    position: Position
    totals: tuple[int, ...]
    shares: Chances
    skills: tuple[float, ...]
    """How strong the player of each seat is, so that its skill isn't mistaken for the value of what it has."""


def bot(level: str) -> Play:
    """Make a player of a bot."""

    def play(state: State, rng: random.Random) -> Action:
        return _read_action(BOTS[level](view(state, state.mover), Chance(rng.randbytes(8), "move")))

    return play


def fitted(fits: Fits, look: Callable[[Position, Phase, Evaluate], list[Option]] = value_options) -> Play:
    """Make a player that uses these weights, and looks one turn ahead or `value_options_further`."""
    evaluate = partial(estimate_chances, fits=fits)

    def play(state: State, rng: random.Random) -> Action:
        return best_option(look(position_of(state), state.phase, evaluate), state.mover).action

    return play


def erring(player: Play, rate: float) -> Play:
    """Make a player take any action now and then, so that its games are more varied."""

    def play(state: State, rng: random.Random) -> Action:
        if rng.random() < rate:
            return rng.choice(rules.legal_actions(state, state.mover))
        return player(state, rng)

    return play


def play_game(players: Sequence[Play], options: Options, rng: random.Random) -> tuple[list[Position], Result]:
    """Play one game; returns the positions at the beginning of the turns, and the result."""
    seats = len(players)
    dice = Dice("fit", rng.randbytes(32))
    state = set_up(options, seats)
    positions = []
    events = rules.new_game(options, seats, dice)
    while True:
        for event in events:
            state = evolve(state, event)
            if event.type in ("started", "laid", "turned", "eliminated") and state.phase == "direction":
                positions.append(position_of(state))
        if state.result:
            return [position for position in positions if not position.over], state.result
        events = rules.decide(state, state.mover, players[state.mover](state, rng), dice)


class Player(NamedTuple):
    """Somebody who plays in the games for the fit."""

    play: Play
    skill: float


def samples_of(games: int, players: Sequence[Player], options: Options, rng: random.Random) -> Iterator[Sample]:
    """Play games; the players change seats from game to game."""
    for number in range(games):
        seated = [players[(seat + number) % len(players)] for seat in range(len(players))]
        positions, result = play_game([player.play for player in seated], options, rng)
        winners = result.winners
        shares = tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(len(players)))
        totals = tuple(0 if score.out else score.total for score in result.scores)
        for position in positions:
            yield Sample(position, totals, shares, tuple(player.skill for player in seated))


def play_tables(games: int, players: Sequence[Player], variant: Variant, rng: random.Random) -> list[Sample]:
    """Play games with both kinds of pile, if there are two players."""
    piles = PILE_KINDS if len(players) == 2 else PILE_KINDS[:1]
    return [
        sample for pile in piles for sample in samples_of(games // len(piles), players, Options(variant, pile), rng)
    ]
