"""Real processes that can be killed, frozen and restarted, each in its own process group and ended by its id."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import requests

from tests.support.servers import BIN

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0


class Process:
    """A process of the server with its children: gunicorn starts workers."""

    def __init__(self, words: Sequence[str], environ: dict[str, str], log: Path) -> None:
        self._words = [sys.executable if words[0] == "python" else str(BIN / words[0]), *words[1:]]
        self._environ = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, before: Callable[[], None] | None = None) -> None:
        """Start it; `before` runs inside the new process, for example to set a limit."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._words,
                env=self._environ,
                cwd=self._log.parent,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=before,  # noqa: PLW1509 - nothing but a system call is made there
            )

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and all it has started."""
        assert self._process is not None
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """End it with SIGKILL, as if the power failed."""
        assert self._process is not None
        assert self._process.poll() is None, self.log()
        self.signal(signal.SIGKILL)
        self._process.wait(PATIENCE)

    def ask_to_stop(self) -> None:
        """SIGTERM to the process alone, as Docker and the units do it."""
        assert self._process is not None
        self._process.terminate()

    def ended(self, patience: float) -> int:
        """How the process ended, once it has."""
        assert self._process is not None
        return self._process.wait(patience)

    def end(self) -> None:
        """End it in whatever state it is; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


class WebServer(Process):
    """A process that serves HTTP."""

    def __init__(self, words: Sequence[str], environ: dict[str, str], log: Path, port: int) -> None:
        super().__init__(words, environ, log)
        self.address = f"http://127.0.0.1:{port}"

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Start it, and end it afterwards."""
        self.start()
        try:
            self.wait_until_ready()
            yield self
        finally:
            self.end()

    def wait_until_ready(self) -> None:
        wait_for(self._is_ready, f"{self._words[0]} was not ready in time:\n{self.log()[-4000:]}")

    def count_sockets(self) -> int:
        """How many sockets the process has open."""
        assert self._process is not None
        links = Path(f"/proc/{self._process.pid}/fd").iterdir()
        return sum(name.startswith("socket:") for name in map(_read_link, links))

    def _is_ready(self) -> bool:
        try:
            return requests.get(f"{self.address}/readyz", timeout=5).status_code == 200
        except (requests.ConnectionError, requests.Timeout):
            return False


def _read_link(path: Path) -> str:
    with suppress(FileNotFoundError):  # closed meanwhile
        return str(path.readlink())
    return ""


def waitress_server(environ: dict[str, str], folder: Path, port: int) -> WebServer:
    """The server as one process, worker and all."""
    return WebServer(["marrakech-server", "run", "--port", str(port)], environ, folder / f"web-{port}.log", port)


def gunicorn_server(environ: dict[str, str], folder: Path, port: int) -> WebServer:
    """The server as two processes of gunicorn."""
    bind = ["--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4"]
    bind += ["--worker-class", "gthread"]
    return WebServer(["gunicorn", *bind, "service.server:application()"], environ, folder / f"web-{port}.log", port)


def wait_for(happened: Callable[[], bool], complaint: str, patience: float = PATIENCE) -> None:
    """Poll until a condition holds."""
    until = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < until, complaint
        time.sleep(0.05)
