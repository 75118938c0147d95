"""Stored games: load them and append events to them. Nothing else writes events."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, Final, NamedTuple

from peewee import JOIN

from service.db.connection import Database, transaction
from service.db.letters import NewLetter, drop_turn_letters, enqueue_letters
from service.db.models import Event, Game, Player, Seat
from service.engine.dice import Dice, commitment
from service.engine.json_reader import Json
from service.engine.records import Entry, Heading, RecordPlayer
from service.engine.registry import GAMES, AnyRules
from service.errors import NotFound, Stale
from service.games.names import display_seat_name, display_table_name
from service.text import format_utc
from service.ui.protocol import GameUi
from service.ui.registry import game_ui

GUEST_DOMAIN: Final = "guest.invalid"
"""The domain of guests' addresses, which get no letters; the domain `invalid` is reserved and never resolves."""
STAND_IN_AFTER: Final = 2
"""After this many missed turns in a row, a stand-in plays until the player returns."""


class StoredSeat(NamedTuple):
    """One seat of a stored game."""

    seat: int
    player: int | None
    name: str
    """Empty if none was given, see `service.games.names`."""
    bot: str | None
    accepted: bool
    link_version: int
    address: str | None
    """The player's e-mail address; None for bots, open seats and guests, who get no letters."""
    stood_in: int = 0
    away_until: float | None = None

    @property
    def played_by_stand_in(self) -> bool:
        """Whether a stand-in plays until the player returns."""
        return self.stood_in >= STAND_IN_AFTER

    def is_away(self, now: float) -> bool:
        """Whether the player is away, so that their clock is stopped."""
        return self.away_until is not None and self.away_until > now


class StoredGame(NamedTuple):
    """A stored game at its head."""

    id: str
    game: str
    name: str
    options: Json
    pace: int | None
    status: str
    host: int
    seed: str
    head: int
    turn: int
    state: Any
    """None before the start."""
    invitation_version: int
    deadline: float | None
    time_up: str
    message: str
    """What the host writes to the people who are invited."""
    seats: tuple[StoredSeat, ...]

    @property
    def rules(self) -> AnyRules:
        """The rules of the game that is played."""
        return GAMES[self.game]

    @property
    def ui(self) -> GameUi:
        """The presentation of the game that is played."""
        return game_ui(self.game)

    @property
    def paused(self) -> bool:
        """Whether the clock is stopped: a running game with a pace has a deadline otherwise."""
        return self.status == "playing" and self.pace is not None and self.deadline is None

    @property
    def heading(self) -> Heading:
        """The heading of the record, including the seed."""
        players = tuple(RecordPlayer(seat.name or display_seat_name(seat), seat.bot) for seat in self.seats)
        name = display_table_name(self.game, self.name, self.seats[0].name)
        return Heading(self.id, self.game, name, self.options, players, commitment(bytes.fromhex(self.seed)), self.seed)

    def dice(self, salt: str) -> Dice:
        """The game's dice with the salt of one action."""
        return Dice(self.id, bytes.fromhex(self.seed), salt)

    def seat_of(self, player: int | None) -> int | None:
        """The seat that the player has taken or is invited to."""
        return next((seat.seat for seat in self.seats if player is not None and seat.player == player), None)

    def actor(self, event: Any) -> int | None:
        """The seat that caused an event; None if no player did."""
        return self.ui.actor(self.rules.events.write(event))

    def active_people(self, state: Any) -> list[StoredSeat]:
        """The seats of people who are still in the game."""
        return [seat for seat in self.seats if seat.player is not None and self.rules.is_active(state, seat.seat)]

    def present_people(self, state: Any) -> list[StoredSeat]:
        """The seats of people who are still in the game and play themselves."""
        return [seat for seat in self.active_people(state) if not seat.played_by_stand_in]

    def people_to_act(self) -> list[StoredSeat]:
        """The seats of people whom the game is waiting for."""
        to_act = self.rules.to_act(self.state)
        return [seat for seat in self.seats if seat.player is not None and seat.seat in to_act]


_GAME_COLUMNS = (
    *(Game.id, Game.game, Game.name, Game.options, Game.pace, Game.status, Game.host, Game.seed, Game.head, Game.turn),
    *(Game.state, Game.invitation_version, Game.deadline, Game.time_up, Game.message),
)
_SEAT_COLUMNS = (
    *(Seat.seat, Seat.player, Seat.name, Seat.bot, Seat.accepted, Seat.link_version),
    *(Player.email, Seat.stood_in, Player.away_until),
)


