"""The proofs run on the service's databases, with real clocks where real processes do."""

from tests.service.conftest import clock, database_url, office, postgres, settings

__all__ = ["clock", "database_url", "office", "postgres", "settings"]
