"""The only writer of events: loads a game, and appends to it what came of one action."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic_core import from_json, to_json

from service.at_once import VERSIONS, append_at_once
from service.commits_on_sqlite import SharingSqlite
from service.db.connection import Database
from service.db.models import Event, Game, Seat
from service.db.statements import (
    ADD_EVENTS,
    ADD_LETTERS,
    FIND_EVENTS,
    LOAD_GAME,
    MOVE_ON,
    ask,
    run,
    run_rows,
)
from service.engine.json_reader import Json
from service.engine.records import Entry
from service.engine.registry import GAMES
from service.errors import NotFound, Stale
from service.games.snapshots import read_snapshot, write_snapshot
from service.games.stored import StoredGame, StoredSeat, Versions
from service.times import written

_NO_END: Final = 2**31 - 1
"""No game has so many events, and the databases count as far."""
_OF_VERSIONS: Final = len(Versions._fields)
_OF_GAME: Final = _OF_VERSIONS + StoredGame._fields.index("seats")
"""Up to where the columns of a loaded row are its versions, and then the game's; the rest is one seat of it."""
_LOAD_ON_SQLITE: Final = LOAD_GAME.format(versions="null, null")
_LOAD_ON_POSTGRES: Final = LOAD_GAME.format(versions=VERSIONS)


class StoredAction(NamedTuple):
    """An action that was taken, and the events it made."""

    actor: int | None
    """None where somebody stood in."""
    action: Json
    first: int
    last: int


def load(database: Database, game_id: str) -> StoredGame:
    """The game; raises `NotFound`."""
    # PostgreSQL refuses to look for a text with a NUL in it; no game is called so.
    load_game = _LOAD_ON_SQLITE if isinstance(database, SharingSqlite) else _LOAD_ON_POSTGRES
    rows = ask(database, load_game, [game_id.replace("\0", " ")])
    if not rows:
        raise NotFound("There is no such game; check the link or the id.")
    seats = tuple(_seat(*row[_OF_GAME:]) for row in rows)
    game = StoredGame._make([*rows[0][_OF_VERSIONS:_OF_GAME], seats, _versions(rows), False])
    options: Any = game.options  # which is still text
    state = None if game.state is None else read_snapshot(game.game, game.state)
    return game._replace(options=from_json(options), state=state)


def _versions(rows: list[Any]) -> Versions | None:
    game, _ = rows[0][:_OF_VERSIONS]
    return None if game is None else Versions(game, ",".join([row[1] for row in rows]))


def _seat(seat: int, player: int | None, name: str, bot: str | None, accepted: int, *rest: Any) -> StoredSeat:
    # SQLite knows no booleans and gives 0 or 1.
    return StoredSeat(seat, player, name, bot, bool(accepted), *rest)


@contextmanager
def lock_game(database: Database, game_id: str) -> Iterator[StoredGame]:
    """The game in a transaction, locked against everybody else who wants to change it."""
    with database.atomic():
        # Writing to the row first makes two requests queue up on both databases; it says nothing new yet.
        Game.update(changed=Game.changed).where(Game.id == game_id).execute(database)
        yield load(database, game_id)


def insert_game(database: Database, game: StoredGame, now: float) -> None:
    """Write a new table down with its seats; it has no events yet."""
    Game.insert(
        id=game.id,
        game=game.game,
        name=game.name,
        options=json.dumps(game.options),
        pace=game.pace,
        time_up=game.time_up,
        status=game.status,
        host=game.host,
        seed=game.seed,
        created=now,
        changed=now,
    ).execute(database)
    columns = ("seat", "player", "name", "bot", "accepted", "link_version")
    rows = [{"game": game.id, **{column: getattr(seat, column) for column in columns}} for seat in game.seats]
    Seat.insert_many(rows).execute(database)


class Batch(NamedTuple):
    """The events that one action made, with those of bots that followed; the opening of a game has no actor."""

    events: Sequence[Any]
    actor: int | None
    action: Json | None


class NewLetter(NamedTuple):
    """A letter to be written down together with the events it tells of."""

    kind: str
    address: str
    about: str
    game: str | None = None
    seat: int | None = None
    turn: int | None = None
    details: str = "{}"


