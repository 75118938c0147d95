"""docs/benchmarks.md: the one table, the machine it was made on, and how a house grows."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.growth import FIGURES, STEPS, Growth
from bench.plot import growth_svg
from bench.table import REACHED, Row

DOCS: Final = Path(__file__).parent.parent / "docs"
PICTURE: Final = "growth.svg"

_OPENING: Final = """# Benchmarks

`make bench` has measured all of this and written this page; what is wanted is what the project has set itself. Figures
of two machines are best compared by their ratio to the first line, a plain loop in Python. Clients and mail servers of
the benchmarks run on the same machine as what they measure. Half of the load is half of what the same server has taken
in the seconds before. Where others share the host, a round at half of the load in which they had more than a hundredth
of its processors is called disturbed. It counts like all others; what the rest gave stands beside it.
"""
_GROWTH: Final = """## What grows with the number of games

Both databases, filled step by step with finished games of which everybody has ten. What one player waits for had better
stay where it is; only what concerns the whole house may grow with it.
"""


def write_page(rows: Sequence[Row], growths: Sequence[Growth], machine: Mapping[str, str], docs: Path = DOCS) -> None:
    """Write the page and its picture."""
    (docs / PICTURE).parent.mkdir(parents=True, exist_ok=True)
    (docs / PICTURE).write_text(growth_svg(growths), encoding="utf-8")
    (docs / "benchmarks.md").write_text(page(rows, growths, machine), encoding="utf-8")


def page(rows: Sequence[Row], growths: Sequence[Growth], machine: Mapping[str, str]) -> str:
    """The page in Markdown."""
    figures = [[row.what, row.figure, row.wanted, REACHED[row.reached]] for row in rows]
    grown = [
        [f"{figure.name}, {figure.unit}", growth.house, *(f"{number:,.{figure.digits}f}" for number in numbers)]
        for figure in FIGURES
        for growth in growths
        for numbers in [growth.numbers[figure]]
    ]
    parts = [
        _OPENING,
        _table(["made on", ""], machine.items()),
        _table(["what", "figure", "wanted", "reached"], figures),
        _GROWTH,
        f"![Small plots over 100 to 100,000 games]({PICTURE})\n",
        _table(["figure", "database", *(f"{games:,} games" for games in STEPS)], grown),
    ]
    return "\n".join(parts)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
