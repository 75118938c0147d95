"""Lists, logs, records, chat, watch, open, doctor and completion against a real server."""

import json
import subprocess
from pathlib import Path

from tests.cli.players import SCRIPT, LocalServer, Player, create_game, start_two_player_game


def test_games_say_whose_turn_it_is_and_how_long_is_left(local: LocalServer, tmp_path: Path) -> None:
    ida, jo = local.player("ida", tmp_path), local.player("jo", tmp_path)
    assert "You have no games yet." in ida.run_ok("games").out
    assert 'no games with the status "finished"' in ida.run_ok("games", "--status", "finished").out
    created = ida.run_ok("new", "-s", "jo@example.org", "-n", "Souk", "--pace", "2d", "--first", "2", "--json").json
    jo.run_ok("join", "--game", created["id"])
    start_two_player_game(ida, jo)
    mine, waits = ida.run_ok("games").out.splitlines()
    assert mine.startswith(">")
    assert "your turn" in mine
    assert "Souk" in waits
    assert "waiting for jo, 47 hours left" in waits
    listed = ida.run_ok("games", "--status", "my-turn", "--json").json["games"]
    assert [game["name"] for game in listed] == ["Friday"]
    assert ida.run("games", "--status", "lost").code == 2


def test_join_takes_an_open_seat_and_decline_gives_one_back(ann: Player, bo: Player, eve: Player) -> None:
    made = ann.run_ok("new", "--seat", "open", "--seat", "eve@example.org", "--bot", "easy")
    assert "/join/" in made.out
    assert "Anyone with this link" in made.out
    assert "  2. open seat\n  3. eve, invited\n" in made.out
    assert "Dirhams" not in made.out
    game = ("--game", made.out.split()[3].strip(","))
    assert f"Accept with: marrakech-cli join -g {game[1]}" in eve.run_ok("show", *game).out
    assert eve.run_ok("join", "--decline", *game, "--json").json["you"] is None
    assert bo.run("join", "--decline", *game).code == 2
    link = next(line for line in made.out.splitlines() if "/join/" in line)
    refused = bo.run("join", *game)
    assert (refused.code, "Take an open seat with: marrakech-cli join --game LINK" in refused.err) == (2, True)
    assert bo.run_ok("join", "--game", link, "--json").json["you"] == 1
    assert bo.run_ok("join", *game, "--json").json["you"] == 1
    begun = eve.run_ok("join", "--game", link, "--json").json
    assert (begun["you"], begun["status"]) == (2, "playing")


def test_new_refuses_what_it_cannot_read(ann: Player) -> None:
    for words in (["--seat", "nobody"], ["--bot", "medium", "--pace", "soon"], [], ["--bot", "clever"]):
        done = ann.run("new", *words)
        assert (done.code, done.out) == (2, ""), words
        assert len(done.err.splitlines()) == 1


def test_show_draws_your_board_somebody_elses_or_all_of_them(ann: Player, eve: Player) -> None:
    seats = [{"bot": "easy"}, {"bot": "easy"}]
    view = ann.api("POST", "/games", {"game": "kilim", "seats": seats})
    game, heads = ("--game", view["id"]), [f"{seat['name']} " for seat in view["seats"]]
    boards = [ann.run_ok("show", "--seat", str(seat), "--json", *game).json["board"] for seat in (0, 1, 2)]
    assert [board.startswith(head) for board, head in zip(boards, heads, strict=True)] == [True] * 3
    name = view["seats"][2]["name"]
    assert ann.run_ok("show", "--seat", name[:3].lower(), "--json", *game).json["seat"] == 2
    unknown = ann.run("show", "--seat", "nobody", *game)
    assert (unknown.code, name in unknown.err) == (2, True)
    together = ann.run_ok("show", "--all", *game).out
    assert all(head in together.partition("Points:")[0] for head in heads)
    assert eve.run_ok("show", "--all", *game).out == together
    assert eve.run("show", "--all", "--seat", "1", *game).code == 2