def load(database: Database, game_id: str) -> StoredGame:
    """Load a game with its seats; raises `NotFound`."""
    # PostgreSQL refuses to compare a text that contains a NUL character; no id does.
    games = load_all(database, [game_id.replace("\0", " ")])
    if not games:
        raise NotFound("This game doesn't exist. Check the link or the ID.")
    return games[0]


def load_all(database: Database, game_ids: Sequence[str]) -> list[StoredGame]:
    """Load several games with one query, in the order of their ids."""
    query = (
        Game.select(*_GAME_COLUMNS, *_SEAT_COLUMNS)
        .join(Seat, on=(Seat.game == Game.id))
        .join(Player, JOIN.LEFT_OUTER, on=(Player.id == Seat.player))
        .where(Game.id.in_(game_ids))
        .order_by(Game.id, Seat.seat)
    )
    rows = query.tuples().execute(database)
    return [_read_game(list(of_game)) for _, of_game in groupby(rows, key=lambda row: row[0])]


def _read_game(rows: list[Any]) -> StoredGame:
    """A game from its rows, one for each seat."""
    columns = len(_GAME_COLUMNS)
    seats = tuple(_without_guest_address(StoredSeat(*row[columns:])) for row in rows)
    game = StoredGame._make([*rows[0][:columns], seats])
    options: Any = game.options
    state = None if game.state is None else game.rules.states.read(json.loads(game.state))
    return game._replace(options=json.loads(options), state=state)


def _without_guest_address(seat: StoredSeat) -> StoredSeat:
    return seat._replace(address=None) if (seat.address or "").endswith(f"@{GUEST_DOMAIN}") else seat


@contextmanager
def lock_game(database: Database, game_id: str) -> Iterator[StoredGame]:
    """Load the game and lock it against other writers until the transaction ends."""
    with transaction(database):
        # An UPDATE that changes nothing locks the row on PostgreSQL and makes this transaction a writer on SQLite.
        Game.update(changed=Game.changed).where(Game.id == game_id).execute(database)
        yield load(database, game_id)


