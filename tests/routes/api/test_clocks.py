"""Clocks as a program outside and the pages see them."""

import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from service.context import AppContext
from service.db.connection import MIGRATIONS, migrate, open_database
from service.engine.record_text import read_text
from service.engine.records import read_record
from service.games.store import load
from service.worker import tick
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.databases import empty_database
from tests.support.people import Cast, Person
from tests.support.tables import database_contents, play_one_action
from tests.support.timed import DAY, HOUR, PACE


def table(cast: Cast, **wish: Any) -> Any:
    """Ann and Bo play, Ann begins and has two days."""
    return cast.table(pace=PACE, options={"first": 0}, **wish)


def patch(person: Person, body: object, status: int = 200) -> Any:
    response = person.call("PATCH", "/me", body)
    assert response.status_code == status, response.text
    return response.json


# Oneself


def test_quiet_hours_and_days_off_can_be_set(cast: Cast) -> None:
    assert {name: cast.ann.get("/me")[name] for name in ("quiet", "days_off")} == {"quiet": None, "days_off": []}
    night = {"from": "22:00", "to": "08:00"}
    changed = patch(cast.ann, {"quiet": night, "days_off": ["sunday", "saturday", "sunday"]})
    assert (changed["quiet"], changed["days_off"]) == (night, ["saturday", "sunday"])
    assert cast.ann.get("/me") == changed
    assert patch(cast.ann, {"name": "Ann"}) == {**changed, "name": "Ann"}
    cleared = patch(cast.ann, {"quiet": None, "days_off": []})
    assert (cleared["quiet"], cleared["days_off"]) == (None, [])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"quiet": {"from": "22:00", "to": "16:01"}}, "at least 6 hours of the day"),
        ({"quiet": {"from": "08:00", "to": "08:00"}}, "must differ"),
        ({"quiet": {"from": "8:00", "to": "24:00"}}, "body.quiet.from"),
        ({"quiet": {"from": "08:00", "to": "24:00"}}, "body.quiet.to"),
        ({"quiet": {"from": "22:00"}}, "body.quiet.to"),
        ({"quiet": {"begins": "22:00", "ends": "08:00"}}, "body.quiet"),
        ({"quiet": "22:00-08:00"}, "body.quiet"),
        ({"days_off": None}, "body.days_off: must not be null"),
        ({"days_off": ["someday"]}, "body.days_off.0"),
        ({"days_off": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]}, "at least 2 days"),
        ({"away_until": "2026-09-01T00:00:00Z"}, "must be in the future"),
        ({"away_until": "2026-12-24T00:00:00Z"}, "30 days in a year"),
        ({"away_until": "9999-12-31T23:59:59Z"}, "30 days in a year"),
        ({"away_until": "0001-01-01T00:00:00Z"}, "must be in the future"),
    ],
    ids=str,
)
def test_invalid_times_off_are_refused_with_a_sentence(cast: Cast, body: object, sentence: str) -> None:
    before = cast.ann.get("/me")
    assert sentence in patch(cast.ann, body, 400)["detail"]
    assert cast.ann.get("/me") == before


def test_an_absence_is_shown_while_it_lasts(cast: Cast, clock: Clock) -> None:
    view = table(cast)
    patch(cast.ann, {"away_until": "2026-10-01T00:00:00Z"})
    seen = cast.nobody.get(f"/games/{view['id']}")
    assert [seat["away_until"] for seat in seen["seats"]] == ["2026-10-01T00:00:00Z", None]
    assert seen["deadline"] > view["deadline"]
    clock.now += 30 * DAY
    assert cast.ann.get("/me")["away_until"] is None


# The table


def test_the_view_shows_the_clock(cast: Cast) -> None:
    view = table(cast, time_up="wait")
    assert (view["pace"], view["time_up"], view["paused"]) == (PACE, "wait", False)
    assert [seat["stand_in"] for seat in view["seats"]] == [False, False]
    without = cast.table()
    assert (without["pace"], without["time_up"], without["deadline"]) == (None, None, None)
    assert cast.ann.get(f"/games/{without['id']}/clock") == {
        "turn": 1,
        "deadline": None,
        "paused": False,
        "overdue": False,
        "pace": None,
        "time_up": None,
        "asked": [],
    }


