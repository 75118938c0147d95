"""Carpets as one self-contained SVG picture: all of them small, or one large with named squares, and what is on offer.

The picture has its own ground, so it looks the same on light and dark pages and in print. Names are the only text; the
rest of the lettering is drawn, because a PNG is drawn without fonts.
"""

from collections.abc import Iterable, Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.engine.kilim.carpet import COLUMNS, FIRST_PLACE, SIZE, place_name
from service.engine.kilim.pieces import MOTIFS
from service.text import clean, pad_or_truncate
from service.ui.kilim.carpets import (
    Point,
    cell_of,
    define_pieces,
    draw_carpet,
    draw_domino,
    draw_groups,
    draw_scrap,
    find_groups,
    middle,
    name_domino,
    read_dominoes,
)
from service.ui.kilim.motifs import SIDE
from service.ui.kilim.palette import (
    CREAM,
    INK,
    KNOT,
    LOOM,
    MINT,
    MOSAIC,
    SAFFRON,
    SEAT_COLOURS,
    TEAL,
    THREAD,
    WALL,
    WALL_EDGE,
    WARP,
)
from service.ui.lettering import PEN, draw_label

IDS: Final = "kilim"
"""How every id in a picture begins, unless a page with several pictures chooses others."""
FIRST_SQUARES: Final = tuple(place_name(FIRST_PLACE).split("-"))
_MARGIN: Final = 2
"""Squares around a large carpet: every place for a domino is within them."""
_FRAME: Final = 26
"""The width of the frame, in which the names of columns and rows stand."""
_HEAD: Final = 30
"""The height of the line with a player's name and points."""
_GAP: Final = 14
_TILE: Final = Point(240, 200)
"""The size of a small carpet's loom."""
_SQUARE: Final = Point(220, 220)
"""The size of the loom in a small picture."""
_EDGE: Final = 10
"""The width of the wall around it."""
_LARGEST: Final = 0.9
"""How large squares are there at most, beside those of a large carpet."""
_THREADS: Final = 8
"""The distance between the threads of a loom."""
_SIGN: Final = 36
"""The room to the left of a domino beside the loom, in which the first one has a sign."""
_BAND: Final = 48
"""The height of a row of such dominoes."""
NAME_SIZE: Final = 15
_LONGEST_NAME: Final = 18
_FONTS: Final = "Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'Noto Sans', 'DejaVu Sans', sans-serif"


class Crop(NamedTuple):
    """A part of a loom: its first column and row from the upper left corner, and how many of each."""

    column: int
    row: int
    columns: int
    rows: int

    @property
    def squares(self) -> list[str]:
        """The names of its squares, row by row."""
        return [
            f"{COLUMNS[column]}{SIZE - row}"
            for row in range(self.row, self.row + self.rows)
            for column in range(self.column, self.column + self.columns)
        ]


class Name(NamedTuple):
    """A player's name and where it stands: the left end of its middle line."""

    text: str
    at: Point


class Drawing(NamedTuple):
    """A picture without its names, which need a font."""

    width: float
    height: float
    defs: str
    body: str
    names: Sequence[Name] = ()
    squares: str = ""
    """Transparent areas for scripts, over everything else."""


def board_svg(
    view: Json,
    translations: NullTranslations,
    seat: int | None = None,
    *,
    title: str = "",
    words: str = "",
    groups: bool | None = None,
    ids: str = IDS,
) -> str:
    """Draw all carpets of a view, or that of one seat with its squares named and the legal places for a domino marked.

    `title` and `words` say what the picture shows. Groups are outlined once the game is over, unless `groups` says
    otherwise. A page with several pictures needs different `ids`.
    """
    drawing = draw_board(view, translations, seat, groups=groups, ids=ids)
    return wrap_drawing(drawing, title or clean(view["name"]), words, ids)


def carpet_svg(
    carpet: Json,
    title: str,
    words: str = "",
    *,
    groups: bool = True,
    places: Sequence[Sequence[str]] = (),
    crop: Crop | None = None,
    ids: str = IDS,
) -> str:
    """Draw one carpet in the form of a view, with its squares named and its groups outlined, for the rules."""
    shown = crop or frame_carpet(carpet, 1)
    drawing = _draw_large(carpet, shown, top=0, groups=groups, ids=ids, places=places)
    return wrap_drawing(drawing._replace(defs=_define([carpet], (), ids)), title, words, ids)


