"""What a player of Kilim has to decide: the question, and what can be written in a reply."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.kilim.state import State
from service.i18n import marked
from service.text import join_names
from service.ui.kilim.choices import write_key, write_reply
from service.ui.protocol import Question
from service.ui.words import NotUnderstood

_UNKNOWN: Final = {
    "weave": marked(
        "We didn't understand that. Write where your domino goes, its first half first: weave m14-m13. If you have"
        " several, name the domino: weave BE1 m14-m13."
    ),
    "keep": marked("We didn't understand that. Write which scrap you keep: keep bird, eye, horn, star or tree."),
    "take": marked("We didn't understand that. Write which token you take: take perfect, turn, remove or move."),
    "play": marked("We didn't understand that. Write the card you play: a number such as 7, or spy, bag or artisan."),
    "bid": marked("We didn't understand that. Write the number of a gold card, such as 7."),
    "use": marked(
        "We didn't understand that. You can write: weave OO m14-m13, patch star m13, turn BE1 m14-n14,"
        " move BE1 m16-m15, remove BE1 or pass."
    ),
}
"""What can be written, by what the seat has to decide."""
_QUESTIONS: Final = {
    "keep": (marked("Which scrap do you keep?"), marked("Keep it")),
    "take": (marked("Which token do you take?"), marked("Take it")),
    "bag": (marked("Which gold card do you pay for the bag?"), marked("Pay")),
    "artisan": (marked("Which gold card do you pay for the artisan?"), marked("Pay")),
    "evening": (marked("What do you use this evening?"), marked("Do it")),
    "use": (marked("You don't have to do anything now. Do you want to use something?"), marked("Do it")),
}
_PAYMENTS: Final = {
    "bag": marked("The winner paid %(price)s. Which higher gold card do you pay for the bag?"),
    "artisan": marked("The winner paid %(price)s. Which lower gold card do you pay for the artisan?"),
}
_SHORT: Final = {
    "bag": marked(
        "The winner paid %(price)s, and you have no higher card for the bag. Which gold card do you discard?"
    ),
    "artisan": marked(
        "The winner paid %(price)s, and you have no lower card for the artisan. Which gold card do you discard?"
    ),
}
_FREE: Final = {
    "bag": marked("Nobody won the dominoes, so every card will do. Which gold card do you pay for the bag?"),
    "artisan": marked("Nobody won the dominoes, so every card will do. Which gold card do you pay for the artisan?"),
}


class Decision(NamedTuple):
    """What a seat has to decide."""

    kind: str
    """A type of action, or `use` for what the seat may use at any time."""
    dominoes: Sequence[str] = ()
    """The dominoes that it is about."""


def find_decision(view: Json) -> Decision:
    """What the seat has to decide: its debts first, then a card or a bid, otherwise what it may use."""
    if view["you"] is None:
        return Decision("use")
    owes, legal = view["seats"][view["you"]]["owes"], {action["type"] for action in view["legal"]}
    if owes["weave"]:
        return Decision("weave", owes["weave"])
    for kind in ("keep", "take"):
        if owes[kind]:
            return Decision(kind)
    if "play" in legal:
        return Decision("play", view["offer"])
    if "bid" in legal:
        return Decision("bid", view["offer"])
    return Decision("use")


def ask_question(view: Json, translations: NullTranslations, state: State | None = None) -> Question:
    """What the view's seat has to decide now; the state knows what the winner of the dominoes has paid."""
    gettext = translations.gettext
    kind, dominoes = find_decision(view)
    words = {"dominoes": join_names(dominoes, translations)}
    is_only_cards = all(action["type"] in {"play", "bid"} for action in view["legal"])
    match kind:
        case "weave":
            return Question(gettext("Where do you weave %(dominoes)s?") % words, gettext("Weave"))
        case "play":
            button = gettext("Play the card") if is_only_cards else gettext("Confirm")
            return Question(gettext("Which card do you play for %(dominoes)s?") % words, button)
        case "bid" if view["phase"] == "spy":
            button = gettext("Bid") if is_only_cards else gettext("Confirm")
            return Question(gettext("Which gold card does your spy bid for %(dominoes)s?") % words, button)
        case "bid":
            return _ask_for_payment(view, translations, state)
        case "use" if view["phase"] == "evening" and view["you"] in view["to_act"]:
            kind = "evening"
    legend, button = _QUESTIONS[kind]
    return Question(gettext(legend), gettext(button))


def _ask_for_payment(view: Json, translations: NullTranslations, state: State | None) -> Question:
    """Which gold card the seat pays for the bag or the artisan, and what fits."""
    card = view["shown"][view["you"]]
    legend, button = _QUESTIONS[card]
    if state is None or state.auctioned is None:
        return Question(translations.gettext(legend), translations.gettext(button))
    winner = state.auctioned.winner
    price = None if winner is None else state.auctioned.gold[winner]
    if price is None:
        return Question(translations.gettext(_FREE[card]), translations.gettext(button))
    bids = [action["gold"] for action in view["legal"] if action["type"] == "bid"]
    fits = max(bids) > price if card == "bag" else min(bids) < price
    if fits:
        return Question(translations.gettext(_PAYMENTS[card]) % {"price": price}, translations.gettext(button))
    return Question(translations.gettext(_SHORT[card]) % {"price": price}, translations.gettext("Discard it"))


def explain_unknown(view: Json) -> str:
    """What the view's seat can write now."""
    if not view["legal"]:
        return NotUnderstood.default_words
    return _UNKNOWN[find_decision(view).kind]


def describe_whole_turn(view: Json, translations: NullTranslations) -> str:
    """How a reply settles what the seat owes, or uses what it has, and then plays a card."""
    if view["phase"] != "choose" or view["you"] not in view["to_act"]:
        return ""
    is_debt = find_decision(view).kind in {"weave", "keep", "take"}
    first = next((action for action in view["legal"] if is_debt or action["type"] not in {"play", "bid"}), None)
    if first is None:
        return ""
    words = {
        "first": write_reply(write_key(first), translations),
        "dominoes": join_names(view["offer"], translations),
        "card": str(view["seats"][view["you"]]["gold"][0]),
    }
    if is_debt:
        text = translations.gettext(
            'Or play your whole turn in one reply, with one line for each step: "%(first)s", then your card for'
            ' %(dominoes)s, such as "%(card)s".'
        )
    else:
        text = translations.gettext(
            'You can also use what you have before you play a card, with one line for each step: "%(first)s", then'
            ' "%(card)s".'
        )
    return text % words
