"""Sending what is due: claim letters, compose and send one after the other, and record each result.

A letter is marked after the mail server has it: a crash in between leads to a second copy with the same Message-ID,
never to a loss. A letter for a channel is sent as a notification.
"""

import logging
import os
import secrets
import threading
from functools import partial
from pathlib import Path
from typing import Any, Final

from peewee import PeeweeException

from service import paths
from service.auth.login import CODE_SECONDS
from service.auth.rate_limits import check_letter
from service.context import AppContext
from service.db import letter_texts
from service.db.connection import Database, transaction
from service.db.letters import LONGEST_WAIT_FOR_SERVER, PRUNED_AT_ONCE, prune_letters, record_message_id
from service.db.models import Channel, Letter
from service.errors import RateLimited
from service.games.analysis import is_enqueued
from service.games.channels import ChannelGone, NotDelivered, Notification
from service.games.lobby import report_undeliverable
from service.games.players import AT_ONCE, mail_preference
from service.games.presence import HELD_SECONDS, is_open
from service.logs import LOGGER, redact
from service.mail import outbox
from service.mail.letters import Outdated, compose, compose_notification
from service.mail.message import mail_domain, message_id, reply_link, sender_address, write_message
from service.mail.outbox import LONGEST_WAIT, Addressee, Claim
from service.mail.refusals import REPORT, Cause, find_cause, hold_until, record_rejection, report_to_hosts
from service.mail.smtp import NoConnection, Refused, SmtpClient

_REQUESTED: Final = frozenset({"sign-in", "links", "test"})
"""Letters that somebody is waiting for: they are tried even if the address was refused before."""
SECONDS_BETWEEN_PRUNINGS: Final = 3600.0
_ABOUT_A_TURN: Final = frozenset({"turn", "reminder"})
LONGEST_WAIT_FOR_ANALYSIS: Final = 60.0
"""After this time, the letter about a game's end is sent without the analysis."""
SECONDS_BETWEEN_LOOKS: Final = 2.0
MOST_TRIES: Final = 10
"""After so many tries, about eight hours, a notification is parked: its channel is probably set up wrong."""
MOST_FILES: Final = 200
"""Messages that the development mailbox keeps."""
_NOBODY: Final = Addressee(None, {}, None, None, None, to_act=False, link_version=None)


