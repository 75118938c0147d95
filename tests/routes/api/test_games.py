"""Games as a client of the API creates, fills, lists and sees them."""

from tests.support.clock import Clock
from tests.support.people import Cast


def test_a_game_starts_when_every_seat_is_taken(cast: Cast) -> None:
    wish = {
        "game": "marrakech",
        "name": "Souk",
        "seats": [{"email": "bo@example.org"}, {"open": True}, {"bot": "medium"}],
    }
    view = cast.ann.post("/games", wish, 201)
    assert (view["status"], view["you"], view["to_act"], view["head"]) == ("waiting", 0, [], 0)
    assert [seat["accepted"] for seat in view["seats"]] == [True, False, False, True]
    assert "/join/" in view["invitation"]
    assert "invitation" not in cast.nobody.get(f"/games/{view['id']}")
    assert cast.bo.get(f"/games/{view['id']}")["you"] == 1
    assert cast.bo.post(f"/games/{view['id']}/seats/1/accept")["status"] == "waiting"
    shared = {"invitation": view["invitation"]}
    started = cast.eve.post(f"/games/{view['id']}/join", shared)
    assert (started["status"], started["you"]) == ("playing", 2)
    assert cast.eve.post(f"/games/{view['id']}/join", shared)["you"] == 2
    assert cast.letters("invitation") == ["bo@example.org"]


def test_an_open_seat_needs_the_shared_link_of_its_table(cast: Cast) -> None:
    view, other = (cast.ann.post("/games", {"game": "marrakech", "seats": [{"open": True}]}, 201) for _ in range(2))
    join = f"/games/{view['id']}/join"
    assert cast.eve.post(join, {}, 400)["code"] == "bad_request"
    assert cast.eve.post(join, {"invitation": "made-up"}, 401)["code"] == "unauthorised"
    assert cast.eve.post(join, {"invitation": other["invitation"]}, 403)["code"] == "forbidden"
    token = view["invitation"].rpartition("/")[2]
    assert cast.eve.post(join, {"invitation": token})["status"] == "playing"


def test_the_host_replaces_the_shared_link_and_the_old_one_is_worthless(cast: Cast) -> None:
    view = cast.ann.post("/games", {"game": "marrakech", "seats": [{"open": True}, {"email": "bo@example.org"}]}, 201)
    old, replace = {"invitation": view["invitation"]}, f"/games/{view['id']}/invitation"
    for other in (cast.bo, cast.eve):
        assert other.post(replace, None, 403)["code"] == "forbidden"
    new = {"invitation": cast.ann.post(replace)["invitation"]}
    assert new != old
    assert cast.eve.post(f"/games/{view['id']}/join", old, 404)["code"] == "not_found"
    assert cast.bo.post(f"/games/{view['id']}/join", old)["you"] == 2, "an invited player needs no link"
    assert cast.eve.post(f"/games/{view['id']}/join", new)["you"] == 1
    assert cast.ann.post(replace, None, 409)["code"] == "stale", "there is no open seat any more"


def test_the_host_offers_a_seat_to_another_address_until_somebody_takes_it(cast: Cast) -> None:
    view = cast.ann.post("/games", {"game": "marrakech", "seats": [{"email": "typo@example.org"}]}, 201)
    offer = f"/games/{view['id']}/seats/1/invite"
    for person, status in ((cast.eve, 403), (cast.nobody, 401)):
        person.post(offer, {"email": "eve@example.org"}, status)
    cast.ann.post(f"/games/{view['id']}/seats/5/invite", {"email": "bo@example.org"}, 404)
    cast.ann.post(f"/games/{view['id']}/seats/0/invite", {"email": "bo@example.org"}, 409)
    cast.ann.post(offer, {"email": "ann@example.org"}, 400)
    for _ in range(2):  # once more to the same address is a letter once more
        assert cast.ann.post(offer, {"email": "bo@example.org"})["seats"][1]["accepted"] is False
    assert cast.letters("invitation") == ["typo@example.org", "bo@example.org", "bo@example.org"]
    assert cast.bo.post(f"/games/{view['id']}/seats/1/accept")["status"] == "playing"
    cast.ann.post(offer, {"email": "eve@example.org"}, 409)


