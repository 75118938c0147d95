"""The API as a program outside sees it, on both databases."""

import json
from typing import Any

import pytest

from service.app import create_app
from service.context import AppContext
from service.db.models import Event, Letter
from service.engine.dice import Dice, commitment
from service.engine.marrakech.board import FACES
from service.engine.record_text import read_text
from service.engine.records import read_record
from tests.support.clock import Clock
from tests.support.people import Person


class Cast:
    """Ann hosts, Bo plays, Eve must be refused; nobody has no token."""

    def __init__(self, ctx: AppContext) -> None:
        self.ctx = ctx
        self.client = create_app(ctx).test_client()
        self.ann = Person(self.client, ctx, "ann@example.org")
        self.bo = Person(self.client, ctx, "bo@example.org")
        self.eve = Person(self.client, ctx, "eve@example.org")
        self.nobody = Person(self.client, ctx, None)

    def table(self, **wish: Any) -> Any:
        """A table of Ann and Bo that has started."""
        view = self.ann.post("/games", {"game": "marrakech", "seats": [{"email": "bo@example.org"}], **wish}, 201)
        return self.bo.post(f"/games/{view['id']}/seats/1/accept")

    def at(self, view: Any) -> Person:
        """Whose turn it is."""
        return (self.ann, self.bo)[view["to_act"][0]]

    def letters(self, kind: str) -> list[str]:
        chosen = Letter.select(Letter.address).where(Letter.kind == kind).order_by(Letter.id)
        return [address for (address,) in chosen.tuples().execute(self.ctx.database)]


@pytest.fixture
def cast(ctx: AppContext) -> Cast:
    return Cast(ctx)


def test_signing_in_by_a_code_from_a_letter(cast: Cast) -> None:
    cast.nobody.post("/login", {"email": "New@Example.org"}, 202)
    details = Letter.select(Letter.details).where(Letter.kind == "sign-in").scalar(cast.ctx.database)
    code = json.loads(details)["code"]
    wrong = cast.nobody.post("/login/confirm", {"email": "new@example.org", "code": "WRONG123"}, 401)
    assert wrong["code"] == "unauthorised"
    signed_in = cast.nobody.post("/login/confirm", {"email": "new@example.org", "code": code.lower()})
    new = Person(cast.client, cast.ctx, None, signed_in["token"])
    assert new.get("/me")["email"] == "new@example.org"
    cast.nobody.post("/login/confirm", {"email": "new@example.org", "code": code}, 401)


def test_the_answer_to_a_login_is_the_same_for_all(cast: Cast) -> None:
    known = cast.nobody.post("/login", {"email": "ann@example.org"}, 202)
    assert cast.nobody.post("/login", {"email": "unknown@example.org"}, 202) == known


def test_one_changes_only_what_one_sends(cast: Cast) -> None:
    before = cast.ann.get("/me")
    changed = cast.ann.call("PATCH", "/me", {"name": "Ann", "time_zone": "Europe/Paris"}).json
    assert changed == {**before, "name": "Ann", "time_zone": "Europe/Paris"}
    away: Any = cast.ann.call("PATCH", "/me", {"away_until": "2026-10-01T00:00:00Z", "mail": {"talk": False}}).json
    assert away["away_until"] == "2026-10-01T00:00:00Z"
    assert away["mail"] == {"turns": True, "reminders": True, "talk": False}
    assert cast.ann.get("/me") == away


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"time_zone": "Mars/Olympus"}, "body.time_zone: must be a zone such as Europe/Paris or UTC."),
        ({"name": None}, "body.name: must not be null; leave it out to keep it."),
        ({"name": "a\u202eb"}, "body.name: must not contain control characters."),
        ({"name": "a\x00b"}, "body.name: must not contain control characters."),
        ({"name": "x" * 81}, "body.name: String should have at most 80 characters."),
        ({"shoe_size": 44}, "body.shoe_size: Extra inputs are not permitted."),
        ({"away_until": "tomorrow"}, "body.away_until must be a UTC time"),
    ],
)
def test_a_bad_setting_is_refused_with_a_sentence(cast: Cast, body: object, sentence: str) -> None:
    before = cast.ann.get("/me")
    refused = cast.ann.call("PATCH", "/me", body)
    assert (refused.status_code, (refused.json or {})["code"]) == (400, "bad_request")
    assert sentence in (refused.json or {})["detail"]
    assert cast.ann.get("/me") == before


