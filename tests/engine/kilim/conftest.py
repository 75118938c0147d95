"""Registers Kilim for its own tests, as long as it isn't registered for users."""

from collections.abc import Iterator

import pytest

from service.engine.kilim.game import KILIM
from service.engine.registry import GAMES, register, unregister


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    if KILIM.name in GAMES:
        yield
        return
    register(KILIM)
    yield
    unregister(KILIM.name)
