"""Sending a notification to a browser's push service and to a chat service, and what their answers mean."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from py_vapid import Vapid02

from service.context import AppContext
from service.db.models import Channel, Player
from service.games.channels import ChannelGone, NotDelivered, Notification, add_browser, add_service
from service.games.vapid import load_vapid_key, public_key
from service.notify.sender import send
from tests.support.receiver import BrowserSubscription, Received, Receiver, open_receiver
from tests.support.servers import free_port

TURN = Notification("Friday rugs", "It's your turn.", "http://127.0.0.1:8000/g/abc", "abc")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with open_receiver() as opened:
        yield opened


@pytest.fixture
def allowing(ctx: AppContext) -> AppContext:
    """Players may name hosts on this machine."""
    return ctx._replace(settings=replace(ctx.settings, notify_hosts=("127.0.0.1",)))


@pytest.fixture
def browser(receiver: Receiver) -> BrowserSubscription:
    return BrowserSubscription(f"{receiver.address}/push/secret-endpoint")


@pytest.fixture
def push(allowing: AppContext, ann: Player, browser: BrowserSubscription) -> Any:
    return add_browser(allowing, ann, browser.json)


@pytest.fixture
def hook(allowing: AppContext, ann: Player, receiver: Receiver) -> Any:
    return add_service(allowing, ann, receiver.json_url)


def signature(message: Received) -> tuple[str, str]:
    """The signed token of a push message and the public key, see RFC 8292."""
    scheme, _, rest = message.headers["authorization"].partition(" ")
    parts = dict(part.split("=", 1) for part in rest.split(","))
    assert scheme == "vapid"
    return parts["t"], parts["k"]


def claims(token: str) -> Any:
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def failure(ctx: AppContext, channel: Channel) -> NotDelivered:
    with pytest.raises(NotDelivered) as caught:
        send(ctx, channel, TURN)
    return caught.value


def test_only_the_browser_can_read_a_push_message(
    allowing: AppContext, receiver: Receiver, browser: BrowserSubscription, push: Any
) -> None:
    send(allowing, push, TURN)
    [message] = receiver.received
    assert message.path == "/push/secret-endpoint"
    assert browser.read(message) == {"title": TURN.title, "body": TURN.body, "link": TURN.link}
    assert b"Friday" not in message.body
    assert message.headers["topic"] == "abc"
    assert int(message.headers["ttl"]) == 3 * 24 * 3600


def test_a_push_message_is_signed_with_the_key_that_the_page_names(
    allowing: AppContext, receiver: Receiver, push: Any
) -> None:
    send(allowing, push, TURN)
    token, key = signature(receiver.received[0])
    assert key == public_key(allowing.database)
    assert Vapid02.verify(receiver.received[0].headers["authorization"])
    assert claims(token).items() >= {"aud": receiver.address, "sub": "mailto:marrakech@localhost"}.items()


def test_a_public_server_names_itself_to_push_services(allowing: AppContext, receiver: Receiver, push: Any) -> None:
    public = allowing._replace(settings=replace(allowing.settings, base_url="https://marrakech.example.org"))
    send(public, push, TURN)
    token, _ = signature(receiver.received[0])
    assert claims(token)["sub"] == "https://marrakech.example.org"


@pytest.mark.databases("sqlite", "postgresql")
def test_the_key_is_created_once(ctx: AppContext) -> None:
    assert load_vapid_key(ctx.database).private_pem() == load_vapid_key(ctx.database).private_pem()


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_has_unsubscribed_is_gone(
    allowing: AppContext, receiver: Receiver, push: Any, status: int
) -> None:
    receiver.status = status
    with pytest.raises(ChannelGone):
        send(allowing, push, TURN)


@pytest.mark.parametrize(("status", "temporary"), [(400, False), (403, False), (413, False), (429, True), (503, True)])
def test_what_a_push_service_refuses(
    allowing: AppContext, receiver: Receiver, push: Any, status: int, temporary: bool
) -> None:
    receiver.status = status
    error = failure(allowing, push)
    assert (str(error), error.temporary) == (f"127.0.0.1 refused the message: {status}", temporary)


def test_a_push_service_that_cannot_be_reached_is_tried_again_and_its_endpoint_stays_secret(
    allowing: AppContext, ann: Player
) -> None:
    closed = BrowserSubscription(f"http://127.0.0.1:{free_port()}/push/secret-endpoint")
    error = failure(allowing, add_browser(allowing, ann, closed.json))
    assert (str(error), error.temporary) == ("127.0.0.1 could not be reached.", True)


@pytest.mark.parametrize("kind", ["push", "hook"])
def test_no_redirect_is_followed(
    allowing: AppContext, receiver: Receiver, kind: str, request: pytest.FixtureRequest
) -> None:
    channel = request.getfixturevalue(kind)
    receiver.status, receiver.location = 302, f"{receiver.address}/elsewhere"
    assert failure(allowing, channel).temporary
    assert len(receiver.received) == 1


def test_a_service_gets_title_sentence_and_link(allowing: AppContext, receiver: Receiver, hook: Any) -> None:
    send(allowing, hook, TURN)
    [message] = receiver.received
    body = json.loads(message.body)
    assert message.path == "/hook"
    assert (body["title"], body["message"]) == (TURN.title, f"{TURN.body}\n{TURN.link}")


def test_a_name_cannot_call_everybody_in_a_chat_room(allowing: AppContext, receiver: Receiver, hook: Any) -> None:
    send(allowing, hook, TURN._replace(title="@everyone", body="<!channel> has paid you."))
    body = json.loads(receiver.received[0].body)
    assert "@" not in body["title"]
    assert "<" not in body["message"]


@pytest.mark.parametrize("status", [401, 500])
def test_a_service_that_refuses_is_tried_again_and_says_why(
    allowing: AppContext, receiver: Receiver, hook: Any, status: int
) -> None:
    receiver.status = status
    error = failure(allowing, hook)
    assert str(error).startswith("JSON refused the message: ")
    assert str(status) in str(error)
    assert error.temporary


def test_a_url_that_a_newer_apprise_no_longer_knows_is_given_up(allowing: AppContext, hook: Any) -> None:
    hook.address = "gone://example.org"
    assert not failure(allowing, hook).temporary
