"""The schemas of the API: the bodies and queries it accepts, and the responses it gives.

Requests are validated against these models. Responses are compared with them by the tests only.
"""

import unicodedata
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from service.db.models import LONGEST_ADDRESS, LONGEST_INVITATION, LONGEST_MESSAGE, LONGEST_NAME
from service.text import JOINERS

MOST_SEATS = 8
MOST_LINES = 12
SHORTEST_PACE = 12 * 3600
LONGEST_PACE = 30 * 24 * 3600
_TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


def _plain(text: str) -> str:
    """Normalise to NFC; refuse control characters, including those that change the writing direction."""
    text = unicodedata.normalize("NFC", text).strip()
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in JOINERS for c in text):
        raise ValueError("must not contain control characters")
    return text


def _plain_lines(text: str) -> str:
    """The same for text of several lines."""
    return "\n".join(_plain(line) for line in text.replace("\r\n", "\n").split("\n")).strip()


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_plain)]
InvitationMessage = Annotated[str, Field(max_length=LONGEST_INVITATION), AfterValidator(_plain_lines)]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
Address = Annotated[str, Field(min_length=3, max_length=LONGEST_ADDRESS + 20)]


class Body(BaseModel):
    """Unknown fields are refused, and values aren't converted: "1" is not a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Login(Body):
    email: Address


class Resend(Body):
    message: InvitationMessage | None = None
    """Replaces the game's message to the people who are invited."""


class Invite(Resend):
    email: Address


class SeatBot(Body):
    bot: Annotated[str, Field(max_length=16)]
    name: Name = ""


class LoginConfirm(Body):
    email: Address
    code: Annotated[str, Field(min_length=1, max_length=64)]


class MailPreferences(Body):
    """Which e-mails a player wants."""

    turns: bool = True
    reminders: bool = True
    talk: bool = True
    invitations: bool = True
    at_once: bool = False
    """Turn e-mails are sent at once, even while the player has the game open."""


class Quiet(Body):
    """Hours that don't count, in the player's time zone; they may go past midnight."""

    begins: Annotated[str, Field(alias="from", pattern=_TIME_OF_DAY)]
    ends: Annotated[str, Field(alias="to", pattern=_TIME_OF_DAY)]


class PatchMe(Body):
    name: Name | None = None
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")] | None = None
    time_zone: Annotated[str, Field(max_length=64)] | None = None
    mail: MailPreferences | None = None
    away_until: Annotated[str, Field(max_length=32)] | None = None
    quiet: Quiet | None = None
    days_off: Annotated[list[Weekday], Field(max_length=7)] | None = None
    hidden: bool | None = None
    """Whether the group's page doesn't list the player."""


class NewSeat(Body):
    """One seat: an invited player's address, a bot's level, or open to everyone with the link."""

    email: Address | None = None
    name: Name = ""
    bot: Annotated[str, Field(max_length=16)] | None = None
    open: Literal[True] | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(value is not None for value in (self.email, self.bot, self.open)) != 1:
            raise ValueError("must have exactly one of email, bot and open")
        return self


class NewGame(Body):
    game: Annotated[str, Field(max_length=32)]
    name: Name = ""
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=MOST_SEATS)]
    options: dict[str, Any] = {}
    pace: Annotated[int, Field(ge=SHORTEST_PACE, le=LONGEST_PACE)] | None = None
    """Seconds for each turn; without it there is no time limit."""
    time_up: Literal["stand-in", "wait"] = "stand-in"
    """What happens when time is up: the stand-in plays the turn, or the other players decide."""
    message: InvitationMessage = ""
    """For the people who are invited, in the e-mail and on the page."""


class Join(Body):
    invitation: Annotated[str, Field(min_length=1, max_length=1024)]
    """The game's shared link, or the token at its end."""


class NewAction(Body):
    """An action, either as one of the view's `legal` or in words."""

    head: Annotated[int, Field(ge=0, le=1_000_000)]
    action: dict[str, Any] | None = None
    do: Annotated[str, Field(min_length=1, max_length=600)] | None = None
    """The same in words, as in a reply by e-mail: `left`, `d5-e5`, `7`. Each line is one action.

    A single line can also name several actions, one after the other: `weave m14-m13 7`.
    """
    salt: Annotated[str, Field(max_length=64)] = ""

    @property
    def lines(self) -> list[str]:
        """The lines of `do`."""
        return [line.strip() for line in (self.do or "").splitlines() if line.strip()]

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if (self.action is None) == (self.do is None):
            raise ValueError("must have exactly one of action and do")
        if len(self.lines) > MOST_LINES:
            raise ValueError(f"must have at most {MOST_LINES} lines in do")
        return self


