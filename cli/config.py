"""What the client remembers between two commands: servers, tokens, links and the game in hand."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from gettext import gettext as say
from pathlib import Path
from typing import Any, Final

from cli.errors import Trouble, Usage

FOLDER: Final = "marrakech"
FILE: Final = "servers.json"


@dataclass
class Known:
    """What is remembered of one server."""

    token: str | None = None
    email: str | None = None
    game: str | None = None
    """The game that `use` has taken in hand."""
    links: dict[str, str] = field(default_factory=dict)
    """For a game the end of a link out of a letter: `t/TOKEN` or `s/TOKEN`."""


def folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The platform's place for settings; `XDG_CONFIG_HOME` is heard everywhere."""
    chosen = environ.get("XDG_CONFIG_HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen) / FOLDER
    if platform == "win32" and environ.get("APPDATA"):
        return Path(environ["APPDATA"]) / FOLDER
    home = Path(environ.get("HOME") or Path.home())
    return home / ("Library/Application Support" if platform == "darwin" else ".config") / FOLDER


class Memory:
    """The file with the tokens; only its owner may read it."""

    def __init__(self, place: Path | None = None) -> None:
        self.path = (place or folder()) / FILE
        self.current: str | None = None
        self.servers: dict[str, Known] = {}
        self._read()

    def known(self, server: str) -> Known:
        """What is remembered of the server; changes are kept once `save` is called."""
        return self.servers.setdefault(server, Known())

    def save(self) -> None:
        """Write it down at once or not at all: a full disk or a lost battery leaves the old file."""
        text = json.dumps({"current": self.current, "servers": {name: asdict(k) for name, k in self.servers.items()}})
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{FILE}.")  # mode 0600 from its first moment
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                Path(name).replace(self.path)
            except BaseException:
                with suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as trouble:
            sentence = say(
                "%(path)s cannot be written (%(why)s); make room or give this user the right to write there."
            )
            raise Trouble(sentence % {"path": self.path, "why": trouble.strerror}) from trouble

    def _read(self) -> None:
        try:
            value = json.loads(self.path.read_text("utf-8"))
            self.current = value["current"]
            self.servers = {name: Known(**kept) for name, kept in value["servers"].items()}
        except FileNotFoundError:
            return
        except OSError as trouble:
            sentence = say("%(path)s cannot be read (%(why)s); give this user the right to read it.")
            raise Usage(sentence % {"path": self.path, "why": trouble.strerror}) from trouble
        except (ValueError, KeyError, TypeError, AttributeError) as trouble:
            sentence = say("%(path)s is not as this client writes it; remove it and sign in again.")
            raise Usage(sentence % {"path": self.path}) from trouble

    def as_shown(self) -> dict[str, Any]:
        """What may be shown of it: never a token."""
        return {
            "file": str(self.path),
            "servers": [
                {"server": name, "signed_in": kept.token is not None, "email": kept.email, "links": sorted(kept.links)}
                for name, kept in sorted(self.servers.items())
            ],
        }
