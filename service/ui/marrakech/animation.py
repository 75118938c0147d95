"""A whole game as one animated SVG (SMIL), to be downloaded and looked at in any browser."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.engine.marrakech.board import Facing, Square, read_square, step
from service.engine.records import Record, build_view
from service.i18n import Gettext
from service.text import clean, pad_or_truncate
from service.ui.marrakech.alt_text import in_words
from service.ui.marrakech.board_svg import ASSAM, draw_payment
from service.ui.marrakech.empty_board import DOORS, GROUND, TILES, TRACK_LINES
from service.ui.marrakech.geometry import ANGLES, BOARD, MARGIN, SIZE, middle, step_points
from service.ui.marrakech.palette import AUBERGINE, CLAY, CREAM, DYES, INK
from service.ui.marrakech.rugs import Rug, define_rugs, draw_rugs, visible_rugs
from service.ui.tables import seat_name

_PAUSES: Final = {
    "started": 1.0,
    "faced": 0.35,
    "rolled": 0.5,
    "moved": 0.2,
    "paid": 1.0,
    "eliminated": 0.8,
    "laid": 0.6,
    "turned": 0.4,
    "resigned": 0.8,
    "finished": 6.0,
}
"""Seconds for which the result of an event is shown."""
_PACE: Final = 130.0
"""Assam's speed in units per second."""
_TOP: Final = BOARD + MARGIN + 6
_HEAD: Final = 26
_LINE: Final = 20
_NAME: Final = 24
"""The number of characters of a name that are shown."""
_NUMBERS: Final = (196, 258, BOARD + 22)
"""The right edges of the dirhams, the squares and the totals."""
_STAR: Final = "l1.8 4 4.2.4-3.2 2.8 1 4.2-3.8-2.2-3.8 2.2 1-4.2-3.2-2.8 4.2-.4z"
_PIPS: Final = {1: "M0 0h0", 2: "M-4-4h0M4 4h0", 3: "M-4-4h0M0 0h0M4 4h0", 4: "M-4-4h0M4 4h0M4-4h0M-4 4h0"}


# Pieces that are shown and hidden


class _Piece(NamedTuple):
    """A piece of the drawing; those with a higher layer and order are drawn over the others."""

    layer: int
    order: int
    drawing: str


class _Timeline:
    """Remembers from when to when each piece is visible."""

    def __init__(self) -> None:
        self._since: dict[_Piece, float] = {}
        self._shown: dict[_Piece, list[tuple[float, float]]] = {}

    def show(self, at: float, pieces: Iterable[_Piece]) -> None:
        """From this moment on exactly these pieces are visible."""
        now = dict.fromkeys(pieces, at)
        for piece in self._since.keys() - now.keys():
            self._shown.setdefault(piece, []).append((self._since[piece], at))
        self._since = {piece: self._since.get(piece, at) for piece in now}

    def draw(self, length: float) -> str:
        """Draw all pieces with their times; without animation, as on paper, the last picture is visible."""
        last = self._since
        self.show(length, ())
        return "".join(_timed(piece, self._shown[piece], length, piece in last) for piece in sorted(self._shown))


def _timed(piece: _Piece, stretches: Sequence[tuple[float, float]], length: float, stays: bool) -> str:
    turns = [(moment, value) for start, end in stretches for moment, value in ((start, "1"), (end, "0"))]
    begins = [(0.0, "0")] if turns[0][0] > 0 else []
    if turns[-1][0] >= length:
        turns = turns[:-1]
    if not begins and len(turns) == 1:
        return piece.drawing
    look = "" if stays else ' opacity="0"'
    return f"<g{look}>{_animate('opacity', [*begins, *turns], length, 'discrete')}{piece.drawing}</g>"


def _animate(attribute: str, keys: Sequence[tuple[float, str]], length: float, mode: str, kind: str = "") -> str:
    """An attribute that takes these values at these times, over and over; with a `kind` it is a transform."""
    tag, sort = ("animateTransform", f' type="{kind}"') if kind else ("animate", "")
    times = ";".join(_share(moment / length) for moment, _ in keys)
    return (
        f'<{tag} attributeName="{attribute}"{sort} values="{";".join(value for _, value in keys)}" keyTimes="{times}"'
        f' calcMode="{mode}" dur="{length:g}s" repeatCount="indefinite"/>'
    )


