"""Which game a command is about: the newest, one with a name, or one from a numbered list."""

import re
from pathlib import Path

import pytest

from tests.cli.players import LocalServer, Player, create_game
from tests.cli.terminal import terminal
from tests.support.browsers import Browser

BOT = {"bot": "easy"}


@pytest.fixture
def kit(local: LocalServer, tmp_path: Path) -> Player:
    """A player whose games no other test has made."""
    return local.player(f"kit{tmp_path.name.replace('_', '')}", tmp_path)


def named(player: Player, name: str, *others: object) -> str:
    wish = {"game": "marrakech", "name": name, "seats": list(others), "options": {"first": 0}}
    return str(player.api("POST", "/games", wish)["id"])


def test_a_new_game_is_the_current_one(kit: Player) -> None:
    create_game(kit, BOT)
    new = kit.run_ok("new", "--bot", "medium", "--first", "1", "--json").json
    assert kit.run_ok("show", "--json").json["id"] == new["id"]
    with terminal(kit, "play") as screen:
        screen.sees(rf"{new['id']}[\s\S]*Which way[^\n]*: $")


def test_a_game_is_created_although_the_configuration_cannot_be_written(kit: Player) -> None:
    new = kit.run("new", "--bot", "medium", MARRAKECH_TOKEN=str(kit.token), XDG_CONFIG_HOME="/proc/nowhere")
    assert new.code == 0
    assert "Can't write /proc/nowhere" in new.err
    assert "Marrakech with" in new.out


def test_a_game_is_called_by_its_name_or_a_part_of_it(kit: Player) -> None:
    rain, sun = named(kit, "Rainy Sunday", BOT), named(kit, "Sunday", BOT)
    for words, game in {"rainy": rain, "RAINY  sunday": rain, "sunday": sun, sun: sun}.items():
        assert kit.run_ok("show", "--game", words, "--json").json["id"] == game, words
    assert kit.run_ok("use", "rainy", "--json").json["game"] == rain
    missing = kit.run("show", "--game", "Monday")
    assert missing.code == 2
    assert "You have no game called 'Monday'" in missing.err


def test_a_running_game_goes_before_a_finished_one_of_the_same_name(kit: Player) -> None:
    over = named(kit, "Souk", BOT)
    kit.run_ok("resign", "--yes", "-g", "souk")
    assert kit.run_ok("show", "-g", "souk", "--json").json["id"] == over
    running = named(kit, "Souk", BOT)
    assert kit.run_ok("show", "-g", "souk", "--json").json["id"] == running


def test_rematch_and_verify_are_about_finished_games(kit: Player) -> None:
    over = named(kit, "Souk", BOT)
    assert "You haven't finished a game yet" in kit.run("rematch").err
    kit.run_ok("resign", "--yes", "-g", "souk")
    named(kit, "Souk", BOT)
    assert kit.run_ok("verify", "--json").json["id"] == over
    assert kit.run_ok("verify", "souk", "--json").json["id"] == over
    assert kit.run_ok("rematch", "-g", "souk", "--json").json["id"] != over


def test_a_terminal_says_how_to_play_on(kit: Player, bo: Player) -> None:
    first, second = named(kit, "Souk", BOT), named(kit, "Bazaar", BOT)
    kit.run_ok("use", second)
    for game, command in {first: f"marrakech-cli play -g {first}", second: "marrakech-cli play"}.items():
        with terminal(kit, "show", "-g", game) as screen:
            assert screen.ends() == 0
        assert f"\nPlay with: {command}\r\n" in screen.raw
    with terminal(bo, "show", "-g", first) as screen:
        assert screen.ends() == 0
    assert "marrakech-cli" not in screen.raw
    assert "marrakech-cli" not in kit.run_ok("show").out
    hints = {
        "watch": ("Play with: marrakech-cli play", 0),
        "play": ("Continue later with: marrakech-cli play", 0),
        "act": ("Choose with: marrakech-cli act left", 2),
    }
    for command, (hint, code) in hints.items():
        for game, end in {first: f" -g {first}\n", second: "\n"}.items():
            done = kit.run(command, "-g", game)
            assert (done.code, (done.out + done.err).endswith(hint + end)) == (code, True), done


def test_of_several_games_a_terminal_offers_a_numbered_list(kit: Player) -> None:
    games = {named(kit, "Souk one", BOT), named(kit, "Souk two", BOT)}
    with terminal(kit, "move", "-d", "left", "-p", "1", "--game", "souk") as screen:
        listed = screen.sees(r"Number \(1 to 2\): $")
        second = re.search(r"^2  (\S{12})  Souk \w+ +your turn", listed, re.MULTILINE)
        assert second
        assert second[1] in games
        screen.types("3\n")
        screen.sees(r"one of the numbers[\s\S]*Number \(1 to 2\): $")
        screen.types("2\n")
        assert screen.ends() == 0
    assert kit.api("GET", f"/games/{second[1]}")["turn"] > 1
    several = kit.run("show", "--game", "souk")
    assert several.code == 2
    assert all(game in several.err for game in games)


def test_without_a_name_the_list_has_the_games_in_which_it_is_your_turn(kit: Player) -> None:
    named(kit, "Souk", BOT)
    named(kit, "Bazaar", BOT)
    named(kit, "Later", {"open": True})
    with terminal(kit, "show") as screen:
        listed = screen.sees(r"Number \(1 to 2\): $")
        assert "Later" not in listed
        screen.types("1\n")
        screen.sees("Bazaar  ")
        assert screen.ends() == 0


def test_a_wrong_code_can_be_typed_again(local: LocalServer, stranger: Player) -> None:
    with terminal(stranger, "login", "gil@example.org") as screen:
        screen.sees(r"Code: ")
        screen.types("WRONGONE\n")
        screen.sees(r"code is wrong[\s\S]*Enter to get a new one\): $")
        screen.types("\n")
        screen.sees(r"on its way[\s\S]*Enter to get a new one\): $")
        screen.types(local.mailed_code("gil@example.org") + "\n")
        screen.sees(r"You're signed in[\s\S]*Your name")
        screen.types("\x04")
        assert screen.ends() == 0


def test_an_invited_player_takes_their_seat_before_they_play(kit: Player, bo: Player) -> None:
    view = create_game(kit, {"email": "bo@example.org"})
    done = bo.run("play", "--game", view["id"])
    assert (done.code, done.out) == (3, "")
    assert "Accept the invitation with: marrakech-cli join" in done.err


def test_the_page_and_the_client_have_the_same_defaults(local: LocalServer, kit: Player) -> None:
    page = Browser(local.ctx, kit.api("GET", "/me")["email"]).get("/new")
    pace = re.search(r'<select id="pace"[\s\S]*?<option value="(\d*)" selected', page)
    assert pace
    new = kit.run_ok("new", "--bot", "medium", "--bot", "easy", "--json").json
    assert (str(new["pace"]), new["time_up"]) == (pace[1], "stand-in")
    assert [seat["name"] for seat in new["seats"][1:]] == ["Idris", "Salma"]
    assert kit.run_ok("new", "--bot", "medium", "--pace", "none", "--json").json["pace"] is None
