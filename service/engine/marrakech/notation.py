"""The events of Marrakech in words that can be read aloud, and back. A seat is called by its (first) colour."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from service.engine.errors import Malformed
from service.engine.json_reader import Json, quoted, unquoted
from service.engine.marrakech.board import FACINGS
from service.engine.marrakech.event_json import read_event, write_event
from service.engine.marrakech.events import Event
from service.engine.marrakech.state import COLOURS

CALLS: Final = tuple(colour.capitalize() for colour in COLOURS)
"""What each seat is called."""

_LETTERS: Final = {colour[0].upper(): colour for colour in COLOURS}
_ENDS: Final = {"rugs_laid": "All rugs are laid", "last_standing": "One player is left"}
_REASONS: Final = {words: reason for reason, words in _ENDS.items()}
_CALL: Final = "|".join(CALLS)
_SQUARE: Final = "[a-g][1-7]"
_PILE: Final = f"[{''.join(_LETTERS)}]+ for (?:{_CALL})"


class _Field(NamedTuple):
    """How one field looks in a sentence, and how it goes there and back."""

    pattern: str
    to_words: Callable[[Any], str]
    from_words: Callable[[str], Any]


_SEAT: Final = _Field(_CALL, CALLS.__getitem__, CALLS.index)
_NUMBER: Final = _Field(r"0|[1-9]\d?", str, int)
_WORD: Final = _Field("[a-z]+", str, str)
_WALKED: Final = _Field(rf"{_SQUARE}(?: {_SQUARE})*", " ".join, str.split)
_FIELDS: Final[dict[str, _Field]] = {
    "seat": _SEAT,
    "from": _SEAT,
    "to": _SEAT,
    "direction": _WORD,
    "facing": _WORD,
    "colour": _WORD,
    "die": _NUMBER,
    "roll": _NUMBER,
    "rug": _NUMBER,
    "due": _NUMBER,
    "paid": _NUMBER,
    "path": _WALKED,
    "squares": _WALKED,
    "place": _Field(f"{_SQUARE}-{_SQUARE}", "-".join, lambda place: place.split("-")),
    "salt": _Field(r'"(?:[^"\\]|\\.)*"', quoted, unquoted),
}
_SENTENCES: Final[dict[str, str]] = {
    "faced": "{seat} sends Assam {direction}, facing {facing}.",
    "rolled": "{seat} rolls {die} (roll {roll}, salt {salt}).",
    "moved": "{seat} walks Assam along {path}, facing {facing}.",
    "paid": "{from} pays {to} {paid} of {due} dirhams for {squares}.",
    "eliminated": "{seat} cannot pay and is out.",
    "laid": "{seat} lays {colour} rug {rug} on {place}.",
    "turned": "{seat} turns Assam {direction}, to face {facing}.",
    "resigned": "{seat} resigns.",
}


def _pattern(sentence: str) -> re.Pattern[str]:
    literal = re.split(r"\{(\w+)\}", sentence)
    return re.compile(
        "".join(
            f"(?P<{part}>{_FIELDS[part].pattern})" if place % 2 else re.escape(part)
            for place, part in enumerate(literal)
        )
    )


_PATTERNS: Final = {kind: _pattern(sentence) for kind, sentence in _SENTENCES.items()}
_STARTED: Final = re.compile(
    rf"(?P<first>{_CALL}) begins; Assam stands on (?P<at>{_SQUARE}) and faces (?P<facing>{'|'.join(FACINGS)})\."
    rf"(?: The piles are (?P<piles>{_PILE} and {_PILE})\.)?"
)
_FINISHED: Final = re.compile(
    rf"(?P<end>{'|'.join(_REASONS)})\. (?P<winners>(?:{_CALL})(?:(?:, | and )(?:{_CALL}))*) (?:wins|share the win)\."
    r" (?P<scores>.+)\."
)
_SCORE: Final = re.compile(
    rf"(?P<call>{_CALL}) (?P<stays>has|is out with) (?P<dirhams>\d+) dirhams and (?P<rugs>\d+) squares,"
    r" (?P<total>\d+) in all"
)


def to_words(event: Event) -> str:
    """The event as people would read it aloud, on one line."""
    value = write_event(event)
    kind = value.pop("type")
    if kind == "started":
        return _started_words(value)
    if kind == "finished":
        return _finished_words(value["result"])
    if kind == "laid":
        value["place"] = value["squares"]
    if kind == "moved":
        del value["to"]
    return _SENTENCES[kind].format(**{name: _FIELDS[name].to_words(entry) for name, entry in value.items()})


def read_words(words: str, seats: int) -> Event:
    """The event that these words tell of; raises `Malformed`."""
    value = _value_of(words)
    if value is None:
        raise Malformed(f"{words[:80]!r} is nothing that happens in a game of Marrakech.")
    return read_event(value, seats)


def _value_of(words: str) -> Json | None:
    if match := _STARTED.fullmatch(words):
        return _started_value(match)
    if match := _FINISHED.fullmatch(words):
        return _finished_value(match)
    for kind, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(words):
            return _sentence_value(kind, match)
    return None


def _sentence_value(kind: str, match: re.Match[str]) -> Json:
    value: Json = {"type": kind}
    for name, found in match.groupdict().items():
        value[name] = _FIELDS[name].from_words(found)
    if kind == "laid":
        value["squares"] = value.pop("place")
    if kind == "moved":
        value["to"] = value["path"][-1]
    return value


def _started_words(value: Json) -> str:
    assam = value["assam"]
    words = f"{CALLS[value['first']]} begins; Assam stands on {assam['at']} and faces {assam['facing']}."
    if "piles" not in value:
        return words
    piles = " and ".join(
        f"{''.join(colour[0].upper() for colour in pile)} for {CALLS[seat]}" for seat, pile in enumerate(value["piles"])
    )
    return f"{words} The piles are {piles}."


def _started_value(match: re.Match[str]) -> Json:
    value: Json = {
        "type": "started",
        "first": CALLS.index(match["first"]),
        "assam": {"at": match["at"], "facing": match["facing"]},
    }
    if match["piles"]:
        value["piles"] = [[_LETTERS[letter] for letter in pile.split()[0]] for pile in match["piles"].split(" and ")]
    return value


def _finished_words(result: Json) -> str:
    winners = [CALLS[seat] for seat in result["winners"]]
    won = f"{winners[0]} wins" if len(winners) == 1 else f"{', '.join(winners[:-1])} and {winners[-1]} share the win"
    scores = "; ".join(_score_words(result["scores"][seat]) for seat in result["ranking"])
    return f"{_ENDS[result['reason']]}. {won}. {scores}."


def _score_words(score: Json) -> str:
    stays = "is out with" if score["out"] else "has"
    dirhams, squares = score["dirhams"], score["rugs"]
    return f"{CALLS[score['seat']]} {stays} {dirhams} dirhams and {squares} squares, {score['total']} in all"


def _finished_value(match: re.Match[str]) -> Json | None:
    scores = [_SCORE.fullmatch(words) for words in match["scores"].split("; ")]
    if None in scores:
        return None
    ranked = [_score_value(score) for score in scores if score]
    winners = re.split(", | and ", match["winners"])
    return {
        "type": "finished",
        "result": {
            "winners": [CALLS.index(call) for call in winners],
            "ranking": [score["seat"] for score in ranked],
            "scores": sorted(ranked, key=lambda score: score["seat"]),
            "reason": _REASONS[match["end"]],
        },
    }


def _score_value(match: re.Match[str]) -> Json:
    return {
        "seat": CALLS.index(match["call"]),
        "dirhams": int(match["dirhams"]),
        "rugs": int(match["rugs"]),
        "total": int(match["total"]),
        "out": match["stays"] == "is out with",
    }
