"""What the tests of mail use: a real mail server, a context that sends letters to it, and its deliveries."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.context import AppContext
from service.mail.delivery import Delivery
from tests.mail.smtp_server import SmtpServer


@pytest.fixture
def server() -> Iterator[SmtpServer]:
    with SmtpServer() as opened:
        yield opened


@pytest.fixture
def mailing(ctx: AppContext, server: SmtpServer) -> AppContext:
    return ctx._replace(settings=replace(ctx.settings, smtp_url=server.url))


@pytest.fixture
def delivery(mailing: AppContext) -> Iterator[Delivery]:
    opened = Delivery(mailing)
    yield opened
    opened.close()
