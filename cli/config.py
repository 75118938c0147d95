"""The client's configuration file: servers, tokens, links and the current game."""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from cli.errors import CliError, UsageError

FOLDER: Final = "marrakech"
FILE: Final = "servers.json"


@dataclass
class ServerConfig:
    """What is stored for one server."""

    token: str | None = None
    email: str | None = None
    game: str | None = None
    """The current game, set by `use`."""
    links: dict[str, str] = field(default_factory=dict)
    """For each game, the end of a link from a letter: `t/TOKEN` or `s/TOKEN`."""


def config_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The platform's folder for settings; `XDG_CONFIG_HOME` takes precedence on all platforms."""
    chosen = environ.get("XDG_CONFIG_HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen) / FOLDER
    if platform == "win32" and environ.get("APPDATA"):
        return Path(environ["APPDATA"]) / FOLDER
    home = Path(environ.get("HOME") or Path.home())
    return home / ("Library/Application Support" if platform == "darwin" else ".config") / FOLDER


class Config:
    """The file with the tokens. Only its owner can read it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or config_folder()) / FILE
        self.current: str | None = None
        self.servers: dict[str, ServerConfig] = {}
        self._read()

    def server(self, url: str) -> ServerConfig:
        """What is stored for the server; `save` writes changes."""
        return self.servers.setdefault(url, ServerConfig())

    def save(self) -> None:
        """Replace the file atomically, so that a full disk or a crash leaves the old one."""
        import tempfile

        servers = {url: asdict(server) for url, server in self.servers.items()}
        text = json.dumps({"current": self.current, "servers": servers})
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{FILE}.")  # created with mode 0600
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                Path(name).replace(self.path)
            except BaseException:
                with suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            message = f"Can't write {self.path} ({error.strerror}). Check its permissions and the free disk space."
            raise CliError(message) from error

    def _read(self) -> None:
        try:
            value = json.loads(self.path.read_text("utf-8"))
            self.current = value["current"]
            self.servers = {url: ServerConfig(**kept) for url, kept in value["servers"].items()}
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"Can't read {self.path} ({error.strerror}). Check its permissions.") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"The file {self.path} is damaged. Delete it and sign in again.") from error

    def without_secrets(self) -> dict[str, Any]:
        """The parts that may be shown: no tokens."""
        return {
            "file": str(self.path),
            "servers": [
                {"server": url, "signed_in": kept.token is not None, "email": kept.email, "links": sorted(kept.links)}
                for url, kept in sorted(self.servers.items())
            ],
        }
