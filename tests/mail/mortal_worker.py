"""A worker process that is hit by a signal at a certain point: `python -m tests.mail.mortal_worker POINT N SIGNAL NOW`.

The N-th time it comes to the point it sends the signal to itself, so that tests need no luck. It works until the
outbox has nothing that is due at the moment NOW.
"""

import os
import signal
import smtplib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.app import open_office
from service.mail import outbox
from service.mail.delivery import Delivery
from service.settings import load_settings

POINTS = ("before the claim", "after the claim", "within the letter", "before the mark")


def hit_at(point: str, number: int, with_signal: int) -> None:
    """Have this process hit when it comes to the point for the n-th time."""
    passed = 0

    def here() -> bool:
        nonlocal passed
        passed += 1
        return passed == number

    def hit() -> None:
        os.kill(os.getpid(), with_signal)

    claim, mark_sent, data = outbox.claim, outbox.mark_sent, smtplib.SMTP.data

    def claiming(*given: Any) -> Any:
        if point == POINTS[0] and here():
            hit()
        claimed = claim(*given)
        if point == POINTS[1] and here():
            hit()
        return claimed

    def handing_over(line: smtplib.SMTP, letter: bytes) -> Any:
        if point == POINTS[2] and here():
            line.putcmd("data")
            line.getreply()
            line.send(letter[: len(letter) // 2])
            hit()
        return data(line, letter)

    def marking(*given: Any) -> bool:
        if point == POINTS[3] and here():
            hit()
        return mark_sent(*given)

    wrapped: list[tuple[Any, str, Callable[..., Any]]] = [
        (outbox, "claim", claiming),
        (outbox, "mark_sent", marking),
        (smtplib.SMTP, "data", handing_over),
    ]
    for owner, name, function in wrapped:
        setattr(owner, name, function)


def main(point: str, number: str, with_signal: str, now: str) -> None:
    hit_at(point, int(number), signal.Signals[with_signal])
    office = open_office(load_settings(os.environ, Path.cwd()), lambda: float(now))
    delivery = Delivery(office)
    while delivery.deliver():
        pass
    delivery.close()
    office.database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
