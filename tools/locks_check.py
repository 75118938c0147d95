"""Checks the locks without asking anybody: every package in them has one exact version and hashes, and none is missing.

`make lint` runs it. Whether a locked version has a known weakness is for `tools.audit`, which needs the internet.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

LOCKS: Final = ("locks/run.txt", "locks/deploy.txt", "locks/dev.txt")
"""What is run on a laptop, what is in the image, what is tested with: each has all that the one before it has."""
_PINNED: Final = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)(?:\[[a-z0-9,_-]+\])?==(?P<version>[0-9][^\s;*]*)(?: ;.*)?")
_HASH: Final = re.compile(r"--hash=sha256:[0-9a-f]{64}")
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def complaints(root: Path) -> Iterator[str]:
    """What is wrong with the locks, a sentence each."""
    locked: dict[str, dict[str, str]] = {lock: {} for lock in LOCKS}
    for lock in LOCKS:
        for number, words in _requirements((root / lock).read_text()):
            pinned, *hashes = words
            found = _PINNED.fullmatch(pinned)
            if found is None:
                yield f"{lock}:{number}: {pinned!r} is not one exact version of a package; run `make lock`."
                continue
            locked[lock][_normal(found["name"])] = found["version"]
            if not hashes or not all(_HASH.fullmatch(each) for each in hashes):
                yield f"{lock}:{number}: {found['name']} has no SHA-256 hash, or more than that; run `make lock`."
    for smaller, larger in pairwise(LOCKS):
        for name, version in locked[smaller].items():
            if locked[larger].get(name) != version:
                yield f"{larger}: {name} is not the {version} of {smaller}; test what is run: `make lock`."
    for lock, wanted in _wanted(root).items():
        for name in sorted(wanted - locked[lock].keys()):
            yield f"{lock}: {name} stands in pyproject.toml and is not locked; run `make lock`."


def _requirements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each requirement with its number of line: what is pinned, then its options."""
    joined, began = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        began = began if joined else number
        joined += line.removesuffix("\\")
        if not line.endswith("\\"):
            if joined.strip() and not joined.lstrip().startswith("#"):
                pinned, *options = re.split(r"\s+(?=--)", joined.strip())
                yield began, [pinned.strip(), *(option.strip() for option in options)]
            joined = ""


def _wanted(root: Path) -> dict[str, set[str]]:
    """The packages that pyproject.toml names for each lock."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    extras, groups = project["project"]["optional-dependencies"], project["dependency-groups"]
    run = _names(project["project"]["dependencies"], extras["server"], groups["build"])
    deploy = run | _names(*extras.values())
    return dict(zip(LOCKS, (run, deploy, deploy | _names(*groups.values())), strict=True))


def _names(*groups: list[Any]) -> set[str]:
    found = [_REQUIREMENT.match(each) for group in groups for each in group if isinstance(each, str)]
    return {_normal(name[0]) for name in found if name}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Say what is wrong; 1 where anything is."""
    wrong = list(complaints(Path.cwd()))
    for sentence in wrong:
        sys.stderr.write(f"{sentence}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
