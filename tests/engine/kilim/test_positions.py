"""The test positions of the specification: draws, auctions, payments, playable cards, scores and carpets."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from service.engine.dice import Dice
from service.engine.errors import IllegalAction
from service.engine.kilim.actions import (
    Action,
    Auctioned,
    Bade,
    Played,
    Resigned,
    Revealed,
    Settled,
    Shown,
    Started,
    Weave,
)
from service.engine.kilim.carpet import COLUMNS, EMPTY, SIZE, SQUARES, Carpet, Laid
from service.engine.kilim.evolve import evolve
from service.engine.kilim.game import KILIM
from service.engine.kilim.pieces import MOTIF_OF, draw_piles
from service.engine.kilim.rules import legal_actions, playable_cards, possible_bids
from service.engine.kilim.scoring import compute_result
from service.engine.kilim.state import HeldToken, SeatState, State, full_hand, set_up

POSITIONS: Final[list[Any]] = json.loads((Path(__file__).parent / "positions.json").read_text())
DICE: Final = Dice("souk", bytes(32))


def of_kind(kind: str) -> pytest.MarkDecorator:
    chosen = [position for position in POSITIONS if position["kind"] == kind]
    assert chosen
    return pytest.mark.parametrize("position", chosen, ids=[position["name"] for position in chosen])


def test_there_are_as_many_positions_as_the_specification_has() -> None:
    assert len(POSITIONS) == 53


# Draws


@of_kind("draw")
def test_draw(position: Any) -> None:
    piles, aside = draw_piles(position["seats"], Dice(position["id"], bytes.fromhex(position["seed"])))
    assert [list(each) for each in aside] == position["aside"]
    if "piles" in position:
        assert [list(pile) for pile in piles] == position["piles"]
    else:
        assert [list(pile[:3]) for pile in piles] == position["tops"]


# Auctions and payments


def in_round(seats: int, last_of_day: bool = False, out: tuple[int, ...] = ()) -> State:
    """A game whose seats choose a card, in the first or in the last round of a day."""
    state = set_up("relaxed", seats)
    state = evolve(state, Started(*draw_piles(seats, DICE)))
    number = state.rounds_per_day if last_of_day else 1
    state = evolve(state, Revealed(number, 1, "BE1", ("BE1",)))
    for seat in out:
        state = evolve(state, Resigned(seat))
    return state


def events_after_cards(state: State, cards: list[Any], bids: dict[int, int]) -> list[Any]:
    """Play these cards and bids, and return all events."""
    events: list[Any] = []

    def act(seat: int, action: dict[str, Any]) -> State:
        made = KILIM.decide(now, seat, KILIM.actions.read(action), DICE)
        events.extend(made)
        after = now
        for event in made:
            after = evolve(after, event)
        return after

    now = state
    for seat, card in enumerate(cards):
        if card is not None:
            now = act(seat, {"type": "play", "card": card})
    for seat, gold in bids.items():
        if any(isinstance(event, Auctioned | Settled) for event in events) and now.round != state.round:
            break
        now = act(seat, {"type": "bid", "gold": gold})
    return events


@of_kind("auction")
def test_auction(position: Any) -> None:
    cards = position["cards"]
    out = tuple(seat for seat, card in enumerate(cards) if card is None)
    state = in_round(len(cards), position.get("last_of_day", False), out)
    # Two players have gold up to ten, but a position may use more.
    state = state._replace(seats=tuple(seat._replace(gold=full_hand(3)) for seat in state.seats))
    spies = {int(seat): gold for seat, gold in position.get("spies", {}).items()}
    events = events_after_cards(state, cards, spies)
    (auction,) = (event for event in events if isinstance(event, Auctioned))
    assert list(auction.gold) == position["gold"]
    assert (auction.winner, auction.fate) == (position["winner"], position["fate"])


@of_kind("pay")
def test_pay(position: Any) -> None:
    cards, price = position["cards"], position["price"]
    hands = {int(seat): tuple(hand) for seat, hand in position["hands"].items()}
    state = in_round(len(cards))
    for seat, card in enumerate(cards):
        state = evolve(state, Played(seat, 1, card))
    state = evolve(state, Shown(1, tuple(cards)))
    gold = tuple(card if isinstance(card, int) else None for card in cards)
    winner = None if price is None else gold.index(price)
    state = evolve(state, Auctioned(1, gold, winner, ("BE1",), "carried" if winner is None else "won"))
    assert state.phase == "pay"
    seats = [seat._replace(gold=hands.get(number, seat.gold)) for number, seat in enumerate(state.seats)]
    state = state._replace(seats=tuple(seats))
    assert {str(seat): list(possible_bids(state, seat)) for seat in hands} == position["may"]
    events: list[Any] = []
    bids = {int(seat): amount for seat, amount in position["bids"].items()}
    for seat, amount in bids.items():
        if any(isinstance(event, Bade) and event.seat == seat for event in events):
            continue  # the server has bid the only card that fits
        made = KILIM.decide(state, seat, KILIM.actions.read({"type": "bid", "gold": amount}), DICE)
        for event in made:
            state = evolve(state, event)
        events += made
    assert {event.seat: event.gold for event in events if isinstance(event, Bade)} == bids
    (settled,) = (event for event in events if isinstance(event, Settled))
    assert (list(settled.short), settled.bag, settled.artisan) == (
        position["short"],
        position["bag"],
        position["artisan"],
    )


@of_kind("cards")
def test_cards(position: Any) -> None:
    state = in_round(3)._replace(bag_left=position["bag_left"], tokens=("turn",) * position["tokens_left"])
    own = SeatState(tuple(position["gold"]), tuple(position["specials"]))
    assert playable_cards(state, own) == position["may"]
    state = state._replace(seats=(own, *state.seats[1:]))
    # Another seat's card is what makes the server look for actions without a choice.
    events = KILIM.decide(state, 1, KILIM.actions.read({"type": "play", "card": 3}), DICE)
    assert any(isinstance(event, Played) and event.seat == 0 for event in events) == position["by_itself"]


# Carpets


def lay(dominoes: list[list[str]], scraps: list[list[str]]) -> Carpet:
    carpet = EMPTY
    for domino, place in dominoes:
        first, second = (SQUARES[name] for name in place.split("-"))
        assert (first, second) in carpet.weave_places(domino) or domino[0] == domino[1]
        assert {first, second} in [set(legal) for legal in carpet.weave_places(domino)]
        carpet = carpet.weave(domino, (first, second))
    for scrap, name in scraps:
        assert SQUARES[name] in carpet.patch_squares
        carpet = carpet.patch(scrap, SQUARES[name])  # type: ignore[arg-type]
    return carpet


def drawn(rows: list[str]) -> Carpet:
    """A carpet that shows this, made of scraps and of halves that don't matter."""
    dominoes = []
    for down, row in enumerate(rows):
        for across, letter in enumerate(row):
            if letter != ".":
                square = SQUARES[f"{COLUMNS[across]}{len(rows) - down}"]
                # Not a real domino: both halves are on one square, and it shows this letter.
                dominoes.append(Laid(f"{letter}{letter}{down}-{across}", square, square))
    return Carpet(tuple(dominoes))