@pytest.mark.parametrize("pace", [12 * 3600 - 1, 30 * 86_400 + 1, "a day", 0])
def test_a_turn_has_twelve_hours_to_thirty_days(cast: Cast, pace: object) -> None:
    refused = cast.ann.post("/games", {"game": "marrakech", "seats": [{"open": True}], "pace": pace}, 400)
    assert "body.pace" in refused["detail"]


def test_time_up_is_stand_in_or_wait(cast: Cast) -> None:
    cast.ann.post("/games", {"game": "marrakech", "seats": [{"open": True}], "time_up": "resign"}, 400)


def test_more_time_a_pause_and_a_vote_in_one_call(cast: Cast, clock: Clock) -> None:
    view = table(cast, time_up="wait")
    path = f"/games/{view['id']}/clock"
    given = cast.bo.post(path, {"give": 24})
    assert (given["granted"], given["missing"]) == (True, [])
    assert given["deadline"] == cast.ann.get(f"/games/{view['id']}")["deadline"] > view["deadline"]
    asked = cast.bo.post(path, {"pause": True})
    assert (asked["granted"], asked["missing"], asked["paused"]) == (False, [0], False)
    assert asked["asked"] == [{"seat": 1, "what": "pause", "hours": None}]
    paused = cast.ann.post(path, {"pause": True})
    assert (paused["granted"], paused["paused"], paused["deadline"], paused["asked"]) == (True, True, None, [])
    seen = cast.nobody.get(f"/games/{view['id']}")
    assert (seen["paused"], seen["deadline"]) == (True, None)
    clock.now += 10 * DAY
    assert cast.bo.post(path, {"pause": False})["paused"] is False
    clock.now += PACE + DAY + 1
    tick(cast.ctx)
    assert cast.bo.get(path)["overdue"] is True
    voted = cast.bo.post(path, {"vote": "stand-in"})
    assert (voted["granted"], voted["turn"]) == (True, 2)
    clock.now += PACE
    tick(cast.ctx)
    assert cast.ann.post(path, {"vote": "more-time"})["overdue"] is False


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"give": 0},
        {"give": 721},
        {"give": 24.5},
        {"give": 24, "pause": True},
        {"vote": "remove"},
        {"pause": "yes"},
        {"pause": None},
        {"sleep": True},
    ],
    ids=str,
)
def test_invalid_clock_requests_are_refused(cast: Cast, body: object) -> None:
    view = table(cast)
    assert cast.bo.post(f"/games/{view['id']}/clock", body, 400)["code"] == "bad_request"
    assert cast.bo.get(f"/games/{view['id']}")["deadline"] == view["deadline"]


def test_only_players_may_change_the_clock(cast: Cast) -> None:
    view = table(cast)
    path = f"/games/{view['id']}"
    for method, call in (("POST", "/clock"), ("GET", "/clock"), ("POST", "/seats/0/return")):
        body = {"pause": True} if (method, call) == ("POST", "/clock") else None
        assert cast.eve.call(method, path + call, body).status_code == 403
        assert cast.nobody.call(method, path + call, body).status_code == 401
    assert cast.ann.post(f"{path}/clock", {"give": 24}, 403)["code"] == "forbidden"
    assert cast.bo.post(f"{path}/seats/0/return", status=403)["code"] == "forbidden"
    assert cast.bo.post(f"{path}/seats/7/return", status=404)["code"] == "not_found"
    assert cast.bo.post("/games/nowhere/clock", {"pause": True}, 404)["code"] == "not_found"
    assert cast.bo.post(f"{path}/clock", {"vote": "stand-in"}, 400)["code"] == "bad_request"


