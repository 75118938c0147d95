"""Every stored game, folded again by the rules as they are now, and what comes out differently."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from service.db.connection import Database
from service.db.models import Game
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.records import Record, write_record
from service.games.store import entries, load, replay_state
from service.games.stored import StoredGame


class Compared(NamedTuple):
    """A game and what is different in it; nothing where all is well."""

    game: str
    differences: list[str]


def replay_all(database: Database) -> Iterator[tuple[Compared, int]]:
    """Every game that has started, one after the other, and how many there are."""
    ids = [row[0] for row in Game.select(Game.id).where(Game.head > 0).order_by(Game.id).tuples().execute(database)]
    for game_id in ids:
        yield Compared(game_id, replayed(database, game_id)), len(ids)


def replayed(database: Database, game_id: str) -> list[str]:
    """What is stored of a game and cannot be had again from its events."""
    try:
        game = load(database, game_id)
        state = replay_state(database, game)
    except Malformed as problem:
        return [f"cannot be read: {problem.sentence}"]
    except Exception as fault:  # the rules as they are now may fail anywhere in a game of an older version
        return [f"cannot be folded: {type(fault).__name__}: {fault}"]
    return list(_differences(database, game, state))


def _differences(database: Database, game: StoredGame, state: Any) -> Iterator[str]:
    rules, happened = game.rules, entries(database, game)
    yield from _different("head", game.head, len(happened))
    yield from _different("turn", game.turn, rules.turn(state))
    yield from _different("status", game.status, "playing" if rules.result(state) is None else "finished")
    before: Json = rules.states.write(game.state)
    after: Json = rules.states.write(state)
    for field in before:
        yield from _different(f"snapshot {field}", before[field], after.get(field))
    told = write_record(Record(game.heading, tuple(happened)))["result"]
    yield from _different("result", told, rules.view(state, None)["result"])


def _different(what: str, stored: object, folded: object) -> Iterator[str]:
    if stored != folded:
        yield f"{what}: stored {stored!r}, folded {folded!r}"
