"""The finished games that count for the group: who played them, their results, and who may be named."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from service.context import AppContext
from service.db.models import Event, Game, Player, Seat
from service.engine.json_reader import Json
from service.games.names import display_level, short_name
from service.games.players import is_deleted_address
from service.games.store import GUEST_DOMAIN
from service.i18n import Gettext

_FIRST: Any = Event.alias("first_event")
_LAST: Any = Event.alias("last_event")


class GroupPlayer(NamedTuple):
    """A person, or all bots of one level."""

    key: str
    """The id of the person, or the level."""
    name: str
    bot: str | None
    """The level; None for a person."""


class FinishedGame(NamedTuple):
    """A finished game; what is listed by seat also has the seats of people who aren't named."""

    id: str
    game: str
    started: float
    ended: float
    turns: int
    high_scores: Mapping[str, Sequence[int]]
    """By seat; empty until the worker has computed them."""
    players: tuple[str, ...]
    """Their keys by seat; a level has several seats if several bots of it played."""
    places: tuple[int, ...]
    """By seat: 1 is the best, and players who share the win all have it."""


def load_finished_games(ctx: AppContext, game: str | None = None, until: float | None = None) -> list[FinishedGame]:
    """The games that ended before a moment, in the order in which they ended. Trial games of guests don't count."""
    counted = (Game.status == "finished") & ~Player.email.endswith(f"@{GUEST_DOMAIN}")
    if game is not None:
        counted &= Game.game == game
    if until is not None:
        counted &= _LAST.at < until
    rows = (
        Game.select(Game.id, Game.game, _FIRST.at, _LAST.at, Game.turn, Game.high_scores, _LAST.body)
        .join(Player, on=(Player.id == Game.host))
        .join(_FIRST, on=(_FIRST.game == Game.id) & (_FIRST.seq == 1))
        .join(_LAST, on=(_LAST.game == Game.id) & (_LAST.seq == Game.head))
        .where(counted)
        .order_by(_LAST.at, Game.id)
        .tuples()
        .execute(ctx.database)
    )
    players = _load_seats(ctx)
    return [_read_game(row, players[row[0]]) for row in rows]


def _load_seats(ctx: AppContext) -> dict[str, tuple[str, ...]]:
    """The keys of the players of all finished games, seat by seat."""
    columns = (Seat.game, Seat.player, Seat.bot)
    rows = Seat.select(*columns).join(Game).where(Game.status == "finished").order_by(Seat.game, Seat.seat).tuples()
    by_game = groupby(rows.execute(ctx.database), key=lambda row: row[0])
    return {game_id: tuple(bot or str(player) for _, player, bot in seats) for game_id, seats in by_game}


def _read_game(row: Sequence[Any], players: tuple[str, ...]) -> FinishedGame:
    id_, game, started, ended, turns, high_scores, last_event = row
    places = _find_places(json.loads(last_event)["result"])
    return FinishedGame(id_, game, started, ended, turns, json.loads(high_scores or "{}"), players, places)


def _find_places(result: Json) -> tuple[int, ...]:
    winners, ranking = result["winners"], result["ranking"]
    places = {seat: 1 if seat in winners else place for place, seat in enumerate(ranking, 1)}
    return tuple(places[seat] for seat in range(len(ranking)))


def load_players(ctx: AppContext, games: Iterable[FinishedGame], gettext: Gettext = str) -> dict[str, GroupPlayer]:
    """Those who played and may be named, by their keys: no deleted players, and none who hide themselves."""
    keys = {key for game in games for key in game.players}
    people = _load_people(ctx)
    found = {key: people.get(key) or GroupPlayer(key, display_level(key, gettext), key) for key in keys}
    return {key: player for key, player in found.items() if player.name}


def _load_people(ctx: AppContext) -> dict[str, GroupPlayer]:
    """All people by their keys; those who may not be named have no name."""
    columns, seat_names = (Player.id, Player.name, Player.email, Player.hidden), _load_seat_names(ctx)
    people = {}
    for id_, name, address, hidden in Player.select(*columns).tuples().execute(ctx.database):
        is_listed = not hidden and not is_deleted_address(id_, address)
        people[str(id_)] = GroupPlayer(str(id_), short_name(name or seat_names.get(id_, "")) if is_listed else "", None)
    return people


def _load_seat_names(ctx: AppContext) -> dict[int, str]:
    """What people who have never entered a name are called in their newest game."""
    unnamed = (Player.name == "") & (Game.status == "finished")
    rows = Seat.select(Seat.player, Seat.name).join(Player).switch(Seat).join(Game).where(unnamed)
    return dict(rows.order_by(Game.created, Game.id).tuples().execute(ctx.database))
