"""Standings in plain characters, and sentences that are the same in every game."""

from collections.abc import Callable, Collection, Sequence
from gettext import NullTranslations
from typing import Final

from service.ui.marrakech.names import fitted
from service.ui.protocol import Row, Standings

WIDTH: Final = 72
_SHORTEST_NAME: Final = 10
_LONGEST_NAME: Final = 20


def name_winners(winners: Sequence[int], names: Sequence[str], translations: NullTranslations) -> str:
    """Who has won, in a sentence."""
    gettext = translations.gettext
    named = [names[seat] for seat in winners]
    if len(named) == 1:
        return gettext("%(name)s wins.") % {"name": named[0]}
    listed = gettext("%(some)s and %(last)s") % {"some": ", ".join(named[:-1]), "last": named[-1]}
    return gettext("%(names)s share the win.") % {"names": listed}


def standings_lines(
    standings: Standings, to_act: Collection[int], gettext: Callable[[str], str], width: int = WIDTH
) -> list[str]:
    """A line for each seat below a line of titles; `>` marks the seats that are to act. The name gets the room left."""
    rows = standings.rows
    titles = [column.short_title for column in standings.columns]
    numbers = [max(len(title), *(len(row.cells[place]) for row in rows)) for place, title in enumerate(titles)]
    chips, notes = [_chips(row) for row in rows], [_note(row, gettext) for row in rows]
    chips_title = gettext("Colours") if any(chips) else ""
    chips_width = max(map(len, [chips_title, *chips]))
    room = width - 2 - sum(1 + each for each in [*numbers, *filter(None, (chips_width, max(map(len, notes))))])
    name_width = max(_SHORTEST_NAME, min(_LONGEST_NAME, room))

    def line(mark: str, name: str, chip: str, cells: list[str], note: str) -> str:
        parts = [fitted(name, name_width), *([fitted(chip, chips_width)] if chips_width else []), *cells, note]
        return f"{mark} {' '.join(parts)}".rstrip()

    head = line(" ", gettext("Name"), chips_title, [t.rjust(n) for t, n in zip(titles, numbers, strict=True)], "")
    return [
        head,
        *(
            line(
                ">" if row.seat in to_act else " ",
                row.name,
                chip,
                [cell.rjust(number) for cell, number in zip(row.cells, numbers, strict=True)],
                note,
            )
            for row, chip, note in zip(rows, chips, notes, strict=True)
        ),
    ]


def _chips(row: Row) -> str:
    return " ".join(chip.label for chip in row.chips)


def _note(row: Row, gettext: Callable[[str], str]) -> str:
    return row.note if row.active else gettext("(out)")
