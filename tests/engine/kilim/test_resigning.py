"""Leaving a game in every phase, and the end of a game: points, ranking and ties."""

import pytest

from service.engine.errors import GameOver, IllegalAction
from service.engine.kilim.game import KILIM
from service.engine.kilim.state import Weaving
from tests.engine.kilim.tables import ONE_DOMINO, TWO_DOMINOES, Act, Table, carpet_of, held

RELAXED_AND_STRICT = pytest.mark.parametrize("weaving", ["relaxed", "strict"])


# The card and the bid do not count


def test_a_sealed_card_does_not_count() -> None:
    table = Table()
    table.play(0, 15)
    assert table.resign(0) == ["Red resigns."]
    table.play(1, 3)
    assert table.play(2, 2)[1:3] == [
        "Round 1 cards: Red nothing, Blue 3, Green 2.",
        "Round 1 bids: Red nothing, Blue 3, Green 2. Blue wins BH1.",
    ]


def test_the_round_goes_on_when_the_seat_it_waited_for_leaves() -> None:
    table = Table()
    table.play(1, 3)
    table.play(2, 2)
    assert table.resign(0)[1] == "Round 1 cards: Red nothing, Blue 3, Green 2."
    assert table.state.round == 2


def test_a_card_that_is_shown_does_not_count_while_a_spy_still_bids() -> None:
    table = Table(4)
    table.play_all(15, "spy", 4, 4)
    table.resign(0)
    assert table.state.phase == "spy"
    assert table.bid(1, 2)[1] == "Round 1 bids: Red nothing, Blue 2, Green 4, Yellow 4. Blue wins BH1."


def test_the_only_spy_leaves_and_the_auction_follows() -> None:
    table = Table()
    table.play_all("spy", 5, 4)
    assert table.resign(0)[1] == "Round 1 bids: Red nothing, Blue 5, Green 4. Blue wins BH1."


def test_a_spys_bid_does_not_count() -> None:
    table = Table(4)
    table.play_all("spy", "spy", 5, 4)
    table.bid(0, 15)
    table.resign(0)
    assert table.bid(1, 1)[1] == "Round 1 bids: Red nothing, Blue 1, Green 5, Yellow 4. Green wins BH1."


def test_nobody_pays_if_the_only_seat_with_a_bag_has_left_before_the_auction() -> None:
    table = Table(4)
    table.play_all("spy", "bag", 5, 4)
    table.resign(1)
    assert table.bid(0, 1)[-1].startswith("Round 2 of day 1 shows ")
    assert table.state.turn == 3


def test_a_bid_for_the_bag_does_not_count() -> None:
    table = Table(4)
    table.play_all(7, "bag", "bag", 4)
    table.bid(1, 15)
    table.resign(1)
    assert "Yellow nothing. Short: nobody. Bag: Green." in table.bid(2, 8)[1]


def test_the_only_seat_that_pays_leaves_and_the_payment_ends() -> None:
    table = Table(4)
    table.play_all(7, "artisan", 5, 4)
    assert table.resign(1)[1] == (
        "Round 1 paid: Red nothing, Blue nothing, Green nothing, Yellow nothing."
        " Short: nobody. Bag: nobody. Artisan: nobody."
    )


def test_the_auction_and_its_price_stand_when_the_winner_leaves() -> None:
    table = Table(4).give_all(carpet=ONE_DOMINO)
    table.play_all(7, "bag", "artisan", 4)
    table.resign(0)
    assert (table.state.phase, table.seat(0).owes_weave) == ("pay", ())
    assert table.biddable(1) == [*range(8, 16)]
    assert table.biddable(2) == [*range(1, 7)]


def test_carried_dominoes_stay_on_offer() -> None:
    table = Table()
    table.play_all(1, 1, 1)
    table.resign(0)
    assert table.state.offer == ("BH1", "HS1")


# What a seat leaves behind


@RELAXED_AND_STRICT
def test_debts_scraps_and_perfect_dominoes_leave_the_game(weaving: Weaving) -> None:
    table = Table(weaving=weaving).give_all(carpet=TWO_DOMINOES)
    table.give(0, owes_weave=("BE2",), owes_keep=True, owes_take=1, scraps=("star",), perfect=("OO1",))
    table.change(bag=("eye", "bird"), bag_left=2)
    table.resign(0)
    left = table.seat(0)
    assert (left.owes, left.scraps, left.perfect, left.carpet) == (False, (), (), TWO_DOMINOES)
    assert (table.state.bag, table.state.bag_left) == (("eye", "bird"), 2)
    assert len(table.state.tokens) == 4


