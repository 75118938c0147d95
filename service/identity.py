"""Who somebody is: sign-in by a code in a letter, and what a token stands for. There are no passwords."""

import hashlib
import hmac
import json
import secrets
from typing import Final

from service.addresses import read_address
from service.errors import Unauthorised
from service.languages import ENGLISH
from service.models import Player, SignInCode
from service.office import Office
from service.store import LetterDue, post

CODE_LENGTH: Final = 8
CODE_SECONDS: Final = 15 * 60
MOST_TRIES: Final = 5
# No vowels and nothing that is mistaken for something else when it is read aloud or typed off a phone.
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ23456789"


def ask_to_sign_in(office: Office, email: str, language: str = ENGLISH) -> None:
    """Mail a code and a link to the address; what this does must not tell whether the address is known.

    The language is that of whoever asks: the letter comes in it where nobody has that address yet.
    """
    address = read_address(email)
    now = office.clock()
    code = "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))
    secret = secrets.token_urlsafe(16)
    with office.database.atomic():
        SignInCode.delete().where(SignInCode.expires < now).execute(office.database)
        code_id = SignInCode.insert(
            email=address, code_hash=_hash(address, code), link_hash=_hash(address, secret), expires=now + CODE_SECONDS
        ).execute(office.database)
        details = json.dumps({"code": code, "link": office.links.sign_in(code_id, secret, now), "language": language})
        post(office.database, [LetterDue("sign-in", address, f"sign-in/{code_id}", details=details)], now)


def sign_in_with_code(office: Office, email: str, code: str) -> Player:
    """The player whose address got this code; raises `Unauthorised`, and counts the try."""
    address = read_address(email)
    given = _hash(address, code.strip().upper())
    with office.database.atomic():
        for row in _open_codes(office, SignInCode.email == address):
            # Counted before it is looked at: guesses that come all at once are no more than five, either.
            if _count_try(office, row) and hmac.compare_digest(row.code_hash, given):
                return _use(office, row)
    raise Unauthorised("That code is wrong, used up or older than 15 minutes; ask for a new one.")


def sign_in_with_link(office: Office, token: str) -> Player:
    """The player whose letter had this link; raises `Unauthorised`."""
    link = office.links.read_sign_in(token, office.clock())
    with office.database.atomic():
        for row in _open_codes(office, SignInCode.id == link.code_id):
            if hmac.compare_digest(row.link_hash, _hash(row.email, link.secret)):
                return _use(office, row)
    raise Unauthorised("That link is used up or older than 15 minutes; ask for a new one.", gone=True)


def _hash(address: str, secret: str) -> str:
    return hashlib.sha256(f"{address}/{secret}".encode()).hexdigest()


def _open_codes(office: Office, chosen: object) -> list[SignInCode]:
    """The codes that can still be used."""
    usable = (SignInCode.used == False) & (SignInCode.tries < MOST_TRIES) & (SignInCode.expires > office.clock())  # noqa: E712
    return list(SignInCode.select().where(chosen & usable).order_by(SignInCode.id.desc()).execute(office.database))


def _count_try(office: Office, row: SignInCode) -> bool:
    """Whether there was a try left."""
    left = (SignInCode.id == row.id) & (SignInCode.tries < MOST_TRIES)
    return bool(SignInCode.update(tries=SignInCode.tries + 1).where(left).execute(office.database))


def _use(office: Office, row: SignInCode) -> Player:
    used = SignInCode.update(used=True).where((SignInCode.id == row.id) & (SignInCode.used == False))  # noqa: E712
    if used.execute(office.database) != 1:
        raise Unauthorised("That code has just been used; ask for a new one.")
    return player_with(office, row.email)


def player_with(office: Office, address: str) -> Player:
    """The player with this address, made on the spot where there is none yet."""
    Player.insert(email=address, created=office.clock()).on_conflict_ignore().execute(office.database)
    found: Player = Player.select().where(Player.email == address).get(office.database)
    return found
