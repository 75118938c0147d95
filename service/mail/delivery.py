"""Sending what is due: from a claim on the outbox to the mail server, one letter after the other.

While one is handed over, the next is written already: a mail server takes its time, and so does a picture.
"""

import logging
import threading
from functools import partial
from typing import Any, Final

from peewee import PeeweeException

from service.context import AppContext
from service.db import letter_texts
from service.logs import LOGGER, cut
from service.mail import outbox
from service.mail.errands import Errand
from service.mail.letters import Outdated, compose
from service.mail.message import mail_domain, sender_address, write_message
from service.mail.outbox import LONGEST_WAIT, LONGEST_WAIT_FOR_A_LINE, Addressee, Claim
from service.mail.preferences import reason_to_drop
from service.mail.smtp import TIMEOUT, NoConnection, Refused, SmtpClient

HANDING_OVER: Final = 4 * TIMEOUT
"""A letter is handed over only while its claim has so many seconds left: nobody else may begin to send it meanwhile."""


class Delivery:
    """One worker's way of sending: it keeps the line to the mail server from one batch to the next."""

    def __init__(self, ctx: AppContext, stop: threading.Event | None = None) -> None:
        settings = ctx.settings
        self._office = ctx
        self._stop = stop or threading.Event()
        self._sender = sender_address(settings)
        self._carrier = SmtpClient(settings.smtp_url, mail_domain(settings)) if settings.smtp_url else None
        self._on_its_way: Errand | None = None
        self._unmarked: list[tuple[Any, str]] = []
        """Letters that the mail server has and the outbox does not know of yet, each with the mark of its claim."""

    def deliver(self) -> bool:
        """Send a batch of what is due; says whether there may be more that can be sent at once."""
        database, now = self._office.database, self._office.clock()
        if self._carrier is None:
            outbox.keep(database, now)
            return False
        self._mark_sent()
        claim = outbox.claim(database, now)
        if claim is None:
            self._carrier.rest()
            return False
        return self._deliver_all(self._carrier, claim)

    def close(self) -> None:
        """Hang up."""
        if self._carrier is not None:
            self._carrier.close()

    def _deliver_all(self, carrier: SmtpClient, claim: Claim) -> bool:
        """Send the letters of a claim; False where the mail server is not to be had."""
        untried = list(claim.letters)
        try:
            while untried and not self._stop.is_set() and self._is_ours(claim):
                addressee = self._addressee(claim, untried[0])
                message = addressee and self._written(claim, untried[0], addressee)
                if self._see_in(claim) and addressee != self._addressee(claim, untried[0]):
                    continue  # while the last one was handed over, something has happened: it is written anew
                if self._stop.is_set():
                    break
                # Out of the list first: after a fault nobody gives a letter back that may have gone out.
                letter = untried.pop(0)
                if message is not None:
                    self._send_off(carrier, claim, letter, message)
            self._see_in(claim)
        except NoConnection as trouble:
            for each in untried:
                self._put_off(claim, each, str(trouble), LONGEST_WAIT_FOR_A_LINE)
            untried.clear()
            return False
        finally:
            self._end(claim, untried)
        return True

    def _end(self, claim: Claim, untried: list[Any]) -> None:
        """Whatever has happened: see the letter in that is on its way, and give back those that are not."""
        try:
            self._see_in(claim)
        finally:
            if untried:
                outbox.give_back(self._office.database, untried, claim.mark)

    def _is_ours(self, claim: Claim) -> bool:
        """Whether there is time to hand a letter over; who was frozen for long may still believe to be in time."""
        return self._office.clock() + HANDING_OVER < claim.until

    def _addressee(self, claim: Claim, letter: Any) -> Addressee | None:
        """Who it is for and how things stand; None where another worker has it by now, or the host has dropped it."""
        return outbox.addressee_of(self._office.database, letter, claim.mark)

    def _send_off(self, carrier: SmtpClient, claim: Claim, letter: Any, message: bytes) -> None:
        still_ours = partial(self._is_ours, claim)
        self._on_its_way = Errand(letter, partial(carrier.carry, self._sender, letter.address, message, still_ours))

    def _see_in(self, claim: Claim) -> bool:
        """Wait for the letter that is on its way and write down what became of it; False where there is none."""
        errand, self._on_its_way = self._on_its_way, None
        if errand is None:
            return False
        try:
            if errand.wait():
                self._unmarked.append((errand.letter, claim.mark))
                self._mark_sent()
        except Refused as refusal:
            self._refused(claim, errand.letter, refusal)
        except NoConnection as trouble:
            self._put_off(claim, errand.letter, str(trouble), LONGEST_WAIT_FOR_A_LINE)
            raise
        return True

    def _written(self, claim: Claim, letter: Any, addressee: Addressee) -> bytes | None:
        """The letter as it is sent; None where it is not sent at all, which is written down then."""
        ctx = self._office
        reason = reason_to_drop(letter, addressee, ctx.clock())
        try:
            if reason is None:
                return write_message(ctx, letter, addressee, compose(ctx, letter))
        except Outdated:
            # Looked at once more while it is written: its turn may have ended since `reason_to_drop` looked.
            reason = letter_texts.OUTDATED
        except PeeweeException:
            raise  # the database is to blame and not the letter
        except Exception as fault:
            words = letter_texts.NOT_WRITTEN % {"fault": type(fault).__name__}
            logging.getLogger(LOGGER).exception("a letter could not be written", extra=_fields(letter))
            outbox.park(ctx.database, letter, claim.mark, words, flag=False)
            return None
        outbox.drop(ctx.database, letter, claim.mark, reason)
        return None

    def _mark_sent(self) -> None:
        """Write down what has gone out; what fails now is tried again before anything else is sent."""
        while self._unmarked:
            letter, mark = self._unmarked[-1]
            if not outbox.mark_sent(self._office.database, letter, mark, self._office.clock()):
                logging.getLogger(LOGGER).warning("a letter went out after its claim had lapsed", extra=_fields(letter))
            self._unmarked.pop()

    def _refused(self, claim: Claim, letter: Any, refusal: Refused) -> None:
        words = str(refusal)
        if refusal.temporary:
            self._put_off(claim, letter, words, LONGEST_WAIT)
            return
        logging.getLogger(LOGGER).error("a letter was refused for good", extra=_fields(letter, words))
        outbox.park(self._office.database, letter, claim.mark, words, flag=refusal.of_reader)

    def _put_off(self, claim: Claim, letter: Any, words: str, longest: float) -> None:
        logging.getLogger(LOGGER).warning("a letter was put off", extra=_fields(letter, words))
        outbox.put_off(self._office.database, letter, claim.mark, words, self._office.clock(), longest)


def _fields(letter: Any, words: str = "") -> dict[str, Any]:
    """What the log says of a letter: nobody's address."""
    return {"fields": {"letter": letter.id, "kind": letter.kind, **({"words": cut(words)} if words else {})}}