class Delivery:
    """Sends the letters of one worker; it keeps the connection to the mail server open between batches."""

    def __init__(self, ctx: AppContext, stop: threading.Event | None = None) -> None:
        settings = ctx.settings
        self._ctx = ctx
        self._stop = stop or threading.Event()
        self._sender = sender_address(settings)
        self._smtp = SmtpClient(settings.smtp_url, mail_domain(settings)) if settings.smtp_url else None
        self._mailbox = MailboxFolder(settings.data_dir)
        self._unmarked: tuple[Any, str] | None = None
        """A letter that was sent but could not be marked yet, and the key of its claim."""
        self._prune_at = 0.0

    def deliver(self) -> bool:
        """Send a batch of due letters; returns whether there may be more that can be sent at once."""
        self._mark_sent()
        claim = outbox.claim(self._ctx.database, self._ctx.clock())
        if claim is not None:
            return self._deliver_all(claim)
        if self._smtp is not None:
            self._smtp.close_if_idle()
        self._prune()
        return False

    def _prune(self) -> None:
        """Now and then, while nothing else is to be done, delete old letters."""
        now, days = self._ctx.clock(), self._ctx.settings.keep_letters
        if days and now >= self._prune_at:
            more = prune_letters(self._ctx.database, now - days * 24 * 3600) == PRUNED_AT_ONCE
            self._prune_at = now + (0 if more else SECONDS_BETWEEN_PRUNINGS)

    def close(self) -> None:
        """Close the connection to the mail server."""
        if self._smtp is not None:
            self._smtp.close()

    def _deliver_all(self, claim: Claim) -> bool:
        """Send the letters of a claim; returns False if the mail server can't be reached."""
        untried = list(claim.letters)
        try:
            while untried and not self._stop.is_set():
                message = self._compose(claim, untried[0])
                if self._stop.is_set():
                    break
                # Removed before sending: after an error, a letter that may have been sent is not released.
                letter = untried.pop(0)
                if message is not None:
                    self._send(claim, letter, message)
        except NoConnection as error:
            for letter in [each for each in untried if each.channel is None]:
                self._postpone(claim, letter, str(error), LONGEST_WAIT_FOR_SERVER)
                untried.remove(letter)
            return False
        finally:
            if untried:
                outbox.release(self._ctx.database, untried, claim.key)
        return True

    def _renew(self, claim: Claim, letter: Any) -> bool:
        """Whether the letter is still ours; if so, no other worker takes it before the mail server has answered."""
        return outbox.renew(self._ctx.database, letter, claim.key, self._ctx.clock())

    def _compose(self, claim: Claim, letter: Any) -> bytes | Notification | None:
        """The message; None if the letter is not sent, which is recorded."""
        ctx = self._ctx
        addressee = outbox.find_addressee(ctx.database, letter, claim.key)
        if addressee is None:
            return None  # another worker has claimed it, or the server host has dropped it
        reason = reason_to_drop(letter, addressee, ctx.clock())
        due = due_while_open(letter, addressee, ctx.clock()) or due_after_analysis(ctx.database, letter, ctx.clock())
        if reason is None and due is not None:
            outbox.delay(ctx.database, letter, claim.key, due)
            return None
        try:
            if reason is None:
                message = self._write(letter, addressee)
                self._count(letter, addressee)
                return message
        except Outdated as outdated:
            reason = outdated.reason
        except RateLimited:
            reason = letter_texts.TOO_MANY
        except PeeweeException:
            raise  # a problem of the database, not of this letter
        except Exception as error:
            words = letter_texts.NOT_WRITTEN % {"fault": type(error).__name__}
            logging.getLogger(LOGGER).exception("a letter could not be written", extra=_log_fields(letter))
            outbox.park(ctx.database, letter, claim.key, words)
            return None
        refused = letter_texts.REFUSED_BEFORE % {"words": addressee.mail_trouble}
        with transaction(ctx.database):
            if outbox.drop(ctx.database, letter, claim.key, reason) and reason == refused:
                _report(ctx, letter)
        return None

    def _write(self, letter: Any, addressee: Addressee) -> bytes | Notification:
        """The message; what a reply to it is about is recorded before it is sent."""
        if letter.channel is not None:
            return compose_notification(self._ctx, letter)
        ctx, composed = self._ctx, compose(self._ctx, letter)
        link = reply_link(ctx, letter, addressee, composed.answer_plays)
        if link is not None:
            id_ = message_id(ctx.settings, letter.about)
            record_message_id(ctx.database, letter.id, id_, link.turn, link.version)
        return write_message(ctx, letter, addressee, composed)

    def _count(self, letter: Any, addressee: Addressee) -> None:
        """Count a letter that is tried for the first time; raises `RateLimited`."""
        if letter.tries == 0:
            stranger = not outbox.has_taken_a_seat(self._ctx.database, addressee)
            address = letter.address if letter.channel is None else f"{letter.address}#{letter.channel}"
            check_letter(self._ctx, letter.kind, address, stranger=stranger)

    def _send(self, claim: Claim, letter: Any, message: bytes | Notification) -> None:
        if isinstance(message, Notification):
            self._notify(claim, letter, message)
        else:
            self._mail(claim, letter, message)

    def _notify(self, claim: Claim, letter: Any, notification: Notification) -> None:
        channel = Channel.select().where(Channel.id == letter.channel).first(self._ctx.database)
        if channel is None:
            outbox.drop(self._ctx.database, letter, claim.key, letter_texts.CHANNEL_REMOVED)
        elif self._renew(claim, letter):
            try:
                self._ctx.notify(self._ctx, channel, notification)
            except ChannelGone:
                outbox.drop_with_channel(self._ctx.database, letter, claim.key, letter_texts.CHANNEL_GONE)
            except NotDelivered as error:
                self._record_failure(claim, letter, error)
            else:
                self._unmarked = (letter, claim.key)
                self._mark_sent()

    def _record_failure(self, claim: Claim, letter: Any, error: NotDelivered) -> None:
        words = redact(str(error))
        with transaction(self._ctx.database):
            Channel.update(trouble=words).where(Channel.id == letter.channel).execute(self._ctx.database)
            if error.temporary and letter.tries + 1 < MOST_TRIES:
                self._postpone(claim, letter, words, LONGEST_WAIT)
            else:
                logging.getLogger(LOGGER).error("a letter was refused for good", extra=_log_fields(letter, words))
                outbox.park(self._ctx.database, letter, claim.key, words)

    def _mail(self, claim: Claim, letter: Any, message: bytes) -> None:
        if self._smtp is None:
            self._mailbox.write(letter.id, message, self._ctx.clock())
            outbox.mark_kept(self._ctx.database, letter, claim.key)
            return
        try:
            sent = self._smtp.send(self._sender, letter.address, message, partial(self._renew, claim, letter))
        except Refused as refusal:
            self._record_refusal(claim, letter, refusal)
        except NoConnection as error:
            self._postpone(claim, letter, str(error), LONGEST_WAIT_FOR_SERVER)
            raise
        else:
            if sent:
                self._unmarked = (letter, claim.key)
                self._mark_sent()

    def _mark_sent(self) -> None:
        """Mark the letter that was sent; if the database fails now, this is repeated before anything else is sent."""
        if self._unmarked is None:
            return
        letter, key = self._unmarked
        if not outbox.mark_sent(self._ctx.database, letter, key, self._ctx.clock()):
            logging.getLogger(LOGGER).warning(
                "a letter was sent after its claim had expired", extra=_log_fields(letter)
            )
        self._unmarked = None

    def _record_refusal(self, claim: Claim, letter: Any, refusal: Refused) -> None:
        words, cause = str(refusal), find_cause(str(refusal))
        due = hold_until(letter, self._ctx.clock()) if cause is Cause.HELD else None
        if due is not None:
            self._hold(claim, letter, words, due)
        elif refusal.temporary and cause is not Cause.HELD:
            self._postpone(claim, letter, words, LONGEST_WAIT)
        else:
            self._park(claim, letter, refusal)

    def _hold(self, claim: Claim, letter: Any, words: str, due: float) -> None:
        logging.getLogger(LOGGER).warning("a letter was rejected for now", extra=_log_fields(letter, words))
        with transaction(self._ctx.database):
            if outbox.hold(self._ctx.database, letter, claim.key, words, due) and letter.kind != REPORT:
                report_to_hosts(self._ctx)

    def _park(self, claim: Claim, letter: Any, refusal: Refused) -> None:
        ctx, words = self._ctx, str(refusal)
        logging.getLogger(LOGGER).error("a letter was refused for good", extra=_log_fields(letter, words))
        with transaction(ctx.database):
            if not outbox.park(ctx.database, letter, claim.key, words):
                return
            if refusal.about_recipient:
                record_rejection(ctx.database, letter.address, words)
            _report(ctx, letter)

    def _postpone(self, claim: Claim, letter: Any, words: str, longest: float) -> None:
        logging.getLogger(LOGGER).warning("a letter was postponed", extra=_log_fields(letter, words))
        outbox.postpone(self._ctx.database, letter, claim.key, words, self._ctx.clock(), longest)


