"""What players and spectators may see of stored games: views, events, records and lists."""

import base64
from collections.abc import Iterable
from gettext import NullTranslations
from typing import Any, Final, NamedTuple

from peewee import Case

from service.context import AppContext
from service.db.models import HOST_NAME, HOST_SEAT, IS_TO_ACT, OF_HOST, Game, Player, Seat
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.records import Entry, Record, build_view, redact_record
from service.errors import BadRequest, GameOver, NotFound, NotYourTurn, Stale
from service.games.names import display_table_name
from service.games.store import STAND_IN_AFTER, StoredGame, entries, is_stale, load
from service.i18n import Gettext, marked
from service.text import format_optional_utc, format_utc
from service.ui.words import NotListed, NotUnderstood

PAGE: Final = 50
_MY_TURN: Final = IS_TO_ACT & (Game.status == "playing")
_RANK: Final = Case(None, ((_MY_TURN, 0), (Game.status != "finished", 1)), 2)
"""The order of a player's games, for the seat that is selected with them."""
_ENGLISH: Final = NullTranslations()
_CLOSED: Final = {
    "cancelled": marked("This game was cancelled before it started. You can start a new one."),
    "expired": marked(
        "This game expired before it started because not enough players joined. You can start a new one."
    ),
}
CLOSED_STATUSES: Final = frozenset(_CLOSED)
"""The statuses of games that were closed before they started."""
_ADVISER: Final = "strong"
"""The level of the bot that gives hints."""


def get_open_game(ctx: AppContext, game_id: str) -> StoredGame:
    """Load a game; raises `NotFound` if it was cancelled or has expired."""
    game = load(ctx.database, game_id)
    if game.status in CLOSED_STATUSES:
        raise closed_table_error(game.status)
    return game


def closed_table_error(status: str) -> NotFound:
    """The error for a game that was closed before it started."""
    return NotFound(_CLOSED[status], gone=True)


def game_view(ctx: AppContext, game: StoredGame, seat: int | None, translations: NullTranslations = _ENGLISH) -> Json:
    """The view of the game for this seat; the labels of its choices are translated."""
    if game.state is None:
        view = _waiting_view(ctx, game, seat)
    else:
        view = build_view(game.heading, game.state, game.head, seat, format_optional_utc(game.deadline))
    return _with_clock(ctx, game, view | _describe_choices(game, view, translations))


def _describe_choices(game: StoredGame, view: Json, translations: NullTranslations) -> Json:
    """The view's choices in words, with a hint where the outcome of one is open, and the question they answer."""
    ui, choices = game.ui, game.ui.choices(view, translations)
    if not choices:
        return {"choices": [], "question": "", "unlisted": ""}
    hints = ui.choice_hints(game.state, [seat["name"] for seat in view["seats"]], translations)
    unlisted = [choice for choice in choices if not choice.is_listed]
    return {
        "choices": [
            {"key": choice.key, "label": choice.label, "action": choice.action, "listed": choice.is_listed}
            | ({"hint": hints[choice.key]} if choice.key in hints else {})
            for choice in choices
        ],
        "question": ui.question(view, translations, game.state).legend,
        "unlisted": ui.explain_unlisted(view, unlisted, translations) if unlisted else "",
    }


def _with_clock(ctx: AppContext, game: StoredGame, view: Json) -> Json:
    """Add the clock, absences and stand-ins to a view."""
    now = ctx.clock()
    for shown, stored in zip(view["seats"], game.seats, strict=True):
        # An invitation must not reveal anything about the person it was sent to.
        is_away = stored.accepted and stored.is_away(now)
        shown["away_until"] = format_optional_utc(stored.away_until) if is_away else None
        shown["stand_in"] = stored.played_by_stand_in
    return view | {"pace": game.pace, "time_up": game.time_up if game.pace else None, "paused": game.paused}


def _waiting_view(ctx: AppContext, game: StoredGame, seat: int | None) -> Json:
    """The view before the start: the empty board, and which seats have accepted."""
    view = build_view(game.heading, game.rules.set_up(game.options, len(game.seats)), 0, seat)
    view |= {"status": "waiting", "turn": 0, "to_act": [], "legal": []}
    for shown, stored in zip(view["seats"], game.seats, strict=True):
        shown["accepted"] = stored.accepted
    if seat is not None:
        view["message"] = game.message
    if seat is not None and any(stored.player is None and stored.bot is None for stored in game.seats):
        token = ctx.tokens.invitation(game.id, game.invitation_version)
        view["invitation"] = f"{ctx.settings.base_url}/join/{token}"
    return view


def state_after(ctx: AppContext, game: StoredGame, after: int | None) -> tuple[Any, int]:
    """The state after a number of events (None: all), and that number."""
    state = game.state if game.state is not None else game.rules.set_up(game.options, len(game.seats))
    if after is None or after == game.head:
        return state, game.head
    if after > game.head:
        raise NotFound("This game has only %(events)s events so far. Use a smaller number.", events=game.head)
    state = game.rules.set_up(game.options, len(game.seats))
    for entry in entries(ctx.database, game, 0, after):
        state = game.rules.evolve(state, entry.event)
    return state, after


def game_after(ctx: AppContext, game: StoredGame, after: int) -> StoredGame:
    """The game with the state it had after a number of events, in which less may have been public."""
    return game._replace(state=state_after(ctx, game, after)[0])


