"""Single keys from the terminal, on POSIX and on Windows."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def meaning(pressed: str) -> str | None:
    """What a key means here; None for any other key."""
    if pressed == "\x03":
        raise KeyboardInterrupt
    return _KEYS.get(pressed)


if sys.platform == "win32":

    @contextmanager
    def listening() -> Iterator[Callable[[], str]]:
        """What waits for the next key and gives it back."""
        import msvcrt  # noqa: PLC0415 - only there

        def pressed() -> str:
            first = msvcrt.getwch()
            return f"\xe0{msvcrt.getwch()}" if first in "\x00\xe0" else first

        yield pressed

else:

    @contextmanager
    def listening() -> Iterator[Callable[[], str]]:
        """What waits for the next key and gives it back; keys pressed while something is drawn are not lost."""
        import os  # noqa: PLC0415 - only there
        import termios  # noqa: PLC0415
        import tty  # noqa: PLC0415

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        try:
            tty.setcbreak(descriptor, termios.TCSADRAIN)
            # An escape sequence comes in one go.
            yield lambda: os.read(descriptor, _LONGEST_ESCAPE).decode("utf-8", "replace")
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
