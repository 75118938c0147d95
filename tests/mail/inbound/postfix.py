"""A private Postfix on loopback that uses the files of deploy/postfix; its own files are in a folder of its own."""

import os
import shutil
import smtplib
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.deploy.reading import DEPLOY
from tests.durability.processes import wait_for
from tests.support.servers import free_port

MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = mail.example.org
mydestination = example.org
local_recipient_maps =
alias_maps =
mynetworks = 127.0.0.0/8
fast_flush_domains =
"""
SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
"""
# Postfix runs the pipe as a user who may not read Python's files here, so the test runs the real command.
PROGRAM = """#!/bin/sh
file=$(mktemp {folder}/pipe/XXXXXX)
cat >"$file"
printf '%s\\n' "$@" >"$file.words"
mv "$file.words" "$file.ready"
while [ ! -e "$file.code" ]; do sleep 0.05; done
exit "$(cat "$file.code")"
"""
Receive = Callable[[bytes, list[str]], int]


def find_program(name: str) -> str:
    """A program of Postfix or procmail; skips if it isn't there or can't be used."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
    if found is None or os.geteuid() != 0:
        pytest.skip(f"{name} was not found, or we aren't root; its part of deploy/postfix was not tried.")
    return found


def adapt(name: str, folder: Path) -> str:
    """A file of deploy/postfix with other paths and another user."""
    text = (DEPLOY / "postfix" / name).read_text()
    text = text.replace("/etc/postfix/", f"{folder}/").replace("user=marrakech", "user=nobody")
    return text.replace("/srv/marrakech/.venv/bin/", f"{folder}/").replace("/srv/marrakech", str(folder))


class Postfix:
    """The running server."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    def send(self, sender: str, to: str, raw: bytes) -> None:
        with smtplib.SMTP("127.0.0.1", self.port, timeout=30) as client:
            client.sendmail(sender, [to], raw)

    def count_deferred(self) -> int:
        """How many messages wait in the queue for another try."""
        return sum(path.is_file() for path in (self.folder / "queue" / "deferred").rglob("*"))

    def retry(self) -> None:
        """Try to deliver now what waits in the queue."""
        subprocess.run([find_program("postqueue"), "-c", self.folder, "-f"], check=True, timeout=30)

    def log(self) -> str:
        return (self.folder / "log").read_text()


@contextmanager
def run_postfix(
    receive: Receive, transport: str = "transport", more_transport: str = "", lmtp_port: int = 8025
) -> Iterator[Postfix]:
    """Postfix, with `receive` in place of `marrakech-server`: message and words in, exit code out."""
    program, port = find_program("postfix"), free_port()
    # Not tmp_path, which Postfix's users can't enter.
    with tempfile.TemporaryDirectory(prefix="postfix-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("queue", "data"):
            (folder / part).mkdir()
        shutil.chown(folder / "data", "postfix")
        (folder / "pipe").mkdir()
        (folder / "pipe").chmod(0o777)
        (folder / "main.cf").write_text(MAIN.format(folder=folder) + adapt("main.cf", folder))
        (folder / "master.cf").write_text(SERVICES.format(port=port) + adapt("master.cf", folder))
        (folder / "transport").write_text(more_transport + adapt(transport, folder).replace(":8025", f":{lmtp_port}"))
        (folder / "reply_recipients").write_text(adapt("reply_recipients", folder))
        (folder / "marrakech-server").write_text(PROGRAM.format(folder=folder))
        (folder / "marrakech-server").chmod(0o755)
        stop = threading.Event()
        thread = threading.Thread(target=_serve_pipe, args=(folder / "pipe", receive, stop))
        process = subprocess.Popen([program, "-c", folder, "start-fg"], stdout=subprocess.DEVNULL)
        thread.start()

        def answers() -> bool:
            assert process.poll() is None, (folder / "log").read_text()
            try:
                smtplib.SMTP("127.0.0.1", port, timeout=5).quit()
            except OSError:
                return False
            return True

        try:
            wait_for(answers, "Postfix does not answer")
            yield Postfix(folder, port)
        finally:
            # The program has started a master in a session of its own, which would stay.
            subprocess.run([program, "-c", folder, "stop"], stdout=subprocess.DEVNULL, check=True, timeout=30)
            process.wait(30)
            stop.set()
            thread.join(30)


def _serve_pipe(folder: Path, receive: Receive, stop: threading.Event) -> None:
    """Run `receive` for every message that Postfix pipes to the program."""
    while not stop.wait(0.02):
        for ready in folder.glob("*.ready"):
            words = ready.read_text().split()
            code = receive(ready.with_suffix("").read_bytes(), words)
            ready.unlink()
            unfinished = ready.with_suffix(".tmp")
            unfinished.write_text(str(code))
            unfinished.rename(ready.with_suffix(".code"))
