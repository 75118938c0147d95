"""The end of a game on the table page: the players in the order of their scores, and the rematch."""

from gettext import NullTranslations
from typing import NamedTuple

from service.context import AppContext
from service.db.models import Player
from service.engine.json_reader import Json
from service.games.names import player_names, with_display_names
from service.games.rematch import find_rematch
from service.games.store import StoredGame
from service.ui.tables import Standings


class Rank(NamedTuple):
    """A player's place at the end of a game."""

    seat: int
    name: str
    score: str
    """What decides who wins; empty if the game has no such number."""
    won: bool
    active: bool


def rank_players(standings: Standings, result: Json) -> list[Rank]:
    """All players, the winner first."""
    decides = [place for place, column in enumerate(standings.columns) if column.decides]
    ranking = []
    for row in (standings.rows[seat] for seat in result["ranking"]):
        score = " ".join(row.cells[place] for place in decides)
        ranking.append(Rank(row.seat, row.name, score, row.seat in result["winners"], row.active))
    return ranking


class Rematch(NamedTuple):
    """The rematch of a finished game, as one of its players sees it."""

    id: str
    host: str
    joined: bool
    """Whether the player has taken a seat in it."""
    waiting: bool
    """Whether it still waits for players."""


def describe_rematch(
    ctx: AppContext, game: StoredGame, player: Player | None, translations: NullTranslations
) -> Rematch | None:
    """The rematch of a finished game, for a player who came with a session or a link."""
    rematch = find_rematch(ctx, game.id) if game.status == "finished" and player is not None else None
    if rematch is None or player is None:
        return None
    seat = rematch.seat_of(player.id)
    joined = seat is not None and rematch.seats[seat].accepted
    host = player_names(with_display_names(rematch, translations))[0]
    return Rematch(rematch.id, host, joined, rematch.status == "waiting")
