"""The locks pin every package to one version with hashes, and a breach of that is found."""

import shutil
from pathlib import Path

import pytest

from tools.locks_check import LOCKS, complaints

ROOT = Path(__file__).parents[2]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the locks in which something can be wrong."""
    (tmp_path / "locks").mkdir()
    for name in ("pyproject.toml", *LOCKS):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def change(house: Path, lock: str, old: str, new: str) -> None:
    path = house / lock
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def only_complaint(house: Path) -> str:
    (sentence,) = complaints(house)
    return sentence


def test_the_locks_are_sound(house: Path) -> None:
    assert list(complaints(house)) == []


def test_a_package_without_a_version_is_found(house: Path) -> None:
    path = house / LOCKS[-1]
    path.write_text(path.read_text() + "left-pad>=1\n")
    assert "'left-pad>=1' is not one exact version" in only_complaint(house)


@pytest.mark.parametrize(
    "line", ["left-pad @ https://example.org/left-pad.whl", "-e .", "--index-url https://example.org"]
)
def test_a_package_from_elsewhere_is_found(house: Path, line: str) -> None:
    path = house / LOCKS[-1]
    path.write_text(path.read_text() + f"{line}\n")
    assert "is not one exact version" in only_complaint(house)


def test_a_package_without_a_hash_is_found(house: Path) -> None:
    path = house / LOCKS[-1]
    path.write_text(path.read_text() + "left-pad==1.0\n")
    assert "left-pad has no SHA-256 hash" in only_complaint(house)


@pytest.mark.parametrize(("lock", "package"), [(LOCKS[2], "aiosmtpd"), (LOCKS[2], "gunicorn")])
def test_a_package_that_is_tested_in_another_version_than_it_is_run_is_found(
    house: Path, lock: str, package: str
) -> None:
    change(house, lock, f"{package}==", f"{package}==0")
    assert f"{package} is not the " in only_complaint(house)


@pytest.mark.parametrize(
    ("wanted", "locks"), [("flask>=3.1", LOCKS), ("gunicorn>=23", LOCKS[1:]), ("html5lib>=1.1", LOCKS[2:])]
)
def test_a_package_that_is_wanted_and_not_locked_is_found(house: Path, wanted: str, locks: tuple[str, ...]) -> None:
    change(house, "pyproject.toml", f'"{wanted}"', f'"{wanted}", "Left.Pad>=1"')
    found = list(complaints(house))
    assert found == [f"{lock}: left-pad stands in pyproject.toml and is not locked; run `make lock`." for lock in locks]
