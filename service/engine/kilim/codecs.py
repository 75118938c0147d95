"""JSON of options, actions, events and results, with the field names of the API and the record."""

from collections.abc import Callable
from typing import Any, Final

from service.engine.errors import Malformed
from service.engine.json_reader import Fields, Json, Reader, flag, list_of, number, one_of, or_null, refuse
from service.engine.kilim.actions import (
    PASS,
    RESIGN,
    Action,
    Auctioned,
    Bade,
    Bid,
    Evening,
    Event,
    Finished,
    Keep,
    Kept,
    Passed,
    Patch,
    Patched,
    Play,
    Played,
    Resigned,
    Result,
    Revealed,
    Rework,
    Reworked,
    Score,
    Settled,
    Shown,
    Started,
    Take,
    Took,
    Weave,
    Woven,
)
from service.engine.kilim.carpet import NAMES, NEIGHBOURS, SQUARES, Place, Square
from service.engine.kilim.pieces import DAYS, DOMINOES, MOTIFS, PERFECT_DOMINOES, SPECIALS, TOKENS, Card, Piles
from service.engine.kilim.state import WEAVINGS, Weaving
from service.engine.kilim.view import write_result

MOST_GOLD: Final = 15
MOST_ROUNDS: Final = DAYS * MOST_GOLD
MOST_POINTS: Final = 1000

# Values that several objects contain

motif: Final = one_of(MOTIFS)
token: Final = one_of(TOKENS)
gold: Final = number(1, MOST_GOLD)
round_number: Final = number(1, MOST_ROUNDS)
_special: Final = one_of(SPECIALS)
_day: Final = number(1, DAYS)
_reason: Final = one_of(("days_over", "last_standing"))
_fate: Final = one_of(("won", "carried", "lost"))
_known_dominoes: Final = frozenset(DOMINOES)


def domino(value: object, where: str) -> str:
    """Read the name of a domino."""
    if not isinstance(value, str) or value not in _known_dominoes:
        refuse(where, "a domino such as BE1, BX or OO1", value)
    return value


def card(value: object, where: str) -> Card:
    """Read a card: gold or a special card."""
    return _special(value, where) if isinstance(value, str) else gold(value, where)


def square(value: object, where: str) -> Square:
    """Read the name of a square."""
    if not isinstance(value, str) or value not in SQUARES:
        refuse(where, "a square from a1 to y25", value)
    return SQUARES[value]


def place(value: object, where: str) -> Place:
    """Read the squares of a domino's first and second half."""
    first, second = list_of(square, 2, 2)(value, where)
    if second not in NEIGHBOURS[first]:
        refuse(where, "two squares that share an edge", value)
    return first, second


def _piece(value: object, where: str) -> str:
    return motif(value, where) if value in MOTIFS else domino(value, where)


def _rework_squares(piece: str, token_name: str) -> Reader[tuple[Square, ...]]:
    """The squares of a piece that is turned or moved; none if it is removed."""
    if token_name == "remove":  # noqa: S105 - an artisan's token
        return list_of(square, 0, 0)
    return list_of(square, 1, 1) if piece in MOTIFS else place


def write_squares(squares: tuple[Square, ...]) -> list[str]:
    """Write the names of some squares."""
    return [NAMES[each] for each in squares]


# Options


def read_options(value: object, where: str = "options") -> Weaving:
    """Read the options and fill in the default; raises `Malformed`."""
    fields = Fields(value, where)
    weaving = fields.take_or("weaving", one_of(WEAVINGS), WEAVINGS[0])
    fields.end()
    return weaving


# Actions


class ActionCodec:
    """JSON of actions."""

    def read(self, value: object) -> Action:
        """Read an action; raises `Malformed`."""
        fields = Fields(value, "action")
        action = _ACTION_READERS[fields.take("type", _action_type)](fields)
        fields.end()
        return action

    def write(self, value: Action) -> Json:
        """Write an action."""
        match value:
            case Play():
                return {"type": "play", "card": value.card}
            case Weave():
                first, second = value.squares
                return {"type": "weave", "domino": value.domino, "squares": [NAMES[first], NAMES[second]]}
            case Rework():
                squares = write_squares(value.squares)
                return {"type": "rework", "token": value.token, "piece": value.piece, "squares": squares}
            case Patch():
                return {"type": "patch", "scrap": value.scrap, "square": NAMES[value.square]}
            case Bid():
                return {"type": "bid", "gold": value.gold}
            case Keep():
                return {"type": "keep", "scrap": value.scrap}
            case Take():
                return {"type": "take", "token": value.token}
        return {"type": value.type}


