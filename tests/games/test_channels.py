"""Adding channels: which services and hosts are allowed, and what is refused with a clear sentence."""

import json
from dataclasses import replace
from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Channel, Player
from service.errors import BadRequest, NotFound
from service.games.channels import (
    LONGEST_URL,
    MOST_CHANNELS,
    add_browser,
    add_service,
    find_channel,
    list_channels,
    remove_browsers,
    remove_channel,
)
from tests.support.receiver import BrowserSubscription

DISCORD = "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js"
PUSH = "https://fcm.googleapis.com/fcm/send/abc"


def allowing(ctx: AppContext, *hosts: str) -> AppContext:
    return ctx._replace(settings=replace(ctx.settings, notify_hosts=hosts))


def changed(subscription: BrowserSubscription, **parts: object) -> str:
    return json.dumps(json.loads(subscription.json) | parts)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (DISCORD, "Discord"),
        ("https://discord.com/api/webhooks/4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "Discord"),
        ("https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "Slack"),
        ("tgram://123456789:abcdefg_hijklmnop/12315544/", "Telegram"),
        (f"pover://user@{'t' * 30}", "Pushover"),
        ("ntfy://rugs", "ntfy"),
        ("https://ntfy.sh/rugs", "ntfy"),
        ("matrixs://a-token@matrix.org/!room:matrix.org", "Matrix"),
        ("  ntfy://with-spaces-around-it  ", "ntfy"),
    ],
)
def test_well_known_services_need_no_setting(ctx: AppContext, ann: Player, url: str, name: str) -> None:
    public = allowing(ctx, "matrix.org", "ntfy.sh")
    channel = add_service(public, ann, url)
    assert (channel.kind, channel.name, channel.address) == ("apprise", name, url.strip())


@pytest.mark.parametrize(
    "url",
    [
        "json://127.0.0.1:8000/",
        "jsons://10.0.0.1/admin",
        "xml://localhost/",
        "form://[::1]/",
        "ntfys://ntfy.example.org/rugs",
        "matrix://a-token@matrix.example.org/!room",
        "gotify://gotify.example.org/AbCdEfGhIjKlMnO",
        "mmosts://chat.example.org/3ccdd113474722377935511fc85d3dd4",
        "jsons://matrix.org.example.org/",
        "jsons://ntfy.sh@example.org/",
    ],
)
def test_other_hosts_must_be_allowed(ctx: AppContext, ann: Player, url: str) -> None:
    with pytest.raises(BadRequest, match="NOTIFY_HOSTS"):
        add_service(allowing(ctx, "matrix.org", "ntfy.sh"), ann, url)
    assert list_channels(ctx, ann.id) == []


@pytest.mark.parametrize("pattern", ["chat.example.org", "*.example.org", "*"])
def test_a_host_can_be_allowed(ctx: AppContext, ann: Player, pattern: str) -> None:
    assert add_service(allowing(ctx, pattern), ann, "jsons://Chat.example.org:8443/hook")


def test_the_cloud_service_of_ntfy_can_be_forbidden(ctx: AppContext, ann: Player) -> None:
    with pytest.raises(BadRequest, match=r"ntfy\.sh"):
        add_service(allowing(ctx), ann, "ntfy://rugs")


@pytest.mark.parametrize(
    "url",
    ["syslog://", "mailto://ann@gmail.com", "apprise://example.org/token", "dbus://", "sns://a/b/us-east-1/1"],
)
def test_services_that_reach_this_machine_or_need_more_care_are_refused(ctx: AppContext, ann: Player, url: str) -> None:
    with pytest.raises(BadRequest):
        add_service(allowing(ctx, "*"), ann, url)


@pytest.mark.parametrize("url", ["", "   ", "hello", "foo://bar", "https://example.org/hook", "x" * (LONGEST_URL + 1)])
def test_what_is_no_url_of_a_service_is_refused(ctx: AppContext, ann: Player, url: str) -> None:
    with pytest.raises(BadRequest, match="know this kind of URL"):
        add_service(allowing(ctx, "*"), ann, url)


@pytest.mark.parametrize("option", ["redirect=yes", "verify=no"])
def test_safety_cannot_be_turned_off_in_the_url(ctx: AppContext, ann: Player, option: str) -> None:
    with pytest.raises(BadRequest, match="redirect and verify"):
        add_service(allowing(ctx, "*"), ann, f"jsons://chat.example.org/hook?{option}")


def test_a_name_of_ones_own_is_cleaned(ctx: AppContext, ann: Player) -> None:
    assert add_service(ctx, ann, DISCORD, "our \u202e room\n").name == "our room"


