"""Notifications go through the same outbox as letters: held, dropped, retried, parked and reported alike."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.letter_texts import CHANNEL_GONE, CHANNEL_REMOVED, TURN_PLAYED
from service.db.letters import retry_letter
from service.db.models import Channel, Letter, Player, Seat
from service.games.channels import add_browser, add_service, list_channels, remove_channel, send_test_message
from service.games.presence import HELD_SECONDS
from service.games.store import load
from service.mail.delivery import MOST_TRIES, Delivery
from service.mail.outbox import FIRST_WAIT
from tests.mail.smtp_server import SmtpServer
from tests.mail.tables import ANN, BO, letters, one_step, played, started, table
from tests.support.clock import Clock
from tests.support.receiver import BrowserSubscription, Receiver, open_receiver

pytestmark = pytest.mark.databases("sqlite", "postgresql")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with open_receiver() as opened:
        yield opened


@pytest.fixture
def mailing(ctx: AppContext, server: SmtpServer) -> AppContext:
    return ctx._replace(settings=replace(ctx.settings, smtp_url=server.url, notify_hosts=("127.0.0.1",)))


@pytest.fixture
def channel(mailing: AppContext, ann: Player, receiver: Receiver) -> Any:
    return add_service(mailing, ann, receiver.json_url)


@pytest.fixture
def deliver(delivery: Delivery) -> Callable[[], None]:
    def deliver_all() -> None:
        while delivery.deliver():
            pass

    return deliver_all


def notified(ctx: AppContext, kind: str | None = None) -> list[Any]:
    """The outbox's rows for channels."""
    return [letter for letter in letters(ctx, kind) if letter.channel]


def messages(receiver: Receiver) -> list[str]:
    return [json.loads(each.body)["message"] for each in receiver.received]


def state(ctx: AppContext, channel: Any) -> tuple[str, int, str | None, str | None]:
    """Of the only notification: its status, tries and trouble, and the trouble of its channel."""
    [letter] = notified(ctx)
    found = Channel.select().where(Channel.id == channel.id).first(ctx.database)
    return letter.status, letter.tries, letter.trouble, found.trouble if found else "gone"


