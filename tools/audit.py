"""Asks whether anything that is locked has a known weakness: `pip-audit` on the largest lock, which has all packages.

`make audit` fails where that could not be found out; `make lint` says so in one line and goes on, for it must work
without the internet. Where the answer is yes, both fail.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tools.locks_check import LOCKS

_SECONDS_FOR_AN_ANSWER: Final = 5
_SECONDS_FOR_ALL: Final = 120
_MOST_SAID: Final = 200
_GOES_ON: Final = "--where-possible"


class NoAnswer(Exception):
    """Nobody could be asked: one sentence."""


def report_on(lock: Path, *options: str) -> list[Any]:
    """What is known of each package in a lock."""
    words = ["--requirement", str(lock), "--require-hashes", "--disable-pip", "--vulnerability-service", "osv"]
    words += ["--format", "json", "--progress-spinner", "off", "--timeout", str(_SECONDS_FOR_AN_ANSWER), *options]
    command = [sys.executable, "-m", "pip_audit", *words]
    try:
        done = subprocess.run(  # noqa: S603 - the words are all ours
            command, capture_output=True, text=True, check=False, timeout=_SECONDS_FOR_ALL
        )
        report: list[Any] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"there was no answer within {_SECONDS_FOR_ALL} seconds") from None
    except ValueError:
        *_, last = done.stderr.strip().splitlines() or ["pip-audit said nothing"]
        away = "Connection" in last or "Timeout" in last
        raise NoAnswer("who knows of them cannot be reached from here" if away else last[:_MOST_SAID]) from None
    return report


def weaknesses(report: Sequence[Any]) -> Iterator[str]:
    """The known weaknesses, a sentence each."""
    for package in report:
        for found in package.get("vulns", []):
            cure = f"{' or '.join(found['fix_versions'])} is sound" if found["fix_versions"] else "there is no cure yet"
            yield f"{package['name']} {package['version']} has a known weakness, {found['id']}; {cure}."


def main(arguments: Sequence[str]) -> int:
    """Say what is known; 1 where something is, or where that could not be found out."""
    goes_on, options = _GOES_ON in arguments, [word for word in arguments if word != _GOES_ON]
    try:
        report = report_on(Path(LOCKS[-1]), *options)
    except NoAnswer as trouble:
        sys.stderr.write(f"The locks were not audited for known weaknesses: {trouble}\n")
        return 0 if goes_on else 1
    unknown = sorted(package["name"] for package in report if "skip_reason" in package)
    if unknown:
        sys.stderr.write(f"Not audited for known weaknesses: {', '.join(unknown)}\n")
    wrong = list(weaknesses(report))
    for sentence in wrong:
        sys.stderr.write(f"{sentence}\n")
    return 1 if wrong or (unknown and not goes_on) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
