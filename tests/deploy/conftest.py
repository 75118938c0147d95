"""The same houses as for the service's tests: a SQLite file and a PostgreSQL server."""

from tests.service.conftest import clock, database_url, office, postgres, settings

__all__ = ["clock", "database_url", "office", "postgres", "settings"]
