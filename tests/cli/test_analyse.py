"""`analyse` shows luck and skill in a finished game, in 80 columns, and waits for an analysis that isn't ready."""

import json
from typing import Any

import pytest

from tests.cli.fake_servers import Answer, Received, fake_server
from tests.cli.players import Player, start_two_player_game
from tests.cli.terminal import terminal


def finished(ann: Player, bo: Player) -> Any:
    """A game of a few turns that Bo has left."""
    view = start_two_player_game(ann, bo)
    for player in (ann, bo, ann):
        for _ in range(2):
            now = player.api("GET", f"/games/{view['id']}")
            body = {"head": now["head"], "action": now["legal"][0], "salt": "salt"}
            player.api("POST", f"/games/{view['id']}/actions", body)
    head = bo.api("GET", f"/games/{view['id']}")["head"]
    return bo.api("POST", f"/games/{view['id']}/actions", {"head": head, "action": {"type": "resign"}})["view"]


def test_the_analysis_of_a_finished_game_fits_80_columns(ann: Player, bo: Player) -> None:
    view = finished(ann, bo)
    shown = ann.run_ok("analyse", "--game", view["id"])
    lines = shown.out.splitlines()
    assert lines[0] == "Analysis: Friday"
    assert max(map(len, lines)) <= 80
    header = next(line for line in lines if line.split() == ["Start", "Luck", "Choices", "Others", "Rest", "End"])
    for name, line in zip(("ann", "bo"), lines[lines.index(header) + 1 :], strict=False):
        first, *numbers = line.split()
        assert first == name
        *parts, end = (int(number.removesuffix("%")) for number in numbers)
        assert sum(parts) == end
    assert "The costliest choices" in lines
    assert "    Played: Resign (0%)" in lines
    other = start_two_player_game(ann, bo)
    ann.run_ok("use", other["id"])
    shown_now = ann.run_ok("analyse", "--game", view["id"]).out.splitlines()
    command = next(line for line in shown_now if "The board: " in line).split()[2:]
    assert command[:2] == ["marrakech-cli", "show"]
    assert ann.run_ok(*command[1:], "--json").json["id"] == view["id"], "not the current game"
    assert "The luckiest rolls" in lines
    given = ann.run_ok("analyse", "--json", "--game", view["id"]).json
    assert given["id"] == view["id"]
    assert given == {"id": view["id"], **ann.api("GET", f"/games/{view['id']}/analysis")}
    with terminal(ann, "analyse", "--game", view["id"]) as screen:
        assert screen.ends() == 0
    assert "Chances of winning after each turn\n" in screen.sees("The unluckiest rolls")


def test_a_running_game_has_none_and_a_game_without_analysis_says_so(ann: Player, bo: Player) -> None:
    running = start_two_player_game(ann, bo)
    for person in (ann, bo):
        refused = person.run("analyse", "--game", running["id"])
        assert (refused.code, refused.out) == (3, "")
        assert "while a game is going on" in refused.err
    other = ann.api("POST", "/games", {"game": "kilim", "seats": [{"bot": "easy"}]})
    ann.api("POST", f"/games/{other['id']}/actions", {"head": other["head"], "action": {"type": "resign"}})
    none = ann.run("analyse", "--game", other["id"])
    assert (none.code, "no analysis for this game" in none.err) == (2, True)
    assert ann.run("analyse", "--game", "nowhere12345").code == 2


def test_it_waits_until_the_server_has_computed_the_analysis(stranger: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("cli.commands.analyse.time.sleep", pauses.append)
    analysis = {"version": 1, "seats": [], "curve": [], "decisions": [], "rolls": []}
    ready_after = 3

    def answer(asked: Received) -> Answer:
        view = dict.fromkeys(("id", "game", "head", "turn", "to_act", "you", "deadline", "seats", "choices"), "")
        if not asked.path.endswith("/analysis"):
            return _json(200, {**view, "name": "Friday", "status": "finished"})
        return _json(200, analysis) if len(pauses) >= ready_after else _json(202, {"detail": "Wait."})

    with fake_server(answer) as server:
        done = stranger.run_ok("analyse", "--server", server, "--game", "game12345678")
        assert len(pauses) == ready_after
        assert done.err.count("being analysed") == 1
        assert "Nobody made a choice that cost much." in done.out
        ready_after = 1000
        late = stranger.run("analyse", "--server", server, "--game", "game12345678")
    assert (late.code, "Try again in a minute." in late.err) == (3, True)


def _json(status: int, value: object) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()
