"""Carpets in words, for readers who can't see the picture."""

from collections import Counter
from gettext import NullTranslations

from service.engine.json_reader import Json
from service.engine.kilim.carpet import SQUARES
from service.text import clean, join_names
from service.ui.tables import seat_name


def in_short(view: Json, translations: NullTranslations, seat: int | None = None) -> str:
    """What the picture of all carpets shows, or that of one seat's carpet, in one line."""
    gettext = translations.gettext
    words = {"name": clean(view["name"]) or "Kilim", "round": view["round"]}
    if seat is None:
        return gettext("%(name)s: all carpets in round %(round)s") % words
    who = seat_name(view["seats"][seat])
    return gettext("%(name)s: %(seat)s's carpet in round %(round)s") % {**words, "seat": who}


def in_words(view: Json, translations: NullTranslations, seat: int | None = None) -> str:
    """The position in a few sentences: all carpets and the reader's square by square, or only one seat's."""
    gettext = translations.gettext
    sentences = []
    if view["phase"] != "over":
        sentences.append(gettext("Day %(day)s, round %(round)s of %(rounds)s.") % view)
        offer = join_names(view["offer"], translations)
        sentences += [gettext("On offer: %(dominoes)s.") % {"dominoes": offer}] if offer else []
    shown = view["seats"] if seat is None else [view["seats"][seat]]
    sentences += [describe_carpet(each, translations) for each in shown]
    detailed = view["you"] if seat is None else seat
    if detailed is not None:
        sentences += describe_rows(view["seats"][detailed]["carpet"], translations)
    return " ".join(sentences)


def describe_carpet(seat: Json, translations: NullTranslations) -> str:
    """A player's points, and how often the carpet shows each motif."""
    gettext = translations.gettext
    who = f"{seat_name(seat)} ({', '.join(map(gettext, seat['colours']))})"
    if seat["out"]:
        return gettext("%(who)s is out.") % {"who": who}
    counts = Counter(half["shows"] for half in seat["carpet"].values())
    if not counts:
        return gettext("%(who)s has no carpet yet.") % {"who": who}
    shows = ", ".join(f"{gettext(shown)} {count}" for shown, count in sorted(counts.items()))
    words = {**seat["points"], "who": who, "shows": shows}
    return gettext("%(who)s: points %(total)s, squares %(squares)s (%(shows)s).") % words


def describe_rows(carpet: Json, translations: NullTranslations) -> list[str]:
    """What each square of a carpet shows, row by row from the top."""
    gettext = translations.gettext
    rows: dict[int, list[str]] = {}
    for square in sorted(carpet, key=SQUARES.__getitem__):
        half = carpet[square]
        shows = gettext(half["shows"])
        text = gettext("%(shows)s (scrap)") % {"shows": shows} if half["scrap"] else shows
        rows.setdefault(int(square[1:]), []).append(f"{square} {text}")
    return [
        gettext("Row %(row)s: %(squares)s.") % {"row": row, "squares": ", ".join(rows[row])}
        for row in sorted(rows, reverse=True)
    ]
