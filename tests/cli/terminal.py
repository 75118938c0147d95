"""Runs the console script in a pseudo-terminal: reads what it shows and types into it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.cli.players import SCRIPT, Player

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """The screen and the keyboard of a process."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int) -> None:
        self.process, self._master = process, master
        self.raw = ""
        self._from = 0

    def sees(self, pattern: str, seconds: float = 30) -> str:
        """Wait until the new output matches, and return it without colours."""
        until = time.monotonic() + seconds
        while True:
            new = _STYLE.sub("", self.raw[self._from :])
            if re.search(pattern, new):
                self._from = len(self.raw)
                return new.replace("\r\n", "\n")
            assert self._read(until - time.monotonic()), f"{pattern!r} did not come: {new[-2000:]}"

    def types(self, words: str) -> None:
        os.write(self._master, words.encode())

    def ends(self, seconds: float = 30) -> int:
        """Wait until the process ends, and return its exit code."""
        until = time.monotonic() + seconds
        while self._read(until - time.monotonic()):
            pass
        return self.process.wait(max(1, until - time.monotonic()))

    def interrupts(self) -> int:
        """Press Ctrl-C and return the exit code. Press it again if it came just before a blocking read."""
        # Python checks for signals between two instructions, so a read that starts right after one keeps blocking.
        for _ in range(3):
            self.types("\x03")
            with suppress(subprocess.TimeoutExpired):
                return self.ends(8)
        return self.ends()

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0, seconds))
        if not ready:
            return False
        try:
            read = os.read(self._master, 65536)
        except OSError:  # Linux raises this when the other side is closed
            return False
        self.raw += read.decode("utf-8", "replace")
        return bool(read)


def _take_terminal() -> None:
    """Make Ctrl-C reach the process, as a shell does, even if the test run itself ignores SIGINT."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def terminal(person: Player, *words: str, columns: int = 80, lines: int = 40, **environ: str) -> Iterator[Terminal]:
    """Run the command in a terminal of this size."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    usual = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        [SCRIPT, *words],
        env=person.environ(**{**usual, **environ}),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - it makes two system calls
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)
        os.close(master)
