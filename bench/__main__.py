"""Run the benchmarks, print their table and write it to docs/benchmarks.md."""

import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.load import CLIENTS, Load, run_load
from bench.servers import Stage, add_finished_games, new_tables, postgres_stage, sqlite_stage
from bench.small import client_seconds, games_per_second, letter_milliseconds, page_milliseconds

PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks.md"
NOTES: Final = "<!-- Written by hand from here on. -->"
PACKAGES: Final = ("flask", "peewee", "waitress", "gunicorn", "psycopg", "typer")
ROUNDS, SECONDS = 5, 4.0
FEW, MANY = 100, 100_000


class Row(NamedTuple):
    """One line of the table. A goal is given only if a busy machine can't break it."""

    name: str
    figure: str
    bound: str = ""
    reached: bool | None = None


def small_rows() -> Iterator[Row]:
    """The engine, an e-mail, a page and the client, on SQLite."""
    yield Row("random games of 4 players", f"{games_per_second():,.0f} games/s")
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as name, sqlite_stage(Path(name)) as stage:
        page, bare = page_milliseconds(stage.ctx)
        yield Row("a table page", f"{page:.1f} ms; a bare Flask template {bare:.1f} ms")
        letter = letter_milliseconds(stage.ctx)
        yield Row("composing a turn e-mail with its picture", f"{letter:.0f} ms", "below 100 ms", letter < 100)
        for what, (ours, other) in client_seconds(stage, Path(name)).items():
            words = {
                "version": "`marrakech-cli --version` / `import typer`",
                "show": "`marrakech-cli show` / a script that fetches the same data",
            }[what]
            ratio = ours / other
            figure = f"{ours * 1000:.0f} ms / {other * 1000:.0f} ms = {ratio:.2f}"
            yield Row(words, figure, "at most 1.5", ratio <= 1.5)


def action_rows(
    name: str, stage_on: Callable[[Path], AbstractContextManager[Stage]], share: float, p99: float | None
) -> Iterator[Row]:
    """Durable actions compared with bare INSERTs, and again with many finished games in the database."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as folder, stage_on(Path(folder)) as stage:
        add_finished_games(stage.ctx, FEW)
        rounds = [_round(stage) for _ in range(ROUNDS)]
        ours, bare = median(each.rate for each, _ in rounds), median(each.rate for _, each in rounds)
        figure = f"{ours:.0f}/s; bare INSERT {bare:.0f}/s; share {ours / bare:.2f}"
        yield Row(f"{name}: durable actions, {CLIENTS} clients", figure, f"share of {share}", ours / bare >= share)
        slowest = median(each.p99 for each, _ in rounds) * 1000
        bare_slowest = median(each.p99 for _, each in rounds) * 1000
        figure = f"{slowest:.0f} ms; bare INSERT {bare_slowest:.0f} ms"
        bound = f"below {p99:.0f} ms" if p99 else ""
        yield Row(f"{name}: p99 of these actions", figure, bound, slowest < p99 if p99 else None)
        add_finished_games(stage.ctx, MANY)
        many = [_round(stage) for _ in range(ROUNDS)]
        # Each is compared with the bare INSERTs of its own rounds, because the machine may have slowed down.
        shares = [median(each.rate / other.rate for each, other in given) for given in (rounds, many)]
        growth = shares[0] / shares[1]
        figure = f"{median(each.rate for each, _ in many):.0f}/s; an action takes {growth:.2f} times as long"
        yield Row(f"{name}: the same with {MANY:,} games instead of {FEW}", figure, "at most 1.2", growth <= 1.2)


def _round(stage: Stage) -> tuple[Load, Load]:
    tables = new_tables(stage.ctx, 10)
    return run_load(stage.port, SECONDS, tables), run_load(stage.bare_port, SECONDS, None)


def machine_rows() -> Iterator[tuple[str, str]]:
    """The machine and the versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield "processor", f"{_processor()}, {os.cpu_count()} cores"
    yield "memory", f"{memory:.1f} GiB"
    yield "system", f"{platform.system()} {platform.release().partition('-')[0]}"
    yield "Python", f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield "packages", ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    yield "day", datetime.now(UTC).date().isoformat()


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main() -> None:
    """Measure everything, print the table and write the page."""
    rows: list[Row] = []
    parts = [
        small_rows(),
        action_rows("SQLite, waitress", sqlite_stage, 0.45, 150),
        action_rows("PostgreSQL, gunicorn", postgres_stage, 0.35, None),
    ]
    for part in parts:
        for row in part:
            rows.append(row)
            reached = {None: "", True: "yes", False: "NO"}[row.reached]
            print(f"{row.name:60} {row.figure:60} {row.bound:16} {reached}", flush=True)
    PAGE.write_text(_page(rows))
    sys.stdout.write(f"Wrote {PAGE.name}.\n")


def _page(rows: list[Row]) -> str:
    table = [
        f"| {row.name} | {row.figure} | {row.bound} | {'' if row.reached is None else 'yes' if row.reached else 'NO'} |"
        for row in rows
    ]
    by_hand = PAGE.read_text().partition(NOTES)[2] if PAGE.exists() else ""
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "`make bench` writes this table. Clients and servers share the machine, and the worker is off. Times of",
            "the engine, the e-mail, the page and the client are processor time.",
            "",
            "| what | measured | goal | reached |",
            "| --- | --- | --- | --- |",
            *table,
            "",
            "| machine | |",
            "| --- | --- |",
            *(f"| {name} | {value} |" for name, value in machine_rows()),
            "",
            NOTES,
        ]
    ) + (by_hand or "\n")


if __name__ == "__main__":
    main()
