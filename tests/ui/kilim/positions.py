"""Positions to draw: real games stopped where they are wanted, and carpets laid by hand."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from service.engine.dice import Chance, Dice
from service.engine.json_reader import Json
from service.engine.kilim.game import KILIM
from service.engine.kilim.state import State
from service.ui.kilim.figures import lay_carpet

NAMES = ("Ann", "Bo", "Cleo", "Dan", "Eve")
HOSTILE = "</title><script>alert(1)</script>&\"'\x00\x1b[31m\u202egnp.exe\u2066\ud800\ufffe"
POSITIONS = Path(__file__).parents[2] / "engine" / "kilim" / "positions.json"


def seen_by(state: State, seat: int | None, names: Iterable[str] = NAMES) -> Json:
    """The view of a seat, with what the service adds."""
    view = {"id": "drawn", "game": "kilim", "name": "Weaving day", **KILIM.view(state, seat)}
    view["seats"] = [
        {"seat": number, "name": name, **shown}
        for number, (name, shown) in enumerate(zip(names, view["seats"], strict=False))
    ]
    return view


def play(seats: int = 4, seed: bytes = b"a carpet to draw") -> Iterator[State]:
    """The positions of a game, one after each action; players weave well and bid at random, so that somebody wins."""
    options = KILIM.read_options({}, seats)
    dice, chance = Dice("drawn", hashlib.sha256(seed).digest(), ""), Chance(b"moves", "moves")
    state = KILIM.set_up(options, seats)
    for event in KILIM.new_game(options, seats, dice):
        state = KILIM.evolve(state, event)
    yield state
    while waiting := KILIM.to_act(state):
        seat = min(waiting)
        view = KILIM.view(state, seat)
        bot = "easy" if view["legal"][0]["type"] in {"play", "bid"} else "medium"
        action = KILIM.actions.read(KILIM.bots[bot](view, chance))
        for event in KILIM.decide(state, seat, action, dice):
            state = KILIM.evolve(state, event)
        yield state


@cache
def played(seats: int = 4, actions: int = 600) -> State:
    """The position after so many actions, or at the end of the game."""
    *_, last = islice(play(seats), actions + 1)
    return last


@cache
def weaving(seats: int = 4, least: int = 8) -> Json:
    """The view of a player who has to weave a domino into a carpet of at least so many squares."""
    for state in play(seats):
        for seat, own in enumerate(state.seats):
            if own.owes_weave and len(own.carpet.shown) >= least:
                return seen_by(state, seat)
    raise AssertionError("nobody had to weave")


def examples() -> list[tuple[Json, int]]:
    """The carpets of the first score position, each with its points."""
    position = next(each for each in json.loads(POSITIONS.read_text()) if each["kind"] == "score")
    carpets = [lay_carpet(carpet["carpet"]) for carpet in position["carpets"]]
    return [(carpet, score["total"]) for carpet, score in zip(carpets, position["scores"], strict=True)]


PATCHED = lay_carpet(
    [
        ("SX", "m13-n13"),
        ("SS1", "m14-m15"),
        ("ST1", "n15-o15"),
        ("TT1", "o13-o14"),
        ("BH2", "l13-l14"),
        ("OO1", "l15-l16"),
    ],
    [("star", "n13"), ("tree", "n14"), ("eye", "l13")],
)
"""A scrap over a torn half, one in a hole and one over an intact half, and a perfect domino."""
