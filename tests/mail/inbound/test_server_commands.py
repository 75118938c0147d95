"""`receive` as a mail server runs it, and `listen` as a mail server talks to it: real processes, real conversations."""

import json
import os
import signal
import smtplib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.context import AppContext
from service.db.models import Player
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.inbound.mime import LARGEST
from tests.mail.inbound.post import DOMAIN, address, answers, message, noted
from tests.mail.tables import BO, letters, started
from tests.support.commands import run_server
from tests.support.tables import database_contents

SERVER = Path(sys.executable).with_name("marrakech-server")
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


def environ(ctx: AppContext, **changed: str) -> dict[str, str]:
    return {
        **os.environ,
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        "MARRAKECH_INBOUND_DOMAIN": DOMAIN,
        **changed,
    }


def piped(ctx: AppContext, raw: bytes, *words: str, **changed: str) -> tuple[int, str, str]:
    """Pipe a message to `receive` in a process of its own; returns the exit code and the output."""
    done = subprocess.run(
        [SERVER, "receive", *words],
        input=raw,
        env=environ(ctx, **changed),
        cwd=ctx.settings.data_dir,
        capture_output=True,
        timeout=60,
        check=False,
    )
    stderr = done.stderr.decode()
    assert "Traceback" not in stderr
    return done.returncode, done.stdout.decode().strip(), stderr.strip()


def head(ctx: AppContext, game: StoredGame) -> int:
    return load(ctx.database, game.id).head


