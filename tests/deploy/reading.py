"""Parses the files in deploy/, so that tests can run exactly the commands in them."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.servers import BIN

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = ("compose.yaml", "compose.many.yaml")
UNITS = sorted(path.name for path in (DEPLOY / "systemd").glob("*.service"))


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each on one line."""
    text = re.sub(r"^\s*#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def of_dockerfile(instruction: str) -> list[str]:
    return [rest for word, rest in instructions() if word == instruction]


def exec_form(words: str) -> list[str]:
    """A command in exec form, without a shell. Fails on another form."""
    command = json.loads(words)
    assert isinstance(command, list)
    return command


def health_check() -> list[str]:
    [check] = of_dockerfile("HEALTHCHECK")
    return exec_form(check.partition("CMD ")[2])


def compose(name: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text())
    return read


def unit(name: str) -> dict[str, list[str]]:
    """The settings of a unit. A name may have several values."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def started_by(name: str) -> list[str]:
    """The command that a unit runs, with the program's name only."""
    [command] = unit(name)["ExecStart"]
    program, *words = shlex.split(command)
    return [Path(program).name, *words]


def program(name: str) -> str:
    """The path of a program, in this environment or on this machine. Skips the test if there is none."""
    found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"{name} was not found; its file in deploy/ is checked by its text only.")
    return found
