"""Kilim explained while playing: the rules of the current step, and each rule when it first matters."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.i18n import marked
from service.ui.kilim.questions import find_decision

_STEPS: Final = {
    "weave": marked(
        "Weave the domino you won on two free squares. At least one of them must share an edge with your carpet. The"
        " motifs needn't match."
    ),
    "keep": marked("Keep one of the scraps in the bag. The others won't see which one until you use it."),
    "take": marked(
        "Take one of the artisan's tokens: a perfect domino, or the right to turn, move or remove a piece of your"
        " carpet."
    ),
    "play": marked(
        "Play one card, face down: gold, or a special card you haven't used today. The highest gold wins the domino,"
        " but equal gold cancels out. All gold is spent, whether you win or not."
    ),
    "spy": marked("You've seen the others' gold. Now add a gold card of your own. Other spies do the same."),
    "bag": marked(
        "Pay more gold than the winner of the domino. If you alone pay the most, you keep a scrap. If none of your"
        " cards is high enough, you discard one. If nobody won, every card fits."
    ),
    "artisan": marked(
        "Pay less gold than the winner of the domino. If you alone pay the least, you take a token. If none of your"
        " cards is low enough, you discard one. If nobody won, every card fits."
    ),
    "evening": marked("The day is over. Use what you still want to use today, or pass."),
    "use": marked("You can use your scraps, tokens and perfect dominoes at any time, even while others are bidding."),
}
_WAITING: Final = marked("The others are choosing. Nobody sees a card before all cards are in.")
_OVER: Final = marked(
    "You score for a full rectangle, for exactly three or all five motifs, for groups of a motif, and for the largest"
    " group of each motif. Torn squares cost points."
)
_GOAL: Final = marked(
    "Welcome! In each round you bid for a domino and weave it into your carpet. After three days, the carpet with the"
    " most points wins."
)
_CARRIED: Final = marked(
    "Equal gold cancels out. If no bid is left, the dominoes are carried over to the next round, or lost at the end of"
    " the day."
)
_TORN: Final = marked("A torn square costs 3 points. You can cover it with a scrap.")
_BAG: Final = marked("A bag wins a scrap: a single square that covers half of a domino or fills a hole in your carpet.")
_ARTISAN: Final = marked(
    "An artisan wins a token that changes a carpet. Unused tokens go back when the next day begins."
)
_SPY: Final = marked("A spy waits until all cards are shown, and then adds gold.")
_NEW_DAY: Final = marked("A new day: everybody has all their cards again.")
_CARDS: Final = {"spy": _SPY, "bag": _BAG, "artisan": _ARTISAN}
_DONE_IN: Final = {
    "weave": "woven",
    "keep": "kept",
    "take": "took",
    "play": "played",
    "spy": "bid",
    "bag": "bid",
    "artisan": "bid",
    "evening": "passed",
    "use": "patched",
}
"""The event with which a player's own step is done."""


def explain_step(view: Json, translations: NullTranslations) -> str:
    """The rules of the current step."""
    if view["phase"] == "over":
        return translations.gettext(_OVER)
    return translations.gettext(_STEPS[_find_step(view)] if view["legal"] else _WAITING)


def _find_step(view: Json) -> str:
    kind = find_decision(view).kind
    if kind == "bid":
        return str(view["shown"][view["you"]])
    return "evening" if kind == "use" and view["phase"] == "evening" else kind


def explain_news(view: Json, earlier: Sequence[Json], new: Sequence[Json], translations: NullTranslations) -> list[str]:
    """What a new player should know now: each rule when it matters for the first time."""
    before, now = _own_event_types(view, earlier), _own_event_types(view, [*earlier, *new])
    if now:
        # What happened before the player's first action is explained after it, when there is less to read.
        explained = _lessons(earlier) if before else []
        lessons = [lesson for lesson in _lessons([*earlier, *new]) if lesson not in explained]
    else:
        lessons = [_GOAL]
    if view["you"] in view["to_act"]:
        step = _find_step(view)
        lessons += [_STEPS[step]] if _DONE_IN[step] not in now else []
    return [translations.gettext(lesson) for lesson in lessons]


def _own_event_types(view: Json, events: Sequence[Json]) -> set[str]:
    """The types of the player's own events among these."""
    return {event["type"] for event in events if "seat" in event and event["seat"] == view["you"]}


def _lessons(events: Sequence[Json]) -> list[str]:
    """The rules that have mattered in these events, the first one first."""
    found: list[str] = []
    for event in events:
        match event["type"]:
            case "shown":
                found += [_CARDS[card] for card in event["cards"] if card in _CARDS]
            case "auctioned" if event["winner"] is None:
                found.append(_CARRIED)
            case "woven" if event["domino"].endswith("X"):
                found.append(_TORN)
            case "revealed" if event["day"] > 1:
                found.append(_NEW_DAY)
    return list(dict.fromkeys(found))
