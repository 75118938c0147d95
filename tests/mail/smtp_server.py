"""A real mail server on loopback that takes letters, refuses them as it is told, hangs, hangs up and comes back."""

import asyncio
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, NamedTuple, Self

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

DROP = "drop the line"
HANG = "say nothing"


class Received(NamedTuple):
    """A letter that has arrived."""

    sender: str
    address: str
    raw: bytes
    encrypted: bool

    @property
    def message(self) -> EmailMessage:
        parsed = message_from_bytes(self.raw, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    @property
    def id(self) -> str:
        return str(self.message["Message-ID"])


class SmtpServer:
    """The server; `refuse` says what it answers next, and to whom."""

    def __init__(self, *, port: int = 0, tls: ssl.SSLContext | None = None, **options: Any) -> None:
        self.letters: list[Received] = []
        self.lines = 0
        """How many connections were made so far."""
        self.names: set[str] = set()
        """By which names the clients have introduced themselves."""
        self._answers: dict[str, list[str]] = defaultdict(list)
        self._for_addresses: dict[str, str] = {}
        self._port, self._tls = port, tls
        self._options = {"hostname": "post.example.org", "loop": None, **options}
        self._open: set[_Conversation | _Refusal] = set()
        self._up = threading.Event()
        self.hanging = 0
        """How many clients were left hanging so far."""

    def refuse(self, stage: str, *answers: str) -> None:
        """Answer so to the next commands: stage is connect, MAIL, RCPT, DATA (before the letter) or END (after it)."""
        self._answers[stage] += answers

    def refuse_address(self, address: str, answer: str) -> None:
        self._for_addresses[address] = answer

    def answer(self, stage: str, address: str = "") -> str | None:
        if stage == "RCPT" and address in self._for_addresses:
            return self._for_addresses[address]
        return self._answers[stage].pop(0) if self._answers[stage] else None

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    @property
    def ids(self) -> list[str]:
        return [letter.id for letter in self.letters]

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._up.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Be gone; a second time does no harm."""
        if not self._up.is_set():
            return
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(10)
        self._up.clear()

    def hang_up(self) -> None:
        """Break every line, as a server does that is tired of waiting."""
        done = threading.Event()
        self._loop.call_soon_threadsafe(self._abort)
        self._loop.call_soon_threadsafe(done.set)
        assert done.wait(10)

    def let_go(self) -> None:
        """Go on with those who were left hanging, as if nothing had been."""
        self._loop.call_soon_threadsafe(self.go_on.set)

    async def _serve(self) -> None:
        self._loop, self._closing, self.go_on = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        self._options["loop"] = self._loop
        listening = await self._loop.create_server(self._conversation, "127.0.0.1", self._port, ssl=self._tls)
        self._port = listening.sockets[0].getsockname()[1]
        self._up.set()
        await self._closing.wait()
        listening.close()
        self._abort()
        await asyncio.sleep(0)

    def _conversation(self) -> "_Conversation | _Refusal":
        self.lines += 1
        answer = self.answer("connect")
        self.hanging += answer == HANG
        conversation = _Conversation(self, **self._options) if answer is None else _Refusal(answer)
        self._open.add(conversation)
        return conversation

    def _abort(self) -> None:
        for conversation in self._open:
            if isinstance(conversation.transport, asyncio.Transport):
                conversation.transport.abort()
        self._open.clear()

    # What aiosmtpd asks of a handler.

    async def handle_EHLO(  # noqa: N802
        self, _: Any, session: Session, __: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = name
        self.names.add(name)
        return responses

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = self.answer("END")
        if answer is not None:
            return answer
        assert isinstance(envelope.content, bytes)
        assert server.transport is not None
        encrypted = server.transport.get_extra_info("ssl_object") is not None
        for address in envelope.rcpt_tos:
            self.letters.append(Received(str(envelope.mail_from), address, envelope.content, encrypted))
        return "250 taken"


class _Refusal(asyncio.Protocol):
    """A connection that gets no greeting: it is dropped, left hanging or given another answer."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if self.answer == DROP:
            transport.abort()
        elif self.answer != HANG:
            transport.write(f"{self.answer}\r\n".encode())
            if self.answer.startswith("421"):
                transport.close()


class _Conversation(SMTP):
    """One connection, which gives the answers that the test has set before the usual ones."""

    def __init__(self, server: SmtpServer, **options: Any) -> None:
        super().__init__(server, **options)
        self._server = server
        self._drop_next_data = False

    def data_received(self, data: bytes) -> None:
        if self._drop_next_data:
            self.transport.abort()  # type: ignore[union-attr]
        else:
            super().data_received(data)

    async def smtp_MAIL(self, arg: str | None) -> None:  # noqa: N802
        if not await self._told("MAIL"):
            await super().smtp_MAIL(arg)

    async def smtp_RCPT(self, arg: str | None) -> None:  # noqa: N802
        address = (arg or "").partition("<")[2].partition(">")[0]
        if not await self._told("RCPT", address):
            await super().smtp_RCPT(arg)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        if not await self._told("DATA"):
            await super().smtp_DATA(arg)

    async def _told(self, stage: str, address: str = "") -> bool:
        answer = self._server.answer(stage, address)
        if answer is None:
            return False
        if answer == HANG:
            self._server.hanging += 1
            await self._server.go_on.wait()
            return False
        if answer == DROP:
            if stage == "DATA":
                self._drop_next_data = True
                await self.push("354 go on")
            else:
                self.transport.abort()  # type: ignore[union-attr]
        else:
            await self.push(answer)
            if answer.startswith("421"):
                self.transport.close()  # type: ignore[union-attr]
        return True


def only(user: str, password: str) -> Callable[..., AuthResult]:
    """An authenticator that knows one user."""

    def authenticate(_: Any, __: Any, ___: Any, mechanism: str, given: Any) -> AuthResult:
        known = isinstance(given, LoginPassword) and given == LoginPassword(user.encode(), password.encode())
        return AuthResult(success=known, handled=False)

    return authenticate
