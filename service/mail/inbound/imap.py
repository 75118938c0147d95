"""Replies from an IMAP mailbox, as they arrive; a message is marked as read only after it was handled."""

import imaplib
import logging
import re
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from imap_tools.errors import ImapToolsError
from imap_tools.mailbox import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from peewee import InterfaceError, OperationalError

from service.context import AppContext
from service.logs import LOGGER
from service.mail.inbound.handler import receive
from service.mail.inbound.mime import LARGEST

IDLE_SECONDS: Final = 60.0
"""IDLE is renewed and the mailbox searched this often, in case a server forgets to announce a message."""
_STOP_SECONDS: Final = 1.0
_TIMEOUT: Final = 30
_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")


class MailboxError(Exception):
    """The mailbox could not be read; its messages wait for the next connection."""


def fetch(ctx: AppContext, stop: threading.Event) -> int:
    """Handle unread messages and return how many there were; raises `MailboxError`.

    If the server has IDLE, the connection stays open and new messages are handled at once, until told to stop.
    """
    with _open(urlsplit(ctx.settings.imap_url)) as mailbox:
        can_idle = _has_idle(mailbox)
        count = _handle_unread(ctx, mailbox, stop)
        while can_idle and not stop.is_set():
            _wait_for_mail(mailbox, stop)
            count += _handle_unread(ctx, mailbox, stop)
    return count


@contextmanager
def _open(url: SplitResult) -> Iterator[BaseMailBox]:
    """The mailbox after the login; an error while it is used is a `MailboxError`."""
    try:
        mailbox = _mailbox(url)
        try:
            mailbox.login(unquote(url.username or ""), unquote(url.password or ""), _folder(url))
            yield mailbox
            mailbox.logout()
        except BaseException:
            mailbox.client.shutdown()  # a failed logout leaves the connection open
            raise
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
        # Not its message: a server may quote the password.
        raise MailboxError(f"Couldn't read the mailbox at {url.hostname} ({type(error).__name__}).") from error


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


def _has_idle(mailbox: BaseMailBox) -> bool:
    """Whether the server can announce new messages; asked after the login, when some servers can do more."""
    _, words = mailbox.client.capability()
    return b"IDLE" in words[-1].upper().split()


def _wait_for_mail(mailbox: BaseMailBox, stop: threading.Event) -> None:
    """Return when the server has announced something, after a minute, or soon after we are told to stop."""
    until = time.monotonic() + IDLE_SECONDS
    with mailbox.idle as idle:
        while not stop.is_set() and (began := time.monotonic()) < until:
            # It also returns early, with nothing, if the connection is lost; leaving IDLE raises the error then.
            if idle.poll(_STOP_SECONDS) or time.monotonic() - began < _STOP_SECONDS:
                return


def _handle_unread(ctx: AppContext, mailbox: BaseMailBox, stop: threading.Event) -> int:
    uids = mailbox.uids("UNSEEN", charset=None)
    for number, uid in enumerate(uids):
        if stop.is_set():
            return number
        _handle(ctx, mailbox, uid)
    return len(uids)


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
        logger.exception("a reply could not be handled")
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
