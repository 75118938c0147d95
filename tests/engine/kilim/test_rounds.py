"""A round: the draw, phases and their order, turn numbers, auctions, payments, and what the server does by itself."""

import pytest

from service.engine.errors import IllegalAction, NotYourTurn
from service.engine.kilim.pieces import DOMINOES, PAIRS, draw_piles
from service.engine.kilim.state import Weaving
from tests.engine.kilim.tables import DICE, ONE_DOMINO, TWO_DOMINOES, Act, Table, held

RELAXED_AND_STRICT = pytest.mark.parametrize("weaving", ["relaxed", "strict"])


# The draw


@pytest.mark.parametrize(("seats", "torn"), [(2, (1, 1, 0)), (3, (1, 1, 1)), (4, (2, 1, 1)), (5, (2, 2, 1))])
def test_piles_and_what_is_set_aside_are_all_dominoes_once(seats: int, torn: tuple[int, ...]) -> None:
    piles, aside = draw_piles(seats, DICE)
    assert sorted(domino for part in (*piles, *aside) for domino in part) == sorted(DOMINOES[:-3])
    assert tuple(sum(domino.endswith("X") for domino in pile) for pile in piles) == torn
    assert {len(pile) for pile in piles} == {10 if seats == 2 else 15}
    for group, (pile, rest) in enumerate(zip(piles, aside[:3], strict=True), start=1):
        assert {*pile, *rest} >= {f"{pair}{group}" for pair in PAIRS}


def test_a_game_has_45_rounds_and_30_with_two_players() -> None:
    assert [Table(seats).state.rounds for seats in (2, 3, 4, 5)] == [30, 45, 45, 45]
    assert [len(Table(seats).seat(0).gold) for seats in (2, 3, 4, 5)] == [10, 15, 15, 15]


# The example of the specification


def test_the_example_happens_as_the_specification_tells_it() -> None:
    table = Table()
    assert table.state.offer == ("BH1",)
    table.play(0, 9)
    table.play(1, "spy")
    assert table.play(2, "bag") == [
        "Green plays in round 1: the bag.",
        "Round 1 cards: Red 9, Blue the spy, Green the bag.",
    ]
    assert table.bid(1, 10) == [
        "Blue bids in round 1: 10.",
        "Round 1 bids: Red 9, Blue 10, Green nothing. Blue wins BH1.",
        "Blue weaves BH1 on m13-n13.",
    ]
    assert table.bid(2, 13) == [
        "Green bids in round 1: 13.",
        "Round 1 paid: Red nothing, Blue nothing, Green 13. Short: nobody. Bag: Green. Artisan: nobody.",
        "Round 2 of day 1 shows HS1; on offer HS1.",
    ]
    assert table.play(0, 3) == ["Red plays in round 2: 3."]
    assert table.keep(2, "star") == ["Green keeps a scrap: star."]
    assert table.play(2, 3) == ["Green plays in round 2: 3."]
    assert table.play(1, "artisan") == [
        "Blue plays in round 2: the artisan.",
        "Round 2 cards: Red 3, Blue the artisan, Green 3.",
        "Round 2 bids: Red 3, Blue nothing, Green 3. Nobody wins HS1: carried.",
    ]
    assert table.bid(1, 2) == [
        "Blue bids in round 2: 2.",
        "Round 2 paid: Red nothing, Blue 2, Green nothing. Short: nobody. Bag: nobody. Artisan: Blue.",
        "Round 3 of day 1 shows EH1; on offer HS1 EH1.",
    ]
    assert table.waits_for == {0, 1, 2}
    assert table.state.turn == 6


# Phases and turns


def test_a_relaxed_round_of_gold_is_one_turn() -> None:
    table = Table()
    assert (table.state.phase, table.state.turn) == ("choose", 1)
    table.play_all(1, 2, 3)
    assert (table.state.phase, table.state.turn, table.state.round) == ("choose", 2, 2)


