"""`check` (settings, folders, database, clock, mail) and `replay-diff` (stored games against the current rules)."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
from peewee import SqliteDatabase, fn

from service.admin.context import fail, host_context, host_database, host_settings, progress_bar
from service.admin.mail import check_mail
from service.app import build_context
from service.config import Settings
from service.db.connection import MIGRATIONS, Database, pending_migrations
from service.db.models import Game
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.records import Record, write_record
from service.games.store import StoredGame, check_snapshots, entries, load, replay_state

LITTLE_SPACE: Final = 100 * 1024 * 1024
_CLOCK_TOLERANCE: Final = 60.0
_EARLIEST_TIME: Final = 1_760_000_000.0
"""October 2025, before this program was written."""
_MOST_LISTED: Final = 10

check_commands = typer.Typer()


@check_commands.command()
def check(
    letter_to: Annotated[str | None, typer.Option(help="Also send a test e-mail to this address.")] = None,
) -> None:
    """Check the settings, folders, database, clock, games and mail server.

    Example: marrakech-server check --letter-to ann@example.org
    """
    settings = host_settings()
    _print_result("settings", "good")
    _print_result("folders", _check_folders(settings))
    with host_database() as database:
        pending = pending_migrations(database)
        if pending:
            fail(f"database   out of date: run `marrakech-server migrate` ({', '.join(pending)})")
        _print_result(
            "database", f"good: {_database_version(database)}, {len(list(MIGRATIONS.glob('[0-9]*.py')))} migrations"
        )
        _print_result("clock", check_clock(database, time.time()))
        _check_snapshots(database)
        works, words = check_mail(build_context(settings, database, time.time), letter_to)
    if not works:
        fail(f"mail       {words}")
    _print_result("mail", words)


def _print_result(what: str, words: str) -> None:
    typer.echo(f"{what:<10} {words}")


def _check_folders(settings: Settings) -> str:
    """Check that the server can write to its folders and that they have space left."""
    for folder in _folders_to_write(settings):
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            fail(f"folders    can't write to {folder} ({error.strerror}): give this user write access")
        free = shutil.disk_usage(folder).free
        if free < LITTLE_SPACE:
            fail(f"folders    {folder} has only {free // 1024 // 1024} MiB left: free some space")
    return "good"


def _folders_to_write(settings: Settings) -> Iterator[Path]:
    yield settings.data_dir
    if settings.database_url.startswith("sqlite:///"):
        file = Path(settings.database_url.removeprefix("sqlite:///"))
        yield file.parent
        if file.exists() and not os.access(file, os.W_OK):
            fail(f"folders    can't write to {file}: give this user write access")


def _database_version(database: Database) -> str:
    if isinstance(database, SqliteDatabase):
        return f"SQLite {sqlite3.sqlite_version}"
    version: int = database.connection().info.server_version
    return f"PostgreSQL {version // 10_000}.{version % 10_000}"


def check_clock(database: Database, now: float) -> str:
    """Check the clock. Deadlines need the same time on all machines."""
    if now < _EARLIEST_TIME:
        fail("clock      wrong, it is before this program was written: set it, preferably with NTP")
    if not isinstance(database, SqliteDatabase):
        theirs = float(database.execute_sql("select extract(epoch from clock_timestamp())").fetchone()[0])
        if abs(theirs - now) > _CLOCK_TOLERANCE:
            fail(f"clock      {abs(theirs - now):.0f} seconds off the database server's clock: set both with NTP")
    newest: Any = Game.select(fn.max(Game.changed)).scalar(database)
    if newest is not None and newest > now + _CLOCK_TOLERANCE:
        fail(f"clock      {newest - now:.0f} seconds behind the newest game: set it, preferably with NTP")
    return "good"


def _check_snapshots(database: Database) -> None:
    wrong, total = [], Game.select().where(Game.head > 0).count(database)
    with progress_bar("Replaying every game") as progress:
        for done, (game_id, sound) in enumerate(check_snapshots(database), start=1):
            progress(done, total)
            if not sound:
                wrong.append(game_id)
    if wrong:
        fail(f"games      {len(wrong)} with a snapshot that differs from the events: {', '.join(wrong[:_MOST_LISTED])}")
    _print_result("games", "good")


@check_commands.command(name="replay-diff")
def replay_diff() -> None:
    """Replay every stored game with the rules of this version, and list the differences.

    Run it after an upgrade, or before one on a restored backup. It changes nothing. Exit code 1: there are differences.

    Example: marrakech-server replay-diff
    """
    games = different = 0
    with host_context() as ctx, progress_bar("Replaying every game") as progress:
        for compared, total in replay_all(ctx.database):
            games += 1
            progress(games, total)
            different += bool(compared.differences)
            for line in compared.differences:
                typer.echo(f"{compared.game}  {line}")
    if different:
        fail(f"Games checked: {games}. Games with differences: {different}.")
    typer.echo(f"Games checked: {games}. No differences.")


class Compared(NamedTuple):
    """A game and its differences, if any."""

    game: str
    differences: list[str]


def replay_all(database: Database) -> Iterator[tuple[Compared, int]]:
    """Compare every game that has started. Also yields the number of games."""
    ids = [row[0] for row in Game.select(Game.id).where(Game.head > 0).order_by(Game.id).tuples().execute(database)]
    for game_id in ids:
        yield Compared(game_id, replay_game(database, game_id)), len(ids)


def replay_game(database: Database, game_id: str) -> list[str]:
    """How a stored game differs from a replay of its events."""
    try:
        game = load(database, game_id)
        state = replay_state(database, game)
    except Malformed as problem:
        return [f"can't be read: {problem.sentence}"]
    except Exception as error:  # today's rules may fail anywhere in an older game
        return [f"can't be replayed: {type(error).__name__}: {error}"]
    return list(_differences(database, game, state))


def _differences(database: Database, game: StoredGame, state: Any) -> Iterator[str]:
    rules, happened = game.rules, entries(database, game)
    yield from _different("head", game.head, len(happened))
    yield from _different("turn", game.turn, rules.turn(state))
    yield from _different("status", game.status, "playing" if rules.result(state) is None else "finished")
    before: Json = rules.states.write(game.state)
    after: Json = rules.states.write(state)
    for field in before:
        yield from _different(f"snapshot {field}", before[field], after.get(field))
    result = write_record(Record(game.heading, tuple(happened)))["result"]
    yield from _different("result", result, rules.view(state, None)["result"])


def _different(what: str, stored: object, replayed: object) -> Iterator[str]:
    if stored != replayed:
        yield f"{what}: stored {stored!r}, replayed {replayed!r}"
