"""Putting letters into the outbox, in the transaction that gives rise to them."""

from collections.abc import Iterable
from typing import NamedTuple

from service.db.connection import Database
from service.db.models import Letter


class NewLetter(NamedTuple):
    """A letter to be sent. Two that tell the same to the same person have the same `about`, and one is sent."""

    kind: str
    address: str
    about: str
    game: str | None = None
    seat: int | None = None
    turn: int | None = None
    details: str = "{}"


def enqueue_letters(database: Database, letters: Iterable[NewLetter], now: float) -> None:
    """Insert letters that are due now; one with the same `about` as an earlier one is not inserted again."""
    rows = [{**letter._asdict(), "due": now, "created": now} for letter in letters]
    if rows:
        Letter.insert_many(rows).on_conflict("nothing", conflict_target=[Letter.about]).execute(database)
