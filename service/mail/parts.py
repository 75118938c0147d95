"""The parts of a message as bytes: the library's own way of putting them together takes longer than drawing a board."""

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from typing import Final

from service.mail.letters import Composed, Picture

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_CRLF: Final = b"\r\n"


def body_of(composed: Composed, mark: str) -> bytes:
    """Everything below the headers of the letter itself: first what its content is, then an empty line and the content.

    The mark is a word that tells this letter's boundaries from those of any other.
    """
    text = _text("plain", composed.text)
    if not composed.html:
        return text
    html = _text("html", composed.html)
    if composed.pictures:
        html = _together('related; type="text/html"', f"{mark}_r", [html, *map(_picture, composed.pictures)])
    return _together("alternative", f"{mark}_a", [text, html])


def _text(kind: str, text: str) -> bytes:
    # Quoted-printable keeps the lines short and the spaces at their ends, and needs no server that takes eight bits.
    head = f'Content-Type: text/{kind}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    return head.encode() + b2a_qp(_LINE_END.sub("\r\n", text).encode())


def _picture(picture: Picture) -> bytes:
    head = (
        "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: inline; filename="{picture.name}"\r\nContent-ID: <{picture.cid}>\r\n\r\n'
    )
    return head.encode("ascii") + encodebytes(picture.png).replace(b"\n", _CRLF)


def _together(kind: str, mark: str, parts: Sequence[bytes]) -> bytes:
    # Neither quoted-printable nor base64 ever has = and _ beside each other: no text looks like a boundary.
    boundary = f"=_{mark}"
    between = f"\r\n--{boundary}\r\n".encode()
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n--{boundary}\r\n'
    return head.encode() + between.join(parts) + f"\r\n--{boundary}--\r\n".encode()
