"""An SMTP and LMTP server for replies; it refuses at once what is not for this server."""

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
from service.mail.inbound.handler import find_link, is_sender, receive
from service.mail.inbound.mime import LARGEST, tokens_in

_LONGEST_LINE: Final = 64 * 1024
"""Far more than the standard's 1000: some mail programs send longer lines, and we want to read them."""
_TIMEOUT: Final = 120

T = TypeVar("T")


class _Smtp(SMTP):
    line_length_limit = _LONGEST_LINE


class _Lmtp(LMTP):
    line_length_limit = _LONGEST_LINE


class SmtpHandler:
    """Our responses at each step of the conversation."""

    def __init__(self, ctx: AppContext) -> None:
        self._ctx = ctx
        # One thread uses the database, so that a slow query doesn't block the other connections.
        self._executor = ThreadPoolExecutor(1, "replies")

    async def handle_RCPT(  # noqa: N802 - aiosmtpd calls it so
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept one address of ours: one with a valid token, or the sender's, for replies that ignore `Reply-To`."""
        if envelope.rcpt_tos:
            # LMTP responds for each recipient; with one recipient there is one response.
            return "452 4.5.3 Only one recipient per message. Please send the rest again."
        if not is_sender(self._ctx, address):
            tokens = tokens_in([address], self._ctx.settings.inbound_domain)
            if not tokens:
                return "550 5.1.1 No such address here"
            known = await self._run(lambda: find_link(self._ctx, tokens[0]))
            if known is None:
                return "550 5.1.1 This address is no longer valid. Please reply to the newest e-mail for this game."
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Handle the message; the response is `250` only after the database has committed."""
        sender = (envelope.mail_from or "").strip("<>")
        raw = f"Return-Path: <{sender}>\r\n".encode("ascii", "replace") + (envelope.original_content or b"")
        await self._run(lambda: receive(self._ctx, raw, envelope.rcpt_tos[0]))
        return "250 2.0.0 OK"

    async def handle_exception(self, error: Exception) -> str:
        """After an error of ours, the mail server keeps the message and tries again."""
        logging.getLogger(LOGGER).error("a reply could not be handled", exc_info=error)
        return "451 4.3.0 Temporary error, please try again later"

    async def _run(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._run_and_close, function)

    def _run_and_close(self, function: Callable[[], T]) -> T:
        try:
            return function()
        except Exception:
            self._ctx.database.close()  # the next call gets a new connection
            raise

    def close(self) -> None:
        """Wait until the current message is handled."""
        self._executor.submit(self._ctx.database.close)
        self._executor.shutdown(wait=True)


def listen(ctx: AppContext, host: str, port: int, lmtp: bool, opened: Callable[[int], None]) -> None:
    """Accept replies until SIGTERM or SIGINT; calls `opened` with the port as soon as it is listening."""
    asyncio.run(_listen(ctx, host, port, _Lmtp if lmtp else _Smtp, opened))


async def _listen(ctx: AppContext, host: str, port: int, protocol: type[SMTP], opened: Callable[[int], None]) -> None:
    loop, stop, handler = asyncio.get_running_loop(), asyncio.Event(), SmtpHandler(ctx)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def create_protocol() -> Any:
        hostname = ctx.settings.inbound_domain
        return protocol(
            handler, data_size_limit=LARGEST, hostname=hostname, ident="Marrakech", timeout=_TIMEOUT, loop=loop
        )

    server = await loop.create_server(create_protocol, host, port)
    try:
        opened(server.sockets[0].getsockname()[1])
        await stop.wait()
    finally:
        server.close()
        handler.close()
