"""Who paid how much to whom in a game."""

from collections.abc import Sequence

from service.engine.marrakech.actions import Paid
from service.engine.records import Entry


def payments_of(happened: Sequence[Entry], seats: int) -> list[list[int]]:
    """`payments[payer][owner]`: all that was paid."""
    paid = [[0] * seats for _ in range(seats)]
    for entry in happened:
        if isinstance(entry.event, Paid):
            paid[entry.event.payer][entry.event.owner] += entry.event.paid
    return paid
