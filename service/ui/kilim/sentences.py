"""What happened in a game of Kilim, in plain sentences; the reader is called "you"."""

from collections.abc import Iterable, Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.i18n import marked, marked_for_you
from service.text import join_names
from service.ui.clauses import list_clauses, tell_clauses, translate_clause
from service.ui.kilim.pieces import name_card, name_piece, name_token, write_place
from service.ui.tables import name_winners

_REASONS: Final = {
    "days_over": marked("The three days are over."),
    "last_standing": marked("Only one player is left."),
}
_CLAUSES: Final = {
    "played": marked_for_you("played %(card)s"),
    "bid": marked_for_you("bid %(card)s"),
    "kept": marked_for_you("kept %(piece)s"),
    "took": marked_for_you("took %(token)s"),
    "took perfect": marked_for_you("took the perfect domino %(piece)s"),
    "woven": marked_for_you("wove %(piece)s on %(place)s"),
    "patched": marked_for_you("patched %(place)s with %(piece)s"),
    "turn": marked_for_you("turned %(piece)s to %(place)s"),
    "move": marked_for_you("moved %(piece)s to %(place)s"),
    "remove": marked_for_you("removed %(piece)s"),
    "passed": marked_for_you("passed"),
    "resigned": marked_for_you("resigned"),
}
_HIDDEN_CLAUSES: Final = {
    "played": marked("played a card"),
    "bid": marked("placed a bid"),
    "kept": marked("kept a scrap"),
}
_HIDDEN_ALONE: Final = {
    "played": marked("has played a card"),
    "bid": marked("has placed a bid"),
    "kept": marked("has kept a scrap"),
}
"""The same for a sentence that says nothing else."""
_HIDDEN_FIELDS: Final = {"played": "card", "bid": "gold", "kept": "scrap"}
_WON: Final = marked_for_you("won %(dominoes)s with %(gold)s")
_HIGHER_BIDS: Final = marked("Higher bids were equal, so they didn't count.")
_WON_BAG: Final = marked_for_you("won the bag with %(gold)s")
_WON_ARTISAN: Final = marked_for_you("won the artisan with %(gold)s")
_DISCARDED: Final = marked_for_you("had no gold card that fits and discarded %(gold)s")
_PAID_IN_VAIN: Final = marked_for_you("paid %(gold)s and got nothing")


def narrate(events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None) -> str:
    """What one player did, in one sentence; each event that no player caused has its own."""
    seat = events[0].get("seat")
    if seat is None:
        table = _Table(names, translations, you)
        return " ".join(table.tell(event) for event in events)
    is_alone = len(events) == 1
    clauses = [_describe(event, translations, is_own=seat == you, is_alone=is_alone) for event in events]
    return tell_clauses(list_clauses(clauses, translations), seat, names, translations, you)


def is_told_again(event: Json, later: Iterable[Json]) -> bool:
    """Whether a sealed card is shown later, or gold is paid later for the bag or the artisan."""
    of_round = [each["type"] for each in later if each.get("round") == event.get("round")]
    if event["type"] == "played":
        return "shown" in of_round
    # A spy's bid comes before the auction, which tells only the highest one.
    return event["type"] == "bid" and "settled" in of_round and "auctioned" not in of_round


def narrate_ending(result: Json, names: Sequence[str], translations: NullTranslations) -> str:
    """Why the game is over, and who has won."""
    why = translations.gettext(_REASONS[result["reason"]])
    return f"{why} {name_winners(result['winners'], names, translations)}"


def _describe(event: Json, translations: NullTranslations, *, is_own: bool, is_alone: bool) -> str:
    """What a player did, without the subject."""
    kind = event["type"]
    if kind in _HIDDEN_FIELDS and _HIDDEN_FIELDS[kind] not in event:
        return translations.gettext((_HIDDEN_ALONE if is_alone else _HIDDEN_CLAUSES)[kind])
    words = {"place": write_place(event)}
    match kind:
        case "played" | "bid":
            words["card"] = name_card(event["card"] if kind == "played" else event["gold"], translations)
        case "took":
            words |= {"token": name_token(event["token"], translations), "piece": event["domino"] or ""}
            kind = "took perfect" if event["domino"] else kind
        case "kept" | "patched":
            words["piece"] = name_piece(event["scrap"], translations)
        case "woven":
            words["piece"] = event["domino"]
        case "reworked":
            words["piece"] = name_piece(event["piece"], translations)
            kind = event["token"]
    return translate_clause(_CLAUSES[kind], translations, is_own=is_own) % words


