"""A worker process hit by a signal at a given point: `python -m tests.mail.crashing_worker POINT N SIGNAL NOW`.

The N-th time it comes to the point it sends the signal to itself, so that tests need no luck. It works until the
outbox has nothing that is due at the moment NOW.
"""

import os
import signal
import smtplib
import sys
from pathlib import Path
from typing import Any

from service.app import create_context
from service.config import load_settings
from service.mail import outbox
from service.mail.delivery import Delivery
from tests.support.pictures import use_tiny_pictures

POINTS = ("before the claim", "after the claim", "within the letter", "before the mark")


class Fate:
    """Hits this process when it comes to its point for the n-th time."""

    def __init__(self, point: str, number: int, with_signal: int) -> None:
        self.point, self.left, self.signal = point, number, with_signal

    def is_at(self, point: str) -> bool:
        self.left -= point == self.point
        return point == self.point and self.left == 0

    def strike(self) -> None:
        os.kill(os.getpid(), self.signal)

    def strike_at(self, point: str) -> None:
        if self.is_at(point):
            self.strike()


def put_under(fate: Fate) -> None:
    """Have everything that happens to a letter pass before the fate."""
    claim, mark_sent, data = outbox.claim, outbox.mark_sent, smtplib.SMTP.data

    def claiming(*given: Any) -> Any:
        fate.strike_at(POINTS[0])
        claimed = claim(*given)
        fate.strike_at(POINTS[1])
        return claimed

    def handing_over(line: smtplib.SMTP, letter: bytes) -> Any:
        if fate.is_at(POINTS[2]):
            line.putcmd("data")
            line.getreply()
            line.send(letter[: len(letter) // 2])
            fate.strike()
        return data(line, letter)

    def marking(*given: Any) -> bool:
        fate.strike_at(POINTS[3])
        return mark_sent(*given)

    wrapped: list[tuple[Any, str, Any]] = [
        (outbox, "claim", claiming),
        (outbox, "mark_sent", marking),
        (smtplib.SMTP, "data", handing_over),
    ]
    for owner, name, function in wrapped:
        setattr(owner, name, function)


def main() -> None:
    use_tiny_pictures()
    point, number, with_signal, now = sys.argv[1:]
    put_under(Fate(point, int(number), signal.Signals[with_signal]))
    ctx = create_context(load_settings(os.environ, Path.cwd()), lambda: float(now))
    delivery = Delivery(ctx)
    while delivery.deliver():
        pass
    delivery.close()
    ctx.database.close()


if __name__ == "__main__":
    main()
