"""The letters' tests play on the service's databases, with the same cast."""

from tests.service.conftest import ann, clock, database_url, office, postgres, settings

__all__ = ["ann", "clock", "database_url", "office", "postgres", "settings"]
