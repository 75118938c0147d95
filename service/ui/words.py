"""Reads what players type: a line of words, squares and numbers, without case, accents and polite words.

The errors say why words name no choice.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, Final, NamedTuple

from service.engine.errors import IllegalAction, Malformed
from service.engine.json_reader import Json
from service.i18n import marked

ENGLISH: Final = "en"
_MOST_READINGS: Final = 20
"""Choices in one line; more are no line of a reply."""
_LONGEST_READING: Final = 6
"""Words that name one choice."""
_DASHES: Final = dict.fromkeys([*range(0x2010, 0x2016), 0x2043, 0x2212, 0xFE63, 0xFF0D], "-")
_QUOTES: Final = dict.fromkeys([0x60, 0xB4, 0x2018, 0x2019], "'")
_WORD_OR_NUMBER: Final = r"[^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+"
_SIGNS_OF_DOUBT: Final = frozenset("?¿؟‽❓❔≠👎❌❎✖✗✘🚫⛔🛑🤔🤷🙅")
"""Signs that ask or deny. Any other sign or emoji may appear next to a choice without changing it."""
SEVERAL: Final = marked("That names more than one choice. Please send just one.")
RESIGN_ALONE: Final = marked("To resign, send that one word and nothing else. You can't take it back.")
AUTO: Final = "auto"
"""The word that leaves the rest of a turn to the stand-in."""
RESIGN: Final = "resign"
RESIGN_PHRASES: Final = {
    "en": {RESIGN: "resign"},
    "de": {RESIGN: "aufgeben | ich gebe auf"},
    "fr": {RESIGN: "abandonner | abandon | j'abandonne"},
}
_POLITE: Final = {
    "en": "please pls thanks thx thank you hi hello hey dear there good morning evening i i'd we take choose pick want"
    " like play the a my to at and for number option choice answer move",
    "de": "bitte danke hallo hi guten tag abend ich wir nehme nimm wähle spiele möchte will den die das der und zu für"
    " mein meine nummer nr option wahl antwort zug",
    "fr": "merci bonjour salut bonsoir s'il vous te plait svp stp je nous prends choisis joue veux voudrais le la les"
    " un une à au et pour mon ma c'est numéro n option choix réponse coup",
}
"""Words that may surround a choice in any game without changing it; none that denies or asks."""
_AFFIRMATIONS: Final = {
    "en": "yes yeah yep ok okay sure",
    "de": "ja jo ok okay klar gern gerne",
    "fr": "oui ok okay d'accord",
}
"""They don't change a choice either. Alone, they accept the only one."""


class NotUnderstood(Malformed):
    """The words name no choice."""

    default_words: ClassVar[str] = marked("We didn't understand that. Please use one of the listed choices.")

    def __init__(self, words: str = default_words) -> None:
        super().__init__(words)
        self.words = words


class SeveralChoices(Malformed):
    """The words name several choices that are not the steps of one turn."""

    def __init__(self, words: str = SEVERAL) -> None:
        super().__init__(words)
        self.words = words


class NotListed(IllegalAction):
    """The words name a choice, but not one of those that the player has now.

    `action` is what they would mean, if that can be said: the rules can explain best why it is not legal.
    """

    default_words: ClassVar[str] = marked(
        "That isn't one of your choices right now. Please use one of the listed ones."
    )

    def __init__(self, action: Json | None = None) -> None:
        super().__init__(self.default_words)
        self.action = action


class NoSuchNumber(NotListed):
    """There is no choice with the number."""

    default_words: ClassVar[str] = marked(
        "There's no choice with that number right now. Please use one of the listed ones."
    )


class ReplyWords(NamedTuple):
    """The words that a game understands in one language, each phrase as `fold` writes it."""

    meanings: Mapping[str, str] = {}
    """What each phrase means, in one spelling: `straight on` is `ahead`."""
    fillers: frozenset[str] = frozenset()
    """Words that may surround a choice without changing it."""
    notation: str = ""
    """A regular expression for what is neither a word nor a number, such as a square."""
    surnames: frozenset[str] = frozenset()
    """Meanings whose words are also people's names, so that a signature isn't read as a second choice."""
    openers: frozenset[str] = frozenset()
    """Words with which choices begin. A line with almost one of them is a mistake rather than a wish."""
    names: frozenset[str] = frozenset()
    """What is no filler after an opener: a domino may be called like a little word of the language."""


