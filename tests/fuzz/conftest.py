"""Fuzzing meets the service's databases as its other tests do."""

from tests.service.conftest import postgres

__all__ = ["postgres"]
