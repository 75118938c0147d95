"""`marrakech-cli group` against a real server, whose other players may have finished games as well."""

import json
from pathlib import Path

import pytest

from service.auth.login import find_or_create_player
from service.db.models import Game
from service.db.models import Player as PlayerRow
from service.games.high_scores import store_high_scores
from tests.cli.fake_servers import fake_server
from tests.cli.players import LocalServer, Player
from tests.support.finished_games import DAY, add_game

LONG_AGO = 1_000_000_000.0
PERIOD = ("--since", "2001-09-09", "--until", "2001-09-12")
"""Days on which nobody else played."""


@pytest.fixture(scope="module")
def games(local: LocalServer) -> None:
    """Una has won two games against the computer and lost one to Vic."""
    una, vic = (find_or_create_player(local.ctx, f"{name}@example.org") for name in ("una", "vic"))
    for player, name in ((una, "Una"), (vic, "Vic")):
        PlayerRow.update(name=name).where(PlayerRow.id == player.id).execute(local.ctx.database)
    add_game(local.ctx, "rugs-laid-2p-standard-shuffled", ["easy", una], LONG_AGO)
    add_game(local.ctx, "rugs-laid-2p-standard-shuffled", [una, vic], LONG_AGO + DAY)
    add_game(local.ctx, "kilim-days-over-2p-relaxed", [una, "medium"], LONG_AGO + 2 * DAY)
    while Game.select().where((Game.status == "finished") & Game.high_scores.is_null()).exists(local.ctx.database):
        store_high_scores(local.ctx)


@pytest.fixture
def una(local: LocalServer, games: None, tmp_path: Path) -> Player:
    return local.player("una", tmp_path)


def test_the_group_is_a_table_for_each_game_with_its_records(una: Player) -> None:
    shown = una.run_ok("group", *PERIOD).out
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("3 finished games.")
    assert "Marrakech                 Rating     +/-   Games    Wins   Place" in lines
    table = [line.split() for line in lines]
    assert [row[0] for row in table if row and row[-1] in {"1.0", "1.5", "2.0"}] == [
        *("Vic", "Una", "Computer", "Una", "Computer")
    ]
    assert "Largest payment received: 7 (Una, 2001-09-09)" in lines
    assert "Most points: 21 (Una, 2001-09-11)" in lines
    assert "Luck" not in shown
    assert [lines[-4], *sorted(lines[-3:])] == [
        "You against                Games   Ahead  Behind    Tied",
        "Computer (easy)                1       1       0       0",
        "Computer (medium)              1       1       0       0",
        "Vic                            1       0       1       0",
    ]


def test_filters_are_passed_on_and_json_is_what_the_api_says(una: Player) -> None:
    found = una.run_ok("group", "--game", "kilim", *PERIOD, "--json").json
    assert found == una.api("GET", "/group?game=kilim&since=2001-09-09&until=2001-09-12")
    assert found["games"] == 1
    assert una.run_ok("group", "--until", "1999-01-01").out == "No finished games match.\n"
    refused = una.run("group", "--since", "yesterday")
    assert (refused.code, refused.out, refused.err) == (2, "", "Write a day like this: 2026-01-31.\n")


def test_only_players_who_have_signed_in_may_look(stranger: Player, una: Player) -> None:
    assert stranger.run("group").code == 5
    assert una.run("group", MARRAKECH_TOKEN="").code == 0


def test_luck_and_skill_are_columns_once_games_were_analysed(una: Player, tmp_path: Path) -> None:
    found = una.api("GET", "/group?game=kilim&since=2001-09-09&until=2001-09-12")
    ours = next(player for player in found["players"] if player["bot"] is None)
    ours["by_game"]["kilim"] |= {"luck": 0.1234, "skill": -0.05}
    answer = (200, {"Content-Type": "application/json"}, json.dumps(found).encode())
    with fake_server(lambda asked: answer) as server:
        table = Player(tmp_path / "fake", server, None).run_ok("group", MARRAKECH_TOKEN=una.token or "").out
    lines = table.splitlines()
    assert "Kilim                     Rating     +/-   Games    Wins   Place    Luck   Skill" in lines
    assert next(line for line in lines if line.startswith("Una ")).endswith("    +12%     -5%")
    assert max(map(len, lines)) == 80
