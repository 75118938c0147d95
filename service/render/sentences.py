"""A position in words, for those who cannot see the picture."""

from service.engine.reading import Json
from service.render.names import clean, seat_name


def in_short(view: Json) -> str:
    """The position in one line."""
    assam = view["assam"]
    name = clean(view["name"]) or "Marrakech"
    return f"{name}: Assam on {assam['at']}, facing {assam['facing']}"


def in_words(view: Json) -> str:
    """The position in a few sentences: Assam, the last roll, the players and the rugs."""
    assam, roll = view["assam"], view["last_roll"]
    walked = f" Last roll: {roll['die']}, by way of {', '.join(roll['path'])}." if roll and roll["path"] else ""
    seats = " ".join(_standing(seat) for seat in view["seats"])
    return f"Assam stands on {assam['at']} and faces {assam['facing']}.{walked} {seats} {_rugs(view['board'])}"


def _standing(seat: Json) -> str:
    who = f"{seat_name(seat)} ({' and '.join(seat['colours'])})"
    if seat["out"]:
        return f"{who} is out."
    return f"{who} has {seat['dirhams']} dirhams and {seat['visible']} squares."


def _rugs(board: Json) -> str:
    shown: dict[str, list[str]] = {}
    for square, rug in sorted(board.items()):
        kind = f"neutral {rug['colour']}" if rug["neutral"] else rug["colour"]
        shown.setdefault(kind, []).append(square)
    if not shown:
        return "No rug has been laid yet."
    return " ".join(f"{kind.capitalize()} shows on {', '.join(squares)}." for kind, squares in sorted(shown.items()))