def test_an_unused_token_goes_back_to_the_board_and_a_used_one_with_the_next_day() -> None:
    table = Table(4, in_round=15).give_all(carpet=TWO_DOMINOES).change(tokens=("perfect", "move"))
    table.give(0, token=held("turn")).give(1, token=held("remove", used=True))
    table.resign(0)
    assert (table.state.tokens, table.seat(0).token) == (("perfect", "turn", "move"), None)
    table.resign(1)
    assert (table.state.tokens, table.seat(1).token) == (("perfect", "turn", "move"), held("remove", used=True))
    table.play_all(None, None, 5, 5)
    assert (len(table.state.tokens), table.seat(1).token) == (4, None)


def test_yesterdays_unused_token_adds_nothing_to_todays() -> None:
    table = Table(in_round=16).give(0, token=held("turn", day=1), carpet=TWO_DOMINOES).change(tokens=("move",))
    table.resign(0)
    assert table.state.tokens == ("move",)


def test_a_token_that_comes_back_can_be_taken() -> None:
    table = Table().give_all(carpet=TWO_DOMINOES).change(tokens=("perfect", "move"))
    table.give(0, token=held("turn")).give(1, owes_take=1)
    table.resign(0)
    assert table.takeable(1) == ["perfect", "turn", "move"]


def test_a_strict_game_goes_on_when_the_seat_that_must_weave_leaves() -> None:
    table = Table(weaving="strict").give_all(carpet=TWO_DOMINOES)
    table.play_all(1, 2, 3)
    assert table.resign(2)[1] == "Round 2 of day 1 shows HS1; on offer HS1."


def test_an_evening_ends_when_the_last_seat_it_waits_for_leaves() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES).give(0, token=held("turn"))
    table.play_all(5, 5, 5)
    assert table.resign(0)[1] == "Round 16 of day 2 shows ST2; on offer ST2."


def test_a_seat_that_has_passed_can_resign() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES, token=held("turn"))
    table.play_all(5, 5, 5)
    table.pass_(0)
    assert table.resign(0) == ["Red resigns."]
    assert table.waits_for == {1, 2}


def test_who_has_left_can_do_nothing_more() -> None:
    table = Table()
    table.resign(0)
    assert table.kinds(0) == []
    acts: list[Act] = [lambda: table.play(0, 3), lambda: table.resign(0)]
    for act in acts:
        with pytest.raises(IllegalAction, match="You have left"):
            act()


# The end


@RELAXED_AND_STRICT
def test_the_last_seat_wins_at_once_whatever_its_points(weaving: Weaving) -> None:
    table = Table(weaving=weaving).give(0, carpet=TWO_DOMINOES).give(1, carpet=carpet_of("BX m13-n13", "EX m14-m15"))
    table.resign(2)
    assert table.resign(0) == [
        "Red resigns.",
        (
            "One weaver is left. Blue wins. Blue has -6:"
            " rectangle 0, motifs 0, groups 0, largest 0, torn -6, squares 4; Red is out; Green is out."
        ),
    ]
    assert table.state.phase == "over"
    with pytest.raises(GameOver):
        table.play(1, 3)
    with pytest.raises(GameOver):
        table.resign(1)


def test_nothing_happens_by_itself_before_the_last_seat_wins() -> None:
    table = Table(2).give(0, owes_weave=("BE2",))
    assert [sentence.split(".")[0] for sentence in table.resign(1)] == ["Blue resigns", "One weaver is left"]


def test_who_is_out_ranks_last_and_the_last_to_leave_first() -> None:
    table = Table(5, in_round=45).give_all(carpet=TWO_DOMINOES).give(3, carpet=ONE_DOMINO)
    table.resign(4)
    table.resign(1)
    table.play_all(5, None, 5, 5, None)
    result = table.state.result
    assert result is not None
    assert result.ranking == (0, 2, 3, 1, 4)
    assert result.winners == (0, 2)
    assert [score.total for score in result.scores] == [21, 0, 21, 11, 0]
    assert [score.out for score in result.scores] == [False, True, False, False, True]


def test_a_carpet_that_is_out_does_not_count_for_the_largest_group() -> None:
    table = Table().give_all(carpet=TWO_DOMINOES).give(0, carpet=carpet_of("TT3 m13-n13", "TT1 m14-n14"))
    assert points(table, "largest") == [5, 0, 0]
    table.give(2, carpet=carpet_of("BE1 m13-n13"))
    table.resign(0)
    assert points(table, "largest") == [0, 5, 0]
    assert KILIM.view(table.state, None)["seats"][0]["carpet"].keys() == {"m13", "n13", "m14", "n14"}


def points(table: Table, field: str) -> list[int]:
    return [seat["points"][field] for seat in KILIM.view(table.state, None)["seats"]]


def test_the_view_shows_the_points_that_the_game_would_end_with() -> None:
    table = Table(in_round=45).give_all(carpet=TWO_DOMINOES).give(0, carpet=ONE_DOMINO)
    before = [seat["points"] for seat in KILIM.view(table.state, None)["seats"]]
    table.play_all(5, 5, 5)
    scores = KILIM.view(table.state, None)["result"]["scores"]
    assert [{name: score[name] for name in before[0]} for score in scores] == before
