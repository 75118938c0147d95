"""`migrate` and `check`, and errors that all commands share."""

import time
from pathlib import Path

import pytest
from typer.testing import Result

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.connection import MIGRATIONS
from service.db.models import Game
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from tests.support.commands import run_server


def server(ctx: AppContext, *words: str, **environ: str) -> Result:
    settings = {
        "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
        "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        **environ,
    }
    return run_server(words, settings)


def kind_of(ctx: AppContext) -> str:
    """The database and its version as `check` prints them."""
    if ctx.settings.database_url.startswith("sqlite"):
        return f"SQLite {ctx.database.execute_sql('select sqlite_version()').fetchone()[0]}"
    return f"PostgreSQL {ctx.database.execute_sql('show server_version').fetchone()[0].split()[0]}"


def test_migrate_brings_a_new_database_up_to_date_and_then_has_nothing_to_do(ctx: AppContext, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    every_step = sorted(path.stem for path in MIGRATIONS.glob("0*.py"))
    first = server(ctx, "migrate", MARRAKECH_DATABASE_URL=other)
    assert (first.exit_code, first.stdout) == (0, f"Updated: {', '.join(every_step)}.\n")
    assert server(ctx, "migrate", MARRAKECH_DATABASE_URL=other).stdout == "The database is up to date.\n"
    assert server(ctx, "migrate").stdout == "The database is up to date.\n"


def test_check_reports_a_healthy_server(ctx: AppContext) -> None:
    now = ctx._replace(clock=time.time)
    create_game(
        now,
        find_or_create_player(now, "ann@example.org"),
        NewGameRequest("marrakech", "", [SeatRequest(bot="easy")], {}, None),
    )
    done = server(ctx, "check")
    assert (done.exit_code, done.stderr) == (0, "")
    assert [line.split(maxsplit=1) for line in done.stdout.splitlines()] == [
        ["settings", "good"],
        ["folders", "good"],
        ["database", f"good: {kind_of(ctx)}, {len(list(MIGRATIONS.glob('0*.py')))} migrations"],
        ["clock", "good"],
        ["games", "good"],
        ["mail", "not sent, because SMTP_URL is empty: e-mails stay on the mailbox page"],
    ]


def test_check_finds_a_snapshot_that_differs_from_its_events(ctx: AppContext) -> None:
    ann = find_or_create_player(ctx, "ann@example.org")
    game = create_game(
        ctx._replace(clock=time.time), ann, NewGameRequest("marrakech", "", [SeatRequest(bot="easy")], {}, None)
    )
    state = game.rules.states.write(game.state._replace(dirhams=(31, 29)))
    Game.update(state=str(state).replace("'", '"').replace("None", "null")).execute(ctx.database)
    done = server(ctx, "check")
    assert done.exit_code == 1
    assert done.stderr == f"games      1 with a snapshot that differs from the events: {game.id}\n"


def test_check_says_what_to_do_about_pending_migrations(ctx: AppContext, tmp_path: Path) -> None:
    done = server(ctx, "check", MARRAKECH_DATABASE_URL=f"sqlite:///{tmp_path}/empty.db")
    assert done.exit_code == 1
    assert "run `marrakech-server migrate`" in done.stderr


def test_a_newer_database_is_refused_with_a_sentence_by_every_command(ctx: AppContext) -> None:
    ctx.database.execute_sql("insert into schema_migration (name, applied) values ('9999_later', '2030-01-01')")
    for command in ("migrate", "check", "run"):
        done = server(ctx, command)
        assert done.exit_code == 1
        assert done.stderr.startswith("The database was made by a newer version of Marrakech by Mail")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["run", "migrate", "check", "worker"])
def test_a_wrong_setting_stops_every_command_with_one_sentence(ctx: AppContext, command: str) -> None:
    done = server(ctx, command, MARRAKECH_WORKER="sometimes")
    assert done.exit_code == 1
    assert "MARRAKECH_WORKER" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unreachable_database_is_reported_in_one_sentence(ctx: AppContext) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"
    for command in ("migrate", "check", "run"):
        done = server(ctx, command, MARRAKECH_DATABASE_URL=nowhere)
        assert done.exit_code == 1
        assert done.stderr.startswith("Can't use the database: ")
        assert "Traceback" not in done.stderr
