"""The letters of these tests can be answered."""

from pathlib import Path

import pytest

from service.office import Office
from service.settings import Settings, load_settings
from service.stored import StoredGame
from tests.mail.replies.post import DOMAIN
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
def game(office: Office) -> StoredGame:
    """Ann's turn, in the first turn of a game with Bo."""
    return started(office, first=0)
