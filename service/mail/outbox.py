"""The outbox: a worker claims due letters for a limited time, and only the holder of a claim records the result.

An expired claim can be taken over, so a killed worker loses no letter. A worker that was only suspended finds its claim
gone and changes nothing.
"""

import json
import secrets
from typing import Any, Final, NamedTuple

from peewee import JOIN, SqliteDatabase

from service.db.connection import Database
from service.db.letters import DROPPED, IS_WAITING, KEPT, PARKED, SENT, WAITING
from service.db.models import IS_TO_ACT, Channel, Game, Letter, Player, Seat
from service.engine.json_reader import Json
from service.mail.refusals import accept_address

BATCH: Final = 20
"""How many letters a worker claims at once; another worker takes over those that it doesn't get to in time."""
CLAIM_SECONDS: Final = 60.0
FIRST_WAIT: Final = 30.0
LONGEST_WAIT: Final = 24 * 3600.0


class Claim(NamedTuple):
    """Letters that one worker may send."""

    key: str
    letters: tuple[Any, ...]


class Addressee(NamedTuple):
    """The player that a letter is for and the state of the game; None where there is no player, game or seat."""

    player: int | None
    preferences: Json
    mail_trouble: str | None
    game_status: str | None
    game_turn: int | None
    to_act: bool
    link_version: int | None
    accepted: bool = True
    """Whether the seat's player has accepted it."""
    seen: float | None = None
    """When the player last had the game open."""


def claim(database: Database, now: float, limit: int = BATCH) -> Claim | None:
    """Claim letters that are due; None if there are none."""
    due = IS_WAITING & (Letter.due <= now)
    due &= Letter.claimed_until.is_null() | (Letter.claimed_until <= now)
    # Reading first: an idle worker takes no write lock every second.
    if not Letter.select().where(due).exists(database):
        return None
    chosen = Letter.select().where(due).order_by(Letter.due, Letter.id).limit(limit)
    if not isinstance(database, SqliteDatabase):
        chosen = chosen.for_update(skip_locked=True)
    key = secrets.token_hex(16)
    with database.atomic():
        letters = list(chosen.execute(database))
        if letters:
            ids = [letter.id for letter in letters]
            Letter.update(claim=key, claimed_until=now + CLAIM_SECONDS).where(Letter.id.in_(ids)).execute(database)
    # A letter with an expired claim may be the one that crashed a worker: the others go first.
    letters.sort(key=lambda letter: letter.claimed_until is not None)
    return Claim(key, tuple(letters)) if letters else None


def find_addressee(database: Database, letter: Any, key: str) -> Addressee | None:
    """The letter's addressee as of now; None if the claim is no longer ours."""
    query = (
        Letter.select(
            *(Player.id, Player.mail, Player.mail_trouble, Game.status, Game.turn),
            *(IS_TO_ACT, Seat.link_version, Seat.accepted, Seat.seen),
        )
        .join(Player, JOIN.LEFT_OUTER, on=(Player.email == Letter.address))
        .join_from(Letter, Game, JOIN.LEFT_OUTER, on=(Game.id == Letter.game))
        .join_from(Letter, Seat, JOIN.LEFT_OUTER, on=((Seat.game == Letter.game) & (Seat.seat == Letter.seat)))
        .where((Letter.id == letter.id) & (Letter.claim == key) & (Letter.status == WAITING))
    )
    row = query.tuples().first(database)
    if row is None:
        return None
    player, preferences, trouble, status, turn, to_act, version, accepted, seen = row
    wishes = json.loads(preferences or "{}")
    return Addressee(player, wishes, trouble, status, turn, bool(to_act), version, accepted is not False, seen)


def has_taken_a_seat(database: Database, addressee: Addressee) -> bool:
    """Whether the addressee has ever created or joined a game, or accepted an invitation."""
    taken = (Seat.player == addressee.player) & (Seat.accepted == True)  # noqa: E712 - SQL
    return bool(Seat.select().where(taken).exists(database))


def renew(database: Database, letter: Any, key: str, now: float) -> bool:
    """Claim the letter for another minute; False if the claim is no longer ours."""
    return _update(database, letter, key, claimed_until=now + CLAIM_SECONDS)


def mark_sent(database: Database, letter: Any, key: str, now: float) -> bool:
    """The letter was accepted, so its address or channel works again; details may be secret and are not kept."""
    changes = {"status": SENT, "sent": now, "tries": Letter.tries + 1, "trouble": None, "details": "{}"}
    with database.atomic():
        ours = _mark(database, letter, key, **changes)
        if ours and letter.channel:
            Channel.update(trouble=None).where(Channel.id == letter.channel).execute(database)
        elif ours:
            accept_address(database, letter.address)
    return ours


def mark_kept(database: Database, letter: Any, key: str) -> bool:
    """The letter is in the development mailbox."""
    return _mark(database, letter, key, status=KEPT, trouble=None)


def postpone(database: Database, letter: Any, key: str, error: str, now: float, longest: float = LONGEST_WAIT) -> bool:
    """Try again later: each time after twice as long, up to the longest wait."""
    wait = min(FIRST_WAIT * 2 ** min(letter.tries, 20), longest)
    return _mark(database, letter, key, due=now + wait, tries=Letter.tries + 1, trouble=error)


def delay(database: Database, letter: Any, key: str, due: float) -> bool:
    """Send it later: its reader has the game open."""
    return _mark(database, letter, key, due=due)


def hold(database: Database, letter: Any, key: str, error: str, due: float) -> bool:
    """Rejected by a full mailbox or a spam filter: try again at this time."""
    changes = {"due": due, "tries": Letter.tries + 1, "rejections": Letter.rejections + 1, "trouble": error}
    return _mark(database, letter, key, **changes)


def park(database: Database, letter: Any, key: str, error: str) -> bool:
    """Refused for good: the server host sees why."""
    return _mark(database, letter, key, status=PARKED, tries=Letter.tries + 1, trouble=error)


def drop(database: Database, letter: Any, key: str, reason: str) -> bool:
    """The letter is no longer useful."""
    return _mark(database, letter, key, status=DROPPED, trouble=reason)


def drop_with_channel(database: Database, letter: Any, key: str, reason: str) -> None:
    """The letter's channel is gone, and so is the letter."""
    with database.atomic():
        if drop(database, letter, key, reason):
            Channel.delete().where(Channel.id == letter.channel).execute(database)


def release(database: Database, letters: list[Any], key: str) -> None:
    """Give up the claim on letters that were not tried; any worker may claim them at once."""
    chosen = Letter.id.in_([letter.id for letter in letters]) & (Letter.claim == key)
    Letter.update(claim=None, claimed_until=None).where(chosen).execute(database)


def _mark(database: Database, letter: Any, key: str, **changes: Any) -> bool:
    """Record the result and give up the claim."""
    return _update(database, letter, key, claim=None, claimed_until=None, **changes)


def _update(database: Database, letter: Any, key: str, **changes: Any) -> bool:
    """Change the letter, if the claim is still ours."""
    ours = (Letter.id == letter.id) & (Letter.claim == key) & (Letter.status == WAITING)
    return bool(Letter.update(**changes).where(ours).execute(database) == 1)
