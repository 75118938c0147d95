"""The outbox: due letters are claimed for a while, and whoever holds the claim says what became of them.

A claim that has lapsed is anybody's, so a worker that was killed loses no letter; one that was only frozen finds its
mark gone and changes nothing.
"""

import json
import secrets
from typing import Any, Final, NamedTuple

from peewee import SQL, SqliteDatabase

from service.db.connection import Database
from service.db.letter_texts import DROPPED_BY_HAND
from service.db.models import Letter, Player
from service.db.statements import run
from service.engine.json_reader import Json

WAITING: Final = "waiting"
SENT: Final = "sent"
PARKED: Final = "parked"
"""Refused for good: nothing more happens before the host says so."""
DROPPED: Final = "dropped"
"""Not worth sending any more."""
KEPT: Final = "kept"
"""Not sent, since there is no mail server; the mailbox page shows it."""
STATUSES: Final = (WAITING, SENT, PARKED, DROPPED, KEPT)

BATCH: Final = 20
"""How many letters a worker claims at once: few enough to be sent long before the claim lapses."""
CLAIM_SECONDS: Final = 600.0
FIRST_WAIT: Final = 30.0
LONGEST_WAIT: Final = 24 * 3600.0
LONGEST_WAIT_FOR_A_LINE: Final = 15 * 60.0
"""While the mail server cannot be reached no letter is to blame, so all go soon after it is back."""

IS_WAITING: Final = SQL("status = 'waiting'")
"""Written out, because most letters are sent: asked about any status at all, PostgreSQL looks through all of them."""
_READER: Final = """
select player.id, player.mail, player.mail_trouble, game.status, game.turn,
    (game.to_act >> seat.seat) & 1, seat.link_version
from letter
left join player on player.email = letter.address
left join game on game.id = letter.game
left join seat on seat.game = letter.game and seat.seat = letter.seat
where letter.id = ? and letter.claim = ? and letter.status = 'waiting'
"""


class Claim(NamedTuple):
    """Letters that are one worker's to send until a certain time."""

    mark: str
    until: float
    letters: tuple[Any, ...]


class Addressee(NamedTuple):
    """Who a letter is for, and how things stand at his table; None where there is no player, table or seat."""

    player: int | None
    wishes: Json
    mail_trouble: str | None
    game_status: str | None
    game_turn: int | None
    to_act: bool
    link_version: int | None


def claim(database: Database, now: float, most: int = BATCH) -> Claim | None:
    """Claim letters that are due; None where there are none."""
    due = IS_WAITING & (Letter.due <= now)
    due &= Letter.claimed_until.is_null() | (Letter.claimed_until <= now)
    # Looking costs nobody anything; only who is going to write makes the others wait.
    if not Letter.select().where(due).exists(database):
        return None
    chosen = Letter.select().where(due).order_by(Letter.due, Letter.id).limit(most)
    if not isinstance(database, SqliteDatabase):
        chosen = chosen.for_update(skip_locked=True)
    mark, until = secrets.token_hex(16), now + CLAIM_SECONDS
    with database.atomic():
        letters = list(chosen.execute(database))
        if letters:
            ids = [letter.id for letter in letters]
            Letter.update(claim=mark, claimed_until=until).where(Letter.id.in_(ids)).execute(database)
    # Whoever held a claim that lapsed may have died of that very letter: the others go first.
    letters.sort(key=lambda letter: letter.claimed_until is not None)
    return Claim(mark, until, tuple(letters)) if letters else None


def addressee_of(database: Database, letter: Any, mark: str) -> Addressee | None:
    """The letter's addressee as of now; None where the claim is no longer ours."""
    row = run(database, _READER, [letter.id, mark]).fetchone()
    if row is None:
        return None
    player, wishes, trouble, status, turn, to_act, version = row
    return Addressee(player, json.loads(wishes or "{}"), trouble, status, turn, bool(to_act), version)


def mark_sent(database: Database, letter: Any, mark: str, now: float) -> bool:
    """The mail server has the letter; that its address was once refused is forgotten."""
    with database.atomic():
        ours = _mark(database, letter, mark, status=SENT, sent=now, tries=Letter.tries + 1, trouble=None)
        if ours:
            flagged = (Player.email == letter.address) & Player.mail_trouble.is_null(False)
            Player.update(mail_trouble=None).where(flagged).execute(database)
    return ours


def put_off(database: Database, letter: Any, mark: str, words: str, now: float, longest: float = LONGEST_WAIT) -> bool:
    """Try again later: each time after twice as long, up to the longest wait."""
    wait = min(FIRST_WAIT * 2 ** min(letter.tries, 20), longest)
    return _mark(database, letter, mark, due=now + wait, tries=Letter.tries + 1, trouble=words)


def park(database: Database, letter: Any, mark: str, words: str, *, flag: bool) -> bool:
    """Refused for good: the host sees why and, where it was about the address, so does its player's row."""
    with database.atomic():
        ours = _mark(database, letter, mark, status=PARKED, tries=Letter.tries + 1, trouble=words)
        if ours and flag:
            Player.update(mail_trouble=words).where(Player.email == letter.address).execute(database)
    return ours


def drop(database: Database, letter: Any, mark: str, reason: str) -> bool:
    """Nobody needs this letter any more."""
    return _mark(database, letter, mark, status=DROPPED, trouble=reason)


def drop_by_hand(database: Database, letter_id: int) -> bool:
    """The host drops a letter; whoever holds it finds out before sending it."""
    unsent = (Letter.id == letter_id) & Letter.status.in_([WAITING, PARKED])
    changes = {"status": DROPPED, "trouble": DROPPED_BY_HAND, "claim": None, "claimed_until": None}
    return bool(Letter.update(**changes).where(unsent).execute(database) == 1)


def give_back(database: Database, letters: list[Any], mark: str) -> None:
    """Let go of letters that were not tried; whoever comes next may have them at once."""
    chosen = Letter.id.in_([letter.id for letter in letters]) & (Letter.claim == mark)
    Letter.update(claim=None, claimed_until=None).where(chosen).execute(database)


def keep(database: Database, now: float) -> int:
    """Without a mail server, what is due stays in the mailbox; says how many letters."""
    due = IS_WAITING & (Letter.due <= now)
    if not Letter.select().where(due).exists(database):
        return 0
    kept: int = Letter.update(status=KEPT, claim=None, claimed_until=None).where(due).execute(database)
    return kept


def retry(database: Database, chosen: Any, now: float) -> int:
    """Send letters that were not sent, at once and as if for the first time; says how many."""
    unsent = chosen & Letter.status.in_([WAITING, PARKED, DROPPED, KEPT])
    with database.atomic():
        # The host means it: an address that was refused is tried like any other.
        addresses = Letter.select(Letter.address).where(unsent)
        Player.update(mail_trouble=None).where(Player.email.in_(addresses)).execute(database)
        # A claim stays: whoever is sending the letter at this moment goes on.
        again: int = Letter.update(status=WAITING, due=now, tries=0).where(unsent).execute(database)
    return again


def _mark(database: Database, letter: Any, mark: str, **changes: Any) -> bool:
    """Write down what became of the letter, if it is still ours to say."""
    ours = (Letter.id == letter.id) & (Letter.claim == mark) & (Letter.status == WAITING)
    changes = {"claim": None, "claimed_until": None, **changes}
    return bool(Letter.update(**changes).where(ours).execute(database) == 1)
