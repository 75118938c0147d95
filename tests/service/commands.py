"""The host's commands, run in this process on the office of a test."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from service.admin import program
from service.office import Office

Run = Callable[..., Result]


def runner(office: Office, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `marrakech-server` with these words; what the host types goes in as `typed`."""
    monkeypatch.setenv("MARRAKECH_DATA_DIR", str(office.settings.data_dir))
    monkeypatch.setenv("MARRAKECH_DATABASE_URL", office.settings.database_url)
    monkeypatch.chdir(office.settings.data_dir)
    return lambda *words, typed="": CliRunner().invoke(program, [str(word) for word in words], input=typed)
