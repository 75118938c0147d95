"""Replies from an IMAP mailbox; a message is marked as read only after it was handled."""

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
"""The next poll continues; a full mailbox must not block the worker."""
_TIMEOUT: Final = 30
_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")


class MailboxError(Exception):
    """The mailbox could not be read; its messages wait for the next poll."""


def poll(ctx: AppContext) -> int:
    """Handle the unread messages of the mailbox and return how many there were; raises `MailboxError`."""
    url = urlsplit(ctx.settings.imap_url)
    try:
        with _mailbox(url) as mailbox:
            mailbox.login(unquote(url.username or ""), unquote(url.password or ""), _folder(url))
            uids = mailbox.uids("UNSEEN", charset=None)[:MOST_AT_ONCE]
            for uid in uids:
                _handle(ctx, mailbox, uid)
            return len(uids)
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
        # Not its message: a server may quote the password.
        raise MailboxError(f"The mailbox at {url.hostname} cannot be read ({type(error).__name__}).") from error


def _mailbox(url: SplitResult) -> BaseMailBox:
    """A connection to the mail server; with TLS its certificate must be valid, which imaplib alone doesn't check."""
    host, port = url.hostname or "", url.port
    if url.scheme == "imap":
        return MailBoxUnencrypted(host, port or 143, timeout=_TIMEOUT)
    context = ssl.create_default_context()
    if url.scheme == "imap+starttls":
        return MailBoxStartTls(host, port or 143, timeout=_TIMEOUT, ssl_context=context)
    return MailBox(host, port or 993, timeout=_TIMEOUT, ssl_context=context)


def _folder(url: SplitResult) -> str:
    return unquote(url.path.removeprefix("/")) or "INBOX"


def _handle(ctx: AppContext, mailbox: BaseMailBox, uid: str) -> None:
    raw = _fetch(mailbox, uid)
    if raw is not None and not _receive(ctx, raw):
        return
    # Not imap-tools' `flag`: that also expunges what others have marked as deleted in the folder.
    _command(mailbox, "STORE", uid, "+FLAGS", r"(\Seen)")


def _receive(ctx: AppContext, raw: bytes) -> bool:
    """Whether the message was handled; one that causes an error stays unread and doesn't block the next ones."""
    logger = logging.getLogger(LOGGER)
    try:
        outcome = receive(ctx, raw)
    except (OperationalError, InterfaceError):
        raise  # without a database there is no point in continuing
    except Exception:
        logger.exception("a reply could not be taken")
        return False
    logger.info("reply", extra={"outcome": outcome.result.value})
    return True


def _fetch(mailbox: BaseMailBox, uid: str) -> bytes | None:
    """The message, still unread; None if it is too large to be a reply, or gone.

    Not with imap-tools' `fetch`: it uses the standard library's parser, which has no limits (see `mime`).
    """
    sizes = [_SIZE.search(line) for line in _command(mailbox, "FETCH", uid, "(RFC822.SIZE)") if isinstance(line, bytes)]
    if any(size and int(size[1]) > LARGEST for size in sizes):
        return None
    found = _command(mailbox, "FETCH", uid, "(BODY.PEEK[])")
    return next((item[1] for item in found if isinstance(item, tuple)), None)


def _command(mailbox: BaseMailBox, command: str, *words: str) -> list[Any]:
    status, found = mailbox.client.uid(command, *words)
    if status != "OK":
        raise imaplib.IMAP4.error(f"{command} was answered with {status}")
    return found