def _read_rework(fields: Fields) -> Rework:
    used, piece = fields.take("token", token), fields.take("piece", _piece)
    return Rework(used, piece, fields.take("squares", _rework_squares(piece, used)))


_ACTION_READERS: Final[dict[str, Callable[[Fields], Action]]] = {
    "play": lambda fields: Play(fields.take("card", card)),
    "bid": lambda fields: Bid(fields.take("gold", gold)),
    "weave": lambda fields: Weave(fields.take("domino", domino), fields.take("squares", place)),
    "keep": lambda fields: Keep(fields.take("scrap", motif)),
    "take": lambda fields: Take(fields.take("token", token)),
    "patch": lambda fields: Patch(fields.take("scrap", motif), fields.take("square", square)),
    "rework": _read_rework,
    "pass": lambda _: PASS,
    "resign": lambda _: RESIGN,
}
_action_type: Final = one_of(tuple(_ACTION_READERS))


# Events


def write_event(event: Event) -> Json:
    """Write an event with all its fields; those that are hidden are left out."""
    if isinstance(event, Finished):
        return {"type": event.type, "result": write_result(event.result)}
    value: Json = {"type": event.type}
    hidden = _HIDDEN.get(event.type, ())
    fields: dict[str, Any] = dict(zip(event._fields[:-1], event, strict=False))
    for name, entry in fields.items():
        if entry is None and name in hidden:
            continue
        if name in {"squares", "square"}:
            value[name] = write_squares(entry) if name == "squares" else NAMES[entry]
        else:
            value[name] = _plain(entry)
    return value


_HIDDEN: Final = {"started": ("piles", "aside"), "played": ("card",), "bid": ("gold",), "kept": ("scrap",)}
"""The fields that may be hidden, by type of event."""


def _plain(value: Any) -> Any:
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def read_event(value: object, seats: int) -> Event:
    """Read an event; raises `Malformed`."""
    fields = Fields(value, "event")
    kind = fields.take("type", _event_type)
    event = _EVENT_READERS[kind](fields, number(0, seats - 1), seats)
    fields.end()
    return event


def _by_seat(read_one: Reader[Any], seats: int) -> Reader[tuple[Any, ...]]:
    return list_of(or_null(read_one), seats, seats)


def _piles(groups: int) -> Reader[Piles | None]:
    return list_of(list_of(domino, 0, len(DOMINOES)), groups, groups)


def _read_started(fields: Fields, seat: Reader[int], seats: int) -> Event:
    piles, aside = fields.take_or("piles", _piles(DAYS), None), fields.take_or("aside", _piles(DAYS + 1), None)
    if (piles is None) != (aside is None):
        raise Malformed("event.piles and event.aside must both be there, or neither.")
    return Started(piles, aside)


def _read_auctioned(fields: Fields, seat: Reader[int], seats: int) -> Event:
    event = Auctioned(
        fields.take("round", round_number),
        fields.take("gold", _by_seat(gold, seats)),
        fields.take("winner", or_null(seat)),
        fields.take("dominoes", list_of(domino, 1, MOST_GOLD)),
        fields.take("fate", _fate),  # type: ignore[arg-type]
    )
    if (event.winner is None) == (event.fate == "won"):
        refuse("event.fate", "carried or lost" if event.winner is None else "won", event.fate)
    return event


