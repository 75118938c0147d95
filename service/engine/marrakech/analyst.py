"""Analyses a finished game: winning chances turn by turn, luck, skill and the best choices.

All chances look one turn ahead with the same evaluation, the bot's (`expectimax`). What a choice or a roll changes is
therefore measured on one scale. Where the next turn's lookahead sees more than the one before, that is the `rest`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from service.engine.analysis import Analysis, Decision, Roll, SeatFigures, Step
from service.engine.json_reader import Json
from service.engine.marrakech.actions import (
    FACE,
    LAY,
    RESIGN,
    ROTATE,
    Action,
    Eliminated,
    Event,
    Faced,
    Finished,
    Laid,
    Resigned,
    Rolled,
    Started,
    Turned,
)
from service.engine.marrakech.codecs import ActionCodec
from service.engine.marrakech.evaluation import VERSION, Chances
from service.engine.marrakech.expectimax import best_option, expect_roll, look_ahead, value_options, value_walk
from service.engine.marrakech.position import position_of
from service.engine.marrakech.state import State

_write_action: Final = ActionCodec().write
_FACE: Final = {action.direction: action for action in FACE}
_ROTATE: Final = {action.direction: action for action in ROTATE}


class MarrakechAnalyst:
    """The analyst of Marrakech; see `service.engine.protocol.Analyst`."""

    version: Final = VERSION

    def __call__(self, states: Sequence[State], events: Sequence[Event]) -> Analysis:
        work = _Work(states[-1].seats)
        for seq, event in enumerate(events, 1):
            note = _NOTES.get(type(event))
            if note is not None:
                note(work, seq, states[seq - 1], event, states[seq])
        return work.finish()


class _Work:
    """The analysis so far."""

    def __init__(self, seats: int) -> None:
        self.start: Chances = ()
        self.curve: list[Step] = []
        self.decisions: list[Decision] = []
        self.rolls: list[Roll] = []
        self.luck = [0.0] * seats
        self.skill = [0.0] * seats
        self.others = [0.0] * seats

    def add_step(self, seq: int, turn: int, chances: Chances) -> None:
        """Add the chances after an event to the curve."""
        self.curve.append(Step(seq, turn, chances))
        self.start = self.start or chances

    def add_decision(self, decision: Decision, chosen: Chances, best: Chances) -> None:
        """Add a choice, and what it cost everyone."""
        self.decisions.append(decision)
        for seat, (chance, best_chance) in enumerate(zip(chosen, best, strict=True)):
            account = self.skill if seat == decision.seat else self.others
            account[seat] += chance - best_chance

    def add_roll(self, seq: int, state: State, before: Chances, after: Chances) -> None:
        """Add a roll, and what it gave everyone."""
        luck = tuple(chance - expected for chance, expected in zip(after, before, strict=True))
        self.rolls.append(Roll(seq, state.turn, state.mover, luck))
        self.luck = [known + more for known, more in zip(self.luck, luck, strict=True)]

    def finish(self) -> Analysis:
        """Add up the figures."""
        figures = []
        for seat, (start, end) in enumerate(zip(self.start, self.curve[-1].chances, strict=True)):
            luck, skill, others = self.luck[seat], self.skill[seat], self.others[seat]
            figures.append(SeatFigures(seat, start, end, luck, skill, others, end - start - luck - skill - others))
        return Analysis(VERSION, tuple(figures), tuple(self.curve), tuple(self.decisions), tuple(self.rolls))


def expect_end(state: State) -> Chances:
    """Each seat's winning chance in a state, looking to the end of the turn."""
    position = position_of(state)
    if position.over or state.phase == "direction":
        return look_ahead(position)
    return best_option(value_options(position, state.phase), state.mover).chances


def _note_choice(work: _Work, seq: int, before: State, action: Action, after: Chances | None) -> None:
    """Note a choice of the mover; `after` are the chances after it if they need another look."""
    options = value_options(position_of(before), before.phase)
    best = best_option(options, before.mover)
    chosen = next(option for option in options if option.action == action)
    if chosen.chances[before.mover] == best.chances[before.mover]:
        best = chosen
    decision = Decision(
        seq,
        before.turn,
        before.mover,
        _write_action(action),
        _write_action(best.action),
        chosen.chances[before.mover],
        best.chances[before.mover],
    )
    work.add_decision(decision, chosen.chances, best.chances)
    work.add_step(seq, before.turn, after or chosen.chances)


def _note_start(work: _Work, seq: int, before: State, event: Started, after: State) -> None:
    work.add_step(seq, before.turn, expect_end(after))


def _note_faced(work: _Work, seq: int, before: State, event: Faced, after: State) -> None:
    _note_choice(work, seq, before, _FACE[event.direction], None)


def _note_laid(work: _Work, seq: int, before: State, event: Laid, after: State) -> None:
    _note_choice(work, seq, before, LAY[event.squares], None if after.phase == "rotation" else expect_end(after))


def _note_turned(work: _Work, seq: int, before: State, event: Turned, after: State) -> None:
    _note_choice(work, seq, before, _ROTATE[event.direction], expect_end(after))


def _note_rolled(work: _Work, seq: int, before: State, event: Rolled, after: State) -> None:
    position = position_of(before)
    chances = value_walk(position, before.facing, event.die)
    work.add_roll(seq, before, expect_roll(position, before.facing), chances)
    work.add_step(seq, before.turn, chances)


def _note_resigned(work: _Work, seq: int, before: State, event: Resigned, after: State) -> None:
    position, seat = position_of(before), event.seat
    best_action: Json = {}
    if seat == before.mover:
        best_action = _write_action(best_option(value_options(position, before.phase), seat).action)
    best, chances = expect_end(before), expect_end(after)
    decision = Decision(seq, before.turn, seat, _write_action(RESIGN), best_action, chances[seat], best[seat])
    work.add_decision(decision, chances, best)
    work.add_step(seq, before.turn, chances)


def _note_next(work: _Work, seq: int, before: State, event: Eliminated | Finished, after: State) -> None:
    work.add_step(seq, before.turn, expect_end(after))


_NOTES: Final[dict[type[Event], Callable[[_Work, int, State, Any, State], None]]] = {
    Started: _note_start,
    Faced: _note_faced,
    Rolled: _note_rolled,
    Laid: _note_laid,
    Turned: _note_turned,
    Resigned: _note_resigned,
    Eliminated: _note_next,
    Finished: _note_next,
}

ANALYST: Final = MarrakechAnalyst()
