"""Every call of the client is in the server's OpenAPI file, and all HTTP is in one module."""

import ast
import inspect
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from cli.api import Account, Game, Group, HttpClient, Lobby
from tests.cli.fake_servers import Answer, Received, fake_server
from tests.cli.players import LocalServer

CLI = Path(__file__).parents[2] / "cli"
EXAMPLES: dict[str, Any] = {
    "game": "x",
    "seat": 1,
    "invitation": "token",
    "name": "Ann",
    "email": "ann@example.org",
    "code": "ABCDEFGH",
    "text": "Hello",
    "head": 1,
    "do": "left",
    "salt": "s",
    "status": "playing",
    "after": 1,
    "since": "2026-01-01",
    "until": "2026-12-31",
    "width": 80,
    "height": 24,
    "ansi": True,
}
VIEW = dict.fromkeys(
    ("id", "game", "name", "status", "head", "turn", "to_act", "you", "deadline", "seats", "choices", "phase"), ""
)
ANYTHING: dict[str, Any] = {
    **VIEW,
    "view": VIEW,
    **dict.fromkeys(("detail", "token", "player", "email", "events", "format", "dice", "text", "story"), ""),
    **dict.fromkeys(("curve", "decisions", "rolls", "titles", "players", "records"), ""),
    "games": [],
    "messages": [],
    "sentences": [],
    "cursor": None,
}


def calls() -> list[Received]:
    """What each public method of each area asks for."""
    asked: list[Received] = []

    def answer(each: Received) -> Answer:
        asked.append(each)
        if each.path.partition("?")[0].endswith(".txt"):
            return 200, {"Content-Type": "text/plain"}, b""
        import json

        return 200, {"Content-Type": "application/json"}, json.dumps(ANYTHING).encode()

    with fake_server(answer) as server:
        http = HttpClient(server, print, print)
        for area in (Account(http, "token"), Group(http, "token"), Lobby(http, "token"), Game(http, "token", "x")):
            for name, method in inspect.getmembers(area, inspect.ismethod):
                if not name.startswith("_"):
                    answered = method(*[EXAMPLES[parameter] for parameter in inspect.signature(method).parameters])
                    if inspect.isgenerator(answered):
                        list(answered)
    return asked


def test_every_call_of_the_client_is_described(local: LocalServer) -> None:
    described = requests.get(f"{local.server}/api/v1/openapi.json", timeout=30).json()["paths"]
    made = calls()
    assert len(made) >= 14
    for each in made:
        parts = urlsplit(each.path.removeprefix("/api/v1"))
        found = [path for path in described if re.fullmatch(re.sub(r"\{.*?\}", "[^/]+", path), parts.path)]
        assert any(each.method.lower() in described[path] for path in found), each.path
        names = {
            parameter["name"] for path in found for parameter in described[path][each.method.lower()]["parameters"]
        }
        assert set(parse_qs(parts.query)) <= names, each.path


def test_nothing_else_in_the_client_speaks_http() -> None:
    speakers = {path.name for path in CLI.rglob("*.py") if imports(path) & {"requests", "urllib3", "http", "socket"}}
    assert speakers == {"api.py"}
    apart = [path.name for path in CLI.rglob("*.py") if "/api/" in path.read_text() and path.name != "links.py"]
    assert apart == []


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found
