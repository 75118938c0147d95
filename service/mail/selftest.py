"""Trying whether mail works: a test letter to oneself, and one from the host's hand."""

import secrets
from typing import Final

from service.context import AppContext
from service.db.models import Letter
from service.mail.letters import compose
from service.mail.message import mail_domain, sender_address, write_message
from service.mail.outbox import Addressee
from service.mail.smtp import SmtpClient

_NOBODY: Final = Addressee(None, {}, None, None, None, to_act=False, link_version=None)


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