def test_the_link_of_a_past_turn_cannot_change_the_clock(ctx: AppContext, cast: Cast) -> None:
    view = table(cast)
    past = Person(cast.client, ctx, None, ctx.tokens.turn(view["id"], 0, view["turn"], 0))
    game = load(ctx.database, view["id"])
    while game.turn == view["turn"]:
        game = play_one_action(ctx, game).game
    before = database_contents(ctx)
    for body in ({"give": 24}, {"pause": True}, {"pause": False}):
        assert past.post(f"/games/{game.id}/clock", body, 409)["code"] == "not_your_turn"
    assert past.post(f"/games/{game.id}/seats/0/return", status=409)["code"] == "not_your_turn"
    page = Browser(ctx)
    for do in ("give", "pause", "resume", "return"):
        assert "This link is for a turn that" in page.post(f"/t/{past.token}", 409, do=do).text
    assert 'value="pause"' not in page.get(f"/t/{past.token}")
    assert database_contents(ctx) == before
    current = ctx.tokens.turn(game.id, 1, game.turn, 0)
    assert 'value="pause"' in page.get(f"/t/{current}")


def test_the_stand_in_is_marked_in_the_log_and_the_player_returns(cast: Cast, clock: Clock) -> None:
    view = left_to_the_stand_in(cast, clock)
    events = cast.nobody.get(f"/games/{view['id']}/events")["events"]
    marks = {event["seat"]: event.get("stand_in") for event in events if event["type"] == "laid"}
    assert marks == {0: True, 1: None}
    record = cast.nobody.get(f"/games/{view['id']}/record")
    assert [event.get("stand_in") for event in record["events"]] == [event.get("stand_in") for event in events]
    text = cast.nobody.call("GET", f"/games/{view['id']}/record.txt").text
    assert read_text(text) == read_record(record)
    assert "Stand-in: Red lays" in text
    back = cast.ann.post(f"/games/{view['id']}/seats/0/return")
    assert back["seats"][0]["stand_in"] is False
    assert cast.ann.post(f"/games/{view['id']}/seats/0/return") == back


def left_to_the_stand_in(cast: Cast, clock: Clock) -> Any:
    """A table at which Ann has let two turns pass; Bo is to act."""
    view = table(cast)
    for _ in range(2):
        clock.now += PACE
        tick(cast.ctx)
        view = cast.bo.get(f"/games/{view['id']}")
        assert view["to_act"] == [1]
        if not view["seats"][0]["stand_in"]:
            for _ in range(2):
                view = cast.bo.act(view, cast.bo.get(f"/games/{view['id']}")["legal"][0])["view"]
    assert view["seats"][0]["stand_in"] is True
    return view


# The pages


def test_one_click_on_the_seats_page_takes_the_seat_back(cast: Cast, clock: Clock) -> None:
    view = left_to_the_stand_in(cast, clock)
    link = f"/s/{cast.ctx.tokens.seat(view['id'], 0, 0)}"
    page = cast.client.get(link).text
    assert "A stand-in is playing for you" in page
    assert "(stand-in)" in page
    assert cast.ann.get(f"/games/{view['id']}")["seats"][0]["stand_in"] is True, "looking changes nothing"
    others = cast.client.get(f"/s/{cast.ctx.tokens.seat(view['id'], 1, 0)}").text
    assert "A stand-in is playing for you" not in others
    assert cast.client.post(link, data={"do": "return"}).status_code == 303
    assert cast.ann.get(f"/games/{view['id']}")["seats"][0]["stand_in"] is False
    assert "a stand-in plays" not in cast.client.get(link).text.lower()


def test_the_page_shows_absences_and_pauses(cast: Cast, clock: Clock) -> None:
    view = table(cast)
    path = f"/games/{view['id']}/clock"
    cast.ann.post(path, {"pause": True})
    cast.bo.post(path, {"pause": True})
    patch(cast.bo, {"away_until": "2026-10-01T00:00:00Z"})
    page = cast.client.get(f"/g/{view['id']}").text
    assert "The game is paused." in page
    assert "(away)" in page


