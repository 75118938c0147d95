"""Single keys from the terminal, on POSIX and on Windows."""

import sys
from typing import Final

NEXT, BACK, FIRST, LAST, QUIT = "next", "back", "first", "last", "quit"

_KEYS: Final = {
    "\x1b[C": NEXT,
    "\x1bOC": NEXT,
    "\x1b[D": BACK,
    "\x1bOD": BACK,
    "\x1b[H": FIRST,
    "\x1b[1~": FIRST,
    "\x1b[F": LAST,
    "\x1b[4~": LAST,
    "\xe0M": NEXT,
    "\xe0K": BACK,
    "\xe0G": FIRST,
    "\xe0O": LAST,
    " ": NEXT,
    "\r": NEXT,
    "\n": NEXT,
    "n": NEXT,
    "l": NEXT,
    "p": BACK,
    "h": BACK,
    "g": FIRST,
    "G": LAST,
    "q": QUIT,
    "\x1b": QUIT,
    "\x04": QUIT,
    "": QUIT,
}
_LONGEST_ESCAPE: Final = 8


def key() -> str | None:
    """What the key that is pressed next means here; None for any other key."""
    pressed = _pressed()
    if pressed == "\x03":
        raise KeyboardInterrupt
    return _KEYS.get(pressed)


if sys.platform == "win32":

    def _pressed() -> str:
        import msvcrt  # noqa: PLC0415 - only there

        first = msvcrt.getwch()
        return f"\xe0{msvcrt.getwch()}" if first in "\x00\xe0" else first

else:

    def _pressed() -> str:
        """A key, with the whole of its escape sequence: that comes in one go."""
        import os  # noqa: PLC0415 - only there
        import termios  # noqa: PLC0415
        import tty  # noqa: PLC0415

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        try:
            tty.setcbreak(descriptor)
            return os.read(descriptor, _LONGEST_ESCAPE).decode("utf-8", "replace")
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
