"""Reading what players type: one line of words, squares and numbers, compared without case, accents and politeness."""

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

ENGLISH: Final = "en"
_DASHES: Final = dict.fromkeys([*range(0x2010, 0x2016), 0x2043, 0x2212, 0xFE63, 0xFF0D], "-")
_QUOTES: Final = dict.fromkeys([0x60, 0xB4, 0x2018, 0x2019], "'")
_WORD_OR_NUMBER: Final = r"[^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+"
_BESIDE: Final = frozenset(" \t.,;:!-/+&()[]{}\"'*_#~<>|=")
"""What may stand between the words of a choice without changing it; a question mark may not."""
RESIGN: Final = "resign"
RESIGN_PHRASES: Final = {
    "en": {RESIGN: "resign"},
    "de": {RESIGN: "aufgeben | ich gebe auf"},
    "fr": {RESIGN: "abandonner | abandon | j'abandonne"},
}
_POLITE: Final = {
    "en": "please pls thanks thx thank you hi hello hey dear there good morning evening i we take the to at and number",
    "de": "bitte danke hallo hi guten tag abend ich wir nehme nimm und nummer nr",
    "fr": "merci bonjour salut bonsoir s'il vous te plait svp stp je nous prends le la à au et numéro",
}
"""What may stand around a choice in any game without changing it. No word that denies or asks may be here."""


class ReplyWords(NamedTuple):
    """The words that a game understands in one language, each phrase as `fold` writes it."""

    meanings: Mapping[str, str] = {}
    """What each phrase means, in one spelling: `straight on` is `ahead`."""
    fillers: frozenset[str] = frozenset()
    """Words that may stand around a choice without changing it."""
    notation: str = ""
    """A regular expression for what is neither a word nor a number, such as a square."""
    surnames: frozenset[str] = frozenset()
    """Meanings whose words are also people's names, so that a signature is not taken for a second thought."""


class Line(NamedTuple):
    """One line that somebody typed."""

    tokens: list[str]
    rest: list[str]
    """The tokens without fillers."""
    sound: bool
    """Whether nothing stands between the tokens that could change their meaning."""
    asks: bool


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
    spoken = spoken_languages(language)
    return frozenset(word for each in spoken for some in (_POLITE, table) for word in fold(some.get(each, "")).split())


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
    rest = tokens if " ".join(tokens) in words.meanings else [token for token in tokens if token not in words.fillers]
    return Line(tokens, rest, sound=set(pattern.sub("", folded)) <= _BESIDE, asks="?" in folded)


def _token_pattern(notation: str) -> re.Pattern[str]:
    if not notation:
        return re.compile(_WORD_OR_NUMBER)
    # `d5e5` is two squares, `d5x` is none.
    return re.compile(rf"{notation}(?:(?![^\W_])|(?={notation}(?![^\W_])))|{_WORD_OR_NUMBER}")
