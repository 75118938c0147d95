"""The commands of a turn, as processes against a real server; and everything that they refuse."""

import re

import pytest

from tests.cli.people import House, Person, new_table, table_for_two

BOTS = ({"bot": "random"}, {"bot": "greedy"})


def test_a_move_shows_the_roll_the_way_and_the_numbered_places(ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    moved = ann.does("move", "--dir", "left", "--game", view["id"]).out
    die = re.search(r"You roll (\d)\.", moved)
    assert die
    assert "You send Assam left, to face west." in moved
    now = ann.api("GET", f"/games/{view['id']}")
    assert now["last_roll"]["die"] == int(die[1])
    numbers = {int(number) for number in re.findall(r"#(\d+)", moved)}
    assert numbers == set(range(1, len(now["legal"]) + 1))
    assert all(choice["label"] in moved for choice in now["choices"])
    assert moved.isascii()


def test_the_salts_of_two_moves_differ(ann: Person) -> None:
    one, other = (ann.does("move", "-d", "a", "-g", new_table(ann, *BOTS)["id"], "--json").json for _ in range(2))
    assert one["events"][1]["salt"] != other["events"][1]["salt"]


def test_what_is_no_direction_is_refused_and_nothing_happens(ann: Person) -> None:
    view = new_table(ann, *BOTS)
    done = ann.run("move", "--dir", "up", "--game", view["id"])
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert ann.api("GET", f"/games/{view['id']}")["head"] == view["head"]


def test_a_whole_turn_in_one_command(ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    done = ann.does("move", "--dir", "ahead", "--place", "2", "--game", view["id"], "--json").json
    assert [event["type"] for event in done["events"]] == ["faced", "rolled", "moved", "laid"]
    assert done["view"]["to_act"] == [1]


def test_a_place_that_is_refused_leaves_the_roll_and_says_why(ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    done = ann.run("move", "--dir", "ahead", "--place", "a1-a2", "--game", view["id"], "--json")
    assert done.code == 3
    assert done.problem["code"] == "illegal_action"
    assert [event["type"] for event in done.json["events"]] == ["faced", "rolled", "moved"]
    again = ann.run("move", "--dir", "ahead", "--game", view["id"])
    assert again.code == 3  # a direction that comes too late is not passed over
    assert ann.run("move", "--dir", "ahead", "--place", "1", "--game", view["id"]).code == 3
    assert ann.api("GET", f"/games/{view['id']}")["head"] == done.json["view"]["head"]


def test_a_place_by_its_squares_in_the_other_order_and_a_number_that_is_not_there(ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    body = {"head": view["head"], "action": {"type": "face", "direction": "left"}}
    squares = ann.api("POST", f"/games/{view['id']}/actions", body)["view"]["legal"][0]["squares"]
    assert ann.run("place", "99", "--game", view["id"]).code == 3
    laid = ann.does("place", "-".join(reversed(squares)), "--game", view["id"], "--json").json
    assert laid["events"][0]["squares"] == squares


def test_out_of_turn_out_of_phase_and_out_of_the_house(ann: Person, bo: Person, eve: Person) -> None:
    view = table_for_two(ann, bo)
    game = ("--game", view["id"])
    waits = bo.run("move", "--dir", "left", *game, "--json")
    assert (waits.code, waits.problem["code"], waits.problem["exit"]) == (3, "not_your_turn", 3)
    assert "turn of ann" in waits.problem["detail"]
    assert ann.run("place", "d5-e5", *game).code == 3
    assert eve.run("move", "--dir", "left", *game).code == 5
    assert eve.run("say", "hello", *game).code == 5
    assert ann.run("show", "--game", "nothinghere").code == 2
    assert ann.run("show", "--game", "no such id!").code == 2


def test_a_game_that_has_not_begun_or_is_over_says_so(ann: Person, bo: Person) -> None:
    waiting = new_table(ann, {"open": True})
    assert "has not started" in ann.run("move", "-d", "l", "-g", waiting["id"]).err
    view = table_for_two(ann, bo)
    assert bo.run("resign", "--game", view["id"]).code == 2  # nobody is there to ask
    resigned = bo.does("resign", "--yes", "--game", view["id"], "--json").json
    assert resigned["view"]["result"]["winners"] == [0]
    over = ann.run("move", "-d", "l", "-g", view["id"], "--json")
    assert (over.code, over.problem["code"]) == (3, "game_over")


def test_the_variant_lays_first_and_turns_last(ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo, variant="rotate-after")
    game = ("--game", view["id"])
    done = ann.does("move", "--place", "1", "--dir", "left", *game, "--json").json
    assert [event["type"] for event in done["events"]][:2] == ["laid", "turned"]
    bo.does("place", "1", *game)
    straight = bo.run("turn", "ahead", *game)
    assert straight.code == 3
    facing = bo.api("GET", f"/games/{view['id']}")["assam"]["facing"]
    winds = ["north", "east", "south", "west"]
    wind = winds[(winds.index(facing) + 1) % 4]
    assert bo.does("turn", wind, *game, "--json").json["events"][0]["direction"] == "right"


def test_the_other_one_moved_first(house: House, ann: Person, bo: Person) -> None:
    """The game moves on between the look and the move: the client says that it is stale, and nothing is changed."""
    from cli.api import Game, HttpClient
    from cli.errors import Stale

    view = table_for_two(ann, bo)
    play = Game(HttpClient(house.server, print, print), ann.token, view["id"])
    seen = play.view()
    ann.does("move", "-d", "l", "-g", view["id"])
    with pytest.raises(Stale) as stale:
        play.act(seen["head"], "right", "other")
    assert stale.value.exit_code == 4


def test_nothing_to_choose_from_a_pipe_says_what_to_type(ann: Person, bo: Person) -> None:
    view = table_for_two(ann, bo)
    done = ann.run("move", "--game", view["id"])
    assert done.code == 2
    assert "marrakech-cli act left" in done.err
    assert "+-------+" in done.out