def test_a_message_on_standard_input_plays_once(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left")
    assert piped(ctx, raw) == (0, "played", "")
    after = head(ctx, game)
    assert after > game.head
    assert piped(ctx, raw, "--to", address(ctx, game, 0)) == (0, "repeated", "")
    assert head(ctx, game) == after


def told(ctx: AppContext, raw: bytes, *words: str, **changed: str) -> tuple[int, str, str]:
    """The same within this process, which is faster."""
    done = run_server(["receive", *words], environ(ctx, **changed), raw)
    return done.exit_code, done.stdout.strip(), done.stderr.strip()


def test_what_the_mail_server_is_told(ctx: AppContext, game: StoredGame) -> None:
    before = database_contents(ctx)
    to = address(ctx, game, 0)
    for raw, words, answer in (
        (message(to, "left", "Auto-Submitted: auto-replied\n"), (), (0, "dropped")),
        (message(f"play+{'a' * 48}@{DOMAIN}", "left"), (), (0, "unknown")),
        (message(to, "left"), ("--to", f"play+{'a' * 48}@{DOMAIN}"), (0, "unknown")),
        (b"", (), (0, "unknown")),
        (message(to, "left"), ("--to", "ann@example.org"), (67, "")),
        (message("marrakech@localhost", "left"), ("--to", "marrakech@localhost"), (0, "unknown")),
        (message(to, "left") + b"x" * LARGEST, (), (65, "")),
        (b"x" * LARGEST, (), (0, "unknown")),
    ):
        assert told(ctx, raw, *words)[:2] == answer
    assert database_contents(ctx) == before


def test_what_the_host_can_put_right_makes_the_mail_server_try_again(ctx: AppContext, game: StoredGame) -> None:
    raw = message(address(ctx, game, 0), "left")
    for changed, complaint in (
        ({"MARRAKECH_DATABASE_URL": NOWHERE}, "Can't use the database: "),
        ({"MARRAKECH_INBOUND_DOMAIN": ""}, "MARRAKECH_INBOUND_DOMAIN is not set"),
        ({"MARRAKECH_WORKER": "sometimes"}, "MARRAKECH_WORKER is 'sometimes'"),
    ):
        code, said, sentence = told(ctx, raw, **changed)
        assert (code, said) == (75, "")
        assert sentence.startswith(complaint)
        assert "\n" not in sentence
    assert head(ctx, game) == game.head


def test_a_fault_of_ours_makes_the_mail_server_try_again(
    ctx: AppContext, game: StoredGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.mail.inbound.handler._handle", None)
    code, said, complaint = told(ctx, message(address(ctx, game, 0), "left"))
    assert (code, said) == (75, "")
    assert "Something went wrong. The server's log says what." in complaint
    monkeypatch.undo()
    assert noted(ctx) == []


@contextmanager
def opened(ctx: AppContext, *words: str) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """A listener at a free port."""
    process = subprocess.Popen(
        [SERVER, "listen", "--port", "0", *words],
        env=environ(ctx),
        cwd=ctx.settings.data_dir,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Listening for replies on 127.0.0.1:"), process.communicate()
        yield int(line.split(":")[1].split()[0]), process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def listening(ctx: AppContext, *words: str) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """The same; it must stop by itself when it is told to, and say nothing of it."""
    with opened(ctx, *words) as (port, process):
        yield port, process
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20) == ("", "")
        assert process.returncode == 0


Client = type[smtplib.SMTP]
REPORT = (
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
    "--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; bo@example.org\n"
    "Action: failed\nStatus: 5.1.1\n\n--b--\n"
)


@pytest.mark.parametrize(("client", "words"), [(smtplib.SMTP, ()), (smtplib.LMTP, ("--lmtp",))], ids=["smtp", "lmtp"])
def test_a_mail_server_delivers_a_reply(
    ctx: AppContext, game: StoredGame, client: Client, words: tuple[str, ...]
) -> None:
    to = address(ctx, game, 0)
    raw = message(to, "left\n.\n..dots")
    with listening(ctx, *words) as (port, _):
        with client("127.0.0.1", port, local_hostname="mail.example.org") as server:
            assert server.sendmail("bo@example.com", [to.upper()], raw) == {}
            after = head(ctx, game)
            assert after > game.head
            assert server.sendmail("bo@example.com", [to], raw) == {}
        assert head(ctx, game) == after
    assert len(letters(ctx, "roll")) == 1


def refusal(server: smtplib.SMTP, to: str) -> int:
    server.ehlo_or_helo_if_needed()
    server.mail("bo@example.com")
    code, _ = server.rcpt(to)
    server.rset()
    return code


def test_what_is_not_for_us_is_turned_away_at_the_door(ctx: AppContext, game: StoredGame) -> None:
    old, other = address(ctx, game, 0), started(ctx)
    replace_links(ctx, game.id, 0, game.host)
    good = address(ctx, other, 0)
    with listening(ctx) as (port, _), smtplib.SMTP("127.0.0.1", port, local_hostname="mail.example.org") as server:
        assert refusal(server, "ann@example.org") == 550
        assert refusal(server, f"play@{DOMAIN}") == 550
        assert refusal(server, f"play+{'a' * 48}@{DOMAIN}") == 550
        assert refusal(server, old) == 550
        assert refusal(server, good) == 250
        server.mail("bo@example.com")
        assert server.rcpt(good)[0] == 250
        assert server.rcpt(address(ctx, other, 1))[0] == 452
        server.rset()
        with pytest.raises(smtplib.SMTPSenderRefused) as caught:
            server.sendmail("bo@example.com", [good], message(good, "left") + b"x" * LARGEST)
        assert caught.value.smtp_code == 552


def test_what_is_too_large_or_a_programs_is_not_played(ctx: AppContext, game: StoredGame) -> None:
    to = address(ctx, game, 0)
    with listening(ctx) as (port, _), smtplib.SMTP("127.0.0.1", port, local_hostname="mail.example.org") as server:
        server.helo("mail.example.org")  # who greets in the old way cannot say beforehand how large it will be
        server.mail("bo@example.com")
        server.rcpt(to)
        assert server.data(message(to, "left") + (b"x" * 900 + b"\r\n") * 1300)[0] == 552
        assert server.sendmail("", [to], message(to, "left")) == {}, "who has no sender is a program"
        assert server.sendmail("", [address(ctx, game, 1)], REPORT) == {}
    assert head(ctx, game) == game.head
    assert answers(ctx) == []
    assert Player.select(Player.mail_trouble).where(Player.email == BO).scalar(ctx.database) == "5.1.1"


def test_while_the_database_is_away_the_mail_server_is_asked_to_come_again(ctx: AppContext, game: StoredGame) -> None:
    to = address(ctx, game, 0)
    with opened(ctx) as (port, process):
        with smtplib.SMTP("127.0.0.1", port, local_hostname="mail.example.org") as server:
            ctx.database.execute_sql("alter table seat rename to seat_away")
            assert refusal(server, to) == 451
            ctx.database.execute_sql("alter table seat_away rename to seat")
            ctx.database.execute_sql("alter table incoming rename to incoming_away")
            with pytest.raises(smtplib.SMTPDataError) as caught:
                server.sendmail("bo@example.com", [to], message(to, "left"))
            assert caught.value.smtp_code == 451
            ctx.database.execute_sql("alter table incoming_away rename to incoming")
            assert server.sendmail("bo@example.com", [to], message(to, "left")) == {}
        process.terminate()
        _, log = process.communicate(timeout=20)
    assert head(ctx, game) > game.head
    noted = [json.loads(line)["event"] for line in log.splitlines() if line.startswith("{")]
    assert noted.count("a reply could not be handled") == 2
    assert not [word for word in (to, to[5:40], "bo@example.com") if word in log]


def test_it_stops_though_somebody_is_still_connected(ctx: AppContext) -> None:
    with listening(ctx) as (port, process):
        server = smtplib.SMTP("127.0.0.1", port, local_hostname="mail.example.org")
        server.ehlo()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
        server.close()


def test_a_port_that_is_taken_is_said_in_one_sentence(ctx: AppContext) -> None:
    with listening(ctx) as (port, _):
        done = run_server(["listen", "--port", str(port)], environ(ctx))
    assert done.exit_code == 75
    assert done.stderr.count("\n") == 1
    assert "in use" in done.stderr
