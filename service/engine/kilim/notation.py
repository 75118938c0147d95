"""Events as the sentences of the text record, and back."""

import re
from collections.abc import Callable
from typing import Any, Final

from service.engine.errors import Malformed
from service.engine.json_reader import Json, escape_unprintable
from service.engine.kilim.actions import Event
from service.engine.kilim.codecs import read_event, write_event
from service.engine.kilim.pieces import COLOURS, MOTIFS, SPECIALS

SEAT_LABELS: Final = tuple(colour.capitalize() for colour in COLOURS)
_SEAT: Final = f"(?P<seat>{'|'.join(SEAT_LABELS)})"
_ROUND: Final = r"(?P<round>\d{1,2})"
_ENDINGS: Final = {"days_over": "The days are over", "last_standing": "One weaver is left"}
_REASONS: Final = {words: reason for reason, words in _ENDINGS.items()}
_NOBODY: Final = "nobody"
_NOTHING: Final = "nothing"
_SCORE_FIELDS: Final = ("rectangle", "motifs", "groups", "largest", "torn", "squares")
_POINTS: Final = ", ".join(rf"{name} (?P<{name}>-?\d{{1,4}})" for name in _SCORE_FIELDS)
_SCORE: Final = re.compile(rf"{_SEAT} (?:is out|has (?P<total>-?\d{{1,4}}): {_POINTS})", re.ASCII)


def write_text(event: Event) -> str:
    """Write an event as a sentence."""
    value = write_event(event)
    return _WRITERS[event.type](value)


def read_text(sentence: str, seats: int) -> Event:
    """Read an event from its sentence; raises `Malformed`."""
    for kind, pattern, read in _PATTERNS:
        match = pattern.fullmatch(sentence)
        if match is not None:
            value = read(match, seats)
            if value is not None:
                return read_event({"type": kind, **value}, seats)
    raise Malformed("this is no event of Kilim.")


# Parts of sentences


def _write_card(card: Any) -> str:
    return f"the {card}" if card in SPECIALS else str(card)


def _read_card(words: str) -> Any:
    return int(words) if words.isdigit() and len(words) <= 2 else words.removeprefix("the ")


def _write_by_seat(values: list[Any]) -> str:
    shown = (_NOTHING if value is None else _write_card(value) for value in values)
    return ", ".join(f"{SEAT_LABELS[seat]} {words}" for seat, words in enumerate(shown))


def _read_by_seat(words: str, seats: int) -> list[Any] | None:
    parts = [part.partition(" ") for part in words.split(", ")]
    if [label for label, _, _ in parts] != list(SEAT_LABELS[:seats]):
        return None
    return [None if value == _NOTHING else _read_card(value) for _, _, value in parts]


def _label(seat: int | None) -> str:
    return _NOBODY if seat is None else SEAT_LABELS[seat]


def _seat(label: str) -> int | None:
    if label == _NOBODY:
        return None
    if label not in SEAT_LABELS:
        raise Malformed(f"there is no seat {escape_unprintable(label[:40])}.")
    return SEAT_LABELS.index(label)


def _write_lists(lists: list[list[str]]) -> str:
    return "; ".join(" ".join(each) or _NOTHING for each in lists)


def _read_lists(words: str) -> list[list[str]]:
    return [[] if each == _NOTHING else each.split(" ") for each in words.split("; ")]


# Whole sentences


def _write_started(value: Json) -> str:
    if "piles" not in value:
        return "The looms are empty."
    return f"The looms are empty. Piles: {_write_lists(value['piles'])}. Aside: {_write_lists(value['aside'])}."


def _read_started(match: re.Match[str], seats: int) -> Json:
    if match["piles"] is None:
        return {}
    return {"piles": _read_lists(match["piles"]), "aside": _read_lists(match["aside"])}


def _write_revealed(value: Json) -> str:
    offer = " ".join(value["offer"])
    return f"Round {value['round']} of day {value['day']} shows {value['domino']}; on offer {offer}."


def _read_revealed(match: re.Match[str], seats: int) -> Json:
    numbers = {"round": int(match["round"]), "day": int(match["day"])}
    return {**numbers, "domino": match["domino"], "offer": match["offer"].split(" ")}


def _write_sealed(verb: str, field: str) -> Callable[[Json], str]:
    def write(value: Json) -> str:
        known = f": {_write_card(value[field])}" if field in value else ""
        return f"{SEAT_LABELS[value['seat']]} {verb} in round {value['round']}{known}."

    return write


def _read_sealed(field: str) -> Callable[[re.Match[str], int], Json]:
    def read(match: re.Match[str], seats: int) -> Json:
        known = {} if match["card"] is None else {field: _read_card(match["card"])}
        return {"seat": _seat(match["seat"]), "round": int(match["round"]), **known}

    return read


