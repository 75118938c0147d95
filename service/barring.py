"""Barring the door: who has not been let in by the system yet is not, and who has can be let in by us.

Closing a socket breaks off with everybody whom the system has let in and we have not, and somebody may always have
come between our last look and the closing. Behind a bar nobody comes any more. To a guest it is as if the first word
was lost on the way: his system says it again a second later, and finds the door closed, or opened by the next server.
"""

import ctypes
import socket
import struct
import sys
from contextlib import suppress
from typing import Final

_SO_ATTACH_FILTER: Final = 26
_FLAGS_OF_TCP: Final = 13
_SYN, _ACK = 0x02, 0x10
_PROGRAM: Final = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, _FLAGS_OF_TCP),  # load the byte with the flags
        (0x54, 0, 0, _SYN | _ACK),  # keep these two of them
        (0x15, 0, 1, _SYN),  # a first word has the one without the other
        (0x06, 0, 0, 0),  # it is not heard
        (0x06, 0, 0, 0xFFFF),  # everything else is
    )
)


def bar(door: socket.socket) -> None:
    """Have the system let nobody in any more at a socket that listens; only Linux can, elsewhere nothing changes."""
    if not sys.platform.startswith("linux"):
        return
    kept = ctypes.create_string_buffer(_PROGRAM, len(_PROGRAM))
    program = struct.pack("HP", len(_PROGRAM) // struct.calcsize("HBBI"), ctypes.addressof(kept))
    with suppress(OSError):  # where it may not be barred it is closed as it is
        door.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