class Line(NamedTuple):
    """A line that a player typed."""

    tokens: list[str]
    rest: list[str]
    """The tokens without fillers."""
    sound: bool
    """Whether nothing between the tokens could change their meaning."""
    asks: bool
    """Whether a sign asks or denies."""


def fold(text: str) -> str:
    """The text without case, accents and typographic dashes and quotes, so that it can be compared."""
    text = unicodedata.normalize("NFKC", text.translate(_DASHES | _QUOTES)).casefold()
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def split_phrases(written: str) -> list[str]:
    """The phrases of a list such as `straight on | forward`, folded."""
    return [fold(phrase).strip() for phrase in written.split("|")]


def spoken_languages(language: str) -> list[str]:
    """The languages in which a player may write: English, and the player's own without its region."""
    own = language.replace("_", "-").partition("-")[0].lower()
    return list(dict.fromkeys((ENGLISH, own)))


def read_meanings(table: Mapping[str, Mapping[str, str]], language: str) -> dict[str, str]:
    """The meaning of each phrase in a table of language, meaning and phrases, for a player who reads this language."""
    return {
        phrase: meaning
        for each in spoken_languages(language)
        for meaning, phrases in table.get(each, {}).items()
        for phrase in split_phrases(phrases)
    }


def read_fillers(table: Mapping[str, str], language: str) -> frozenset[str]:
    """The polite words and those of a table of language and words, for a player who reads this language."""
    return _read_words((_POLITE, _AFFIRMATIONS, table), language)


def read_affirmations(language: str) -> frozenset[str]:
    """The words that agree, for a player who reads this language."""
    return _read_words((_AFFIRMATIONS,), language)


def _read_words(tables: Iterable[Mapping[str, str]], language: str) -> frozenset[str]:
    spoken = spoken_languages(language)
    return frozenset(word for each in spoken for some in tables for word in fold(some.get(each, "")).split())


def is_resignation(words: str, language: str) -> bool:
    """Whether the words mean that a player resigns."""
    return fold(words).strip() in read_meanings(RESIGN_PHRASES, language)


def read_line(text: str, words: ReplyWords) -> Line:
    """Split a line into tokens; a phrase that means something as a whole keeps its fillers."""
    folded = fold(text)
    pattern = _token_pattern(words.notation)
    found = pattern.findall(folded)
    # A German "Morgen" is tomorrow, unless it is a good one.
    tokens = [token for before, token in pairwise(["", *found]) if (before, token) != ("guten", "morgen")]
    rest = tokens if " ".join(tokens) in words.meanings else _drop_fillers(tokens, words)
    asks = not _SIGNS_OF_DOUBT.isdisjoint(text + folded)
    # Digits of other scripts, for instance, are no tokens.
    unread = any(character.isalnum() for character in pattern.sub("", folded))
    return Line(tokens, rest, sound=not asks and not unread, asks=asks)


def _drop_fillers(tokens: Sequence[str], words: ReplyWords) -> list[str]:
    return [
        token
        for before, token in pairwise(["", *tokens])
        if token not in words.fillers or (before in words.openers and token in words.names)
    ]


def read_several(
    tokens: Sequence[str], read_one: Callable[[Sequence[str]], str | None]
) -> tuple[list[str], Sequence[str]]:
    """What the tokens name one after the other, each with as many tokens as possible, and the end that is not read."""
    readings = list[str]()
    while tokens and len(readings) < _MOST_READINGS:
        lengths = range(min(len(tokens), _LONGEST_READING), 0, -1)
        read = ((length, read_one(tokens[:length])) for length in lengths)
        length, reading = next((each for each in read if each[1]), (0, None))
        if not reading:
            break
        readings.append(reading)
        tokens = tokens[length:]
    return readings, tokens


def _token_pattern(notation: str) -> re.Pattern[str]:
    if not notation:
        return re.compile(_WORD_OR_NUMBER)
    # `d5e5` is two squares, `d5x` is none.
    return re.compile(rf"{notation}(?:(?![^\W_])|(?={notation}(?![^\W_])))|{_WORD_OR_NUMBER}")
