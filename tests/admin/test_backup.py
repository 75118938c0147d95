"""`backup` and `restore` between both databases, without loss and all or nothing; `rotate-key`."""

import gzip
import json
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playhouse.migrations import Runner

from service.auth.access import principal_with_token
from service.auth.login import create_login_code, find_or_create_player
from service.auth.secret_file import add_newest_key
from service.auth.tokens import TokenSigner
from service.context import AppContext
from service.db.backup import BackupError, make_backup
from service.db.connection import MIGRATIONS, migrate, open_database
from service.db.models import Game, Letter, Player
from service.db.restore import restore_backup
from service.errors import Unauthorised
from service.games.chat import post_message
from service.games.players import replace_links
from service.games.store import load
from tests.admin.test_main import server
from tests.support.commands import Run, runner
from tests.support.tables import (
    database_contents,
    play_one_action,
    snapshot_matches,
    start_game,
    take_back_link_versions,
)

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def ignore_progress(_done: int, _total: int) -> None:
    """Ignore progress."""


def contents_before_restore(ctx: AppContext) -> dict[str, list[tuple[object, ...]]]:
    """The contents of a restored database without what restoring has changed: link versions, and letters with links."""
    Letter.delete().where(Letter.kind == "links").execute(ctx.database)
    take_back_link_versions(ctx.database)
    return database_contents(ctx)


