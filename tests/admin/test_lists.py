"""`games`, `players` and `link`: what a host can look up and do."""

import json
import re

import pytest

from service.context import AppContext
from service.db.models import Game, Player
from service.games.lobby import SeatRequest, cancel, create_game
from service.games.store import load
from tests.support.apps import app_for
from tests.support.commands import Run, runner
from tests.support.tables import OPEN, new_game, play_to_end, start_game


@pytest.fixture
def run(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Run:
    return runner(ctx, monkeypatch)


def test_games_are_listed_with_their_players_newest_first(ctx: AppContext, run: Run, ann: Player, bo: Player) -> None:
    assert run("games").stdout == "No games yet.\n"
    over = play_to_end(ctx, start_game(ctx, [ann, bo]))
    Game.update(changed=ctx.clock() - 5).execute(ctx.database)
    waiting = create_game(ctx, ann, new_game(OPEN, SeatRequest(bot="easy"), name="Friday"))
    lines = run("games").stdout.splitlines()
    assert lines == [
        f"{waiting.id}  marrakech waiting   turn 0   2026-09-21T14:13:20Z  Friday: 0 ann, 1 open, 2 Salma",
        f"{over.id}  marrakech finished  turn {over.turn:<3} 2026-09-21T14:13:15Z  Marrakech with ann: 0 ann, 1 bo",
    ]
    assert run("games", "--status", "finished").stdout.splitlines() == lines[1:]
    assert run("games", "--status", "expired").stdout == "No expired games.\n"
    assert run("games", "--most", 1).stdout.splitlines() == [
        lines[0],
        "These are the newest 1. Use --most to list more.",
    ]
    assert run("games", "--status", "lost").exit_code == 2


def test_the_seat_to_act_has_a_star(ctx: AppContext, run: Run, ann: Player, bo: Player) -> None:
    start_game(ctx, [ann, bo])
    assert run("games").stdout.endswith(": 0 ann*, 1 bo\n")


def test_players_are_listed_with_their_games_and_mail_errors(
    ctx: AppContext, run: Run, ann: Player, bo: Player
) -> None:
    start_game(ctx, [ann], bots=1)
    Player.update(mail_trouble="550 no such user", name="Bo B").where(Player.id == bo.id).execute(ctx.database)
    assert [line.split(maxsplit=2)[2] for line in run("players").stdout.splitlines()] == [
        "0 games  bo@example.org  Bo B  mail rejected: 550 no such user",
        "1 game   ann@example.org",
    ]


def test_an_export_is_json_and_an_unknown_address_is_reported(ctx: AppContext, run: Run, ann: Player) -> None:
    assert json.loads(run("players", "export", "ANN@example.org").stdout)["player"]["id"] == ann.id
    for command in ("export", "delete"):
        done = run("players", command, "eve@example.org")
        assert (done.exit_code, done.stderr.startswith("No player has the address")) == (1, True)
        done = run("players", command, "no address")
        assert (done.exit_code, done.stderr) == (1, "ADDRESS must be an e-mail address such as ann@example.org.\n")


def test_deleting_asks_first_and_refuses_players_in_running_games(
    ctx: AppContext, run: Run, ann: Player, bo: Player
) -> None:
    start_game(ctx, [ann, bo])
    assert run("players", "delete", "ann@example.org", typed="n\n").exit_code == 1
    done = run("players", "delete", "ann@example.org", "--yes")
    assert (done.exit_code, "is in 1 running game" in done.stderr) == (1, True)
    assert Player.select().where(Player.email == "ann@example.org").exists(ctx.database)
    done = run("players", "delete", "ann@example.org", "--resign", typed="y\n")
    assert (done.exit_code, done.stdout.endswith("Deleted ann@example.org.\n")) == (0, True)
    assert not Player.select().where(Player.email == "ann@example.org").exists(ctx.database)


def path_of(printed: str) -> str:
    found = re.fullmatch(r"http://127\.0\.0\.1:8000(/[a-z]+/\S+)\n", printed)
    assert found
    return found[1]


def test_a_link_opens_the_turn_or_the_seat(ctx: AppContext, run: Run, ann: Player, bo: Player) -> None:
    game, client = start_game(ctx, [ann, bo]), app_for(ctx).test_client()
    turn, seat = path_of(run("link", game.id, 0).stdout), path_of(run("link", game.id, 1).stdout)
    assert turn.startswith("/t/")
    assert seat.startswith("/s/")
    assert (client.get(turn).status_code, client.get(seat).status_code) == (200, 200)
    assert load(ctx.database, game.id).seats[1].link_version == 0, "the links in the letters stay good"
    fresh = path_of(run("link", game.id, 1, "--revoke").stdout)
    assert client.get(fresh).status_code == 200
    assert client.get(seat).status_code != 200


def test_an_open_seat_has_a_join_link_and_a_bot_has_none(ctx: AppContext, run: Run, ann: Player) -> None:
    game = create_game(ctx, ann, new_game(OPEN, SeatRequest(bot="easy")))
    assert path_of(run("link", game.id, 1).stdout).startswith("/join/")
    done = run("link", game.id, 2)
    assert (done.exit_code, done.stderr) == (1, "Seat 2 belongs to a bot, so it has no link.\n")
    done = run("link", game.id, 3)
    assert (done.exit_code, done.stderr) == (1, "Seat 3 doesn't exist. This game has seats 0 to 2.\n")
    assert run("link", "nothing", 0).stderr == "This game doesn't exist. Check the link or the ID.\n"
    cancel(ctx, game.id, ann.id)
    assert run("link", game.id, 0).stderr == "This game was cancelled before it started. You can start a new one.\n"
