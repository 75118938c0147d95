"""A whole game as one SVG that moves: to be downloaded, kept, and looked at in any browser."""

from typing import Any, Final
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.engine.records import Record, build_view
from service.ui.marrakech.alt_text import Say, in_words
from service.ui.marrakech.geometry import MARGIN
from service.ui.marrakech.ground import GROUND, SIZE, TILES
from service.ui.marrakech.names import clean
from service.ui.marrakech.payment import drawn_payment
from service.ui.marrakech.reel import Piece, Reel
from service.ui.marrakech.rugs import Rug, drawn_rugs, rugs_of, woven
from service.ui.marrakech.scoreboard import board_height, drawn_die, drawn_frame, drawn_seat, drawn_turn
from service.ui.marrakech.tracks import DOORS_DRAWN, TRACKS_DRAWN
from service.ui.marrakech.walker import Walker

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
"""How many seconds one looks at what came of an event."""


def game_svg(record: Record, say: Say = str) -> str:
    """The game of a record, from its first event to its last and then from the start again."""
    return _Film(record).shot(say)


class _Film:
    """Goes through the events of a game, and notes what is to be seen from when on."""

    def __init__(self, record: Record) -> None:
        self._heading = record.heading
        self._events = [record.heading.rules.events.write(entry.event) for entry in record.entries]
        self._views = [self._view(state, head) for head, state in enumerate(record.states())]
        self._reel, self._rugs, self._now = Reel(), set[Rug](), 0.0
        self._paid: list[str] = []
        self._die: int | None = None

    def _view(self, state: Any, head: int) -> Json:
        return build_view(self._heading, state, head, None)

    def shot(self, say: Say) -> str:
        assam = next((event["assam"] for event in self._events if "assam" in event), self._views[0]["assam"])
        walker = Walker(assam)
        self._reel.cut(0, self._pieces(self._views[0], say))
        for event, view in zip(self._events, self._views[1:], strict=True):
            self._happen(event, walker)
            self._reel.cut(self._now, self._pieces(view, say))
            self._now += _PAUSES[event["type"]]
        return self._developed(walker, say)

    def _happen(self, event: Json, walker: Walker) -> None:
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

    def _pieces(self, view: Json, say: Say) -> list[Piece]:
        """What the picture is made of at this moment, besides Assam."""
        rugs = rugs_of(view["board"])
        self._rugs.update(rugs)
        pieces = [Piece(0, rug.number, drawn_rugs([rug])) for rug in rugs]
        pieces += [Piece(1, 0, drawn_payment(self._paid))] if self._paid else []
        pieces += [Piece(2, seat["seat"], drawn_seat(view, seat, say)) for seat in view["seats"]]
        pieces.append(Piece(3, 0, drawn_turn(view, say)))
        return [*pieces, Piece(4, 0, drawn_die(self._die))] if self._die else pieces

    def _developed(self, walker: Walker, say: Say) -> str:
        length, last = round(max(self._now, 1.0), 2), self._views[-1]
        name = clean(self._heading.name) or "Marrakech"
        height = SIZE + board_height(len(last["seats"]))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {SIZE} {height}" role="img"'
            f' aria-labelledby="game-title game-words"><title id="game-title">{escape(name)}</title>'
            f'<desc id="game-words">{escape(in_words(last, say))}</desc>'
            f"<defs>{TILES}{woven(self._rugs)}</defs>{GROUND}{TRACKS_DRAWN}{DOORS_DRAWN}"
            f"{drawn_frame(name, last, say)}{self._reel.wound(length)}{walker.drawn(length)}</svg>\n"
        )
