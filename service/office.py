"""What everybody who does something needs: the database, the links, the settings and the clock, in one place."""

from typing import NamedTuple

from service.clock import Clock
from service.database import Database, migrate, open_database
from service.links import Links
from service.settings import Settings


class Office(NamedTuple):
    """The server's tools; built once by `create_app` or by a command, and handed on."""

    settings: Settings
    database: Database
    links: Links
    clock: Clock


def open_office(settings: Settings, clock: Clock) -> Office:
    """The server's tools, the database up to date."""
    database = open_database(settings.database_url)
    migrate(database)
    return Office(settings, database, Links(settings.secret_keys), clock)
