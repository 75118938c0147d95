"""What becomes of the letters in the outbox: sent, put off, parked or dropped, each for its own reason."""

import json
import smtplib
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from peewee import OperationalError

from service.auth.login import CODE_SECONDS, create_login_code, find_or_create_player
from service.context import AppContext
from service.db.letters import LONGEST_WAIT_FOR_SERVER, NewLetter, enqueue_letters
from service.db.models import Letter, Player
from service.games.empty_seats import start_now
from service.games.lobby import SeatRequest, decline
from service.games.players import resend_links
from service.mail import delivery as delivering
from service.mail import outbox, smtp
from service.mail.delivery import Delivery, reason_to_drop
from service.mail.letters import compose
from service.mail.outbox import BATCH, CLAIM_SECONDS, FIRST_WAIT, Addressee
from tests.durability.processes import wait_for
from tests.mail.smtp_server import DROP, HANG, SmtpServer
from tests.mail.tables import ANN, BO, letters, one_step, played, started, table
from tests.support.clock import Clock
from tests.support.tables import join

pytestmark = pytest.mark.databases("sqlite", "postgresql")

CY = "cy@example.org"


def fill(ctx: AppContext, *addresses: str) -> None:
    """A test letter to each of these; all are players."""
    for address in set(addresses):
        find_or_create_player(ctx, address)
    with ctx.database.atomic():
        due = [NewLetter("test", address, f"test/{number}") for number, address in enumerate(addresses)]
        enqueue_letters(ctx.database, due, ctx.clock())


def became(ctx: AppContext, *fields: str) -> list[Any]:
    """What the outbox says of each letter."""
    names = fields or ("status",)
    rows = [tuple(getattr(letter, name) for name in names) for letter in letters(ctx)]
    return [row[0] for row in rows] if len(names) == 1 else rows


def before_the_second(monkeypatch: pytest.MonkeyPatch, server: SmtpServer, happens: Callable[[], None]) -> None:
    """Something happens while the second letter is written and the mail server has the first."""
    written: list[Any] = []

    def composing(ctx: AppContext, letter: Any) -> Any:
        written.append(letter)
        if len(written) == 2:
            wait_for(lambda: len(server.letters) == 1, "The first letter did not arrive.")
            happens()
        return compose(ctx, letter)

    monkeypatch.setattr(delivering, "compose", composing)


