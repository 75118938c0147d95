"""Dependencies are used as documented: no private names or internal modules, no patches, no subclasses of servers."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWN = {"service", "cli", "tests", "tools", "bench"}
INTERNAL = (
    *("waitress.channel.", "waitress.server.", "waitress.task.", "waitress.wasyncore.", "waitress.parser."),
    *("gunicorn.workers.", "gunicorn.arbiter.", "gunicorn.http.", "psycopg.pq.", "psycopg.generators."),
    *("werkzeug.routing.", "flask.globals.", "flask.ctx.", "typer.main.", "typer.core."),
)
NOT_SUBCLASSED = ("waitress.", "gunicorn.", "psycopg.", "flask.Flask.", "peewee.Sqlite", "peewee.Postgres")
DOCUMENTED = {
    "_meta": "peewee documents Model._meta for the names of tables and fields",
    "_replace": "named tuples of the standard library",
    "_asdict": "named tuples of the standard library",
    "_fields": "named tuples of the standard library",
    "_make": "named tuples of the standard library",
    "_exit": "os._exit is public in spite of its name",
}
PATCHERS = {"setattr", "delattr", "patch", "object"}
"""`setattr(…)`, `monkeypatch.setattr(…)`, `patch(…)` and `patch.object(…)`."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_" and name not in DOCUMENTED


def own_names(tree: ast.AST) -> Iterator[str]:
    """The names that a module of ours defines or assigns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def third_party_imports(tree: ast.AST) -> dict[str, str]:
    """The local names of what is imported from other distributions, with their full names."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or top(alias.name): alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return {local: full for local, full in found.items() if top(full) not in OWN | sys.stdlib_module_names}


def top(name: str) -> str:
    return name.partition(".")[0]


def full_name(node: ast.AST, imports: dict[str, str]) -> str:
    """The dotted name of what comes from another distribution; empty for everything else."""
    if isinstance(node, ast.Attribute):
        base = full_name(node.value, imports)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Constant):  # monkeypatch.setattr("package.module.name", …)
        return str(node.value) if top(str(node.value)) in {top(full) for full in imports.values()} else ""
    return imports.get(node.id, "") if isinstance(node, ast.Name) else ""


def find_misuse(tree: ast.AST, own: set[str]) -> Iterator[str]:
    """Describe each use of a dependency that its documentation doesn't offer."""
    imports = third_party_imports(tree)
    for full in imports.values():
        if f"{full}.".startswith(INTERNAL) or any(is_private(part) for part in full.split(".")):
            yield f"imports {full}"
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(bases=bases):
                parents = [full_name(base, imports) for base in bases]
                yield from (f"subclasses {name}" for name in parents if f"{name}.".startswith(NOT_SUBCLASSED))
                yield from (f"uses super().{name}" for name in inherited(node) if any(parents) and is_private(name))
            case ast.Attribute(attr=name) if is_private(name) and (full_name(node, imports) or name not in own):
                yield f"uses {ast.unparse(node)}"
            case ast.Attribute() if full_name(node, imports).startswith(INTERNAL):
                yield f"uses {full_name(node, imports)}"
            case ast.Assign(targets=targets):
                names = [full_name(target, imports) for target in targets if isinstance(target, ast.Attribute)]
                yield from (f"patches {name}" for name in names if name and not name.startswith("flask.g."))
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[patched, *_]):
                if called in PATCHERS and full_name(patched, imports):
                    yield f"patches {full_name(patched, imports)}"


def inherited(node: ast.ClassDef) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and ast.unparse(each.value) == "super()":
            yield each.attr


def test_dependencies_are_used_as_documented() -> None:
    paths = [path for folder in ("service", "cli", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    trees = {path.relative_to(ROOT): ast.parse(path.read_text()) for path in paths}
    own = {name for tree in trees.values() for name in own_names(tree)}
    found = [f"{path} {each}" for path, tree in trees.items() for each in find_misuse(tree, own)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "import waitress.server",
        "from waitress.channel import HTTPChannel",
        "from psycopg import pq",
        "from flask.globals import request_ctx",
        "from typer._click import core",
        "import flask\nflask._request_ctx_stack.top",
        "import waitress\nwaitress.task.ThreadedTaskDispatcher",
        "def trace(rule): return rule._trace",
        "from flask import Flask\nFlask.jinja_options = {}",
        "import peewee\nsetattr(peewee.Database, 'execute', None)",
        "import requests\ndef test(monkeypatch): monkeypatch.setattr(requests, 'get', None)",
        "import requests\ndef test(monkeypatch): monkeypatch.setattr('requests.get', None)",
        "from flask import Flask\nfrom unittest.mock import patch\npatch.object(Flask, 'run')",
        "from flask import Flask\nclass App(Flask): ...",
        "from gunicorn.workers.gthread import ThreadWorker\nclass Patient(ThreadWorker): ...",
        "import peewee\nclass Shared(peewee.SqliteDatabase): ...",
        "from aiosmtpd.smtp import SMTP\nclass Slow(SMTP):\n    def _own(self): super()._own()",
    ],
)
def test_misuse_is_found(source: str) -> None:
    assert list(find_misuse(ast.parse(source), own={"_own"}))


@pytest.mark.parametrize(
    "source",
    [
        "from flask import Flask, g\napp = Flask('x')\napp.json.sort_keys = False\ng.started = 1",
        "from service import paths\ndef test(monkeypatch): monkeypatch.setattr(paths, 'locales', None)",
        "import os\nos._exit(0)",
        "class Own:\n    def ask(self): return self._own",
        "from peewee import Model\nclass Game(Model): ...\nGame._meta.table_name",
    ],
)
def test_documented_use_is_fine(source: str) -> None:
    assert not list(find_misuse(ast.parse(source), own={"_own"}))
