"""Logging in by a code or a link in a letter. There are no passwords.

A request stores a random nonce and nothing else, whether or not the address is known or may play here. The worker finds
that out when it writes the letter. Code and link are derived from the nonce with the secret key at that moment, so
neither the outbox nor a copy of the database contains them, and a letter that is written twice is the same twice.
"""

import hashlib
import hmac
import json
import secrets
from typing import Final, NamedTuple

from service.auth.addresses import check_allowed, read_address
from service.auth.rate_limits import check_code, count_guess, count_login_request, network_of
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Player, SignInCode
from service.errors import Unauthorised
from service.i18n import ENGLISH, marked

CODE_LENGTH: Final = 8
CODE_SECONDS: Final = 15 * 60
# No vowels, so no words; no characters that are easily confused when read aloud or copied from a phone.
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ23456789"  # pragma: allowlist secret
_OTHER_BROWSER: Final = marked(
    "This code can't be used here. A code works for 15 minutes and five tries, in the "
    "browser where you asked for it. Open the link in the e-mail, or get a new code."
)


class LoginLetter(NamedTuple):
    """What a login letter contains."""

    code: str
    link: str
    """The token in the link."""


def send_login_code(
    ctx: AppContext, email: str, ip: str | None, language: str, browser: str | None = None, next_path: str = ""
) -> None:
    """Request a letter with a code; nothing is sent, and the response is the same, if the address has had too many.

    `browser` is the secret of a browser, which alone can use the code on the page. None: a program asks. `next_path` is
    where the link in the letter leads after signing in.
    """
    address = read_address(email)
    if count_login_request(ctx, address, ip):
        create_login_code(ctx, address, language, browser, next_path)


def create_login_code(
    ctx: AppContext, email: str, language: str = ENGLISH, browser: str | None = None, next_path: str = ""
) -> int:
    """Store a code, enqueue its letter and return the code's id; an address without a player gets this language."""
    address, now = read_address(email), ctx.clock()
    code = {
        "email": address,
        "nonce": secrets.token_urlsafe(16),
        "browser": None if browser is None else _hash(browser),
        "next_path": next_path,
        "expires": now + CODE_SECONDS,
    }
    with ctx.database.atomic():
        SignInCode.delete().where(SignInCode.expires < now).execute(ctx.database)
        code_id: int = SignInCode.insert(code).execute(ctx.database)
        details = json.dumps({"code": code_id, "language": language})
        enqueue_letters(ctx.database, [NewLetter("sign-in", address, f"sign-in/{code_id}", details=details)], now)
    return code_id


def read_login_letter(ctx: AppContext, code_id: int) -> LoginLetter | None:
    """The contents of a letter; None if they are of no use any more. Raises `Forbidden` if the address may not play."""
    row = next(iter(_open_codes(ctx, SignInCode.id == code_id)), None)
    if row is None:
        return None
    check_allowed(row.email, ctx.settings.allowed_emails)
    link = ctx.tokens.sign_in(row.id, row.nonce, row.expires - CODE_SECONDS)
    return LoginLetter(_derive_code(ctx.settings.secret_keys[0], row), link)


def confirm_code(ctx: AppContext, email: str, code: str, ip: str | None, browser: str | None = None) -> Player:
    """Log in with a code, within the rate limit; raises `Unauthorised`."""
    check_code(ctx, ip)
    return log_in_with_code(ctx, email, code, ip, browser)


def log_in_with_code(
    ctx: AppContext, email: str, code: str, ip: str | None = None, browser: str | None = None
) -> Player:
    """Return the player the code was mailed to; raises `Unauthorised` and counts the guess.

    A browser can use only the codes it asked for. A program can use every code of the address, because it may ask and
    confirm in two steps without a cookie; its guesses are counted for its network.
    """
    chosen, guesser = SignInCode.email == read_address(email), f"network/{network_of(ip)}"
    if browser is not None:
        chosen, guesser = chosen & (SignInCode.browser == _hash(browser)), f"browser/{_hash(browser)}"
    guessed = False
    with ctx.database.atomic():
        for row in _open_codes(ctx, chosen):
            # Counted before the comparison, so that parallel guesses are limited too.
            if count_guess(ctx, row.id, guesser):
                guessed = True
                if _is_code(ctx, row, code.strip().upper()):
                    return _use(ctx, row)
    if browser is not None and not guessed:
        raise Unauthorised(_OTHER_BROWSER)
    raise Unauthorised("That code is wrong or has expired. Try again, or get a new one.")


def log_in_with_link(ctx: AppContext, token: str) -> Player:
    """Return the player the link was mailed to, in any browser; raises `Unauthorised`."""
    link = ctx.tokens.read_sign_in(token, ctx.clock())
    with ctx.database.atomic():
        for row in _open_codes(ctx, SignInCode.id == link.code_id):
            if hmac.compare_digest(row.nonce, link.secret):
                return _use(ctx, row)
    raise Unauthorised("That link has already been used or has expired. Get a new one.", gone=True)


def find_next_path(ctx: AppContext, token: str) -> str:
    """The page that was wanted when the letter with this link was requested; empty if none was."""
    link = ctx.tokens.read_sign_in(token, ctx.clock())
    return next((row.next_path for row in _open_codes(ctx, SignInCode.id == link.code_id)), "")


def _hash(browser: str) -> str:
    return hashlib.sha256(browser.encode()).hexdigest()


def _derive_code(key: str, row: SignInCode) -> str:
    digest = hmac.digest(key.encode(), f"marrakech/code/{row.id}/{row.nonce}".encode(), "sha256")
    number, code = int.from_bytes(digest, "big"), ""
    for _ in range(CODE_LENGTH):
        number, index = divmod(number, len(_LETTERS))
        code += _LETTERS[index]
    return code


def _is_code(ctx: AppContext, row: SignInCode, given: str) -> bool:
    """Whether this is the code in the letter, which an older key may have given."""
    codes = [_derive_code(key, row) for key in ctx.settings.secret_keys]
    return any(hmac.compare_digest(code.encode(), given.encode(errors="replace")) for code in codes)


def _open_codes(ctx: AppContext, chosen: object) -> list[SignInCode]:
    """The codes that can still be used, newest first."""
    usable = (SignInCode.used == False) & (SignInCode.expires > ctx.clock())  # noqa: E712
    return list(SignInCode.select().where(chosen & usable).order_by(SignInCode.id.desc()).execute(ctx.database))


def _use(ctx: AppContext, row: SignInCode) -> Player:
    used = SignInCode.update(used=True).where((SignInCode.id == row.id) & (SignInCode.used == False))  # noqa: E712
    if used.execute(ctx.database) != 1:
        raise Unauthorised("That code has just been used. Get a new one.")
    return find_or_create_player(ctx, row.email)


def find_or_create_player(ctx: AppContext, address: str) -> Player:
    """Return the player with this address; create one if there is none."""
    Player.insert(email=address, created=ctx.clock()).on_conflict_ignore().execute(ctx.database)
    found: Player = Player.select().where(Player.email == address).get(ctx.database)
    return found