def square_svg(carpet: Json, title: str, words: str = "", *, ids: str = IDS) -> str:
    """Draw one carpet in the form of a view in a square without any names, for a small picture."""
    tile = _draw_tile(carpet, Point(_EDGE, _EDGE), _SQUARE, ids)
    width = height = _SQUARE.x + 2 * _EDGE
    body = f"{_draw_wall(width, height)}{tile}"
    return wrap_drawing(Drawing(width, height, _define([carpet], (), ids), body), title, words, ids)


def piece_svg(piece: str, title: str, *, ids: str = IDS) -> str:
    """Draw a domino such as `BE1`, or a scrap such as `star`, alone."""
    if piece in MOTIFS:
        defs, body, width = define_pieces((), (piece,), ids), draw_scrap(piece, Point(SIDE / 2, SIDE / 2), ids), SIDE
    else:
        defs = _define((), (piece,), ids)
        body, width = draw_domino(name_domino(piece), Point(SIDE / 2, SIDE / 2), ids), 2 * SIDE
    return wrap_drawing(Drawing(width, SIDE, defs, body), title, "", ids)


def wrap_drawing(drawing: Drawing, title: str, words: str, ids: str) -> str:
    """Make a document of a drawing. Squares are named from left to right, whatever the direction of the page."""
    names = "".join(
        f'<text x="{at.x:g}" y="{at.y + NAME_SIZE * 0.34:g}" unicode-bidi="plaintext">{escape(text)}</text>'
        for text, at in drawing.names
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width:g} {drawing.height:g}" role="img"'
        f' direction="ltr" aria-labelledby="{ids}-title {ids}-words"><title id="{ids}-title">{escape(title)}</title>'
        f'<desc id="{ids}-words">{escape(words)}</desc><defs>{drawing.defs}</defs>{drawing.body}{drawing.squares}'
        f'<g font-family="{_FONTS}" font-size="{NAME_SIZE}" font-weight="600" fill="{CREAM}">{names}</g></svg>\n'
    )


def draw_board(
    view: Json, translations: NullTranslations, seat: int | None = None, *, groups: bool | None = None, ids: str = IDS
) -> Drawing:
    """Draw all carpets, or one, without the names of the players."""
    outlined = bool(view["result"]) if groups is None else groups
    if seat is None:
        return _draw_all(view, translations, outlined, ids)
    return _draw_one(view, translations, seat, outlined, ids)


# One carpet


def _draw_one(view: Json, translations: NullTranslations, seat: int, groups: bool, ids: str) -> Drawing:
    own = view["seats"][seat]
    carpet, owed = own["carpet"], [*own["owes"]["weave"], *own["perfect"]]
    places = legal_places(view) if seat == view["you"] else []
    crop = frame_carpet(carpet, _MARGIN)
    width = crop.columns * SIDE + 2 * _FRAME
    band, band_height = _draw_band(view["offer"], owed, translations, width, _HEAD + 6, ids)
    drawing = _draw_large(carpet, crop, top=_HEAD + 6 + band_height, groups=groups, ids=ids, places=places)
    head, name = _draw_head(view, own, Point(_FRAME - 12, 6), width - 2 * _FRAME + 24)
    defs = _define([carpet], [*view["offer"], *owed], ids)
    return drawing._replace(defs=defs, body=f"{drawing.body}{band}{head}", names=[name])


def _draw_large(
    carpet: Json, crop: Crop, *, top: float, groups: bool, ids: str, places: Sequence[Sequence[str]] = ()
) -> Drawing:
    """Draw a carpet on its part of the loom in a frame with the names of columns and rows, below `top`."""
    width, height = crop.columns * SIDE + 2 * _FRAME, crop.rows * SIDE + 2 * _FRAME + top
    shift = Point(_FRAME - crop.column * SIDE, _FRAME + top - crop.row * SIDE)
    cords = draw_groups(find_groups(carpet)) if groups else ""
    body = (
        f"{_draw_wall(width, height)}{_draw_labels(crop, top)}"
        f'<g class="carpet" transform="translate({shift})">{_draw_loom(crop)}{_tint_places(places)}'
        f"{draw_carpet(carpet, ids)}{cords}{''.join(map(_mark_place, _pair_places(places)))}</g>"
    )
    return Drawing(width, height, "", body, squares=_draw_squares(crop, shift))


