"""The import rules hold, and a violation of each is found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the code, to break the rules in."""
    for package in ("service", "cli", "tools"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=checkout, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_import_rules_hold(checkout: Path) -> None:
    assert lint(checkout).returncode == 0


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("cli/main.py", "import service.engine.dice", "cli.main -> service.engine.dice"),
        ("service/engine/dice.py", "import random", "service.engine.dice imports random"),
        ("service/engine/dice.py", "from time import time", "service.engine.dice imports time"),
        ("service/engine/match.py", "import flask", "service.engine.match imports flask"),
        ("service/engine/match.py", "import service.admin.main", "service.engine.match imports service.admin.main"),
        ("service/engine/marrakech/rules.py", "import os", "service.engine.marrakech.rules imports os"),
        ("service/games/play.py", "import service.clocks.deadlines", "service.games.play -> service.clocks.deadlines"),
        ("service/routes/ops.py", "import service.mail.outbox", "service.routes.ops -> service.mail.outbox"),
        ("service/ui/protocol.py", "import service.db.models", "service.ui.protocol -> service.db.models"),
        ("service/mail/smtp.py", "import service.ui.marrakech", "service.mail.smtp -> service.ui.marrakech"),
    ],
)
def test_a_violation_is_found(checkout: Path, file: str, line: str, complaint: str) -> None:
    path = checkout / file
    path.write_text(f"{path.read_text()}\n{line}\n")
    done = lint(checkout)
    assert done.returncode == 1
    assert complaint in done.stdout
