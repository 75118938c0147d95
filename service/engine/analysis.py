"""What an analysis of a finished game says: winning chances turn by turn, luck, skill and the best choices."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from service.engine.errors import Malformed
from service.engine.json_reader import Json


class Step(NamedTuple):
    """The winning chances after an event that changes them."""

    seq: int
    turn: int
    chances: tuple[float, ...]
    """By seat; the sum is 1."""


class Decision(NamedTuple):
    """A choice and the best one, with the winning chances of the seat that chose."""

    seq: int
    turn: int
    seat: int
    action: Json
    best: Json
    """Empty if it would have been best to do nothing, as for a seat that resigns when others are to act."""
    chance: float
    best_chance: float

    @property
    def cost(self) -> float:
        """What the choice gave away; never below 0."""
        return self.best_chance - self.chance


class Roll(NamedTuple):
    """What a roll gave each seat, compared with its expectation."""

    seq: int
    turn: int
    seat: int
    """The seat that rolled."""
    luck: tuple[float, ...]
    """By seat; the sum is 0."""


class SeatFigures(NamedTuple):
    """How the winning chance of one seat came about: start + luck + skill + others + rest == end."""

    seat: int
    start: float
    end: float
    """1 for the only winner, a share for each of several winners, 0 for everyone else."""
    luck: float
    """What all rolls gave the seat."""
    skill: float
    """What the seat's own choices gave it, compared with its best choices; never above 0."""
    others: float
    """What the choices of the others gave the seat."""
    rest: float
    """By how much the evaluation changed its mind from one turn to the next."""


class Analysis(NamedTuple):
    """The analysis of one finished game."""

    version: int
    seats: tuple[SeatFigures, ...]
    curve: tuple[Step, ...]
    decisions: tuple[Decision, ...]
    rolls: tuple[Roll, ...]

    def to_json(self) -> Json:
        """Write the analysis as JSON with the same field names."""
        return {"version": self.version} | {name: [_write(part) for part in getattr(self, name)] for name in _PARTS}

    @classmethod
    def from_json(cls, value: Json) -> "Analysis":
        """Read what `to_json` wrote; raises `Malformed`."""
        try:
            parts = {name: tuple(_read(part, each) for each in value[name]) for name, part in _PARTS.items()}
            return cls(version=int(value["version"]), **parts)
        except (KeyError, TypeError, ValueError) as error:
            raise Malformed(f"This isn't an analysis: {error!r}.") from None


_PARTS: Final[dict[str, Callable[..., Any]]] = {
    "seats": SeatFigures,
    "curve": Step,
    "decisions": Decision,
    "rolls": Roll,
}


def _write(part: Any) -> Json:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in part._asdict().items()}


def _read(part: Callable[..., Any], value: Json) -> Any:
    return part(**{name: tuple(field) if isinstance(field, Sequence) else field for name, field in value.items()})
