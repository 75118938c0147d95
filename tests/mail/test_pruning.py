"""Old letters are deleted, none is sent again because of it, and sent ones keep no secrets."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from service.auth.login import create_login_code, find_or_create_player
from service.clocks.requests import return_to_seat
from service.context import AppContext
from service.db import letters as stored
from service.db.connection import MIGRATIONS, migrate, open_database
from service.db.letters import NewLetter, enqueue_letters, prune_letters
from service.db.models import Letter, Seat
from service.games.chat import post_message
from service.games.lobby import NewGameRequest, SeatRequest, accept, cancel, create_game
from service.mail.delivery import SECONDS_BETWEEN_PRUNINGS, Delivery
from service.mail.letters import compose
from service.worker import tick
from tests.mail.smtp_server import SmtpServer
from tests.mail.tables import ANN, BO, letters, played, started, table
from tests.support.clock import Clock
from tests.support.databases import empty_database, insert_row

pytestmark = pytest.mark.databases("sqlite", "postgresql")

DAY = 24 * 3600.0


@pytest.fixture
def mailing(ctx: AppContext) -> Iterator[AppContext]:
    with SmtpServer() as server:
        yield ctx._replace(settings=replace(ctx.settings, smtp_url=server.url))


def fill(ctx: AppContext, *abouts: str) -> None:
    with ctx.database.atomic():
        enqueue_letters(ctx.database, [NewLetter("test", ANN, about) for about in abouts], ctx.clock())


def abouts(ctx: AppContext) -> list[str]:
    return [letter.about for letter in letters(ctx)]


def test_letters_that_are_done_with_go_after_a_while_and_others_stay(mailing: AppContext, clock: Clock) -> None:
    fill(mailing, *stored.STATUSES)
    for status in stored.STATUSES:
        Letter.update(status=status).where(Letter.about == status).execute(mailing.database)
    Letter.update(due=clock.now + 1000 * DAY).where(Letter.status == "waiting").execute(mailing.database)
    clock.now += 89 * DAY
    fill(mailing, "new")
    tick(mailing)
    assert len(letters(mailing)) == 6
    clock.now += 2 * DAY
    tick(mailing)
    assert abouts(mailing) == ["waiting", "parked", "new"]


def test_a_letter_that_was_sent_late_is_kept_as_long_as_others(mailing: AppContext, clock: Clock) -> None:
    fill(mailing, "late")
    clock.now += 91 * DAY
    Letter.update(status="sent", sent=clock.now).execute(mailing.database)
    tick(mailing)
    assert abouts(mailing) == ["late"]


def test_letters_can_be_kept_forever(ctx: AppContext, clock: Clock) -> None:
    forever = ctx._replace(settings=replace(ctx.settings, keep_letters=0))
    fill(forever, "old")
    tick(forever)
    clock.now += 9999 * DAY
    tick(forever)
    assert abouts(forever) == ["old"]


def test_a_turn_letter_of_a_game_that_goes_on_is_never_sent_again(mailing: AppContext, clock: Clock) -> None:
    """Ann's turn lasts for a year. When she takes her seat back from a stand-in, she has the letter already."""
    game = started(mailing, first=0)
    tick(mailing)
    clock.now += 365 * DAY
    assert prune_letters(mailing.database, clock.now) == 0
    Seat.update(stood_in=9).where((Seat.game == game.id) & (Seat.seat == 0)).execute(mailing.database)
    return_to_seat(mailing, game.id, 0)
    assert [(letter.kind, letter.status) for letter in letters(mailing)][-1] == ("turn", "sent")
    assert len(letters(mailing, "turn")) == 1


def test_the_chat_is_not_told_again_after_pruning(mailing: AppContext, clock: Clock) -> None:
    host, guest = (find_or_create_player(mailing, address) for address in (ANN, BO))
    wish = NewGameRequest("marrakech", "", (SeatRequest(email=BO),), {"first": 0}, None)
    game = accept(mailing, create_game(mailing, host, wish).id, 1, guest.id)
    for said, turns in (("An old story", 5), ("A new one", 1)):
        post_message(mailing, game.id, 1, said)
        clock.now += 60
        game = played(mailing, game, game.turn + turns)
        while tick(mailing):
            pass
        clock.now += 100 * DAY
        tick(mailing)
    text = compose(mailing, letters(mailing, "turn")[-1]).text
    assert "A new one" in text
    assert "An old story" not in text


def test_the_letters_of_a_game_go_when_it_is_over(mailing: AppContext, clock: Clock) -> None:
    finished, closed = started(mailing), table(mailing)
    cancel(mailing, closed.id, closed.host)
    played(mailing, finished)
    while tick(mailing):
        pass
    clock.now += 91 * DAY
    tick(mailing)
    assert letters(mailing) == []


def test_pruning_goes_step_by_step_and_then_rests(
    mailing: AppContext, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "PRUNED_AT_ONCE", 2)
    monkeypatch.setattr("service.mail.delivery.PRUNED_AT_ONCE", 2)
    fill(mailing, *"abc")
    Letter.update(status="sent").execute(mailing.database)
    clock.now += 91 * DAY
    delivery = Delivery(mailing)
    counts = []
    for _ in range(3):
        delivery.deliver()
        counts.append(len(letters(mailing)))
    assert counts == [1, 0, 0]
    fill(mailing, "d")
    Letter.update(status="sent", due=0, created=0).execute(mailing.database)
    delivery.deliver()
    assert abouts(mailing) == ["d"]
    clock.now += SECONDS_BETWEEN_PRUNINGS
    delivery.deliver()
    assert abouts(mailing) == []


def test_a_letter_that_was_sent_keeps_nothing_that_was_in_it(mailing: AppContext) -> None:
    create_login_code(mailing, find_or_create_player(mailing, BO).email)
    tick(mailing)
    (letter,) = letters(mailing)
    assert (letter.status, letter.details) == ("sent", "{}")


def test_an_upgrade_removes_the_codes_of_older_letters(database_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "older"
    shutil.copytree(MIGRATIONS, folder, ignore=lambda _, names: [name for name in names if name[:4] >= "0013"])
    database = open_database(empty_database(database_url))
    migrate(database, folder)
    old = {"address": ANN, "details": '{"code": "BCDF"}', "due": 1, "tries": 0, "created": 1}
    for kind, status in (("sign-in", "sent"), ("sign-in", "dropped"), ("sign-in", "waiting"), ("talk", "waiting")):
        insert_row(database, "letter", old | {"about": f"{kind}/{status}", "kind": kind, "status": status})
    migrate(database)
    rows = Letter.select(Letter.details).order_by(Letter.id).tuples().execute(database)
    assert [details == "{}" for (details,) in rows] == [True, True, False, False]
    database.close()
