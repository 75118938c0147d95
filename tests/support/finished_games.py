"""Finished games for the tests of the group: whole games from tests/fixtures/games, played by whoever is named."""

import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from service.context import AppContext
from service.db.models import Event, Game, GameAnalysis, Player, Seat
from service.engine.json_reader import Json
from service.engine.record_text import read_text
from service.engine.records import Record

GAMES: Final = Path(__file__).parents[1] / "fixtures" / "games"
DAY: Final = 24 * 3600.0


@cache
def read_game(name: str) -> Record:
    """A game of the fixtures."""
    return read_text((GAMES / f"{name}.txt").read_text())


def result_of(name: str) -> Json:
    """How it ended."""
    record = read_game(name)
    result: Json = record.heading.rules.events.write(record.entries[-1].event)["result"]
    return result


def add_game(ctx: AppContext, name: str, players: Sequence[Player | str], ended: float, **columns: Any) -> str:
    """Store a game of the fixtures as one of these players, by seat; a text is the level of a bot. Returns its id."""
    heading, entries = read_game(name)
    rules, state = heading.rules, read_game(name).states()[-1]
    game_id = secrets.token_hex(6)
    host = next(player.id for player in players if isinstance(player, Player))
    later = ended - _seconds(entries[-1].at)
    row = {"id": game_id, "game": heading.game, "name": "", "options": json.dumps(heading.options), "host": host}
    row |= {"status": "finished", "seed": heading.seed, "head": len(entries), "turn": rules.turn(state)}
    row |= {"state": json.dumps(rules.states.write(state)), "created": ended - DAY, "changed": ended}
    Game.insert(row | columns).execute(ctx.database)
    Seat.insert_many(_write_seat(game_id, seat, player) for seat, player in enumerate(players)).execute(ctx.database)
    Event.insert_many(
        {
            "game": game_id,
            "seq": seq,
            "at": _seconds(entry.at) + later,
            "body": json.dumps(rules.events.write(entry.event)),
        }
        for seq, entry in enumerate(entries, 1)
    ).execute(ctx.database)
    return game_id


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _write_seat(game: str, seat: int, player: Player | str) -> Json:
    row = {"game": game, "seat": seat, "accepted": True, "player": None, "bot": None, "name": ""}
    if isinstance(player, str):
        return row | {"bot": player}
    return row | {"player": player.id, "name": player.name or player.email.partition("@")[0]}


def add_figures(ctx: AppContext, game: str, *seats: Json) -> None:
    """Store what the analysis of a game says of its seats."""
    GameAnalysis.insert(game=game, version=1, seats=json.dumps(seats)).execute(ctx.database)
