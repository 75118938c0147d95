"""What happened at a table, told in sentences with the players' names; to its reader a deed of their own is `you`."""

from collections.abc import Callable, Iterable, Sequence
from gettext import NullTranslations
from itertools import groupby
from typing import Final

from service.engine.json_reader import Json
from service.engine.records import Entry
from service.games.names import player_names
from service.games.stored import StoredGame
from service.i18n import marked
from service.text import join_names

_ENDS: Final = {
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
_WORDS: Final = (
    *(marked("left"), marked("ahead"), marked("right")),
    *(marked("north"), marked("east"), marked("south"), marked("west")),
    *(marked("red"), marked("blue"), marked("yellow"), marked("green")),
)
"""What stands in an event and is said in the reader's language."""
_OWN: Final = {
    "started": marked("You begin; Assam stands on %(at)s and faces %(facing)s."),
    "faced": marked("You send Assam %(direction)s, to face %(facing)s."),
    "rolled": marked("You roll %(die)s."),
    "eliminated": marked("You cannot pay and are out."),
    "laid": marked("You lay a %(colour)s rug on %(place)s."),
    "turned": marked("You turn Assam %(direction)s, to face %(facing)s."),
    "resigned": marked("You resign."),
}


class Story:
    """Tells the events of one game to somebody: `you` is their seat, None for an onlooker."""

    def __init__(self, game: StoredGame, translations: NullTranslations, you: int | None = None) -> None:
        self._game = game
        self._you = you
        self._names = player_names(game)
        self._translations = translations
        self._tell: dict[str, Callable[[Json, int | None], str]] = {
            **dict.fromkeys(_SENTENCES, self._tell_plainly),
            "paid": self._tell_payment,
            "finished": self._tell_end,
        }

    def told(self, happened: Iterable[Entry], seat: int | None) -> list[str]:
        """A paragraph for each stretch in which one player acted, or somebody stood in for him."""
        rules, state = self._game.rules, self._game.state
        shown = ((rules.event_view(state, entry.event, seat), entry.stand_in) for entry in happened)
        return [
            self._paragraph([event for event, _ in stretch], stood_in)
            for (_, stood_in), stretch in groupby(shown, lambda each: (actor(each[0]), each[1]))
        ]

    def _paragraph(self, events: Sequence[Json], stood_in: bool) -> str:
        # What somebody else did in the reader's place was not the reader's own doing.
        you = None if stood_in and actor(events[0]) == self._you else self._you
        words = " ".join(self._sentence(event, you) for event in events)
        return self._translations.gettext("Stand-in: %(sentence)s") % {"sentence": words} if stood_in else words

    def _sentence(self, event: Json, you: int | None) -> str:
        tell = self._tell.get(event["type"])
        if tell is not None:
            return tell(event, you)
        # A game that has no sentences here is told in those of its record.
        events = self._game.rules.events
        return events.write_text(events.read(event, len(self._game.seats)))

    def _tell_plainly(self, event: Json, you: int | None) -> str:
        say, who = self._translations.gettext, event.get("seat", event.get("first"))
        words: dict[str, str] = {key: say(event[key]) for key in ("direction", "facing", "colour") if key in event}
        if who is not None:
            words["seat"] = self._names[who]
        if "assam" in event:
            words |= {"at": event["assam"]["at"], "facing": say(event["assam"]["facing"])}
        if "path" in event:
            words["path"] = _way(event["path"], say)
        if "squares" in event:
            words["place"] = "-".join(event["squares"])
        own = _OWN.get(event["type"]) if who is not None and who == you else None
        return say(own or _SENTENCES[event["type"]]) % {**event, **words}

    def _tell_payment(self, event: Json, you: int | None) -> str:
        say, several, paid = self._translations.gettext, self._translations.ngettext, event["paid"]
        words = {"payer": self._names[event["from"]], "owner": self._names[event["to"]], **event}
        if you == event["from"]:
            short = say("You owe %(owner)s %(due)s dirhams and have only %(paid)s.")
            whole = several("You pay %(owner)s %(paid)s dirham.", "You pay %(owner)s %(paid)s dirhams.", paid)
        elif you == event["to"]:
            short = say("%(payer)s owes you %(due)s dirhams and has only %(paid)s.")
            whole = several("%(payer)s pays you %(paid)s dirham.", "%(payer)s pays you %(paid)s dirhams.", paid)
        else:
            short = say("%(payer)s owes %(owner)s %(due)s dirhams and has only %(paid)s.")
            whole = several(
                "%(payer)s pays %(owner)s %(paid)s dirham.", "%(payer)s pays %(owner)s %(paid)s dirhams.", paid
            )
        return (short if paid < event["due"] else whole) % words

    def _tell_end(self, event: Json, _: int | None) -> str:
        return ending_told(self._names, event["result"], self._translations)


def ending_told(names: Sequence[str], result: Json, translations: NullTranslations) -> str:
    """Why the game is over, and who has won."""
    why = _ENDS.get(result["reason"])
    end = [translations.gettext(why)] if why else []
    return " ".join([*end, winners_told(names, result["winners"], translations)])


def winners_told(names: Sequence[str], winners: Sequence[int], translations: NullTranslations) -> str:
    """Who has won."""
    named = join_names([names[seat] for seat in winners], translations)
    if len(winners) == 1:
        return translations.gettext("%(name)s wins.") % {"name": named}
    return translations.gettext("%(names)s share the win.") % {"names": named}


def actor(event: Json) -> int | None:
    """Whose doing an event was; the opening and the end are nobody's."""
    seat: int | None = event["from"] if event["type"] == "paid" else event.get("seat")
    return seat


def _way(path: Sequence[str], say: Callable[[str], str]) -> str:
    if len(path) == 1:
        return say("to %(end)s") % {"end": path[0]}
    return say("by %(way)s to %(end)s") % {"way": " ".join(path[:-1]), "end": path[-1]}
