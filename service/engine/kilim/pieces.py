"""The pieces of Kilim: motifs, dominoes, cards, scraps and tokens, and the draw that puts the dominoes into piles."""

from typing import Final, Literal, TypeAlias, cast, get_args

from service.engine.dice import Dice

Motif = Literal["bird", "eye", "horn", "star", "tree"]
Token = Literal["perfect", "turn", "remove", "move"]
Special = Literal["spy", "bag", "artisan"]
Colour = Literal["red", "blue", "green", "yellow", "purple"]
Card: TypeAlias = int | Special
"""A gold card by its number, or a special card."""

MOTIFS: Final = cast("tuple[Motif, ...]", get_args(Motif))
TOKENS: Final = cast("tuple[Token, ...]", get_args(Token))
SPECIALS: Final = cast("tuple[Special, ...]", get_args(Special))
COLOURS: Final = cast("tuple[Colour, ...]", get_args(Colour))
"""The colour of each seat."""

LETTERS: Final = {motif: motif[0].upper() for motif in MOTIFS}
MOTIF_OF: Final = {letter: motif for motif, letter in LETTERS.items()}
TORN: Final = "X"
BLANK: Final = "O"
SHOWS: Final[dict[str, str]] = {**MOTIF_OF, TORN: "torn", BLANK: "blank"}
"""What a half shows, by the letter in the domino's name."""

SEATS: Final = range(2, 6)
DAYS: Final = 3
GROUPS: Final = range(1, DAYS + 1)
_LETTER_LIST: Final = tuple(LETTERS.values())
PAIRS: Final = tuple(a + b for place, a in enumerate(_LETTER_LIST) for b in _LETTER_LIST[place:])
TORN_DOMINOES: Final = tuple(letter + TORN for letter in _LETTER_LIST)
PERFECT_DOMINOES: Final = ("OO1", "OO2", "OO3")
DOMINOES: Final = (*(f"{pair}{group}" for group in GROUPS for pair in PAIRS), *TORN_DOMINOES, *PERFECT_DOMINOES)
_TORN_IN_PILES: Final = {2: (1, 1, 0), 3: (1, 1, 1), 4: (2, 1, 1), 5: (2, 2, 1)}

Piles: TypeAlias = tuple[tuple[str, ...], ...]


def rounds_per_day(seats: int) -> int:
    """The rounds of a day, which is also the number of gold cards of a player and of dominoes in a pile."""
    return 10 if seats == 2 else 15


def draw_piles(seats: int, dice: Dice) -> tuple[Piles, Piles]:
    """The three piles, top first, and what is set aside: the rest of each group, then of the torn dominoes."""
    torn = dice.chance("torn").shuffled(TORN_DOMINOES)
    piles, aside, size = [], [], rounds_per_day(seats)
    for group, count in zip(GROUPS, _TORN_IN_PILES[seats], strict=True):
        dominoes = dice.chance(f"group-{group}").shuffled([f"{pair}{group}" for pair in PAIRS])
        chosen, rest = dominoes[: size - count], dominoes[size - count :]
        piles.append(dice.chance(f"pile-{group}").shuffled([*chosen, *torn[:count]]))
        aside.append(rest)
        torn = torn[count:]
    return tuple(piles), (*aside, torn)