def press(cast: Cast, view: Any, seat: int, do: str) -> str:
    """Press a button on the page of a seat; gives the page after it."""
    link = f"/s/{cast.ctx.tokens.seat(view['id'], seat, 0)}"
    assert f'value="{do}"' in cast.client.get(link).text
    assert cast.client.post(link, data={"do": do}).status_code == 303
    return cast.client.get(link).text


def test_a_player_with_only_a_link_can_vote_on_the_page(cast: Cast, clock: Clock) -> None:
    view = table(cast, time_up="wait")
    press(cast, view, 1, "give")
    assert cast.bo.get(f"/games/{view['id']}")["deadline"] > view["deadline"]
    page = press(cast, view, 1, "pause")
    assert "You want a pause." in page
    assert 'value="pause"' not in page
    press(cast, view, 0, "pause")
    assert cast.bo.get(f"/games/{view['id']}")["paused"] is True
    press(cast, view, 1, "resume")
    clock.now += PACE + 2 * DAY
    tick(cast.ctx)
    mine = cast.client.get(f"/s/{cast.ctx.tokens.seat(view['id'], 0, 0)}").text
    assert "Your time is up, but you can still play." in mine
    assert 'value="stand-in"' not in mine
    press(cast, view, 1, "more-time")
    clock.now += PACE
    tick(cast.ctx)
    press(cast, view, 1, "stand-in")
    assert cast.bo.get(f"/games/{view['id']}")["turn"] == 2


def test_a_button_pressed_too_late_is_refused_on_the_page(cast: Cast) -> None:
    view = table(cast, time_up="wait")
    response = cast.client.post(f"/s/{cast.ctx.tokens.seat(view['id'], 1, 0)}", data={"do": "stand-in"})
    assert response.status_code == 409
    assert "still time left" in response.text


def test_without_a_clock_and_for_onlookers_there_are_no_buttons(cast: Cast) -> None:
    without, view = cast.table(), table(cast)
    for page in (f"/s/{cast.ctx.tokens.seat(without['id'], 1, 0)}", f"/g/{view['id']}"):
        assert not re.search(r'value="(give|pause|more-time)', cast.client.get(page).text)


# From the version before


def test_running_games_get_their_whole_time_after_the_upgrade(
    database_url: str, tmp_path: Path, ctx: AppContext
) -> None:
    """Made by the first version's own tables, whose rows are all there is."""
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(MIGRATIONS / "0001_tables.py", first)
    ctx.database.close()
    database = open_database(empty_database(database_url))
    migrate(database, first)
    database.execute_sql(
        "insert into player (id, email, name, language, time_zone, mail, away_until, token_version, created)"
        " values (1, 'ann@example.org', '', 'en', 'UTC', '{}', 5000, 0, 0)"
    )
    columns = "id, game, name, options, pace, status, host, seed, head, turn, invitation_version, deadline"
    for name, status, pace, deadline in (
        ("timed", "playing", PACE, 10 * HOUR),
        ("free", "playing", None, None),
        ("over", "finished", PACE, None),
    ):
        database.execute_sql(
            f"insert into game ({columns}, created, changed) values"  # noqa: S608
            f" ('{name}', 'marrakech', '', '{{}}', {pace or 'null'}, '{status}', 1, '', 5, 3, 0,"
            f" {deadline or 'null'}, 0, 0)"
        )
    before = time.time()
    migrate(database)
    rows = database.execute_sql("select game, turn, allowed, spent, since, alarm from turn_clock").fetchall()
    ((game, turn, allowed, spent, since, alarm),) = rows
    assert (game, turn, allowed, spent, alarm) == ("timed", 3, PACE, 0, since + PACE / 2)
    assert before <= since <= time.time()
    deadlines = database.execute_sql("select id, deadline from game order by id").fetchall()
    assert deadlines == [("free", None), ("over", None), ("timed", since + PACE)]
    assert database.execute_sql("select away_until from player").fetchall() == [(None,)]
    database.close()
