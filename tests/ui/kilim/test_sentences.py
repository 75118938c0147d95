"""What happened is told in plain sentences: to the player, to the others, in English and in French."""

from gettext import NullTranslations
from typing import Any

import pytest

from service.engine.kilim.game import KILIM
from tests.ui.kilim.words_ui import ENGLISH, FRENCH, NAMES, UI, moments, plain

Event = dict[str, Any]


def tell(events: list[Event], you: int | None = None, translations: NullTranslations = ENGLISH) -> str:
    return plain(UI.narrate(events, NAMES, translations, you))


def event(kind: str, **fields: Any) -> Event:
    return {"type": kind, **fields}


WOVEN = event("woven", seat=0, domino="BE1", squares=["m14", "m13"])
PLAYED = event("played", seat=0, round=2, card=7)
SEALED = event("played", seat=0, round=2)
KEPT = event("kept", seat=0, scrap="star")
RESULT = {"winners": [1], "ranking": [1, 0, 2], "scores": [], "reason": "days_over"}


def took(token: str, domino: str | None) -> Event:
    return event("took", seat=0, token=token, domino=domino)


def reworked(token: str, piece: str, *squares: str) -> Event:
    return event("reworked", seat=0, token=token, piece=piece, squares=list(squares))


@pytest.mark.parametrize(
    ("events", "told", "french", "own_french"),
    [
        ([WOVEN], "wove BE1 on m14-m13.", "a tissé BE1 en m14-m13.", "avez tissé BE1 en m14-m13."),
        ([PLAYED], "played 7.", "a joué 7.", "avez joué 7."),
        ([{**PLAYED, "card": "spy"}], "played the spy.", "a joué l'espion.", "avez joué l'espion."),
        (
            [WOVEN, PLAYED],
            "wove BE1 on m14-m13 and played 7.",
            "a tissé BE1 en m14-m13 et a joué 7.",
            "avez tissé BE1 en m14-m13 et avez joué 7.",
        ),
        ([event("bid", seat=0, round=2, gold=9)], "bid 9.", "a misé 9.", "avez misé 9."),
        ([KEPT], "kept the star.", "a gardé l'étoile.", "avez gardé l'étoile."),
        (
            [took("turn", None)],
            'took the token "turn".',
            "a pris le jeton « tourner ».",
            "avez pris le jeton « tourner ».",
        ),
        (
            [took("perfect", "OO1")],
            "took the perfect domino OO1.",
            "a pris le domino parfait OO1.",
            "avez pris le domino parfait OO1.",
        ),
        (
            [event("patched", seat=0, scrap="horn", square="m13")],
            "patched m13 with the horn.",
            "a rapiécé m13 avec la corne.",
            "avez rapiécé m13 avec la corne.",
        ),
        (
            [reworked("turn", "BE1", "m14", "n14")],
            "turned BE1 to m14-n14.",
            "a tourné BE1 en m14-n14.",
            "avez tourné BE1 en m14-n14.",
        ),
        (
            [reworked("move", "tree", "m16")],
            "moved the tree to m16.",
            "a déplacé l'arbre en m16.",
            "avez déplacé l'arbre en m16.",
        ),
        ([reworked("remove", "BX")], "removed BX.", "a retiré BX.", "avez retiré BX."),
        ([event("passed", seat=0)], "passed.", "a passé.", "avez passé."),
        ([event("resigned", seat=0)], "resigned.", "a abandonné.", "avez abandonné."),
        (
            [reworked("move", "BE1", "m16", "m15"), KEPT, event("passed", seat=0)],
            "moved BE1 to m16-m15, kept the star and passed.",
            "a déplacé BE1 en m16-m15, a gardé l'étoile et a passé.",
            "avez déplacé BE1 en m16-m15, avez gardé l'étoile et avez passé.",
        ),
    ],
)
def test_what_a_player_did_is_one_sentence(events: list[Event], told: str, french: str, own_french: str) -> None:
    assert tell(events) == tell(events, 2) == f"Ann {told}"
    assert tell(events, 0) == f"You {told}"
    assert tell(events, 1, FRENCH) == f"Ann {french}"
    assert tell(events, 0, FRENCH) == f"Vous {own_french}"


