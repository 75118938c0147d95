"""Logging in by a code or a link in a letter. There are no passwords."""

import hashlib
import hmac
import json
import secrets
from typing import Final

from service.auth.addresses import check_allowed, read_address
from service.auth.rate_limits import check_confirm, check_sign_in
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Player, SignInCode
from service.errors import Forbidden, Unauthorised
from service.i18n import ENGLISH

CODE_LENGTH: Final = 8
CODE_SECONDS: Final = 15 * 60
MOST_ATTEMPTS: Final = 5
# No vowels, so no words; no characters that are easily confused when read aloud or copied from a phone.
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ23456789"  # pragma: allowlist secret


def send_login_code(ctx: AppContext, email: str, ip: str | None, language: str) -> None:
    """Mail a login code to the address if it may play here; the caller can't tell whether it may."""
    address = read_address(email)
    check_sign_in(ctx, address, ip)
    try:
        check_allowed(address, ctx.settings.allowed_emails)
    except Forbidden:
        return
    create_login_code(ctx, address, language)


def confirm_code(ctx: AppContext, email: str, code: str) -> Player:
    """Log in with a code, within the rate limit; raises `Unauthorised`."""
    check_confirm(ctx, read_address(email))
    return log_in_with_code(ctx, email, code)


def create_login_code(ctx: AppContext, email: str, language: str = ENGLISH) -> None:
    """Store a code and enqueue a letter with the code and a link.

    It does the same for known and unknown addresses, so that nobody learns who plays here. The language is used for an
    address without a player; otherwise the letter is in the player's own language.
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
        details = json.dumps({"code": code, "link": ctx.tokens.sign_in(code_id, secret, now), "language": language})
        enqueue_letters(ctx.database, [NewLetter("sign-in", address, f"sign-in/{code_id}", details=details)], now)


def log_in_with_code(ctx: AppContext, email: str, code: str) -> Player:
    """Return the player the code was mailed to; raises `Unauthorised` and counts the attempt."""
    address = read_address(email)
    given = _hash(address, code.strip().upper())
    with ctx.database.atomic():
        for row in _open_codes(ctx, SignInCode.email == address):
            # Counted before the comparison, so that parallel guesses are limited too.
            if _count_attempt(ctx, row) and hmac.compare_digest(row.code_hash, given):
                return _use(ctx, row)
    raise Unauthorised("That code is wrong, used up or older than 15 minutes; ask for a new one.")


def log_in_with_link(ctx: AppContext, token: str) -> Player:
    """Return the player the link was mailed to; raises `Unauthorised`."""
    link = ctx.tokens.read_sign_in(token, ctx.clock())
    with ctx.database.atomic():
        for row in _open_codes(ctx, SignInCode.id == link.code_id):
            if hmac.compare_digest(row.link_hash, _hash(row.email, link.secret)):
                return _use(ctx, row)
    raise Unauthorised("That link is used up or older than 15 minutes; ask for a new one.", gone=True)


def _hash(address: str, secret: str) -> str:
    return hashlib.sha256(f"{address}/{secret}".encode()).hexdigest()


def _open_codes(ctx: AppContext, chosen: object) -> list[SignInCode]:
    """The codes that can still be used, newest first."""
    usable = (SignInCode.used == False) & (SignInCode.tries < MOST_ATTEMPTS) & (SignInCode.expires > ctx.clock())  # noqa: E712
    return list(SignInCode.select().where(chosen & usable).order_by(SignInCode.id.desc()).execute(ctx.database))


def _count_attempt(ctx: AppContext, row: SignInCode) -> bool:
    """Count an attempt; False if none was left."""
    left = (SignInCode.id == row.id) & (SignInCode.tries < MOST_ATTEMPTS)
    return bool(SignInCode.update(tries=SignInCode.tries + 1).where(left).execute(ctx.database))


def _use(ctx: AppContext, row: SignInCode) -> Player:
    used = SignInCode.update(used=True).where((SignInCode.id == row.id) & (SignInCode.used == False))  # noqa: E712
    if used.execute(ctx.database) != 1:
        raise Unauthorised("That code has just been used; ask for a new one.")
    return find_or_create_player(ctx, row.email)


def find_or_create_player(ctx: AppContext, address: str) -> Player:
    """Return the player with this address; create one if there is none."""
    Player.insert(email=address, created=ctx.clock()).on_conflict_ignore().execute(ctx.database)
    found: Player = Player.select().where(Player.email == address).get(ctx.database)
    return found
