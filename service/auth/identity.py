"""Who somebody is: sign-in by a code in a letter, and what a token stands for. There are no passwords."""

import hashlib
import hmac
import json
import secrets
from typing import Final

from service.auth.addresses import read_address
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Player, SignInCode
from service.errors import Unauthorised
from service.i18n import ENGLISH

CODE_LENGTH: Final = 8
CODE_SECONDS: Final = 15 * 60
MOST_TRIES: Final = 5
# No vowels and nothing that is mistaken for something else when it is read aloud or typed off a phone.
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ23456789"  # pragma: allowlist secret


def ask_to_sign_in(ctx: AppContext, email: str, language: str = ENGLISH) -> None:
    """Mail a code and a link to the address; what this does must not tell whether the address is known.

    The language is that of whoever asks: the letter comes in it where nobody has that address yet.
    """
    address = read_address(email)
    now = ctx.clock()
    code = "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))
    secret = secrets.token_urlsafe(16)
    with ctx.database.atomic():
        SignInCode.delete().where(SignInCode.expires < now).execute(ctx.database)
        code_id = SignInCode.insert(
            email=address, code_hash=_hash(address, code), link_hash=_hash(address, secret), expires=now + CODE_SECONDS
        ).execute(ctx.database)
        details = json.dumps({"code": code, "link": ctx.links.sign_in(code_id, secret, now), "language": language})
        enqueue_letters(ctx.database, [NewLetter("sign-in", address, f"sign-in/{code_id}", details=details)], now)


def sign_in_with_code(ctx: AppContext, email: str, code: str) -> Player:
    """The player whose address got this code; raises `Unauthorised`, and counts the try."""
    address = read_address(email)
    given = _hash(address, code.strip().upper())
    with ctx.database.atomic():
        for row in _open_codes(ctx, SignInCode.email == address):
            # Counted before it is looked at: guesses that come all at once are no more than five, either.
            if _count_try(ctx, row) and hmac.compare_digest(row.code_hash, given):
                return _use(ctx, row)
    raise Unauthorised("That code is wrong, used up or older than 15 minutes; ask for a new one.")


def sign_in_with_link(ctx: AppContext, token: str) -> Player:
    """The player whose letter had this link; raises `Unauthorised`."""
    link = ctx.links.read_sign_in(token, ctx.clock())
    with ctx.database.atomic():
        for row in _open_codes(ctx, SignInCode.id == link.code_id):
            if hmac.compare_digest(row.link_hash, _hash(row.email, link.secret)):
                return _use(ctx, row)
    raise Unauthorised("That link is used up or older than 15 minutes; ask for a new one.", gone=True)


def _hash(address: str, secret: str) -> str:
    return hashlib.sha256(f"{address}/{secret}".encode()).hexdigest()


def _open_codes(ctx: AppContext, chosen: object) -> list[SignInCode]:
    """The codes that can still be used."""
    usable = (SignInCode.used == False) & (SignInCode.tries < MOST_TRIES) & (SignInCode.expires > ctx.clock())  # noqa: E712
    return list(SignInCode.select().where(chosen & usable).order_by(SignInCode.id.desc()).execute(ctx.database))


def _count_try(ctx: AppContext, row: SignInCode) -> bool:
    """Whether there was a try left."""
    left = (SignInCode.id == row.id) & (SignInCode.tries < MOST_TRIES)
    return bool(SignInCode.update(tries=SignInCode.tries + 1).where(left).execute(ctx.database))


def _use(ctx: AppContext, row: SignInCode) -> Player:
    used = SignInCode.update(used=True).where((SignInCode.id == row.id) & (SignInCode.used == False))  # noqa: E712
    if used.execute(ctx.database) != 1:
        raise Unauthorised("That code has just been used; ask for a new one.")
    return player_with(ctx, row.email)


def player_with(ctx: AppContext, address: str) -> Player:
    """The player with this address, made on the spot where there is none yet."""
    Player.insert(email=address, created=ctx.clock()).on_conflict_ignore().execute(ctx.database)
    found: Player = Player.select().where(Player.email == address).get(ctx.database)
    return found
