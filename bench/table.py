"""The one table of all figures."""

import platform
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table


class Row(NamedTuple):
    """One figure, what was asked of it, and whether it got there (None: nothing was asked)."""

    what: str
    figure: str
    wanted: str
    reached: bool | None


REACHED: Final = {True: "yes", False: "NO", None: ""}


def print_table(rows: list[Row]) -> None:
    """Print the rows with the machine they were measured on."""
    table = Table(title=f"Python {platform.python_version()} on {platform.machine()}")
    for heading in ("what", "figure", "wanted", "reached"):
        table.add_column(heading)
    for row in rows:
        table.add_row(row.what, row.figure, row.wanted, REACHED[row.reached])
    Console(width=110).print(table)
