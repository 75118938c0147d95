"""The development mailbox: without a mail server, every message becomes a file that the mailbox page shows."""

import os
from pathlib import Path
from typing import Final

from service import paths

MOST_FILES: Final = 200


class MailboxFolder:
    """Writes messages as DATA_DIR/mailbox/TIME-LETTER.eml and keeps the newest ones."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = paths.mailbox(data_dir)

    def write(self, letter_id: int, message: bytes, now: float) -> None:
        """Add a message; a reader of the folder sees all of it or nothing."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{int(now * 1000):014}-{letter_id:010}"
        unfinished = self._folder / f"{name}.tmp"
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(message)
        for earlier in self._folder.glob(f"*-{letter_id:010}.eml"):  # the host had it sent again
            earlier.unlink(missing_ok=True)
        unfinished.rename(unfinished.with_suffix(".eml"))
        for old in sorted(self._folder.glob("*.eml"))[:-MOST_FILES]:
            old.unlink(missing_ok=True)
