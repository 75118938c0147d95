"""Every call that the client makes is in the server's description, and all HTTP is in one place."""

import ast
from collections.abc import Iterator
from pathlib import Path

import requests

from tests.cli.people import House

CLI = Path(__file__).parents[2] / "cli"
METHODS = {"GET", "POST", "PATCH", "DELETE", "PUT"}


def calls() -> Iterator[tuple[str, str]]:
    """The method and the path of each call in `cli/client.py`."""
    for node in ast.walk(ast.parse((CLI / "client.py").read_text())):
        match node:
            case ast.Call(args=[ast.Constant(value=str(method)), path, *_]) if method in METHODS:
                yield method, _path(path)


def _path(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "filled":
        node = node.args[0]
    assert isinstance(node, ast.Constant), ast.unparse(node)
    return str(node.value)


def test_every_call_of_the_client_is_described(house: House) -> None:
    described = requests.get(f"{house.server}/api/v1/openapi.json", timeout=30).json()["paths"]
    made = set(calls())
    assert len(made) >= 14
    assert {(method, path) for method, path in made if method.lower() not in described.get(path, {})} == set()


def test_nothing_else_in_the_client_speaks_http() -> None:
    speakers = {path.name for path in CLI.rglob("*.py") if imports(path) & {"requests", "urllib3", "http", "socket"}}
    assert speakers == {"connection.py"}
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
