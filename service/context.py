"""What everybody who does something needs: the database, the links, the settings and the clock, in one place."""

from typing import NamedTuple

from service.auth.tokens import TokenSigner
from service.config import Settings
from service.db.connection import Database, migrate, open_database
from service.times import Clock


class AppContext(NamedTuple):
    """The server's tools; built once by `create_app` or by a command, and handed on."""

    settings: Settings
    database: Database
    links: TokenSigner
    clock: Clock


def create_context(settings: Settings, clock: Clock) -> AppContext:
    """The server's tools, the database up to date."""
    database = open_database(settings.database_url)
    migrate(database)
    return AppContext(settings, database, TokenSigner(settings.secret_keys), clock)
