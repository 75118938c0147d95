"""What the API takes: the bodies and the queries of its calls, as pydantic models that refuse what they do not know."""

import unicodedata
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from service.db.models import LONGEST_ADDRESS, LONGEST_MESSAGE, LONGEST_NAME

MOST_SEATS = 8
SHORTEST_PACE = 12 * 3600
LONGEST_PACE = 30 * 24 * 3600
_TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


def _plain(text: str) -> str:
    """Text in its composed form; control characters, also those that turn the direction of writing, are refused."""
    text = unicodedata.normalize("NFC", text).strip()
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in "\u200c\u200d" for c in text):
        raise ValueError("must not contain control characters")
    return text


def _plain_lines(text: str) -> str:
    """The same, but lines may be broken."""
    return "\n".join(_plain(line) for line in text.replace("\r\n", "\n").split("\n")).strip()


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_plain)]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
Address = Annotated[str, Field(min_length=3, max_length=LONGEST_ADDRESS + 20)]


class Body(BaseModel):
    """Unknown fields are refused, and a number is a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Login(Body):
    email: Address


class LoginConfirm(Body):
    email: Address
    code: Annotated[str, Field(min_length=1, max_length=64)]


class MailWishes(Body):
    """Which letters somebody wants."""

    turns: bool = True
    reminders: bool = True
    talk: bool = True


class Quiet(Body):
    """Hours that do not count, by the clocks of one's own zone; they may go past midnight."""

    begins: Annotated[str, Field(alias="from", pattern=_TIME_OF_DAY)]
    ends: Annotated[str, Field(alias="to", pattern=_TIME_OF_DAY)]


class PatchMe(Body):
    name: Name | None = None
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")] | None = None
    time_zone: Annotated[str, Field(max_length=64)] | None = None
    mail: MailWishes | None = None
    away_until: Annotated[str, Field(max_length=32)] | None = None
    quiet: Quiet | None = None
    days_off: Annotated[list[Weekday], Field(max_length=7)] | None = None


class SeatWish(Body):
    """One seat: somebody's address, a bot's level, or open to whoever has the link."""

    email: Address | None = None
    name: Name = ""
    bot: Annotated[str, Field(max_length=16)] | None = None
    open: Literal[True] | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(wish is not None for wish in (self.email, self.bot, self.open)) != 1:
            raise ValueError("must have exactly one of email, bot and open")
        return self


class NewGame(Body):
    game: Annotated[str, Field(max_length=32)]
    name: Name = ""
    seats: Annotated[list[SeatWish], Field(min_length=1, max_length=MOST_SEATS)]
    options: dict[str, Any] = {}
    pace: Annotated[int, Field(ge=SHORTEST_PACE, le=LONGEST_PACE)] | None = None
    """Seconds for a turn; left out: no clock."""
    time_up: Literal["stand-in", "wait"] = "stand-in"
    """What happens when they are up: the stand-in plays the turn, or the others decide."""


class NewAction(Body):
    head: Annotated[int, Field(ge=0, le=1_000_000)]
    action: dict[str, Any]
    salt: Annotated[str, Field(max_length=64)] = ""


class ClockWish(Body):
    """One thing to be done about a table's clock."""

    give: Annotated[int, Field(ge=1, le=LONGEST_PACE // 3600)] | None = None
    """So many hours more for whoever is to act."""
    vote: Literal["stand-in", "more-time"] | None = None
    """What is to happen at a table that waits, now that the time is up."""
    pause: bool | None = None
    """Whether all clocks of the table are to stand still."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(wish is not None for wish in (self.give, self.vote, self.pause)) != 1:
            raise ValueError("must have exactly one of give, vote and pause")
        return self


class NewMessage(Body):
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_MESSAGE), AfterValidator(_plain_lines)]

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text:
            raise ValueError("must say something")
        return self


class Query(BaseModel):
    """What stands behind the question mark; it comes as text, so numbers are read from it."""

    model_config = ConfigDict(extra="forbid")


class GamesQuery(Query):
    status: Literal["my-turn", "waiting", "playing", "finished"] | None = None
    cursor: Annotated[str, Field(max_length=128)] | None = None


class AfterQuery(Query):
    after: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class MessagesQuery(Query):
    cursor: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