@pytest.fixture
def run(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Run:
    return runner(ctx, monkeypatch)


@pytest.fixture
def busy(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> AppContext:
    """A server with data in every table, and every kind of value."""
    game = start_game(ctx, [ann, bo], pace=86_400)
    for _ in range(6):
        game = play_one_action(ctx, game, "salt — with a dash").game
    start_game(ctx, [cy], bots=1, options={})
    post_message(ctx, game.id, 1, "“Bonne chance”, \U0001f9de\n2 lines")
    for address in ("ann@example.org", "eve@example.org"):
        create_login_code(ctx, address)
    Player.update(away_from=ctx.clock() / 3, away_until=ctx.clock() + 0.1).execute(ctx.database)
    return ctx


@pytest.fixture
def other(ctx: AppContext, tmp_path: Path) -> Iterator[AppContext]:
    """A second, empty server on SQLite."""
    database = open_database(f"sqlite:///{tmp_path}/other.db")
    migrate(database)
    yield ctx._replace(database=database)
    database.close()


@pytest.mark.parametrize("name", ["backup.jsonl", "backup.jsonl.gz"])
def test_a_portable_backup_goes_into_sqlite_and_back_without_loss(
    busy: AppContext, other: AppContext, run: Run, name: str
) -> None:
    file = busy.settings.data_dir / name
    before = database_contents(busy)
    done = run("backup", file)
    assert (done.exit_code, done.stdout) == (0, f"Backed up to {file} ({file.stat().st_size} bytes, portable).\n")
    restore_backup(other.database, file, False, ignore_progress)
    assert contents_before_restore(other) == before
    back = busy.settings.data_dir / "back.jsonl"
    make_backup(other.database, back, True, 0.0, ignore_progress)
    Game.update(name="spoiled").execute(busy.database)
    assert run("restore", back, "--replace").exit_code == 0
    assert contents_before_restore(busy) == before
    assert all(snapshot_matches(busy, game_id) for (game_id,) in Game.select(Game.id).tuples().execute(busy.database))


def test_a_backup_of_the_sqlite_file_is_a_single_file_that_restores(busy: AppContext, run: Run) -> None:
    file = busy.settings.data_dir / "backup.db"
    before, sqlite = database_contents(busy), busy.settings.database_url.startswith("sqlite")
    assert run("backup", file).exit_code == 0
    if sqlite:
        with sqlite3.connect(file) as copy:
            assert copy.execute("pragma journal_mode").fetchone() == ("delete",)
            assert copy.execute("pragma integrity_check").fetchone() == ("ok",)
        copy.close()
    else:
        assert json.loads(file.read_text().partition("\n")[0])["format"] == "marrakech-backup/1"
    Game.update(name="spoiled").execute(busy.database)
    assert run("restore", file, "--replace").exit_code == 0
    assert contents_before_restore(busy) == before


def test_a_copy_of_the_sqlite_file_restores_into_postgresql(
    ctx: AppContext, run: Run, tmp_path: Path, ann: Player, bo: Player
) -> None:
    url = f"sqlite:///{tmp_path}/group.db"
    group = ctx._replace(database=open_database(url))
    migrate(group.database)
    play_one_action(
        group,
        start_game(
            group, [find_or_create_player(group, "bo@example.org"), find_or_create_player(group, "cy@example.org")]
        ),
    )
    before = database_contents(group)
    copy = tmp_path / "copy.db"
    make_backup(group.database, copy, False, 0.0, ignore_progress)
    group.database.close()
    assert run("restore", copy, "--replace").exit_code == 0
    assert contents_before_restore(ctx) == before


def test_a_restore_ends_every_link_and_mails_new_ones(busy: AppContext, run: Run) -> None:
    """A link that was replaced after the backup must not work again."""
    file = busy.settings.data_dir / "backup.jsonl"
    assert run("backup", file).exit_code == 0
    game = load(busy.database, Game.select(Game.id).where(Game.pace.is_null(False)).scalar(busy.database))
    ann = game.seats[0].player
    tokens = [busy.tokens.seat(game.id, 0, 0), busy.tokens.turn(game.id, 0, game.turn, 0), busy.tokens.api(ann or 0, 0)]
    replace_links(busy, game.id, 0, ann or 0)
    stolen = busy.tokens.seat(game.id, 0, 1)
    replace_links(busy, game.id, 0, ann or 0)
    done = run("restore", file, "--replace")
    assert "3 players get an e-mail with new links." in done.stdout
    for token in (*tokens, stolen):
        with pytest.raises(Unauthorised):
            principal_with_token(busy, token)
    letters = Letter.select(Letter.address).where((Letter.kind == "links") & (Letter.status == "waiting"))
    assert {address for (address,) in letters.tuples().execute(busy.database)} == {
        "ann@example.org",
        "bo@example.org",
        "cy@example.org",
    }
    assert principal_with_token(busy, busy.tokens.seat(game.id, 0, 1000)).player is not None


def test_ids_continue_after_a_restore(busy: AppContext, other: AppContext) -> None:
    """With a reused id, a new login letter would look like one that was sent before."""
    last = Letter.select(Letter.id).order_by(Letter.id.desc()).scalar(busy.database)
    Letter.delete().where(Letter.id == last).execute(busy.database)
    file = busy.settings.data_dir / "backup.jsonl"
    make_backup(busy.database, file, True, 0.0, ignore_progress)
    for house in (other, busy):
        restore_backup(house.database, file, True, ignore_progress)
        before = Letter.select().count(house.database)
        create_login_code(house, "eve@example.org")
        assert Letter.select().count(house.database) == before + 1
        assert Letter.select(Letter.id).order_by(Letter.id.desc()).scalar(house.database) == last + 1


def test_a_backup_is_consistent_while_games_are_played(
    ctx: AppContext, ann: Player, bo: Player, other: AppContext
) -> None:
    game, stop = start_game(ctx, [ann, bo]), threading.Event()

    def play() -> None:
        now = game
        while not stop.is_set() and now.status == "playing":
            now = play_one_action(ctx, now).game
        ctx.database.close()

    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(play)
        for number in range(5):
            file = ctx.settings.data_dir / f"{number}.jsonl"
            make_backup(ctx.database, file, True, 0.0, ignore_progress)
            restore_backup(other.database, file, True, ignore_progress)
            assert snapshot_matches(other, game.id)
        stop.set()
        playing.result(30)


def test_a_copy_of_the_sqlite_file_does_not_restart_on_writes(ctx: AppContext, tmp_path: Path) -> None:
    if not ctx.settings.database_url.startswith("sqlite"):
        pytest.skip("Only SQLite has a file to copy.")
    ctx.database.execute_sql("create table filler (text text)")
    rows = [(str(number) * 3000,) for number in range(1000)]
    with ctx.database.atomic():
        for row in rows:
            ctx.database.execute_sql("insert into filler values (?)", row)
    other, heard = sqlite3.connect(ctx.settings.database_url.removeprefix("sqlite:///")), []

    def write_meanwhile(done: int, total: int) -> None:
        heard.append(done)
        assert len(heard) < 100, "it began anew again and again"
        other.execute("insert into filler values ('later')")
        other.commit()

    make_backup(ctx.database, tmp_path / "copy.db", False, 0.0, write_meanwhile)
    other.close()
    assert len(heard) > 3
    copy = sqlite3.connect(tmp_path / "copy.db")
    assert copy.execute("select count(*) from filler").fetchone() == (1000,), "and all is of one moment"
    copy.close()


def test_a_database_without_tables_has_nothing_to_back_up(ctx: AppContext, tmp_path: Path) -> None:
    empty = open_database(f"sqlite:///{tmp_path}/empty.db")
    with pytest.raises(BackupError, match="nothing to back up"):
        make_backup(empty, tmp_path / "backup.jsonl", True, 0.0, ignore_progress)
    empty.close()
    assert not (tmp_path / "backup.jsonl").exists()


def test_a_backup_can_be_made_while_another_process_writes(busy: AppContext) -> None:
    file = busy.settings.data_dir / "backup.jsonl.gz"
    with busy.database.atomic():
        Game.update(name="not yet said").execute(busy.database)
        done = server(busy, "backup", str(file))
    assert (done.exit_code, done.stderr) == (0, ""), "no progress bar without a terminal"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "not yet said" not in gzip.decompress(file.read_bytes()).decode()


def test_an_existing_file_is_kept_without_replace(busy: AppContext, run: Run) -> None:
    file = busy.settings.data_dir / "backup.jsonl"
    file.write_text("something else")
    done = run("backup", file)
    assert (done.exit_code, done.stderr) == (1, f"{file} already exists. Choose another name, or add --replace.\n")
    assert file.read_text() == "something else"
    assert run("backup", file, "--replace").exit_code == 0
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".backup")] == []


