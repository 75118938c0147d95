"""Signing in, links out of letters, several servers side by side; and a token is never shown."""

import json
import re
import stat
from pathlib import Path

import requests

from tests.cli.people import House, Person, table_for_two


def code_from_the_mailbox(house: House) -> str:
    found = re.search(r"^([A-Z0-9]{8})$", requests.get(f"{house.server}/mailbox", timeout=30).text, re.MULTILINE)
    assert found
    return found[1]


def test_somebody_signs_in_with_the_code_of_the_letter_and_out_again(house: House, stranger: Person) -> None:
    asked = stranger.does("login", "dora@example.org")
    assert "a letter with a code is on its way" in asked.out
    assert "marrakech-cli login dora@example.org --code CODE" in asked.out
    code = code_from_the_mailbox(house)
    signed_in = stranger.does("login", "dora@example.org", "--code", f" {code[:4]} {code[4:]} ", "--json")
    assert signed_in.json == {"server": house.server, "email": "dora@example.org", "signed_in": True}
    kept = stranger.folder / "marrakech" / "servers.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    token = json.loads(kept.read_text())["servers"][house.server]["token"]
    shown = [stranger.does(*words, "--verbose") for words in (["whoami"], ["doctor"], ["games"], ["whoami", "--json"])]
    assert "Signed in as <dora@example.org>" in shown[0].out
    assert token
    assert not any(token in done.out + done.err for done in shown)
    assert "signed out" in stranger.does("logout").out
    assert token not in kept.read_text()
    assert stranger.run("games").code == 5


def test_a_wrong_code_is_refused_and_nothing_is_kept(stranger: Person) -> None:
    done = stranger.run("login", "dora@example.org", "--code", "WRONGONE")
    assert done.code in {2, 5}
    assert done.out == ""
    assert not (stranger.folder / "marrakech").exists()


def test_a_link_out_of_a_letter_plays_without_signing_in(
    house: House, stranger: Person, ann: Person, bo: Person
) -> None:
    view = table_for_two(ann, bo)
    link = house.turn_link(view, 0)
    token = link.rpartition("/")[2]
    used = stranger.does("use", f"<{link}?do=left>")
    assert "In hand: Friday" in used.out
    played = stranger.does("move", "--dir", "left", "--verbose")
    assert "You roll" in played.out
    assert token not in used.out + used.err + played.out + played.err
    assert json.loads(stranger.does("show", "--json").out)["phase"] == "placement"
    assert stranger.run("games").code == 5


def test_a_link_can_be_typed_in_so_that_it_stays_out_of_the_history(
    house: House, stranger: Person, ann: Person, bo: Person
) -> None:
    view = table_for_two(ann, bo)
    done = stranger.does("use", "--json", typed=house.seat_link(view, 1) + "\n")
    assert done.json["game"] == view["id"]
    assert done.json["you"] == 1


def test_a_link_of_another_server_takes_that_server(house: House, stranger: Person, ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    elsewhere = {"MARRAKECH_SERVER": ""}
    stranger.does("use", house.seat_link(view, 1), **elsewhere)
    assert stranger.does("show", "--json", **elsewhere).json["you"] == 1
    assert house.server in stranger.does("whoami", **elsewhere).out


def test_a_link_of_ones_own_seat_is_not_kept_where_one_is_signed_in(house: House, ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    ann.does("use", house.turn_link(view, 0))
    assert ann.does("whoami", "--json").json["links"] == []
    assert ann.does("show", "--json").json["id"] == view["id"]
    ann.does("use", house.seat_link(view, 1))
    assert ann.does("show", "--json").json["you"] == 1  # the link that was pasted is the seat that is meant
    ann.does("use", "--clear")
    assert ann.does("whoami", "--json").json["game"] is None


def test_what_is_no_link_or_a_broken_one_is_said(house: House, stranger: Person, ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    link = house.turn_link(view, 0)
    for words in ("hello world!", "https://example.org/", f"{house.server}/t/abc", link[:-1]):
        done = stranger.run("use", words)
        assert done.code in {2, 5}, words
        assert len(done.err.splitlines()) == 1
    assert stranger.run("use", f"{house.server}/login/abc.def").code == 2


def test_the_environment_goes_before_what_is_kept(house: House, ann: Person, bo: Person, tmp_path: Path) -> None:
    view = table_for_two(ann, bo)
    nobody = house.stranger(tmp_path)
    assert nobody.does("whoami", "--json", MARRAKECH_TOKEN=str(bo.token)).json["email"] == "bo@example.org"
    turn = house.turn_link(view, 0).rpartition("/")[2]
    assert nobody.does("show", "--json", MARRAKECH_TOKEN=turn).json["id"] == view["id"]
    assert ann.run("show", "--game", view["id"], MARRAKECH_TOKEN="nonsense").code == 5  # noqa: S106 - it is none
    assert ann.run("games", "--server", "127.0.0.1:1").code == 5  # what is kept for one server never goes to another
    assert ann.run("show", "--game", view["id"], "--server", "127.0.0.1:1").code == 6


def test_the_game_that_is_meant_is_found_or_the_possible_ones_are_named(house: House, tmp_path: Path) -> None:
    gus, hal = house.person("gus", tmp_path), house.person("hal", tmp_path)
    assert gus.run("show").code == 2
    first = table_for_two(gus, hal)
    assert gus.does("show", "--json").json["id"] == first["id"]
    second = table_for_two(gus, hal)
    several = gus.run("move", "--dir", "left")
    assert several.code == 2
    assert first["id"] in several.err
    assert second["id"] in several.err
    gus.does("move", "--dir", "left", "--game", first["id"])
    gus.does("use", second["id"])
    assert gus.does("move", "--dir", "a", "--json").json["view"]["id"] == second["id"]