def _share(part: float) -> str:
    return f"{part:.5f}".rstrip("0").rstrip(".")


# Assam


class _Walker:
    """Follows Assam through a game: where he is and which way he faces at every moment."""

    def __init__(self, assam: Json) -> None:
        self._square: Square = read_square(assam["at"])
        self._facing: Facing = assam["facing"]
        self._positions = [(0.0, str(middle(self._square)))]
        self._angles = [(0.0, str(ANGLES[self._facing]))]

    def face(self, at: float, facing: Facing) -> None:
        """Let him face this way from this moment on."""
        if facing != self._facing:
            self._facing = facing
            self._angles.append((at, str(ANGLES[facing])))

    def walk(self, at: float, steps: int) -> float:
        """Let him walk a number of squares; returns the moment of his arrival."""
        for _ in range(steps):
            self._positions.append((at, self._positions[-1][1]))
            for (x, y), length in step_points(self._square, self._facing):
                at += length / _PACE
                self._positions.append((at, f"{x:.4g} {y:.4g}"))
            self._square, facing = step(self._square, self._facing)
            self.face(at, facing)
        return at

    def draw(self, length: float) -> str:
        """Draw Assam with all his walks; without animation he stands on the last square."""
        positions = [*self._positions, (length, self._positions[-1][1])]
        walks = _animate("transform", positions, length, "linear", "translate")
        turns = _animate("transform", self._angles, length, "discrete", "rotate")
        return (
            f'<g transform="translate({positions[-1][1]})">{walks}<g transform="rotate({self._angles[-1][1]})"'
            f' stroke="{INK}" stroke-linejoin="round">{turns}{ASSAM}</g></g>'
        )


# The game


def game_svg(record: Record, say: Gettext = str) -> str:
    """Draw the game of a record, from its first event to its last, over and over."""
    return _Animation(record).draw(say)


class _Animation:
    """Goes through the events of a game and notes when each piece of the picture is visible."""

    def __init__(self, record: Record) -> None:
        self._heading = record.heading
        self._events = [record.heading.rules.events.write(entry.event) for entry in record.entries]
        self._views = [self._view(state, head) for head, state in enumerate(record.states())]
        self._timeline, self._rugs, self._now = _Timeline(), set[Rug](), 0.0
        self._paid: list[str] = []
        self._die: int | None = None

    def _view(self, state: Any, head: int) -> Json:
        return build_view(self._heading, state, head, None)

    def draw(self, say: Gettext) -> str:
        assam = next((event["assam"] for event in self._events if "assam" in event), self._views[0]["assam"])
        walker = _Walker(assam)
        self._timeline.show(0, self._pieces(self._views[0], say))
        for event, view in zip(self._events, self._views[1:], strict=True):
            self._apply(event, walker)
            self._timeline.show(self._now, self._pieces(view, say))
            self._now += _PAUSES[event["type"]]
        return self._assemble(walker, say)

    def _apply(self, event: Json, walker: _Walker) -> None:
        match event["type"]:
            case "rolled":
                self._die = event["die"]
            case "moved":
                self._now = walker.walk(self._now, len(event["path"]))
            case "paid":
                self._paid = event["squares"]
            case "laid":
                self._paid = []
            case "faced" | "turned":
                walker.face(self._now, event["facing"])

    def _pieces(self, view: Json, say: Gettext) -> list[_Piece]:
        """The pieces of the picture at this moment, except Assam."""
        rugs = visible_rugs(view["board"])
        self._rugs.update(rugs)
        pieces = [_Piece(0, rug.number, draw_rugs([rug])) for rug in rugs]
        pieces += [_Piece(1, 0, draw_payment(self._paid))] if self._paid else []
        pieces += [_Piece(2, seat["seat"], _draw_seat(view, seat, say)) for seat in view["seats"]]
        pieces.append(_Piece(3, 0, _draw_turn(view, say)))
        return [*pieces, _Piece(4, 0, _draw_die(self._die))] if self._die else pieces

    def _assemble(self, walker: _Walker, say: Gettext) -> str:
        length, last = round(max(self._now, 1.0), 2), self._views[-1]
        name = clean(self._heading.name) or "Marrakech"
        height = SIZE + _scoreboard_height(len(last["seats"]))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {SIZE} {height}" role="img"'
            f' aria-labelledby="game-title game-words"><title id="game-title">{escape(name)}</title>'
            f'<desc id="game-words">{escape(in_words(last, say))}</desc>'
            f"<defs>{TILES}{define_rugs(self._rugs)}</defs>{GROUND}{TRACK_LINES}{DOORS}"
            f"{_draw_scoreboard(name, last, say)}{self._timeline.draw(length)}{walker.draw(length)}</svg>\n"
        )