def read_carpet(value: Any) -> Carpet:
    if isinstance(value, dict):
        carpet = lay(value["carpet"], value.get("scraps", []))
        assert picture(carpet) == value["shows"]
        return carpet
    return drawn(value)


def picture(carpet: Carpet) -> list[str]:
    """What a carpet shows, with its top row first."""
    shown = carpet.shown
    if not shown:
        return []
    columns, rows = [square % SIZE for square in shown], [square // SIZE for square in shown]
    return [
        "".join(shown.get(row * SIZE + column, ".") for column in range(min(columns), max(columns) + 1))
        for row in range(max(rows), min(rows) - 1, -1)
    ]


@of_kind("score")
def test_score(position: Any) -> None:
    carpets = [read_carpet(value) for value in position["carpets"]]
    state = in_round(max(2, len(carpets)))
    seats = tuple(seat._replace(carpet=carpet) for seat, carpet in zip(state.seats, carpets, strict=True))
    state = state._replace(seats=seats, out=tuple(position.get("gone", ())))
    result = compute_result(state, "days_over")
    for score, expected in zip(result.scores, position["scores"], strict=True):
        found = {**score._asdict(), "total": score.total}
        assert {name: found[name] for name in expected} == expected
    if "winners" in position:
        assert list(result.winners) == position["winners"]
    if "ranking" in position:
        assert list(result.ranking) == position["ranking"]


def read_try(words: str) -> tuple[Action, dict[str, Any]]:
    """The action, and what a seat must have for it."""
    verb, *rest = words.split()
    squares = rest[-1].split("-") if len(rest) > 1 else []
    if verb == "weave":
        value: dict[str, Any] = {"type": "weave", "domino": rest[0], "squares": squares}
        return _read(value), {"owes_weave": (rest[0],)}
    if verb == "patch":
        return _read({"type": "patch", "scrap": rest[0], "square": squares[0]}), {"scraps": (rest[0],)}
    value = {"type": "rework", "token": verb, "piece": rest[0], "squares": squares}
    return _read(value), {"token": HeldToken(verb, used=False, day=1)}  # type: ignore[arg-type]


def _read(value: dict[str, Any]) -> Action:
    return KILIM.actions.read(value)


@of_kind("carpet")
def test_carpet(position: Any) -> None:
    carpet = lay(position["carpet"], position.get("scraps", []))
    for each in position["tries"]:
        try:
            action, needs = read_try(each["do"])
        except ValueError:
            assert not each["legal"], each  # squares that share no edge can't even be read
            continue
        state = in_round(3)
        state = state._replace(seats=(state.seats[0]._replace(carpet=carpet, **needs), *state.seats[1:]))
        assert (action in legal_actions(state, 0)) == each["legal"], each
        if not each["legal"]:
            with pytest.raises(IllegalAction):
                KILIM.decide(state, 0, action, DICE)
            continue
        event, *_ = KILIM.decide(state, 0, action, DICE)
        assert picture(evolve(state, event).seats[0].carpet) == each["shows"], each


def test_letters_of_motifs_are_those_of_the_dominoes() -> None:
    assert "".join(MOTIF_OF) == "BEHST"
    assert Weave("BE1", (0, 1)).type == "weave"
