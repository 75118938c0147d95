"""Games of random actions of random seats, as the judge follows them."""

import json
import random
from collections.abc import Iterator
from typing import Any

from service.engine.dice import Dice
from service.engine.kilim.actions import Action
from service.engine.kilim.game import KILIM
from service.engine.kilim.state import State
from tests.engine.kilim.judge import Judge


class Walk:
    """One game and its judge. Specials are played often, and some players resign."""

    def __init__(self, weaving: str, seats: int, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - nothing here is secret
        self.id, self.seed = f"walk-{seed}", self._random.randbytes(32)
        self._dice = Dice(self.id, self.seed)
        self._resigns = self._random.choice([0, 0, 0.002, 0.01, 0.03])
        self._likes_specials = self._random.choice([0.1, 0.5, 0.9])
        options = {"weaving": weaving}
        self.seats = range(seats)
        self.judge = Judge(seats, weaving)
        self.state: State = KILIM.set_up(options, seats)
        self.events: list[dict[str, Any]] = []
        self._follow(KILIM.new_game(options, seats, self._dice))

    def steps(self) -> Iterator["Walk"]:
        """The game before each action and at the end."""
        yield self
        while self.state.result is None:
            seat = self._random.choice(self.state.active_seats())
            action = self._choose(seat)
            if action is not None:
                self._follow(KILIM.decide(self.state, seat, action, self._dice))
                yield self

    def now_and_then(self) -> bool:
        """True for a sample of the steps."""
        return self._random.random() < 0.15 or self.state.result is not None

    def _choose(self, seat: int) -> Action | None:
        if self._random.random() < self._resigns:
            return KILIM.actions.read({"type": "resign"})
        by_type: dict[str, list[Any]] = {}
        for action in KILIM.legal_actions(self.state, seat):
            by_type.setdefault(action.type, []).append(action)
        if not by_type:
            return None
        kind = self._random.choice(list(by_type))
        specials = [action for action in by_type[kind] if kind == "play" and action.card in ("bag", "artisan")]
        if specials and self._random.random() < self._likes_specials:
            return self._random.choice(specials)  # type: ignore[no-any-return]
        return self._random.choice(by_type[kind])  # type: ignore[no-any-return]

    def _follow(self, events: Any) -> None:
        for event in events:
            value = json.loads(json.dumps(KILIM.events.write(event)))
            self.judge.follow(value)
            self.events.append(value)
            self.state = KILIM.evolve(self.state, event)