def test_the_database_itself_is_not_overwritten_by_its_backup(ctx: AppContext, run: Run) -> None:
    if ctx.settings.database_url.startswith("sqlite"):
        done = run("backup", ctx.settings.database_url.removeprefix("sqlite:///"), "--replace")
        assert (done.exit_code, "is the database itself" in done.stderr) == (1, True)


def test_a_backup_that_cannot_be_written_leaves_nothing_behind(busy: AppContext, run: Run, tmp_path: Path) -> None:
    done = run("backup", tmp_path / "nowhere" / "backup.jsonl")
    assert done.exit_code == 1
    assert done.stderr.endswith("(No such file or directory). Choose another path.\n")


def test_a_database_with_games_is_kept_without_replace(busy: AppContext, run: Run) -> None:
    file = busy.settings.data_dir / "backup.jsonl"
    assert run("backup", file).exit_code == 0
    Game.update(name="newer").execute(busy.database)
    before = database_contents(busy)
    done = run("restore", file)
    assert done.exit_code == 1
    assert done.stderr.startswith("The database has games or players, and restoring would remove them")
    assert database_contents(busy) == before


def spoiled(file: Path, change: Callable[[list[str]], list[str]]) -> Path:
    """A damaged copy of a backup."""
    other = file.with_name("spoiled.jsonl")
    other.write_text("".join(change(file.read_text().splitlines(keepends=True))))
    return other


def without_row(lines: list[str]) -> list[str]:
    place = max(number for number, line in enumerate(lines) if line.startswith("["))
    return [*lines[:place], *lines[place + 1 :]]


def without_player(lines: list[str]) -> list[str]:
    place = next(number for number, line in enumerate(lines) if line.startswith('{"table":"player"')) + 1
    count = json.loads(lines[-1])["rows"]
    return [*lines[:place], *lines[place + 1 : -1], json.dumps({"rows": count - 1})]


WRONG: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "cut off": (lambda lines: lines[:-1], "is incomplete: rows are missing"),
    "a row missing": (without_row, "is incomplete: rows are missing"),
    "half a line": (lambda lines: [*lines[:5], lines[5][:7]], "isn't a backup of Marrakech by Mail, or it is damaged"),
    "another file": (lambda lines: ['{"format": "shopping-list"}\n'], "isn't a backup of Marrakech by Mail"),
    "a heading of half a line": (lambda lines: ['{"format": "marrakech-backup/1"}\n', *lines[1:]], "it is damaged"),
    "a number for a row": (lambda lines: [lines[0], "5\n", *lines[1:]], "it is damaged"),
    "an object for a value": (lambda lines: [line.replace('"ann@', '{"a":1},"') for line in lines], "fits no table"),
    "a row twice": (lambda lines: [*lines[:-1], *[line for line in lines if "ann@" in line][:1], lines[-1]], ""),
    "empty": (lambda lines: [], "isn't a backup of Marrakech by Mail"),
    "newer": (lambda lines: [lines[0].replace('"0001', '"9999_later","0001'), *lines[1:]], "newer version"),
    "a table of its own": (
        lambda lines: [line.replace('"seat"', '"sofa"') for line in lines],
        "an unknown table or column",
    ),
    "a reference into nothing": (without_player, "refer to missing rows"),
}


def test_a_damaged_backup_is_refused_and_nothing_changes(busy: AppContext, run: Run, subtests: pytest.Subtests) -> None:
    file = busy.settings.data_dir / "backup.jsonl"
    assert run("backup", file).exit_code == 0
    before = database_contents(busy)
    for wrong, (change, words) in WRONG.items():
        with subtests.test(wrong):
            done = run("restore", spoiled(file, change), "--replace")
            assert (done.exit_code, words in done.stderr) == (1, True), done.stderr
            assert database_contents(busy) == before


