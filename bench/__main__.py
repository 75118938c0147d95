"""Run every benchmark, print one table, and write it to docs/benchmarks.md; or run a part and print that alone."""

import sys
from collections.abc import Callable, Sequence
from typing import Final

from bench.api import api_rows
from bench.calibration import calibrate
from bench.cli import cli_rows
from bench.drawing import drawing_rows
from bench.engine import engine_rows
from bench.growth import grown, growth_rows
from bench.letters import letter_rows
from bench.machine import machine
from bench.mail import mail_rows
from bench.page import write_page
from bench.pages import page_rows
from bench.table import Row, print_table


def _engine_rows() -> list[Row]:
    loops = calibrate()
    return [Row("calibration: plain Python loop", f"{loops / 1e6:.2f} M steps/s", "", None), *engine_rows(loops)]


PARTS: Final[dict[str, Callable[[], list[Row]]]] = {
    "engine": _engine_rows,
    "drawing": drawing_rows,
    "mail": mail_rows,
    "api": api_rows,
    "letters": letter_rows,
    "cli": cli_rows,
    "pages": page_rows,
    "growth": lambda: growth_rows(grown()),
}


def main(only: Sequence[str]) -> None:
    """Run the parts that are named, or all of them; only then is the page written."""
    unknown = sorted(set(only) - PARTS.keys())
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(PARTS)}.")
    if only:
        print_table([row for part in only for row in PARTS[part]()])
        return
    rows = [row for part, measure in PARTS.items() if part != "growth" for row in measure()]
    growths = grown()
    rows += growth_rows(growths)
    print_table(rows)
    write_page(rows, growths, machine())


if __name__ == "__main__":
    main(sys.argv[1:])
