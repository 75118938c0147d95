"""Kilim with the client, which knows no game: several actions at once, choices that aren't listed, and a whole game."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fake_servers import Received, lossy_proxy
from tests.cli.players import LocalServer, Player
from tests.cli.terminal import terminal


def start_kilim(ann: Player, *others: object, **options: object) -> Any:
    wish = {"game": "kilim", "name": "Weaving", "seats": list(others), "options": options}
    return ann.api("POST", "/games", wish)


def say(person: Player, view: Any, do: str) -> Any:
    path = f"/games/{view['id']}"
    return person.api("POST", f"{path}/actions", {"head": person.api("GET", path)["head"], "do": do})["view"]


@pytest.fixture
def view(ann: Player, bo: Player) -> Any:
    """Ann has woven a domino, owes another one, and then a card of the third round."""
    view = start_kilim(ann, {"open": True})
    view = bo.api("POST", f"/games/{view['id']}/join", {"invitation": view["invitation"]})
    for own, other in (("10", "1"), ("9", "2")):
        say(bo, view, other)
        view = say(ann, view, own)
    assert view["seats"][0]["owes"]["weave"]
    return view


def types(done: Any) -> list[str]:
    return [event["type"] for event in done["events"]]


@pytest.mark.parametrize(
    "words", [("weave o13-p13", "3"), ("o13-p13", "3"), ("weave", "o13-p13", "3"), ("o13", "p13", "3")]
)
def test_several_actions_are_played_at_once_with_and_without_quotes(ann: Player, view: Any, words: list[str]) -> None:
    done = ann.run_ok("act", *words, "--json", "-g", view["id"]).json
    assert types(done) == ["woven", "played"]
    assert done["view"]["mine"]["card"] == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("3", "4"), "one card at a time"),
        (("weave o13-p13", "later"), '"later", so nothing was played'),
        (("weave", "o13"), "Write where your domino goes"),
    ],
)
def test_if_not_all_is_understood_nothing_is_played(ann: Player, view: Any, words: list[str], told: str) -> None:
    done = ann.run("act", *words, "-g", view["id"])
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert ann.api("GET", f"/games/{view['id']}")["head"] == view["head"]


def test_what_was_played_before_a_refused_action_is_shown(ann: Player, view: Any) -> None:
    done = ann.run("act", "weave o13-p13", "9", "--json", "-g", view["id"])
    assert done.code == 3
    assert types(done.json) == ["woven"]
    assert done.json["refused"]["do"] == "9"
    assert (done.problem["code"], done.problem["exit"]) == ("illegal_action", 3)
    assert done.problem["detail"].startswith('"9" was not played. ')


def test_several_actions_whose_response_is_lost_are_played_once(local: LocalServer, ann: Player, view: Any) -> None:
    lost: list[Received] = []

    def lose(asked: Received) -> bool:
        if asked.path.endswith("/actions") and not lost:
            lost.append(asked)
            return True
        return False

    with lossy_proxy(local.server, lose) as server:
        settings = {"MARRAKECH_SERVER": server, "MARRAKECH_TOKEN": str(ann.token)}
        done = ann.run_ok("act", "weave o13-p13", "3", "--json", "-g", view["id"], **settings).json
    assert lost
    assert (types(done), done["repeated"]) == (["woven", "played"], True)
    assert ann.api("GET", f"/games/{view['id']}")["head"] == view["head"] + 2


def test_words_of_one_action_need_no_quotes_and_can_be_used_out_of_turn(ann: Player, bo: Player, view: Any) -> None:
    say(ann, view, "weave o13-p13\nbag")
    for person, words in ((bo, "5"), (ann, "8")):
        say(person, view, words)
    assert ann.api("GET", f"/games/{view['id']}")["seats"][0]["owes"]["keep"]
    kept = ann.run_ok("act", "keep", "star", "-g", view["id"]).out
    assert "You kept the star." in kept
    say(ann, view, "1")
    game = ("-g", view["id"])
    waiting = ann.run_ok("show", *game).out
    assert "Waiting for bo" in waiting
    assert "You can also use what you hold: patch star " in waiting
    with terminal(ann, "play", *game) as screen:
        screen.sees(rf"Press Ctrl-C to leave\. To choose now, run: marrakech-cli act -g {view['id']}")
        assert screen.interrupts() == 130
    assert types(ann.run_ok("act", "patch", "star", "m13", "--json", *game).json) == ["patched"]
    assert ann.run("act", "patch", "star", "m13", *game).code == 3


def test_play_asks_what_the_server_asks_and_lists_no_places(ann: Player, view: Any) -> None:
    with terminal(ann, "play", "-g", view["id"], lines=24) as screen:
        asked = screen.sees(r"\nWhere do you weave \w+\? \(\? for help\): $")
        assert asked.count("\n") < 24
        assert "Weave " not in asked  # no labels
        assert "such as " in asked
        assert "Cards: 1 2 3 4 5 6 7 8 spy bag artisan." in asked
        screen.types("o13-p13 4\n")
        screen.sees(r"You wove \w+ on o13-p13\. You played 4\.[\s\S]*Waiting for bo")
        assert screen.interrupts() == 130


def test_a_player_looks_at_other_carpets_while_playing(ann: Player, view: Any) -> None:
    with terminal(ann, "play", "-g", view["id"], lines=24) as screen:
        screen.sees("for help")
        screen.types("show bo\n")
        assert "bo 0" in screen.sees("for help")
        screen.types("show all\n")
        assert {"ann", "bo"} <= set(screen.sees("for help").split())
        screen.types("show eve\n")
        screen.sees("Choose one of: ann and bo")
        screen.types("show\n")
        screen.sees(r"turn 3[\s\S]*for help")
        screen.types("10\n")  # a card that is spent, while a domino is to be woven
        screen.sees(r"First weave, keep or take[\s\S]*Where do you weave")
        screen.types("q\n")
        assert screen.ends() == 0


def test_the_shell_completes_places_only_when_they_are_begun(ann: Player, view: Any) -> None:
    def completed(*words: str) -> list[str]:
        typed = " ".join(("marrakech-cli", "act", "--game", view["id"], *words))
        environ = {"_MARRAKECH_CLI_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
        return [line for line in ann.run(**environ).out.splitlines() if line]

    domino = view["seats"][0]["owes"]["weave"][0]
    assert completed("") == []
    assert f"weave {domino} o13-p13" in completed("we")
    assert "o13-p13" in completed("weave", domino, "o13")
    say(ann, view, "weave o13-p13")
    assert completed("")[-3:] == ["spy", "bag", "artisan"]


def play_whole_game(ann: Player, game: tuple[str, str]) -> int:
    """Settle each debt, then play the lowest card, all with `act`; returns how many commands that took."""
    view, commands = ann.run_ok("show", "--json", *game).json, 0
    while view["status"] == "playing":
        own, words = view["seats"][0], [view["choices"][0]["key"]]
        if len(own["owes"]["weave"]) == 1 and len(own["gold"]) > 1 and view["phase"] == "choose":
            words.append(str(own["gold"][-1]))
        if view["phase"] == "evening" and "pass" in [choice["key"] for choice in view["choices"]]:
            words = ["pass"]
        view = ann.run_ok("act", *words, "--json", *game).json["view"]
        commands += 1
    return commands


def test_a_whole_game_is_played_replayed_and_verified(ann: Player, tmp_path: Path) -> None:
    view = start_kilim(ann, {"bot": "easy"}, weaving="relaxed")
    game = ("--game", view["id"])
    assert play_whole_game(ann, game) > 20
    shown = ann.run_ok("show", *game).out
    assert "The three days are over." in shown
    steps = ann.run_ok("replay", "--json", *game).json["steps"]
    head = ann.api("GET", f"/games/{view['id']}")["head"]
    assert steps[-1]["after"] == head
    assert ann.run_ok("log", *game).out.splitlines()[-1].split()[0] == str(head)
    text, record = tmp_path / "game.txt", tmp_path / "game.json"
    ann.run_ok("record", "--text", "-o", str(text), *game)
    ann.run_ok("record", "-o", str(record), *game)
    for source in (view["id"], str(text), str(record)):
        assert "The piles of dominoes are right." in ann.run_ok("verify", source).out
    changed = json.loads(record.read_text())
    changed["events"][0]["piles"][0].reverse()
    record.write_text(json.dumps(changed))
    assert ann.run("verify", str(record)).code == 3
    rematch = ann.run_ok("rematch", "--json", *game).json
    assert (rematch["game"], rematch["options"]) == ("kilim", {"weaving": "relaxed"})