def test_a_strict_round_of_gold_is_two_turns_even_if_nobody_owes_anything() -> None:
    table = Table(weaving="strict")
    assert table.play_all(1, 2, 3)[-2:] == [
        "Green weaves BH1 on m13-n13.",
        "Round 2 of day 1 shows HS1; on offer HS1.",
    ]
    assert (table.state.phase, table.state.turn) == ("choose", 3)
    table.play_all(3, 4, 4)
    assert table.state.turn == 5
    table.give(2, carpet=TWO_DOMINOES)
    table.play_all(5, 5, 6)
    assert (table.state.phase, table.state.turn, table.waits_for) == ("weave", 6, {2})


def test_a_spy_begins_a_turn() -> None:
    table = Table()
    table.play_all("spy", 2, 3)
    assert (table.state.phase, table.state.turn, table.waits_for) == ("spy", 2, {0})
    table.bid(0, 4)
    assert (table.state.phase, table.state.turn, table.state.round) == ("choose", 3, 2)


def test_paying_begins_a_turn_and_waits_for_bag_and_artisan_together() -> None:
    table = Table()
    table.play_all("artisan", 5, "bag")
    assert (table.state.phase, table.state.turn, table.waits_for) == ("pay", 2, {0, 2})
    table.bid(2, 6)
    assert (table.state.phase, table.state.turn, table.waits_for) == ("pay", 2, {0})
    table.bid(0, 4)
    assert (table.state.phase, table.state.turn, table.state.round) == ("choose", 3, 2)


def test_a_strict_round_with_spy_and_bag_is_four_turns() -> None:
    table = Table(weaving="strict")
    turns = [(table.state.phase, table.state.turn)]
    acts: list[Act] = [
        lambda: table.play_all("spy", 5, "bag"),
        lambda: table.bid(0, 4),
        lambda: table.bid(2, 6),
        lambda: table.keep(2, "eye"),
    ]
    for act in acts:
        act()
        turns.append((table.state.phase, table.state.turn))
    assert turns == [("choose", 1), ("spy", 2), ("pay", 3), ("weave", 4), ("choose", 5)]


def test_a_days_last_round_in_a_strict_game_begins_weave_and_evening() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES)
    assert table.play_all(1, 2, 3)[-1] == "Evening of day 1."
    assert (table.state.phase, table.state.turn, table.waits_for) == ("evening", 3, {2})
    assert table.weave(2, f"{table.seat(2).owes_weave[0]} m15-n15")[-1].startswith("Round 16 of day 2 shows ST2;")
    assert (table.state.phase, table.state.turn) == ("choose", 4)


def test_a_relaxed_day_ends_without_an_evening_even_if_seats_owe_something() -> None:
    table = Table(in_round=15).give_all(carpet=TWO_DOMINOES)
    assert table.play_all(1, 2, 3)[-1] == "Round 16 of day 2 shows ST2; on offer ST2."
    assert (table.state.phase, table.state.turn, table.state.day) == ("choose", 2, 2)
    assert len(table.seat(2).owes_weave) == 1
    assert table.playable(2) == []
    assert table.playable(0) == [*range(1, 16), "spy", "bag", "artisan"]


@RELAXED_AND_STRICT
def test_the_last_round_is_followed_by_an_evening_and_the_end(weaving: Weaving) -> None:
    table = Table(weaving=weaving, in_round=45).give_all(carpet=TWO_DOMINOES)
    assert table.play_all(1, 2, 3)[-1] == "Evening of day 3."
    assert (table.state.phase, table.state.turn) == ("evening", 2 if weaving == "relaxed" else 3)
    assert table.weave(2, f"{table.seat(2).owes_weave[0]} m15-n15")[-1].startswith("The days are over. ")
    assert (table.state.phase, table.waits_for) == ("over", set())