def insert_game(database: Database, game: StoredGame, now: float) -> None:
    """Insert a new game with its seats; it has no events yet."""
    Game.insert(
        id=game.id,
        game=game.game,
        name=game.name,
        message=game.message,
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


class NewEvents(NamedTuple):
    """The events that one action caused, including those of bots that moved afterwards."""

    events: Sequence[Any]
    stand_in: Sequence[bool]
    """For each event, whether a stand-in played."""
    actor: int | None = None
    """The seat that acted; None for the opening of a game and for a stand-in."""
    action: Json | None = None
    seen_head: int | None = None
    """The head that the actor's client had seen."""


def append_events(
    database: Database, before: StoredGame, after: StoredGame, new: NewEvents, letters: Iterable[NewLetter], now: float
) -> None:
    """Advance the game from the head we have seen, with its events and letters, or raise `Stale`.

    The deadline is not written here: the clock that keeps it may have changed since the game was loaded.
    """
    rules = after.rules
    with transaction(database):
        changes = {
            "head": after.head,
            "turn": after.turn,
            "state": _write_json(rules.states.write(after.state)),
            "to_act": sum(1 << seat for seat in rules.to_act(after.state)),
            "status": after.status,
            "changed": now,
        }
        same_head = (Game.id == before.id) & (Game.head == before.head)
        if Game.update(**changes).where(same_head).execute(database) != 1:
            raise Stale
        Event.insert_many(_event_rows(before, after, new, now)).execute(database)
        for old, seat in zip(before.seats, after.seats, strict=True):
            if old.stood_in != seat.stood_in:
                set_stood_in(database, after.id, seat.seat, seat.stood_in)
        if after.turn != before.turn:
            drop_turn_letters(database, after.id, after.turn)
        enqueue_letters(database, letters, now)


def _event_rows(before: StoredGame, after: StoredGame, new: NewEvents, now: float) -> list[Json]:
    """The rows of the events; the first one also records the action that caused them."""
    rows = [
        {
            "game": after.id,
            "seq": seq,
            "at": now,
            "body": _write_json(after.rules.events.write(event)),
            "actor": None,
            "action": None,
            "last": None,
            "seen_head": None,
            "stand_in": stand_in,
        }
        for seq, (event, stand_in) in enumerate(zip(new.events, new.stand_in, strict=True), start=before.head + 1)
    ]
    if new.action is not None:
        rows[0] |= {
            "actor": new.actor,
            "action": _write_json(new.action),
            "last": after.head,
            "seen_head": new.seen_head,
        }
    return rows


def _write_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def set_stood_in(database: Database, game_id: str, seat: int, turns: int) -> None:
    """Store for how many turns in a row a stand-in has played for the seat."""
    Seat.update(stood_in=turns).where((Seat.game == game_id) & (Seat.seat == seat)).execute(database)


class StoredAction(NamedTuple):
    """An action that was played, and the numbers of the first and last event it caused."""

    actor: int | None
    """None if a stand-in played."""
    action: Json
    seen_head: int
    first: int
    last: int


def actions_after(database: Database, game_id: str, head: int) -> list[StoredAction]:
    """List the actions that were played after a head, the oldest first."""
    rows = (
        Event.select(Event.actor, Event.action, Event.seen_head, Event.seq, Event.last)
        .where((Event.game == game_id) & (Event.seq > head) & Event.action.is_null(False))
        .order_by(Event.seq)
        .tuples()
        .execute(database)
    )
    return [
        # Actions from before this column existed were all played at the head just below their first event.
        StoredAction(actor, json.loads(action), seq - 1 if seen_head is None else seen_head, seq, last)
        for actor, action, seen_head, seq, last in rows
    ]


def find_action(database: Database, game_id: str, head: int) -> StoredAction | None:
    """Find the action whose first event came right after this head."""
    return next((action for action in actions_after(database, game_id, head) if action.first == head + 1), None)


def is_stale(database: Database, game: StoredGame, seat: int, head: int) -> bool:
    """Whether an action that the seat chose at this head is too late, because of the rules or of its own actions."""
    if not 0 <= head <= game.head:
        return True
    # Only up to the head that was loaded: a later event may be this very action, sent twice at the same moment.
    since = [entry.event for entry in entries(database, game, head, game.head)]
    acted = (action.actor for action in actions_after(database, game.id, head) if action.first <= game.head)
    return game.rules.is_stale(since) or seat in acted


def has_played_turn(database: Database, game: StoredGame, seat: int, turn: int) -> bool:
    """Whether the seat's player acted in a turn, and no stand-in finished it for them."""
    state, heads, by_stand_in = game.rules.set_up(game.options, len(game.seats)), [], set[int | None]()
    for head, entry in enumerate(entries(database, game)):
        if head and game.rules.turn(state) == turn:
            heads.append(head)
            if entry.stand_in:
                by_stand_in.add(game.actor(entry.event))
        state = game.rules.evolve(state, entry.event)
    actors = {action.actor for action in actions_after(database, game.id, 0) if action.first - 1 in heads}
    return seat in actors - by_stand_in


def entries(database: Database, game: StoredGame, after: int = 0, last: int | None = None) -> list[Entry]:
    """The events of a game after a head and up to the number `last`, each with its time."""
    chosen = (Event.game == game.id) & (Event.seq > after)
    if last is not None:
        chosen &= Event.seq <= last
    rows = Event.select(Event.at, Event.body, Event.stand_in).where(chosen).order_by(Event.seq).tuples()
    read, seats = game.rules.events.read, len(game.seats)
    return [
        Entry(format_utc(at), read(json.loads(body), seats), stand_in) for at, body, stand_in in rows.execute(database)
    ]


def replay_state(database: Database, game: StoredGame) -> Any:
    """Compute the state from the stored events; it must equal the snapshot."""
    state = game.rules.set_up(game.options, len(game.seats))
    for entry in entries(database, game):
        state = game.rules.evolve(state, entry.event)
    return state


def check_snapshots(database: Database) -> Iterator[tuple[str, bool]]:
    """For every game that has started, whether its snapshot is what its events give."""
    started = Game.select(Game.id).where(Game.head > 0).order_by(Game.id).tuples().execute(database)
    for (game_id,) in started:
        game = load(database, game_id)
        yield game_id, replay_state(database, game) == game.state
