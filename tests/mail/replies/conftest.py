"""The letters of these tests can be answered."""

from pathlib import Path

import pytest

from service.settings import Settings, load_settings
from tests.mail.replies.post import DOMAIN


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    environ = {
        "MARRAKECH_DATA_DIR": str(tmp_path / "var"),
        "MARRAKECH_DATABASE_URL": database_url,
        "MARRAKECH_INBOUND_DOMAIN": DOMAIN,
    }
    return load_settings(environ, tmp_path)