@RELAXED_AND_STRICT
def test_a_new_day_gives_all_cards_back(weaving: Weaving) -> None:
    table = Table(weaving=weaving, in_round=15).give_all(carpet=TWO_DOMINOES, gold=(3, 7), specials=())
    table.play_all(3, 7, 7)
    if weaving == "strict":
        table.weave(0, f"{table.seat(0).owes_weave[0]} m15-n15")
    assert table.state.day == 2
    assert {seat.gold for seat in table.state.seats} == {tuple(range(1, 16))}
    assert {seat.specials for seat in table.state.seats} == {("spy", "bag", "artisan")}


def test_a_sealed_card_and_a_sealed_bid_are_final() -> None:
    table = Table()
    table.play(0, 3)
    with pytest.raises(NotYourTurn):
        table.play(0, 4)
    table.play(1, "spy")
    table.play(2, "spy")
    table.bid(1, 3)
    with pytest.raises(NotYourTurn):
        table.bid(1, 4)


def test_gold_is_bid_only_by_seats_that_must_and_cards_are_played_only_when_a_domino_is_revealed() -> None:
    table = Table()
    with pytest.raises(NotYourTurn):
        table.bid(0, 3)
    table.play_all("spy", 5, 3)
    with pytest.raises(NotYourTurn):
        table.bid(1, 3)
    with pytest.raises(NotYourTurn):
        table.play(0, 3)


def test_a_card_that_is_spent_can_be_neither_played_nor_bid() -> None:
    table = Table().give(0, carpet=ONE_DOMINO, gold=(4, 5), specials=("spy",))
    for card in (3, "bag"):
        with pytest.raises(IllegalAction, match="any more today"):
            table.play(0, card)
    table.play_all("spy", 5, 3)
    with pytest.raises(IllegalAction, match="any more today"):
        table.bid(0, 3)


# Auctions


def test_all_gold_is_spent_and_so_are_special_cards() -> None:
    table = Table()
    table.play_all(9, "spy", "bag")
    assert [9 in table.seat(0).gold, "spy" in table.seat(1).specials, "bag" in table.seat(2).specials] == [False] * 3
    table.bid(1, 10)
    assert 10 not in table.seat(1).gold
    table.bid(2, 13)
    assert 13 not in table.seat(2).gold
    assert {len(seat.gold) for seat in table.state.seats} == {14}


def test_spies_that_bid_the_same_cancel_each_other_and_gold_that_was_shown() -> None:
    table = Table()
    table.play_all("spy", "spy", 7)
    table.bid(0, 7)
    assert "Nobody wins BH1: carried." in table.bid(1, 7)[1]


def test_the_winner_of_carried_dominoes_gets_all_of_them() -> None:
    table = Table().give_all(carpet=TWO_DOMINOES)
    table.play_all(1, 1, 1)
    table.play_all(2, 2, 2)
    assert table.state.offer == ("BH1", "HS1", "EH1")
    table.play_all(3, 4, 5)
    assert table.seat(2).owes_weave == ("BH1", "HS1", "EH1")
    assert len(table.state.offer) == 1


@RELAXED_AND_STRICT
def test_carried_dominoes_are_lost_at_the_end_of_the_day(weaving: Weaving) -> None:
    table = Table(weaving=weaving, in_round=14).give_all(carpet=TWO_DOMINOES)
    table.play_all(1, 1, 1)
    carried = table.state.offer
    assert len(carried) == 2
    lost = table.play_all(2, 2, 2)
    assert f"Nobody wins {' '.join(carried)}: lost." in lost[2]
    assert lost[-1] == "Round 16 of day 2 shows ST2; on offer ST2."


def test_the_bag_costs_more_and_the_artisan_less_than_the_winner_paid() -> None:
    table = Table()
    table.play_all("bag", 7, "artisan")
    assert table.biddable(0) == [*range(8, 16)]
    assert table.biddable(2) == [*range(1, 7)]
    with pytest.raises(IllegalAction, match="more than the winner"):
        table.bid(0, 7)


