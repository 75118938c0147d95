"""The words of Kilim without its pictures, and games and positions to test them with."""

from collections.abc import Iterator
from gettext import NullTranslations
from typing import Any

from service.engine.dice import Chance, Dice
from service.engine.json_reader import Json
from service.engine.kilim.actions import Event
from service.engine.kilim.game import KILIM
from service.engine.kilim.state import State
from service.i18n import translations_for
from service.ui.kilim.game_ui import KILIM_UI

ENGLISH = NullTranslations()
FRENCH = translations_for("fr")
NAMES = ["Ann", "Ben", "Salma"]


UI = KILIM_UI


def plain(text: str) -> str:
    """The text without typographic apostrophes and spaces."""
    return text.replace("\u2019", "'").replace("\u00a0", " ")


def seat(number: int, **changed: Any) -> Json:
    """A seat of a view."""
    points = dict.fromkeys(("rectangle", "motifs", "groups", "largest", "torn", "total", "squares"), 0)
    owes = {"weave": [], "keep": False, "take": False}
    return {
        "seat": number,
        "name": NAMES[number],
        "colours": [("red", "blue", "green")[number]],
        "out": False,
        "gold": list(range(1, 16)),
        "specials": ["spy", "bag", "artisan"],
        "owes": {**owes, **changed.pop("owes", {})},
        "scraps": 0,
        "perfect": [],
        "token": None,
        "carpet": {},
        "points": points,
        **changed,
    }


def position(*legal: Json, phase: str = "choose", own: Json | None = None, **changed: Any) -> Json:
    """Ann's view in round 3, with these legal actions."""
    return {
        "name": "Friday",
        "phase": phase,
        "day": 1,
        "round": 3,
        "rounds": 45,
        "you": 0,
        "to_act": [0],
        "offer": ["HS1"],
        "shown": None,
        "legal": list(legal),
        "seats": [seat(0, **(own or {})), seat(1), seat(2)],
        **changed,
    }


def play(card: int | str) -> Json:
    return {"type": "play", "card": card}


def bid(gold: int) -> Json:
    return {"type": "bid", "gold": gold}


def weave(domino: str, place: str) -> Json:
    return {"type": "weave", "domino": domino, "squares": place.split("-")}


def rework(token: str, piece: str, place: str = "") -> Json:
    return {"type": "rework", "token": token, "piece": piece, "squares": place.split("-") if place else []}


def moments(seats: int, weaving: str = "relaxed") -> Iterator[tuple[State, list[Event]]]:
    """A game between random bots: each position, and the events that led to it."""
    options, chance = {"weaving": weaving}, Chance(bytes(32), "words")
    dice = Dice("words", bytes(32), "")
    state, events = KILIM.set_up(options, seats), list(KILIM.new_game(options, seats, dice))
    for event in events:
        state = KILIM.evolve(state, event)
    yield state, events
    while waiting := KILIM.to_act(state):
        number = min(waiting)
        action = KILIM.actions.read(KILIM.bots["easy"](KILIM.view(state, number), chance))
        events = list(KILIM.decide(state, number, action, dice))
        for event in events:
            state = KILIM.evolve(state, event)
        yield state, events
