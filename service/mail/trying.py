"""Trying whether mail works: a test letter to oneself, and one from the host's hand."""

import secrets
from typing import Final

from service.languages import translations_for
from service.mail.letters import compose
from service.mail.message import mail_domain, sender_address, write_message
from service.mail.outbox import Addressee
from service.mail.smtp import Carrier
from service.mail.troubles import trouble_told
from service.models import Letter, Player
from service.office import Office
from service.store import LetterDue, post

_NOBODY: Final = Addressee(None, {}, None, None, None, to_act=False, link_version=None)


def ask_for_test_letter(office: Office, player: Player) -> str:
    """Put a test letter into the outbox, and say what is known of the way to this player."""
    gettext = translations_for(player.language).gettext
    with office.database.atomic():
        about = f"test/{player.id}/{secrets.token_hex(8)}"
        post(office.database, [LetterDue("test", player.email, about)], office.clock())
    if not office.settings.smtp_url:
        return gettext("This server sends no mail; your test letter is on its mailbox page, if it has one.")
    if player.mail_trouble:
        words = {"words": trouble_told(player.mail_trouble, gettext)}
        return gettext("Your address was refused before: %(words)s A test letter tries it once more.") % words
    return gettext(
        "A test letter is on its way to you; should it not arrive in a few minutes, look in the folder for junk,"
        " then ask the host of this server."
    )


def try_mail(office: Office, letter_to: str | None) -> None:
    """Talk to the mail server and, where an address is given, send it a letter; raises what goes wrong."""
    carrier = Carrier(office.settings.smtp_url, mail_domain(office.settings))
    try:
        carrier.check()
        if letter_to is not None:
            about = f"test/{secrets.token_hex(8)}"
            letter = Letter(kind="test", about=about, address=letter_to, created=office.clock())
            message = write_message(office, letter, _NOBODY, compose(office, letter))
            carrier.carry(sender_address(office.settings), letter_to, message)
    finally:
        carrier.close()
