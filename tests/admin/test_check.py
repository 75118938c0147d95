"""`check` and `replay-diff` report problems in one line each and change nothing."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from service.admin import check
from service.admin.check import check_clock
from service.context import AppContext
from service.db.models import Event, Game, Player
from tests.support.commands import Run, runner
from tests.support.tables import database_contents, play_one_action, play_to_end, start_game


@pytest.fixture
def run(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Run:
    return runner(ctx, monkeypatch)


def test_a_folder_that_cannot_be_written_to_is_found(
    ctx: AppContext, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert run("check").stdout.splitlines()[1].split() == ["folders", "good"]
    missing = tmp_path / "missing"
    monkeypatch.setattr(check, "_folders_to_write", lambda _settings: iter([missing]))
    done = run("check")
    assert (done.exit_code, done.stderr) == (
        1,
        f"folders    can't write to {missing} (No such file or directory): give this user write access\n",
    )


def test_a_disk_that_is_nearly_full_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "LITTLE_SPACE", 2**80)
    done = run("check")
    assert (done.exit_code, "MiB left: free some space" in done.stderr) == (1, True)


def test_a_clock_that_is_behind_is_found(ctx: AppContext, run: Run, ann: Player) -> None:
    start_game(ctx._replace(clock=lambda: time.time() + 3600), [ann], bots=1)
    done = run("check")
    assert done.exit_code == 1
    assert done.stderr.startswith("clock      3")
    assert done.stderr.endswith("seconds behind the newest game: set it, preferably with NTP\n")


def test_a_clock_that_differs_from_the_database_servers_is_found(
    ctx: AppContext, capsys: pytest.CaptureFixture[str]
) -> None:
    if ctx.settings.database_url.startswith("sqlite"):
        assert check_clock(ctx.database, time.time() + 600) == "good"
    else:
        with pytest.raises(typer.Exit):
            check_clock(ctx.database, time.time() + 600)
        assert "seconds from the database server's; set both by NTP" in capsys.readouterr().err
    with pytest.raises(typer.Exit):
        check_clock(ctx.database, 1_000_000.0)
    assert "before this program was written" in capsys.readouterr().err


def test_replay_diff_counts_games_without_differences(ctx: AppContext, run: Run, ann: Player, bo: Player) -> None:
    play_to_end(ctx, start_game(ctx, [ann, bo]))
    play_one_action(ctx, start_game(ctx, [bo, ann]))
    done = run("replay-diff")
    assert (done.exit_code, done.stdout) == (0, "Games checked: 2. No differences.\n")


def spoil_snapshot(ctx: AppContext, game: str) -> None:
    [state] = [row.state for row in Game.select().where(Game.id == game).execute(ctx.database)]
    changed = json.loads(state) | {"dirhams": [1, 59]}
    Game.update(state=json.dumps(changed)).where(Game.id == game).execute(ctx.database)


def spoil_result(ctx: AppContext, game: str) -> None:
    last = Event.select().where(Event.game == game).order_by(Event.seq.desc()).get(ctx.database)
    body = json.loads(last.body)
    body["result"]["winners"] = [1 - body["result"]["winners"][0]]
    Event.update(body=json.dumps(body)).where((Event.game == game) & (Event.seq == last.seq)).execute(ctx.database)


def lose_event(ctx: AppContext, game: str) -> None:
    last = Event.select().where(Event.game == game).order_by(Event.seq.desc()).get(ctx.database)
    Event.delete().where((Event.game == game) & (Event.seq == last.seq)).execute(ctx.database)


def garble_event(ctx: AppContext, game: str) -> None:
    Event.update(body='{"type": "danced"}').where((Event.game == game) & (Event.seq == 2)).execute(ctx.database)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (spoil_snapshot, "snapshot dirhams: stored [1, 59], replayed ["),
        (spoil_result, "result"),
        (lose_event, "status: stored 'finished', replayed 'playing'"),
        (garble_event, "can't be read: "),
    ],
)
def test_replay_diff_reports_differences_and_changes_nothing(
    ctx: AppContext, run: Run, ann: Player, bo: Player, spoil: Callable[[AppContext, str], None], words: str
) -> None:
    game = play_to_end(ctx, start_game(ctx, [ann, bo]))
    spoil(ctx, game.id)
    before = database_contents(ctx)
    done = run("replay-diff")
    assert (done.exit_code, done.stderr) == (1, "Games checked: 1. Games with differences: 1.\n")
    assert all(line.startswith(f"{game.id}  ") for line in done.stdout.splitlines())
    assert words in done.stdout
    assert database_contents(ctx) == before
