"""The settings page: changes, errors, export and deletion."""

import json
import re
from typing import Any

import pytest

from service.auth.login import find_or_create_player
from service.auth.tokens import BadLink
from service.context import AppContext
from service.db.models import Game, Letter, Message, Player, Seat, SignInCode
from service.engine.record_text import read_text, write_text
from service.games.chat import post_message
from service.games.lobby import SeatRequest, create_game
from service.games.store import load
from service.games.views import visible_record
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.tables import OPEN, database_contents, new_game, play_to_end, queued_letters, start_game

ANN = "ann@example.org"
WANTED = dict.fromkeys(("turns", "reminders", "talk", "invitations", "at_once"), "yes")
SAME = {"name": "", "language": "en", "time_zone": "UTC", **WANTED}


def row(ctx: AppContext, address: str = ANN) -> Any:
    return Player.select().where(Player.email == address).get(ctx.database)


def alert(page: str) -> str:
    found = re.search(r'role="alert"><strong>(.*?)</strong>', page)
    assert found, page
    return found[1]


def test_settings_need_a_session(ctx: AppContext) -> None:
    asked = Browser(ctx).client.get("/me")
    assert (asked.status_code, asked.location) == (303, "/login?next=/me")


@pytest.mark.parametrize("path", ["", "/test-letter", "/sign-out-everywhere", "/export", "/delete"])
def test_every_form_needs_a_session_and_its_token(ctx: AppContext, ann: Player, path: str) -> None:
    before = database_contents(ctx)
    Browser(ctx).post(f"/me{path}", 401, sure="yes", **SAME)
    Browser(ctx, ANN).post(f"/me{path}", 403, form="0" * 32, sure="yes", **SAME)
    assert database_contents(ctx) == before


def test_every_setting_can_be_changed_and_is_shown_again(ctx: AppContext, ann: Player, clock: Clock) -> None:
    browser = Browser(ctx, ANN)
    fields = {"name": "<Ann>", "language": "fr", "time_zone": "Europe/Paris", "turns": "yes", "begins": "22:00"}
    done = browser.post("/me", on="/me", ends="08:00", days_off=["sunday", "monday"], away="2026-09-25", **fields)
    assert done.location == "/me?done=saved"
    player = row(ctx)
    assert (player.name, player.language, player.time_zone) == ("<Ann>", "fr", "Europe/Paris")
    assert json.loads(player.mail) == dict.fromkeys(WANTED, False) | {"turns": True}
    assert (player.quiet, player.days_off) == ("22:00-08:00", "monday,sunday")
    assert player.away_until == 1_790_373_600.0  # the midnight after that day in Paris
    page = browser.get("/me?done=saved")
    assert "Enregistré." in page
    assert 'value="&lt;Ann&gt;"' in page
    assert 'value="2026-09-25"' in page
    assert re.search(r'value="sunday" checked> <span>dimanche', page)


def test_a_player_can_hide_on_the_groups_page_and_come_back(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, ANN)
    assert 'name="hidden" value="yes" aria' in browser.get("/me")
    browser.post("/me", on="/me", hidden="yes", **SAME)
    assert row(ctx).hidden
    assert 'name="hidden" value="yes" checked' in browser.get("/me")
    browser.post("/me", on="/me", **SAME)
    assert not row(ctx).hidden


def test_a_holiday_survives_other_changes_and_ends_when_its_field_is_emptied(
    ctx: AppContext, ann: Player, clock: Clock
) -> None:
    browser = Browser(ctx, ANN)
    browser.post("/me", on="/me", away="2026-09-25", **SAME)
    since = row(ctx).away_from
    clock.now += 3600
    browser.post("/me", on="/me", away="2026-09-25", **SAME | {"name": "Annie"})
    assert (row(ctx).away_from, row(ctx).name) == (since, "Annie")
    browser.post("/me", on="/me", away="", **SAME)
    assert row(ctx).away_until is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "x" * 81}, "The name is too long"),
        ({"name": "a\u202eb"}, "The name is too long"),
        ({"language": "tlh"}, "This language"),
        ({"language": "../../x"}, "This language"),
        ({"time_zone": "Mars/Olympus"}, "This time zone"),
        ({"begins": "22:00"}, "Quiet hours need"),
        ({"begins": "25:00", "ends": "08:00"}, "Quiet hours need"),
        ({"begins": "08:00", "ends": "04:00"}, "Quiet hours need"),
        ({"days_off": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]}, "Leave at least 2 days"),
        ({"days_off": ["doomsday"]}, "Leave at least 2 days"),
        ({"away": "2020-01-01"}, "Choose a day after today"),
        ({"away": "2027-09-01"}, "Choose a day after today"),
        ({"away": "soon"}, "Choose a day after today"),
        ({"away": "9999-12-31"}, "Choose a day after today"),
    ],
)
def test_invalid_settings_are_refused_with_a_sentence_and_nothing_changes(
    ctx: AppContext, ann: Player, wrong: dict[str, Any], words: str
) -> None:
    before = database_contents(ctx)
    page = Browser(ctx, ANN).post("/me", 400, on="/me", **SAME | wrong).text
    assert alert(page).startswith(words)
    assert database_contents(ctx) == before


