"""The host's commands that look whether all is well: `check` and `replay-diff`."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from peewee import SqliteDatabase, fn

from service.admin.context import fail, host_database, host_office, host_settings
from service.admin.mail import check_mail
from service.admin.progress import progress_bar
from service.admin.replay_diff import replay_all
from service.app import build_context
from service.config import Settings
from service.db.connection import MIGRATIONS, Database, pending_migrations
from service.db.models import Game
from service.db.statements import run
from service.games.store import check_snapshots

LITTLE_SPACE: Final = 100 * 1024 * 1024
_SECONDS_APART: Final = 60.0
_THIS_PROGRAM: Final = 1_760_000_000.0
"""October 2025: no clock that is right says that it is earlier."""
_MOST_TOLD: Final = 10

checking = typer.Typer()


@checking.command()
def check(
    letter_to: Annotated[str | None, typer.Option(help="Send a test letter to this address as well.")] = None,
) -> None:
    """Check the settings, the folders, the database, the clock, every game's snapshot, and whether mail works.

    Example: marrakech-server check --letter-to ann@example.org
    """
    settings = host_settings()
    _say("settings", "good")
    _say("folders", _folders(settings))
    with host_database() as database:
        pending = pending_migrations(database)
        if pending:
            fail(f"database   not up to date: run `marrakech-server migrate` ({', '.join(pending)})")
        _say("database", f"good: {_kind(database)}, {len(list(MIGRATIONS.glob('[0-9]*.py')))} migrations")
        _say("clock", clock_words(database, time.time()))
        _check_snapshots(database)
        works, words = check_mail(build_context(settings, database, time.time), letter_to)
    if not works:
        fail(f"mail       {words}")
    _say("mail", words)


def _say(what: str, words: str) -> None:
    typer.echo(f"{what:<10} {words}")


def _folders(settings: Settings) -> str:
    """Whether the server can write where it has to; a file that cannot be made now cannot be made later."""
    for folder in _written_to(settings):
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as trouble:
            fail(f"folders    {folder} cannot be written to ({trouble.strerror}); give this user the right to.")
        free = shutil.disk_usage(folder).free
        if free < LITTLE_SPACE:
            fail(f"folders    {folder} has only {free // 1024 // 1024} MiB left; make room before the disk is full.")
    return "good"


def _written_to(settings: Settings) -> Iterator[Path]:
    yield settings.data_dir
    if settings.database_url.startswith("sqlite:///"):
        file = Path(settings.database_url.removeprefix("sqlite:///"))
        yield file.parent
        if file.exists() and not os.access(file, os.W_OK):
            fail(f"folders    {file} may not be written to by this user.")


def _kind(database: Database) -> str:
    if isinstance(database, SqliteDatabase):
        return f"SQLite {sqlite3.sqlite_version}"
    version: int = database.connection().info.server_version
    return f"PostgreSQL {version // 10_000}.{version % 10_000}"


def clock_words(database: Database, now: float) -> str:
    """What is to be said of the clock: deadlines hang on it, and on all machines having the same time."""
    if now < _THIS_PROGRAM:
        fail("clock      is wrong: it says a time before this program was written; set it, best by NTP.")
    if not isinstance(database, SqliteDatabase):
        theirs = float(run(database, "select extract(epoch from clock_timestamp())", []).fetchone()[0])
        if abs(theirs - now) > _SECONDS_APART:
            fail(f"clock      differs by {abs(theirs - now):.0f} seconds from the database server's; set both by NTP.")
    newest: Any = Game.select(fn.max(Game.changed)).scalar(database)
    if newest is not None and newest > now + _SECONDS_APART:
        fail(f"clock      is {newest - now:.0f} seconds behind what was written last; set it, best by NTP.")
    return "good"


def _check_snapshots(database: Database) -> None:
    wrong, total = [], Game.select().where(Game.head > 0).count(database)
    with progress_bar("Folding every game") as progress:
        for done, (game_id, sound) in enumerate(check_snapshots(database), start=1):
            progress(done, total)
            if not sound:
                wrong.append(game_id)
    if wrong:
        fail(f"snapshots  {len(wrong)} differ from their events: {', '.join(wrong[:_MOST_TOLD])}")
    _say("snapshots", "good")


@checking.command(name="replay-diff")
def replay_diff() -> None:
    """Fold every stored game again with the rules of this version, and say what comes out differently.

    Run it after an upgrade, or before one on a restored backup. It ends with 1 where anything differs, and changes
    nothing.

    Example: marrakech-server replay-diff
    """
    games = different = 0
    with host_office() as ctx, progress_bar("Folding every game") as progress:
        for compared, total in replay_all(ctx.database):
            games += 1
            progress(games, total)
            different += bool(compared.differences)
            for line in compared.differences:
                typer.echo(f"{compared.game}  {line}")
    if different:
        fail(f"{different} of {games} games differ.")
    typer.echo(f"All {games} games come out as they are stored.")