def _read_settled(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Settled(
        fields.take("round", round_number),
        fields.take("gold", _by_seat(gold, seats)),
        fields.take("short", list_of(seat, 0, seats)),
        fields.take("bag", or_null(seat)),
        fields.take("artisan", or_null(seat)),
    )


def _read_revealed(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Revealed(
        fields.take("round", round_number),
        fields.take("day", _day),
        fields.take("domino", domino),
        fields.take("offer", list_of(domino, 1, MOST_GOLD)),
    )


def _read_played(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Played(fields.take("seat", seat), fields.take("round", round_number), fields.take_or("card", card, None))


def _read_bid(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Bade(fields.take("seat", seat), fields.take("round", round_number), fields.take_or("gold", gold, None))


def _read_took(fields: Fields, seat: Reader[int], seats: int) -> Event:
    taken = fields.take("token", token)
    with_it = fields.take("domino", or_null(one_of(PERFECT_DOMINOES)))
    if (with_it is not None) != (taken == "perfect"):
        refuse("event.domino", "null" if with_it else "a perfect domino", with_it)
    return Took(fields.take("seat", seat), taken, with_it)


def _read_reworked(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Reworked(fields.take("seat", seat), *_read_rework(fields)[:3])


def _read_woven(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Woven(fields.take("seat", seat), fields.take("domino", domino), fields.take("squares", place))


def _read_patched(fields: Fields, seat: Reader[int], seats: int) -> Event:
    return Patched(fields.take("seat", seat), fields.take("scrap", motif), fields.take("square", square))


_EVENT_READERS: Final[dict[str, Callable[[Fields, Reader[int], int], Event]]] = {
    "started": _read_started,
    "revealed": _read_revealed,
    "played": _read_played,
    "shown": lambda fields, _, seats: Shown(
        fields.take("round", round_number), fields.take("cards", _by_seat(card, seats))
    ),
    "bid": _read_bid,
    "auctioned": _read_auctioned,
    "settled": _read_settled,
    "kept": lambda fields, seat, _: Kept(fields.take("seat", seat), fields.take_or("scrap", motif, None)),
    "took": _read_took,
    "woven": _read_woven,
    "patched": _read_patched,
    "reworked": _read_reworked,
    "evening": lambda fields, *_: Evening(fields.take("day", _day)),
    "passed": lambda fields, seat, _: Passed(fields.take("seat", seat)),
    "resigned": lambda fields, seat, _: Resigned(fields.take("seat", seat)),
    "finished": lambda fields, _, seats: Finished(fields.take("result", read_result(seats))),
}
_event_type: Final = one_of(tuple(_EVENT_READERS))


# Results


def read_result(seats: int) -> Reader[Result]:
    """Make a reader for the result of a game with this many seats."""
    seat = number(0, seats - 1)

    def read(value: object, where: str) -> Result:
        fields = Fields(value, where)
        result = Result(
            fields.take("winners", list_of(seat, 1, seats)),
            fields.take("ranking", list_of(seat, seats, seats)),
            tuple(
                _read_score(score, place, f"{where}.scores[{place}]")
                for place, score in enumerate(fields.take("scores", list_of(_anything, seats, seats)))
            ),
            fields.take("reason", _reason),  # type: ignore[arg-type]
        )
        fields.end()
        if len(set(result.ranking)) != seats:
            refuse(f"{where}.ranking", "a list of all seats", list(result.ranking))
        if result.winners != result.ranking[: len(result.winners)]:
            refuse(f"{where}.winners", "the first of the ranking", list(result.winners))
        return result

    return read


def _anything(value: object, where: str) -> object:
    return value


def _read_score(value: object, seat: int, where: str) -> Score:
    fields, points = Fields(value, where), number(-MOST_POINTS, MOST_POINTS)
    score = Score(
        fields.take("seat", one_of((seat,))),
        fields.take("rectangle", points),
        fields.take("motifs", points),
        fields.take("groups", points),
        fields.take("largest", points),
        fields.take("torn", points),
        fields.take("squares", points),
        fields.take("out", flag),
    )
    total = fields.take("total", points)
    fields.end()
    if total != score.total:
        refuse(f"{where}.total", f"the sum of the points, {score.total}", total)
    if score.out and score != Score(seat, 0, 0, 0, 0, 0, 0, out=True):
        raise Malformed(f"{where} must have no points, because this seat is out.")
    return score