@pytest.mark.parametrize(
    ("events", "told", "french"),
    [
        ([SEALED], "Ann has played a card.", "Ann a joué une carte."),
        ([event("bid", seat=0, round=2)], "Ann has placed a bid.", "Ann a misé."),
        ([event("kept", seat=0)], "Ann has kept a scrap.", "Ann a gardé une chute."),
        (
            [WOVEN, SEALED],
            "Ann wove BE1 on m14-m13 and played a card.",
            "Ann a tissé BE1 en m14-m13 et a joué une carte.",
        ),
        (
            [event("kept", seat=0), SEALED],
            "Ann kept a scrap and played a card.",
            "Ann a gardé une chute et a joué une carte.",
        ),
    ],
)
def test_what_is_sealed_is_told_without_its_value(events: list[Event], told: str, french: str) -> None:
    assert tell(events) == tell(events, 1) == told
    assert tell(events, 1, FRENCH) == french


def auctioned(gold: list[int | None], winner: int | None, *dominoes: str, fate: str = "won") -> Event:
    return event("auctioned", round=3, gold=gold, winner=winner, dominoes=list(dominoes), fate=fate)


@pytest.mark.parametrize(
    ("happened", "you", "told", "french"),
    [
        (event("started"), None, "The game has started.", "La partie a commencé."),
        (
            event("revealed", round=3, day=1, domino="HS1", offer=["HS1"]),
            0,
            "Round 3, day 1: HS1 is on offer.",
            "Manche 3, jour 1 : HS1 est en vente.",
        ),
        (
            event("revealed", round=16, day=2, domino="EH2", offer=["HS2", "EH2"]),
            None,
            "Round 16, day 2: HS2 and EH2 are on offer.",
            "Manche 16, jour 2 : HS2 et EH2 sont en vente.",
        ),
        (
            event("shown", round=3, cards=[9, "spy", "bag"]),
            1,
            "All cards are shown: Ann 9, you the spy, Salma the bag.",
            "Toutes les cartes sont visibles : Ann 9, vous l'espion, Salma le sac.",
        ),
        (
            event("shown", round=3, cards=[None, 4, "artisan"]),
            None,
            "All cards are shown: Ben 4, Salma the artisan.",
            "Toutes les cartes sont visibles : Ben 4, Salma l'artisan.",
        ),
        (
            auctioned([3, 7, 12], 2, "BE1", "HS1"),
            0,
            "Salma won BE1 and HS1 with 12.",
            "Salma a gagné BE1 et HS1 avec 12.",
        ),
        (auctioned([3, None, 12], 2, "BE1"), 2, "You won BE1 with 12.", "Vous avez gagné BE1 avec 12."),
        (
            auctioned([12, 3, 12], 1, "BE1"),
            None,
            "Ben won BE1 with 3. Higher bids were equal, so they didn't count.",
            "Ben a gagné BE1 avec 3. Des mises plus hautes étaient égales et n'ont pas compté.",
        ),
        (auctioned([3, 12, 3], 1, "BE1"), None, "Ben won BE1 with 12.", "Ben a gagné BE1 avec 12."),
        (
            auctioned([3, 3, None], None, "HS1", fate="carried"),
            0,
            "Nobody won HS1: two bids were equal, so it is carried over.",
            "Personne n'a gagné HS1 : deux mises étaient égales, il est donc remis en jeu.",
        ),
        (
            auctioned([3, 3, 3], None, "HS1", "BE1", fate="carried"),
            0,
            "Nobody won HS1 and BE1: all bids were equal, so they are carried over.",
            "Personne n'a gagné HS1 et BE1 : toutes les mises étaient égales, ils sont donc remis en jeu.",
        ),
        (
            auctioned([None, None, None], None, "HS1", fate="lost"),
            0,
            "Nobody won HS1: nobody bid any gold, so it is lost.",
            "Personne n'a gagné HS1 : personne n'a misé d'or, il est donc perdu.",
        ),
        (
            auctioned([15, 12, 15, 12], None, "HS1", "BE1", fate="lost"),
            0,
            "Nobody won HS1 and BE1: each bid was equal to another, so they are lost.",
            "Personne n'a gagné HS1 et BE1 : chaque mise était égale à une autre, ils sont donc perdus.",
        ),
        (
            event("settled", round=3, gold=[13, None, 2], short=[], bag=0, artisan=2),
            0,
            "You won the bag with 13. Salma won the artisan with 2.",
            "Vous avez gagné le sac avec 13. Salma a gagné l'artisan avec 2.",
        ),
        (
            event("settled", round=3, gold=[13, 5, 13], short=[1], bag=None, artisan=None),
            1,
            (
                "Ann paid 13 and got nothing. You had no gold card that fits and discarded 5."
                " Salma paid 13 and got nothing."
            ),
            (
                "Ann a payé 13 et n'a rien obtenu. Vous n'aviez pas de carte d'or qui convienne et avez défaussé 5."
                " Salma a payé 13 et n'a rien obtenu."
            ),
        ),
        (
            event("settled", round=3, gold=[None, None, None], short=[], bag=None, artisan=None),
            1,
            "Nobody paid for the bag or the artisan.",
            "Personne n'a payé pour le sac ou l'artisan.",
        ),
        (event("evening", day=2), None, "It's the evening of day 2.", "C'est le soir du jour 2."),
        (
            event("finished", result=RESULT),
            1,
            "The three days are over. Ben wins.",
            "Les trois jours sont terminés. Ben gagne.",
        ),
    ],
)
def test_what_nobody_did_alone_has_its_own_sentences(happened: Event, you: int | None, told: str, french: str) -> None:
    assert UI.actor(happened) is None
    assert tell([happened], you) == told
    assert tell([happened], you, FRENCH) == french


