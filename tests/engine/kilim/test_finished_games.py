"""Whole games from `tests/fixtures/games`: the engine and the judge both follow them, and they show everything."""

from itertools import pairwise
from typing import Any

import pytest

from service.engine.dice import commitment
from service.engine.kilim.game import KILIM
from service.engine.record_text import read_text, write_text
from service.engine.records import Record, read_record, write_record
from tests.engine.kilim.finished_games import FILES, GAMES, play
from tests.engine.kilim.judge import Judge

every_game = pytest.mark.parametrize("name", GAMES)


def text_of(name: str) -> str:
    return (FILES / f"{name}.txt").read_text()


def game(name: str) -> Record:
    return read_text(text_of(name))


def events_of(record: Record) -> list[dict[str, Any]]:
    """The events as in the record's JSON, without their number and time."""
    events = write_record(record)["events"]
    return [{name: field for name, field in event.items() if name not in {"seq", "at"}} for event in events]


@every_game
def test_a_game_reads_back_to_the_same_text_and_json(name: str) -> None:
    assert write_text(game(name)) == text_of(name)
    assert read_record(write_record(game(name))) == game(name)


@every_game
def test_the_engine_plays_the_game_once_more(name: str) -> None:
    record = game(name)
    assert play(name) == record
    assert record.heading.seed is not None
    assert commitment(bytes.fromhex(record.heading.seed)) == record.heading.commitment


@every_game
def test_the_judge_follows_every_event_and_counts_the_same_turns(name: str) -> None:
    record = game(name)
    judge = Judge(len(record.heading.seats), record.heading.options["weaving"])
    turns = [judge.turn]
    for event in events_of(record):
        judge.follow(event)
        turns.append(judge.turn)
    assert judge.phase == "over"
    assert turns == [KILIM.turn(state) for state in record.states()]
    assert {later - earlier for earlier, later in pairwise(turns)} == {0, 1}


@every_game
def test_a_game_ended_the_way_its_name_says(name: str) -> None:
    recipe, record = GAMES[name], game(name)
    *_, before, last = events_of(record)
    result, scores = last["result"], last["result"]["scores"]
    assert tuple(result["winners"]) == recipe.winners
    assert tuple(event["seat"] for event in events_of(record) if event["type"] == "resigned") == recipe.out
    assert tuple(result["ranking"][len(scores) - len(recipe.out) :]) == recipe.out[::-1]
    first, second = (scores[seat] for seat in result["ranking"][:2])
    if "last-standing" in name:
        assert (result["reason"], before["type"]) == ("last_standing", "resigned")
        return
    assert result["reason"] == "days_over"
    if "shared-win" in name:
        assert (first["total"], first["squares"]) == (second["total"], second["squares"])
    elif "tie-broken" in name:
        assert first["total"] == second["total"]
        assert first["squares"] > second["squares"]
    else:
        assert first["total"] > second["total"]


def find_marvels(events: list[dict[str, Any]]) -> set[str]:
    """What of the rarer things happens in a game."""
    found, cards = set(), []
    winner: int | None = None
    for event in events:
        match event["type"]:
            case "shown":
                cards = event["cards"]
                found |= {str(card) for card in cards if isinstance(card, str)}
            case "auctioned":
                winner = event["winner"]
                found.add(event["fate"])
            case "settled":
                found |= {f"short of {cards[seat]}" for seat in event["short"]}
                found |= {f"{card} won" for card in ("bag", "artisan") if event[card] is not None}
                found |= {"paid without a winner"} if winner is None else set()
            case "took":
                found.add(f"{event['token']} taken")
            case "reworked":
                found.add(f"{event['token']} used")
            case "woven" if event["domino"].startswith("OO"):
                found.add("perfect used")
            case "patched" | "passed" | "evening":
                found.add(event["type"])
    return found


@pytest.mark.parametrize("weaving", ["relaxed", "strict"])
def test_the_games_show_every_card_token_and_fate(weaving: str) -> None:
    games = [game(name) for name in GAMES if GAMES[name].weaving == weaving]
    found = set().union(*(find_marvels(events_of(record)) for record in games))
    assert found == {
        *("spy", "bag", "artisan", "bag won", "artisan won", "short of bag", "short of artisan"),
        *("won", "carried", "lost", "paid without a winner"),
        *(f"{token} taken" for token in ("perfect", "turn", "remove", "move")),
        *(f"{token} used" for token in ("perfect", "turn", "remove", "move")),
        *("patched", "passed", "evening"),
    }


def test_the_games_have_every_number_of_players() -> None:
    assert {recipe.seats for recipe in GAMES.values()} == {2, 3, 4, 5}