def test_show_after_some_events_and_the_log(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    game = ("--game", view["id"])
    ann.run_ok("move", "-d", "left", "-p", "1", *game)
    past = ann.run_ok("show", "--after", "1", "--json", *game).json
    assert (past["id"], past["after"]) == (view["id"], 1)
    assert past["board"].rstrip() == ann.run_ok("show", "--after", "1", *game).out.rstrip()
    assert past["board"] != ann.run_ok("show", "--after", "5", "--json", *game).json["board"]
    assert ann.run("show", "--after", "99", *game).code == 2
    lines = ann.run_ok("log", "--after", "1", *game).out.splitlines()
    story = ann.api("GET", f"/games/{view['id']}/story?after=1")["sentences"]
    assert [(line.split()[0], line.split(maxsplit=3)[3]) for line in lines] == [
        (str(sentence["seq"]), sentence["text"]) for sentence in story
    ]
    assert len(ann.run_ok("log", "--json", *game).json["events"]) == 5


def test_a_log_that_is_followed_ends_with_the_game(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    words = [SCRIPT, "log", "--follow", "--json", "--game", view["id"]]
    with subprocess.Popen(words, env=ann.environ(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert json.loads(process.stdout.readline())["type"] == "started"
        bo.api("POST", f"/games/{view['id']}/actions", {"head": view["head"], "action": {"type": "resign"}})
        rest = [json.loads(line)["type"] for line in process.stdout]
        assert process.wait(30) == 0
    assert rest == ["resigned", "finished"]


def test_a_pipe_that_is_closed_early_is_not_an_error(ann: Player) -> None:
    view = create_game(ann, {"bot": "easy"}, {"bot": "easy"})
    ann.api("POST", f"/games/{view['id']}/actions", {"head": view["head"], "action": {"type": "resign"}})
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{SCRIPT}' replay --game {view['id']} | head -n 1"],
        env=ann.environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_chat_messages_are_sent_and_shown_without_markup(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    game = ("--game", view["id"])
    assert "There are no messages yet." in ann.run_ok("say", *game).out
    ann.run_ok("say", "Well", "played,", "[bold]Bo[/bold]!", *game)
    assert "ann: Well played, [bold]Bo[/bold]!" in bo.run_ok("say", *game).out
    assert bo.run_ok("say", "--json", *game).json["messages"][0]["text"] == "Well played, [bold]Bo[/bold]!"
    assert bo.run("say", " ", *game).code == 2


def test_watch_waits_until_it_is_the_players_turn(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    game = ("--game", view["id"])
    assert ann.run_ok("watch", "--json", *game).json["to_act"] == [0]
    assert bo.run("watch", "--timeout", "0", *game).code == 3
    words = [SCRIPT, "watch", "--every", "1", *game]
    with subprocess.Popen(words, env=bo.environ(), stdout=subprocess.PIPE, text=True) as process:
        ann.run_ok("move", "-d", "left", "-p", "1", *game)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert 'It\'s your turn in "Friday".' in out
    bo.run_ok("resign", "--yes", *game)
    assert bo.run("watch", *game).code == 3


def test_watch_without_any_game_has_nothing_to_wait_for(local: LocalServer, tmp_path: Path) -> None:
    assert local.player("wim", tmp_path).run("watch").code == 3


def test_open_gives_the_link_to_the_browser_and_does_not_print_it(
    local: LocalServer, stranger: Player, ann: Player, bo: Player, tmp_path: Path
) -> None:
    view = start_two_player_game(ann, bo)
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    link = local.seat_link(view, 1)
    stranger.run_ok("use", link)
    done = stranger.run_ok("open", BROWSER=str(browser))
    assert opened.read_text().strip() == link
    assert link not in done.out
    assert f"{local.server}/g/{view['id']}" in done.out
    ann.run_ok("open", "--game", view["id"], BROWSER=str(browser))
    assert opened.read_text().strip() == f"{local.server}/g/{view['id']}"


def test_doctor_reports_what_does_not_work(ann: Player, stranger: Player) -> None:
    well = ann.run_ok("doctor", "--json").json
    assert [(check["check"], check["ok"]) for check in well["checks"]] == [
        ("server", True),
        ("version", True),
        ("clocks", True),
        ("token", True),
    ]
    assert stranger.run("doctor", MARRAKECH_TOKEN="nonsense").code == 5  # noqa: S106 - it is none
    away = stranger.run("doctor", "--server", "127.0.0.1:1", "--json")
    assert away.code == 6
    assert away.json["checks"][0]["ok"] is False


def test_a_record_is_written_to_a_file_or_to_standard_output(ann: Player, bo: Player, tmp_path: Path) -> None:
    view = start_two_player_game(ann, bo)
    game = ("--game", view["id"])
    assert json.loads(ann.run_ok("record", *game).out)["dice"]["seed"] is None
    assert ann.run_ok("record", "--json", *game).json["id"] == view["id"]
    assert ann.run_ok("record", "--text", *game).out.startswith("Marrakech by Mail, record 1\n\nGame: marrakech\n")
    assert ann.run("record", *game, "-o", str(tmp_path / "no" / "where.json")).code == 1
    early = ann.run("verify", view["id"])
    assert early.code == 3
    assert "isn't over yet" in early.err
    assert ann.run("verify", "missing.json").code == 2


def test_the_shell_completes_commands_games_directions_and_places(ann: Player, bo: Player) -> None:
    view = start_two_player_game(ann, bo)
    ann.run_ok("use", view["id"])

    def completed(words: str) -> list[str]:
        environ = {"_MARRAKECH_CLI_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return ann.run(**environ).out.split()

    assert completed("marrakech-cli mo") == ["move"]
    assert "--dir" in completed("marrakech-cli move --d")
    assert completed("marrakech-cli move --dir ") == ["left", "ahead", "right"]
    assert completed("marrakech-cli act ah") == ["ahead"]
    assert view["id"] in completed("marrakech-cli show --game ")
    ann.run_ok("move", "-d", "left")
    legal = ann.api("GET", f"/games/{view['id']}")["legal"]
    assert completed("marrakech-cli place ") == ["-".join(place["squares"]) for place in legal]


def test_rematch_starts_one_game_and_makes_it_the_current_one(ann: Player, bo: Player, eve: Player) -> None:
    view = start_two_player_game(ann, bo)
    game = ("--game", view["id"])
    assert ann.run("rematch", *game).code == 3
    bo.run_ok("resign", "--yes", *game)
    assert eve.run("rematch", *game).code == 5
    rematch = ann.run_ok("rematch", *game, "--json").json
    assert (rematch["status"], rematch["name"], rematch["you"]) == ("waiting", "Friday", 0)
    assert ann.run_ok("whoami", "--json").json["game"] == rematch["id"]
    joined = bo.run_ok("rematch", *game, "--json").json
    assert (joined["id"], joined["status"]) == (rematch["id"], "playing")


def test_next_shows_the_game_that_waits_and_makes_it_the_current_one(local: LocalServer, tmp_path: Path) -> None:
    kim, lou = local.player("kim", tmp_path), local.player("lou", tmp_path)
    assert "No games are waiting for you." in kim.run_ok("next").out
    assert kim.run_ok("next", "--json").json == {"id": None}
    first, second = (start_two_player_game(kim, lou)["id"] for _ in range(2))
    assert kim.run_ok("next", "--json").json["id"] == first
    kim.run_ok("move", "-d", "left", "-p", "1")
    assert kim.run_ok("next", "--json").json["id"] == second
    assert kim.run_ok("whoami", "--json").json["game"] == second


def test_a_wrong_option_of_new_or_games_is_explained_as_it_was_typed(ann: Player) -> None:
    first = ann.run("new", "--bot", "medium", "--first", "3")
    assert (first.code, first.err) == (2, "This game has 2 seats. Use --first with a number up to 2.\n")
    status = ann.run("games", "--status", "mine")
    assert status.code == 2
    assert "--status" in status.err
    assert "my-turn" in status.err
