"""Checks the locks without asking anybody: every package in them has one exact version and hashes, and none is missing.

`make lint` runs it. Whether a locked version has a known weakness is for `make audit`, which needs the internet.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LOCKS: Final = ("locks/run.txt", "locks/dev.txt")
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
    run, dev = (locked[lock] for lock in LOCKS)
    for name, version in run.items():
        if dev.get(name) != version:
            yield f"{LOCKS[1]}: {name} is not the {version} of {LOCKS[0]}; test what is run: `make lock`."
    for name in sorted(_wanted(root) - dev.keys()):
        yield f"{LOCKS[1]}: {name} stands in pyproject.toml and is not locked; run `make lock`."


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


def _wanted(root: Path) -> set[str]:
    """Every package that pyproject.toml names."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    groups = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    groups += project["dependency-groups"].values()
    names = [_REQUIREMENT.match(each) for group in groups for each in group if isinstance(each, str)]
    return {_normal(name[0]) for name in names if name}


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