def test_the_same_channel_twice_is_refused(ctx: AppContext, ann: Player, bo: Player) -> None:
    add_service(ctx, ann, DISCORD)
    with pytest.raises(BadRequest, match="already"):
        add_service(ctx, ann, DISCORD)
    assert add_service(ctx, bo, DISCORD), "a room may be for several players"


def test_a_player_has_a_limited_number_of_channels(ctx: AppContext, ann: Player) -> None:
    for number in range(MOST_CHANNELS):
        add_service(ctx, ann, f"tgram://123456789:abcdefg_hijklmnop/{number + 1}/")
    with pytest.raises(BadRequest, match="Remove one first"):
        add_service(ctx, ann, DISCORD)


@pytest.mark.parametrize(
    "endpoint",
    [
        PUSH,
        "https://updates.push.services.mozilla.com/wpush/v2/abc",
        "https://web.push.apple.com/abc",
        "https://wns2-am3p.notify.windows.com/w/?token=abc",
    ],
)
def test_the_push_services_of_browsers_need_no_setting(ctx: AppContext, ann: Player, endpoint: str) -> None:
    channel = add_browser(allowing(ctx), ann, BrowserSubscription(endpoint).json, "My phone")
    assert (channel.kind, channel.name) == ("push", "My phone")
    assert set(json.loads(channel.address)) == {"endpoint", "keys"}


@pytest.mark.parametrize(
    "endpoint", ["https://10.0.0.1/x", "http://localhost/x", "https://fcm.googleapis.com.evil.org/"]
)
def test_a_browser_cannot_name_another_host(ctx: AppContext, ann: Player, endpoint: str) -> None:
    with pytest.raises(BadRequest, match="NOTIFY_HOSTS"):
        add_browser(ctx, ann, BrowserSubscription(endpoint).json)


def broken_subscriptions() -> list[str]:
    good = BrowserSubscription(PUSH)
    keys = json.loads(good.json)["keys"]
    return [
        "",
        "null",
        "[]",
        "{",
        "{}",
        "[" * 1999,
        good.json + " " * 2000,
        changed(good, endpoint=7),
        changed(good, endpoint="ftp://fcm.googleapis.com/x"),
        changed(good, keys=None),
        changed(good, keys={**keys, "auth": "AAAA"}),
        changed(good, keys={**keys, "p256dh": "AAAA"}),
        changed(good, keys={**keys, "p256dh": keys["p256dh"][:-4] + "AAAA"}),
        changed(good, keys={**keys, "auth": "not base64 at all!!!"}),
    ]


@pytest.mark.parametrize("text", broken_subscriptions())
def test_a_broken_subscription_is_refused(ctx: AppContext, ann: Player, text: str) -> None:
    with pytest.raises(BadRequest, match="can't be read"):
        add_browser(ctx, ann, text)


@pytest.mark.databases("sqlite", "postgresql")
def test_a_browser_belongs_to_the_player_who_asked_last(ctx: AppContext, ann: Player, bo: Player) -> None:
    shared = BrowserSubscription(PUSH).json
    add_browser(ctx, ann, shared)
    add_browser(ctx, bo, shared)
    assert (len(list_channels(ctx, ann.id)), len(list_channels(ctx, bo.id))) == (0, 1)


def test_the_same_browser_again_is_one_channel(ctx: AppContext, ann: Player) -> None:
    mine = BrowserSubscription(PUSH).json
    add_browser(ctx, ann, mine)
    add_browser(ctx, ann, mine, "My phone")
    assert [channel.name for channel in list_channels(ctx, ann.id)] == ["My phone"]


def test_only_ones_own_channels_can_be_removed(ctx: AppContext, ann: Player, eve: Player) -> None:
    channel: Any = add_service(ctx, ann, DISCORD)
    remove_channel(ctx, eve.id, channel.id)
    with pytest.raises(NotFound):
        find_channel(ctx, eve.id, channel.id)
    assert Channel.select().count(ctx.database) == 1
    remove_channel(ctx, ann.id, channel.id)
    assert Channel.select().count(ctx.database) == 0


def test_signing_out_everywhere_removes_browsers_only(ctx: AppContext, ann: Player) -> None:
    add_browser(ctx, ann, BrowserSubscription(PUSH).json)
    add_service(ctx, ann, DISCORD)
    remove_browsers(ctx, ann.id)
    assert [channel.kind for channel in list_channels(ctx, ann.id)] == ["apprise"]