def while_handing_over(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Something happens when the mail server waits for the first letter."""
    happenings = [happens]

    def handing_over(line: smtplib.SMTP, letter: bytes) -> Any:
        if happenings:
            happenings.pop()()
        return data(line, letter)

    data = smtplib.SMTP.data
    monkeypatch.setattr(smtplib.SMTP, "data", handing_over)


def deliver_while_locked(delivery: Delivery, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is locked just when this function of the outbox would write to it."""

    def locked(*_: Any) -> bool:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(outbox, function, locked)
        with pytest.raises(OperationalError):
            delivery.deliver()


def readers(server: SmtpServer) -> list[str]:
    return [letter.address for letter in server.letters]


def trouble_of(ctx: AppContext, address: str) -> str | None:
    found: str | None = Player.select(Player.mail_trouble).where(Player.email == address).scalar(ctx.database)
    return found


def test_what_is_due_goes_out_once_over_one_line(mailing: AppContext, delivery: Delivery, server: SmtpServer) -> None:
    fill(mailing, *[ANN, BO] * BATCH)
    assert delivery.deliver()
    assert delivery.deliver()
    assert not delivery.deliver()
    assert readers(server) == [ANN, BO] * BATCH
    assert len(set(server.ids)) == 2 * BATCH
    assert server.lines == 1
    assert set(became(mailing, "status", "tries", "sent", "claim", "trouble")) == {
        ("sent", 1, mailing.clock(), None, None)
    }


def test_the_sender_and_the_text_are_those_of_the_house(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    game = started(mailing)
    delivery.deliver()
    (letter,) = server.letters
    assert letter.sender == "marrakech@localhost"
    body = letter.message.get_body(("plain",))
    text = body.get_content() if body else ""
    assert "It's your turn in" in text
    assert f"/t/{mailing.tokens.turn(game.id, game.state.mover, 1, 0)}" in text


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA", "END"])
def test_a_refusal_for_now_puts_off_one_letter_and_it_goes_later(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, stage: str
) -> None:
    fill(mailing, ANN, BO)
    server.refuse(stage, "451 4.7.1 greylisted", "451 4.7.1 greylisted")
    delivery.deliver()
    assert readers(server) == []
    assert became(mailing, "status", "tries", "trouble") == [("waiting", 1, "451 4.7.1 greylisted")] * 2
    assert became(mailing, "due") == [clock.now + FIRST_WAIT] * 2
    delivery.deliver()
    assert readers(server) == []
    clock.now += FIRST_WAIT
    delivery.deliver()
    assert readers(server) == [ANN, BO]
    assert became(mailing, "status", "tries", "trouble") == [("sent", 2, None)] * 2
    assert trouble_of(mailing, ANN) is None


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA", "END"])
def test_a_refusal_for_good_parks_one_letter_and_the_others_go(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, stage: str
) -> None:
    fill(mailing, ANN, BO, CY)
    server.refuse(stage, "550 5.1.1 no such user")
    delivery.deliver()
    assert readers(server) == [BO, CY]
    assert became(mailing, "status", "tries", "trouble") == [
        ("parked", 1, "550 5.1.1 no such user"),
        ("sent", 1, None),
        ("sent", 1, None),
    ]
    # What the server has against the sender is not the player's trouble.
    assert trouble_of(mailing, ANN) == (None if stage == "MAIL" else "550 5.1.1 no such user")
    clock.now += 10 * CLAIM_SECONDS
    assert not delivery.deliver()


def test_one_bad_address_in_many_stops_nobody(mailing: AppContext, delivery: Delivery, server: SmtpServer) -> None:
    fill(mailing, *[ANN, BO, CY] * 3)
    server.refuse_address(BO, "553 5.1.3 bad address")
    while delivery.deliver():
        pass
    assert readers(server) == [ANN, CY] * 3
    assert became(mailing) == ["sent", "parked", "sent"] * 3


def test_while_the_server_is_away_all_wait_and_soon_after_all_go(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    fill(mailing, *[ANN] * (BATCH + 2))
    server.close()
    assert not delivery.deliver()
    assert became(mailing, "status", "tries") == [("waiting", 1)] * BATCH + [("waiting", 0)] * 2
    assert "Connection refused" in became(mailing, "trouble")[0]
    assert trouble_of(mailing, ANN) is None
    for _ in range(12):
        clock.now += LONGEST_WAIT_FOR_SERVER
        delivery.deliver()
    assert set(became(mailing)) == {"waiting"}
    assert max(became(mailing, "due")) <= clock.now + LONGEST_WAIT_FOR_SERVER
    clock.now += LONGEST_WAIT_FOR_SERVER
    with SmtpServer(port=server.port) as back:
        while delivery.deliver():
            pass
        assert len(set(back.ids)) == len(back.ids) == BATCH + 2
        delivery.close()
    assert set(became(mailing)) == {"sent"}


@pytest.mark.parametrize("answer", [DROP, HANG])
def test_a_line_that_breaks_in_the_middle_of_a_letter_holds_up_this_letter_only(
    mailing: AppContext,
    delivery: Delivery,
    server: SmtpServer,
    clock: Clock,
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(smtp, "TIMEOUT", 0.3)
    fill(mailing, ANN, BO, CY)
    server.refuse("DATA", answer)
    delivery.deliver()
    assert readers(server) == [BO, CY]
    assert became(mailing) == ["waiting", "sent", "sent"]
    clock.now += FIRST_WAIT
    delivery.deliver()
    assert readers(server) == [BO, CY, ANN]
    assert trouble_of(mailing, ANN) is None


def test_a_letter_that_cannot_be_written_is_parked_and_the_others_go(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    enqueue_letters(mailing.database, [NewLetter("nonsense", ANN, "nonsense/1")], mailing.clock())
    fill(mailing, BO)
    delivery.deliver()
    assert readers(server) == [BO]
    assert became(mailing, "status", "trouble") == [
        ("parked", "This server couldn't write the e-mail (KeyError). Its log has the details."),
        ("sent", None),
    ]
    assert trouble_of(mailing, ANN) is None


def test_the_letter_of_a_turn_that_is_over_is_dropped(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    game = started(mailing)
    Letter.update(status="sent").where(Letter.kind == "invitation").execute(mailing.database)
    while game.turn == 1:
        game = one_step(mailing, game)
    delivery.deliver()
    assert became(mailing, "kind", "turn", "status") == [
        ("invitation", None, "sent"),
        ("turn", 1, "dropped"),
        ("turn", 2, "sent"),
    ]
    assert len(server.letters) == 1


def test_a_letter_whose_turn_ends_while_it_waits_for_a_slow_server_is_dropped(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(mailing, ANN)
    game = started(mailing)
    Letter.delete().where(Letter.kind == "invitation").execute(mailing.database)

    def slowly() -> None:
        played(mailing, game, turns=1)

    while_handing_over(monkeypatch, slowly)
    delivery.deliver()
    assert became(mailing, "kind", "turn", "status")[:2] == [("test", None, "sent"), ("turn", 1, "dropped")]
    assert len(server.letters) == 1


def test_an_invitation_to_a_game_that_has_started_is_dropped_and_one_to_a_waiting_table_goes(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    table(mailing, SeatRequest(email=CY, name="Cy"))
    started(mailing)
    delivery.deliver()
    assert became(mailing, "kind", "address", "status")[:2] == [
        ("invitation", CY, "sent"),
        ("invitation", BO, "dropped"),
    ]


def test_invitations_to_seats_that_the_host_gave_up_are_dropped(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    game = table(mailing, SeatRequest(bot="medium"), SeatRequest(email=BO, name="Bo"), SeatRequest(email=CY, name="Cy"))
    start_now(mailing, game.id, find_or_create_player(mailing, ANN).id)
    delivery.deliver()
    statuses = became(mailing, "kind", "address", "status")
    assert statuses[:2] == [("invitation", BO, "dropped"), ("invitation", CY, "dropped")]
    assert readers(server) == [ANN]


def test_a_letter_for_a_seat_that_is_somebody_elses_by_now_is_dropped(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    game = table(mailing, SeatRequest(email=BO, name="Bo"), SeatRequest())
    decline(mailing, game.id, 1, find_or_create_player(mailing, BO).id)
    join(mailing, game.id, find_or_create_player(mailing, CY))
    delivery.deliver()
    assert became(mailing, "kind", "status", "trouble")[0] == (
        "invitation",
        "dropped",
        "It's out of date: its turn is over, or its seat has another player now.",
    )
    assert readers(server) == [ANN]


def test_a_sign_in_code_that_has_expired_is_not_sent_any_more(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    create_login_code(mailing, ANN)
    clock.now += CODE_SECONDS - 1
    create_login_code(mailing, BO)
    delivery.deliver()
    create_login_code(mailing, CY)
    clock.now += CODE_SECONDS
    delivery.deliver()
    assert readers(server) == [ANN, BO]
    assert became(mailing) == ["sent", "sent", "dropped"]


def test_who_wants_no_letters_about_turns_gets_none(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    for address in (ANN, BO):
        find_or_create_player(mailing, address)
    Player.update(mail=json.dumps({"turns": False})).execute(mailing.database)
    started(mailing)
    resend_links(mailing, ANN)
    delivery.deliver()
    assert became(mailing, "kind", "status")[1:] == [("turn", "dropped"), ("links", "sent")]


ADDRESSEE = Addressee(1, {}, None, "playing", 5, to_act=True, link_version=0)


@pytest.mark.parametrize(
    ("kind", "addressee", "sent"),
    [
        ("turn", ADDRESSEE, True),
        ("turn", ADDRESSEE._replace(preferences={"turns": False, "talk": True}), False),
        ("turn", ADDRESSEE._replace(preferences={"reminders": False, "talk": False}), True),
        ("turn", ADDRESSEE._replace(game_turn=6), False),
        ("turn", ADDRESSEE._replace(to_act=False), False),
        ("turn", ADDRESSEE._replace(game_status="finished"), False),
        ("turn", ADDRESSEE._replace(mail_trouble="550"), False),
        ("reminder", ADDRESSEE, True),
        ("reminder", ADDRESSEE._replace(preferences={"reminders": False}), False),
        ("reminder", ADDRESSEE._replace(game_turn=6), False),
        ("talk", ADDRESSEE._replace(game_turn=6), True),
        ("talk", ADDRESSEE._replace(preferences={"talk": False}), False),
        ("over", ADDRESSEE._replace(preferences={"turns": False, "reminders": False, "talk": False}), True),
        ("over", ADDRESSEE._replace(game_status="finished", game_turn=99, to_act=False), True),
        ("over", ADDRESSEE._replace(mail_trouble="550"), False),
        ("invitation", ADDRESSEE._replace(game_status="cancelled"), False),
        ("sign-in", ADDRESSEE._replace(mail_trouble="550"), True),
        ("links", ADDRESSEE._replace(mail_trouble="550"), True),
        ("test", ADDRESSEE._replace(mail_trouble="550"), True),
    ],
)
def test_which_letters_are_worth_sending(kind: str, addressee: Addressee, sent: bool) -> None:
    letter = Letter(kind=kind, turn=5, created=1000.0)
    assert (reason_to_drop(letter, addressee, 1001.0) is None) is sent


def test_to_a_refused_address_only_what_was_asked_for_is_tried_and_its_success_ends_the_trouble(
    mailing: AppContext, delivery: Delivery, server: SmtpServer
) -> None:
    find_or_create_player(mailing, BO)
    Player.update(mail_trouble="550 mailbox full").where(Player.email == BO).execute(mailing.database)
    table(mailing)
    delivery.deliver()
    assert became(mailing, "kind", "status", "trouble") == [
        ("invitation", "dropped", "An earlier e-mail to this address was refused: 550 mailbox full"),
        ("undeliverable", "waiting", None),
    ]
    create_login_code(mailing, BO)
    delivery.deliver()
    assert readers(server) == [ANN, BO]
    assert trouble_of(mailing, BO) is None


def test_a_worker_that_is_told_to_stop_gives_back_what_it_has_not_sent(
    mailing: AppContext, server: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(mailing, *[ANN] * 5)
    stop = threading.Event()
    before_the_second(monkeypatch, server, stop.set)
    delivery = Delivery(mailing, stop)
    delivery.deliver()
    delivery.close()
    assert became(mailing) == ["sent", *["waiting"] * 4]
    assert set(became(mailing, "claim", "claimed_until")) == {(None, None)}


def test_a_letter_that_another_worker_took_over_meanwhile_is_sent_once(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is suspended while it writes the second letter; when it continues, the mail server hears of it."""
    fill(mailing, *[ANN] * 4)

    def another_worker() -> None:
        clock.now += CLAIM_SECONDS
        other = Delivery(mailing)
        assert other.deliver()
        other.close()

    before_the_second(monkeypatch, server, another_worker)
    delivery.deliver()
    assert (len(server.letters), len(set(server.ids))) == (4, 4)
    assert set(became(mailing)) == {"sent"}


def test_a_mail_server_may_be_slower_than_a_claim_is_long(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The claim is renewed when the mail server waits for the letter, so nobody else takes it now."""
    fill(mailing, ANN)
    seen: list[Any] = []

    def hand_over_slowly() -> None:
        clock.now += 3 * smtp.TIMEOUT
        seen.append(outbox.claim(mailing.database, clock.now))

    def take_long(*given: Any) -> Any:
        clock.now += 2 * CLAIM_SECONDS
        return compose(*given)

    monkeypatch.setattr(delivering, "compose", take_long)
    while_handing_over(monkeypatch, hand_over_slowly)
    delivery.deliver()
    assert seen == [None]
    assert became(mailing) == ["sent"]


def test_a_database_that_fails_before_the_letter_is_handed_over_does_not_confuse_the_mail_server(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(mailing, ANN, BO)
    deliver_while_locked(delivery, "renew", monkeypatch)
    assert readers(server) == []
    clock.now += CLAIM_SECONDS
    delivery.deliver()
    assert sorted(readers(server)) == [ANN, BO]
    assert became(mailing) == ["sent", "sent"]


def test_a_mark_that_fails_is_made_up_for_and_the_letter_goes_only_once(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(mailing, ANN, BO)
    deliver_while_locked(delivery, "mark_sent", monkeypatch)
    assert became(mailing) == ["waiting", "waiting"]
    delivery.deliver()
    assert became(mailing) == ["sent", "sent"]
    clock.now += CLAIM_SECONDS
    delivery.deliver()
    assert readers(server) == [ANN, BO]


def test_without_a_mail_server_letters_are_kept_and_never_sent_late(ctx: AppContext, server: SmtpServer) -> None:
    table(ctx)
    create_login_code(ctx, ANN)
    assert Delivery(ctx).deliver()
    assert became(ctx, "status", "sent") == [("kept", None), ("kept", None)]
    with_server = Delivery(ctx._replace(settings=replace(ctx.settings, smtp_url=server.url)))
    assert not with_server.deliver()
    assert server.letters == []
