"""Signing in as a page or the API asks for it: counted, and without telling who plays here."""

from service.addresses import check_allowed, read_address
from service.errors import Forbidden
from service.identity import ask_to_sign_in, sign_in_with_code
from service.limits import check_confirm, check_sign_in
from service.models import Player
from service.office import Office


def mail_code(office: Office, email: str, ip: str | None, language: str) -> None:
    """Have a code and a link mailed to an address, if it may play here; nothing tells whether it may."""
    address = read_address(email)
    check_sign_in(office, address, ip)
    try:
        check_allowed(address, office.settings.allowed_emails)
    except Forbidden:
        return
    ask_to_sign_in(office, address, language)


def confirm_code(office: Office, email: str, code: str) -> Player:
    """The player whose address got this code; raises `Unauthorised`."""
    check_confirm(office, read_address(email))
    return sign_in_with_code(office, email, code)
