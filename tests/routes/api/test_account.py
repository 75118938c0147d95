"""Signing in, settings and rate limits through the API."""

from itertools import cycle
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.people import Cast, Person
from tests.support.sign_in import newest_letter


def test_signing_in_by_a_code_from_a_letter(cast: Cast) -> None:
    cast.nobody.post("/login", {"email": "New@Example.org"}, 202)
    code = newest_letter(cast.ctx, "new@example.org").code
    wrong = cast.nobody.post("/login/confirm", {"email": "new@example.org", "code": "WRONG123"}, 401)
    assert wrong["code"] == "unauthorised"
    signed_in = cast.nobody.post("/login/confirm", {"email": "new@example.org", "code": code.lower()})
    new = Person(cast.client, cast.ctx, None, signed_in["token"])
    assert new.get("/me")["email"] == "new@example.org"
    cast.nobody.post("/login/confirm", {"email": "new@example.org", "code": code}, 401)


def test_the_response_to_a_login_is_the_same_for_everyone(cast: Cast) -> None:
    known = cast.nobody.post("/login", {"email": "ann@example.org"}, 202)
    assert cast.nobody.post("/login", {"email": "unknown@example.org"}, 202) == known


def test_only_the_settings_that_are_sent_change(cast: Cast) -> None:
    before = cast.ann.get("/me")
    changed = cast.ann.call("PATCH", "/me", {"name": "Ann", "time_zone": "Europe/Paris"}).json
    assert changed == {**before, "name": "Ann", "time_zone": "Europe/Paris"}
    away: Any = cast.ann.call("PATCH", "/me", {"away_until": "2026-10-01T00:00:00Z", "mail": {"talk": False}}).json
    assert away["away_until"] == "2026-10-01T00:00:00Z"
    assert away["mail"] == {"turns": True, "reminders": True, "talk": False, "invitations": True, "at_once": False}
    assert cast.ann.get("/me") == away
    hidden: Any = cast.ann.call("PATCH", "/me", {"hidden": True}).json
    assert hidden == {**away, "hidden": True}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"time_zone": "Mars/Olympus"}, "body.time_zone: must be a zone such as Europe/Paris or UTC."),
        ({"name": None}, "body.name: must not be null. Leave it out to keep it."),
        ({"hidden": None}, "body.hidden: must not be null. Leave it out to keep it."),
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


def test_a_client_that_asks_too_often_is_told_when_to_come_back(cast: Cast, clock: Clock) -> None:
    for number in range(30):
        cast.nobody.post("/login", {"email": f"player{number}@example.org"}, 202)
    refused = cast.nobody.call("POST", "/login", {"email": "ann@example.org"})
    assert (refused.status_code, (refused.json or {})["code"]) == (429, "rate_limited")
    clock.now += int(refused.headers["Retry-After"])
    cast.nobody.post("/login", {"email": "ann@example.org"}, 202)


def test_a_stranger_who_uses_up_the_letters_of_an_address_does_not_lock_its_player_out(cast: Cast) -> None:
    first = cast.nobody.post("/login", {"email": "ann@example.org"}, 202)
    for _ in range(9):
        assert cast.nobody.post("/login", {"email": "ANN@example.org"}, 202) == first
    assert len(cast.letters("sign-in")) == 6
    cast.nobody.post("/links", {"email": "ann@example.org"}, 202)
    code = newest_letter(cast.ctx).code
    assert cast.nobody.post("/login/confirm", {"email": "ann@example.org", "code": code})["token"]


def test_a_token_has_one_limit_however_its_header_is_written(cast: Cast) -> None:
    spellings = ["Bearer {}", "bearer {}", "BEARER  {}", "Bearer {} ", "bEARER   {}  "]
    headers = cycle({"Authorization": spelling.format(cast.ann.token)} for spelling in spellings)
    answers = [cast.client.get("/api/v1/me", headers=next(headers)).status_code for _ in range(620)]
    assert answers == [200] * 600 + [429] * 20
    assert cast.bo.get("/me")["email"] == "bo@example.org"


def test_calls_with_an_invalid_token_are_limited_too(cast: Cast) -> None:
    guesser = Person(cast.client, cast.ctx, None, "guess")
    answers = {guesser.call("GET", "/me").status_code for _ in range(310)}
    assert answers == {401, 429}
    assert cast.ann.get("/me")["email"] == "ann@example.org"


def test_tables_and_messages_have_their_limits(cast: Cast) -> None:
    wish = {"game": "marrakech", "seats": [{"bot": "easy"}]}
    games = [cast.ann.call("POST", "/games", wish).status_code for _ in range(31)]
    assert games == [201] * 30 + [429]
    view = cast.bo.post("/games", wish, 201)
    said = [cast.bo.call("POST", f"/games/{view['id']}/messages", {"text": "?"}).status_code for _ in range(61)]
    assert said == [201] * 60 + [429]