def test_a_turn_goes_to_mail_and_to_the_channel(
    mailing: AppContext, server: SmtpServer, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    game = started(mailing, first=0)
    deliver()
    assert [letter.address for letter in server.letters] == [ANN]
    [body] = receiver.received
    sent = json.loads(body.body)
    assert sent["title"] == "Market day"
    assert sent["message"].startswith("It's your turn.")
    assert sent["message"].endswith(f"\nhttp://127.0.0.1:8000/g/{game.id}"), "the link must not be a secret"
    assert [(letter.channel, letter.status) for letter in letters(mailing, "turn")] == [
        (None, "sent"),
        (channel.id, "sent"),
    ]


def test_a_whole_game_sends_one_message_for_each_turn_and_one_for_the_end(
    mailing: AppContext, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    game = started(mailing, first=0)
    turns = set()
    while game.status == "playing":
        if 0 in game.rules.to_act(game.state):
            turns.add(game.turn)
        deliver()
        game = one_step(mailing, game)
    deliver()
    told = messages(receiver)
    assert len(told) == len(turns) + 1
    assert told[-1].startswith("The game is over.")


def test_an_invitation_reaches_the_channel(
    mailing: AppContext, receiver: Receiver, deliver: Callable[[], None]
) -> None:
    add_service(mailing, find_or_create_player(mailing, BO), receiver.json_url)
    table(mailing)
    deliver()
    assert messages(receiver)[0].startswith("Ann invites you to a game")


def test_every_channel_gets_its_message_in_the_language_of_the_player(
    mailing: AppContext, ann: Player, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    browser = BrowserSubscription(f"{receiver.address}/push")
    add_browser(mailing, ann, browser.json)
    Player.update(language="fr").where(Player.id == ann.id).execute(mailing.database)
    started(mailing, first=0)
    deliver()
    by_path = {each.path: each for each in receiver.received}
    assert json.loads(by_path["/hook"].body)["message"].startswith("C\u2019est votre tour")
    assert browser.read(by_path["/push"])["body"].startswith("C\u2019est votre tour")


def test_nothing_is_sent_twice(
    mailing: AppContext, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    started(mailing, first=0)
    deliver()
    deliver()
    assert len(receiver.received) == 1


def test_while_the_game_is_open_the_message_waits_and_is_dropped_once_the_turn_is_played(
    mailing: AppContext, receiver: Receiver, channel: Any, deliver: Callable[[], None], clock: Clock
) -> None:
    game = started(mailing, first=0)
    Seat.update(seen=clock.now).where((Seat.game == game.id) & (Seat.seat == 0)).execute(mailing.database)
    deliver()
    clock.now += 60
    played(mailing, load(mailing.database, game.id), turns=game.turn)
    clock.now += HELD_SECONDS
    deliver()
    assert receiver.received == []
    assert [(letter.status, letter.trouble) for letter in notified(mailing)] == [("dropped", TURN_PLAYED)]


def test_turning_mail_off_leaves_the_channel_on(
    mailing: AppContext, ann: Player, server: SmtpServer, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    changes = {"mail": json.dumps({"turns": False}), "mail_trouble": "550 no such user"}
    Player.update(**changes).where(Player.id == ann.id).execute(mailing.database)
    started(mailing, first=0)
    deliver()
    assert ANN not in [letter.address for letter in server.letters]
    assert len(receiver.received) == 1


def test_a_message_for_a_removed_channel_is_dropped(
    mailing: AppContext, ann: Player, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    started(mailing, first=0)
    remove_channel(mailing, ann.id, channel.id)
    deliver()
    assert receiver.received == []
    assert state(mailing, channel) == ("dropped", 0, CHANNEL_REMOVED, "gone")


def test_a_browser_that_has_unsubscribed_is_removed(
    mailing: AppContext, ann: Player, receiver: Receiver, deliver: Callable[[], None]
) -> None:
    browser = add_browser(mailing, ann, BrowserSubscription(f"{receiver.address}/push").json)
    receiver.status = 410
    started(mailing, first=0)
    deliver()
    assert state(mailing, browser) == ("dropped", 0, CHANNEL_GONE, "gone")


def test_a_failure_is_retried_shown_to_the_player_and_forgotten_after_a_success(
    mailing: AppContext, receiver: Receiver, channel: Any, deliver: Callable[[], None], clock: Clock
) -> None:
    receiver.status = 503
    started(mailing, first=0)
    deliver()
    status, tries, trouble, shown = state(mailing, channel)
    assert (status, tries, trouble) == ("waiting", 1, shown)
    assert "503" in str(shown)
    receiver.status = 200
    clock.now += FIRST_WAIT
    deliver()
    assert state(mailing, channel) == ("sent", 2, None, None)


def test_a_channel_that_never_works_is_given_up_and_the_host_can_retry(
    mailing: AppContext, receiver: Receiver, channel: Any, deliver: Callable[[], None], clock: Clock
) -> None:
    receiver.status = 401
    Player.update(mail_trouble="550 no such user").where(Player.email == ANN).execute(mailing.database)
    game = started(mailing, first=0, name="Slow table")
    Letter.delete().where(Letter.channel.is_null()).execute(mailing.database)
    for _ in range(MOST_TRIES + 2):
        deliver()
        clock.now += 24 * 3600
    assert state(mailing, channel)[:2] == ("parked", MOST_TRIES)
    assert len(receiver.received) == MOST_TRIES
    receiver.status = 200
    assert load(mailing.database, game.id).turn == game.turn
    assert retry_letter(mailing.database, notified(mailing)[0].id, clock.now)
    deliver()
    assert state(mailing, channel)[0] == "sent"
    assert Player.select(Player.mail_trouble).where(Player.email == ANN).scalar(mailing.database), (
        "a message to a channel says nothing about mail"
    )


def test_a_mail_server_that_is_down_delays_no_notification(
    mailing: AppContext, receiver: Receiver, channel: Any, clock: Clock
) -> None:
    without = mailing._replace(settings=replace(mailing.settings, smtp_url="smtp://127.0.0.1:1"))
    started(without, first=0)
    with closing(Delivery(without)) as delivery:
        for _ in range(3):
            delivery.deliver()
    assert len(receiver.received) == 1
    assert [letter.status for letter in letters(without, "turn") if not letter.channel] == ["waiting"]


def test_a_service_that_is_down_delays_no_mail(
    mailing: AppContext, server: SmtpServer, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    receiver.status = 500
    started(mailing, first=0)
    deliver()
    assert [letter.address for letter in server.letters] == [ANN]


def test_a_test_message_goes_to_its_channel_only(
    mailing: AppContext, ann: Player, server: SmtpServer, receiver: Receiver, channel: Any, deliver: Callable[[], None]
) -> None:
    add_browser(mailing, ann, BrowserSubscription(f"{receiver.address}/push").json)
    send_test_message(mailing, ann, channel.id)
    deliver()
    assert [each.path for each in receiver.received] == ["/hook"]
    assert "This is the test you asked for." in messages(receiver)[0]
    assert server.letters == []


def test_a_worker_without_a_mail_server_sends_notifications(
    ctx: AppContext, mailing: AppContext, receiver: Receiver, channel: Any
) -> None:
    offline = mailing._replace(settings=replace(mailing.settings, smtp_url=""))
    started(offline, first=0)
    with closing(Delivery(offline)) as delivery:
        while delivery.deliver():
            pass
    assert len(receiver.received) == 1
    assert len(list_channels(ctx, find_or_create_player(ctx, ANN).id)) == 1
