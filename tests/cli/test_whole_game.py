"""Two players play a whole game with the console script and check its dice."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cli.players import SCRIPT, Player

CHOICES = "".join(f"{direction}\n1\n" for direction in ("left", "ahead", "right") * 40)


def start_playing(person: Player, game: str) -> "subprocess.Popen[str]":
    """Run `play` with all choices on standard input: more than a game needs, because refused ones are asked again."""
    words, pipe = [str(SCRIPT), "play", "--every", "0.2", "--json", "--game", game], subprocess.PIPE
    typed = person.folder / "typed"
    typed.write_text(CHOICES)
    with typed.open() as choices:
        return subprocess.Popen(words, env=person.environ(), stdin=choices, stdout=pipe, stderr=pipe, text=True)


def start_game(ann: Player, bo: Player) -> Any:
    """A game in which each of the two has taken a turn with single commands."""
    view = ann.run_ok("new", "--seat", "Bo <bo@example.org>", "--name", "Saturday", "--first", "1", "--json").json
    game = ("--game", view["id"])
    assert [seat["name"] for seat in view["seats"]] == ["ann", "Bo"]
    waiting = bo.run_ok("games", "--status", "waiting", "--json").json["games"]
    assert view["id"] in [each["id"] for each in waiting]
    assert bo.run_ok("join", *game, "--json").json["status"] == "playing"
    ann.run_ok("move", "--dir", "left", *game)
    ann.run_ok("place", "1", *game)
    return bo.run_ok("move", "--dir", "ahead", "--place", "1", *game, "--json").json["view"]


def test_two_people_play_a_whole_game_and_check_its_dice(ann: Player, bo: Player, tmp_path: Path) -> None:
    game = start_game(ann, bo)["id"]
    playing = [start_playing(person, game) for person in (ann, bo)]
    try:
        ends = [process.communicate(timeout=120) for process in playing]
    finally:
        for process in playing:
            process.kill()  # in case one of them is still waiting
    assert [process.returncode for process in playing] == [0, 0], ends
    views = [json.loads(out)["view"] for out, _ in ends]
    assert [view["status"] for view in views] == ["finished", "finished"]
    assert views[0]["board"] == views[1]["board"]
    check_records(ann, game, tmp_path)
    story = ann.api("GET", f"/games/{game}/story")["sentences"]
    steps = ann.run_ok("replay", "--game", game, "--json").json["steps"]
    assert steps == [{"after": sentence["seq"], "text": sentence["text"]} for sentence in story]
    assert steps[-1]["after"] == views[0]["head"]
    assert " win" in steps[-1]["text"]
    told = ann.run_ok("log", "--game", game).out.splitlines()
    assert [line.split(maxsplit=3)[3] for line in told] == [sentence["text"] for sentence in story]


def check_records(ann: Player, game: str, folder: Path) -> None:
    """The dice are right in the JSON record, the text record and on the server; a changed die is found."""
    record, text = folder / "game.json", folder / "game.txt"
    ann.run_ok("record", "--game", game, "--output", str(record))
    ann.run_ok("record", "--game", game, "--text", "--output", str(text))
    for source in (str(record), str(text), game):
        report = ann.run_ok("verify", source, "--json").json
        assert report["ok"]
        assert len(report["rolls"]) > 10
    changed = json.loads(record.read_text())
    event = [event for event in changed["events"] if event["type"] == "rolled"][7]
    should_be, event["die"] = event["die"], event["die"] % 4 + 1
    record.write_text(json.dumps(changed))
    # Offline: this address has no server.
    found = ann.run("verify", str(record), MARRAKECH_SERVER="http://127.0.0.1:1")
    assert found.code == 3
    assert f"rolled {event['die']}, but it should have been {should_be}." in found.out
