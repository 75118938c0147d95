"""What people write can't become a header or the body of a letter, however it is encoded.

The attacks below put a line of their own into a letter's headers, or began its body, when names were handed to the
standard library's modern e-mail policy: that decodes encoded words, and Python 3.11 folds them without a check.
"""

from base64 import b64encode
from contextlib import closing
from dataclasses import replace
from email import message_from_bytes
from email.header import decode_header, make_header

import pytest

from service.context import AppContext
from service.mail.delivery import Delivery
from service.mail.inbound.handler import receive
from tests.mail.inbound.post import DOMAIN, address, message
from tests.mail.smtp_server import Received, SmtpServer
from tests.mail.tables import started, table

REPLY_TO = "=?l1?b?DQpSZXBseS1Ubzp4QGV2aWwudGs=?="
BODY = "=?l1?b?DQoNClBheTogaHR0cDovL2V2aWwudGsv?="
TWICE = f"=?utf-8?b?{b64encode(REPLY_TO.encode()).decode()}?="
"""An encoded word that is another one when it is decoded."""
ATTACKS = (REPLY_TO, BODY, TWICE, f"Zoë {REPLY_TO}", f"{'x' * 60} {BODY}", "a\u2028Bcc: x@evil.tk", "=?utf-8?q?=00?=")


def delivered(ctx: AppContext) -> list[Received]:
    """Every letter that is due now, as a mail server gets it."""
    with SmtpServer() as server:
        mailing = ctx._replace(settings=replace(ctx.settings, smtp_url=server.url, inbound_domain=DOMAIN))
        with closing(Delivery(mailing)) as delivery:
            while delivery.deliver():
                pass
        return list(server.letters)


def check(letters: list[Received]) -> None:
    assert letters
    for letter in letters:
        head, _, body = letter.raw.partition(b"\r\n\r\n")
        names = [line.partition(b":")[0].lower() for line in head.split(b"\r\n") if not line.startswith((b" ", b"\t"))]
        assert len(names) == len(set(names))
        assert b"bcc" not in names
        reply_to = str(message_from_bytes(letter.raw)["Reply-To"])
        assert reply_to.endswith(f"@{DOMAIN}")
        assert reply_to.startswith("play+")
        assert body.startswith(b"--"), "the parts of the letter begin right after its headers"
        unfolded = str(message_from_bytes(letter.raw)["Subject"]).replace("\r\n", "")
        subject = str(make_header(decode_header(unfolded)))
        assert subject.isprintable()


@pytest.mark.parametrize("name", ATTACKS)
def test_a_tables_name_stays_text(ctx: AppContext, name: str) -> None:
    table(ctx, name=name)
    started(ctx, name=name)
    check(delivered(ctx))


@pytest.mark.parametrize("subject", ATTACKS)
def test_the_subject_of_a_reply_stays_text_in_the_answer(ctx: AppContext, subject: str) -> None:
    answering = ctx._replace(settings=replace(ctx.settings, inbound_domain=DOMAIN))
    game = started(ctx)
    raw = message(address(ctx, game, 0), "what?").replace(b"Subject: Re: Your turn", f"Subject: {subject}".encode())
    assert receive(answering, raw).answered
    answer = [letter for letter in delivered(ctx) if b"Auto-Submitted: auto-replied" in letter.raw]
    check(answer)
