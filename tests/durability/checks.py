"""What must hold after any kill, checked in the database and through the API."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import requests

from service.context import AppContext
from service.db.models import Event, Game, Letter
from service.engine.dice import Dice
from service.games.store import StoredGame, check_snapshots, load
from tests.durability.players import Acknowledged
from tests.support.people import API

_DIE: Final = (1, 2, 2, 3, 3, 4)
_THREADS: Final = 16
"""More than any server in these tests has."""


def check_database(ctx: AppContext, acknowledged: Iterable[Acknowledged]) -> None:
    """Nothing is lost, nothing happened twice, and snapshots match events. Nothing may write meanwhile."""
    wrong = [game for game, sound in check_snapshots(ctx.database) if not sound]
    assert not wrong, f"snapshots differ from their events: {wrong}"
    by_game = defaultdict(list)
    for taken in acknowledged:
        by_game[taken.game].append(taken)
    letters = _turn_letters(ctx)
    for (game_id,) in list(Game.select(Game.id).where(Game.head > 0).tuples().execute(ctx.database)):
        game, rows = load(ctx.database, game_id), _rows(ctx, game_id)
        _check_events(game, rows)
        _check_acknowledged(rows, by_game[game_id])
        _check_rolls(game, rows)
        assert letters[game_id] == _letters_due(game, rows), "a letter is missing, or is one too many"


def check_answers(addresses: Sequence[str], acknowledged: Iterable[Acknowledged]) -> None:
    """Every acknowledged action is in the events that each web process returns."""
    told: dict[tuple[str, str], dict[int, Any]] = {}
    for number, taken in enumerate(acknowledged):
        address = addresses[number % len(addresses)]
        key = (address, taken.game)
        if key not in told or taken.events[-1]["seq"] not in told[key]:
            told[key] = {event["seq"]: event for event in _events_told(address, taken.game)}
        assert [told[key].get(event["seq"]) for event in taken.events] == taken.events


def _events_told(address: str, game: str) -> list[Any]:
    """The server's response. Each of its threads may notice once that the database was restarted."""
    for _ in range(_THREADS):
        answer = requests.get(f"{address}{API}/games/{game}/events", timeout=30)
        if answer.status_code != 503:
            break
    assert answer.status_code == 200, answer.text
    events: list[Any] = answer.json()["events"]
    return events


def _rows(ctx: AppContext, game_id: str) -> list[Any]:
    return list(Event.select().where(Event.game == game_id).order_by(Event.seq).execute(ctx.database))


def _check_events(game: StoredGame, rows: list[Any]) -> None:
    assert [row.seq for row in rows] == list(range(1, game.head + 1)), "events are missing, or the head is wrong"
    opening = next((place for place, row in enumerate(rows) if row.action is not None), len(rows))
    starts = [(row.seq, row.last) for row in rows if row.action is not None]
    following = [seq for seq, _ in starts[1:]] + [game.head + 1]
    assert [last + 1 for _, last in starts] == (following if starts else []), "actions overlap, or leave a gap"
    assert opening == (starts[0][0] - 1 if starts else len(rows))


def _check_acknowledged(rows: list[Any], acknowledged: list[Acknowledged]) -> None:
    for taken in acknowledged:
        assert len(rows) > taken.head, "an acknowledged action is lost"
        first = rows[taken.head]
        assert (first.actor, json.loads(first.action), first.last) == (
            taken.seat,
            taken.action,
            taken.events[-1]["seq"],
        ), "another action stands where this one was acknowledged"
        stored = [json.loads(row.body) for row in rows[taken.head : first.last]]
        shown = [{key: event[key] for key in body} for body, event in zip(stored, taken.events, strict=True)]
        assert shown == stored, "what was acknowledged is not what is stored"
        salts = {body["salt"] for body in stored if body["type"] == "rolled" and body["seat"] == taken.seat}
        assert salts <= {taken.salt}, "a retry has rolled"
    assert len({taken.head for taken in acknowledged}) == len(acknowledged), "one head was played twice"


def _check_rolls(game: StoredGame, rows: list[Any]) -> None:
    """Every roll has the next number and follows from seed, number and salt."""
    rolls = [body for row in rows if (body := json.loads(row.body))["type"] == "rolled"]
    assert [body["roll"] for body in rolls] == list(range(len(rolls)))
    for body in rolls:
        dice = Dice(game.id, bytes.fromhex(game.seed), body["salt"])
        assert body["die"] == _DIE[dice.roll(body["roll"])], "a die is not what its salt gives"


def _letters_due(game: StoredGame, rows: list[Any]) -> Counter[str]:
    """The letters about turns and the end, recalculated from the events."""
    rules, due = game.rules, set()
    state = rules.set_up(game.options, len(game.seats))
    ends = {row.last for row in rows if row.action is not None} | {_end_of_opening(rows)}
    for row in rows:
        state = rules.evolve(state, rules.events.read(json.loads(row.body), len(game.seats)))
        if row.seq in ends:
            due |= {f"{game.id}/{seat}/{rules.turn(state)}/turn" for seat in rules.to_act(state)}
    if rules.result(state) is not None:
        due |= {f"{game.id}/{seat.seat}/over" for seat in game.seats if seat.bot is None}
    return Counter(due)


def _end_of_opening(rows: list[Any]) -> int:
    return next((row.seq - 1 for row in rows if row.action is not None), len(rows))


def _turn_letters(ctx: AppContext) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    chosen = Letter.kind.in_(["turn", "over"])
    for game, about in Letter.select(Letter.game, Letter.about).where(chosen).tuples().execute(ctx.database):
        found[game][about] += 1
    return found
