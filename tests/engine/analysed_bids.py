"""The miniature game with a strong bot and an analyst, to test everything around an analysis without a real game.

A bid promises a tenth of its card, and a point counts as much as a whole chance at the start.
"""

from collections.abc import Mapping, Sequence

from service.engine.analysis import Analysis, Decision, Roll, SeatFigures, Step
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.protocol import Bot
from tests.engine.sealed_bids import CARDS, Bid, Event, SealedBids, State, bid_randomly


def chances(state: State) -> tuple[float, ...]:
    """The winning chance of each seat; the winner's is 1 once the game is over."""
    if state.over:
        winner = max(range(state.seats), key=lambda seat: (seat not in state.out, state.points[seat], -seat))
        return tuple(float(seat == winner) for seat in range(state.seats))
    weights = [
        0.0 if seat in state.out else 1 + state.points[seat] + state.bids[seat] / 10 for seat in range(state.seats)
    ]
    return tuple(weight / sum(weights) for weight in weights)


def bid_highest(view: Json, chance: Chance) -> Json:
    """Bid the highest card."""
    action: Json = view["legal"][-1]
    return action


class BidsAnalyst:
    """Bids are decisions, resigning too; showing them is like a roll of the first seat's."""

    version = 1

    def __call__(self, states: Sequence[State], events: Sequence[Event]) -> Analysis:
        seats = range(states[0].seats)
        values = [chances(state) for state in states]
        curve, decisions, rolls = [], [], []
        figures = {name: [0.0] * len(seats) for name in ("luck", "skill", "others", "rest")}
        for place, event in enumerate(events):
            seq, turn, before, after = place + 1, states[place].round + 1, values[place], values[place + 1]
            change = tuple(new - old for new, old in zip(after, before, strict=True))
            if any(change):
                curve.append(Step(seq, turn, after))
            if event.type in {"bid", "resigned"}:
                decision = self._judge(states[place], event, seq)
                decisions.append(decision)
                for seat in seats:
                    own = seat == event.seat
                    figures["skill" if own else "others"][seat] += -decision.cost if own else change[seat]
                    figures["rest"][seat] += change[seat] + decision.cost if own else 0.0
            elif event.type == "shown":
                rolls.append(Roll(seq, turn, 0, change))
            name = {"shown": "luck", "finished": "rest"}.get(event.type)
            if name:
                figures[name] = [sum_ + part for sum_, part in zip(figures[name], change, strict=True)]
        ends = [
            SeatFigures(seat, values[0][seat], values[-1][seat], *(figures[name][seat] for name in figures))
            for seat in seats
        ]
        return Analysis(self.version, tuple(ends), tuple(curve), tuple(decisions), tuple(rolls))

    def _judge(self, state: State, event: Event, seq: int) -> Decision:
        """The highest card is the best bid; a seat that has bid had better wait than resign."""
        rules, seat, has_bid = AnalysedBids(), event.seat, bool(state.bids[event.seat])
        own = chances(rules.evolve(state, event))[seat]
        better = state if has_bid else rules.evolve(state, Event("bid", seat, CARDS[-1]))
        best = {} if has_bid else rules.actions.write(Bid(CARDS[-1]))
        action = rules.actions.write(Bid(event.card or None))
        return Decision(seq, state.round + 1, seat, action, best, own, chances(better)[seat])


class AnalysedBids(SealedBids):
    """The same game."""

    bots: Mapping[str, Bot] = {"any": bid_randomly, "strong": bid_highest}
    analyst = BidsAnalyst()
