"""What the API answers, for its description: the tests compare every answer with these models."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class QuietView(Answer):
    begins: Annotated[str, Field(alias="from")]
    ends: Annotated[str, Field(alias="to")]


class Me(Answer):
    id: int
    email: str
    name: str
    language: str
    time_zone: str
    mail: dict[str, bool]
    away_until: str | None
    quiet: QuietView | None
    days_off: list[str]


class SignedIn(Answer):
    token: str
    player: Me


class Accepted(Answer):
    detail: str


class SeatView(Answer):
    seat: int
    name: str
    bot: str | None
    away_until: str | None
    stand_in: bool
    """Whether a stand-in keeps the seat until the player comes back."""
    model_config = ConfigDict(extra="allow")


class DiceView(Answer):
    commitment: str
    seed: str | None


class View(Answer):
    """The view of a game: these fields, and those of the game that is played."""

    id: str
    game: str
    name: str
    status: Literal["waiting", "playing", "finished"]
    head: int
    turn: int
    to_act: list[int]
    you: int | None
    deadline: str | None
    pace: int | None
    time_up: Literal["stand-in", "wait"] | None
    """What happens when a turn's time is up; null where there is no clock."""
    paused: bool
    options: dict[str, Any]
    seats: list[SeatView]
    legal: list[dict[str, Any]]
    dice: DiceView
    result: dict[str, Any] | None
    model_config = ConfigDict(extra="allow")


class EventView(Answer):
    seq: int
    at: str
    type: str
    stand_in: Literal[True] | None = None
    """There where somebody stood in for the seat."""
    model_config = ConfigDict(extra="allow")


class Acted(Answer):
    events: list[EventView]
    view: View
    repeated: bool | None = None


class Events(Answer):
    events: list[EventView]


class Summary(Answer):
    """A game in a list."""

    id: str
    game: str
    name: str
    status: Literal["waiting", "playing", "finished"]
    turn: int
    you: int
    your_turn: bool
    deadline: str | None
    changed: str


class AskedView(Answer):
    """What somebody at the table wants of its clock."""

    seat: int
    what: Literal["give", "stand-in", "pause"]
    hours: float | None


class ClockView(Answer):
    """The clock of the turn that is on, and what is asked for."""

    turn: int
    deadline: str | None
    paused: bool
    overdue: bool
    pace: int | None
    time_up: Literal["stand-in", "wait"] | None
    asked: list[AskedView]


class ClockAnswer(ClockView):
    granted: bool
    missing: list[int]
    """The seats whose consent is still missing."""


class Games(Answer):
    games: list[Summary]
    cursor: str | None


class MessageView(Answer):
    id: int
    seat: int
    name: str
    at: str
    text: str


class Messages(Answer):
    messages: list[MessageView]
    cursor: int | None


class Record(Answer):
    format: Literal["marrakech-record/1"]
    id: str
    game: str
    name: str
    options: dict[str, Any]
    seats: list[dict[str, Any]]
    dice: DiceView
    events: list[EventView]
    result: dict[str, Any] | None


class ProblemView(Answer):
    type: str
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    code: str
