"""From the words of a reply to what its writer wants: one thing that can be done now, or nothing at all."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from service.engine.json_reader import Json
from service.engine.marrakech.board import FACINGS, TURNED
from service.i18n import marked
from service.mail.inbound.quoting import LONGEST
from service.mail.inbound.vocabulary import BACK, Vocabulary, plain, vocabulary
from service.text import clean

LONGEST_UNDERSTOOD: Final = 200
_WAYS: Final = frozenset({"left", "ahead", "right"})
_DIRECTIONS: Final = _WAYS | frozenset(FACINGS)
_SQUARE: Final = re.compile(r"[a-g][1-7]")
_TOKEN: Final = re.compile(r"[a-g][1-7](?:(?![^\W_])|(?=[a-g][1-7](?![^\W_])))|[^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+")
_BESIDE: Final = frozenset(" \t.,;:!-/+&()[]{}\"'*_#~<>|=")
"""What may stand beside the words of a choice; a question mark may not."""
_IN_PASSING: Final = 5
"""How many words a line has at most that says no more than a name or a good wish; a longer one may say anything."""
_POSTSCRIPTS: Final = frozenset({"ps", "p", "nb", "edit"})

EMPTY: Final = marked("There was nothing above the quoted letter that could be read.")
NOT_UNDERSTOOD: Final = marked("That could not be understood.")
NOT_ALONE: Final = marked(
    "Beside your choice stands something that could not be understood; send the choice alone, with nothing below it."
)
SEVERAL: Final = marked("That names more than one choice; send one choice in one reply.")
BOTH: Final = marked(
    "Send the direction alone: where a rug can lie is known only after the roll, and the next letter lists the places."
)
NOT_LISTED: Final = marked("That is not one of your choices now.")
NO_SUCH_NUMBER: Final = marked("There is no choice with that number now.")
RESIGN_ALONE: Final = marked("To resign, send that one word and nothing else: it cannot be taken back.")
NOT_INVITED: Final = marked("There is no invitation here that waits for your answer.")


class Wish(NamedTuple):
    """What somebody clearly wants."""

    do: Literal["act", "help", "accept", "decline", "back"]
    understood: str
    action: Json | None = None


class ParseFailure(NamedTuple):
    """Words that nothing is done for, and why: a sentence that is to be translated."""

    why: str
    understood: str


class _Line(NamedTuple):
    """A line of a reply: its words, and what is left of them without those that change nothing."""

    tokens: list[str]
    rest: list[str]
    sound: bool
    """Whether nothing stands between the words that could change their meaning."""
    asks: bool


def parse_reply(
    words: str, view: Json, language: str, offered: bool = False, kept: bool = False
) -> Wish | ParseFailure:
    """What the words ask for, as far as the view allows it now.

    `offered`: whether an invitation is open; `kept`: whether a stand-in keeps the seat.
    """
    known, shown = vocabulary(language), clean(words[:LONGEST])[:LONGEST_UNDERSTOOD]
    if len(words) > LONGEST:
        return ParseFailure(NOT_UNDERSTOOD, shown)  # nobody can tell what the part that was cut off would have said
    lines = [_line(line, known) for line in words.splitlines()]
    choices = _choices(lines, known)
    if not choices:
        return ParseFailure(_trouble(lines, known) if shown else EMPTY, shown)
    if len(choices) > 1:
        return ParseFailure(BOTH if _is_both(choices) else SEVERAL, shown)
    (choice,) = choices
    if choice == "resign" and not _is_alone(lines, known):
        return ParseFailure(RESIGN_ALONE, shown)
    return Wish("back", choice) if choice == BACK and kept else _resolved(choice, view, offered, shown)


def _line(line: str, known: Vocabulary) -> _Line:
    compared = plain(clean(line))
    tokens = _tokens(compared)
    sound = set(_TOKEN.sub("", compared)) <= _BESIDE
    phrase = " ".join(tokens)
    rest = tokens if phrase in known.meanings else [token for token in tokens if token not in known.fillers]
    return _Line(tokens, rest, sound, asks="?" in compared)


def _tokens(compared: str) -> list[str]:
    """The words, squares and numbers of a line; a German "Morgen" is tomorrow, unless it is a good one."""
    found = _TOKEN.findall(compared)
    return [token for before, token in pairwise(["", *found]) if (before, token) != ("guten", "morgen")]


def _choices(lines: Sequence[_Line], known: Vocabulary) -> set[str]:
    """The choices in the lines; none as soon as one of them says something that is not understood."""
    choices: set[str] = set()
    for number, line in enumerate(lines):
        if choices and _closes(line, known):
            return set() if any(_thinks_again(below, known) for below in lines[number + 1 :]) else choices
        choice = _choice(line, known)
        if choice:
            choices.add(choice)
        elif not _is_chatter(line, known, after=bool(choices)):
            return set()
    return choices


def _choice(line: _Line, known: Vocabulary) -> str | None:
    """The one choice that the line is, in one spelling: `left`, `d5-e5`, `#3`."""
    if not line.sound:
        return None
    if len(line.rest) == 1 and line.rest[0].isdecimal():
        return f"#{int(line.rest[0][:6])}"
    if len(line.rest) == 2 and all(_SQUARE.fullmatch(token) for token in line.rest):
        return "-".join(sorted(line.rest, key=lambda square: (square[1], square[0])))
    return known.meanings.get(" ".join(line.rest)) or _way_and_facing(line, known)


def _way_and_facing(line: _Line, known: Vocabulary) -> str | None:
    """A direction as our letters put it: left, to face north. Whether the two agree is seen when it is looked up."""
    meant = [known.meanings.get(token, "") for token in line.rest]
    ways, facings = [each for each in meant if each in _WAYS], [each for each in meant if each in FACINGS]
    return f"{ways[0]} {facings[0]}" if len(meant) == 2 and ways and facings else None


def _is_chatter(line: _Line, known: Vocabulary, after: bool) -> bool:
    """Whether the line says nothing about the game: politeness before the choice, a name or a wish after it."""
    if not line.rest and line.sound:
        return True
    if line.asks or _mentioned(line, known):
        return False
    greets = bool(line.tokens) and line.tokens[0] in known.greetings
    return greets or (after and len(line.tokens) <= _IN_PASSING)


def _mentioned(line: _Line, known: Vocabulary) -> list[str]:
    return [
        token
        for token in line.tokens
        if token in known.telling or _SQUARE.fullmatch(token) or (token.isdecimal() and len(token) < 3)
    ]


def _closes(line: _Line, known: Vocabulary) -> bool:
    said = " ".join(line.tokens)
    closes = any(said == closing or said.startswith(f"{closing} ") for closing in known.closings)
    return closes and not line.asks and not _mentioned(line, known)


def _thinks_again(line: _Line, known: Vocabulary) -> bool:
    """Whether a line below "Thanks" changes what stands above it; most are a name, an address, a disclaimer."""
    if _choice(line, known):
        return True
    if len(line.tokens) > _IN_PASSING and line.tokens[0] not in _POSTSCRIPTS:
        return False
    # Somebody may well be called West.
    return any(token in known.telling and known.meanings.get(token) not in FACINGS for token in line.tokens)


def _trouble(lines: Sequence[_Line], known: Vocabulary) -> str:
    """Why no choice was found: there may have been too many in one line, or too much around one."""
    short = [line for line in lines if not _is_of_an_address(line)]
    meant = [known.meanings.get(token, token) for line in short for token in _mentioned(line, known)]
    choices = {token for token in meant if token in _DIRECTIONS or _SQUARE.fullmatch(token) or token.isdecimal()}
    directions = choices & _DIRECTIONS
    if directions and len(choices) > len(directions):
        return BOTH
    squares = {choice for choice in choices if _SQUARE.fullmatch(choice)}
    if len(directions) > 1 or len(squares) > 2 or len(choices - directions - squares) > 1:
        return SEVERAL
    if "resign" in meant:
        return RESIGN_ALONE
    return NOT_ALONE if any(_choice(line, known) for line in lines) else NOT_UNDERSTOOD


def _is_of_an_address(line: _Line) -> bool:
    """Whether the numbers in the line are those of a street or a telephone rather than of places."""
    numbers = sum(token.isdecimal() for token in line.tokens)
    return numbers > 2 or (numbers > 0 and len(line.rest) > 3)


def _is_both(choices: set[str]) -> bool:
    return bool(choices & _DIRECTIONS) and any(choice[0] == "#" or "-" in choice for choice in choices)


def _is_alone(lines: Sequence[_Line], known: Vocabulary) -> bool:
    said = [line for line in lines if line.tokens or not line.sound]
    return len(said) == 1 and known.meanings.get(" ".join(said[0].tokens)) == "resign"


def _resolved(choice: str, view: Json, offered: bool, shown: str) -> Wish | ParseFailure:
    """The choice as something that can be done now."""
    match choice:
        case "help":
            return Wish("help", shown)
        case "accept" | "decline":
            return Wish(choice, choice) if offered else ParseFailure(NOT_INVITED, shown)
        case "resign":
            return Wish("act", choice, {"type": "resign"})
    action = _listed(choice, view)
    if action is None:
        return ParseFailure(NO_SUCH_NUMBER if choice.startswith("#") else NOT_LISTED, shown)
    return Wish("act", choice, action)


def _listed(choice: str, view: Json) -> Any:
    """The legal action that the choice names; places are numbered in the order of the list, as in the letter."""
    for number, action in enumerate(view["legal"], 1):
        if action["type"] == "lay":
            names = {f"#{number}", "-".join(sorted(action["squares"], key=lambda square: (square[1], square[0])))}
        else:
            way, facing = action["direction"], TURNED[view["assam"]["facing"]][action["direction"]]
            names = {way, facing, f"{way} {facing}"}
        if choice in names:
            return action
    return None