def reason_to_drop(letter: Any, addressee: Addressee, now: float) -> str | None:
    """Why the letter should not be sent, as a sentence for the server host; None if it should."""
    if _is_late(letter, addressee, now):
        return letter_texts.TURN_PLAYED if letter.kind == "turn" else letter_texts.TOO_LATE
    if letter.channel is not None:
        return None  # the preferences are about mail; a channel is removed instead
    if not addressee.preferences.get(mail_preference(letter.kind, accepted=addressee.accepted) or "", True):
        return letter_texts.NOT_WANTED
    if addressee.mail_trouble and letter.kind not in _REQUESTED:
        return letter_texts.REFUSED_BEFORE % {"words": addressee.mail_trouble}
    return None


def due_while_open(letter: Any, addressee: Addressee, now: float) -> float | None:
    """When to send a turn letter whose reader has the game open and is about to play; None: now."""
    due: float = letter.created + HELD_SECONDS
    if letter.kind != "turn" or now >= due or addressee.preferences.get(AT_ONCE):
        return None
    return due if is_open(addressee.seen, now) else None


def due_after_analysis(database: Database, letter: Any, now: float) -> float | None:
    """When to try again to send the letter about the end of a game that is still being analysed; None: send it now."""
    if letter.kind != "over" or letter.channel is not None or now >= letter.created + LONGEST_WAIT_FOR_ANALYSIS:
        return None
    return now + SECONDS_BETWEEN_LOOKS if is_enqueued(database, letter.game_id) else None


def _is_late(letter: Any, addressee: Addressee, now: float) -> bool:
    if letter.kind in _ABOUT_A_TURN:
        playing = addressee.game_status == "playing" and addressee.game_turn == letter.turn
        return not (playing and addressee.to_act)
    if letter.kind == "invitation":
        return addressee.game_status != "waiting"
    return bool(letter.kind == "sign-in" and now >= letter.created + CODE_SECONDS)


class MailboxFolder:
    """The development mailbox: without a mail server, messages become files that the mailbox page shows.

    Each is DATA_DIR/mailbox/TIME-LETTER.eml.
    """

    def __init__(self, data_dir: Path) -> None:
        self._folder = paths.mailbox(data_dir)

    def write(self, letter_id: int, message: bytes, now: float) -> None:
        """Add a message; a reader of the folder sees all of it or nothing."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{int(now * 1000):014}-{letter_id:010}"
        unfinished = self._folder / f"{name}.tmp"
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(message)
        for earlier in self._folder.glob(f"*-{letter_id:010}.eml"):  # the server host had it sent again
            earlier.unlink(missing_ok=True)
        unfinished.rename(unfinished.with_suffix(".eml"))
        for old in sorted(self._folder.glob("*.eml"))[:-MOST_FILES]:
            old.unlink(missing_ok=True)


def selftest(ctx: AppContext, letter_to: str | None) -> None:
    """Connect to the mail server and, if an address is given, send it a test letter; raises NoConnection or Refused."""
    client = SmtpClient(ctx.settings.smtp_url, mail_domain(ctx.settings))
    try:
        client.check()
        if letter_to is not None:
            about = f"test/{secrets.token_hex(8)}"
            letter = Letter(kind="test", about=about, address=letter_to, created=ctx.clock())
            message = write_message(ctx, letter, _NOBODY, compose(ctx, letter))
            client.send(sender_address(ctx.settings), letter_to, message)
    finally:
        client.close()


def _report(ctx: AppContext, letter: Any) -> None:
    """Tell the host of a game if the refused letter is an invitation to it."""
    if letter.kind == "invitation":
        report_undeliverable(ctx, letter.game_id, letter.seat)


def _log_fields(letter: Any, words: str = "") -> dict[str, Any]:
    """What the log says about a letter: not its address."""
    return {"letter": letter.id, "kind": letter.kind, **({"words": redact(words)} if words else {})}
