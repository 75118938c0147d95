"""A reply that ignored `Reply-To` and went to the sender is recognised by the letter that it replies to."""

import smtplib
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from service import paths
from service.context import AppContext
from service.db.models import Letter
from service.games.chat import DIGEST_SECONDS, latest_messages, post_message
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.delivery import Delivery
from service.mail.inbound.answers import TURN_IS_OVER, Outcome, Result
from service.mail.inbound.handler import receive
from service.mail.message import message_id
from tests.mail.inbound.post import DOMAIN, address, message
from tests.mail.inbound.test_server_commands import listening
from tests.mail.tables import letters, one_step
from tests.support.clock import Clock
from tests.support.tables import database_contents

SENDER = "marrakech@localhost"
PLAYED = Outcome(Result.PLAYED)


def deliver(ctx: AppContext, kind: str = "turn") -> EmailMessage:
    """The newest letter of a kind as its reader gets it."""
    while Delivery(ctx).deliver():
        pass
    newest = letters(ctx, kind)[-1]
    (file,) = paths.mailbox(ctx.settings.data_dir).glob(f"*-{newest.id:010}.eml")
    return message_from_bytes(file.read_bytes(), policy=SMTP)


def reply(letter: EmailMessage, words: str, headers: str = "", to: str = SENDER) -> bytes:
    return message(to, words, headers or f"In-Reply-To: {letter['Message-ID']}\n")


def unknown(ctx: AppContext, raw: bytes, envelope_to: str | None = None) -> None:
    before = database_contents(ctx)
    assert receive(ctx, raw, envelope_to) == Outcome(Result.UNKNOWN)
    assert database_contents(ctx) == before


@pytest.mark.databases("sqlite", "postgresql")
def test_a_reply_to_the_sender_plays_the_turn_of_its_letter(ctx: AppContext, game: StoredGame) -> None:
    raw = reply(deliver(ctx), "left")
    assert receive(ctx, raw) == PLAYED
    after = load(ctx.database, game.id)
    assert (after.turn, after.state.phase) == (1, "placement")
    assert receive(ctx, raw, SENDER) == Outcome(Result.REPEATED)
    assert receive(ctx, reply(deliver(ctx, "roll"), "1"), f"<{SENDER.upper()}>") == PLAYED
    assert load(ctx.database, game.id).turn == 2


def test_the_references_are_read_from_the_last_one_back(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    references = f"References: {letter['References']}\n {letter['Message-ID']}\n"
    assert receive(ctx, reply(letter, "left", references)) == PLAYED
    newest = deliver(ctx, "roll")
    both = f"In-Reply-To: <unknown@example.com>\nReferences: {letter['Message-ID']} {newest['Message-ID']}\n"
    assert receive(ctx, reply(newest, "1", both)) == PLAYED


def test_the_same_message_by_both_ways_plays_once_and_rolls_the_same(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    by_id = reply(letter, "left")
    assert receive(ctx, by_id) == PLAYED
    by_token = by_id.replace(SENDER.encode(), address(ctx, game, 0).encode())
    assert receive(ctx, by_token) == Outcome(Result.REPEATED)


def test_a_reply_to_talk_is_posted(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    post_message(ctx, game.id, 1, "Nice rug!")
    clock.now += DIGEST_SECONDS
    assert receive(ctx, reply(deliver(ctx, "talk"), "Right.")) == Outcome(Result.POSTED)
    assert latest_messages(ctx, game.id, 1)[0].text == "Right."


def test_the_id_is_good_for_its_turn_only(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    while load(ctx.database, game.id).turn == 1:
        one_step(ctx, load(ctx.database, game.id))
    assert receive(ctx, reply(letter, "left")) == Outcome(Result.REFUSED, True, TURN_IS_OVER)


def test_the_id_is_worth_nothing_once_the_links_were_replaced(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    replace_links(ctx, game.id, 0, game.host)
    unknown(ctx, reply(letter, "left"))


def test_who_guesses_an_id_plays_nothing(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    local, _, domain = str(letter["Message-ID"]).partition("@")
    for guess in (f"{local[:-1]}x@{domain}", "<x@y>", letter["In-Reply-To"], "nonsense"):
        unknown(ctx, reply(letter, "left", f"In-Reply-To: {guess}\nReferences: {guess}\n"))
    never_sent = message_id(ctx.settings, f"{game.id}/0/2/turn")
    unknown(ctx, reply(letter, "left", f"In-Reply-To: {never_sent}\n"))
    unknown(ctx, reply(letter, "left"), "ann@example.org")
    unknown(ctx, reply(letter, "left", to=f"play+{'a' * 48}@{DOMAIN}"))
    assert receive(ctx, reply(letter, "left", f"In-Reply-To: {letter['Message-ID']}\nPrecedence: bulk\n")) == Outcome(
        Result.DROPPED
    )


def test_no_id_is_stored_in_clear(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    rows = str(list(Letter.select().tuples().execute(ctx.database)))
    assert str(letter["Message-ID"])[1:33] not in rows


def test_where_replies_are_off_nothing_is_recorded(ctx: AppContext, game: StoredGame) -> None:
    silent = ctx._replace(settings=replace(ctx.settings, inbound_domain=""))
    deliver(silent)
    assert not Letter.select().where(Letter.message_hash.is_null(False)).exists(ctx.database)


def test_the_listener_takes_mail_for_the_sender(ctx: AppContext, game: StoredGame) -> None:
    letter = deliver(ctx)
    with listening(ctx) as (port, _), smtplib.SMTP("127.0.0.1", port, local_hostname="mail.example.org") as server:
        assert server.sendmail("bo@example.com", [SENDER], reply(letter, "left")) == {}
        assert server.sendmail("bo@example.com", [SENDER], message(SENDER, "Buy my rugs!")) == {}
    assert load(ctx.database, game.id).head > game.head