def _write_auctioned(value: Json) -> str:
    dominoes = " ".join(value["dominoes"])
    if value["winner"] is None:
        outcome = f"Nobody wins {dominoes}: {value['fate']}."
    else:
        outcome = f"{SEAT_LABELS[value['winner']]} wins {dominoes}."
    return f"Round {value['round']} bids: {_write_by_seat(value['gold'])}. {outcome}"


def _read_auctioned(match: re.Match[str], seats: int) -> Json | None:
    gold = _read_by_seat(match["bids"], seats)
    winner = None if match["seat"] == "Nobody" else _seat(match["seat"])
    if gold is None or (winner is None) != (match["fate"] is not None):
        return None
    dominoes = match["dominoes"].split(" ")
    return {
        "round": int(match["round"]),
        "gold": gold,
        "winner": winner,
        "dominoes": dominoes,
        "fate": match["fate"] or "won",
    }


def _write_settled(value: Json) -> str:
    short = " ".join(SEAT_LABELS[seat] for seat in value["short"]) or _NOBODY
    paid = _write_by_seat(value["gold"])
    winners = f"Bag: {_label(value['bag'])}. Artisan: {_label(value['artisan'])}."
    return f"Round {value['round']} paid: {paid}. Short: {short}. {winners}"


def _read_settled(match: re.Match[str], seats: int) -> Json | None:
    gold = _read_by_seat(match["paid"], seats)
    if gold is None:
        return None
    short = [] if match["short"] == _NOBODY else [_seat(label) for label in match["short"].split(" ")]
    winners = {"bag": _seat(match["bag"]), "artisan": _seat(match["artisan"])}
    return {"round": int(match["round"]), "gold": gold, "short": short, **winners}


def _write_shown(value: Json) -> str:
    return f"Round {value['round']} cards: {_write_by_seat(value['cards'])}."


def _read_shown(match: re.Match[str], seats: int) -> Json | None:
    cards = _read_by_seat(match["cards"], seats)
    return None if cards is None else {"round": int(match["round"]), "cards": cards}


def _write_kept(value: Json) -> str:
    known = f": {value['scrap']}" if "scrap" in value else ""
    return f"{SEAT_LABELS[value['seat']]} keeps a scrap{known}."


def _read_kept(match: re.Match[str], seats: int) -> Json:
    return {"seat": _seat(match["seat"]), **({} if match["scrap"] is None else {"scrap": match["scrap"]})}


def _write_took(value: Json) -> str:
    domino = f" and {value['domino']}" if value["domino"] else ""
    return f"{SEAT_LABELS[value['seat']]} takes the token {value['token']}{domino}."


def _write_reworked(value: Json) -> str:
    where = f"on {'-'.join(value['squares'])}" if value["squares"] else "off the loom"
    return f"{SEAT_LABELS[value['seat']]} uses {value['token']}: {value['piece']} {where}."


def _read_reworked(match: re.Match[str], seats: int) -> Json:
    squares = [] if match["squares"] is None else match["squares"].split("-")
    return {"seat": _seat(match["seat"]), "token": match["token"], "piece": match["piece"], "squares": squares}


def _write_finished(value: Json) -> str:
    result = value["result"]
    winners = [SEAT_LABELS[seat] for seat in result["winners"]]
    won = f"{winners[0]} wins" if len(winners) == 1 else f"{', '.join(winners[:-1])} and {winners[-1]} share the win"
    scores = "; ".join(_write_score(result["scores"][seat]) for seat in result["ranking"])
    return f"{_ENDINGS[result['reason']]}. {won}. {scores}."


def _write_score(score: Json) -> str:
    label = SEAT_LABELS[score["seat"]]
    if score["out"]:
        return f"{label} is out"
    return f"{label} has {score['total']}: {', '.join(f'{name} {score[name]}' for name in _SCORE_FIELDS)}"


def _read_finished(match: re.Match[str], seats: int) -> Json | None:
    scores = [_SCORE.fullmatch(words) for words in match["scores"].split("; ")]
    if None in scores:
        return None
    ranked = [_read_score(score) for score in scores if score]
    return {
        "result": {
            "winners": [_seat(label) for label in re.split(", | and ", match["winners"])],
            "ranking": [score["seat"] for score in ranked],
            "scores": sorted(ranked, key=lambda score: score["seat"]),
            "reason": _REASONS[match["end"]],
        }
    }


def _read_score(match: re.Match[str]) -> Json:
    out = match["total"] is None
    points = {name: 0 if out else int(match[name]) for name in ("total", *_SCORE_FIELDS)}
    return {"seat": _seat(match["seat"]), **points, "out": out}


