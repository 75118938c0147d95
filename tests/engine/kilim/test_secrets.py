"""Nothing secret appears anywhere before it is public, and everything appears once it is.

Whole games are played. After every third action, every output for every seat and for an onlooker is searched: the view,
all events, and the public record as JSON and as text. What must be hidden is computed here from the events alone.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from service.engine.dice import Chance
from service.engine.kilim.game import KILIM
from service.engine.match import Match, new_heading, start_match
from service.engine.record_text import read_text, write_text
from service.engine.records import RecordPlayer, read_record, write_record

NOW = "2026-11-16T09:30:00Z"
SECRET_FIELDS = {"started": ("piles", "aside"), "played": ("card",), "bid": ("gold",), "kept": ("scrap",)}
SETUPS = [(weaving, seats) for weaving in ("relaxed", "strict") for seats in (2, 3, 4, 5)]


def play(weaving: str, seats: int, seed: int) -> Iterator[Match]:
    """A game of random actions of random seats, now and then one that resigns; the match after each action."""
    chance = Chance(bytes([seed]), f"{weaving}/{seats}")
    players = [RecordPlayer(f"Player {seat}") for seat in range(seats)]
    heading = new_heading(KILIM, "secrets", "A game", {"weaving": weaving}, players, bytes([seed]) * 32)
    match = start_match(heading, NOW)
    yield match
    while match.state.result is None:
        seat = chance.pick(match.state.active_seats())
        legal = KILIM.legal_actions(match.state, seat)[:256]
        action = {"type": "resign"} if chance.below(250) == 0 else None
        if action is None and legal:
            action = KILIM.actions.write(chance.pick(legal))
        if action is not None:
            match = match.act(seat, action, "", NOW)
            yield match


class Onlooker:
    """Computes from the events so far which fields are public, as the table of the specification says."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.events = events
        self.over: bool = events[-1]["type"] == "finished"
        self._done = {(event["type"], event["round"]) for event in events if "round" in event}
        self._patched: set[str] = {event["scrap"] for event in events if event["type"] == "patched"}
        self._shown = {event["round"]: event["cards"] for event in events if event["type"] == "shown"}

    def is_public(self, number: int) -> bool:
        """Whether the secret field of an event is public."""
        event = self.events[number]
        match event["type"]:
            case "played":
                return self.over or ("shown", event["round"]) in self._done
            case "bid":
                is_spy = self._shown[event["round"]][event["seat"]] == "spy"
                return self.over or ("auctioned" if is_spy else "settled", event["round"]) in self._done
            case "kept":
                return self.over or event["scrap"] in self._patched
        return self.over

    def view(self, number: int, seat: int | None) -> dict[str, Any]:
        """What the seat may know of an event."""
        event = self.events[number]
        fields = SECRET_FIELDS.get(event["type"], ())
        if not fields or self.is_public(number) or event.get("seat", -1) == seat:
            return event
        return {name: value for name, value in event.items() if name not in fields}


@pytest.mark.parametrize(("weaving", "seats"), SETUPS)
def test_events_and_records_show_exactly_what_is_public(weaving: str, seats: int) -> None:
    for seed in range(2):
        for step, match in enumerate(play(weaving, seats, seed)):
            if step % 3 and match.state.result is None:
                continue
            events = [KILIM.events.write(entry.event) for entry in match.entries]
            onlooker = Onlooker(events)
            for seat in (None, *range(seats)):
                for number, entry in enumerate(match.entries):
                    assert KILIM.event_view(match.state, entry.event, seat) == onlooker.view(number, seat)
            if step % 15 and not onlooker.over:
                continue
            record = match.record()
            value = json.loads(json.dumps(write_record(record)))
            shown = [
                {name: field for name, field in event.items() if name not in {"seq", "at"}} for event in value["events"]
            ]
            assert shown == [onlooker.view(number, None) for number in range(len(events))]
            assert (value["dice"]["seed"] is None) == (not onlooker.over)
            text = write_text(record)
            assert ("Piles:" in text) == (str(match.heading.seed) in text) == onlooker.over
            assert read_record(value) == read_text(text) == record
            assert write_record(read_text(text)) == write_record(read_record(value))