class ClockRequest(Body):
    """One change to a game's clock."""

    give: Annotated[int, Field(ge=1, le=LONGEST_PACE // 3600)] | None = None
    """More hours for the player to act."""
    vote: Literal["stand-in", "more-time"] | None = None
    """What should happen in a game that waits when the time is up."""
    pause: bool | None = None
    """Whether to pause the game."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(value is not None for value in (self.give, self.vote, self.pause)) != 1:
            raise ValueError("must have exactly one of give, vote and pause")
        return self


class NewMessage(Body):
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_MESSAGE), AfterValidator(_plain_lines)]

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text:
            raise ValueError("must not be empty")
        return self


class Query(BaseModel):
    """A query string; its values are text, so numbers are converted."""

    model_config = ConfigDict(extra="forbid")


class NoQuery(Query):
    """For calls that take no query at all."""


class GamesQuery(Query):
    status: Literal["my-turn", "waiting", "playing", "finished"] | None = None
    cursor: Annotated[str, Field(max_length=128)] | None = None


class AfterQuery(Query):
    after: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class BoardQuery(AfterQuery):
    seat: Annotated[int, Field(ge=0, lt=MOST_SEATS)] | None = None
    """Show your own seat's board with your choices or, in a game in which every player has a board, anyone's.

    By default the board as spectators see it: all boards if every player has one.
    """
    width: Annotated[int, Field(ge=1, le=500)] = 72
    """Columns of the board in characters."""
    height: Annotated[int, Field(ge=1, le=500)] | None = None
    """Lines of the board in characters; by default as many as it needs."""
    ansi: bool = False
    """Unicode and ANSI colours for a terminal."""


class MessagesQuery(Query):
    cursor: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None


class ResponseModel(BaseModel):
    """What a response contains."""

    model_config = ConfigDict(extra="forbid")


class QuietView(ResponseModel):
    begins: Annotated[str, Field(alias="from")]
    ends: Annotated[str, Field(alias="to")]


class Me(ResponseModel):
    id: int
    email: str
    name: str
    language: str
    time_zone: str
    mail: dict[str, bool]
    away_until: str | None
    quiet: QuietView | None
    days_off: list[str]
    hidden: bool
    """Whether the group's page doesn't list you."""


class SignedIn(ResponseModel):
    token: str
    player: Me


class Accepted(ResponseModel):
    detail: str


class SeatView(ResponseModel):
    seat: int
    name: str
    bot: str | None
    away_until: str | None
    stand_in: bool
    """Whether a stand-in plays for the seat until the player comes back."""
    model_config = ConfigDict(extra="allow")


class ChoiceView(ResponseModel):
    """A legal action with its words, in the caller's language."""

    key: str
    """What `do` calls it."""
    label: str
    action: dict[str, Any]
    listed: bool
    """Whether it belongs in a list; false for places, of which there may be hundreds."""
    hint: str = ""
    """What it may lead to, such as its cost; often missing."""


class DiceView(ResponseModel):
    commitment: str
    seed: str | None


class View(ResponseModel):
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
    """What happens when a turn's time is up; null without a time limit."""
    paused: bool
    options: dict[str, Any]
    seats: list[SeatView]
    legal: list[dict[str, Any]]
    choices: list[ChoiceView]
    """One for each entry of `legal`."""
    question: str
    """What the choices answer, in the caller's language; empty without choices."""
    unlisted: str
    """How to write the choices that aren't listed, with examples; empty if there are none."""
    dice: DiceView
    result: dict[str, Any] | None
    model_config = ConfigDict(extra="allow")


class EventView(ResponseModel):
    seq: int
    at: str
    type: str
    stand_in: Literal[True] | None = None
    """Present if a stand-in acted for the seat."""
    model_config = ConfigDict(extra="allow")


class SentenceView(ResponseModel):
    """An event in words, in the caller's language."""

    seq: int
    text: str


class Story(ResponseModel):
    sentences: list[SentenceView]


class RefusedLine(ResponseModel):
    """The first line of `do` that was not played, and why."""

    do: str
    code: str
    detail: str


class Acted(ResponseModel):
    events: list[EventView]
    view: View
    story: list[SentenceView]
    repeated: bool | None = None
    refused: RefusedLine | None = None
    """Present if this line and those after it were not played."""


class Events(ResponseModel):
    events: list[EventView]


class Summary(ResponseModel):
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


class ClockRequestView(ResponseModel):
    """A change to the clock that a player has asked for."""

    seat: int
    what: Literal["give", "stand-in", "pause"]
    hours: float | None


class ClockView(ResponseModel):
    """The clock of the current turn, and what players have asked for."""

    turn: int
    deadline: str | None
    paused: bool
    overdue: bool
    pace: int | None
    time_up: Literal["stand-in", "wait"] | None
    asked: list[ClockRequestView]


class ClockAnswer(ClockView):
    granted: bool
    missing: list[int]
    """The seats whose consent is still missing."""


class Games(ResponseModel):
    games: list[Summary]
    cursor: str | None


class MessageView(ResponseModel):
    id: int
    seat: int
    name: str
    at: str
    text: str


class Messages(ResponseModel):
    messages: list[MessageView]
    cursor: int | None


class Record(ResponseModel):
    format: Literal["marrakech-record/1"]
    id: str
    game: str
    name: str
    options: dict[str, Any]
    seats: list[dict[str, Any]]
    dice: DiceView
    events: list[EventView]
    result: dict[str, Any] | None


class ProblemView(ResponseModel):
    type: str
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    code: str
