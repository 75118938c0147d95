"""The words around carpets in plain text: the round, what is on offer, what a player owes and has, and the points."""

from collections.abc import Iterable, Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.text import clean, pad_or_truncate
from service.ui.kilim.pieces import TOKEN_WORDS, name_card, name_piece, name_token

LONGEST_NAME: Final = 20
_BIDDING: Final = ("spy", "pay")
"""The phases in which cards are shown and some seats add gold."""
KEEP: Final = "\xa0"
"""A space at which a line isn't broken, until it is broken elsewhere."""


def tell_round(view: Json, translations: NullTranslations, seat: Json | None = None) -> list[str]:
    """The round and what is on offer, the cards that are shown, and what a seat owes and holds."""
    gettext = translations.gettext
    if view["result"]:
        return []
    lines = [_name_round(view, translations)]
    if view["phase"] in _BIDDING:
        cards = _list_shown(view["shown"], view["seats"], translations)
        lines.append(gettext("Shown: %(cards)s.") % {"cards": cards})
    if seat is None:
        return lines
    if seat["owes"]["weave"]:
        lines.append(gettext("To weave: %(dominoes)s.") % {"dominoes": " ".join(seat["owes"]["weave"])})
    held = _list_unused(view, seat, translations)
    return [*lines, *([gettext("Unused: %(pieces)s.") % {"pieces": list_items(held)}] if held else [])]


def _name_round(view: Json, translations: NullTranslations) -> str:
    gettext, sentences = translations.gettext, []
    if view["phase"] == "evening":
        return gettext("It's the evening of day %(day)s.") % view
    if view["round"]:
        sentences.append(gettext("Day %(day)s, round %(round)s of %(rounds)s.") % view)
    if view["offer"]:
        sentences.append(gettext("On offer: %(dominoes)s.") % {"dominoes": " ".join(view["offer"])})
    return " ".join(sentences)


def _list_shown(cards: Sequence[int | str | None], seats: Sequence[Json], translations: NullTranslations) -> str:
    return list_items(
        f"{name_seat(seat)} {name_card(card, translations)}"
        for seat, card in zip(seats, cards, strict=True)
        if card is not None
    )


def _list_unused(view: Json, seat: Json, translations: NullTranslations) -> list[str]:
    """The perfect dominoes, scraps and the token that a seat can still use; other players' scraps are only counted."""
    held = list(seat["perfect"])
    if seat["seat"] == view["you"]:
        held += [name_piece(scrap, translations) for scrap in view["mine"]["scraps"]]
    elif seat["scraps"]:
        held.append(translations.ngettext("one scrap", "%(num)s scraps", seat["scraps"]) % {"num": seat["scraps"]})
    if seat["token"] and not seat["token"]["used"]:
        held.append(name_token(seat["token"]["token"], translations))
    return held


def tell_cards(view: Json, seat: Json, translations: NullTranslations) -> list[str]:
    """The cards that a seat has left today, its sealed one, and what a bag or an artisan can still win today."""
    gettext = translations.gettext
    if view["phase"] in {"evening", "over"} or not view["round"] or seat["out"]:
        return []
    sealed = _find_sealed(view) if seat["seat"] == view["you"] else None
    left = [card for card in (*seat["gold"], *seat["specials"]) if card != sealed]
    cards = gettext("Cards: %(cards)s.") % {
        "cards": " ".join(gettext(str(card)) for card in left) or gettext("nothing")
    }
    if sealed:
        cards += " " + gettext("Sealed: %(card)s.") % {"card": name_card(sealed, translations)}
    tokens = list_items(gettext(TOKEN_WORDS[token]) for token in view["tokens"]) or gettext("nothing")
    stock = gettext("Scraps in the bag: %(number)s.") % {"number": view["bag_left"]}
    return [cards, f"{stock} {gettext('Tokens: %(tokens)s.') % {'tokens': tokens}}"]


def _find_sealed(view: Json) -> int | str | None:
    """The card or the bid that the reader has chosen in this phase."""
    sealed: int | str | None = None
    if view["phase"] in _BIDDING:
        sealed = view["mine"]["bid"]
    elif view["phase"] == "choose":
        sealed = view["mine"]["card"]
    return sealed


def tell_points(view: Json, translations: NullTranslations) -> str:
    """Everybody's points."""
    each = list_items(f"{name_seat(seat)} {seat['points']['total']}" for seat in view["seats"])
    return translations.gettext("Points: %(points)s.") % {"points": each}


def name_seat(seat: Json) -> str:
    """A player's name on one line."""
    return pad_or_truncate(clean(seat["name"] or "") or str(seat["seat"] + 1), LONGEST_NAME).rstrip()


def list_items(items: Iterable[str]) -> str:
    """The items with commas, after which a line can be broken."""
    return ", ".join(item.replace(" ", KEEP) for item in items)