# The players below the board


def _scoreboard_height(seats: int) -> int:
    """The height of the players' names and numbers below the board."""
    return 6 + 2 * _HEAD + _LINE * seats


def _text(x: float, y: float, words: str, anchor: str = "start", look: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{look}>{escape(words)}</text>'


def _baseline(seat: int) -> int:
    return _TOP + 2 * _HEAD + _LINE * seat + 6


def _draw_scoreboard(name: str, view: Json, say: Gettext) -> str:
    """Draw what doesn't change: the background, the name of the table, the players and the headings."""
    height = _scoreboard_height(len(view["seats"])) - 6
    title = pad_or_truncate(name, 2 * _NAME).rstrip()
    heads = zip(_NUMBERS, (say("Dirhams"), say("Squares"), say("Total")), strict=True)
    return (
        f'<rect x="-{MARGIN}" y="{_TOP}" width="{SIZE}" height="{height}" rx="10" fill="{CREAM}" stroke="{CLAY}"/>'
        f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">'
        + _text(-28, _TOP + 18, title, look=' font-weight="bold"')
        + "".join(_text(x, _TOP + 38, head, "end", ' font-size="10"') for x, head in heads)
        + "".join(_text(-6, _baseline(seat["seat"]), _short(seat)) + _chips(seat) for seat in view["seats"])
        + "</g>"
    )


def _short(seat: Json) -> str:
    return pad_or_truncate(seat_name(seat), _NAME).rstrip()


def _chips(seat: Json) -> str:
    """The colours of a seat, one below the other."""
    y, height = _baseline(seat["seat"]) - 10, 12 // len(seat["colours"])
    return "".join(
        f'<rect x="-22" y="{y + place * height}" width="11" height="{height}" fill="{DYES[colour].fill}"'
        f' stroke="{INK}" stroke-width=".8"/>'
        for place, colour in enumerate(seat["colours"])
    )


def _draw_seat(view: Json, seat: Json, say: Gettext) -> str:
    """Draw a player's numbers, with a triangle for a player to act and a star for a winner."""
    y, numbers = _baseline(seat["seat"]), (seat["dirhams"], seat["visible"], seat["total"])
    shown = "".join(_text(x, y, str(number), "end") for x, number in zip(_NUMBERS, numbers, strict=True))
    if seat["out"]:
        shown = _text(_NUMBERS[0], y, say("out"), "end")
    return f'<g font-family="system-ui,sans-serif" font-size="12" fill="{INK}">{_mark(view, seat, y)}{shown}</g>'


def _mark(view: Json, seat: Json, y: int) -> str:
    if view["result"] and seat["seat"] in view["result"]["winners"]:
        return f'<path d="M-30 {y - 10}{_STAR}" fill="{AUBERGINE}"/>'
    if seat["seat"] in view["to_act"]:
        return f'<path d="M-34 {y - 9}l8 5-8 5z" fill="{AUBERGINE}"/>'
    return ""


def _draw_turn(view: Json, say: Gettext) -> str:
    """Draw the number of the turn."""
    words = say("Turn %(turn)s") % {"turn": view["turn"]}
    look = f' font-family="system-ui,sans-serif" font-size="12" fill="{INK}"'
    return _text(BOARD + 2, _TOP + 18, words, "end", look)


def _draw_die(die: int) -> str:
    """Draw the last roll."""
    return (
        f'<g transform="translate({BOARD + 20} {_TOP + 14})" stroke="{INK}"><rect x="-9" y="-9" width="18" height="18"'
        f' rx="4" fill="#fff"/><path d="{_PIPS[die]}" stroke-width="4" stroke-linecap="round"/></g>'
    )
