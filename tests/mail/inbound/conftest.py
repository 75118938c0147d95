"""The letters of these tests can be answered."""

from pathlib import Path

import pytest

from service.config import Settings, load_settings
from service.context import AppContext
from service.games.store import StoredGame
from tests.mail.inbound.post import DOMAIN
from tests.mail.tables import started


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    environ = {
        "MARRAKECH_DATA_DIR": str(tmp_path / "var"),
        "MARRAKECH_DATABASE_URL": database_url,
        "MARRAKECH_INBOUND_DOMAIN": DOMAIN,
    }
    return load_settings(environ, tmp_path)


@pytest.fixture
def game(ctx: AppContext) -> StoredGame:
    """Ann's turn, in the first turn of a game with Bo."""
    return started(ctx, first=0)