@pytest.mark.parametrize(("weaving", "seats"), SETUPS)
def test_views_do_not_depend_on_secrets(weaving: str, seats: int) -> None:
    """The view of a seat can be built from the events as this seat may see them."""
    for match in list(play(weaving, seats, 2))[::3]:
        for seat in (None, *range(seats)):
            state = KILIM.set_up(match.heading.options, seats)
            for entry in match.entries:
                value = KILIM.event_view(match.state, entry.event, seat)
                state = KILIM.evolve(state, KILIM.events.read(value, seats))
            seen, rebuilt = KILIM.view(match.state, seat), KILIM.view(state, seat)
            must_keep = seat is not None and match.state.seats[seat].owes_keep
            if must_keep:  # the seat then looks into the bag, which is in no event
                assert sorted(seen["mine"]["bag"]) == sorted(match.state.bag)
                for view in (seen, rebuilt):
                    view["mine"]["bag"] = view["legal"] = None
            assert seen == rebuilt


@pytest.mark.parametrize(("weaving", "seats"), SETUPS)
def test_a_view_names_no_domino_that_has_not_been_revealed(weaving: str, seats: int) -> None:
    for match in play(weaving, seats, 3):
        events = [KILIM.events.write(entry.event) for entry in match.entries]
        started, over = events[0], events[-1]["type"] == "finished"
        revealed = {event["domino"] for event in events if event["type"] == "revealed"}
        unseen = {domino for part in (*started["piles"], *started["aside"]) for domino in part} - revealed
        for seat in (None, *range(seats)):
            words = json.dumps(match.view(seat))
            assert not any(f'"{domino}"' in words for domino in unseen)
            assert (str(match.heading.seed) in words) == over


def test_only_the_seat_that_must_keep_a_scrap_looks_into_the_bag() -> None:
    looked = 0
    for match in play("relaxed", 4, 4):
        for seat, own in enumerate(match.state.seats):
            mine = match.view(seat)["mine"]
            assert (mine["bag"] is not None) == own.owes_keep
            assert mine["scraps"] == list(own.scraps)
            looked += own.owes_keep
        assert match.view(None)["mine"] is None
    assert looked


def test_a_sealed_card_still_counts_as_unspent_even_in_its_own_view() -> None:
    match = next(play("relaxed", 3, 5)).act(0, {"type": "play", "card": 7}, "", NOW)
    match = match.act(1, {"type": "play", "card": "spy"}, "", NOW)
    own, other = match.view(0), match.view(2)
    assert 7 in own["seats"][0]["gold"]
    assert own["seats"] == other["seats"]
    assert (own["mine"]["card"], other["mine"]["card"]) == (7, None)
    assert other["to_act"] == [2]
    match = match.act(2, {"type": "play", "card": 3}, "", NOW)
    assert 7 not in match.view(2)["seats"][0]["gold"]
    assert match.view(2)["shown"] == [7, "spy", 3]
    match = match.act(1, {"type": "bid", "gold": 9}, "", NOW)
    assert match.view(None)["last"] == {
        "round": 1,
        "cards": [7, "spy", 3],
        "gold": [7, 9, 3],
        "winner": 1,
        "dominoes": match.view(None)["last"]["dominoes"],
        "fate": "won",
        "paid": [None, None, None],
        "short": [],
        "bag": None,
        "artisan": None,
    }


def test_the_card_of_a_seat_that_left_becomes_public_with_the_others() -> None:
    match = next(play("relaxed", 3, 5)).act(0, {"type": "play", "card": 7}, "", NOW).act(0, {"type": "resign"}, "", NOW)
    (played,) = (entry.event for entry in match.entries if entry.event.type == "played")
    assert "card" not in KILIM.event_view(match.state, played, 1)
    assert KILIM.event_view(match.state, played, 0)["card"] == 7
    match = match.act(1, {"type": "play", "card": 3}, "", NOW).act(2, {"type": "play", "card": 4}, "", NOW)
    assert KILIM.event_view(match.state, played, None)["card"] == 7


def test_a_game_has_at_most_600_events() -> None:
    longest = max(len(list(play(weaving, seats, 6))[-1].entries) for weaving, seats in SETUPS)
    assert 300 < longest <= 600