def test_every_card_fits_if_nobody_has_won() -> None:
    table = Table(4)
    table.play_all("bag", 7, 7, "artisan")
    assert table.biddable(0) == table.biddable(3) == [*range(1, 16)]
    table.bid(0, 1)
    assert "Short: nobody. Bag: Red. Artisan: Yellow." in table.bid(3, 15)[1]


def test_who_has_no_card_that_fits_discards_one_and_does_not_compete() -> None:
    table = Table(4).give(1, gold=(2, 6))
    table.play_all(7, "bag", "bag", 3)
    assert table.biddable(1) == [2, 6]
    table.bid(1, 6)
    assert table.bid(2, 8)[1] == (
        "Round 1 paid: Red nothing, Blue 6, Green 8, Yellow nothing. Short: Blue. Bag: Green. Artisan: nobody."
    )
    assert table.seat(1).gold == (2,)


def test_equal_best_payers_get_nothing() -> None:
    table = Table(5)
    table.play_all(7, "bag", "bag", "artisan", "artisan")
    for seat, gold in ((1, 9), (2, 9), (3, 2)):
        table.bid(seat, gold)
    assert "Bag: nobody. Artisan: nobody." in table.bid(4, 2)[1]
    assert not any(seat.owes_keep or seat.owes_take for seat in table.state.seats)


def test_a_spys_gold_is_the_price_if_the_spy_wins() -> None:
    table = Table()
    table.play_all("spy", 3, "bag")
    table.bid(0, 12)
    assert table.biddable(2) == [13, 14, 15]


# Bag and artisan can be played only while there is something to win


def test_the_bag_is_playable_while_more_scraps_are_left_than_are_owed() -> None:
    table = Table(in_round=4).give_all(carpet=TWO_DOMINOES).give(1, owes_keep=True)
    table.change(bag=("bird", "eye"), bag_left=2)
    assert "bag" in table.playable(0)
    table.keep(1, "eye")
    assert "bag" in table.playable(0)
    table.change(bag=(), bag_left=0)
    assert "bag" not in table.playable(0)
    with pytest.raises(IllegalAction, match="nothing left to win"):
        table.play(0, "bag")


def test_the_last_scrap_is_promised_while_another_seat_must_keep_it() -> None:
    table = Table(in_round=4).give(1, owes_keep=True).change(bag=("bird",), bag_left=1)
    assert "bag" not in table.playable(0)


def test_the_artisan_is_playable_while_more_of_the_days_tokens_are_left_than_are_owed() -> None:
    table = Table(in_round=4).change(tokens=("turn",))
    assert "artisan" in table.playable(0)
    table.give(1, owes_take=1)
    assert "artisan" not in table.playable(0)
    table.give(1, owes_take=0).change(tokens=())
    assert "artisan" not in table.playable(0)


def test_a_token_owed_from_yesterday_is_not_one_of_todays() -> None:
    table = Table(in_round=16).change(tokens=("turn",), late_tokens=("move", "remove")).give(1, owes_take=1)
    assert "artisan" in table.playable(0)


# What the server does by itself


def test_the_first_domino_is_woven_by_itself() -> None:
    table = Table()
    assert table.play_all(1, 2, 3)[3] == "Green weaves BH1 on m13-n13."
    assert not table.seat(2).owes


def test_of_several_dominoes_the_first_on_offer_begins_the_carpet() -> None:
    table = Table()
    table.play_all(1, 1, 1)
    assert table.play_all(3, 2, 2)[3:] == [
        "Red weaves BH1 on m13-n13.",
        "Round 3 of day 1 shows EH1; on offer EH1.",
    ]
    assert table.seat(0).owes_weave == ("HS1",)


def test_a_carpet_that_was_emptied_begins_again_by_itself() -> None:
    table = Table().give(0, carpet=ONE_DOMINO, owes_weave=("BE2", "SX"), token=held("remove"))
    assert table.rework(0, "remove TT3") == ["Red uses remove: TT3 off the loom.", "Red weaves BE2 on m13-n13."]
    assert table.seat(0).owes_weave == ("SX",)


