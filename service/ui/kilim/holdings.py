"""What every player of Kilim has besides a carpet, in words: cards, scraps, a token and perfect dominoes."""

from collections.abc import Iterator, Sequence
from gettext import NullTranslations
from itertools import groupby

from service.engine.json_reader import Json
from service.ui.protocol import Holdings


def describe_holdings(view: Json, names: Sequence[str], translations: NullTranslations) -> Holdings | None:
    """What each player has: the reader first, then the others in their order; None if nobody has anything."""
    gettext, seats = translations.gettext, [seat for seat in view["seats"] if not seat["out"]]
    if view["result"]:
        return None
    seats.sort(key=lambda seat: seat["seat"] != view["you"])
    things = {seat["seat"]: " + ".join(_list_things(view, seat, translations)) for seat in seats}
    if len(set(things.values())) == 1:
        lines = [gettext("Everyone: %(things)s") % {"things": text} for text in set(things.values()) if text]
    else:
        who = [gettext("You") if seat == view["you"] else names[seat] for seat in things]
        told = zip(who, things.values(), strict=True)
        lines = [gettext("%(name)s: %(things)s") % {"name": name, "things": text} for name, text in told if text]
    lines += _describe_prizes(view, translations)
    return Holdings(gettext("Cards and pieces"), lines) if lines else None


def _list_things(view: Json, seat: Json, translations: NullTranslations) -> Iterator[str]:
    gettext, ngettext = translations.gettext, translations.ngettext
    mine = view["mine"] if seat["seat"] == view["you"] else None
    if view["phase"] != "evening":
        yield _list_cards(seat, mine, translations) or gettext("no cards")
    if mine and mine["scraps"]:
        scraps = ", ".join(map(gettext, mine["scraps"]))
        yield ngettext("scrap %(scraps)s", "scraps %(scraps)s", len(mine["scraps"])) % {"scraps": scraps}
    elif seat["scraps"]:
        yield _count_scraps(seat["scraps"], translations)
    if seat["perfect"]:
        yield ", ".join(seat["perfect"])
    if seat["token"] and not seat["token"]["used"]:
        yield ngettext("token %(tokens)s", "tokens %(tokens)s", 1) % {"tokens": gettext(seat["token"]["token"])}


def _list_cards(seat: Json, mine: Json | None, translations: NullTranslations) -> str:
    """The cards that a seat has left, without those that the reader has sealed: 1-4, 7, spy."""
    sealed = {mine["card"], mine["bid"]} if mine else set()
    gold = [card for card in seat["gold"] if card not in sealed]
    runs = [[card for _, card in run] for _, run in groupby(enumerate(gold), lambda each: each[1] - each[0])]
    shown = [text for run in runs for text in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run))]
    return ", ".join([*shown, *(translations.gettext(card) for card in seat["specials"] if card not in sealed)])


def _describe_prizes(view: Json, translations: NullTranslations) -> Iterator[str]:
    """What the bag and the artisan can still win, while cards are chosen."""
    prizes = [_count_scraps(view["bag_left"], translations)] if view["bag_left"] else []
    if view["tokens"]:
        tokens = ", ".join(map(translations.gettext, view["tokens"]))
        words = translations.ngettext("token %(tokens)s", "tokens %(tokens)s", len(view["tokens"]))
        prizes.append(words % {"tokens": tokens})
    if view["phase"] == "choose" and prizes:
        yield translations.gettext("Left to win today: %(things)s") % {"things": " + ".join(prizes)}


def _count_scraps(number: int, translations: NullTranslations) -> str:
    return translations.ngettext("%(number)s scrap", "%(number)s scraps", number) % {"number": number}
