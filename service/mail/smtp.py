"""The conversation with the mail server: one line that is kept over many letters, and what its refusals mean."""

import smtplib
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from service.db import letter_texts
from service.text import clean

TIMEOUT: Final = 30.0
"""Seconds for anything the server is asked: a connection, an answer, taking the next part of a letter."""
IDLE_SECONDS: Final = 30.0
LETTERS_ON_A_LINE: Final = 100
_FAREWELL: Final = 5.0
_LONGEST_WORDS: Final = 500
_PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_CLOSING: Final = 421


class NoConnection(Exception):
    """The server cannot be reached or wants nothing from us at all: no letter is to blame."""


class Refused(Exception):
    """The server did not take one letter: for now, or for good."""

    def __init__(self, words: str, *, temporary: bool, of_reader: bool) -> None:
        super().__init__(words)
        self.temporary = temporary
        self.of_reader = of_reader
        """Whether it was about the address or the letter, and not about the sender."""


class Server(NamedTuple):
    """Where the mail server is, and who we are to it."""

    scheme: str
    host: str
    port: int
    user: str
    password: str

    @property
    def name(self) -> str:
        """What people call it; no password stands in it."""
        return f"{self.host}:{self.port}"


def server_at(smtp_url: str) -> Server:
    """The server of a URL that the settings have checked."""
    parts = urlsplit(smtp_url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Server(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme], user, password)


def _always() -> bool:
    return True


class SmtpClient:
    """Brings letters to one mail server; the line is made when it is needed, and again when it broke."""

    def __init__(self, smtp_url: str, our_name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.server = server_at(smtp_url)
        self._our_name = our_name
        self._clock = clock
        self._line: smtplib.SMTP | None = None
        self._carried = 0
        self._used = 0.0

    def carry(self, sender: str, address: str, letter: bytes, still_wanted: Callable[[], bool] = _always) -> bool:
        """Hand a letter over; raises `Refused` or `NoConnection`. False where it was no longer wanted at the last."""
        fresh = self._line is None
        try:
            self._announce(sender, address, len(letter))
        except NoConnection:
            if fresh:
                raise
            # The server was only tired of the old line, and nothing of the letter has gone out on it.
            self._announce(sender, address, len(letter))
        if not still_wanted():
            self._start_over()
            return False
        self._hand_over(letter)
        return True

    def check(self) -> None:
        """Talk to the server as far as one can without a letter; raises `NoConnection`."""
        with self._talking() as line:
            code, words = line.noop()
        if code != 250:
            raise NoConnection(_sentence(code, words))

    def rest(self) -> None:
        """Hang up where nothing was said for a while: the server would, and we should notice too late."""
        if self._line is not None and self._clock() - self._used >= IDLE_SECONDS:
            self.close()

    def close(self) -> None:
        """Say goodbye."""
        line, self._line = self._line, None
        if line is not None:
            with suppress(OSError):
                if line.sock is not None:
                    line.sock.settimeout(_FAREWELL)
                line.quit()
            line.close()

    def _announce(self, sender: str, address: str, size: int) -> None:
        """Say who the letter is from and for."""
        with self._talking() as line:
            code, words = line.mail(sender, [f"SIZE={size}"] if line.has_extn("size") else [])
            self._judge(code, words, of_reader=False)
            code, words = line.rcpt(address)
            self._judge(code, words, of_reader=True)

    def _hand_over(self, letter: bytes) -> None:
        line = self._connected()
        try:
            code, words = line.data(letter)
        except smtplib.SMTPDataError as refusal:
            code, words = refusal.smtp_code, _bytes(refusal.smtp_error)
        except OSError as trouble:
            # Nobody knows whether the server has the letter; another try has the same Message-ID.
            self._hang_up()
            words_for_people = letter_texts.LINE_BROKE % {"words": _words_of(trouble)}
            raise Refused(words_for_people, temporary=True, of_reader=False) from trouble
        self._carried += 1
        self._used = self._clock()
        try:
            self._judge(code, words, of_reader=True)
        except NoConnection as closing:
            raise Refused(str(closing), temporary=True, of_reader=False) from closing
        if self._carried >= LETTERS_ON_A_LINE:
            self.close()

    def _judge(self, code: int, words: bytes, *, of_reader: bool) -> None:
        """Go on after a yes; raise what a no means."""
        if 200 <= code < 300:
            return
        sentence = _sentence(code, words)
        if code == _CLOSING or not 400 <= code < 600:
            self._hang_up()
            raise NoConnection(sentence)
        self._start_over()
        raise Refused(sentence, temporary=code < 500, of_reader=of_reader)

    def _start_over(self) -> None:
        """Have the server forget the letter that was announced; a line on which that fails is given up."""
        with suppress(NoConnection), self._talking() as line:
            line.rset()

    @contextmanager
    def _talking(self) -> Iterator[smtplib.SMTP]:
        """The line; whatever breaks it is no letter's fault."""
        try:
            yield self._connected()
        except OSError as trouble:  # smtplib's own errors are such as well
            self._hang_up()
            words = {"server": self.server.name, "words": _words_of(trouble)}
            raise NoConnection(letter_texts.BROKE_OFF % words) from trouble
        self._used = self._clock()

    def _connected(self) -> smtplib.SMTP:
        if self._line is None:
            try:
                self._line = self._connect()
            except (OSError, UnicodeError) as trouble:
                words = {"server": self.server.name, "words": _words_of(trouble)}
                raise NoConnection(letter_texts.CANNOT_BE_USED % words) from trouble
            self._carried, self._used = 0, self._clock()
        return self._line

    def _connect(self) -> smtplib.SMTP:
        server = self.server
        # The certificate must be good and be that of this host.
        context = None if server.scheme == "smtp" else ssl.create_default_context()
        if server.scheme == "smtps":
            line: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, self._our_name, timeout=TIMEOUT, context=context
            )
        else:
            line = smtplib.SMTP(server.host, server.port, self._our_name, timeout=TIMEOUT)
        try:
            if server.scheme == "smtp+starttls":
                line.starttls(context=context)  # raises where the server has none: nothing is sent in the clear
            line.ehlo_or_helo_if_needed()
            if server.user:
                line.login(server.user, server.password)
        except BaseException:
            line.close()
            raise
        return line

    def _hang_up(self) -> None:
        """Give a broken line up without a word."""
        line, self._line = self._line, None
        if line is not None:
            line.close()


def _sentence(code: int, words: bytes) -> str:
    """The server's words, on one line and of bearable length."""
    said = clean(words.decode("utf-8", "replace").replace("\n", " "))
    return f"{code} {said}".strip()[:_LONGEST_WORDS]


def _bytes(words: bytes | str) -> bytes:
    return words.encode("utf-8", "replace") if isinstance(words, str) else words


def _words_of(trouble: Exception) -> str:
    match trouble:
        case smtplib.SMTPResponseException():
            return _sentence(trouble.smtp_code, _bytes(trouble.smtp_error))
        case ssl.SSLCertVerificationError():
            return letter_texts.BAD_CERTIFICATE % {"words": trouble.verify_message}
        case UnicodeError():
            return letter_texts.UNKNOWN_CHARACTERS
        case TimeoutError():
            return letter_texts.NO_ANSWER
        case OSError(strerror=str(words)) if words:
            return words
    return clean(str(trouble))[:_LONGEST_WORDS] or type(trouble).__name__
