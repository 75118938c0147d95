"""Pictures as rows of pixels: what resvg draws is read, and a picture of at most 256 colours is written."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_RGBA: Final = 4
_QUICKLY: Final = 4
"""How hard zlib tries: harder than this, a picture takes three times as long and saves a twentieth."""


def read_rgba(png: bytes) -> list[bytes]:
    """The rows of a PNG with four bytes to a pixel, which is how resvg writes them all."""
    chunks = dict(_chunks(png))
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if (depth, kind, *rest) != (8, 6, 0, 0, 0):
        raise ValueError("not a PNG with four bytes to a pixel, row by row")
    filtered = zlib.decompress(chunks[b"IDAT"])
    rows, above, stride = [], bytes(width * _RGBA), width * _RGBA + 1
    for start in range(0, height * stride, stride):
        above = _unfiltered(filtered[start], filtered[start + 1 : start + stride], above)
        rows.append(above)
    return rows


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks by their kind, what comes in several pieces put together."""
    at, data = len(_SIGNATURE), b""
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        data += body if kind == b"IDAT" else b""
        yield kind, body
        at += length + 12
    yield b"IDAT", data


def _unfiltered(kind: int, row: bytes, above: bytes) -> bytes:
    """The row before PNG wrote down only how it differs from its neighbours."""
    match kind:
        case 0:
            return row
        case 1:
            return _after_left(row, bytes(len(row)), 1)
        case 2:
            return bytes([(one + other) & 255 for one, other in zip(row, above, strict=True)])
        case 3:
            return _after_left(row, above, 2)
        case 4:
            return _after_paeth(row, above)
    raise ValueError(f"no such filter: {kind}")


def _after_left(row: bytes, above: bytes, share: int) -> bytes:
    """Written down was the difference to the pixel on the left, or to the mean of that and the one above."""
    known = bytearray(_RGBA)
    for left, (byte, up) in enumerate(zip(row, above, strict=True)):
        known.append((byte + (known[left] + up) // share) & 255)
    return bytes(known[_RGBA:])


def _after_paeth(row: bytes, above: bytes) -> bytes:
    """Written down was the difference to the one of three neighbours that goes on most smoothly."""
    known, corners = bytearray(_RGBA), bytes(_RGBA) + above
    for place, (byte, up, corner) in enumerate(zip(row, above, corners, strict=False)):
        left = known[place]
        # Most of a drawing is flat, and then the answer is known without looking further.
        near = up if left == corner else left if up == corner else _smoothest(left, up, corner)
        known.append((byte + near) & 255)
    return bytes(known[_RGBA:])


def _smoothest(left: int, up: int, corner: int) -> int:
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    least = min(to_left, to_up, to_corner)
    return left if to_left == least else up if to_up == least else corner


def write_indexed(rows: Sequence[bytes | bytearray], palette: bytes, effort: int = _QUICKLY) -> bytes:
    """A PNG whose pixels are numbers of colours in a palette of three bytes to a colour, the first being clear."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    pixels = b"\0" + b"\0".join(rows)
    clear = b"\0"  # the first colour, and it alone
    body = (
        (b"IHDR", header),
        (b"PLTE", palette),
        (b"tRNS", clear),
        (b"IDAT", zlib.compress(pixels, effort)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in body)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
