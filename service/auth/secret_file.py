"""The file with the secret keys: created once, written atomically, readable only by its owner."""

import contextlib
import fcntl
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


class UnprotectedSecret(Exception):
    """Other users can read the file."""


def read_or_create_secret(path: Path) -> str:
    """Read the file; create it with a new key if it does not exist. Processes that start together get the same key."""
    if not path.exists():
        _create(path)
    return _read(path)


def add_newest_key(path: Path) -> int:
    """Put a new key before the others and return their number."""
    # Without a lock, one of two simultaneous calls would lose its key, which may have signed links already.
    with _open_folder(path.parent) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        keys = [_new_key(), *(key.strip() for key in _read(path).split(","))]
        with _temporary_file(path, ",".join(keys)) as draft:
            draft.replace(path)
    return len(keys)


def _new_key() -> str:
    return secrets.token_urlsafe(48)


def _create(path: Path) -> None:
    """Write a new key to a temporary file and link it into place; the first process that does so wins."""
    with _temporary_file(path, _new_key()) as draft, contextlib.suppress(FileExistsError):
        path.hardlink_to(draft)


@contextlib.contextmanager
def _temporary_file(path: Path, text: str) -> Iterator[Path]:
    """Yield a synced file in the same folder with this text and mode 0600."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        yield Path(name)
        _sync_folder(path.parent)
    finally:
        Path(name).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut: without the key, no link in any letter works."""
    with _open_folder(folder) as handle:
        os.fsync(handle)


@contextlib.contextmanager
def _open_folder(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        # An error instead of a chmod: others may have read the key already, so the host should know.
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
            raise UnprotectedSecret(
                f"The secret file {path} can be read by other users: run chmod 600 on it, or remove it to get a new key"
                " if somebody may have read it."
            )
        return file.read().decode("utf-8", "surrogateescape")
