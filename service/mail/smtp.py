"""The SMTP client: one connection for many letters, and what a server's refusals mean."""

import smtplib
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from service.db import letter_texts
from service.text import clean

TIMEOUT: Final = 18.0
"""Seconds for each step: to connect, to get a response, to send a message.

The last three (DATA, the message, its response) must be over before the claim on the letter expires.
"""
IDLE_SECONDS: Final = 30.0
LETTERS_PER_CONNECTION: Final = 100
_QUIT_TIMEOUT: Final = 5.0
_LONGEST_WORDS: Final = 500
_PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_CLOSING: Final = 421


class NoConnection(Exception):
    """The server can't be reached or accepts nothing at all from us: no letter is to blame."""


class Refused(Exception):
    """The server did not accept one letter: for now, or for good."""

    def __init__(self, words: str, *, temporary: bool, about_recipient: bool) -> None:
        super().__init__(words)
        self.temporary = temporary
        self.about_recipient = about_recipient
        """Whether the recipient or the letter was refused, and not the sender."""


class Server(NamedTuple):
    """The address of the mail server and our credentials."""

    scheme: str
    host: str
    port: int
    user: str
    password: str

    @property
    def name(self) -> str:
        """Host and port, for messages; without the password."""
        return f"{self.host}:{self.port}"


def server_at(smtp_url: str) -> Server:
    """The server of a URL that the settings have validated."""
    parts = urlsplit(smtp_url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Server(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme], user, password)


def _always() -> bool:
    return True


class SmtpClient:
    """Sends letters to one mail server; it connects when needed, and again after the connection broke."""

    def __init__(self, smtp_url: str, our_name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.server = server_at(smtp_url)
        self._our_name = our_name
        self._clock = clock
        self._connection: smtplib.SMTP | None = None
        self._sent = 0
        self._last_used = 0.0

    def send(self, sender: str, address: str, message: bytes, still_wanted: Callable[[], bool] = _always) -> bool:
        """Send a message; raises `Refused` or `NoConnection`. Returns False if it was no longer wanted at the last."""
        is_new = self._connection is None
        try:
            self._send_envelope(sender, address, len(message))
        except NoConnection:
            if is_new:
                raise
            # The server has closed the old connection, and nothing of the letter was sent yet.
            self._send_envelope(sender, address, len(message))
        wanted = False
        try:
            wanted = still_wanted()
        finally:
            if not wanted:
                self._reset()
        if wanted:
            self._send_data(message)
        return wanted

    def check(self) -> None:
        """Connect and log in without sending anything; raises `NoConnection`."""
        with self._use_connection() as connection:
            code, words = connection.noop()
        if code != 250:
            raise NoConnection(_sentence(code, words))

    def close_if_idle(self) -> None:
        """Close a connection that was not used for a while, before the server does."""
        if self._connection is not None and self._clock() - self._last_used >= IDLE_SECONDS:
            self.close()

    def close(self) -> None:
        """Say QUIT and close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                if connection.sock is not None:
                    connection.sock.settimeout(_QUIT_TIMEOUT)
                connection.quit()
            connection.close()

    def _send_envelope(self, sender: str, address: str, size: int) -> None:
        with self._use_connection() as connection:
            code, words = connection.mail(sender, [f"SIZE={size}"] if connection.has_extn("size") else [])
            self._check_response(code, words, about_recipient=False)
            code, words = connection.rcpt(address)
            self._check_response(code, words, about_recipient=True)

    def _send_data(self, message: bytes) -> None:
        connection = self._connect_if_needed()
        try:
            code, words = connection.data(message)
        except smtplib.SMTPDataError as refusal:
            code, words = refusal.smtp_code, _bytes(refusal.smtp_error)
        except OSError as error:
            # The server may or may not have the letter; the next attempt has the same Message-ID.
            self._disconnect()
            sentence = letter_texts.LINE_BROKE % {"words": _describe(error)}
            raise Refused(sentence, temporary=True, about_recipient=False) from error
        self._sent += 1
        self._last_used = self._clock()
        try:
            self._check_response(code, words, about_recipient=True)
        except NoConnection as closing:
            raise Refused(str(closing), temporary=True, about_recipient=False) from closing
        if self._sent >= LETTERS_PER_CONNECTION:
            self.close()

    def _check_response(self, code: int, words: bytes, *, about_recipient: bool) -> None:
        """Raise what a negative response means."""
        if 200 <= code < 300:
            return
        sentence = _sentence(code, words)
        if code == _CLOSING or not 400 <= code < 600:
            self._disconnect()
            raise NoConnection(sentence)
        self._reset()
        raise Refused(sentence, temporary=code < 500, about_recipient=about_recipient)

    def _reset(self) -> None:
        """End the current mail transaction; a connection on which that fails is closed."""
        with suppress(NoConnection), self._use_connection() as connection:
            connection.rset()

    @contextmanager
    def _use_connection(self) -> Iterator[smtplib.SMTP]:
        """The connection; an error on it is no letter's fault."""
        try:
            yield self._connect_if_needed()
        except OSError as error:  # smtplib's own errors are OSErrors too
            self._disconnect()
            words = {"server": self.server.name, "words": _describe(error)}
            raise NoConnection(letter_texts.BROKE_OFF % words) from error
        self._last_used = self._clock()

    def _connect_if_needed(self) -> smtplib.SMTP:
        if self._connection is None:
            try:
                self._connection = self._connect()
            except (OSError, UnicodeError) as error:
                words = {"server": self.server.name, "words": _describe(error)}
                raise NoConnection(letter_texts.CANNOT_BE_USED % words) from error
            self._sent, self._last_used = 0, self._clock()
        return self._connection

    def _connect(self) -> smtplib.SMTP:
        server, name = self.server, self._our_name
        # The certificate must be valid and belong to this host.
        context = None if server.scheme == "smtp" else ssl.create_default_context()
        if server.scheme == "smtps":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, name, timeout=TIMEOUT, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, name, timeout=TIMEOUT)
        try:
            if server.scheme == "smtp+starttls":
                connection.starttls(context=context)  # raises if the server has no TLS: nothing is sent in the clear
            connection.ehlo_or_helo_if_needed()
            if server.user:
                connection.login(server.user, server.password)
        except BaseException:
            connection.close()
            raise
        return connection

    def _disconnect(self) -> None:
        """Close a broken connection without QUIT."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _sentence(code: int, words: bytes) -> str:
    """The server's response on one line of limited length."""
    said = clean(words.decode("utf-8", "replace").replace("\n", " "))
    return f"{code} {said}".strip()[:_LONGEST_WORDS]


def _bytes(words: bytes | str) -> bytes:
    return words.encode("utf-8", "replace") if isinstance(words, str) else words


def _describe(error: Exception) -> str:
    match error:
        case smtplib.SMTPResponseException():
            return _sentence(error.smtp_code, _bytes(error.smtp_error))
        case ssl.SSLCertVerificationError():
            return letter_texts.BAD_CERTIFICATE % {"words": error.verify_message}
        case UnicodeError():
            return letter_texts.UNKNOWN_CHARACTERS
        case TimeoutError():
            return letter_texts.NO_ANSWER
        case OSError(strerror=str(words)) if words:
            return words
    return clean(str(error))[:_LONGEST_WORDS] or type(error).__name__