def test_a_table_fills_up_and_starts_by_itself(cast: Cast) -> None:
    wish = {
        "game": "marrakech",
        "name": "Souk",
        "seats": [{"email": "bo@example.org"}, {"open": True}, {"bot": "greedy"}],
    }
    view = cast.ann.post("/games", wish, 201)
    assert (view["status"], view["you"], view["to_act"], view["head"]) == ("waiting", 0, [], 0)
    assert [seat["accepted"] for seat in view["seats"]] == [True, False, False, True]
    assert "/join/" in view["invitation"]
    assert "invitation" not in cast.nobody.get(f"/games/{view['id']}")
    assert cast.bo.get(f"/games/{view['id']}")["you"] == 1
    assert cast.bo.post(f"/games/{view['id']}/seats/1/accept")["status"] == "waiting"
    started = cast.eve.post(f"/games/{view['id']}/join")
    assert (started["status"], started["you"]) == ("playing", 2)
    assert cast.eve.post(f"/games/{view['id']}/join")["you"] == 2
    assert cast.letters("invitation") == ["bo@example.org"]


def test_lists_go_by_status_and_by_pages(cast: Cast, clock: Clock) -> None:
    ids = []
    for _ in range(53):
        clock.now += 3600
        ids.append(cast.ann.post("/games", {"game": "marrakech", "seats": [{"open": True}]}, 201)["id"])
    first = cast.ann.get("/games?status=waiting")
    rest = cast.ann.get(f"/games?status=waiting&cursor={first['cursor']}")
    assert [game["id"] for game in first["games"] + rest["games"]] == ids[::-1]
    assert rest["cursor"] is None
    assert cast.bo.get("/games") == {"games": [], "cursor": None}
    view = cast.table()
    mover, waiter = (cast.ann, cast.bo) if view["to_act"] == [0] else (cast.bo, cast.ann)
    assert [game["id"] for game in mover.get("/games?status=my-turn")["games"]] == [view["id"]]
    assert waiter.get("/games?status=my-turn")["games"] == []
    assert waiter.get("/games?cursor=nonsense", 400)["code"] == "bad_request"
    assert waiter.get("/games?status=lost", 400)["code"] == "bad_request"


