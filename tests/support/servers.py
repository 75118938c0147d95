"""Real server processes for the tests, on loopback, ended by their process id."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import requests

BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_mailbox(address: str) -> requests.Response:
    """The mailbox page, by the link on the sign-in page."""
    link = re.search(r'href="(/mailbox/\w+)"', requests.get(f"{address}/login", timeout=30).text)
    assert link
    return requests.get(address + link[1], timeout=30)


@contextmanager
def serving(words: Sequence[str], port: int, environ: dict[str, str], folder: Path) -> Iterator[str]:
    """The address of a server that is up."""
    log = (folder / "server.log").open("wb")
    process = subprocess.Popen(
        [BIN / words[0], *words[1:]], env={**os.environ, **environ}, cwd=folder, stdout=log, stderr=log
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(process, address, folder)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


def _wait_until_ready(process: subprocess.Popen[bytes], address: str, folder: Path) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        try:
            if requests.get(f"{address}/readyz", timeout=5).status_code == 200:
                return
        except (requests.ConnectionError, requests.Timeout):
            time.sleep(0.05)
    raise AssertionError((folder / "server.log").read_text())
