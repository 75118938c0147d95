"""Replies and bounces through a real Postfix and procmail with the files of deploy/postfix."""

import smtplib
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from service.config import Settings
from service.context import AppContext
from service.db.models import Player
from service.games.store import StoredGame, load
from service.mail.delivery import Delivery
from tests.durability.processes import wait_for
from tests.mail.inbound.post import address, message
from tests.mail.inbound.postfix import adapt, find_program, run_postfix
from tests.mail.inbound.test_server_commands import NOWHERE, listening, piped
from tests.mail.tables import ANN

SENDER = "ann@example.net"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, mail_from="Marrakech <marrakech@example.org>")


class Pipe:
    """Runs `marrakech-server` with what Postfix pipes to it, and remembers it."""

    def __init__(self, ctx: AppContext) -> None:
        self._ctx = ctx
        self.changed: dict[str, str] = {}
        self.messages: list[bytes] = []
        self.outcomes: list[tuple[int, str]] = []

    def __call__(self, raw: bytes, words: list[str]) -> int:
        assert words[0] == "receive"
        self.messages.append(raw)
        code, said, _ = piped(self._ctx, raw, *words[1:], **self.changed)
        self.outcomes.append((code, said))
        return code


def is_played(ctx: AppContext, game: StoredGame) -> Callable[[], bool]:
    return lambda: load(ctx.database, game.id).state.phase == "placement"


def test_a_reply_is_played_and_one_that_cannot_be_played_now_waits_in_the_queue(
    ctx: AppContext, game: StoredGame
) -> None:
    pipe = Pipe(ctx)
    pipe.changed = {"MARRAKECH_DATABASE_URL": NOWHERE}
    with run_postfix(pipe) as postfix:
        with pytest.raises(smtplib.SMTPRecipientsRefused, match="unknown"):
            postfix.send(SENDER, "ann@reply.example.org", b"\n")
        to = address(ctx, game, 0)
        postfix.send(SENDER, to, message(to, "left"))
        wait_for(lambda: postfix.count_deferred() == 1, "the message was not deferred")
        assert pipe.outcomes == [(75, "")]
        pipe.changed = {}
        postfix.retry()
        wait_for(lambda: "status=sent" in postfix.log(), "the message was not delivered")
    assert is_played(ctx, game)()
    assert pipe.messages[-1].startswith(b"Return-Path: <ann@example.net>\n")


def test_a_letter_that_postfix_cannot_deliver_comes_back_and_is_noted(ctx: AppContext, game: StoredGame) -> None:
    pipe = Pipe(ctx)

    def receive(raw: bytes, words: list[str]) -> int:
        """Ann's address isn't known any more; everything else is for the server."""
        return 67 if ANN in words else pipe(raw, words)

    with run_postfix(receive, more_transport=f"/^{ANN}$/ marrakech:\n") as postfix:
        sending = replace(ctx.settings, smtp_url=f"smtp://127.0.0.1:{postfix.port}")
        delivery = Delivery(ctx._replace(settings=sending))
        delivery.deliver()
        delivery.close()
        wait_for(lambda: (0, "bounced") in pipe.outcomes, "the letter did not come back")
    assert pipe.messages[0].startswith(b"Return-Path: <>\n")
    trouble = Player.select(Player.mail_trouble).where(Player.email == ANN).scalar(ctx.database)
    assert "user unknown" in trouble


def test_postfix_passes_a_reply_on_by_lmtp(ctx: AppContext, game: StoredGame) -> None:
    to = address(ctx, game, 0)
    with listening(ctx, "--lmtp") as (port, _), run_postfix(Pipe(ctx), "transport-lmtp", lmtp_port=port) as postfix:
        postfix.send(SENDER, to, message(to, "left"))
        wait_for(lambda: "status=sent" in postfix.log(), "the message was not delivered")
    assert is_played(ctx, game)()


@pytest.mark.parametrize("code", [0, 65, 75])
def test_procmail_passes_the_exit_code_on_and_keeps_no_message(tmp_path: Path, code: int) -> None:
    program, default, seen = find_program("procmail"), tmp_path / "mailbox", tmp_path / "seen"
    (tmp_path / "marrakech-server").write_text(f"#!/bin/sh\ncat >{seen}\nexit {code}\n")
    (tmp_path / "marrakech-server").chmod(0o755)
    text = adapt("procmailrc", tmp_path).replace(".venv/bin/", "./")
    (tmp_path / "procmailrc").write_text(text)
    # A service user's login shell doesn't run anything.
    words = [program, "SHELL=/usr/sbin/nologin", f"DEFAULT={default}", str(tmp_path / "procmailrc")]
    raw = message(f"play+{'a2' * 24}@reply.example.org", "left")
    done = subprocess.run(words, input=raw, capture_output=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    assert raw.strip() in seen.read_bytes()
    assert not default.exists()
    other = subprocess.run(words, input=message("ann@example.org", "Hi"), check=False, timeout=60)
    assert other.returncode == 0
    assert default.exists()


def test_procmail_passes_bounces_on(tmp_path: Path) -> None:
    program, seen = find_program("procmail"), tmp_path / "seen"
    (tmp_path / "marrakech-server").write_text(f"#!/bin/sh\ncat >{seen}\n")
    (tmp_path / "marrakech-server").chmod(0o755)
    (tmp_path / "procmailrc").write_text(adapt("procmailrc", tmp_path).replace(".venv/bin/", "./"))
    raw = (Path(__file__).parent / "messages" / "bounce-postfix.eml").read_bytes()
    subprocess.run([program, str(tmp_path / "procmailrc")], input=raw, check=True, timeout=60)
    assert b"multipart/report" in seen.read_bytes()
