"""The PNG: the same drawing as the SVG, small, and quick to make again."""

import struct
import zlib
from itertools import pairwise

import pytest
import resvg_py

from service.engine.marrakech.board import NAMES, SQUARES, TRACKS
from service.ui.marrakech.board_png import board_png
from service.ui.marrakech.board_svg import board_svg
from service.ui.marrakech.path_dots import crumbs
from service.ui.marrakech.pixels import read_rgba, write_indexed
from service.ui.marrakech.png_palette import PALETTE
from tests.ui.marrakech.positions import new_table, played, resigned

WIDTH = 576


def colours(png: bytes) -> list[list[tuple[int, int, int]]]:
    """The pixels of a picture with a palette."""
    at, chunks = 8, {}
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, colour) == (8, 3)
    inks = [tuple(chunks[b"PLTE"][place : place + 3]) for place in range(0, len(chunks[b"PLTE"]), 3)]
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (width + 1)
    return [[inks[byte] for byte in rows[y * (width + 1) + 1 : (y + 1) * (width + 1)]] for y in range(height)]  # type: ignore[misc]


def difference(svg: str, png: bytes) -> float:
    """How far a letter's picture is from what resvg makes of a whole SVG, in steps of 255 on the average."""
    drawn = read_rgba(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, skip_system_fonts=True)))
    found, total, seen = colours(png), 0, 0
    for y in range(0, WIDTH, 3):
        for x in range(0, WIDTH, 3):
            red, green, blue, alpha = drawn[y][4 * x : 4 * x + 4]
            if alpha == 255:
                total += sum(abs(one - other) for one, other in zip((red, green, blue), found[y][x], strict=True))
                seen += 3
    return total / seen


PLACES = [["a1", "a2"], ["c3", "d3"], ["g6", "g7"]]


@pytest.mark.parametrize("turns", [3, 17, 40])
def test_it_is_the_same_drawing_as_the_svg(turns: int) -> None:
    view = played(new_table(4), turns).view(None)
    png = board_png(view, PLACES)
    same = difference(board_svg(view, PLACES), png)
    assert same < 2.8
    # One rug more, or a number less, is seen at once.
    assert difference(board_svg(played(new_table(4), turns + 1).view(None), PLACES), png) > 1.5 * same
    assert difference(board_svg(view, PLACES[:1]), png) > same + 0.2


def test_rugs_of_who_is_out_are_grey_in_it_too() -> None:
    view = resigned(played(new_table(), 30), 1).view(None)
    assert any(top["neutral"] for top in view["board"].values())
    assert difference(board_svg(view), board_png(view)) < 2.8


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_is_small_at_every_moment_of_a_game(players: int) -> None:
    for turns in (0, 10, 20, 30, 200):
        assert len(board_png(played(new_table(players), turns).view(None), PLACES)) < 55_000


def test_the_cord_round_what_was_paid_for_is_in_it_too() -> None:
    view = played(new_table(4), 17).view(None)
    paid = ["a7", "b7", "b6", "d4", "g1"]
    png = board_png(view, paid_squares=paid)
    same = difference(board_svg(view, paid_squares=paid), png)
    assert same < 2.8
    assert difference(board_svg(view, paid_squares=paid[1:]), png) > same + 0.2


def test_readers_of_the_same_position_share_one_picture() -> None:
    table = played(new_table(3), 12)
    first = board_png({**table.view(0), "name": "Souk"})
    assert board_png({**table.view(None), "name": "<b>"}) is first


def test_the_palette_has_no_more_inks_than_a_byte_can_name() -> None:
    assert len(PALETTE) % 3 == 0
    assert 3 * 100 < len(PALETTE) <= 3 * 256


@pytest.mark.parametrize("kind", range(5))
def test_every_way_in_which_a_row_can_be_written_is_read(kind: int) -> None:
    rows = [bytes((7 * x + 13 * y + x * y) % 256 for x in range(32)) for y in range(6)]
    assert read_rgba(filtered(rows, kind)) == rows


def filtered(rows: list[bytes], kind: int) -> bytes:
    """The rows as a PNG, each written by this filter, straight from the specification."""
    written, above = b"", bytes(len(rows[0]))
    for row in rows:
        line = bytes([kind])
        for x, byte in enumerate(row):
            a, b, c = row[x - 4] if x > 3 else 0, above[x], above[x - 4] if x > 3 else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line += bytes([(byte - (0, a, b, (a + b) // 2, paeth)[kind]) % 256])
        written, above = written + line, row
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 6, 0, 0, 0))]
    chunks += [(b"IDAT", zlib.compress(written)), (b"IEND", b"")]
    parts = [struct.pack(">I", len(body)) + kind_ + body + bytes(4) for kind_, body in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_what_is_not_a_picture_of_resvgs_is_refused() -> None:
    with pytest.raises(ValueError, match="four bytes to a pixel"):
        read_rgba(write_indexed([b"\0\0"], PALETTE))


def test_every_walk_leaves_its_crumbs_seven_apart_and_within_the_picture() -> None:
    for square in SQUARES:
        if square not in NAMES:
            continue
        for facing in ("north", "east", "south", "west"):
            spots = list(crumbs(square, facing, 4))
            assert len(spots) >= 23
            assert all(-40 < x < 320 and -40 < y < 320 for x, y in spots)
            for (x, y), (later_x, later_y) in pairwise(spots):
                assert 4.9 < ((x - later_x) ** 2 + (y - later_y) ** 2) ** 0.5 < 7.001
    assert len(TRACKS) == 28
