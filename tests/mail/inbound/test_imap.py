"""Replies out of a mailbox: each is dealt with before it is marked as read, and none is lost."""

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

import pytest
from peewee import OperationalError

from service.context import AppContext
from service.games.store import StoredGame, load
from service.mail.inbound import imap
from service.mail.inbound.answers import Outcome
from service.mail.inbound.handler import receive
from service.mail.inbound.imap import MailboxError, fetch
from service.mail.inbound.mime import LARGEST
from tests.mail.inbound.imap_server import PASSWORD, USER, Mailbox, serving
from tests.mail.inbound.post import address, message, noted


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def polling(ctx: AppContext, mailbox: Mailbox) -> Iterator[AppContext]:
    """An office that fetches its replies from the mailbox."""
    with serving(mailbox) as port:
        yield reading(ctx, port)


def poll(ctx: AppContext) -> int:
    """Handle what is in the mailbox of a server without IDLE."""
    return fetch(ctx, threading.Event())


def reading(ctx: AppContext, port: int, password: str = PASSWORD, folder: str = "") -> AppContext:
    url = f"imap://{quote(USER)}:{quote(password, safe='')}@127.0.0.1:{port}/{folder}"
    return ctx._replace(settings=replace(ctx.settings, imap_url=url))


def test_unread_replies_play_and_are_read_then(polling: AppContext, mailbox: Mailbox, game: StoredGame) -> None:
    first = mailbox.put(message(address(polling, game, 0), "left"))
    spam = mailbox.put(b"To: replies@example.org\n\nBuy rugs!\n")
    assert poll(polling) == 2
    assert mailbox.seen == {first, spam}
    assert load(polling.database, game.id).state.phase == "placement"
    second = mailbox.put(message(address(polling, game, 0), "1"))
    assert poll(polling) == 1
    assert mailbox.seen == {first, spam, second}
    assert load(polling.database, game.id).turn == 2
    assert poll(polling) == 0


def test_a_message_is_marked_only_when_it_is_on_the_disk(
    polling: AppContext, mailbox: Mailbox, game: StoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.put(message(address(polling, game, 0), "left"))

    def fails(*args: object) -> None:
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(imap, "receive", fails)
        with pytest.raises(OperationalError):
            poll(polling)
    assert mailbox.seen == set()
    assert poll(polling) == 1
    assert len(mailbox.seen) == 1
    assert noted(polling) == [("played", False)]


def test_a_message_that_trips_us_stays_unread_and_holds_up_nobody(
    polling: AppContext, mailbox: Mailbox, game: StoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap, after = mailbox.put(b"trap"), mailbox.put(message(address(polling, game, 0), "left"))

    def trips(ctx: AppContext, raw: bytes) -> Outcome:
        if raw == b"trap":
            raise KeyError(raw)
        return receive(ctx, raw)

    monkeypatch.setattr(imap, "receive", trips)
    assert poll(polling) == 2
    assert mailbox.seen == {after}
    assert load(polling.database, game.id).head > game.head
    monkeypatch.undo()
    assert poll(polling) == 1
    assert mailbox.seen == {trap, after}


def test_a_message_that_was_dealt_with_and_not_marked_plays_once(
    polling: AppContext, mailbox: Mailbox, game: StoredGame
) -> None:
    uid = mailbox.put(message(address(polling, game, 0), "left"))
    poll(polling)
    head = load(polling.database, game.id).head
    mailbox.seen.discard(uid)
    assert poll(polling) == 1
    assert load(polling.database, game.id).head == head


def test_what_is_too_large_is_not_fetched_and_is_out_of_the_way(
    polling: AppContext, mailbox: Mailbox, game: StoredGame
) -> None:
    large = mailbox.put(message(address(polling, game, 0), "left") + b"x" * LARGEST)
    poll(polling)
    assert mailbox.seen == {large}
    assert load(polling.database, game.id).head == game.head
    assert not [command for command in mailbox.commands if "BODY" in command]


def test_nothing_is_ever_deleted(polling: AppContext, mailbox: Mailbox, game: StoredGame) -> None:
    mailbox.put(message(address(polling, game, 0), "left"))
    poll(polling)
    assert len(mailbox.messages) == 1
    assert not [command for command in mailbox.commands if "EXPUNGE" in command.upper() or "Deleted" in command]


def test_between_two_messages_it_stops_when_told(
    polling: AppContext, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = mailbox.put(b"\n"), mailbox.put(b"\n")
    stop = threading.Event()

    def stopping(ctx: AppContext, raw: bytes) -> Outcome:
        stop.set()
        return receive(ctx, raw)

    monkeypatch.setattr(imap, "receive", stopping)
    assert fetch(polling, stop) == 1
    assert mailbox.seen == {first}


def test_another_folder_can_be_read(ctx: AppContext, mailbox: Mailbox, game: StoredGame) -> None:
    mailbox.put(message(address(ctx, game, 0), "left"))
    with serving(mailbox) as port:
        assert poll(reading(ctx, port, folder="Replies%2FMarrakech")) == 1
        with pytest.raises(MailboxError):
            poll(reading(ctx, port, folder="Elsewhere"))


def test_a_wrong_password_is_said_without_saying_it(
    ctx: AppContext, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(mailbox) as port, caplog.at_level(logging.DEBUG), pytest.raises(MailboxError) as caught:
        poll(reading(ctx, port, password="open-sesame"))  # noqa: S106 - it opens nothing
    assert str(caught.value) == "Couldn't read the mailbox at 127.0.0.1 (MailboxLoginError)."
    assert "open-sesame" not in str(caught.value) + caplog.text


def test_a_server_that_is_away_is_said_in_one_sentence(ctx: AppContext) -> None:
    with pytest.raises(MailboxError, match=r"Couldn't read the mailbox at .* \(ConnectionRefusedError\)"):
        poll(reading(ctx, 1))


# imap-tools leaves the connection to the garbage collector where STARTTLS is refused.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_server_without_encryption_gets_no_password(ctx: AppContext, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        for scheme in ("imaps", "imap+starttls"):
            url = f"{scheme}://{quote(USER)}:x@127.0.0.1:{port}/"
            with pytest.raises(MailboxError):
                poll(ctx._replace(settings=replace(ctx.settings, imap_url=url)))
    assert not [command for command in mailbox.commands if "SELECT" in command.upper()]
