"""What the API takes: the bodies and the queries of its calls, as pydantic models that refuse what they do not know."""

import unicodedata
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from service.models import LONGEST_ADDRESS, LONGEST_MESSAGE, LONGEST_NAME

MOST_SEATS = 8
SHORTEST_PACE = 12 * 3600
LONGEST_PACE = 30 * 24 * 3600


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


class PatchMe(Body):
    name: Name | None = None
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")] | None = None
    time_zone: Annotated[str, Field(max_length=64)] | None = None
    mail: MailWishes | None = None
    away_until: Annotated[str, Field(max_length=32)] | None = None


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


class NewAction(Body):
    head: Annotated[int, Field(ge=0, le=1_000_000)]
    action: dict[str, Any]
    salt: Annotated[str, Field(max_length=64)] = ""


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
