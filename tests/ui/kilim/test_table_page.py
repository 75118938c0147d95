"""What the table page shows: the hand, pieces to place, the last reveal and the other carpets."""

from gettext import NullTranslations

import pytest

from service.engine.json_reader import Json
from service.engine.kilim.game import KILIM
from service.engine.kilim.state import State
from service.i18n import translations_for
from service.ui.kilim.table_page import Reveal, describe_table
from tests.ui.kilim.positions import NAMES, play, played, seen_by

ENGLISH = NullTranslations()


def shown_to(state: State, seat: int | None) -> Json:
    return describe_table(state, seen_by(state, seat), NAMES, ENGLISH)


def find(condition: str, seats: int = 4) -> State:
    """The first position of a game in this phase."""
    return next(state for state in play(seats) if state.phase == condition)


def test_the_hand_has_all_cards_of_a_day_and_tells_which_are_spent() -> None:
    state = next(state for state in play() if state.round == 4 and 0 in KILIM.to_act(state) and not state.seats[0].owes)
    hand = shown_to(state, 0)["cards"]
    assert [each.card for each in hand] == [*map(str, range(1, 16)), "spy", "bag", "artisan"]
    left = {str(card) for card in (*state.seats[0].gold, *state.seats[0].specials)}
    assert {each.card for each in hand if not each.is_spent} == left
    assert {each.card for each in hand if each.choice} <= left


def test_with_two_players_the_hand_has_ten_gold_cards() -> None:
    state = next(play(2))
    assert [each.card for each in shown_to(state, 0)["cards"]] == [*map(str, range(1, 11)), "spy", "bag", "artisan"]


def test_a_player_who_cannot_play_a_card_sees_no_hand() -> None:
    state = next(state for state in play() if state.round == 1 and 0 not in KILIM.to_act(state))
    assert shown_to(state, 0)["cards"] == []


@pytest.mark.parametrize("seat", [0, None])
def test_every_choice_is_on_the_page_once(seat: int | None) -> None:
    for state in list(play())[::7]:
        context = shown_to(state, seat)
        keys = [each.choice.key for each in context["cards"] if each.choice]
        keys += [each.key for each in context["picks"]]
        keys += [choice.key for tray in context["trays"] for choice in tray.choices]
        assert len(keys) == len(set(keys)) == len(seen_by(state, seat)["legal"])


def reveal_of(state: State) -> Reveal:
    found: Reveal = shown_to(state, None)["reveal"]
    return found


def test_before_the_first_reveal_there_is_none() -> None:
    assert shown_to(next(play()), 0)["reveal"] is None


def test_sealed_cards_are_not_revealed() -> None:
    for state in play():
        if state.phase == "choose" and state.round == 2:
            assert reveal_of(state).round == 1
        if state.round > 2:
            break


def test_a_spy_is_shown_before_its_gold() -> None:
    reveal = reveal_of(find("spy"))
    assert not reveal.is_settled
    (spy,) = [each for each in reveal.cards if each.card == "spy"]
    assert spy.added is None
    assert not any(each.is_winner or each.is_cancelled for each in reveal.cards)


def test_while_others_pay_the_auction_is_told_and_their_gold_is_not() -> None:
    state = find("pay")
    reveal = reveal_of(state)
    assert reveal.is_settled
    assert reveal.round == state.round
    assert all(each.added is None for each in reveal.cards if each.card in {"bag", "artisan"})


def test_ties_are_cancelled_and_the_winner_is_told() -> None:
    seen = set()
    for state in play():
        if state.last is None or (reveal := reveal_of(state)).round in seen or not reveal.is_settled:
            continue
        seen.add(reveal.round)
        gold = [each.added or each.card for each in reveal.cards if each.card not in {"bag", "artisan"}]
        for each in reveal.cards:
            if each.card not in {"bag", "artisan"}:
                assert each.is_cancelled == (list(map(str, gold)).count(str(each.added or each.card)) > 1)
        winners = [each for each in reveal.cards if each.is_winner]
        assert len(winners) == (0 if reveal.outcome else 1)
        assert all(each.prize == "wins" for each in winners)
    assert len(seen) > 30


def test_a_round_that_somebody_won_has_no_other_outcome_in_any_language() -> None:
    state = next(state for state in play() if state.last and state.last[1].winner is not None)
    for language in ("en", "fr"):
        reveal = describe_table(state, seen_by(state, None), NAMES, translations_for(language))["reveal"]
        assert reveal.outcome == ""


def test_every_piece_that_can_be_moved_is_defined() -> None:
    for state in list(play())[::5]:
        for seat in range(4):
            context = shown_to(state, seat)
            for tray in context["trays"]:
                for choice in tray.choices:
                    piece = tray.piece or choice.action["piece"]
                    name = f"piece-{piece}-north" if piece[0].isupper() else f"piece-scrap-{piece}"
                    assert f'id="{name}"' in context["pieces"]


def test_players_see_the_carpets_of_the_others_and_spectators_see_them_all_on_the_board() -> None:
    state = played(4, 120)
    assert shown_to(state, 1)["carpets"].count('class="seat"') == 3
    assert not shown_to(state, None)["carpets"]


def test_the_players_who_have_played_a_card_are_listed_together() -> None:
    state = next(state for state in play() if state.round == 2 and KILIM.to_act(state) == {2, 3})
    assert shown_to(state, 2)["played"] == f"Cards played so far: {NAMES[0]} and {NAMES[1]}."
    assert shown_to(state, 0)["played"] == f"Cards played so far: {NAMES[1]}."
    assert shown_to(find("evening"), 0)["played"] == ""


def test_every_token_to_take_is_explained() -> None:
    state = next(state for state in play(3) if state.seats[0].owes_take and len(state.tokens) > 2)
    shown = shown_to(state, 0)
    tokens = [each.action["token"] for each in shown["picks"] if each.action["type"] == "take"]
    assert len(tokens) > 2
    assert all(shown["uses"][token] for token in tokens)
