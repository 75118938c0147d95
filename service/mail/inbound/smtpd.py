"""A door for mail servers: takes replies by SMTP or LMTP, and turns away at once what is not for this server."""

import asyncio
import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from service.context import AppContext
from service.logs import LOGGER
from service.mail.inbound.handler import link_of, receive
from service.mail.inbound.mime import LARGEST
from service.mail.inbound.reading import tokens_in

_LONGEST_LINE: Final = 64 * 1024
"""Far more than the standard's 1000: who sends a long line is to be understood, not to be taught."""
_PATIENCE: Final = 120

T = TypeVar("T")


class _Smtp(SMTP):
    line_length_limit = _LONGEST_LINE


class _Lmtp(LMTP):
    line_length_limit = _LONGEST_LINE


class Door:
    """What is answered to a mail server at each step."""

    def __init__(self, ctx: AppContext) -> None:
        self._office = ctx
        # The database is asked by one thread of its own, so that slow answers hold nobody up at the door.
        self._desk = ThreadPoolExecutor(1, "replies")

    async def handle_RCPT(  # noqa: N802 - aiosmtpd calls it so
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take one address of ours whose token is good now."""
        if envelope.rcpt_tos:
            # With one recipient LMTP has one answer to give, and what is said about a message is said about its letter.
            return "452 4.5.3 One recipient for each message, please; send the rest again"
        tokens = tokens_in([address], self._office.settings.inbound_domain)
        if not tokens:
            return "550 5.1.1 No such address here"
        known = await self._asked(lambda: link_of(self._office, tokens[0]))
        if known is None:
            return "550 5.1.1 That address is not good any more; answer the newest letter of the game"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Deal with the message; `250` is said when it is on the disk."""
        sender = (envelope.mail_from or "").strip("<>")
        raw = f"Return-Path: <{sender}>\r\n".encode("ascii", "replace") + (envelope.original_content or b"")
        await self._asked(lambda: receive(self._office, raw, envelope.rcpt_tos[0]))
        return "250 2.0.0 OK"

    async def handle_exception(self, error: Exception) -> str:
        """Whatever went wrong here, the mail server keeps the message and comes again."""
        logging.getLogger(LOGGER).error("a reply could not be taken", exc_info=error)
        return "451 4.3.0 That cannot be done just now; try again later"

    async def _asked(self, question: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._desk, self._at_the_desk, question)

    def _at_the_desk(self, question: Callable[[], T]) -> T:
        try:
            return question()
        except Exception:
            self._office.database.close()  # the next one gets a new connection
            raise

    def close(self) -> None:
        """Finish what is being done."""
        self._desk.submit(self._office.database.close)
        self._desk.shutdown(wait=True)


def listen(ctx: AppContext, host: str, port: int, lmtp: bool, opened: Callable[[int], None]) -> None:
    """Take replies until the process is told to stop; says at which port as soon as the door is open."""
    asyncio.run(_listen(ctx, host, port, _Lmtp if lmtp else _Smtp, opened))


async def _listen(ctx: AppContext, host: str, port: int, protocol: type[SMTP], opened: Callable[[int], None]) -> None:
    loop, stop, door = asyncio.get_running_loop(), asyncio.Event(), Door(ctx)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def greet() -> Any:
        hostname = ctx.settings.inbound_domain
        return protocol(
            door, data_size_limit=LARGEST, hostname=hostname, ident="Marrakech", timeout=_PATIENCE, loop=loop
        )

    server = await loop.create_server(greet, host, port)
    try:
        opened(server.sockets[0].getsockname()[1])
        await stop.wait()
    finally:
        server.close()
        door.close()
