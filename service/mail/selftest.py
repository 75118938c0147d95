"""Trying whether mail works: a test letter to oneself, and one from the host's hand."""

import secrets
from typing import Final

from service.context import AppContext
from service.db.models import Letter, Player
from service.games.store import NewLetter, enqueue_letters
from service.i18n import translations_for
from service.mail.delivery_errors import trouble_told
from service.mail.letters import compose
from service.mail.message import mail_domain, sender_address, write_message
from service.mail.outbox import Addressee
from service.mail.smtp import SmtpClient

_NOBODY: Final = Addressee(None, {}, None, None, None, to_act=False, link_version=None)


def ask_for_test_letter(ctx: AppContext, player: Player) -> str:
    """Put a test letter into the outbox, and say what is known of the way to this player."""
    gettext = translations_for(player.language).gettext
    with ctx.database.atomic():
        about = f"test/{player.id}/{secrets.token_hex(8)}"
        enqueue_letters(ctx.database, [NewLetter("test", player.email, about)], ctx.clock())
    if not ctx.settings.smtp_url:
        return gettext("This server sends no mail; your test letter is on its mailbox page, if it has one.")
    if player.mail_trouble:
        words = {"words": trouble_told(player.mail_trouble, gettext)}
        return gettext("Your address was refused before: %(words)s A test letter tries it once more.") % words
    return gettext(
        "A test letter is on its way to you; should it not arrive in a few minutes, look in the folder for junk,"
        " then ask the host of this server."
    )


def try_mail(ctx: AppContext, letter_to: str | None) -> None:
    """Talk to the mail server and, where an address is given, send it a letter; raises what goes wrong."""
    carrier = SmtpClient(ctx.settings.smtp_url, mail_domain(ctx.settings))
    try:
        carrier.check()
        if letter_to is not None:
            about = f"test/{secrets.token_hex(8)}"
            letter = Letter(kind="test", about=about, address=letter_to, created=ctx.clock())
            message = write_message(ctx, letter, _NOBODY, compose(ctx, letter))
            carrier.carry(sender_address(ctx.settings), letter_to, message)
    finally:
        carrier.close()
