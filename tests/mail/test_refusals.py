"""What refusals mean: who gets no more letters, which letters wait, and who is told."""

from dataclasses import replace

import pytest

from service.auth.login import find_or_create_player
from service.auth.tokens import ReplyLink
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters, retry_parked
from service.db.models import Letter, Player
from service.games.statistics import find_health_problems
from service.mail.delivery import Delivery
from service.mail.letters import compose
from service.mail.refusals import HOLD_SECONDS, MOST_REJECTIONS, Cause, find_cause, record_bounce
from tests.mail.smtp_server import SmtpServer
from tests.mail.tables import ANN, BO, letters, started, table
from tests.support.clock import Clock

pytestmark = pytest.mark.databases("sqlite", "postgresql")

HOUR = 3600.0
FULL = "552 5.2.2 mailbox full"
SPAM = "554 5.7.1 looks like spam"
UNCLEAR = "550 5.0.0 rejected"
UNKNOWN = "550 5.1.1 no such user"


@pytest.fixture
def mailing(ctx: AppContext, server: SmtpServer) -> AppContext:
    for address in (ANN, BO):
        find_or_create_player(ctx, address)
    return ctx._replace(settings=replace(ctx.settings, smtp_url=server.url, hosts=("host@example.org",)))


def write_to_bo(ctx: AppContext, about: str) -> None:
    with ctx.database.atomic():
        enqueue_letters(ctx.database, [NewLetter("test", BO, about)], ctx.clock())


def statuses(ctx: AppContext, kind: str = "test") -> list[str]:
    return [letter.status for letter in letters(ctx, kind)]


def trouble(ctx: AppContext) -> str | None:
    return find_or_create_player(ctx, BO).mail_trouble


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (UNKNOWN, Cause.ADDRESS),
        ("550-5.1.1 The account does not exist", Cause.ADDRESS),
        ("5.1.2", Cause.ADDRESS),
        ("smtp; 550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found", Cause.ADDRESS),
        ("553 5.1.7 bad sender address", Cause.OTHER),
        ("550 5.1.8 sender's domain does not exist", Cause.OTHER),
        (FULL, Cause.HELD),
        ("552 quota exceeded", Cause.HELD),
        ("452 4.2.2 over quota", Cause.HELD),
        (SPAM, Cause.HELD),
        ("554 rejected", Cause.HELD),
        ("550 5.7.26 unauthenticated mail", Cause.HELD),
        ("451 4.7.1 greylisted", Cause.OTHER),
        ("552 5.3.4 message too large", Cause.OTHER),
        ("550 no such user", Cause.OTHER),
        ("550 5.2.1 mailbox disabled", Cause.OTHER),
        ("550 host 5.1.1.7 is not welcome", Cause.OTHER),
        ("554 5.0.0 rejected", Cause.HELD),
        ("", Cause.OTHER),
    ],
)
def test_why_a_letter_was_refused(words: str, cause: Cause) -> None:
    assert find_cause(words) is cause


@pytest.mark.parametrize("words", [FULL, SPAM, UNCLEAR, "550 no"])
def test_one_refusal_silences_nobody_whose_address_may_be_right(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, words: str
) -> None:
    write_to_bo(mailing, "test/1")
    server.refuse("RCPT", words)
    delivery.deliver()
    assert trouble(mailing) is None
    table(mailing)
    delivery.deliver()
    assert statuses(mailing, "invitation") == ["sent"]


