"""Letters in the database: the outbox, their statuses, and what the server host can do with unsent ones."""

import hashlib
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from peewee import JOIN, SQL

from service.db.connection import Database
from service.db.letter_texts import DROPPED_BY_HAND, TURN_PLAYED
from service.db.models import Channel, Game, Letter, Player

WAITING: Final = "waiting"
SENT: Final = "sent"
PARKED: Final = "parked"
"""Refused for good: nothing more happens until the server host decides."""
DROPPED: Final = "dropped"
"""Not worth sending any more."""
KEPT: Final = "kept"
"""Written to the development mailbox, because there is no mail server."""
STATUSES: Final = (WAITING, SENT, PARKED, DROPPED, KEPT)

IS_WAITING: Final = SQL("status = 'waiting'")
"""A literal, because most letters are sent: with a parameter, PostgreSQL plans for any status and scans the table."""
LONGEST_WAIT_FOR_SERVER: Final = 15 * 60.0
"""An unreachable mail server delays all letters, which are retried soon after it is back."""
IS_HELD: Final[Any] = (Letter.rejections > 0) & Letter.status.in_([WAITING, PARKED])
"""Whether a full mailbox or a spam filter keeps the letter from its reader."""
PRUNED_AT_ONCE: Final = 1000
NOTIFIED: Final = frozenset({"invitation", "turn", "reminder", "time-up", "over"})
"""The kinds that also go to the channels of their reader."""
LONGEST_ID: Final = 2**31 - 1
"""PostgreSQL refuses to compare an id with a larger number."""


class NewLetter(NamedTuple):
    """A letter to be sent. Two with the same content for the same person have the same `about`, and one is sent."""

    kind: str
    address: str
    about: str
    game: str | None = None
    seat: int | None = None
    turn: int | None = None
    details: str = "{}"
    channel: str | None = None


def enqueue_letters(database: Database, letters: Iterable[NewLetter], now: float) -> None:
    """Insert letters that are due now, also for the channels of their readers.

    One with the same `about` as an earlier one is not inserted again.
    """
    new = list(letters)
    new += _for_channels(database, [letter for letter in new if letter.kind in NOTIFIED])
    rows = [{**letter._asdict(), "due": now, "created": now} for letter in new]
    if rows:
        Letter.insert_many(rows).on_conflict("nothing", conflict_target=[Letter.about]).execute(database)


def _for_channels(database: Database, letters: list[NewLetter]) -> list[NewLetter]:
    """A copy of each letter for every channel of its reader."""
    if not letters:
        return []
    addresses = [letter.address for letter in letters]
    rows = Channel.select(Channel.id, Player.email).join(Player).where(Player.email.in_(addresses))
    channels = list(rows.order_by(Channel.created, Channel.id).tuples().execute(database))
    return [
        letter._replace(about=f"{letter.about}#{channel}", channel=channel)
        for letter in letters
        for channel, address in channels
        if address == letter.address
    ]


def drop_turn_letters(database: Database, game_id: str, turn: int) -> None:
    """Drop unsent letters about an earlier turn; a worker that has claimed one decides about it."""
    held = (Letter.game == game_id) & IS_WAITING & (Letter.kind == "turn") & (Letter.turn < turn)
    changes = {"status": DROPPED, "trouble": TURN_PLAYED}
    Letter.update(**changes).where(held & Letter.claim.is_null()).execute(database)


class RepliedLetter(NamedTuple):
    """What a reply to a letter is about, as in the token of the letter's `Reply-To`."""

    game: str
    seat: int
    turn: int
    version: int


def record_message_id(database: Database, letter_id: int, message_id: str, turn: int, version: int) -> None:
    """Record what a reply to a letter is about, before it is sent with this id."""
    changes = {"message_hash": _hash(message_id), "reply_turn": turn, "reply_version": version}
    Letter.update(**changes).where(Letter.id == letter_id).execute(database)


def find_replied_letter(database: Database, message_ids: Iterable[str]) -> RepliedLetter | None:
    """What the letter with the first known one of these ids is about; None if there is none any more."""
    hashes = [_hash(message_id) for message_id in message_ids]
    rows = (
        Letter.select(Letter.message_hash, Letter.game, Letter.seat, Letter.reply_turn, Letter.reply_version)
        .where(Letter.message_hash.in_(hashes))
        .tuples()
        .execute(database)
    )
    found = {row[0]: RepliedLetter(*row[1:]) for row in rows}
    return next((found[each] for each in hashes if each in found), None)


def _hash(message_id: str) -> str:
    # The id plays a turn as the token of a reply address does, so it is not stored itself.
    return hashlib.sha256(message_id.encode()).hexdigest()


def list_letters(database: Database, statuses: Iterable[str], limit: int) -> list[Any]:
    """The newest letters with one of these statuses."""
    chosen = Letter.select().where(Letter.status.in_(list(statuses)))
    return list(chosen.order_by(Letter.id.desc()).limit(limit).execute(database))


def retry_letter(database: Database, letter_id: int, now: float) -> bool:
    """Send a letter that was not sent, now and as if for the first time; False if there is no such letter."""
    return letter_id <= LONGEST_ID and _retry(database, Letter.id == letter_id, now) == 1


def retry_parked(database: Database, now: float) -> int:
    """Do the same with all parked letters; returns how many."""
    return _retry(database, Letter.status == PARKED, now)


def _retry(database: Database, chosen: Any, now: float) -> int:
    unsent = chosen & Letter.status.in_([WAITING, PARKED, DROPPED, KEPT])
    with database.atomic():
        # Letters to an address that was refused before would be dropped again.
        addresses = Letter.select(Letter.address).where(unsent & Letter.channel.is_null())
        Player.update(mail_trouble=None, rejections=0).where(Player.email.in_(addresses)).execute(database)
        # The claim stays: a worker may be sending the letter at this moment.
        again = {"status": WAITING, "due": now, "tries": 0, "rejections": 0}
        changed: int = Letter.update(**again).where(unsent).execute(database)
    return changed


def drop_letter(database: Database, letter_id: int) -> bool:
    """Drop a letter that was not sent; a worker that has claimed it notices before sending it."""
    if letter_id > LONGEST_ID:
        return False
    unsent = (Letter.id == letter_id) & Letter.status.in_([WAITING, PARKED])
    changes = {"status": DROPPED, "trouble": DROPPED_BY_HAND, "claim": None, "claimed_until": None}
    return bool(Letter.update(**changes).where(unsent).execute(database) == 1)


def prune_letters(database: Database, before: float) -> int:
    """Delete letters from before this time that are done with, some at a time, and return how many.

    The letters of a game stay until it is over: while they are stored nothing is sent twice, and they tell which part
    of the chat its players have read.
    """
    done = Letter.status.in_([SENT, DROPPED, KEPT]) & (Letter.due < before) & (Letter.created < before)
    done &= Letter.sent.is_null() | (Letter.sent < before)
    done &= Letter.game.is_null() | Game.status.in_(["finished", "cancelled", "expired"])
    chosen = Letter.select(Letter.id).join(Game, JOIN.LEFT_OUTER).where(done).order_by(Letter.id)
    deleted: int = Letter.delete().where(Letter.id.in_(chosen.limit(PRUNED_AT_ONCE))).execute(database)
    return deleted
