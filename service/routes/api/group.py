"""The API's call about the group, with its schemas."""

from typing import Annotated

from flask.typing import ResponseReturnValue
from pydantic import Field

from service.routes.api.blueprint import api, call, current_principal
from service.routes.api.schemas import Query, ResponseModel
from service.routes.current import current_context, current_reader
from service.routes.group_report import read_report, write_json

# Not checked here, so that the error says in plain words what a day looks like.
Day = Annotated[str, Field(max_length=32, json_schema_extra={"format": "date"})]


class GroupQuery(Query):
    """Which finished games count."""

    game: Annotated[str, Field(max_length=32)] | None = None
    since: Day | None = None
    """The first day on which they ended, in the time zone of your settings."""
    until: Day | None = None
    """The last one."""


class GroupFigures(ResponseModel):
    """How somebody has played."""

    games: int
    wins: int
    average_place: float
    luck: float | None
    """What the rolls gave on average in a game, as a part of the winning chance; null if no game was analysed."""
    skill: float | None
    """What the player's own choices lost, compared with the best ones; never above 0."""


class GroupRating(ResponseModel):
    rating: float
    uncertainty: float
    """The true strength is so far from the rating at most, with a probability of 95%."""


class GroupRatingPoint(GroupRating):
    """A rating after a game."""

    at: str


class GroupGameStanding(GroupFigures, GroupRating):
    """How somebody has played one game, and their rating at the end of the period."""

    history: list[GroupRatingPoint]


class GroupStanding(GroupFigures):
    """How somebody has played all games."""

    key: str
    """Identifies the player in this response."""
    name: str
    bot: str | None
    """The level, for all bots of this level; null for a person."""
    by_game: dict[str, GroupGameStanding]


class GroupEncounter(ResponseModel):
    """How two players did in the games in which they met."""

    one: str
    other: str
    games: int
    ahead: int
    """In how many games the first was ahead of the second."""
    behind: int
    tied: int
    """In how many they shared the win."""


class GroupRecord(ResponseModel):
    """A number that nobody has beaten."""

    game: str
    name: str
    title: str
    number: int
    words: str
    """The number as people read it."""
    players: list[str]
    at: str
    id: str | None
    """The game in which it was reached, if you played in it."""


class Group(ResponseModel):
    game: str | None
    since: str | None
    until: str | None
    games: int
    """How many finished games count."""
    titles: dict[str, str]
    """What the games are called."""
    you: str | None
    """Your own key; null if you aren't among the players."""
    players: list[GroupStanding]
    head_to_head: list[GroupEncounter]
    records: list[GroupRecord]


@api.get("/group")
@call(Group, query=GroupQuery, also=(403,))
def get_group(query: GroupQuery) -> ResponseReturnValue:
    """How often and how well everybody here has played, with ratings, head to head and records."""
    player = current_principal().require_login()
    report = read_report(current_context(), player, current_reader(), query.game, query.since, query.until)
    return write_json(report, player)
