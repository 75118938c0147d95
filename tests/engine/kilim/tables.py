"""Tables for the tests of Kilim: a game in memory whose events read as the sentences of the text record."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from service.engine.dice import Dice
from service.engine.kilim.actions import Event, Revealed, Started
from service.engine.kilim.carpet import EMPTY, SQUARES, Carpet
from service.engine.kilim.evolve import evolve
from service.engine.kilim.game import KILIM
from service.engine.kilim.pieces import MOTIFS, draw_piles
from service.engine.kilim.rules import legal_actions, new_game, to_act
from service.engine.kilim.state import HeldToken, SeatState, Weaving, set_up

Act: TypeAlias = Callable[[], object]
"""Something that a test does later."""

DICE: Final = Dice("souk", bytes(range(32)))
"""With three players the piles begin BH1 HS1 EH1, ST2 SS2 BE2 and EX ST3 BS3."""


def carpet_of(*pieces: str) -> Carpet:
    """A carpet of dominoes and scraps: `carpet_of("BE1 m13-n13", "star m13")`."""
    carpet = EMPTY
    for words in pieces:
        piece, where = words.split()
        squares = tuple(SQUARES[name] for name in where.split("-"))
        carpet = carpet.patch(piece, *squares) if piece in MOTIFS else carpet.weave(piece, squares)  # type: ignore[arg-type]
    return carpet


ONE_DOMINO: Final = carpet_of("TT3 m13-n13")
TWO_DOMINOES: Final = carpet_of("TT3 m13-n13", "ES3 m14-n14")


def held(token: str, day: int = 1, used: bool = False) -> HeldToken:
    """A token that a seat holds."""
    return HeldToken(token, used, day)  # type: ignore[arg-type]


class Table:
    """One game; every method that acts returns the sentences of what happened."""

    def __init__(self, seats: int = 3, weaving: Weaving = "relaxed", in_round: int = 1) -> None:
        """A game that has just begun, or one whose earlier rounds left no trace."""
        if in_round == 1:
            self.state = set_up(weaving, seats)
            self._apply(new_game(weaving, seats, DICE))
            return
        piles, aside = draw_piles(seats, DICE)
        self.state = evolve(set_up(weaving, seats), Started(piles, aside))
        day, place = divmod(in_round - 1, self.state.rounds_per_day)
        self._apply([Revealed(in_round, day + 1, piles[day][place], (piles[day][place],))])

    def _apply(self, events: Iterable[Event]) -> list[str]:
        sentences = []
        for event in events:
            self.state = evolve(self.state, event)
            sentences.append(KILIM.events.write_text(event))
        return sentences

    # Positions

    def give(self, seat: int, **facts: Any) -> "Table":
        """Change facts about a seat."""
        seats = list(self.state.seats)
        seats[seat] = seats[seat]._replace(**facts)
        self.state = self.state._replace(seats=tuple(seats))
        return self

    def give_all(self, **facts: Any) -> "Table":
        """Change facts about every seat."""
        for seat in range(len(self.state.seats)):
            self.give(seat, **facts)
        return self

    def change(self, **facts: Any) -> "Table":
        """Change facts about the game."""
        self.state = self.state._replace(**facts)
        return self

    def seat(self, seat: int) -> SeatState:
        """What a seat has."""
        return self.state.seats[seat]

    # Actions

    def act(self, seat: int, **action: Any) -> list[str]:
        """Do what the JSON of an action says."""
        return self._apply(KILIM.decide(self.state, seat, KILIM.actions.read(action), DICE))

    def play(self, seat: int, card: int | str) -> list[str]:
        """Seal a card."""
        return self.act(seat, type="play", card=card)

    def play_all(self, *cards: int | str | None) -> list[str]:
        """Seal the cards of all seats, in their order; None for a seat whose card is played by itself, or that is out.

        Return what happened after the last.
        """
        happened: list[str] = []
        for seat, card in enumerate(cards):
            if card is not None:
                happened = self.play(seat, card)
        return happened

    def bid(self, seat: int, gold: int) -> list[str]:
        """Seal gold."""
        return self.act(seat, type="bid", gold=gold)

    def weave(self, seat: int, words: str) -> list[str]:
        """Weave a domino: `weave(0, "BE1 m14-m13")`."""
        domino, where = words.split()
        return self.act(seat, type="weave", domino=domino, squares=where.split("-"))

    def keep(self, seat: int, scrap: str) -> list[str]:
        """Keep a scrap."""
        return self.act(seat, type="keep", scrap=scrap)

    def take(self, seat: int, token: str) -> list[str]:
        """Take a token."""
        return self.act(seat, type="take", token=token)

    def patch(self, seat: int, words: str) -> list[str]:
        """Use a scrap: `patch(0, "star m13")`."""
        scrap, square = words.split()
        return self.act(seat, type="patch", scrap=scrap, square=square)

    def rework(self, seat: int, words: str) -> list[str]:
        """Use a token: `rework(0, "turn BE1 m14-m13")` or `rework(0, "remove BE1")`."""
        token, piece, *where = words.split()
        return self.act(seat, type="rework", token=token, piece=piece, squares=where[0].split("-") if where else [])

    def pass_(self, seat: int) -> list[str]:
        """Pass in the evening."""
        return self.act(seat, type="pass")

    def resign(self, seat: int) -> list[str]:
        """Leave the game."""
        return self.act(seat, type="resign")

    # Questions

    @property
    def waits_for(self) -> set[int]:
        """The seats that the game waits for."""
        return set(to_act(self.state))

    def kinds(self, seat: int) -> list[str]:
        """The types of the legal actions, each once, in their order."""
        return list(dict.fromkeys(action.type for action in legal_actions(self.state, seat)))

    def playable(self, seat: int) -> list[Any]:
        """The cards that a seat can play."""
        return [action["card"] for action in self._legal(seat) if action["type"] == "play"]

    def biddable(self, seat: int) -> list[int]:
        """The gold that a seat can bid."""
        return [action["gold"] for action in self._legal(seat) if action["type"] == "bid"]

    def takeable(self, seat: int) -> list[str]:
        """The tokens that a seat can take."""
        return [action["token"] for action in self._legal(seat) if action["type"] == "take"]

    def _legal(self, seat: int) -> Iterator[dict[str, Any]]:
        return (KILIM.actions.write(action) for action in legal_actions(self.state, seat))