def test_a_turn_is_played_and_everybody_sees_it(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    legal = mover.get(f"/games/{view['id']}")["legal"]
    acted = mover.act(view, legal[0])
    assert [event["type"] for event in acted["events"]] == ["faced", "rolled", "moved"]
    assert acted["events"][1]["salt"] == "salt"
    assert [event["seq"] for event in acted["events"]] == [2, 3, 4]
    assert acted["view"]["head"] == 4
    assert "repeated" not in acted
    seen = cast.nobody.get(f"/games/{view['id']}")
    assert (seen["you"], seen["legal"], seen["head"]) == (None, [], 4)
    assert cast.nobody.get(f"/games/{view['id']}/events?after=1")["events"] == acted["events"]


def test_an_action_happens_once(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    action = {"type": "face", "direction": "left"}
    first = mover.act(view, action)
    again = mover.act(view, action, salt="another")
    assert again["repeated"] is True
    assert again["events"] == first["events"]
    assert mover.act(view, {"type": "face", "direction": "right"}, 409)["code"] == "stale"
    assert Event.select().where(Event.game == view["id"]).count(cast.ctx.database) == 4


def test_refusals_change_nothing(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    other = cast.bo if mover is cast.ann else cast.ann
    face = {"type": "face", "direction": "left"}
    assert other.act(view, face, 409)["code"] == "not_your_turn"
    assert cast.eve.act(view, face, 403)["code"] == "forbidden"
    assert cast.nobody.act(view, face, 401)["code"] == "unauthorised"
    assert mover.act(view, {"type": "lay", "squares": ["d5", "e5"]}, 422)["code"] == "illegal_action"
    assert mover.act(view, {"type": "jump"}, 400)["code"] == "bad_request"
    assert mover.act({**view, "head": 7}, face, 409)["code"] == "stale"
    assert mover.act(view, face, 400, salt="x" * 65)["code"] == "bad_request"
    assert mover.act({**view, "id": "nowhere"}, face, 404)["code"] == "not_found"
    assert cast.nobody.get(f"/games/{view['id']}")["head"] == view["head"]


def test_bodies_that_are_no_good_are_refused(cast: Cast) -> None:
    cast.ann.post("/games", {"game": "marrakech", "seats": [{}]}, 400)
    headers = {"Authorization": f"Bearer {cast.ann.token}"}
    large = cast.client.post("/api/v1/games", data=b"x" * 65_537, headers=headers, content_type="application/json")
    assert (large.status_code, (large.json or {})["code"]) == (413, "too_large")
    form = cast.client.post("/api/v1/games", data={"game": "marrakech"}, headers=headers)
    assert form.status_code == 415
    broken = cast.client.post("/api/v1/games", data=b"{", headers=headers, content_type="application/json")
    assert broken.status_code == 400
    assert cast.client.get("/api/v1/nothing/here").status_code == 404
    wrong_verb = cast.client.put("/api/v1/games", headers=headers)
    assert wrong_verb.status_code == 405
    assert wrong_verb.mimetype == "application/problem+json"


def test_an_etag_saves_the_view(cast: Cast) -> None:
    view = cast.table()
    path = f"/games/{view['id']}"
    first = cast.ann.call("GET", path)
    same = cast.ann.call("GET", path, **{"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")
    cast.at(view).act(view, {"type": "face", "direction": "left"})
    assert cast.ann.call("GET", path, **{"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_link_out_of_a_letter_plays_its_own_turn_and_no_other(cast: Cast) -> None:
    view = cast.table()
    seat = view["to_act"][0]
    holder = Person(cast.client, cast.ctx, None, cast.ctx.links.turn(view["id"], seat, 1, 0))
    acted = holder.act(view, {"type": "face", "direction": "ahead"})
    laid = holder.act(acted["view"], acted["view"]["legal"][0])
    assert laid["view"]["turn"] == 2
    assert holder.act(acted["view"], acted["view"]["legal"][0])["repeated"] is True
    assert holder.act(laid["view"], {"type": "resign"}, 409)["code"] == "not_your_turn"
    assert holder.get(f"/games/{view['id']}")["you"] == seat
    assert holder.get("/me", 403)["code"] == "forbidden"
    elsewhere = cast.table()
    assert holder.act(elsewhere, {"type": "resign"}, 403)["code"] == "forbidden"


def test_talk_is_for_those_who_sit_there(cast: Cast) -> None:
    view = cast.table()
    said = cast.ann.post(f"/games/{view['id']}/messages", {"text": " Cafe\u0301?\r\nNow "}, 201)
    assert said["text"] == "Café?\nNow"
    assert cast.bo.get(f"/games/{view['id']}/messages") == {"messages": [said], "cursor": None}
    cast.eve.get(f"/games/{view['id']}/messages", 403)
    cast.nobody.get(f"/games/{view['id']}/messages", 401)
    for text in ("", "   ", "x" * 1001, "bell\x07"):
        cast.ann.post(f"/games/{view['id']}/messages", {"text": text}, 400)
    assert len(cast.bo.get(f"/games/{view['id']}/messages")["messages"]) == 1


def test_boards_come_as_drawing_picture_and_text(cast: Cast) -> None:
    view = cast.table()
    cast.at(view).act(view, {"type": "face", "direction": "left"})
    path = f"/games/{view['id']}/board"
    assert cast.nobody.call("GET", f"{path}.svg").text.startswith("<svg")
    assert cast.nobody.call("GET", f"{path}.png").data[:8] == b"\x89PNG\r\n\x1a\n"
    now, then = cast.nobody.call("GET", f"{path}.txt").text, cast.nobody.call("GET", f"{path}.txt?after=1").text
    assert "d4 and faces north" in then
    assert now != then
    assert cast.nobody.call("GET", f"{path}.txt?after=99").status_code == 404


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
def test_a_whole_game_of_four_gives_a_record_that_replays_and_whose_dice_verify(cast: Cast, variant: str) -> None:
    cy, di = (Person(cast.client, cast.ctx, f"{name}@example.org") for name in ("cy", "di"))
    people = [cast.ann, cast.bo, cy, di]
    seats = [{"email": person.address} for person in people[1:]]
    view = cast.ann.post("/games", {"game": "marrakech", "seats": seats, "options": {"variant": variant}}, 201)
    for seat, person in enumerate(people[1:], start=1):
        view = person.post(f"/games/{view['id']}/seats/{seat}/accept")
    turns = 0
    while view["status"] == "playing":
        person = people[view["to_act"][0]]
        legal = person.get(f"/games/{view['id']}")["legal"]
        view = person.act(view, legal[view["head"] % len(legal)], salt=f"s{turns}")["view"]
        turns += 1
    value = cast.nobody.get(f"/games/{view['id']}/record")
    record = read_record(value)
    assert record.states()[-1].result is not None
    assert value["result"] == view["result"]
    assert read_text(cast.nobody.call("GET", f"/games/{view['id']}/record.txt").text) == record
    seed = bytes.fromhex(value["dice"]["seed"])
    assert commitment(seed) == value["dice"]["commitment"]
    rolls = [event for event in value["events"] if event["type"] == "rolled"]
    assert len(rolls) >= 40
    for event in rolls:
        assert FACES[Dice(view["id"], seed, event["salt"]).roll(event["roll"])] == event["die"]
    assert sorted(cast.letters("over")) == [person.address for person in people]
    paid = next(event for event in value["events"] if event["type"] == "paid")
    path = f"/games/{view['id']}/board.svg?after="
    before, then = (cast.nobody.call("GET", f"{path}{seq}").text for seq in (paid["seq"] - 1, paid["seq"]))
    assert 'class="payment"' not in before
    assert f'class="payment" data-squares="{" ".join(sorted(paid["squares"]))}"' in then


def test_nothing_in_a_view_gives_away_seed_piles_or_addresses(cast: Cast) -> None:
    view = cast.table()
    paths = ("", "/events", "/record", "/record.txt", "/board.svg", "/board.txt")
    seed = cast.ctx.database.execute_sql("select seed from game").fetchone()[0]
    for path in paths:
        text = cast.eve.call("GET", f"/games/{view['id']}{path}").text
        assert seed not in text
        assert "piles" not in text.lower()
        assert "example.org" not in text


def test_who_asks_too_often_is_told_when_to_come_back(cast: Cast, clock: Clock) -> None:
    for _ in range(5):
        cast.nobody.post("/login", {"email": "ann@example.org"}, 202)
    refused = cast.nobody.call("POST", "/login", {"email": "ANN@example.org"})
    assert (refused.status_code, (refused.json or {})["code"]) == (429, "rate_limited")
    clock.now += int(refused.headers["Retry-After"])
    cast.nobody.post("/login", {"email": "ann@example.org"}, 202)


def test_every_call_counts_also_one_with_a_bad_token(cast: Cast) -> None:
    guesser = Person(cast.client, cast.ctx, None, "guess")
    answers = {guesser.call("GET", "/me").status_code for _ in range(310)}
    assert answers == {401, 429}
    assert cast.ann.get("/me")["email"] == "ann@example.org"


def test_tables_and_messages_have_their_limits(cast: Cast) -> None:
    wish = {"game": "marrakech", "seats": [{"bot": "random"}]}
    games = [cast.ann.call("POST", "/games", wish).status_code for _ in range(31)]
    assert games == [201] * 30 + [429]
    view = cast.bo.post("/games", wish, 201)
    said = [cast.bo.call("POST", f"/games/{view['id']}/messages", {"text": "?"}).status_code for _ in range(61)]
    assert said == [201] * 60 + [429]
