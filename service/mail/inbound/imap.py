"""Replies out of a mailbox: fetched by IMAP, and marked as read only when they were dealt with."""

import imaplib
import logging
import re
import ssl
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from imap_tools.errors import ImapToolsError
from imap_tools.mailbox import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from peewee import InterfaceError, OperationalError

from service.context import AppContext
from service.logs import LOGGER
from service.mail.inbound.handler import receive
from service.mail.inbound.mime import LARGEST

MOST_AT_ONCE: Final = 50
"""The next poll goes on; a full mailbox must not keep the worker from everything else."""
_PATIENCE: Final = 30
_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")


class MailboxTrouble(Exception):
    """The mailbox could not be read; what is in it waits for the next time."""


def poll(ctx: AppContext) -> int:
    """Deal with the unread messages of the mailbox and say how many there were; raises `MailboxTrouble`."""
    place = urlsplit(ctx.settings.imap_url)
    try:
        with _mailbox(place) as mailbox:
            mailbox.login(unquote(place.username or ""), unquote(place.password or ""), _folder(place))
            uids = mailbox.uids("UNSEEN", charset=None)[:MOST_AT_ONCE]
            for uid in uids:
                _deal_with(ctx, mailbox, uid)
            return len(uids)
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as trouble:
        # Its own words stay out: a server may repeat what it was told.
        raise MailboxTrouble(f"The mailbox at {place.hostname} cannot be read ({type(trouble).__name__}).") from trouble


def _mailbox(place: SplitResult) -> BaseMailBox:
    """A connection to the mail server; with TLS its certificate must be good, which imaplib alone would not ask for."""
    host, port = place.hostname or "", place.port
    if place.scheme == "imap":
        return MailBoxUnencrypted(host, port or 143, timeout=_PATIENCE)
    trusted = ssl.create_default_context()
    if place.scheme == "imap+starttls":
        return MailBoxStartTls(host, port or 143, timeout=_PATIENCE, ssl_context=trusted)
    return MailBox(host, port or 993, timeout=_PATIENCE, ssl_context=trusted)


def _folder(place: SplitResult) -> str:
    return unquote(place.path.removeprefix("/")) or "INBOX"


def _deal_with(ctx: AppContext, mailbox: BaseMailBox, uid: str) -> None:
    raw = _fetched(mailbox, uid)
    if raw is not None and not _taken(ctx, raw):
        return
    # Not imap-tools' `flag`: that also removes for good what somebody else has marked as deleted in the folder.
    _asked(mailbox, "STORE", uid, "+FLAGS", r"(\Seen)")


def _taken(ctx: AppContext, raw: bytes) -> bool:
    """Whether the message was dealt with; one that trips us stays unread and does not hold up those behind it."""
    logger = logging.getLogger(LOGGER)
    try:
        outcome = receive(ctx, raw)
    except (OperationalError, InterfaceError):
        raise  # without a database there is no use in going on
    except Exception:
        logger.exception("a reply could not be taken")
        return False
    logger.info("reply", extra={"outcome": outcome.result.value})
    return True


def _fetched(mailbox: BaseMailBox, uid: str) -> bytes | None:
    """The message, still unread; None where it is too large to be a reply, or gone.

    imap-tools would hand it to the standard library's parser, which a stranger can keep busy.
    """
    sizes = [_SIZE.search(line) for line in _asked(mailbox, "FETCH", uid, "(RFC822.SIZE)") if isinstance(line, bytes)]
    if any(size and int(size[1]) > LARGEST for size in sizes):
        return None
    found = _asked(mailbox, "FETCH", uid, "(BODY.PEEK[])")
    return next((item[1] for item in found if isinstance(item, tuple)), None)


def _asked(mailbox: BaseMailBox, command: str, *words: str) -> list[Any]:
    status, found = mailbox.client.uid(command, *words)
    if status != "OK":
        raise imaplib.IMAP4.error(f"{command} was answered with {status}")
    return found
