"""The forms for channels on the settings page."""

import json
import re
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Channel, Letter, Player
from service.games.channels import add_browser, add_service, list_channels
from service.games.players import export_player
from service.games.vapid import public_key
from tests.support.browsers import Browser
from tests.support.receiver import BrowserSubscription
from tests.support.tables import database_contents

ANN = "ann@example.org"
DISCORD = "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js"
PUSH = "https://fcm.googleapis.com/fcm/send/abc"


def test_a_service_is_added_and_its_url_is_not_shown_again(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, ANN)
    done = browser.post("/me/channels", on="/me", url=DISCORD, name="Our <room>")
    assert done.location == "/me?done=channel-added#notifications"
    page = browser.get("/me?done=channel-added")
    assert "Our &lt;room&gt;" in page
    assert "Added." in page
    assert DISCORD.rpartition("/")[2] not in page
    assert [channel.address for channel in list_channels(ctx, ann.id)] == [DISCORD]


def test_a_browser_is_added_with_the_key_of_the_page(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, ANN)
    assert f'data-push="{public_key(ctx.database)}"' in browser.get("/me")
    browser.post("/me/channels", on="/me", subscription=BrowserSubscription(PUSH).json)
    assert f'data-endpoint="{PUSH}"' in browser.get("/me")


@pytest.mark.parametrize(
    ("fields", "status", "sentence"),
    [
        ({"url": "hello"}, 400, "know this kind of URL"),
        ({"url": "json://10.0.0.1/"}, 400, "send messages to 10.0.0.1. The person who runs it"),
        ({"url": DISCORD, "name": "x" * 81}, 400, "too long"),
        ({"subscription": "{}"}, 400, "can&#39;t be read"),
        ({}, 400, "Something is missing in this form"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_changes(
    ctx: AppContext, ann: Player, fields: dict[str, str], status: int, sentence: str
) -> None:
    browser, before = Browser(ctx, ANN), database_contents(ctx)
    page = browser.post("/me/channels", status, on="/me", **fields).text
    found = re.search(r'<span class="refusal wrong" id="(url|subscription)-error">(.*?)</span>', page)
    assert found, page
    assert sentence in found[2]
    assert f'value="{fields.get("url", "")}"' in page
    assert database_contents(ctx) == before


def test_a_test_message_is_put_into_the_outbox(ctx: AppContext, ann: Player) -> None:
    channel: Any = add_service(ctx, ann, DISCORD)
    browser = Browser(ctx, ANN)
    done = browser.post(f"/me/channels/{channel.id}/test", on="/me")
    assert done.location == "/me?done=channel-tested#notifications"
    assert "on its way" in browser.get("/me?done=channel-tested")
    [letter] = list(Letter.select().execute(ctx.database))
    assert (letter.kind, letter.channel, letter.address) == ("test", channel.id, ANN)


def test_test_messages_are_limited(ctx: AppContext, ann: Player) -> None:
    channel: Any = add_service(ctx, ann, DISCORD)
    browser = Browser(ctx, ANN)
    for _ in range(5):
        browser.post(f"/me/channels/{channel.id}/test", on="/me")
    browser.post(f"/me/channels/{channel.id}/test", 429, on="/me")


def test_what_went_wrong_is_shown_at_the_channel_in_the_language_of_the_page(ctx: AppContext, ann: Player) -> None:
    add_service(ctx, ann, DISCORD)
    Channel.update(trouble="Discord could not be reached.").execute(ctx.database)
    assert "The last notification didn't arrive: Discord could not be reached." in Browser(ctx, ANN).get("/me")
    Player.update(language="fr").where(Player.id == ann.id).execute(ctx.database)
    assert "could not be reached" not in Browser(ctx, ANN).get("/me")


def test_a_channel_is_removed(ctx: AppContext, ann: Player) -> None:
    channel: Any = add_service(ctx, ann, DISCORD)
    browser = Browser(ctx, ANN)
    done = browser.post(f"/me/channels/{channel.id}/remove", on="/me")
    assert done.location == "/me?done=channel-removed#notifications"
    assert list_channels(ctx, ann.id) == []
    browser.post(f"/me/channels/{channel.id}/remove", on="/me")  # a second click does no harm
    browser.post(f"/me/channels/{channel.id}/test", 404, on="/me")


@pytest.mark.parametrize("path", ["", "/{id}/test", "/{id}/remove"])
def test_a_stranger_and_a_forged_form_are_refused(ctx: AppContext, ann: Player, eve: Player, path: str) -> None:
    channel: Any = add_service(ctx, ann, DISCORD)
    before, place = database_contents(ctx), f"/me/channels{path.format(id=channel.id)}"
    Browser(ctx).post(place, 401, url=DISCORD)
    Browser(ctx, ANN).post(place, 403, form="0" * 32, url=DISCORD)
    if path:
        Browser(ctx, "eve@example.org").post(place, 404 if "test" in path else 303, on="/me")
    assert database_contents(ctx) == before


def test_signing_out_everywhere_turns_browsers_off(ctx: AppContext, ann: Player) -> None:
    add_browser(ctx, ann, BrowserSubscription(PUSH).json)
    add_service(ctx, ann, DISCORD)
    Browser(ctx, ANN).post("/me/sign-out-everywhere", on="/me")
    assert [channel.kind for channel in list_channels(ctx, ann.id)] == ["apprise"]


def test_channels_are_exported_and_deleted_with_the_player(ctx: AppContext, ann: Player) -> None:
    add_service(ctx, ann, DISCORD, "Our room")
    [exported] = export_player(ctx, ann)["channels"]
    assert (exported["name"], exported["address"]) == ("Our room", DISCORD)
    Browser(ctx, ANN).post("/me/delete", on="/me", sure="yes")
    assert Channel.select().count(ctx.database) == 0
    assert DISCORD.rpartition("/")[2] not in json.dumps(database_contents(ctx), default=str)


def test_the_service_worker_is_at_the_top_so_that_it_serves_all_pages(ctx: AppContext) -> None:
    script = Browser(ctx).client.get("/push-worker.js")
    assert (script.status_code, script.mimetype) == (200, "text/javascript")
    assert "showNotification" in script.text
