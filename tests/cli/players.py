"""Players with a configuration folder of their own, who run commands of the client in this process."""

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import requests
from typer.testing import CliRunner

from cli.main import run
from service.auth.login import find_or_create_player
from service.context import AppContext
from tests.support.servers import BIN, open_mailbox

SCRIPT = BIN / "marrakech-cli"
UNSET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "BROWSER")
RUNNER = CliRunner()


class Result(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def problem(self) -> Any:
        """The one object on standard error."""
        (line,) = self.err.splitlines()
        return json.loads(line)


class Player:
    """A player with a configuration of their own; `token` is for preparing games without the client."""

    def __init__(self, folder: Path, server: str, token: str | None) -> None:
        self.folder, self.server, self.token = folder, server, token

    def settings(self, **more: str) -> dict[str, str | None]:
        """The environment variables of this player; None removes one."""
        unset = {name: None for name in os.environ if name.startswith("MARRAKECH_") or name in UNSET}
        return {**unset, "XDG_CONFIG_HOME": str(self.folder), "MARRAKECH_SERVER": self.server, **more}

    def environ(self, **more: str) -> dict[str, str]:
        """The environment for a process of its own."""
        return {name: value for name, value in {**os.environ, **self.settings(**more)}.items() if value is not None}

    def run(self, *words: str, typed: str = "", **environ: str) -> Result:
        """Run a command; only its exit code through `main`, its terminal and its installation need a process."""
        with RUNNER.isolation(input=typed, env=self.settings(**environ)) as (out, err, _):
            try:
                code = run(words)
            except SystemExit as end:  # after a shell completion
                code = int(end.code or 0)
            sys.stdout.flush()
            sys.stderr.flush()
            done = Result(code, out.getvalue().decode(), err.getvalue().decode())
        if self.token:
            assert self.token not in done.out + done.err
        assert "Traceback" not in done.err or "--debug" in words
        return done

    def run_ok(self, *words: str, typed: str = "", **environ: str) -> Result:
        """The same; it must succeed."""
        done = self.run(*words, typed=typed, **environ)
        assert done.code == 0, done
        return done

    def remember(self) -> None:
        """Write the configuration that `login` writes."""
        known: dict[str, Any] = {"token": self.token, "email": "somebody@example.org", "game": None, "links": {}}
        path = self.folder / "marrakech" / "servers.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"current": self.server, "servers": {self.server: known}}))

    def api(self, method: str, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.request(method, f"{self.server}/api/v1{path}", json=body, headers=headers, timeout=30)
        assert answer.status_code < 300, answer.text
        return answer.json()


class LocalServer(NamedTuple):
    """A real server, and its context for the links that only letters contain."""

    server: str
    ctx: AppContext
    folder: Path

    def player(self, name: str, folder: Path) -> Player:
        player = find_or_create_player(self.ctx, f"{name}@example.org")
        token = self.ctx.tokens.api(player.id, player.token_version)
        person = Player(folder / name, self.server, token)
        person.remember()
        return person

    def stranger(self, folder: Path) -> Player:
        """Someone who has never signed in."""
        return Player(folder / "stranger", self.server, None)

    def mailed_code(self, email: str) -> str:
        """The login code in the newest letter to this address; waits until the worker has sent it."""
        for _ in range(100):
            page = open_mailbox(self.server).text
            _, _, letter = page.partition(f"to {email}")
            if found := re.search(r"^([A-Z0-9]{8})$", letter.partition("</article>")[0], re.MULTILINE):
                return found[1]
            time.sleep(0.1)
        raise AssertionError(email)

    def turn_link(self, view: Any, seat: int) -> str:
        return f"{self.server}/t/{self.ctx.tokens.turn(view['id'], seat, view['turn'], 0)}"

    def seat_link(self, view: Any, seat: int) -> str:
        return f"{self.server}/s/{self.ctx.tokens.seat(view['id'], seat, 0)}"


def create_game(host: Player, *others: object, **options: object) -> Any:
    """Create a game in which the host begins; returns the view."""
    wish = {"game": "marrakech", "name": "Friday", "seats": list(others), "options": {"first": 0, **options}}
    return host.api("POST", "/games", wish)


def start_two_player_game(ann: Player, bo: Player, **options: object) -> Any:
    """Start a game of two; Ann is to act."""
    view = create_game(ann, {"open": True}, **options)
    bo.api("POST", f"/games/{view['id']}/join", {"invitation": view["invitation"]})
    return ann.api("GET", f"/games/{view['id']}")