def frame_carpet(carpet: Json, margin: int) -> Crop:
    """The part of the loom that shows a carpet with a margin; on an empty loom, the first place with one."""
    columns, rows = zip(*(cell_of(square) for square in carpet or FIRST_SQUARES), strict=True)
    west, north = max(0, min(columns) - margin), max(0, min(rows) - margin)
    east, south = min(SIZE - 1, max(columns) + margin), min(SIZE - 1, max(rows) + margin)
    return Crop(west, north, east - west + 1, south - north + 1)


def _draw_labels(crop: Crop, top: float) -> str:
    """Write the names of the columns above and below the loom, those of the rows on both sides."""
    width, height = crop.columns * SIDE + 2 * _FRAME, crop.rows * SIDE + 2 * _FRAME + top
    half = _FRAME / 2
    labels = []
    for place in range(crop.columns):
        x = _FRAME + (place + 0.5) * SIDE
        labels += [(COLUMNS[crop.column + place], x, y) for y in (top + half, height - half)]
    for place in range(crop.rows):
        y = _FRAME + top + (place + 0.5) * SIDE
        labels += [(str(SIZE - crop.row - place), x, y) for x in (half, width - half)]
    drawn = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{CREAM}"/>{draw_label(text, x, y, 8 if len(text) == 1 else 7)}'
        for text, x, y in labels
    )
    return f'<g class="names" {PEN}>{drawn}</g>'


def _draw_squares(crop: Crop, shift: Point) -> str:
    """A transparent path over each square, for scripts."""
    paths = (
        f'<path data-square="{square}" d="M{column * SIDE} {row * SIDE}h{SIDE}v{SIDE}h-{SIDE}z"/>'
        for square in crop.squares
        for column, row in [cell_of(square)]
    )
    return f'<g class="squares" transform="translate({shift})" fill-opacity="0">{"".join(paths)}</g>'


# Places for a domino


def legal_places(view: Json) -> list[tuple[str, str]]:
    """The places where the view's seat can weave a domino, each once."""
    found = {tuple(action["squares"]): None for action in view["legal"] if action["type"] == "weave"}
    return [(first, second) for first, second in found]


def _pair_places(places: Iterable[Sequence[str]]) -> list[list[Sequence[str]]]:
    """The places, those with the same two squares together."""
    pairs: dict[frozenset[str], list[Sequence[str]]] = {}
    for place in places:
        pairs.setdefault(frozenset(place), []).append(place)
    return list(pairs.values())


def _tint_places(places: Iterable[Sequence[str]]) -> str:
    """Tint the free squares that a domino can cover."""
    cells = sorted({cell_of(square) for place in places for square in place})
    path = "".join(f"M{x * SIDE + 1} {y * SIDE + 1}h38v38h-38z" for x, y in cells)
    return path and f'<path class="free" d="{path}" fill="{MINT}"/>'


def _mark_place(orders: Sequence[Sequence[str]]) -> str:
    """Mark two squares that a domino can cover with a small domino over the edge between them."""
    one, other = (middle(square) for square in orders[0])
    x, y = (one.x + other.x) / 2, (one.y + other.y) / 2
    wide, high, line = (22, 10, "v10") if one.y == other.y else (10, 22, "h10")
    seam = f"M{x:g} {y - 5:g}{line}" if one.y == other.y else f"M{x - 5:g} {y:g}{line}"
    names = " ".join("-".join(order) for order in orders)
    return (
        f'<g class="place" data-places="{names}" fill="{CREAM}" stroke="{TEAL}" stroke-width="1.6">'
        f'<rect x="{x - wide / 2:g}" y="{y - high / 2:g}" width="{wide}" height="{high}" rx="2.5"/>'
        f'<path d="{seam}"/></g>'
    )


# All carpets