def test_events_that_follow_each_other_are_told_in_order() -> None:
    events = [
        event("shown", round=1, cards=[9, 3, 4]),
        auctioned([9, 3, 4], 0, "BH1"),
        event("revealed", round=2, day=1, domino="HS1", offer=["HS1"]),
    ]
    assert tell(events, 1) == (
        "All cards are shown: Ann 9, you 3, Salma 4. Ann won BH1 with 9. Round 2, day 1: HS1 is on offer."
    )


def test_the_ending_names_the_winners_and_the_reason() -> None:
    assert UI.ending(RESULT, NAMES, ENGLISH) == "The three days are over. Ben wins."
    left = {**RESULT, "winners": [0, 2], "reason": "last_standing"}
    assert UI.ending(left, NAMES, ENGLISH) == "Only one player is left. Ann and Salma share the win."


@pytest.mark.parametrize("weaving", ["relaxed", "strict"])
def test_every_event_of_a_game_is_told_to_everybody(weaving: str) -> None:
    kinds = set()
    for state, events in moments(3, weaving):
        for you in (None, 0, 1, 2):
            for shown in (KILIM.event_view(state, each, you) for each in events):
                kinds.add(shown["type"])
                assert UI.actor(shown) == shown.get("seat")
                for translations in (ENGLISH, FRENCH):
                    told = tell([shown], you, translations)
                    assert told.endswith(".")
                    assert "None" not in told
                    assert "%" not in told
    assert len(kinds) > 12


def test_a_sealed_card_is_told_only_to_its_player() -> None:
    sealed = 0
    for state, (first, *_) in moments(3):
        if first.type == "played" and state.shown is None and state.round == first.round:
            assert tell([KILIM.event_view(state, first, None)]).endswith(" has played a card.")
            assert tell([KILIM.event_view(state, first, first.seat)], first.seat).startswith("You played ")
            sealed += 1
    assert sealed


def test_a_summary_leaves_out_cards_and_payments_that_are_told_again() -> None:
    bid = event("bid", seat=0, round=2, gold=3)
    shown, auctioned, settled = (event(kind, round=2) for kind in ("shown", "auctioned", "settled"))
    assert UI.is_told_again(PLAYED, [KEPT, shown])
    assert UI.is_told_again(bid, [settled])
    assert not UI.is_told_again(bid, [auctioned, settled]), "what a spy has bid is told only by itself"
    for later in ([], [event("shown", round=3)], [event("settled", round=3)]):
        assert not UI.is_told_again(PLAYED, later)
        assert not UI.is_told_again(bid, later)
    assert not UI.is_told_again(WOVEN, [shown, auctioned, settled])