def test_games_are_listed_by_status_and_by_page(cast: Cast, clock: Clock) -> None:
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


def test_invalid_bodies_are_refused(cast: Cast) -> None:
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


def test_no_response_reveals_the_seed_the_piles_or_addresses(cast: Cast) -> None:
    view = cast.table()
    paths = ("", "/events", "/record", "/record.txt", "/board.svg", "/board.txt")
    seed = cast.ctx.database.execute_sql("select seed from game").fetchone()[0]
    for path in paths:
        text = cast.eve.call("GET", f"/games/{view['id']}{path}").text
        assert seed not in text
        assert "piles" not in text.lower()
        assert "example.org" not in text


def test_the_host_fills_the_seats_and_starts_and_nobody_else_does(cast: Cast) -> None:
    seats = [{"email": "bo@example.org"}, {"email": "cy@example.org"}, {"open": True}]
    wish = {"game": "marrakech", "seats": seats, "message": "See you on Friday!"}
    game = f"/games/{cast.ann.post('/games', wish, 201)['id']}"
    assert cast.bo.get(game)["message"] == "See you on Friday!"
    assert "message" not in cast.eve.get(game), "it is for the people who are invited"
    calls = {f"{game}/seats/1/resend": {}, f"{game}/seats/2/bot": {"bot": "easy"}, f"{game}/start": None}
    for path, body in calls.items():
        assert cast.bo.post(path, body, 403)["code"] == "forbidden"
        cast.eve.post(path, body, 403)
        cast.nobody.post(path, body, 401)
    assert cast.ann.post(f"{game}/start", None, 409)["code"] == "stale"
    assert cast.ann.post(f"{game}/seats/1/resend", {"message": "Or on Sunday?"})["message"] == "Or on Sunday?"
    cast.ann.post(f"{game}/seats/1/resend", {})
    assert cast.letters("invitation") == ["bo@example.org", "cy@example.org", "bo@example.org"]
    cast.ann.post(f"{game}/seats/2/bot", {"bot": "genius"}, 400)
    assert cast.ann.post(f"{game}/seats/2/bot", {"bot": "easy", "name": "Salma"})["seats"][2]["bot"] == "easy"
    started = cast.ann.post(f"{game}/start")
    assert started["status"] == "playing"
    assert [seat["name"] for seat in started["seats"]] == ["ann", "Salma"]
    assert cast.bo.get(game)["you"] is None
    cast.bo.post(f"{game}/seats/1/accept", None, 403)


def test_a_rematch_is_the_same_game_for_all_its_players(cast: Cast) -> None:
    view = cast.table(name="Souk")
    rematch = f"/games/{view['id']}/rematch"
    assert cast.ann.post(rematch, None, 409)["code"] == "stale"
    cast.bo.post(f"/games/{view['id']}/actions", {"head": view["head"], "action": {"type": "resign"}})
    for person, status in ((cast.eve, 403), (cast.nobody, 401)):
        person.post(rematch, None, status)
    first = cast.bo.post(rematch, None, 201)
    assert (first["status"], first["name"], first["you"], first["options"]) == ("waiting", "Souk", 0, view["options"])
    assert cast.letters("invitation") == ["bo@example.org", "ann@example.org"]
    assert cast.bo.post(rematch, None, 201)["id"] == first["id"]
    joined = cast.ann.post(rematch, None, 201)
    assert (joined["id"], joined["status"], joined["you"]) == (first["id"], "playing", 1)
    assert cast.ann.call("GET", rematch).status_code == 405


def test_the_next_game_is_one_that_waits_for_the_caller(cast: Cast) -> None:
    assert cast.ann.call("GET", "/games/next").status_code == 204
    cast.nobody.get("/games/next", 401)
    options = {"first": 0}
    slow, quick = (cast.table(pace=days * 86_400, options=options) for days in (5, 2))
    found = cast.ann.get("/games/next")
    assert (found["id"], found["you"], found["to_act"]) == (quick["id"], 0, [0])
    assert found["id"] != slow["id"]
    assert cast.bo.call("GET", "/games/next").status_code == 204