def test_the_last_scrap_and_the_last_token_are_taken_by_themselves() -> None:
    table = Table(in_round=4).give_all(carpet=TWO_DOMINOES)
    table.change(bag=("horn",), bag_left=1, tokens=("perfect",))
    table.play_all("bag", "artisan", 7)
    table.bid(0, 9)
    assert table.bid(1, 2)[2:4] == ["Red keeps a scrap: horn.", "Blue takes the token perfect and OO1."]
    assert (table.state.bag_left, table.state.tokens) == (0, ())


def test_the_only_card_is_played_by_itself_and_so_is_the_only_bid() -> None:
    table = Table(in_round=14).give_all(carpet=TWO_DOMINOES, gold=(3, 7), specials=())
    table.give(1, specials=("spy",)).give(2, gold=(3, 5))
    assert [sentence.split(" shows ")[0] for sentence in table.play_all(3, 7, 5)[3:]] == [
        "Round 15 of day 1",
        "Red plays in round 15: 7.",
        "Green plays in round 15: 3.",
    ]
    assert table.waits_for == {1}
    table.weave(1, f"{table.seat(1).owes_weave[0]} m15-n15")
    assert table.playable(1) == [3, "spy"]
    happened = table.play(1, "spy")
    assert happened[1:3] == ["Round 15 cards: Red 7, Blue the spy, Green 3.", "Blue bids in round 15: 3."]
    assert happened[3].startswith("Round 15 bids: Red 7, Blue 3, Green 3. Red wins ")


def test_a_seat_that_owes_plays_its_only_card_as_soon_as_it_owes_nothing() -> None:
    table = Table(in_round=15).give_all(carpet=TWO_DOMINOES, gold=(7,), specials=()).give(1, owes_weave=("BE2",))
    table.give(0, card=7).give(2, card=7)
    assert table.weave(1, "BE2 m15-n15")[:2] == ["Blue weaves BE2 on m15-n15.", "Blue plays in round 15: 7."]


def test_the_only_card_that_fits_is_paid_by_itself() -> None:
    table = Table().give(0, gold=(3, 9)).give(2, gold=(5,))
    assert table.play_all("bag", 7, "artisan")[-5:] == [
        "Red bids in round 1: 9.",
        "Blue weaves BH1 on m13-n13.",
        "Green bids in round 1: 5.",
        "Round 1 paid: Red 9, Blue nothing, Green 5. Short: nobody. Bag: Red. Artisan: Green.",
        "Round 2 of day 1 shows HS1; on offer HS1.",
    ]


def test_the_lowest_seat_comes_before_the_order_of_the_list() -> None:
    """Red's bid is fourth in the list and Blue's weaving first, but Red is the lower seat."""
    table = Table().give(0, gold=(3, 9))
    assert table.play_all("bag", 7, 4)[3:5] == ["Red bids in round 1: 9.", "Blue weaves BH1 on m13-n13."]


def test_one_seat_acts_in_the_order_of_the_list() -> None:
    table = Table(in_round=15).give_all(gold=(7,), specials=()).give(0, card=7).give(2, card=3)
    table.give(1, owes_weave=("BE2",), owes_keep=True, owes_take=1)
    table.change(bag=("horn",), bag_left=1, tokens=("turn",)).give(0, scraps=("eye",), carpet=ONE_DOMINO)
    assert table.patch(0, "eye m13")[1:5] == [
        "Blue weaves BE2 on m13-n13.",
        "Blue keeps a scrap: horn.",
        "Blue takes the token turn.",
        "Blue plays in round 15: 7.",
    ]


def test_a_choice_is_never_made_by_itself() -> None:
    table = Table(in_round=15).give_all(gold=(7,), specials=("spy",))
    assert table.play(0, 7) == ["Red plays in round 15: 7."]
    assert table.waits_for == {1, 2}
