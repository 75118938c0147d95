"""What the API answers, for its description: the tests compare every answer with these models."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Me(Answer):
    id: int
    email: str
    name: str
    language: str
    time_zone: str
    mail: dict[str, bool]
    away_until: str | None


class SignedIn(Answer):
    token: str
    player: Me


class Accepted(Answer):
    detail: str


class SeatView(Answer):
    seat: int
    name: str
    bot: str | None
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