def _read_fields(*names: str) -> Callable[[re.Match[str], int], Json]:
    """Read fields that stand in the sentence as they are."""

    def read(match: re.Match[str], seats: int) -> Json:
        return {"seat": _seat(match["seat"])} | {name: match[name] for name in names}

    return read


def _read_woven(match: re.Match[str], seats: int) -> Json:
    return {"seat": _seat(match["seat"]), "domino": match["domino"], "squares": match["squares"].split("-")}


_WRITERS: Final[dict[str, Callable[[Json], str]]] = {
    "started": _write_started,
    "revealed": _write_revealed,
    "played": _write_sealed("plays", "card"),
    "shown": _write_shown,
    "bid": _write_sealed("bids", "gold"),
    "auctioned": _write_auctioned,
    "settled": _write_settled,
    "kept": _write_kept,
    "took": _write_took,
    "woven": lambda value: f"{SEAT_LABELS[value['seat']]} weaves {value['domino']} on {'-'.join(value['squares'])}.",
    "patched": lambda value: f"{SEAT_LABELS[value['seat']]} patches {value['square']} with {value['scrap']}.",
    "reworked": _write_reworked,
    "evening": lambda value: f"Evening of day {value['day']}.",
    "passed": lambda value: f"{SEAT_LABELS[value['seat']]} passes.",
    "resigned": lambda value: f"{SEAT_LABELS[value['seat']]} resigns.",
    "finished": _write_finished,
}
_CARD: Final = rf"(?:: (?P<card>\d{{1,2}}|the (?:{'|'.join(SPECIALS)})))?"
_LABELS: Final = f"(?:{'|'.join(SEAT_LABELS)})"
_AUCTIONED: Final = (
    rf"Round {_ROUND} bids: (?P<bids>[\w ,]+)\. (?P<seat>Nobody|{_LABELS}) wins (?P<dominoes>[\w ]+)"
    r"(?:: (?P<fate>carried|lost))?\."
)
_SETTLED: Final = (
    rf"Round {_ROUND} paid: (?P<paid>[\w ,]+)\. Short: (?P<short>[\w ]+)\."
    rf" Bag: (?P<bag>nobody|{_LABELS})\. Artisan: (?P<artisan>nobody|{_LABELS})\."
)
_PATTERNS: Final[tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str], int], Json | None]], ...]] = tuple(
    (kind, re.compile(pattern, re.ASCII), read)
    for kind, pattern, read in (
        (
            "started",
            r"The looms are empty\.(?: Piles: (?P<piles>[\w ;]+)\. Aside: (?P<aside>[\w ;]+)\.)?",
            _read_started,
        ),
        (
            "revealed",
            rf"Round {_ROUND} of day (?P<day>\d) shows (?P<domino>\w+); on offer (?P<offer>[\w ]+)\.",
            _read_revealed,
        ),
        ("played", rf"{_SEAT} plays in round {_ROUND}{_CARD}\.", _read_sealed("card")),
        ("shown", rf"Round {_ROUND} cards: (?P<cards>[\w ,]+)\.", _read_shown),
        ("bid", rf"{_SEAT} bids in round {_ROUND}{_CARD}\.", _read_sealed("gold")),
        (
            "auctioned",
            _AUCTIONED,
            _read_auctioned,
        ),
        (
            "settled",
            _SETTLED,
            _read_settled,
        ),
        ("kept", rf"{_SEAT} keeps a scrap(?:: (?P<scrap>{'|'.join(MOTIFS)}))?\.", _read_kept),
        (
            "took",
            rf"{_SEAT} takes the token (?P<token>\w+)(?: and (?P<domino>OO\d))?\.",
            _read_fields("token", "domino"),
        ),
        ("woven", rf"{_SEAT} weaves (?P<domino>\w+) on (?P<squares>\w+-\w+)\.", _read_woven),
        ("patched", rf"{_SEAT} patches (?P<square>\w+) with (?P<scrap>\w+)\.", _read_fields("square", "scrap")),
        (
            "reworked",
            rf"{_SEAT} uses (?P<token>\w+): (?P<piece>\w+) (?:on (?P<squares>\w+(?:-\w+)?)|off the loom)\.",
            _read_reworked,
        ),
        ("evening", r"Evening of day (?P<day>\d)\.", lambda match, _: {"day": int(match["day"])}),
        ("passed", rf"{_SEAT} passes\.", _read_fields()),
        ("resigned", rf"{_SEAT} resigns\.", _read_fields()),
        (
            "finished",
            rf"(?P<end>{'|'.join(_REASONS)})\. (?P<winners>[\w ,]+?) (?:wins|share the win)\. (?P<scores>[^.]+)\.",
            _read_finished,
        ),
    )
)
