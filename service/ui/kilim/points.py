"""The points of a carpet explained, one line for each way to score, with the squares that each is about."""

from collections.abc import Mapping, Sequence
from gettext import NullTranslations
from typing import NamedTuple

from service.engine.json_reader import Json
from service.engine.kilim.carpet import SIZE, SQUARES, bounds
from service.engine.kilim.pieces import MOTIFS
from service.text import join_names
from service.ui.kilim.carpets import find_groups
from service.ui.kilim.standings import TITLES


class Explanation(NamedTuple):
    """One of the five ways to score."""

    field: str
    title: str
    points: int
    words: str
    squares: str
    """The names of the squares that it is about."""


def explain_points(view: Json, seat: int, translations: NullTranslations) -> list[Explanation]:
    """Explain the points of one seat, in the order of the standings."""
    gettext, own = translations.gettext, view["seats"][seat]
    carpet = own["carpet"]
    groups = find_groups(carpet)
    explained = {
        "rectangle": _explain_rectangle(carpet, translations),
        "motifs": _explain_motifs(carpet, translations),
        "groups": _explain_groups(groups, translations),
        "largest": _explain_largest(view, seat, groups, translations),
        "torn": _explain_torn(carpet, translations),
    }
    return [
        Explanation(field, gettext(TITLES[field][0]), own["points"][field], words, " ".join(squares))
        for field, (words, squares) in explained.items()
    ]


def _explain_rectangle(carpet: Json, translations: NullTranslations) -> tuple[str, Sequence[str]]:
    if not carpet:
        return translations.gettext("A carpet that fills a rectangle counts 10."), ()
    west, east, south, north = bounds([SQUARES[square] for square in carpet])
    columns, rows = east - west + 1, north - south + 1
    free = [
        square
        for square, at in SQUARES.items()
        if west <= at % SIZE <= east and south <= at // SIZE <= north and square not in carpet
    ]
    size = {"columns": columns, "rows": rows}
    if not free:
        words = translations.gettext("Your carpet fills a rectangle of %(columns)s by %(rows)s squares.")
        return words % size, list(carpet)
    words = translations.ngettext(
        "A full rectangle counts 10. One square of %(columns)s by %(rows)s is missing.",
        "A full rectangle counts 10. %(num)s squares of %(columns)s by %(rows)s are missing.",
        len(free),
    )
    return words % {**size, "num": len(free)}, free


def _explain_motifs(carpet: Json, translations: NullTranslations) -> tuple[str, Sequence[str]]:
    gettext = translations.gettext
    shown = [motif for motif in MOTIFS if any(cell["shows"] == motif for cell in carpet.values())]
    words = gettext("Exactly three motifs count 10, all five count 5.")
    if shown:
        names = join_names([gettext(motif) for motif in shown], translations)
        words += " " + gettext("You show %(motifs)s.") % {"motifs": names}
    return words, [square for square, cell in carpet.items() if cell["shows"] in shown]


def _explain_groups(groups: Sequence[Sequence[str]], translations: NullTranslations) -> tuple[str, Sequence[str]]:
    gettext = translations.gettext
    words = gettext("A group of squares with the same motif counts one less than its squares.")
    if groups:
        sizes = ", ".join(map(str, sorted(map(len, groups), reverse=True)))
        words += " " + gettext("The sizes of your groups: %(sizes)s.") % {"sizes": sizes}
    return words, [square for group in groups for square in group]


def _explain_largest(
    view: Json, seat: int, groups: Sequence[Sequence[str]], translations: NullTranslations
) -> tuple[str, Sequence[str]]:
    gettext, carpet = translations.gettext, view["seats"][seat]["carpet"]
    largest = [_measure_groups(each["carpet"]) for each in view["seats"] if not each["out"] and each["seat"] != seat]
    own = _measure_groups(carpet)
    won = [motif for motif in MOTIFS if all(own.get(motif, 0) > others.get(motif, 0) for others in [{}, *largest])]
    words = gettext("For each motif, the player with the largest group gets 5. If players tie, nobody does.")
    if won:
        names = join_names([gettext(motif) for motif in won], translations)
        words += " " + gettext("You have the largest: %(motifs)s.") % {"motifs": names}
    squares = [
        square
        for group in groups
        for square in group
        if carpet[group[0]]["shows"] in won and len(group) == own[carpet[group[0]]["shows"]]
    ]
    return words, squares


def _measure_groups(carpet: Json) -> Mapping[str, int]:
    """The size of the largest group of each motif."""
    sizes: dict[str, int] = {}
    for group in find_groups(carpet):
        motif = carpet[group[0]]["shows"]
        sizes[motif] = max(sizes.get(motif, 0), len(group))
    return sizes


def _explain_torn(carpet: Json, translations: NullTranslations) -> tuple[str, Sequence[str]]:
    torn = [square for square, cell in carpet.items() if cell["shows"] == "torn"]
    words = translations.gettext("Each torn square costs 3. A scrap can cover it.")
    if torn:
        words += " " + translations.gettext("Torn: %(squares)s.") % {"squares": join_names(torn, translations)}
    return words, torn
