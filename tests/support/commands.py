"""The host's commands, run in this process on the office of a test."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from service.admin.main import program
from service.context import AppContext

Run = Callable[..., Result]


def runner(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `marrakech-server` with these words; what the host types goes in as `typed`."""
    monkeypatch.setenv("MARRAKECH_DATA_DIR", str(ctx.settings.data_dir))
    monkeypatch.setenv("MARRAKECH_DATABASE_URL", ctx.settings.database_url)
    monkeypatch.chdir(ctx.settings.data_dir)
    return lambda *words, typed="": CliRunner().invoke(program, [str(word) for word in words], input=typed)
