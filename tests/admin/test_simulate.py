"""`marrakech-server simulate`."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from service.engine.dice import Dice, commitment
from service.engine.kilim.game import KILIM
from service.engine.marrakech.board import FACES
from service.engine.records import read_record
from service.engine.registry import GAMES, register, unregister
from tests.support.commands import run_server

SERVER = Path(sys.executable).with_name("marrakech-server")


def simulate(*words: str) -> Result:
    return run_server(["simulate", *words])


@pytest.mark.parametrize("players", ["2", "3", "4"])
@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
def test_simulate_prints_finished_records_with_verifiable_dice(players: str, variant: str) -> None:
    done = simulate("--games", "3", "--players", players, "--variant", variant, "--bots", "medium,easy", "--seed", "7")
    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        record = json.loads(line)
        assert read_record(record).heading.id == record["id"]
        assert len(record["seats"]) == int(players)
        assert record["options"]["variant"] == variant
        assert record["result"] == record["events"][-1]["result"]
        seed = bytes.fromhex(record["dice"]["seed"])
        assert commitment(seed) == record["dice"]["commitment"]
        rolls = [event for event in record["events"] if event["type"] == "rolled"]
        assert [event["roll"] for event in rolls] == list(range(len(rolls)))
        for event in rolls:
            assert FACES[Dice(record["id"], seed, event["salt"]).roll(event["roll"])] == event["die"]


def test_the_same_seed_plays_the_same_games_and_a_random_seed_is_printed() -> None:
    assert simulate("--seed", "7").stdout == simulate("--seed", "7").stdout
    unseeded = simulate()
    taken = unseeded.stderr.split("--seed ")[1].split()[0]
    assert simulate("--seed", taken).stdout == unseeded.stdout


def test_bots_rotate_seats_from_game_to_game() -> None:
    lines = simulate("--games", "2", "--players", "2", "--bots", "medium,easy", "--seed", "7").stdout.splitlines()
    assert [json.loads(line)["seats"][0]["bot"] for line in lines] == ["medium", "easy"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--players", "5"], "Marrakech is for 2 to 4 players, not 5."),
        (["--variant", "fast"], "options.variant must be standard or rotate-after, not 'fast'."),
        (["--pile", "heap"], "options.pile must be shuffled or alternating, not 'heap'."),
        (["--bots", "genius"], "bots[0] must be easy, medium or strong, not 'genius'."),
        (["--bots", "easy,"], "bots[1] must be easy, medium or strong, not ''."),
        (["--seed", "a b"], "must be 1 to 64 letters, digits, - or _, not 'sim-a b-1'."),
        (["--games", "0"], "should be greater than or equal to 1"),
        (["--games", "many"], "should be a valid integer"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(words: list[str], sentence: str) -> None:
    done = simulate(*words, *([] if "--seed" in words else ["--seed", "7"]))
    assert done.exit_code == 2
    assert sentence in " ".join(done.stderr.replace("│", "").split())
    assert done.stdout == ""


def test_closing_the_pipe_early_causes_no_error() -> None:
    command = f"{SERVER} simulate --games 200 --seed 7 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True, timeout=60)  # noqa: S602
    assert json.loads(done.stdout)["id"] == "sim-7-0"
    assert done.stderr == ""


def test_any_game_and_any_option_can_be_named() -> None:
    words = ["--games", "1", "--players", "2", "--seed", "7"]
    named = simulate(*words, "--game", "marrakech", "--option", "pile=alternating", "--option", "first=1")
    assert named.exit_code == 0
    options = json.loads(named.stdout)["options"]
    assert (options["pile"], options["first"]) == ("alternating", 1)
    short = simulate(*words, "--pile", "alternating", "--option", "first=1")
    assert short.stdout == named.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--game", "chess"], "--game"),
        (["--option", "pile"], "NAME=VALUE"),
        (["--option", "camels=2"], "camels"),
        (["--option", "first=seven"], "first"),
    ],
)
def test_an_unknown_game_or_option_is_named(words: list[str], named: str) -> None:
    done = simulate("--players", "2", "--seed", "7", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert named in done.stderr


@pytest.fixture
def _other_game() -> Iterator[None]:
    """A second game, registered for one test."""
    is_new = KILIM.name not in GAMES
    if is_new:
        register(KILIM)
    yield
    if is_new:
        unregister(KILIM.name)


@pytest.mark.usefixtures("_other_game")
def test_another_game_has_its_own_options_and_numbers_of_players() -> None:
    words = ["--game", "kilim", "--players", "5", "--bots", "medium,easy", "--seed", "7"]
    done = simulate(*words, "--option", "weaving=strict")
    assert (done.exit_code, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert (record["game"], len(record["seats"]), record["options"]) == ("kilim", 5, {"weaving": "strict"})
    assert read_record(record).heading.id == record["id"]
    assert any(event["type"] == "evening" and event["day"] == 1 for event in record["events"])
    for wrong, named in (("weaving=loose", "options.weaving"), ("variant=standard", "variant")):
        refused = simulate(*words, "--option", wrong)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert named in refused.stderr
