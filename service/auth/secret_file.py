"""The server's secret in its own file: made once, whole or not at all, and for nobody else to read."""

import contextlib
import fcntl
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


class OpenSecret(Exception):
    """The file can be read by others."""


def kept_secret(path: Path) -> str:
    """What the file holds; it is made where there is none, and two processes that start at once end with the same."""
    if not path.exists():
        _make(path)
    return _read(path)


def put_new_key_in_front(path: Path) -> int:
    """Make a new key the first and keep the others; says how many there are then."""
    # Two who do so at once would lose one of the two keys, and whoever had begun to sign with it.
    with _folder(path.parent) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        keys = [_new_key(), *(key.strip() for key in _read(path).split(","))]
        with _draft(path, ",".join(keys)) as draft:
            draft.replace(path)
    return len(keys)


def _new_key() -> str:
    return secrets.token_urlsafe(48)


def _make(path: Path) -> None:
    """Write a new key beside its place and link it there: whole or not at all, and only for the first who tries."""
    with _draft(path, _new_key()) as draft, contextlib.suppress(FileExistsError):
        path.hardlink_to(draft)  # where another process got there first, its key is the key


@contextlib.contextmanager
def _draft(path: Path, text: str) -> Iterator[Path]:
    """The text in a file beside its place, on disk and for nobody else to read."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        yield Path(name)
        _keep_names(path.parent)
    finally:
        Path(name).unlink(missing_ok=True)


def _keep_names(folder: Path) -> None:
    """Have the folder itself survive a power cut: letters that are signed with a lost key lead nowhere."""
    with _folder(folder) as handle:
        os.fsync(handle)


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
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
