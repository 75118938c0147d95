"""The host's commands about mail, against a real mail server: `check` as the installed script, `letters` in here."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from typer.testing import CliRunner, Result

from service.admin.main import program
from service.app import create_app
from service.auth.login import find_or_create_player
from service.auth.rate_limits import TEST_LETTERS_BY_PLAYER
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Letter, Player
from service.mail import outbox
from service.worker import tick
from tests.admin.test_main import server
from tests.mail.smtp_server import SmtpServer
from tests.support.people import Person
from tests.support.servers import free_port

ANN, BO = "ann@example.org", "bo@example.org"


@pytest.fixture
def mail() -> Iterator[SmtpServer]:
    with SmtpServer() as opened:
        yield opened


def sending(ctx: AppContext, mail: SmtpServer) -> AppContext:
    return ctx._replace(settings=replace(ctx.settings, smtp_url=mail.url))


@pytest.fixture
def run(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `marrakech-server letters` on the test's database."""
    monkeypatch.setenv("MARRAKECH_DATA_DIR", str(ctx.settings.data_dir))
    monkeypatch.setenv("MARRAKECH_DATABASE_URL", ctx.settings.database_url)
    return lambda *words: CliRunner().invoke(program, ["letters", *words])


def three_letters(ctx: AppContext) -> list[int]:
    """One parked letter, one waiting after an attempt, one sent."""
    find_or_create_player(ctx, ANN)
    enqueue_letters(ctx.database, [NewLetter("test", ANN, f"test/{number}") for number in range(3)], ctx.clock())
    claim = outbox.claim(ctx.database, ctx.clock())
    assert claim
    first, second, third = claim.letters
    outbox.park(ctx.database, first, claim.key, "550 5.1.1 no such user")
    outbox.postpone(ctx.database, second, claim.key, "451 4.7.1 greylisted", ctx.clock())
    outbox.mark_sent(ctx.database, third, claim.key, ctx.clock())
    Player.update(mail_trouble="550 5.1.1 no such user").execute(ctx.database)
    return [first.id, second.id, third.id]


def status(ctx: AppContext, letter: int) -> str:
    return str(Letter.select(Letter.status).where(Letter.id == letter).scalar(ctx.database))


def test_check_says_that_mail_works_after_a_conversation(ctx: AppContext, mail: SmtpServer) -> None:
    done = server(ctx, "check", MARRAKECH_SMTP_URL=mail.url)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == f"mail       good: 127.0.0.1:{mail.port} answers"
    assert (mail.lines, mail.letters) == (1, [])


def test_check_says_why_mail_does_not_work(ctx: AppContext, mail: SmtpServer) -> None:
    port = free_port()
    done = server(ctx, "check", MARRAKECH_SMTP_URL=f"smtp://ann:open-sesame@127.0.0.1:{port}")
    assert done.exit_code == 1
    assert done.stderr == (
        f"mail       doesn't work: We can't use the mail server 127.0.0.1:{port}: Connection refused\n"
    )
    no_tls = server(ctx, "check", MARRAKECH_SMTP_URL=f"smtp+starttls://ann:open-sesame@127.0.0.1:{mail.port}")
    assert no_tls.exit_code == 1
    assert "STARTTLS" in no_tls.stderr
    assert "open-sesame" not in no_tls.stderr


def test_check_sends_a_letter_to_who_wants_to_see_one(ctx: AppContext, mail: SmtpServer) -> None:
    done = server(ctx, "check", "--letter-to", "Ann@Example.org", MARRAKECH_SMTP_URL=mail.url)
    assert done.stdout.splitlines()[-1] == f"mail       good: 127.0.0.1:{mail.port} accepted an e-mail to {ANN}"
    (letter,) = mail.letters
    assert letter.address == ANN
    assert letter.message["Subject"] == "Test e-mail from Marrakech by Mail"
    assert Letter.select().count(ctx.database) == 0


def test_check_repeats_the_servers_words_when_it_refuses_the_letter(ctx: AppContext, mail: SmtpServer) -> None:
    mail.refuse("RCPT", "554 5.7.1 relay access denied")
    done = server(ctx, "check", "--letter-to", ANN, MARRAKECH_SMTP_URL=mail.url)
    assert (done.exit_code, done.stderr) == (1, "mail       doesn't work: 554 5.7.1 relay access denied\n")
    wrong = server(ctx, "check", "--letter-to", "nobody", MARRAKECH_SMTP_URL=mail.url)
    assert (wrong.exit_code, wrong.stderr) == (
        1,
        "mail       --letter-to must be an e-mail address such as ann@example.org.\n",
    )