def view_after(ctx: AppContext, game: StoredGame, after: int | None, seat: int | None) -> Json:
    """The view of this seat after a number of events; None: all."""
    if game.state is None and not after:
        return _waiting_view(ctx, game, seat)
    state, head = state_after(ctx, game, after)
    return build_view(game.heading, state, head, seat)


def parse_words(ctx: AppContext, game: StoredGame, seat: int, head: int, words: str, language: str) -> Json:
    """The action that words name at the head that the player has seen; sent again, they mean the same action."""
    if head > game.head:
        raise Stale
    view = view_after(ctx, game, head, seat)
    try:
        return game.ui.parse_choice(words, view, language)
    except (NotListed, NotUnderstood) as problem:
        if isinstance(problem, NotListed) and problem.action is not None:
            return problem.action
        if is_stale(ctx.database, game, seat, head):
            raise Stale from None
        if game.status == "finished":
            raise GameOver from None
        if seat not in view["to_act"]:
            raise NotYourTurn from None
        raise


def visible_events(game: StoredGame, first: int, happened: Iterable[Entry], seat: int | None) -> list[Json]:
    """Events as this seat may know them, numbered from `first`."""
    return [
        {"seq": seq, "at": entry.at, **game.rules.event_view(game.state, entry.event, seat), **entry.mark}
        for seq, entry in enumerate(happened, start=first)
    ]


def visible_record(ctx: AppContext, game: StoredGame) -> Record:
    """The record as it may be shown now."""
    state, _ = state_after(ctx, game, None)
    return redact_record(game.heading, state, entries(ctx.database, game))


class GamePage(NamedTuple):
    """A page of a player's games, and the cursor of the next page."""

    games: list[Json]
    cursor: str | None


def list_games(
    ctx: AppContext, player: int, status: str | None, cursor: str | None, gettext: Gettext = str
) -> GamePage:
    """A player's games: their turn first, then other running ones, then finished ones; in each, the last changed first.

    Unnamed ones get a name in the reader's language.
    """
    chosen = (Seat.player == player) & Game.status.in_(["waiting", "playing", "finished"])
    if status == "my-turn":
        chosen &= _MY_TURN
    elif status is not None:
        chosen &= Game.status == status
    if cursor is not None:
        rank, changed, id_ = _read_cursor(cursor)
        older = (Game.changed < changed) | ((Game.changed == changed) & (Game.id < id_))
        chosen &= (rank < _RANK) | ((rank == _RANK) & older)
    rows = list(
        Game.select(
            *(Game.id, Game.game, Game.name, Game.status, Game.turn, Game.deadline, Game.changed),
            *(Seat.seat, IS_TO_ACT.alias("to_act"), HOST_NAME, _RANK.alias("rank")),
        )
        .join(Seat)
        .switch(Game)
        .join(HOST_SEAT, on=OF_HOST)
        .where(chosen)
        .order_by(_RANK, Game.changed.desc(), Game.id.desc())
        .limit(PAGE + 1)
        .dicts()
        .execute(ctx.database)
    )
    more = _cursor(rows[PAGE - 1]) if len(rows) > PAGE else None
    return GamePage([_summary(row, gettext) for row in rows[:PAGE]], more)


def is_beginner(ctx: AppContext, player: Player, game: str) -> bool:
    """Whether the player has never finished a game of this kind here."""
    finished = (Seat.player == player) & (Game.game == game) & (Game.status == "finished")
    return not Game.select().join(Seat).where(finished).exists(ctx.database)


def suggest_action(game: StoredGame, seat: int) -> Json | None:
    """What a strong bot would choose for this seat; None if another person plays, too: that would be cheating."""
    bot = game.rules.bots.get(_ADVISER)
    is_alone = all(other.bot for other in game.seats if other.seat != seat)
    if bot is None or not is_alone or seat not in game.rules.to_act(game.state):
        return None
    # The same advice each time the page is loaded.
    return bot(game.rules.view(game.state, seat), Chance(bytes(32), f"{game.id}/{game.head}"))


def next_game_id(ctx: AppContext, player: int, besides: str = "") -> str | None:
    """The game that waits for the player: the nearest deadline first, then the one that has waited longest."""
    waits = (Seat.player == player) & IS_TO_ACT & (Game.status == "playing") & (Seat.stood_in < STAND_IN_AFTER)
    order = (Game.deadline.asc(nulls="LAST"), Game.changed, Game.id)
    rows = Game.select(Game.id).join(Seat).where(waits & (Game.id != besides)).order_by(*order).limit(1)
    found: str | None = rows.scalar(ctx.database)
    return found


def _summary(row: Json, gettext: Gettext) -> Json:
    return {
        "id": row["id"],
        "game": row["game"],
        "name": display_table_name(row["game"], row["name"], row["host_name"], gettext),
        "status": row["status"],
        "turn": row["turn"],
        "you": row["seat"],
        "your_turn": bool(row["to_act"]),
        "deadline": format_optional_utc(row["deadline"]),
        "changed": format_utc(row["changed"]),
    }


def _cursor(row: Json) -> str:
    return base64.urlsafe_b64encode(f"{row['rank']} {row['changed']!r} {row['id']}".encode()).decode()


def _read_cursor(cursor: str) -> tuple[float, float, str]:
    try:
        # PostgreSQL refuses text with a NUL character; replaced by a space, it makes the cursor invalid.
        rank, changed, id_ = base64.urlsafe_b64decode(cursor.encode()).decode().replace("\0", " ").split(" ")
        return float(rank), float(changed), id_
    except ValueError:
        raise BadRequest("cursor is not valid. Leave it out to start with the newest.") from None
