"""Replies are handled as soon as they arrive in the mailbox, if the mail server can announce them (IDLE)."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import quote

import pytest

from service import worker
from service.context import AppContext
from service.games.store import StoredGame, load
from service.mail.inbound import imap
from service.mail.inbound.imap import MailboxError, fetch
from service.worker import fetch_replies
from tests.durability.processes import wait_for
from tests.mail.inbound import dovecot
from tests.mail.inbound.imap_server import PASSWORD, USER, Mailbox, serving
from tests.mail.inbound.post import address, message

SOON = 2.0


@pytest.fixture
def mailbox() -> Mailbox:
    opened = Mailbox()
    opened.has_idle = True
    return opened


@pytest.fixture
def reading(ctx: AppContext, mailbox: Mailbox) -> Iterator[AppContext]:
    """A context that reads the mailbox."""
    with serving(mailbox) as port:
        url = f"imap://{quote(USER)}:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/"
        yield ctx._replace(settings=replace(ctx.settings, imap_url=url))


@contextmanager
def fetching(ctx: AppContext) -> Iterator[None]:
    """The thread of the worker that fetches replies; it ends soon after it is told to stop."""
    stop = threading.Event()
    thread = threading.Thread(target=fetch_replies, args=(ctx, stop))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(SOON)
        assert not thread.is_alive()


def is_played(ctx: AppContext, game: StoredGame) -> Callable[[], bool]:
    return lambda: load(ctx.database, game.id).state.phase == "placement"


def test_a_reply_is_played_at_once(reading: AppContext, mailbox: Mailbox, game: StoredGame) -> None:
    with fetching(reading):
        wait_for(lambda: len(mailbox.idling) == 1, "it does not wait for messages")
        reply = mailbox.put(message(address(reading, game, 0), "left"))
        wait_for(is_played(reading, game), "the reply was not played", SOON)
        wait_for(lambda: mailbox.seen == {reply}, "the reply was not marked", SOON)


def test_a_message_that_was_not_announced_is_found_when_idle_is_renewed(
    reading: AppContext, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "IDLE_SECONDS", 0.1)
    monkeypatch.setattr(imap, "_STOP_SECONDS", 0.05)
    with fetching(reading):
        wait_for(lambda: len(mailbox.idling) == 1, "it does not wait for messages")
        spam = mailbox.put(b"To: replies@example.org\n\nBuy rugs!\n", announce=False)
        wait_for(lambda: mailbox.seen == {spam}, "the message was not found", SOON)
    assert mailbox.commands.count("LOGOUT") == 1


def test_a_lost_connection_is_reported_at_once(reading: AppContext, mailbox: Mailbox) -> None:
    def hang_up() -> None:
        wait_for(lambda: len(mailbox.idling) == 1, "it does not wait for messages")
        mailbox.idling[0].hang_up()

    threading.Thread(target=hang_up).start()
    began = time.monotonic()
    with pytest.raises(MailboxError):
        fetch(reading, threading.Event())
    assert time.monotonic() - began < SOON


def test_after_a_pause_it_connects_again(
    reading: AppContext, mailbox: Mailbox, game: StoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SECONDS_BETWEEN_FETCHES", 0.1)
    with fetching(reading):
        wait_for(lambda: len(mailbox.idling) == 1, "it does not wait for messages")
        mailbox.idling[0].hang_up()
        wait_for(lambda: mailbox.commands.count("IDLE") == 2, "it did not connect again")
        wait_for(lambda: len(mailbox.idling) == 1, "it does not wait for messages")
        mailbox.put(message(address(reading, game, 0), "left"))
        wait_for(is_played(reading, game), "the reply was not played", SOON)


def test_without_idle_it_looks_again_after_a_pause(
    reading: AppContext, mailbox: Mailbox, game: StoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.has_idle = False
    monkeypatch.setattr(worker, "SECONDS_BETWEEN_FETCHES", 0.1)
    with fetching(reading):
        wait_for(lambda: "LOGOUT" in mailbox.commands, "it did not look")
        mailbox.put(message(address(reading, game, 0), "left"))
        wait_for(is_played(reading, game), "the reply was not played", SOON)
    assert "IDLE" not in mailbox.commands


def test_dovecot_announces_replies_and_each_is_played_at_once(ctx: AppContext, game: StoredGame) -> None:
    with dovecot.run_dovecot() as port:
        reading = ctx._replace(settings=replace(ctx.settings, imap_url=f"imap://replies:x@127.0.0.1:{port}/"))
        dovecot.put(port, message(address(ctx, game, 0), "left"))
        with fetching(reading):
            wait_for(is_played(ctx, game), "the reply that was there before was not played")
            began = time.monotonic()
            dovecot.put(port, message(address(ctx, game, 0), "1"))
            wait_for(lambda: load(ctx.database, game.id).turn == 2, "the new reply was not played", SOON)
            wait_for(lambda: dovecot.count_unread(port) == 0, "a reply was not marked", SOON)
            assert time.monotonic() - began < 2 * SOON