class _Table:
    """Sentences about what no single player caused."""

    def __init__(self, names: Sequence[str], translations: NullTranslations, you: int | None) -> None:
        self._names = names
        self._translations = translations
        self._you = you

    def tell(self, event: Json) -> str:
        """What happened in an event."""
        gettext = self._translations.gettext
        match event["type"]:
            case "revealed":
                return self._tell_offer(event)
            case "shown":
                return gettext("All cards are shown: %(cards)s.") % {"cards": self._list_cards(event["cards"])}
            case "auctioned":
                return self._tell_auction(event)
            case "settled":
                return self._tell_payments(event)
            case "evening":
                return gettext("It's the evening of day %(day)s.") % {"day": event["day"]}
            case "finished":
                return narrate_ending(event["result"], self._names, self._translations)
        return gettext("The game has started.")

    def _tell_offer(self, event: Json) -> str:
        offer = event["offer"]
        words = {**event, "dominoes": join_names(offer, self._translations)}
        text = self._translations.ngettext(
            "Round %(round)s, day %(day)s: %(dominoes)s is on offer.",
            "Round %(round)s, day %(day)s: %(dominoes)s are on offer.",
            len(offer),
        )
        return text % words

    def _list_cards(self, cards: Sequence[int | str | None]) -> str:
        gettext = self._translations.gettext
        shown = []
        for seat, card in enumerate(cards):
            if card is not None:
                entry = gettext("you %(card)s") if seat == self._you else gettext("%(seat)s %(card)s")
                shown.append(entry % {"seat": self._names[seat], "card": name_card(card, self._translations)})
        return ", ".join(shown)

    def _tell_auction(self, event: Json) -> str:
        gold: list[int | None] = event["gold"]
        if event["winner"] is None:
            return self._tell_no_winner(event, [each for each in gold if each is not None])
        price = gold[event["winner"]] or 0
        words = {"dominoes": join_names(event["dominoes"], self._translations), "gold": price}
        won = self._tell_seat(_WON, event["winner"], words)
        if all(each is None or each <= price for each in gold):
            return won
        return f"{won} {self._translations.gettext(_HIGHER_BIDS)}"

    def _tell_no_winner(self, event: Json, bids: Sequence[int]) -> str:
        gettext, ngettext = self._translations.gettext, self._translations.ngettext
        if not bids:
            why = gettext("nobody bid any gold")
        elif len(bids) == 2:
            why = gettext("two bids were equal")
        else:
            why = gettext("all bids were equal") if len(set(bids)) == 1 else gettext("each bid was equal to another")
        if event["fate"] == "lost":
            text = ngettext(
                "Nobody won %(dominoes)s: %(why)s, so it is lost.",
                "Nobody won %(dominoes)s: %(why)s, so they are lost.",
                len(event["dominoes"]),
            )
        else:
            text = ngettext(
                "Nobody won %(dominoes)s: %(why)s, so it is carried over.",
                "Nobody won %(dominoes)s: %(why)s, so they are carried over.",
                len(event["dominoes"]),
            )
        return text % {"dominoes": join_names(event["dominoes"], self._translations), "why": why}

    def _tell_payments(self, event: Json) -> str:
        """One sentence for each player who paid for the bag or the artisan."""
        told = []
        for seat, gold in enumerate(event["gold"]):
            if gold is None:
                continue
            if seat == event["bag"]:
                clause = _WON_BAG
            elif seat == event["artisan"]:
                clause = _WON_ARTISAN
            else:
                clause = _DISCARDED if seat in event["short"] else _PAID_IN_VAIN
            told.append(self._tell_seat(clause, seat, {"gold": gold}))
        # All who had to pay may have left the game since.
        return " ".join(told) or self._translations.gettext("Nobody paid for the bag or the artisan.")

    def _tell_seat(self, clause: tuple[str, ...], seat: int, words: Json) -> str:
        said = translate_clause(clause, self._translations, is_own=seat == self._you) % words
        return tell_clauses(said, seat, self._names, self._translations, self._you)
