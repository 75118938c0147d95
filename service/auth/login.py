"""Signing in as a page or the API asks for it: counted, and without telling who plays here."""

from service.auth.addresses import check_allowed, read_address
from service.auth.identity import ask_to_sign_in, sign_in_with_code
from service.auth.rate_limits import check_confirm, check_sign_in
from service.context import AppContext
from service.db.models import Player
from service.errors import Forbidden


def send_login_code(ctx: AppContext, email: str, ip: str | None, language: str) -> None:
    """Have a code and a link mailed to an address, if it may play here; nothing tells whether it may."""
    address = read_address(email)
    check_sign_in(ctx, address, ip)
    try:
        check_allowed(address, ctx.settings.allowed_emails)
    except Forbidden:
        return
    ask_to_sign_in(ctx, address, language)


def confirm_code(ctx: AppContext, email: str, code: str) -> Player:
    """The player whose address got this code; raises `Unauthorised`."""
    check_confirm(ctx, read_address(email))
    return sign_in_with_code(ctx, email, code)
