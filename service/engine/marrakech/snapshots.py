"""JSON of a state, which the store keeps as a snapshot.

A snapshot is written with every action, so board and piles are compact: two hexadecimal digits for each square, and a
letter for each rug of a pile.
"""

import re
from typing import Final

from service.engine.errors import Malformed
from service.engine.json_reader import Fields, Json, list_of, number, one_of, or_null, refuse, text
from service.engine.marrakech.board import FACES, NAMES, SQUARES
from service.engine.marrakech.codecs import (
    MOST_ROLLS,
    assam,
    check_piles,
    read_options,
    read_result,
    square,
    write_options,
    write_result,
    write_squares,
)
from service.engine.marrakech.state import (
    BARE,
    COLOURS,
    MOST_RUGS,
    PHASES,
    PURSE,
    RUGS_EACH,
    SEATS,
    Piles,
    State,
    colour_of,
    one_colour_piles,
    rug_of,
)

FORMAT: Final = "marrakech-state/2"
_BOARD: Final = re.compile(f"[0-9a-f]{{{2 * len(BARE)}}}")
_INITIALS: Final = "".join(colour[0] for colour in COLOURS)


class StateCodec:
    """JSON of states."""

    def write(self, value: State) -> Json:
        """Write a state, secret fields included."""
        return {
            "format": FORMAT,
            "options": write_options(value.options),
            "seats": value.seats,
            "piles": _write_piles(value.piles) if value.seats == 2 and value.piles else None,
            "turn": value.turn,
            "mover": value.mover,
            "phase": value.phase,
            "assam": {"at": NAMES[value.assam], "facing": value.facing},
            "dirhams": list(value.dirhams),
            "rugs_left": list(value.rugs_left),
            "laid": value.laid,
            "board": value.top.hex(),
            "out": list(value.out),
            "rolls": value.rolls,
            "die": value.die,
            "path": write_squares(value.path),
            "result": write_result(value.result) if value.result else None,
        }

    def read(self, value: object) -> State:
        """Read a state; raises `Malformed`."""
        fields = Fields(value, "state")
        fields.take("format", one_of((FORMAT,)))
        seats = fields.take("seats", number(SEATS.start, SEATS.stop - 1))
        seat = number(0, seats - 1)
        at, facing = fields.take("assam", assam)
        top = fields.take("board", _read_board)
        out = fields.take("out", list_of(seat, 0, seats - 1))
        if len(set(out)) != len(out):
            refuse("state.out", "a list of different seats", list(out))
        state = State(
            options=fields.take("options", lambda options, where: read_options(options, seats, where)),
            seats=seats,
            piles=_take_piles(fields, seats),
            turn=fields.take("turn", number(1, MOST_ROLLS)),
            mover=fields.take("mover", seat),
            phase=fields.take("phase", one_of(PHASES)),
            assam=at,
            facing=facing,
            dirhams=fields.take("dirhams", list_of(number(0, PURSE * seats), seats, seats)),
            rugs_left=fields.take("rugs_left", list_of(number(0, RUGS_EACH[seats]), seats, seats)),
            laid=fields.take("laid", number(0, MOST_RUGS)),
            top=top,
            shown=_find_shown(top),
            out=out,
            rolls=fields.take("rolls", number(0, MOST_ROLLS)),
            die=fields.take("die", or_null(one_of(sorted(set(FACES))))),
            path=fields.take("path", list_of(square, 0, max(FACES))),
            result=fields.take("result", or_null(read_result(seats))),
        )
        fields.end()
        return state


def _take_piles(fields: Fields, seats: int) -> Piles | None:
    if seats == 2:
        return fields.take("piles", or_null(_read_piles))
    if fields.take("piles", lambda value, _: value) is not None:
        raise Malformed("state.piles must be null where each seat has one colour.")
    return one_colour_piles(seats)


def _write_piles(piles: Piles) -> list[str]:
    return ["".join(_INITIALS[colour] for colour in pile) for pile in piles]


def _read_piles(value: object, where: str) -> Piles:
    letters = list_of(text(RUGS_EACH[2]), 2, 2)(value, where)
    for pile in letters:
        if not set(pile) <= set(_INITIALS):
            refuse(where, f"letters out of {_INITIALS}", pile)
    return check_piles(tuple(tuple(map(_INITIALS.index, pile)) for pile in letters), where)


def _read_board(value: object, where: str) -> bytes:
    if not isinstance(value, str) or not _BOARD.fullmatch(value):
        refuse(where, f"{2 * len(BARE)} hexadecimal digits", value)
    top = bytes.fromhex(value)
    for at, rug in enumerate(top):
        if rug and (at not in NAMES or not 1 <= rug_of(rug) <= MOST_RUGS):
            refuse(where, f"a rug from 1 to {MOST_RUGS} on each square that is not bare", value)
    return top


def _find_shown(top: bytes) -> tuple[int, ...]:
    """Compute the mask of visible squares for each colour."""
    return tuple(
        sum(1 << at for at in SQUARES if top[at] and colour_of(top[at]) == colour) for colour in range(len(COLOURS))
    )