def test_several_rejections_in_a_row_silence_and_an_accepted_letter_ends_the_row(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    for row in (MOST_REJECTIONS - 1, 0, MOST_REJECTIONS):
        assert trouble(mailing) is None
        for _ in range(row):
            write_to_bo(mailing, f"test/{len(letters(mailing))}")
            server.refuse("RCPT", UNCLEAR)
            delivery.deliver()
        if row < MOST_REJECTIONS:
            write_to_bo(mailing, f"test/{len(letters(mailing))}")
            delivery.deliver()
    assert trouble(mailing) == UNCLEAR
    assert statuses(mailing) == ["parked", "parked", "sent", "sent", *["parked"] * MOST_REJECTIONS]


@pytest.mark.parametrize("words", [FULL, SPAM, "452 4.2.2 over quota"])
def test_a_letter_waits_for_a_full_mailbox_or_a_spam_filter_and_is_parked_in_the_end(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, words: str
) -> None:
    write_to_bo(mailing, "test/1")
    for number, wait in enumerate(HOLD_SECONDS, 1):
        server.refuse_address(BO, words)
        delivery.deliver()
        (letter,) = letters(mailing, "test")
        assert (letter.status, letter.tries, letter.trouble) == ("waiting", number, words)
        assert letter.due == clock.now + wait
        clock.now += wait
    delivery.deliver()
    assert statuses(mailing) == ["parked"]
    assert trouble(mailing) is None
    assert "rejections" in find_health_problems(mailing)
    assert retry_parked(mailing.database, clock.now) == 1
    assert letters(mailing, "test")[0].rejections == 0


def test_the_hosts_of_the_server_are_told_once_a_day(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    assert "rejections" not in find_health_problems(mailing)
    server.refuse_address(BO, f"550 5.7.1 <{BO}> policy")
    for number in range(3):
        write_to_bo(mailing, f"test/{number}")
    delivery.deliver()
    (report,) = letters(mailing, "refusals")
    text = compose(mailing, report).text
    assert "3 e-mails were rejected as spam or by full mailboxes." in text
    assert "policy" in text
    assert BO not in text
    assert "http://127.0.0.1:8000/host\n" in text
    delivery.deliver()
    assert [letter.address for letter in server.letters] == ["host@example.org"]
    assert find_health_problems(mailing)["rejections"].startswith("Letters rejected as spam or by full mailboxes: 3.")
    clock.now += 24 * HOUR
    delivery.deliver()
    assert len(letters(mailing, "refusals")) == 2


def test_a_report_that_is_rejected_itself_causes_no_other(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    server.refuse_address(BO, SPAM)
    server.refuse_address("host@example.org", SPAM)
    write_to_bo(mailing, "test/1")
    while delivery.deliver():
        pass
    Letter.delete().where(Letter.kind == "test").execute(mailing.database)
    clock.now += 24 * HOUR
    while delivery.deliver():
        pass
    assert len(letters(mailing, "refusals")) == 1


def bounce(ctx: AppContext, game: str, words: str, key: str, turn: int = 0) -> None:
    record_bounce(ctx, ReplyLink(game, 1, turn, 0), BO, words, key)


def test_bounces_in_a_row_silence_although_a_relay_accepts_every_letter(
    mailing: AppContext, delivery: Delivery, clock: Clock
) -> None:
    game = started(mailing)
    for number in range(MOST_REJECTIONS):
        assert trouble(mailing) is None
        write_to_bo(mailing, f"test/{number}")
        delivery.deliver()
        clock.now += 24 * HOUR
        for _ in range(2):  # the same message twice
            bounce(mailing, game.id, UNCLEAR, f"key {number}")
    assert trouble(mailing) == UNCLEAR


def test_letters_that_did_not_come_back_end_the_row_of_bounces(
    mailing: AppContext, delivery: Delivery, clock: Clock
) -> None:
    game = started(mailing)
    for number in range(2 * MOST_REJECTIONS):
        clock.now += HOUR
        for copy in range(3):
            write_to_bo(mailing, f"test/{number}/{copy}")
        delivery.deliver()
        clock.now += 24 * HOUR
        bounce(mailing, game.id, UNCLEAR, f"key {number}")
    assert trouble(mailing) is None


def test_a_bounce_that_says_the_address_is_invalid_silences_at_once(mailing: AppContext) -> None:
    bounce(mailing, started(mailing).id, "smtp; 550 5.1.1 unknown", "key")
    assert trouble(mailing) == "smtp; 550 5.1.1 unknown"


def test_a_turn_letter_that_came_back_from_a_full_mailbox_is_sent_again(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    game = started(mailing, first=1)
    delivery.deliver()
    bounce(mailing, game.id, FULL, "key", turn=1)
    assert statuses(mailing, "turn") == ["waiting"]
    clock.now += HOLD_SECONDS[0]
    delivery.deliver()
    assert statuses(mailing, "turn") == ["sent"]
    ids = [letter.id for letter in server.letters if letter.address == BO]
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert len(letters(mailing, "refusals")) == 1


@pytest.mark.parametrize("words", [UNKNOWN, UNCLEAR])
def test_the_host_of_a_table_is_told_that_an_invitation_was_refused(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, words: str
) -> None:
    server.refuse_address(BO, words)
    game = table(mailing)
    delivery.deliver()
    delivery.deliver()
    (letter,) = server.letters
    assert letter.address == ANN
    body = letter.message.get_body(("plain",))
    text = " ".join(body.get_content().split()) if body else ""
    assert 'We couldn\'t deliver your invitation to Bo (seat 2 in "Market day").' in text
    assert f"/s/{mailing.tokens.seat(game.id, 0, 0)}" in text
    assert BO not in text


def test_the_host_of_a_table_is_told_once_that_an_invitation_came_back(mailing: AppContext) -> None:
    game = table(mailing)
    for number in range(2):
        bounce(mailing, game.id, UNKNOWN, f"key {number}")
    assert [letter.address for letter in letters(mailing, "undeliverable")] == [ANN]
    bounce(mailing, started(mailing).id, UNKNOWN, "another key")
    assert len(letters(mailing, "undeliverable")) == 1, "the game has started"


def test_a_new_invitation_to_an_address_that_does_not_work_is_reported_too(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    Player.update(mail_trouble=UNKNOWN).where(Player.email == BO).execute(mailing.database)
    table(mailing)
    delivery.deliver()
    assert statuses(mailing, "invitation") == ["dropped"]
    assert [letter.address for letter in letters(mailing, "undeliverable")] == [ANN]
