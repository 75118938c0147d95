"""Standings, also in plain characters, and names and sentences that are the same in every game."""

from collections.abc import Collection, Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple

from rich.cells import cell_len

from service.engine.json_reader import Json
from service.i18n import Gettext
from service.text import WIDTH, clean, join_names, pad_or_truncate

_SHORTEST_NAME: Final = 10
_LONGEST_NAME: Final = 20
_MOST_WITH_NOTES: Final = 4
"""Numbers beside which a line has room for notes."""


class Chip(NamedTuple):
    """A coloured label beside a player's name."""

    colour: str
    """The colour's English name, of which pages make a CSS class."""
    label: str
    fill: str
    ink: str


class Column(NamedTuple):
    """A column of the standings."""

    title: str
    short_title: str
    """For plain text."""
    decides: bool = False
    """Whether this number decides who wins; it is printed bold."""


class Row(NamedTuple):
    """A seat in the standings."""

    seat: int
    name: str
    cells: tuple[str, ...]
    """One for each column."""
    chips: tuple[Chip, ...] = ()
    note: str = ""
    active: bool = True


class Standings(NamedTuple):
    """The standings, as a table for pages, letters and plain text."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def seat_name(seat: Json) -> str:
    """The name of the player in a seat, or the seat's number if nothing of the name is visible."""
    return clean(seat["name"] or "") or f"Seat {seat['seat'] + 1}"


def name_winners(winners: Sequence[int], names: Sequence[str], translations: NullTranslations) -> str:
    """Who has won, in a sentence."""
    named = join_names([names[seat] for seat in winners], translations)
    if len(winners) == 1:
        return translations.gettext("%(name)s wins.") % {"name": named}
    return translations.gettext("%(names)s share the win.") % {"names": named}


def standings_lines(standings: Standings, to_act: Collection[int], gettext: Gettext, width: int = WIDTH) -> list[str]:
    """A line of titles and one for each seat; `>` marks the seats to act. Names get the remaining width.

    With many numbers there is no room for notes: they replace the numbers of players who are out.
    """
    chips = [" ".join(chip.label for chip in row.chips) for row in standings.rows]
    notes = [row.note if row.active else gettext("(out)") for row in standings.rows]
    # A title above single letters would leave less room for the names.
    has_words = any(len(chip.label) > 1 for row in standings.rows for chip in row.chips)
    columns = [[gettext("Colours") if has_words else "", *chips]]
    for place, column in enumerate(standings.columns):
        numbers = [row.cells[place] for row in standings.rows]
        column_width = max(cell_len(column.short_title), *map(len, numbers))
        title = pad_or_truncate(column.short_title, column_width)
        columns.append([title, *(number.rjust(column_width) for number in numbers)])
    is_wide = len(standings.columns) > _MOST_WITH_NOTES
    columns += [] if is_wide else [["", *notes]]
    widths = [max(map(cell_len, column)) for column in columns]
    room = width - 2 - sum(each + 1 for each in widths if each)
    name_width = max(_SHORTEST_NAME, min(_LONGEST_NAME, room))
    marks = [" ", *(">" if row.seat in to_act else " " for row in standings.rows)]
    names = [gettext("Name"), *(row.name for row in standings.rows)]
    lines = []
    for mark, name, note, *cells in zip(marks, names, ["", *notes], *columns, strict=True):
        padded = [pad_or_truncate(cell, each) for cell, each in zip(cells, widths, strict=True) if each]
        if is_wide and note:
            padded[-len(standings.columns) :] = [note]
        lines.append(" ".join([mark, pad_or_truncate(name, name_width), *padded]).rstrip())
    return lines
