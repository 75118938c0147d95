"""A private Dovecot on loopback with one mailbox; its files are in a folder of its own."""

import imaplib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.durability.processes import wait_for
from tests.support.servers import free_port

CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:{folder}/mail
passdb {{
  driver = static
  args = nopassword=y
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail
}}
service imap-login {{
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
"""


def find_dovecot() -> str:
    """The program; skips if it isn't there or can't be used."""
    found = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
    if found is None or os.geteuid() != 0:
        pytest.skip("Dovecot was not found, or we aren't root; IMAP is tested with a small server of our own only.")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    if not version.startswith("2.3."):
        pytest.skip(f"The configuration of this test is for Dovecot 2.3, not {version.split()[0]}.")
    return found


@contextmanager
def run_dovecot() -> Iterator[int]:
    """The port of a Dovecot that takes any user and password."""
    program, port, owner = find_dovecot(), free_port(), pwd.getpwnam("nobody")
    # Not tmp_path, which Dovecot's users can't enter.
    with tempfile.TemporaryDirectory(prefix="dovecot-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "mail").mkdir()
        os.chown(folder / "mail", owner.pw_uid, owner.pw_gid)
        text = CONFIGURATION.format(folder=folder, port=port, uid=owner.pw_uid, gid=owner.pw_gid)
        (folder / "dovecot.conf").write_text(text)
        process = subprocess.Popen([program, "-F", "-c", folder / "dovecot.conf"])

        def answers() -> bool:
            assert process.poll() is None, (folder / "log").read_text()
            try:
                imaplib.IMAP4("127.0.0.1", port, timeout=5).logout()
            except OSError:
                return False
            return True

        try:
            wait_for(answers, "Dovecot does not answer")
            yield port
        finally:
            process.terminate()
            process.wait(30)


def put(port: int, raw: bytes) -> None:
    """Put a message into the mailbox, as another client."""
    with imaplib.IMAP4("127.0.0.1", port, timeout=30) as client:
        client.login("replies", "x")
        status, words = client.append("INBOX", "", "", raw)
        assert status == "OK", words


def count_unread(port: int) -> int:
    with imaplib.IMAP4("127.0.0.1", port, timeout=30) as client:
        client.login("replies", "x")
        client.select(readonly=True)
        return len(client.search(None, "UNSEEN")[1][0].split())