def test_a_file_that_is_not_our_database_is_refused(busy: AppContext, run: Run, tmp_path: Path) -> None:
    foreign, torn = tmp_path / "foreign.db", tmp_path / "torn.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("create table shopping (list text)")
    connection.close()
    whole = open_database(f"sqlite:///{torn}")
    migrate(whole)
    whole.execute_sql("pragma wal_checkpoint(truncate)")
    whole.close()
    pages = torn.read_bytes()
    torn.write_bytes(pages[:8192] + b"\xff" * 8192 + pages[16384:])
    before = database_contents(busy)
    packed, crushed = gzip.compress(bytes(range(256)) * 100, mtime=0), tmp_path / "crushed.jsonl.gz"
    crushed.write_bytes(packed[:30] + b"\xff" * 40 + packed[70:])
    for file, words in (
        (crushed, "it is damaged"),
        (foreign, "not one of Marrakech by Mail"),
        (torn, "is damaged"),
        (tmp_path / "no", "Can't read"),
    ):
        done = run("restore", file, "--replace")
        assert (done.exit_code, words in done.stderr) == (1, True), done.stderr
    assert database_contents(busy) == before


def test_a_restore_that_fails_halfway_changes_nothing(busy: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    file = busy.settings.data_dir / "backup.jsonl"
    make_backup(busy.database, file, True, 0.0, ignore_progress)
    before = database_contents(busy)

    def pull_the_plug(done: int, total: int) -> None:
        if done > total // 2:
            raise BackupError("the plug was pulled")

    with pytest.raises(BackupError):
        restore_backup(busy.database, file, True, pull_the_plug)
    assert database_contents(busy) == before


def test_a_backup_of_an_older_version_is_migrated(ctx: AppContext, run: Run, tmp_path: Path) -> None:
    """Both formats, of a database of the first version with a player."""
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(MIGRATIONS / "0001_tables.py", first)
    old = open_database(f"sqlite:///{tmp_path}/old.db")
    old.connect()
    Runner(old, str(first)).up()
    old.execute_sql(
        "insert into player (id, email, name, language, time_zone, mail, token_version, created)"
        " values (7, 'old@example.org', 'Old', 'en', 'UTC', '{}', 0, 1.5)"
    )
    for name, portable in (("old.jsonl", True), ("copy.db", False)):
        make_backup(old, tmp_path / name, portable, 0.0, ignore_progress)
        assert run("restore", tmp_path / name, "--replace").exit_code == 0
        player = Player.select().get(ctx.database)
        assert (player.id, player.email, player.days_off) == (7, "old@example.org", "")
    old.close()


# Rotating the key


def test_a_new_key_comes_first_and_old_links_keep_working(ctx: AppContext, run: Run) -> None:
    file = ctx.settings.data_dir / "secret_key"
    old = file.read_text().strip()
    token = ctx.tokens.seat("game", 1, 0)
    done = run("rotate-key")
    assert (done.exit_code, "now has 2 keys" in done.stdout) == (0, True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    keys = file.read_text().strip().split(",")
    assert (len(keys), keys[1], keys[0] != old) == (2, old, True)
    assert TokenSigner(keys).read_seat(token).game == "game"
    with pytest.raises(Exception, match="isn't valid"):
        ctx.tokens.read_seat(TokenSigner(keys).seat("game", 1, 0))
    assert run("check").exit_code == 0
    assert keys[0] not in done.output


def test_a_key_from_the_settings_is_not_changed(
    ctx: AppContext, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = (ctx.settings.data_dir / "secret_key").read_text()
    (ctx.settings.data_dir / "marrakech.toml").write_text('secret_key = "a-key-that-the-host-has-set"')
    done = run("rotate-key")
    assert (done.exit_code, "secret_key in marrakech.toml" in done.stdout) == (1, True)
    monkeypatch.setenv("MARRAKECH_SECRET_KEY", "a-key-that-the-host-has-set")
    done = run("rotate-key")
    assert (done.exit_code, done.stdout.startswith("The key is set by MARRAKECH_SECRET_KEY")) == (1, True)
    assert "a-key-that-the-host-has-set" not in done.output
    assert (ctx.settings.data_dir / "secret_key").read_text() == before


def test_keys_added_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "secret_key"
    file.write_text("the-oldest-key-of-all\n")
    file.chmod(0o600)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add_newest_key, [file] * 4))
    assert len(file.read_text().split(",")) == 5
