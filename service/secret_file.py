"""The server's secret in its own file: made once, whole or not at all, and for nobody else to read."""

import contextlib
import os
import secrets
import stat
import tempfile
from pathlib import Path


class OpenSecret(Exception):
    """The file can be read by others."""


def kept_secret(path: Path) -> str:
    """What the file holds; it is made where there is none, and two processes that start at once end with the same."""
    if not path.exists():
        _make(path)
    return _read(path)


def _make(path: Path) -> None:
    """Write a new key beside its place and link it there: whole or not at all, and only for the first who tries."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):  # another process got there first, and its key is the key
            path.hardlink_to(draft)
        _keep_names(path.parent)
    finally:
        Path(draft).unlink()


def _keep_names(folder: Path) -> None:
    """Have the folder itself survive a power cut: letters that are signed with a lost key lead nowhere."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        # Refused and not quietly tightened: who could read the key may have done so, and the host should know.
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
            raise OpenSecret(
                f"The secret file {path} is open to other users; run chmod 600 on it, or remove it to have a new key if"
                " somebody may have read it."
            )
        return file.read().decode("utf-8", "surrogateescape")
