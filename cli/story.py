"""What happened at a table, told in sentences with the players' names."""

from collections.abc import Callable, Iterable, Sequence
from gettext import gettext as say
from gettext import ngettext
from typing import Any, Final

from cli.text import join_names

Event = dict[str, Any]


def told(event: Event, names: Sequence[str]) -> str:
    """The event in a sentence, marked where somebody stood in for the player."""
    sentence = _sentence(event, names)
    return say("Stand-in: %(sentence)s") % {"sentence": sentence} if event.get("stand_in") else sentence


def _sentence(event: Event, names: Sequence[str]) -> str:
    """The event in a sentence; one that a newer server has invented is called by its name."""
    tell = _TELL.get(event["type"])
    return tell(event, names) if tell else say("Something happened: %(type)s.") % {"type": event["type"]}


def told_together(events: Iterable[Event], names: Sequence[str]) -> list[str]:
    """The events in one line for each stretch in which one player acted."""
    lines: list[str] = []
    last: object = None
    for event in events:
        actor = event.get("from", event.get("seat"))
        stretch = (actor, bool(event.get("stand_in")))
        if lines and stretch == last and actor is not None:
            lines[-1] += f" {_sentence(event, names)}"
        else:
            lines.append(told(event, names))
        last = stretch
    return lines


def winners_told(result: dict[str, Any], names: Sequence[str]) -> str:
    """Why the game ended, and who has won."""
    why = {"rugs_laid": say("All rugs are laid."), "last_standing": say("Only one player is left.")}
    winners = [names[seat] for seat in result["winners"]]
    sentence = ngettext("%(names)s wins.", "%(names)s share the win.", len(winners)) % {"names": join_names(winners)}
    return f"{why.get(result['reason'], '')} {sentence}".strip()


def place_name(squares: Sequence[str]) -> str:
    """A place for a rug as people write it: d5-e5."""
    return "-".join(squares)


def _started(event: Event, names: Sequence[str]) -> str:
    words = {"name": names[event["first"]], "at": event["assam"]["at"], "facing": event["assam"]["facing"]}
    return say("%(name)s begins; Assam stands on %(at)s and faces %(facing)s.") % words


def _faced(event: Event, names: Sequence[str]) -> str:
    words = {**event, "name": names[event["seat"]]}
    return say("%(name)s sends Assam %(direction)s, to face %(facing)s.") % words


def _rolled(event: Event, names: Sequence[str]) -> str:
    return say("%(name)s rolls %(die)s.") % {**event, "name": names[event["seat"]]}


def _moved(event: Event, names: Sequence[str]) -> str:
    *way, end = event["path"]
    words = {"way": " ".join(way), "end": end}
    return (say("Assam walks by %(way)s to %(end)s.") if way else say("Assam walks to %(end)s.")) % words


def _paid(event: Event, names: Sequence[str]) -> str:
    words = {**event, "payer": names[event["from"]], "owner": names[event["to"]]}
    if event["paid"] < event["due"]:
        return say("%(payer)s owes %(owner)s %(due)s dirhams and has only %(paid)s.") % words
    one, more = "%(payer)s pays %(owner)s %(paid)s dirham.", "%(payer)s pays %(owner)s %(paid)s dirhams."
    return ngettext(one, more, event["paid"]) % words


def _eliminated(event: Event, names: Sequence[str]) -> str:
    return say("%(name)s cannot pay and is out.") % {"name": names[event["seat"]]}


def _laid(event: Event, names: Sequence[str]) -> str:
    words = {**event, "name": names[event["seat"]], "place": place_name(event["squares"])}
    return say("%(name)s lays %(colour)s rug %(rug)s on %(place)s.") % words


def _turned(event: Event, names: Sequence[str]) -> str:
    words = {**event, "name": names[event["seat"]]}
    return say("%(name)s turns Assam %(direction)s, to face %(facing)s.") % words


def _resigned(event: Event, names: Sequence[str]) -> str:
    return say("%(name)s resigns.") % {"name": names[event["seat"]]}


def _finished(event: Event, names: Sequence[str]) -> str:
    return winners_told(event["result"], names)


_TELL: Final[dict[str, Callable[[Event, Sequence[str]], str]]] = {
    "started": _started,
    "faced": _faced,
    "rolled": _rolled,
    "moved": _moved,
    "paid": _paid,
    "eliminated": _eliminated,
    "laid": _laid,
    "turned": _turned,
    "resigned": _resigned,
    "finished": _finished,
}
