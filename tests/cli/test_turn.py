"""The commands of a turn against a real server, and everything that they refuse."""

import re

import pytest

from tests.cli.players import LocalServer, Player, create_game, start_two_player_game

BOTS = ({"bot": "easy"}, {"bot": "medium"})


def test_a_move_shows_the_roll_the_way_and_the_numbered_places(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    moved = ann.run_ok("move", "--dir", "left", "--game", view["id"]).out
    die = re.search(r"You turned Assam west, rolled (\d) and ", moved)
    assert die
    now = ann.api("GET", f"/games/{view['id']}")
    assert now["last_roll"]["die"] == int(die[1])
    numbers = {int(number) for number in re.findall(r"#(\d+)", moved)}
    assert numbers == set(range(1, len(now["legal"]) + 1))
    assert all(choice["label"] in moved for choice in now["choices"])
    assert moved.isascii()


def test_the_salts_of_two_moves_differ(ann: Player) -> None:
    one, other = (ann.run_ok("move", "-d", "a", "-g", create_game(ann, *BOTS)["id"], "--json").json for _ in range(2))
    assert one["events"][1]["salt"] != other["events"][1]["salt"]


def test_an_unknown_direction_is_refused_and_nothing_happens(ann: Player) -> None:
    view = create_game(ann, *BOTS)
    done = ann.run("move", "--dir", "up", "--game", view["id"])
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert ann.api("GET", f"/games/{view['id']}")["head"] == view["head"]


def test_a_whole_turn_in_one_command(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    done = ann.run_ok("move", "--dir", "ahead", "--place", "2", "--game", view["id"], "--json").json
    assert [event["type"] for event in done["events"]] == ["faced", "rolled", "moved", "laid"]
    assert done["view"]["to_act"] == [1]


def test_the_roll_is_shown_even_if_the_place_is_refused(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    done = ann.run("move", "--dir", "ahead", "--place", "a1-a2", "--game", view["id"], "--json")
    assert done.code == 3
    assert done.problem["code"] == "illegal_action"
    assert [event["type"] for event in done.json["events"]] == ["faced", "rolled", "moved"]
    again = ann.run("move", "--dir", "ahead", "--game", view["id"])
    assert again.code == 3  # a direction that comes too late is not passed over
    assert ann.run("move", "--dir", "ahead", "--place", "1", "--game", view["id"]).code == 3
    assert ann.api("GET", f"/games/{view['id']}")["head"] == done.json["view"]["head"]


def test_a_place_by_its_squares_in_the_other_order_and_a_number_that_is_not_there(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    body = {"head": view["head"], "action": {"type": "face", "direction": "left"}}
    squares = ann.api("POST", f"/games/{view['id']}/actions", body)["view"]["legal"][0]["squares"]
    assert ann.run("place", "99", "--game", view["id"]).code == 3
    laid = ann.run_ok("place", "-".join(reversed(squares)), "--game", view["id"], "--json").json
    assert laid["events"][0]["squares"] == squares


def test_out_of_turn_out_of_order_and_without_a_seat(ann: Player, bo: Player, eve: Player) -> None:
    view = start_two_player_game(ann, bo)
    game = ("--game", view["id"])
    waits = bo.run("move", "--dir", "left", *game, "--json")
    assert (waits.code, waits.problem["code"], waits.problem["exit"]) == (3, "not_your_turn", 3)
    assert "Waiting for ann." in waits.problem["detail"]
    assert ann.run("place", "d5-e5", *game).code == 3
    assert eve.run("move", "--dir", "left", *game).code == 5
    assert eve.run("say", "hello", *game).code == 5
    assert ann.run("show", "--game", "nothinghere").code == 2
    assert ann.run("show", "--game", "no such id!").code == 2


def test_a_game_that_has_not_begun_or_is_over_says_so(ann: Player, bo: Player) -> None:
    waiting = create_game(ann, {"open": True})
    assert "hasn't started" in ann.run("move", "-d", "l", "-g", waiting["id"]).err
    view = start_two_player_game(ann, bo)
    assert bo.run("resign", "--game", view["id"]).code == 2  # nobody is there to ask
    resigned = bo.run_ok("resign", "--yes", "--game", view["id"], "--json").json
    assert resigned["view"]["result"]["winners"] == [0]
    over = ann.run("move", "-d", "l", "-g", view["id"], "--json")
    assert (over.code, over.problem["code"]) == (3, "game_over")


def test_the_variant_lays_first_and_turns_last(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo, variant="rotate-after")
    game = ("--game", view["id"])
    done = ann.run_ok("move", "--place", "1", "--dir", "left", *game, "--json").json
    assert [event["type"] for event in done["events"]][:2] == ["laid", "turned"]
    bo.run_ok("place", "1", *game)
    straight = bo.run("turn", "ahead", *game)
    assert straight.code in {2, 3}
    facing = bo.api("GET", f"/games/{view['id']}")["assam"]["facing"]
    winds = ["north", "east", "south", "west"]
    wind = winds[(winds.index(facing) + 1) % 4]
    assert bo.run_ok("turn", wind, *game, "--json").json["events"][0]["direction"] == "right"


def test_an_action_at_an_old_head_is_stale(local: LocalServer, ann: Player, bo: Player) -> None:
    """The game moves on between the look and the move: the client says that it is stale, and nothing is changed."""
    from cli.api import Game, HttpClient
    from cli.errors import Stale

    view = start_two_player_game(ann, bo)
    play = Game(HttpClient(local.server, print, print), ann.token, view["id"])
    seen = play.view()
    ann.run_ok("move", "-d", "l", "-g", view["id"])
    with pytest.raises(Stale) as stale:
        play.act(seen["head"], "right", "other")
    assert stale.value.exit_code == 4


def test_nothing_to_choose_from_a_pipe_says_what_to_type(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    done = ann.run("move", "--game", view["id"])
    assert done.code == 2
    assert "marrakech-cli act left" in done.err
    assert "+-------+" in done.out