def test_check_without_a_mail_server_says_so_and_cannot_send(ctx: AppContext) -> None:
    line = "mail       not sent, because SMTP_URL is empty: e-mails stay on the mailbox page\n"
    assert server(ctx, "check").stdout.endswith(line)
    refused = server(ctx, "check", "--letter-to", ANN)
    assert (refused.exit_code, refused.stderr) == (1, line)


def test_the_host_sees_what_waits_and_what_is_parked_with_the_servers_words(
    ctx: AppContext, run: Callable[..., Result]
) -> None:
    parked, waiting, sent = three_letters(ctx)
    lines = run().stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [[str(waiting), "waiting", "test"], [str(parked), "parked", "test"]]
    assert lines[0].endswith(f"1 try    {ANN}  451 4.7.1 greylisted")
    assert lines[1].endswith(f"1 try    {ANN}  550 5.1.1 no such user")
    assert run("--status", "sent").stdout.split()[0] == str(sent)
    assert run("--status", "dropped").stdout == "No dropped e-mails.\n"
    wrong = run("--status", "lost")
    assert wrong.exit_code == 2


def test_the_host_sends_a_letter_again_or_drops_it(ctx: AppContext, run: Callable[..., Result]) -> None:
    parked, waiting, sent = three_letters(ctx)
    assert run("retry", "--all-parked").stdout == "1 e-mail will be sent again.\n"
    assert status(ctx, parked) == "waiting"
    assert run("retry", str(waiting)).stdout == "1 e-mail will be sent again.\n"
    assert run("retry", "--all-parked").stdout == "No e-mails to send again.\n"
    assert run("drop", str(waiting)).stdout == f"Dropped e-mail {waiting}.\n"
    assert status(ctx, waiting) == "dropped"
    for words in (("retry", str(sent)), ("drop", str(sent)), ("retry", "99"), ("drop", "99")):
        refused = run(*words)
        assert refused.exit_code == 1
        assert refused.stderr.startswith(f"E-mail {words[1]} ")
    assert status(ctx, sent) == "sent"
    for nonsense in (("retry",), ("retry", "1", "--all-parked"), ("drop", "x"), ("drop", str(2**40))):
        assert run(*nonsense).exit_code == 2


def test_a_player_asks_for_a_test_letter_and_gets_it(ctx: AppContext, mail: SmtpServer) -> None:
    mailing = sending(ctx, mail)
    ann = Person(create_app(mailing).test_client(), mailing, ANN)
    assert "A test e-mail is on its way" in ann.post("/me/test-letter", status=202)["detail"]
    assert "A test e-mail is on its way" in ann.post("/me/test-letter", status=202)["detail"]
    tick(mailing)
    assert [letter.address for letter in mail.letters] == [ANN, ANN]
    assert len(set(mail.ids)) == 2
    body = mail.letters[0].message.get_body(("plain",))
    assert body
    assert "this server can send you e-mails" in body.get_content()


def test_a_test_letter_says_plainly_what_is_wrong(ctx: AppContext, mail: SmtpServer) -> None:
    ann = Person(create_app(ctx).test_client(), ctx, ANN)
    assert "This server doesn't send e-mail" in ann.post("/me/test-letter", status=202)["detail"]
    mailing = sending(ctx, mail)
    ann = Person(create_app(mailing).test_client(), mailing, ANN)
    Player.update(mail_trouble="550 5.1.1 no such user.", mail=json.dumps({"turns": False})).execute(ctx.database)
    assert "refused before: 550 5.1.1 no such user." in ann.post("/me/test-letter", status=202)["detail"]


def test_test_letters_are_for_oneself_and_not_for_every_minute(ctx: AppContext) -> None:
    client = create_app(ctx).test_client()
    Person(client, ctx, None).post("/me/test-letter", status=401)
    ann = Person(client, ctx, ANN)
    for _ in range(TEST_LETTERS_BY_PLAYER.most):
        ann.post("/me/test-letter", status=202)
    ann.post("/me/test-letter", status=429)
    Person(client, ctx, BO).post("/me/test-letter", status=202)
    assert Letter.select().where(Letter.address == ANN).count(ctx.database) == TEST_LETTERS_BY_PLAYER.most
