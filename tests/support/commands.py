"""Runs `marrakech-server` commands inside the test process."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from typer.testing import CliRunner, Result

from service.admin.main import program
from service.context import AppContext

Run = Callable[..., Result]


def run_server(words: Sequence[str], environ: Mapping[str, str] | None = None, stdin: bytes | str = "") -> Result:
    """Run a command and return its exit code and output."""
    return CliRunner().invoke(program, list(words), input=stdin, env=environ)


def runner(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs a command with the settings of a test; `typed` is the input."""
    monkeypatch.setenv("MARRAKECH_DATA_DIR", str(ctx.settings.data_dir))
    monkeypatch.setenv("MARRAKECH_DATABASE_URL", ctx.settings.database_url)
    monkeypatch.chdir(ctx.settings.data_dir)
    return lambda *words, typed="": run_server([str(word) for word in words], stdin=typed)
