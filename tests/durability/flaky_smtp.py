"""A mail server that fails half of the time in every possible way, and counts when it makes a repeat likely."""

import random
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.mail.smtp_server import DROP, SmtpServer

_STAGE_FAILURES = 0.16
"""For each of the four stages of a letter and for the connection, so that about half of all tries fail."""
_LOST_REPLIES = 0.05


class FlakySmtpServer(SmtpServer):
    """Answers "not now", drops the connection, or takes a letter and drops the connection before its reply."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)  # noqa: S311
        self.failures = 0
        self.accepted_without_reply = 0
        self.failing = True

    def answer(self, stage: str, address: str = "") -> str | None:
        if not self.failing or self._random.random() >= _STAGE_FAILURES:
            return super().answer(stage, address)
        self.failures += 1
        return self._random.choice(["451 4.3.0 not now", "421 4.3.2 closing", *([DROP] if stage != "END" else [])])

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        said: Any = await super().handle_DATA(server, session, envelope)
        if said.startswith("250") and self.failing and self._random.random() < _LOST_REPLIES:
            self.accepted_without_reply += 1
            assert server.transport is not None
            server.transport.abort()  # type: ignore[attr-defined]
        return str(said)