def _draw_all(view: Json, translations: NullTranslations, groups: bool, ids: str) -> Drawing:
    carpets = [seat["carpet"] for seat in view["seats"]]
    width = 2 * _TILE.x + 3 * _GAP
    band, top = _draw_band(view["offer"], (), translations, width, _GAP, ids)
    top += _GAP if view["offer"] else 6
    tiles, names = [], []
    for place, seat in enumerate(view["seats"]):
        line, side = divmod(place, 2)
        is_alone = side == 0 and place == len(carpets) - 1
        x = (width - _TILE.x) / 2 if is_alone else _GAP + side * (_TILE.x + _GAP)
        y = top + line * (_HEAD + _TILE.y + _GAP)
        head, name = _draw_head(view, seat, Point(x, y), _TILE.x)
        loom = _draw_tile(seat["carpet"], Point(x, y + _HEAD), _TILE, ids, groups=groups, faded=seat["out"])
        tiles.append(f'<g class="seat" data-seat="{seat["seat"]}">{head}{loom}</g>')
        names.append(name)
    height = top + -(-len(carpets) // 2) * (_HEAD + _TILE.y + _GAP)
    body = f"{_draw_wall(width, height)}{band}{''.join(tiles)}"
    return Drawing(width, height, _define(carpets, view["offer"], ids), body, names)


def _draw_tile(carpet: Json, at: Point, size: Point, ids: str, *, groups: bool = False, faded: bool = False) -> str:
    """Draw a small carpet in the middle of its loom, as large as it fits."""
    crop = frame_carpet(carpet, 0)
    scale = min(_LARGEST, size.x / (crop.columns + 0.5) / SIDE, size.y / (crop.rows + 0.5) / SIDE)
    x = at.x + size.x / 2 - (crop.column + crop.columns / 2) * SIDE * scale
    y = at.y + size.y / 2 - (crop.row + crop.rows / 2) * SIDE * scale
    cords = draw_groups(find_groups(carpet), has_points=False) if groups else ""
    opacity = ' opacity=".4"' if faded else ""
    box = f'<rect x="{at.x:g}" y="{at.y:g}" width="{size.x:g}" height="{size.y:g}"'
    return (
        f'{box} fill="{LOOM}" stroke="{INK}" stroke-width="4"/>{box} fill="{LOOM}" stroke="{MOSAIC}"/>'
        f"{_draw_warp(at, size)}"
        f'<g class="carpet" transform="translate({x:.5g} {y:.5g})scale({scale:.4g})"{opacity}>'
        f"{draw_carpet(carpet, ids)}{cords}</g>"
    )


# What both have


def _define(carpets: Iterable[Json], dominoes: Iterable[str], ids: str) -> str:
    shows = {shown for carpet in carpets for domino in read_dominoes(carpet) for shown in domino.shows}
    shows |= {shown for name in dominoes for shown in name_domino(name).shows}
    patches = {cell["shows"] for carpet in carpets for cell in carpet.values() if cell["scrap"]}
    return define_pieces(shows, patches, ids)


def _draw_wall(width: float, height: float) -> str:
    """The ground of the picture, with a mosaic edge."""
    edge = f'x="2.5" y="2.5" width="{width - 5:g}" height="{height - 5:g}" rx="10" fill="none"'
    return (
        f'<rect width="{width:g}" height="{height:g}" rx="12" fill="{WALL_EDGE}"/>'
        f'<rect x="1.5" y="1.5" width="{width - 3:g}" height="{height - 3:g}" rx="11" fill="{WALL}"/>'
        f'<rect {edge} stroke="{TEAL}" stroke-width="2.6"/>'
        f'<rect {edge} stroke="{MOSAIC}" stroke-width="1.8" stroke-dasharray="4 4"/>'
    )


def _draw_loom(crop: Crop) -> str:
    """The free part of the loom: warp threads, and a knot at each corner of a square."""
    x, y, width, height = (number * SIDE for number in crop)
    lines = "".join(f"M{x} {y + row * SIDE}h{width}" for row in range(crop.rows + 1))
    lines += "".join(f"M{x + column * SIDE} {y}v{height}" for column in range(crop.columns + 1))
    knots = "".join(
        f"M{x + column * SIDE} {y + row * SIDE - 3}l3 3-3 3-3-3z"
        for row in range(crop.rows + 1)
        for column in range(crop.columns + 1)
    )
    box = f'<rect x="{x}" y="{y}" width="{width}" height="{height}"'
    return (
        f'{box} fill="{LOOM}" stroke="{INK}" stroke-width="4"/>{box} fill="{LOOM}" stroke="{MOSAIC}"/>'
        f'{_draw_warp(Point(x, y), Point(width, height))}<path d="{lines}" stroke="{WARP}"/>'
        f'<path d="{knots}" fill="{KNOT}" fill-opacity=".6"/>'
    )


def _draw_warp(at: Point, size: Point) -> str:
    """The threads of a loom."""
    path = "".join(f"M{at.x + step:g} {at.y:g}v{size.y:g}" for step in range(_THREADS // 2, int(size.x), _THREADS))
    return f'<path d="{path}" stroke="{THREAD}" shape-rendering="crispEdges"/>'


def _draw_head(view: Json, seat: Json, at: Point, width: float) -> tuple[str, Name]:
    """Draw a player's colour and points; the name between them is text. Winners have a star."""
    colour, y = SEAT_COLOURS[seat["colours"][0]], at.y + _HEAD / 2
    total = str(seat["points"]["total"])
    badge = 12 + 9 * len(total)
    right = at.x + width - badge
    drawn = (
        f'<circle cx="{at.x + 10:g}" cy="{y:g}" r="8.5" fill="{colour.fill}" stroke="{CREAM}" stroke-width="2"/>'
        f'<g class="points" {PEN}><rect x="{right:g}" y="{y - 10:g}" width="{badge}" height="20" rx="10" fill="{CREAM}"'
        f' stroke-width="1.2"/>{draw_label(total, right + badge / 2, y, 10)}</g>'
    )
    if view["result"] and seat["seat"] in view["result"]["winners"]:
        drawn += f'<path transform="translate({right - 14:g} {y:g})" d="{_STAR}" fill="{SAFFRON}" stroke="{INK}"/>'
    name = pad_or_truncate(clean(seat["name"] or "") or str(seat["seat"] + 1), _LONGEST_NAME).rstrip()
    return drawn, Name(name, Point(at.x + 25, y))


_STAR: Final = "M0-9 2.6-2.6H9L3.8 1.4 5.6 8 0 4-5.6 8-3.8 1.4-9-2.6h6.4z"
COIN: Final = (
    f'<circle r="11" fill="{SAFFRON}" stroke="{INK}" stroke-width="1.4"/>'
    f'<circle r="7.6" fill="none" stroke="{INK}" stroke-opacity=".6" stroke-dasharray="1.5 1.5"/>'
    f'<path d="M0-4.5 4.5 0 0 4.5-4.5 0z" fill="{INK}"/>'
)
"""Gold: what is bid for."""
_NEEDLE: Final = (
    f'<path d="M-11 9C-4 12-6 2 1 5S7-3 8-8" fill="none" stroke="{SAFFRON}" stroke-width="2.4"/>'
    f'<path d="M-9 10 9.5-10.5 6-11.5-11 8z" fill="{CREAM}" stroke="{INK}" stroke-linejoin="round"/>'
)
"""A needle: what is to be woven."""


def _draw_band(
    offer: Sequence[str], owed: Sequence[str], translations: NullTranslations, width: float, top: float, ids: str
) -> tuple[str, float]:
    """Draw the dominoes on offer and those a player has to weave or may weave, and say how high that is."""
    say = translations.gettext
    kinds = (("offer", offer, COIN, say("On offer")), ("owed", owed, _NEEDLE, say("To weave")))
    pieces: list[tuple[str, str]] = []
    for kind, dominoes, sign, words in kinds:
        for place, domino in enumerate(dominoes):
            drawn = draw_domino(name_domino(domino), Point(_SIGN + SIDE / 2, _BAND / 2), ids)
            marked = f'<g transform="translate({_SIGN / 2:g} {_BAND / 2:g})">{sign}</g>' if place == 0 else ""
            pieces.append((kind, f"<title>{escape(words)}</title>{marked}{drawn}"))
    step = _SIGN + 2 * SIDE
    per_row = max(1, int((width - _GAP) // step))
    body = ""
    for place, (kind, drawn) in enumerate(pieces):
        row, column = divmod(place, per_row)
        left = (width - min(per_row, len(pieces) - row * per_row) * step - _SIGN / 2) / 2
        body += f'<g class="{kind}" transform="translate({left + column * step:g} {top + row * _BAND:g})">{drawn}</g>'
    return body, -(-len(pieces) // per_row) * _BAND
