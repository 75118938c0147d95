"""Fixtures for tests of the API."""

import pytest

from service.context import AppContext
from tests.support.people import Cast


@pytest.fixture
def cast(ctx: AppContext) -> Cast:
    return Cast(ctx)
