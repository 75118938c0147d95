"""Processes of our programs that start at once: each is born of one that has imported everything already.

Such a process has its own words, environment, folder, standard streams and end, like any other; only the second that
Python needs to import the program is spent once for all of them. Tests of how a program is installed, of terminals and
of power cuts start it the long way.
"""

import atexit
import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import cli

_ROOT = Path(__file__).parents[2]
_PATIENCE = 120
_BROKEN_PIPE = 120
"""What Python ends with where nobody reads what is left to be said."""
_SERVER = ("service.admin.entry:main", "service.admin.main")
_CLIENT = ("cli.main:main", "requests", *(found.name for found in pkgutil.walk_packages(cli.__path__, "cli.")))


def server(words: Sequence[str], environ: Mapping[str, str], folder: Path, typed: bytes = b"") -> "Ended":
    """How a command of `marrakech-server` ends."""
    return start(_SERVER, ["marrakech-server", *words], environ, folder, typed).ended()


def client(words: Sequence[str], environ: Mapping[str, str], folder: Path, typed: bytes = b"") -> "Ended":
    """How a command of `marrakech-cli` ends."""
    return start(_CLIENT, ["marrakech-cli", *words], environ, folder, typed).ended()


class Ended(NamedTuple):
    """How a process ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


class Child:
    """A process that was born here."""

    def __init__(self, life: socket.socket, out: IO[bytes], err: IO[bytes]) -> None:
        self._life, self._said = life, (out, err)
        life.settimeout(_PATIENCE)

    def ended(self) -> Ended:
        """Wait for its end."""
        with self._life as life, self._said[0] as out, self._said[1] as err:
            status = int(life.recv(20))
            for said in (out, err):
                said.seek(0)
            return Ended(os.waitstatus_to_exitcode(status), out.read().decode(), err.read().decode())


def start(
    program: tuple[str, ...], words: Sequence[str], environ: Mapping[str, str], folder: Path, typed: bytes = b""
) -> Child:
    """A process of the program: the function that it begins with, and what else is to be imported beforehand."""
    life, theirs = socket.socketpair()
    wish, given, out, err = (TemporaryFile() for _ in range(4))  # noqa: SIM115 - the child closes the last two
    with wish, given, theirs:
        wish.write(json.dumps([list(words), dict(environ), str(folder)]).encode())
        given.write(typed)
        for file in (wish, given):
            file.seek(0)
        socket.send_fds(_nursery(program), [b"."], [each.fileno() for each in (wish, theirs, given, out, err)])
    return Child(life, out, err)


@cache
def _nursery(program: tuple[str, ...]) -> socket.socket:
    ours, theirs = socket.socketpair()
    words = [sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno()), *program]
    process = subprocess.Popen(words, cwd=_ROOT, pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(_close, ours, process)
    return ours


def _close(line: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    line.close()  # which it takes as the end
    process.wait(_PATIENCE)


def _give_birth(line: socket.socket, entry: str, *others: str) -> None:
    """Import everything, and then be the parent of every process that is asked for."""
    module, _, function = entry.partition(":")
    main = getattr(import_module(module), function)
    for other in others:
        import_module(other)
    gc.freeze()
    while True:
        asked, files, _, _ = socket.recv_fds(line, 1, 5)
        _bury(os.WNOHANG if asked else 0)
        if not asked:
            return
        if not os.fork():
            line.close()
            _keep_watch(main, *files)
        for file in files:
            os.close(file)


def _bury(how: int) -> None:
    """Take note of those who have ended, so that their time is counted; they have told the end themselves."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, how)[0]:
            pass


def _keep_watch(main: Callable[[], object], wish: int, life: int, *streams: int) -> None:
    """Have the process live, and tell how it ended."""
    born = os.fork()
    if not born:
        os.close(life)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        with os.fdopen(wish) as text:
            words, environ, folder = json.load(text)
        os._exit(_live(main, words, environ, folder))
    _, status = os.waitpid(born, 0)
    os.write(life, str(status).encode())
    os._exit(0)


def _live(main: Callable[[], object], words: list[str], environ: dict[str, str], folder: str) -> int:
    """What Python does with a program, from its first to its last moment."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    sys.argv = words
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace")
    code = _exit_code(main)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return _BROKEN_PIPE
    return code


def _exit_code(main: Callable[[], object]) -> int:
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return int(end.code or 0)
        print(end.code, file=sys.stderr)  # noqa: T201 - as Python does
    except BaseException:
        traceback.print_exc()
    else:
        return 0
    return 1


if __name__ == "__main__":
    _give_birth(socket.socket(fileno=int(sys.argv[1])), *sys.argv[2:])
