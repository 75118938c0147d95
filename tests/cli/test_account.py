"""Signing in, links from letters, several servers; and a token is never shown."""

import json
import stat
from pathlib import Path

from tests.cli.players import LocalServer, Player, start_two_player_game


def test_login_with_the_mailed_code_and_logout(local: LocalServer, stranger: Player) -> None:
    asked = stranger.run_ok("login", "dora@example.org")
    assert "an e-mail with a code is on its way" in asked.out
    assert "marrakech-cli login dora@example.org --code CODE" in asked.out
    code = local.mailed_code("dora@example.org")
    signed_in = stranger.run_ok("login", "dora@example.org", "--code", f" {code[:4]} {code[4:]} ", "--json")
    assert signed_in.json == {"server": local.server, "email": "dora@example.org", "signed_in": True}
    kept = stranger.folder / "marrakech" / "servers.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    token = json.loads(kept.read_text())["servers"][local.server]["token"]
    shown = [
        stranger.run_ok(*words, "--verbose") for words in (["whoami"], ["doctor"], ["games"], ["whoami", "--json"])
    ]
    assert "Signed in as dora@example.org" in shown[0].out
    assert token
    assert not any(token in done.out + done.err for done in shown)
    assert "signed out" in stranger.run_ok("logout").out
    assert token not in kept.read_text()
    assert stranger.run("games").code == 5


def test_a_wrong_code_is_refused_and_nothing_is_kept(stranger: Player) -> None:
    done = stranger.run("login", "dora@example.org", "--code", "WRONGONE")
    assert done.code in {2, 5}
    assert done.out == ""
    assert not (stranger.folder / "marrakech").exists()


def test_a_link_from_a_letter_plays_without_signing_in(
    local: LocalServer, stranger: Player, ann: Player, bo: Player
) -> None:
    view = start_two_player_game(ann, bo)
    link = local.turn_link(view, 0)
    token = link.rpartition("/")[2]
    used = stranger.run_ok("use", f"<{link}?do=left>")
    assert 'Current game: "Friday" on' in used.out
    played = stranger.run_ok("move", "--dir", "left", "--verbose")
    assert ", rolled " in played.out
    assert token not in used.out + used.err + played.out + played.err
    assert json.loads(stranger.run_ok("show", "--json").out)["phase"] == "placement"
    assert stranger.run("games").code == 5


def test_use_reads_a_link_from_standard_input_to_keep_it_out_of_the_history(
    local: LocalServer, stranger: Player, ann: Player, bo: Player
) -> None:
    view = start_two_player_game(ann, bo)
    done = stranger.run_ok("use", "--json", typed=local.seat_link(view, 1) + "\n")
    assert done.json["game"] == view["id"]
    assert done.json["you"] == 1


def test_a_link_of_another_server_switches_to_that_server(
    local: LocalServer, stranger: Player, ann: Player, bo: Player
) -> None:
    view = start_two_player_game(ann, bo)
    elsewhere = {"MARRAKECH_SERVER": ""}
    stranger.run_ok("use", local.seat_link(view, 1), **elsewhere)
    assert stranger.run_ok("show", "--json", **elsewhere).json["you"] == 1
    assert local.server in stranger.run_ok("whoami", **elsewhere).out


def test_a_link_of_the_players_own_seat_is_not_kept(local: LocalServer, ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    ann.run_ok("use", local.turn_link(view, 0))
    assert ann.run_ok("whoami", "--json").json["links"] == []
    assert ann.run_ok("show", "--json").json["id"] == view["id"]
    ann.run_ok("use", local.seat_link(view, 1))
    assert ann.run_ok("show", "--json").json["you"] == 1  # the link that was pasted is the seat that is meant
    ann.run_ok("use", "--clear")
    assert ann.run_ok("whoami", "--json").json["game"] is None


def test_a_broken_link_is_refused_with_one_sentence(
    local: LocalServer, stranger: Player, ann: Player, bo: Player
) -> None:
    view = start_two_player_game(ann, bo)
    link = local.turn_link(view, 0)
    for words in ("hello world!", "https://example.org/", f"{local.server}/t/abc", link[:-1]):
        done = stranger.run("use", words)
        assert done.code in {2, 5}, words
        assert len(done.err.splitlines()) == 1
    assert stranger.run("use", f"{local.server}/login/abc.def").code == 2


def test_environment_variables_come_before_the_configuration(
    local: LocalServer, ann: Player, bo: Player, tmp_path: Path
) -> None:
    view = start_two_player_game(ann, bo)
    nobody = local.stranger(tmp_path)
    assert nobody.run_ok("whoami", "--json", MARRAKECH_TOKEN=str(bo.token)).json["email"] == "bo@example.org"
    turn = local.turn_link(view, 0).rpartition("/")[2]
    assert nobody.run_ok("show", "--json", MARRAKECH_TOKEN=turn).json["id"] == view["id"]
    assert ann.run("show", "--game", view["id"], MARRAKECH_TOKEN="nonsense").code == 5  # noqa: S106 - it is none
    assert ann.run("games", "--server", "127.0.0.1:1").code == 5  # a token is never sent to another server
    assert ann.run("show", "--game", view["id"], "--server", "127.0.0.1:1").code == 6


def test_the_only_possible_game_is_found_or_all_possible_ones_are_named(local: LocalServer, tmp_path: Path) -> None:
    gus, hal = local.player("gus", tmp_path), local.player("hal", tmp_path)
    assert gus.run("show").code == 2
    first = start_two_player_game(gus, hal)
    assert gus.run_ok("show", "--json").json["id"] == first["id"]
    second = start_two_player_game(gus, hal)
    several = gus.run("move", "--dir", "left")
    assert several.code == 2
    assert first["id"] in several.err
    assert second["id"] in several.err
    gus.run_ok("move", "--dir", "left", "--game", first["id"])
    gus.run_ok("use", second["id"])
    assert gus.run_ok("move", "--dir", "a", "--json").json["view"]["id"] == second["id"]
