"""Questions to the user in a terminal. They are written to standard error."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal

from cli.text import sanitize, wrap_words

Step = Literal["next", "back", "page down", "page up", "first", "last", "quit"]

_KEYS: Final[dict[Step, tuple[str, ...]]] = {
    "next": ("\x1b[C", "\x1bOC", "\xe0M", " ", "\r", "\n", "n", "l"),
    "back": ("\x1b[D", "\x1bOD", "\xe0K", "p", "h"),
    "page down": ("\x1b[6~", "\xe0Q"),
    "page up": ("\x1b[5~", "\xe0I"),
    "first": ("\x1b[H", "\x1b[1~", "\xe0G", "g"),
    "last": ("\x1b[F", "\x1b[4~", "\xe0O", "G"),
    "quit": ("q", "\x1b", "\x04", ""),
}
_KEY: Final = re.compile("\x1b[\\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
"""One key: an escape sequence or a character."""


def ask(question: str) -> str:
    """Ask a question and read a line. At the end of the input, raise `EOFError`."""
    sys.stdout.flush()
    sys.stderr.write(f"{_wrap(question)} ")
    sys.stderr.flush()
    typed = sys.stdin.readline()
    if not typed:
        raise EOFError
    return typed.strip()


def ask_secret(question: str) -> str:
    """Ask a question and read a line without showing it; from a pipe, just read a line."""
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass(f"{_wrap(question)} ", stream=sys.stderr).strip()
    return ask(question)


def _wrap(question: str) -> str:
    """Wrap the question at words, with room for the cursor after it."""
    return "\n".join(wrap_words(sanitize(question), shutil.get_terminal_size().columns - 1))


def confirm(question: str) -> bool:
    """Whether the user types yes; anything else means no."""
    return ask(f"{question} [y/N]").lower() in {"y", "yes"}


def read_step(read_key: Callable[[], str]) -> Step:
    """Wait for a key that `replay` knows. The end of the input means `quit`."""
    while True:
        pressed = read_key()
        if pressed == "\x03":
            raise KeyboardInterrupt
        for step, keys in _KEYS.items():
            if pressed in keys:
                return step


def _split_keys(read: Callable[[], str]) -> Iterator[str]:
    """The keys one by one: one read returns several if they were pressed quickly. "" is the end of the input."""
    while True:
        yield from _KEY.findall(read()) or [""]


if sys.platform == "win32":

    @contextmanager
    def single_keys() -> Iterator[Callable[[], str]]:
        """Read keys without Enter: yields a function that waits for the next key."""
        import msvcrt

        def read_key() -> str:
            first = msvcrt.getwch()
            return f"\xe0{msvcrt.getwch()}" if first in "\x00\xe0" else first

        yield read_key

else:

    @contextmanager
    def single_keys() -> Iterator[Callable[[], str]]:
        """Read keys without Enter: yields a function that waits for the next key.

        `typer.getchar` would discard keys that are pressed between two calls, while the next step is fetched.
        """
        import os
        import termios
        import tty

        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSADRAIN)
            keys = _split_keys(lambda: os.read(terminal, 64).decode("utf-8", "replace"))
            yield lambda: next(keys)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)
