"""What happened in a game of Marrakech, in one sentence for each turn; the reader is called "you"."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.engine.marrakech.board import TRACKS, TURNED, Facing, read_square
from service.i18n import marked, marked_for_you
from service.ui.clauses import list_clauses, tell_clauses, translate_clause
from service.ui.tables import name_winners

_REASONS: Final = {
    "rugs_laid": marked("All rugs have been laid."),
    "last_standing": marked("Only one player is left."),
}
_CLAUSES: Final = {
    "faced": marked_for_you("turned Assam %(facing)s"),
    "rolled": marked_for_you("rolled %(die)s"),
    "moved": marked_for_you("reached %(to)s"),
    "laid": marked_for_you("laid a %(colour)s rug on %(place)s"),
    "turned": marked_for_you("turned Assam %(facing)s"),
    "resigned": marked_for_you("resigned"),
}
_STRAIGHT_ON: Final = marked_for_you("sent Assam straight on")
_AROUND_THE_EDGE: Final = marked_for_you("looped around the edge to %(to)s")
_PAID: Final = marked_for_you("paid %(owner)s %(paid)s dirham", "paid %(owner)s %(paid)s dirhams")
_SHORT: Final = marked_for_you(
    "could only pay %(owner)s %(paid)s of %(due)s dirham", "could only pay %(owner)s %(paid)s of %(due)s dirhams"
)
_COLOURS: Final = (marked("red"), marked("blue"), marked("yellow"), marked("green"))
"""Marked here for translation; events name them."""


def find_actor(event: Json) -> int | None:
    """The seat that caused an event; None for the start and the end of the game."""
    seat: int | None = event["from"] if event["type"] == "paid" else event.get("seat")
    return seat


def narrate(events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None) -> str:
    """What one player has done in a turn so far, in one sentence; the start and the end are told by themselves."""
    seat = find_actor(events[0])
    if seat is None:
        return " ".join(_narrate_frame(event, names, translations, you) for event in events)
    turn = _Turn(names, translations, you, is_own=seat == you)
    walk = [turn.describe(event) for event in events if event["type"] in {"faced", "rolled", "moved"}]
    rest = [turn.describe(event) for event in events if event["type"] not in {"faced", "rolled", "moved"}]
    # "turned, rolled, reached and laid", but "turned, rolled and reached, paid and laid": a pause in a long list.
    parts = [walk, rest] if walk and len(rest) > 1 else [[*walk, *rest]]
    clauses = ", ".join(list_clauses(part, translations) for part in parts)
    return tell_clauses(clauses, seat, names, translations, you)


def narrate_ending(result: Json, names: Sequence[str], translations: NullTranslations) -> str:
    """Why the game is over, and who has won."""
    why = translations.gettext(_REASONS[result["reason"]])
    return f"{why} {name_winners(result['winners'], names, translations)}"


def _narrate_frame(event: Json, names: Sequence[str], translations: NullTranslations, you: int | None) -> str:
    """The start or the end of a game."""
    if event["type"] == "finished":
        return narrate_ending(event["result"], names, translations)
    own = marked("You go first. Assam starts on %(at)s, facing %(facing)s.")
    other = marked("%(seat)s goes first. Assam starts on %(at)s, facing %(facing)s.")
    seat, assam = event["first"], event["assam"]
    words = {"seat": names[seat], "at": assam["at"], "facing": translations.gettext(assam["facing"])}
    return translations.gettext(own if seat == you else other) % words


class _Turn:
    """The clauses of a sentence about one player's turn, without the subject."""

    def __init__(self, names: Sequence[str], translations: NullTranslations, you: int | None, *, is_own: bool) -> None:
        self._names = names
        self._translations = translations
        self._you = you
        self._is_own = is_own

    def describe(self, event: Json) -> str:
        """What happened in an event."""
        gettext = self._translations.gettext
        match event["type"]:
            case "paid":
                return self._describe_payment(event)
            case "eliminated":
                return gettext("are out") if self._is_own else gettext("is out")
            case "faced" if event["direction"] == "ahead":
                clause = _STRAIGHT_ON
            case "moved" if _took_a_track(event):
                clause = _AROUND_THE_EDGE
            case other:
                clause = _CLAUSES[other]
        words: Json = {key: gettext(event[key]) for key in ("facing", "colour") if key in event}
        return self._translate(clause) % {**event, **words, "place": "-".join(event.get("squares", ()))}

    def _describe_payment(self, event: Json) -> str:
        ngettext, paid, due = self._translations.ngettext, event["paid"], event["due"]
        in_full = paid == due
        if event["to"] != self._you:
            clause = self._translate(_PAID, paid) if in_full else self._translate(_SHORT, due)
        elif in_full:
            clause = ngettext("paid you %(paid)s dirham", "paid you %(paid)s dirhams", paid)
        else:
            clause = ngettext(
                "could only pay you %(paid)s of %(due)s dirham", "could only pay you %(paid)s of %(due)s dirhams", due
            )
        return clause % {**event, "owner": self._names[event["to"]]}

    def _translate(self, forms: tuple[str, ...], number: int = 1) -> str:
        return translate_clause(forms, self._translations, is_own=self._is_own, number=number)


def _took_a_track(event: Json) -> bool:
    """Whether Assam left the board on his way: then he entered one of the squares from outside."""
    facing: Facing = event["facing"]
    behind = TURNED[TURNED[facing]["left"]]["left"]
    return any((read_square(square), behind) in TRACKS for square in event["path"])
