"""The view, the events and the result have exactly the fields that the contract names."""

import json

from service.admin.simulate import simulated_games
from service.engine.json_reader import Json
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer, write_record

NOW = "2026-11-16T09:30:00Z"
EVENT_FIELDS = {
    "started": {"first", "assam"},
    "faced": {"seat", "direction", "facing"},
    "rolled": {"seat", "die", "roll", "salt"},
    "moved": {"seat", "path", "to", "facing"},
    "paid": {"from", "to", "due", "paid", "squares"},
    "eliminated": {"seat"},
    "laid": {"seat", "rug", "colour", "squares"},
    "turned": {"seat", "direction", "facing"},
    "resigned": {"seat"},
    "finished": {"result"},
}


def start(seats: int = 2, **options: object) -> Match:
    players = [RecordPlayer("Ann"), RecordPlayer("Bo", "medium"), RecordPlayer("Cy"), RecordPlayer("Di")][:seats]
    return start_match(new_heading(MARRAKECH, "souk", "Friday", options, players, bytes(32)), NOW)


def test_the_view_of_a_new_game() -> None:
    game = start(3, first=1)
    assert game.view(1) == {
        "id": "souk",
        "game": "marrakech",
        "name": "Friday",
        "status": "playing",
        "head": 1,
        "turn": 1,
        "phase": "direction",
        "to_act": [1],
        "you": 1,
        "deadline": None,
        "options": {"variant": "standard", "pile": "shuffled", "first": 1},
        "assam": {"at": "d4", "facing": "north"},
        "seats": [seat(0, "Ann", None, "red"), seat(1, "Bo", "medium", "blue"), seat(2, "Cy", None, "yellow")],
        "board": {},
        "legal": [{"type": "face", "direction": direction} for direction in ("left", "ahead", "right")],
        "last_roll": None,
        "dice": {"commitment": game.heading.commitment, "seed": None},
        "result": None,
    }


def seat(number: int, name: str, bot: str | None, colour: str) -> Json:
    return {
        "seat": number,
        "name": name,
        "colours": [colour],
        "dirhams": 30,
        "rugs_left": 15,
        "next_rug": colour,
        "visible": 0,
        "total": 30,
        "out": False,
        "bot": bot,
    }


def test_the_view_after_a_walk_and_a_rug() -> None:
    game = start(4, first=2).act(2, {"type": "face", "direction": "left"}, "s", NOW)
    walked = game.view(2)
    assert walked["phase"] == "placement"
    assert walked["last_roll"]["roll"] == 0
    assert walked["last_roll"]["die"] == len(walked["last_roll"]["path"])
    assert walked["assam"] == {"at": walked["last_roll"]["path"][-1], "facing": "west"}
    place = walked["legal"][0]
    laid = game.act(2, place, "", NOW).view(3)
    assert laid["board"] == {
        square: {"rug": 1, "colour": "yellow", "seat": 2, "neutral": False} for square in place["squares"]
    }
    assert (laid["turn"], laid["to_act"], laid["phase"]) == (2, [3], "direction")
    assert laid["seats"][2]["rugs_left"] == 11
    assert (laid["seats"][2]["visible"], laid["seats"][2]["total"]) == (2, 32)


def test_with_two_players_each_has_two_colours_and_shows_the_rug_on_top() -> None:
    game = start(2)
    seats = game.view(None)["seats"]
    assert [entry["colours"] for entry in seats] == [["red", "yellow"], ["blue", "green"]]
    piles = game.rules.events.write(game.entries[0].event)["piles"]
    assert [entry["next_rug"] for entry in seats] == [pile[0] for pile in piles]


def test_alternating_piles_change_colour_with_every_rug() -> None:
    piles = MARRAKECH.events.write(start(2, pile="alternating").entries[0].event)["piles"]
    assert piles == [["red", "yellow"] * 12, ["blue", "green"] * 12]


def test_rotate_after_opens_with_a_roll_and_never_asks_for_a_direction() -> None:
    game = start(3, variant="rotate-after", first=0)
    assert [entry.event.type for entry in game.entries] == ["started", "rolled", "moved"]
    assert game.view(0)["phase"] == "placement"
    assert game.view(0)["assam"]["facing"] == "north"
    laid = game.act(0, game.view(0)["legal"][0], "", NOW)
    assert laid.view(0)["phase"] == "rotation"
    assert laid.view(0)["legal"] == [{"type": "turn", "direction": "left"}, {"type": "turn", "direction": "right"}]
    turned = laid.act(0, {"type": "turn", "direction": "right"}, "mine", NOW)
    assert [entry.event.type for entry in turned.entries[4:]] == ["turned", "rolled", "moved"]
    assert turned.entries[5].event.salt == "mine"
    assert turned.entries[5].event.seat == 1
    assert turned.view(1)["assam"]["facing"] == "east"


def test_the_piles_and_the_seed_are_shown_only_once_the_game_is_over() -> None:
    game = start(2)
    assert "piles" not in json.dumps(write_record(game.record()))
    assert game.record().heading.seed is None
    over = game.act(0, {"type": "resign"}, "", NOW)
    record = write_record(over.record())
    assert len(record["events"][0]["piles"]) == 2
    assert record["dice"]["seed"] == bytes(32).hex()
    assert over.view(None)["dice"]["seed"] == bytes(32).hex()
    assert over.view(None)["status"] == "finished"


def test_every_event_has_the_fields_of_the_contract() -> None:
    seen = set()
    for variant in ("standard", "rotate-after"):
        for record in simulated_games(MARRAKECH, 8, 4, {"variant": variant}, ["medium", "easy"], "fields"):
            for seq, event in enumerate(write_record(record)["events"], start=1):
                assert set(event) == {"seq", "at", "type"} | EVENT_FIELDS[event["type"]]
                assert event["seq"] == seq
                seen.add(event["type"])
    assert seen == set(EVENT_FIELDS) - {"resigned"}


def test_the_result_has_the_fields_of_the_contract() -> None:
    over = start(2).act(1, {"type": "resign"}, "", NOW)
    assert over.view(None)["result"] == {
        "winners": [0],
        "ranking": [0, 1],
        "scores": [
            {"seat": 0, "dirhams": 30, "rugs": 0, "total": 30, "out": False},
            {"seat": 1, "dirhams": 30, "rugs": 0, "total": 30, "out": True},
        ],
        "reason": "last_standing",
    }
