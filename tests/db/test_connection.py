"""Opening and migrating the database: once, without loss, and never by an older program."""

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from peewee import IntegrityError

from service.context import AppContext
from service.db.connection import (
    BUSY_SECONDS,
    MIGRATING,
    MIGRATIONS,
    Database,
    NewerDatabase,
    migrate,
    open_database,
    pending_migrations,
)
from service.db.models import IS_TO_ACT, MODELS, Game, Letter, Player, Seat, SignInCode
from service.engine.record_text import read_text
from service.engine.registry import GAMES
from tests.support.crowd import run_at_once, run_in_processes, wait_for_all
from tests.support.databases import empty_database, insert_row
from tests.support.tables import database_contents, play_one_action, snapshot_matches, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

EVERY_STEP = sorted(play_one_action.stem for play_one_action in MIGRATIONS.glob("[0-9]*.py"))
HISTORY = "schema_migration"
FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database."""
    opened = open_database(empty_database(database_url))
    yield opened
    opened.close()


def tables(database: Database) -> set[str]:
    return {name for name in database.get_tables() if not name.startswith("sqlite_")}


def columns(database: Database, table: str) -> dict[str, tuple[bool, bool]]:
    """Each column of a table, whether it may be null and whether it belongs to the key."""
    return {column.name: (column.null, column.primary_key) for column in database.get_columns(table)}


def modelled(model: Any) -> dict[str, tuple[bool, bool]]:
    """The same for a model."""
    key = {field.name for field in model._meta.get_primary_keys()}
    return {field.column_name: (field.null, field.name in key) for field in model._meta.sorted_fields}


# Migrating


def test_migrating_an_empty_database_creates_what_the_models_describe(database: Database) -> None:
    assert migrate(database) == EVERY_STEP
    assert tables(database) == {model._meta.table_name for model in MODELS} | {HISTORY}
    for model in MODELS:
        assert columns(database, model._meta.table_name) == modelled(model)


def test_unique_and_foreign_keys_of_the_models_exist_in_the_database(database: Database) -> None:
    migrate(database)
    for model in MODELS:
        table, fields = model._meta.table_name, model._meta.sorted_fields
        unique = {tuple(index.columns) for index in database.get_indexes(table) if index.unique}
        assert {(field.column_name,) for field in fields if field.unique} <= unique
        references = {(key.column, key.dest_table) for key in database.get_foreign_keys(table)}
        assert references == {(key.column_name, key.rel_model._meta.table_name) for key in model._meta.refs}


def test_indexes_of_the_models_exist_in_the_database(database: Database) -> None:
    migrate(database)
    for model in MODELS:
        wanted = [tuple(model._meta.fields[name].column_name for name in names) for names, _ in model._meta.indexes]
        wanted += [(field.column_name,) for field in model._meta.sorted_fields if field.index and not field.primary_key]
        found = [tuple(index.columns) for index in database.get_indexes(model._meta.table_name)]
        for index in wanted:
            assert any(each[: len(index)] == index for each in found), (model, index)


def test_migrating_twice_does_nothing(ctx: AppContext, ann: Player, bo: Player) -> None:
    start_game(ctx, [ann, bo])
    before = database_contents(ctx)
    assert pending_migrations(ctx.database) == []
    assert migrate(ctx.database) == []
    assert database_contents(ctx) == before


def test_listing_pending_migrations_changes_nothing(database: Database) -> None:
    assert pending_migrations(database) == EVERY_STEP
    assert tables(database) == set()


# Versions


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """The migrations of a later version, which adds a column and recreates a table."""
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / "9001_colours.py").write_text(
        "from peewee import CharField\n"
        "def up(migrator, db):\n"
        "    migrator.migrate(\n"
        "        migrator.add_column('player', 'colour', CharField(default='red')),\n"
        "        migrator.rename_column('game', 'changed', 'touched'),\n"
        "        migrator.drop_column('player', 'mail_trouble'),\n"
        "    )\n"
    )
    return folder


def test_an_older_database_is_migrated_without_loss(
    ctx: AppContext, ann: Player, bo: Player, next_version: Path
) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann, bo])).game
    before = database_contents(ctx)
    assert pending_migrations(ctx.database, next_version) == ["9001_colours"]
    assert migrate(ctx.database, next_version) == ["9001_colours"]
    assert migrate(ctx.database, next_version) == []
    rows = ctx.database.execute_sql("select email, colour from player order by id").fetchall()
    assert rows == [("ann@example.org", "red"), ("bo@example.org", "red")]
    for table in ("seat", "event", "letter"):  # what refers to the tables that were made anew
        count = ctx.database.execute_sql(f"select count(*) from {table}").fetchone()  # noqa: S608
        assert count == (len(before[table]),)
    assert snapshot_matches(ctx, game.id)


def test_events_of_the_first_version_survive_migration(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "first"
    folder.mkdir()
    shutil.copy(MIGRATIONS / "0001_tables.py", folder)
    migrate(database, folder)
    database.execute_sql(
        "insert into player (email, name, language, time_zone, mail, token_version, created)"
        " values ('ann@example.org', 'Ann', 'en', 'UTC', '{}', 0, 1)"
    )
    database.execute_sql(
        "insert into game (id, game, name, options, status, host, seed, head, turn, invitation_version, created,"
        " changed) values ('g', 'marrakech', 'Old', '{}', 'playing', 1, '00', 3, 1, 0, 1, 1)"
    )
    events = [("g", seq, 1.5, f'{{"n": {seq}}}', 0 if seq == 1 else None, None, None) for seq in (2, 1, 3)]
    for event in events:
        database.execute_sql(f"insert into event values ({', '.join([database.param] * 7)})", event)  # noqa: S608
    assert migrate(database) == EVERY_STEP[1:]
    kept = database.execute_sql("select game, seq, at, body, actor, action, last from event order by seq").fetchall()
    assert kept == sorted(events)
    database.execute_sql("delete from game")
    assert database.execute_sql("select count(*) from event").fetchone() == (0,)


def test_foreign_keys_are_enforced_after_migrating(ctx: AppContext, ann: Player, next_version: Path) -> None:
    migrate(ctx.database, next_version)
    with pytest.raises(IntegrityError):
        ctx.database.execute_sql("insert into seat values ('nowhere', 0, null, '', null, true, 0, 0, null)")


def test_a_failing_migration_rolls_all_of_them_back(database: Database, next_version: Path) -> None:
    (next_version / "9002_wrong.py").write_text("def up(migrator, db):\n    db.execute_sql('create nonsense')\n")
    with pytest.raises(Exception, match="syntax error"):
        migrate(database, next_version)
    assert tables(database) == set()
    (next_version / "9002_wrong.py").unlink()
    assert migrate(database, next_version) == [*EVERY_STEP, "9001_colours"]


def test_a_newer_database_is_refused_with_a_sentence(ctx: AppContext, ann: Player, next_version: Path) -> None:
    migrate(ctx.database, next_version)
    for refuse in (pending_migrations, migrate):
        with pytest.raises(NewerDatabase) as refusal:
            refuse(ctx.database)
        assert str(refusal.value) == (
            "The database was made by a newer version of Marrakech by Mail (it has 9001_colours)."
            " Install that version, or restore an older backup."
        )


# Simultaneous migrations


def migrate_all(urls: list[str]) -> list[list[str]]:
    """Migrate one database after another, each at the same moment as the other processes."""
    done = []
    for url in urls:
        database = open_database(url)
        wait_for_all()
        done.append(migrate(database))
        database.close()
    return done


def test_of_processes_that_start_at_once_one_migrates(database_url: str) -> None:
    # The race for a new SQLite file depends on timing, so there are many.
    url = empty_database(database_url)
    urls = [f"{url}{number}" for number in range(40)] if "sqlite" in url else [url]
    for done in zip(*run_in_processes(migrate_all, [(urls,)] * 4), strict=True):
        assert sorted(done) == [[], [], [], EVERY_STEP]
    database = open_database(urls[0])
    assert tables(database) == {model._meta.table_name for model in MODELS} | {HISTORY}
    database.close()


def test_of_threads_that_start_at_once_one_migrates(ctx: AppContext, next_version: Path) -> None:
    done = run_at_once(ctx, [lambda: migrate(ctx.database, next_version)] * 8)
    assert sorted(str(each) for each in done) == ["['9001_colours']", *["[]"] * 7]


@pytest.mark.databases("postgresql")
def test_postgresql_waits_for_a_locked_row_as_long_as_sqlite(database: Database) -> None:
    assert database.execute_sql("show lock_timeout").fetchone() == (f"{BUSY_SECONDS}s",)


@pytest.mark.databases("postgresql")
def test_a_running_migration_is_waited_for_longer(
    ctx: AppContext, next_version: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.db.connection.BUSY_SECONDS", 1)
    hurried = open_database(ctx.settings.database_url)

    def second() -> list[str]:
        try:
            return migrate(hurried, next_version)
        finally:
            hurried.close()

    with ThreadPoolExecutor(1) as threads:
        with ctx.database.atomic():
            ctx.database.execute_sql("select pg_advisory_xact_lock(%s)", (MIGRATING,))
            waiting = threads.submit(second)
            assert wait([waiting], 1.5).done == set()
        assert len(waiting.result(30)) == 1


# SQLite


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path}/marrakech.db")
    yield opened
    opened.close()


def test_sqlite_is_durable_and_waits_for_other_writers(sqlite: Database) -> None:
    settings = {name: sqlite.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")}
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


def test_every_thread_has_a_connection_with_the_same_settings(sqlite: Database) -> None:
    def look() -> int:
        with sqlite.connection_context():
            return int(sqlite.pragma("synchronous"))

    with ThreadPoolExecutor(3) as threads:
        assert [job.result() for job in [threads.submit(look) for _ in range(3)]] == [2, 2, 2]


def test_a_sqlite_transaction_locks_at_its_start(sqlite: Database) -> None:
    said: list[str] = []
    sqlite.connection().set_trace_callback(said.append)
    with sqlite.atomic():
        pass
    assert said == ["BEGIN IMMEDIATE", "COMMIT"]


def test_waiting_games_are_found_by_an_index(sqlite: Database) -> None:
    migrate(sqlite)
    question = "explain query plan select id from game where status = 'waiting' and created <= 5"
    assert "game_waiting" in str(sqlite.execute_sql(question).fetchall())


OLD_SNAPSHOTS = json.loads((FIXTURES / "snapshots-of-version-1.json").read_text())


def test_snapshots_of_older_versions_give_the_same_states(database: Database, tmp_path: Path) -> None:
    _migrate_up_to("0007_short_snapshots", database, tmp_path)
    for number, old in enumerate(OLD_SNAPSHOTS):
        _insert_game(database, f"game{number:02}", json.dumps(old["state"]))
    _insert_game(database, "not-begun", None)
    assert "0007_short_snapshots" in migrate(database)
    kept = database.execute_sql("select id, state from game where state is not null order by id").fetchall()
    assert len(kept) == len(OLD_SNAPSHOTS)
    for (_, state), old in zip(kept, OLD_SNAPSHOTS, strict=True):
        record = read_text((FIXTURES / "games" / old["game"]).read_text())
        assert GAMES["marrakech"].states.read(json.loads(state)) == record.states()[old["events"]]


def _migrate_up_to(play_one_action: str, database: Database, folder: Path) -> None:
    """Create the tables as they were before this migration, with one player."""
    for name in EVERY_STEP[: EVERY_STEP.index(play_one_action)]:
        shutil.copy(MIGRATIONS / f"{name}.py", folder)
    migrate(database, folder)
    database.execute_sql(
        "insert into player (email, name, language, time_zone, mail, token_version, created)"
        " values ('ann@example.org', 'Ann', 'en', 'UTC', '{}', 0, 1)"
    )


def _insert_game(database: Database, name: str, state: str | None) -> None:
    columns = {"game": "marrakech", "name": "Old", "options": "{}", "status": "playing", "host": 1, "seed": "00"}
    numbers = {"head": 3, "turn": 1, "invitation_version": 0, "created": 1, "changed": 1}
    insert_row(database, "game", {"id": name, "state": state, **columns, **numbers})


def test_the_seats_to_act_move_from_the_seat_table_to_the_game_table(database: Database, tmp_path: Path) -> None:
    _migrate_up_to("0009_to_act", database, tmp_path)
    waiting = {"nobody": [], "one": [2], "several": [0, 1, 3]}
    for game, seats in waiting.items():
        _insert_game(database, game, None)
        for seat in range(4):
            row = {"game": game, "seat": seat, "name": "", "accepted": True, "to_act": seat in seats, "link_version": 0}
            insert_row(database, "seat", row)
    assert "0009_to_act" in migrate(database)
    columns = {column.name for column in database.get_columns("seat")}
    assert "to_act" not in columns
    for game, seats in waiting.items():
        chosen = Seat.select(Seat.seat).join(Game).where(IS_TO_ACT & (Game.id == game)).order_by(Seat.seat)
        assert [seat for (seat,) in chosen.tuples().execute(database)] == seats


def test_sign_in_codes_are_removed_from_old_letters(database: Database, tmp_path: Path) -> None:
    _migrate_up_to("0011_sign_in_nonces", database, tmp_path)
    letter = {
        "kind": "sign-in",
        "address": "ann@example.org",
        "details": '{"code": "BCDFGHJK"}',
        "due": 1,
        "created": 1,
    }
    for status in ("sent", "waiting"):
        insert_row(database, "letter", {**letter, "about": f"sign-in/{status}", "status": status, "tries": 0})
    hashes = {"code_hash": "0" * 64, "link_hash": "0" * 64, "tries": 0, "used": False, "expires": 1}
    insert_row(database, "sign_in_code", {"email": "ann@example.org", **hashes})
    assert "0011_sign_in_nonces" in migrate(database)
    letters = Letter.select(Letter.details, Letter.status).order_by(Letter.id).tuples()
    assert list(letters.execute(database)) == [("{}", "sent"), ("{}", "dropped")]
    assert SignInCode.select().count(database) == 0


# Who can read the files


@pytest.mark.databases("sqlite")
def test_only_the_owner_can_read_the_database_and_its_log(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    file.touch(0o644)
    opened = open_database(f"sqlite:///{file}")
    migrate(opened)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"games.db": 0o600, "games.db-wal": 0o600, "games.db-shm": 0o600}
    for path in tmp_path.iterdir():
        path.chmod(0o644)  # as an earlier version left them
    again = open_database(f"sqlite:///{file}")
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    again.close()
    opened.close()
