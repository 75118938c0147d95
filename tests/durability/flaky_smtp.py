"""A mail server that fails half of the time, in every way there is, and remembers how often it made a repeat likely."""

import random
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.mail.smtp_server import DROP, SmtpServer

_OF_A_STAGE = 0.16
"""A letter passes four stages and a connection: so about half of all tries fail."""
_OF_HAVING_TAKEN_IT = 0.05


class FlakySmtpServer(SmtpServer):
    """Says no for now, breaks the line, or takes a letter and breaks the line before it has said so."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._luck = random.Random(seed)  # noqa: S311
        self.failures = 0
        self.taken_without_a_word = 0
        self.moody = True

    def answer(self, stage: str, address: str = "") -> str | None:
        if not self.moody or self._luck.random() >= _OF_A_STAGE:
            return super().answer(stage, address)
        self.failures += 1
        return self._luck.choice(["451 4.3.0 not now", "421 4.3.2 closing", *([DROP] if stage != "END" else [])])

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        said: Any = await super().handle_DATA(server, session, envelope)
        if said.startswith("250") and self.moody and self._luck.random() < _OF_HAVING_TAKEN_IT:
            self.taken_without_a_word += 1
            assert server.transport is not None
            server.transport.abort()  # type: ignore[attr-defined]
        return str(said)
