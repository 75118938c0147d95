"""The events of a game of Marrakech in sentences, with the players' names; a reader's own action is told as "you"."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.i18n import Gettext, marked
from service.ui.tables import name_winners

_REASONS: Final = {
    "rugs_laid": marked("All rugs are laid."),
    "last_standing": marked("Only one player is left."),
}
_SENTENCES: Final = {
    "started": marked("%(seat)s begins; Assam stands on %(at)s and faces %(facing)s."),
    "faced": marked("%(seat)s sends Assam %(direction)s, to face %(facing)s."),
    "rolled": marked("%(seat)s rolls %(die)s."),
    "moved": marked("Assam walks %(path)s."),
    "eliminated": marked("%(seat)s cannot pay and is out."),
    "laid": marked("%(seat)s lays a %(colour)s rug on %(place)s."),
    "turned": marked("%(seat)s turns Assam %(direction)s, to face %(facing)s."),
    "resigned": marked("%(seat)s resigns."),
}
_OWN: Final = {
    "started": marked("You begin; Assam stands on %(at)s and faces %(facing)s."),
    "faced": marked("You send Assam %(direction)s, to face %(facing)s."),
    "rolled": marked("You roll %(die)s."),
    "eliminated": marked("You cannot pay and are out."),
    "laid": marked("You lay a %(colour)s rug on %(place)s."),
    "turned": marked("You turn Assam %(direction)s, to face %(facing)s."),
    "resigned": marked("You resign."),
}
_COLOURS: Final = (marked("red"), marked("blue"), marked("yellow"), marked("green"))
"""Marked here for translation; events name them."""


def narrate(event: Json, names: Sequence[str], translations: NullTranslations, you: int | None) -> str:
    """One event in a sentence."""
    match event["type"]:
        case "paid":
            return _narrate_payment(event, names, translations, you)
        case "finished":
            return narrate_ending(event["result"], names, translations)
    return _narrate_action(event, names, translations.gettext, you)


def _narrate_action(event: Json, names: Sequence[str], gettext: Gettext, you: int | None) -> str:
    seat = event.get("seat", event.get("first"))
    words: dict[str, str] = {key: gettext(event[key]) for key in ("direction", "facing", "colour") if key in event}
    if seat is not None:
        words["seat"] = names[seat]
    if "assam" in event:
        words |= {"at": event["assam"]["at"], "facing": gettext(event["assam"]["facing"])}
    if "path" in event:
        words["path"] = _describe_path(event["path"], gettext)
    if "squares" in event:
        words["place"] = "-".join(event["squares"])
    own = _OWN.get(event["type"]) if seat is not None and seat == you else None
    return gettext(own or _SENTENCES[event["type"]]) % {**event, **words}


def _narrate_payment(event: Json, names: Sequence[str], translations: NullTranslations, you: int | None) -> str:
    gettext, ngettext, paid = translations.gettext, translations.ngettext, event["paid"]
    words = {"payer": names[event["from"]], "owner": names[event["to"]], **event}
    if you == event["from"]:
        short = gettext("You owe %(owner)s %(due)s dirhams and have only %(paid)s.")
        whole = ngettext("You pay %(owner)s %(paid)s dirham.", "You pay %(owner)s %(paid)s dirhams.", paid)
    elif you == event["to"]:
        short = gettext("%(payer)s owes you %(due)s dirhams and has only %(paid)s.")
        whole = ngettext("%(payer)s pays you %(paid)s dirham.", "%(payer)s pays you %(paid)s dirhams.", paid)
    else:
        short = gettext("%(payer)s owes %(owner)s %(due)s dirhams and has only %(paid)s.")
        whole = ngettext(
            "%(payer)s pays %(owner)s %(paid)s dirham.", "%(payer)s pays %(owner)s %(paid)s dirhams.", paid
        )
    return (short if paid < event["due"] else whole) % words


def narrate_ending(result: Json, names: Sequence[str], translations: NullTranslations) -> str:
    """Why the game is over, and who has won."""
    why = translations.gettext(_REASONS[result["reason"]])
    return f"{why} {name_winners(result['winners'], names, translations)}"


def find_actor(event: Json) -> int | None:
    """The seat whose doing an event was; the opening and the end are nobody's."""
    seat: int | None = event["from"] if event["type"] == "paid" else event.get("seat")
    return seat


def _describe_path(path: Sequence[str], gettext: Gettext) -> str:
    if len(path) == 1:
        return gettext("to %(end)s") % {"end": path[0]}
    return gettext("by %(way)s to %(end)s") % {"way": " ".join(path[:-1]), "end": path[-1]}
