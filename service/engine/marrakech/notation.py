"""Events as the sentences of the text record, and back. A seat is named after its (first) colour."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from service.engine.errors import Malformed
from service.engine.json_reader import Json, quote, unquote
from service.engine.marrakech.actions import Event
from service.engine.marrakech.board import FACINGS
from service.engine.marrakech.codecs import read_event, write_event
from service.engine.marrakech.state import COLOURS

SEAT_LABELS: Final = tuple(colour.capitalize() for colour in COLOURS)

_LETTERS: Final = {colour[0].upper(): colour for colour in COLOURS}
_ENDINGS: Final = {"rugs_laid": "All rugs are laid", "last_standing": "One player is left"}
_REASONS: Final = {words: reason for reason, words in _ENDINGS.items()}
_LABEL: Final = "|".join(SEAT_LABELS)
_SQUARE: Final = "[a-g][1-7]"
_PILE: Final = f"[{''.join(_LETTERS)}]+ for (?:{_LABEL})"


class _Field(NamedTuple):
    """How one field of an event is written in a sentence and read from it."""

    pattern: str
    write: Callable[[Any], str]
    read: Callable[[str], Any]


_SEAT: Final = _Field(_LABEL, SEAT_LABELS.__getitem__, SEAT_LABELS.index)
_NUMBER: Final = _Field(r"0|[1-9]\d?", str, int)
_WORD: Final = _Field("[a-z]+", str, str)
_PATH: Final = _Field(rf"{_SQUARE}(?: {_SQUARE})*", " ".join, str.split)
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
    "path": _PATH,
    "squares": _PATH,
    "place": _Field(f"{_SQUARE}-{_SQUARE}", "-".join, lambda place: place.split("-")),
    "salt": _Field(r'"(?:[^"\\]|\\.)*"', quote, unquote),
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


def _compile(sentence: str) -> re.Pattern[str]:
    literal = re.split(r"\{(\w+)\}", sentence)
    return re.compile(
        "".join(
            f"(?P<{part}>{_FIELDS[part].pattern})" if place % 2 else re.escape(part)
            for place, part in enumerate(literal)
        )
    )


_PATTERNS: Final = {kind: _compile(sentence) for kind, sentence in _SENTENCES.items()}
_STARTED: Final = re.compile(
    rf"(?P<first>{_LABEL}) begins; Assam stands on (?P<at>{_SQUARE}) and faces (?P<facing>{'|'.join(FACINGS)})\."
    rf"(?: The piles are (?P<piles>{_PILE} and {_PILE})\.)?"
)
_FINISHED: Final = re.compile(
    rf"(?P<end>{'|'.join(_REASONS)})\. (?P<winners>(?:{_LABEL})(?:(?:, | and )(?:{_LABEL}))*) (?:wins|share the win)\."
    r" (?P<scores>.+)\."
)
_SCORE: Final = re.compile(
    rf"(?P<label>{_LABEL}) (?P<stays>has|is out with) (?P<dirhams>\d+) dirhams and (?P<rugs>\d+) squares,"
    r" (?P<total>\d+) in all"
)


def write_text(event: Event) -> str:
    """Write the event as a sentence, on one line."""
    value = write_event(event)
    kind = value.pop("type")
    if kind == "started":
        return _write_started(value)
    if kind == "finished":
        return _write_finished(value["result"])
    if kind == "laid":
        value["place"] = value["squares"]
    if kind == "moved":
        del value["to"]
    return _SENTENCES[kind].format(**{name: _FIELDS[name].write(entry) for name, entry in value.items()})


def read_text(sentence: str, seats: int) -> Event:
    """Read the event from its sentence; raises `Malformed`."""
    value = _parse(sentence)
    if value is None:
        raise Malformed(f"{sentence[:80]!r} is nothing that happens in a game of Marrakech.")
    return read_event(value, seats)


def _parse(sentence: str) -> Json | None:
    """Read the JSON of the event from its sentence; None if it isn't one."""
    if match := _STARTED.fullmatch(sentence):
        return _read_started(match)
    if match := _FINISHED.fullmatch(sentence):
        return _read_finished(match)
    for kind, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(sentence):
            return _read_sentence(kind, match)
    return None


def _read_sentence(kind: str, match: re.Match[str]) -> Json:
    value: Json = {"type": kind}
    for name, found in match.groupdict().items():
        value[name] = _FIELDS[name].read(found)
    if kind == "laid":
        value["squares"] = value.pop("place")
    if kind == "moved":
        value["to"] = value["path"][-1]
    return value


def _write_started(value: Json) -> str:
    assam = value["assam"]
    words = f"{SEAT_LABELS[value['first']]} begins; Assam stands on {assam['at']} and faces {assam['facing']}."
    if "piles" not in value:
        return words
    letters = ["".join(colour[0].upper() for colour in pile) for pile in value["piles"]]
    piles = " and ".join(f"{pile} for {SEAT_LABELS[seat]}" for seat, pile in enumerate(letters))
    return f"{words} The piles are {piles}."


def _read_started(match: re.Match[str]) -> Json:
    value: Json = {
        "type": "started",
        "first": SEAT_LABELS.index(match["first"]),
        "assam": {"at": match["at"], "facing": match["facing"]},
    }
    if match["piles"]:
        value["piles"] = [[_LETTERS[letter] for letter in pile.split()[0]] for pile in match["piles"].split(" and ")]
    return value


def _write_finished(result: Json) -> str:
    winners = [SEAT_LABELS[seat] for seat in result["winners"]]
    won = f"{winners[0]} wins" if len(winners) == 1 else f"{', '.join(winners[:-1])} and {winners[-1]} share the win"
    scores = "; ".join(_write_score(result["scores"][seat]) for seat in result["ranking"])
    return f"{_ENDINGS[result['reason']]}. {won}. {scores}."


def _write_score(score: Json) -> str:
    stays = "is out with" if score["out"] else "has"
    dirhams, squares = score["dirhams"], score["rugs"]
    return f"{SEAT_LABELS[score['seat']]} {stays} {dirhams} dirhams and {squares} squares, {score['total']} in all"


def _read_finished(match: re.Match[str]) -> Json | None:
    scores = [_SCORE.fullmatch(words) for words in match["scores"].split("; ")]
    if None in scores:
        return None
    ranked = [_read_score(score) for score in scores if score]
    winners = re.split(", | and ", match["winners"])
    return {
        "type": "finished",
        "result": {
            "winners": [SEAT_LABELS.index(label) for label in winners],
            "ranking": [score["seat"] for score in ranked],
            "scores": sorted(ranked, key=lambda score: score["seat"]),
            "reason": _REASONS[match["end"]],
        },
    }


def _read_score(match: re.Match[str]) -> Json:
    return {
        "seat": SEAT_LABELS.index(match["label"]),
        "dirhams": int(match["dirhams"]),
        "rugs": int(match["rugs"]),
        "total": int(match["total"]),
        "out": match["stays"] == "is out with",
    }