def append(
    database: Database, before: StoredGame, after: StoredGame, batch: Batch, letters: Iterable[NewLetter], now: float
) -> StoredGame:
    """Move the game from the head that was seen to the next, events and letters and all, or raise `Stale`.

    Gives the game as it stands then. One that is only remembered moves on where it is still so, its players and all.
    """
    rules = after.rules
    rows: list[list[Any]] = [
        [after.id, seq, now, to_json(rules.events.write(event)).decode(), None, None, None]
        for seq, event in enumerate(batch.events, start=before.head + 1)
    ]
    if batch.action is not None:
        rows[0][4:] = [batch.actor, to_json(batch.action).decode(), after.head]
    state = write_snapshot(after.game, after.state)
    to_act = sum(1 << seat for seat in rules.to_act(after.state))
    moves_on = [after.head, after.turn, state, to_act, after.status, after.deadline, now, after.id, before.head]
    posted = _outbox_rows(letters, now)

    def write() -> None:
        if run(database, MOVE_ON, moves_on).rowcount != 1:
            raise Stale
        run_rows(database, ADD_EVENTS, rows)
        _post_rows(database, posted)

    if isinstance(database, SharingSqlite):
        database.together(write)
        return after
    version = append_at_once(database, moves_on, still_so(before), rows, posted)
    versions = before.versions and before.versions._replace(game=version)
    return after._replace(versions=versions, remembered=False)


def still_so(game: StoredGame) -> list[str]:
    """What PostgreSQL is told of a game that is only remembered, see `at_once.STILL_SO`; else nothing."""
    return [*map(str, game.versions), game.id] if game.remembered and game.versions else []


def mark_stand_in(database: Database, game_id: str, numbers: Sequence[int]) -> None:
    """Mark events that were just appended as those of a stand-in."""
    chosen = (Event.game == game_id) & Event.seq.in_(numbers)
    Event.update(stand_in=True).where(chosen).execute(database)


def enqueue_letters(database: Database, letters: Iterable[NewLetter], now: float) -> None:
    """Put letters into the outbox; one that tells the same to the same person is there once."""
    _post_rows(database, _outbox_rows(letters, now))


def _post_rows(database: Database, rows: list[list[Any]]) -> None:
    if rows:
        run_rows(database, ADD_LETTERS, rows)


def _outbox_rows(letters: Iterable[NewLetter], now: float) -> list[list[Any]]:
    return [[*letter, "waiting", now, 0, now] for letter in letters]


def find_action(database: Database, game_id: str, head: int) -> StoredAction | None:
    """The action that was taken when the game stood at this head; None where there was none."""
    rows = list(
        Event.select(Event.actor, Event.action, Event.seq, Event.last)
        .where((Event.game == game_id) & (Event.seq == head + 1) & Event.action.is_null(False))
        .tuples()
        .execute(database)
    )
    return StoredAction(rows[0][0], json.loads(rows[0][1]), rows[0][2], rows[0][3]) if rows else None


def entries(database: Database, game: StoredGame, after: int = 0, last: int | None = None) -> list[Entry]:
    """The events of a game after a head, each with its time."""
    rows = ask(database, FIND_EVENTS, [game.id, after, _NO_END if last is None else last])
    seats = len(game.seats)
    return [Entry(written(at), _read_event(game.game, body, seats), bool(stand_in)) for at, body, stand_in in rows]


@lru_cache(maxsize=8192)
def _read_event(game: str, body: str, seats: int) -> Any:
    """An event out of its text; pages tell the same ones again and again, and neither text nor event ever changes."""
    return GAMES[game].events.read(json.loads(body), seats)


def replay_state(database: Database, game: StoredGame) -> Any:
    """The state that the stored events give; it must equal the snapshot."""
    state = game.rules.set_up(game.options, len(game.seats))
    for entry in entries(database, game):
        state = game.rules.evolve(state, entry.event)
    return state


def check_snapshots(database: Database) -> Iterator[tuple[str, bool]]:
    """Every game that has started, and whether its snapshot is what its events give."""
    started = Game.select(Game.id).where(Game.head > 0).order_by(Game.id).tuples().execute(database)
    for (game_id,) in started:
        game = load(database, game_id)
        yield game_id, replay_state(database, game) == game.state