def test_a_test_letter_is_sent_but_not_too_often(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, ANN)
    for _ in range(5):
        page = browser.post("/me/test-letter", 200, on="/me").text
        assert 'role="status"' in page
    assert [letter.kind for letter in queued_letters(ctx)] == ["test"] * 5
    late = browser.post("/me/test-letter", 429, on="/me")
    assert "Please wait a moment" in late.text
    assert "Try again in 12 minutes" in late.text
    assert late.headers["Retry-After"]


def test_signing_out_everywhere_ends_every_session_and_token(ctx: AppContext, ann: Player) -> None:
    here, there = Browser(ctx, ANN), Browser(ctx, ANN)
    token = ctx.tokens.api(ann.id, ann.token_version)
    here.post("/me/sign-out-everywhere", on="/me")
    for browser in (here, there):
        assert browser.client.get("/me").status_code == 303
    assert there.client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_the_export_has_only_the_players_own_data(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    post_message(ctx, game.id, 0, "Salut")
    post_message(ctx, game.id, 1, "not hers")
    answer = Browser(ctx, ANN).post("/me/export", 200, on="/me")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    known = json.loads(answer.data)
    assert known["player"]["email"] == ANN
    (own,) = known["games"]
    assert (own["record"]["id"], own["seat"]) == (game.id, 0)
    assert [each["text"] for each in own["said"]] == ["Salut"]
    assert {each["kind"] for each in known["letters"]} <= {"turn", "talk"}
    assert "bo@example.org" not in answer.text
    assert "not hers" not in answer.text


def test_deleting_with_running_games_needs_consent_to_resign(ctx: AppContext, ann: Player, bo: Player) -> None:
    start_game(ctx, [ann, bo])
    before, browser = database_contents(ctx), Browser(ctx, ANN)
    assert "I resign from the game" in browser.get("/me")
    assert alert(browser.post("/me/delete", 403, on="/me", sure="yes").text).startswith("You&#39;re still playing")
    assert alert(browser.post("/me/delete", 400, on="/me", resign="yes").text).startswith("Nothing was deleted")
    assert database_contents(ctx) == before


def test_deleting_removes_the_person_and_keeps_the_games(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> None:
    browser, secret = Browser(ctx, ANN), "Annabelle"
    Player.update(name=secret).where(Player.id == ann.id).execute(ctx.database)
    ann = row(ctx)
    running = start_game(ctx, [ann, bo, cy])
    over = play_to_end(ctx, start_game(ctx, [ann], bots=1))
    hosted = create_game(ctx, ann, new_game(OPEN))
    invited = create_game(ctx, bo, new_game(SeatRequest(ANN), OPEN))
    post_message(ctx, running.id, 0, f"I am {secret}")
    old_link = ctx.tokens.seat(running.id, 0, 0)
    browser.client.post("/login", data={"email": ANN})
    browser.post("/me/delete", on="/me", sure="yes", resign="yes")
    everything = repr(database_contents(ctx))
    assert ANN not in everything
    assert secret not in everything
    assert load(ctx.database, running.id).status == "playing"
    assert load(ctx.database, hosted.id).status == "cancelled"
    assert load(ctx.database, invited.id).seats[1].player is None
    assert read_text(write_text(visible_record(ctx, load(ctx.database, over.id))))
    assert browser.client.get("/me").status_code == 303
    assert "deleted" in Browser(ctx).get("/me/gone")
    Browser(ctx).get(f"/s/{old_link}", 410)
    Browser(ctx).get(f"/g/{running.id}")
    assert not SignInCode.select().where(SignInCode.email == ANN).exists(ctx.database)
    assert not Message.select().exists(ctx.database)


def test_a_deleted_player_gets_no_letter_and_may_sign_up_again(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    Browser(ctx, ANN).post("/me/delete", on="/me", sure="yes", resign="yes")
    gone = Player.select().where(Player.id == ann.id).get(ctx.database)
    assert (
        gone.mail_trouble == "This player has left and gets no more e-mails."
    )  # by which the worker drops what is still written to that address
    assert gone.email.endswith(".invalid")
    assert find_or_create_player(ctx, ANN).id != ann.id
    assert Seat.select().where((Seat.game == game.id) & (Seat.player == ann.id)).exists(ctx.database)
    assert Game.select().count(ctx.database) == 1
    assert not Letter.select().where(Letter.address == ANN).exists(ctx.database)
    with pytest.raises(BadLink):
        ctx.tokens.read_session("nonsense", ctx.clock())
