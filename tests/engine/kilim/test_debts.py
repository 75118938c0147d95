"""What a seat owes and holds: dominoes to weave, scraps, tokens and perfect dominoes."""

import pytest

from service.engine.errors import IllegalAction, NotYourTurn
from service.engine.kilim.state import Phase, Weaving
from tests.engine.kilim.tables import ONE_DOMINO, TWO_DOMINOES, Act, Table, carpet_of, held

RELAXED_AND_STRICT = pytest.mark.parametrize("weaving", ["relaxed", "strict"])


def in_phase(phase: Phase) -> Table:
    """A game of three in this phase, in which Blue isn't waited for."""
    table = Table(weaving="strict", in_round=15 if phase == "evening" else 2).give_all(carpet=TWO_DOMINOES)
    cards = {"choose": (None, 4, None), "spy": ("spy", 4, 5), "pay": ("bag", 4, 5)}.get(phase, (1, 4, 5))
    table.play_all(*cards)
    assert table.state.phase == phase
    assert 1 not in table.waits_for
    return table


EVERY_PHASE = pytest.mark.parametrize("phase", ["choose", "spy", "pay", "weave", "evening"])


# Debts


def test_dominoes_are_woven_in_any_order() -> None:
    table = Table().give(0, carpet=ONE_DOMINO, owes_weave=("BE1", "HS1", "SX"))
    table.weave(0, "HS1 m14-m15")
    table.weave(0, "SX l13-l14")
    assert table.seat(0).owes_weave == ("BE1",)
    table.weave(0, "BE1 n15-n14")
    assert not table.seat(0).owes


def test_a_card_is_played_only_when_nothing_is_owed() -> None:
    table = Table().give(0, carpet=ONE_DOMINO, owes_weave=("BE1",), owes_keep=True, owes_take=1)
    assert table.waits_for == {0, 1, 2}
    acts: list[Act] = [
        lambda: table.weave(0, "BE1 m14-m15"),
        lambda: table.keep(0, "star"),
        lambda: table.take(0, "move"),
    ]
    for settle in acts:
        assert table.playable(0) == []
        with pytest.raises(IllegalAction, match="First weave, keep or take"):
            table.play(0, 3)
        settle()
    assert table.playable(0)


@EVERY_PHASE
def test_a_debt_is_settled_in_any_phase(phase: Phase) -> None:
    table = in_phase(phase).give(1, owes_weave=("BE1",), owes_keep=True, owes_take=1)
    assert table.kinds(1)[:3] == ["weave", "keep", "take"]
    table.keep(1, "star")
    table.take(1, "turn")
    table.weave(1, "BE1 m15-n15")
    assert table.seat(1).scraps == ("star",)
    assert table.seat(1).token == held("turn")
    assert not table.seat(1).owes


def test_nobody_weaves_keeps_or_takes_what_is_not_owed() -> None:
    table = Table().give(0, carpet=ONE_DOMINO)
    acts: list[Act] = [
        lambda: table.weave(0, "BE1 m14-m15"),
        lambda: table.weave(0, "OO1 m14-m15"),
        lambda: table.keep(0, "star"),
        lambda: table.take(0, "move"),
    ]
    for act in acts:
        with pytest.raises(IllegalAction):
            act()


def test_what_others_have_taken_is_gone() -> None:
    table = Table().give(0, carpet=ONE_DOMINO, owes_keep=True, owes_take=1)
    table.change(bag=("bird", "eye"), bag_left=2, tokens=("turn", "move"))
    with pytest.raises(IllegalAction, match="isn't in the bag"):
        table.keep(0, "star")
    with pytest.raises(IllegalAction, match="was taken"):
        table.take(0, "remove")


def test_the_winner_weaves_and_plays_the_next_card_in_one_visit() -> None:
    table = Table().give_all(carpet=ONE_DOMINO)
    table.play_all(1, 2, 3)
    assert (table.state.round, table.seat(2).owes_weave) == (2, ("BH1",))
    table.weave(2, "BH1 m14-m15")
    table.play(2, 4)
    assert table.waits_for == {0, 1}


def test_in_a_relaxed_game_others_play_while_a_seat_still_owes() -> None:
    table = Table().give_all(carpet=ONE_DOMINO)
    table.play_all(1, 2, 3)
    table.play(0, 5)
    table.play(1, 6)
    assert (table.state.shown, table.waits_for) == (None, {2})


def test_in_a_strict_game_the_next_domino_waits_for_every_debt() -> None:
    table = Table(4, weaving="strict").give_all(carpet=ONE_DOMINO)
    table.play_all(7, "bag", "artisan", 2)
    table.bid(1, 8)
    table.bid(2, 6)
    assert (table.state.phase, table.waits_for) == ("weave", {0, 1, 2})
    table.take(2, "turn")
    table.weave(0, "BH1 m14-m15")
    assert (table.state.phase, table.waits_for) == ("weave", {1})
    assert table.keep(1, "bird")[-1].startswith("Round 2 of day 1 shows ")


# What can be used at any time


@EVERY_PHASE
def test_scraps_perfect_dominoes_and_tokens_are_used_in_any_phase_without_being_waited_for(phase: Phase) -> None:
    table = in_phase(phase).give(1, scraps=("star",), perfect=("OO1",), token=held("turn"), owes_weave=())
    turn, others = table.state.turn, table.waits_for - {1}
    assert table.patch(1, "star m13") == ["Blue patches m13 with star."]
    assert table.weave(1, "OO1 m15-n15") == ["Blue weaves OO1 on m15-n15."]
    assert table.rework(1, "turn ES3 n14-m14") == ["Blue uses turn: ES3 on n14-m14."]
    assert (table.state.turn, table.waits_for, table.state.phase) == (turn, others, phase)
    assert (table.seat(1).scraps, table.seat(1).perfect, table.seat(1).token) == ((), (), held("turn", used=True))


def test_what_a_seat_does_not_hold_it_cannot_use() -> None:
    table = Table().give(0, carpet=TWO_DOMINOES, token=held("turn"))
    with pytest.raises(IllegalAction, match="this scrap"):
        table.patch(0, "star m13")
    with pytest.raises(IllegalAction, match="this token"):
        table.rework(0, "remove TT3")
    table.rework(0, "turn ES3 n14-m14")
    with pytest.raises(IllegalAction, match="have used it"):
        table.rework(0, "turn ES3 m14-n14")


def test_a_scrap_goes_only_where_it_may() -> None:
    table = Table().give(0, carpet=TWO_DOMINOES, scraps=("star",))
    with pytest.raises(IllegalAction, match="A scrap goes on"):
        table.patch(0, "star o13")


def test_scraps_on_a_domino_go_with_it_and_even_out_of_the_game() -> None:
    table = Table().give(0, carpet=carpet_of("BE1 m13-n13", "HX m14-n14", "star n14"), token=held("turn"))
    table.rework(0, "turn HX n14-m14")
    assert table.seat(0).carpet.scraps == carpet_of("star m14").scraps
    table.give(0, token=held("remove"))
    table.rework(0, "remove HX")
    assert table.seat(0).carpet == carpet_of("BE1 m13-n13")
    assert table.seat(0).scraps == ()


def test_a_scrap_that_is_removed_shows_what_was_below() -> None:
    table = Table().give(0, carpet=carpet_of("BX m13-n13", "star n13"), token=held("remove"))
    table.rework(0, "remove star")
    assert table.seat(0).carpet == carpet_of("BX m13-n13")


def test_a_perfect_domino_begins_an_empty_carpet_only_in_the_middle() -> None:
    table = Table().give(0, perfect=("OO1",))
    with pytest.raises(IllegalAction):
        table.weave(0, "OO1 m14-n14")
    table.weave(0, "OO1 m13-n13")
    assert table.seat(0).perfect == ()


def test_a_scrap_alone_is_a_carpet_beside_which_dominoes_go() -> None:
    table = Table().give(0, carpet=carpet_of("star k9"), owes_weave=("BE1",), scraps=("tree",))
    assert table.kinds(0) == ["weave"]
    with pytest.raises(IllegalAction):
        table.weave(0, "BE1 m13-n13")
    assert table.weave(0, "BE1 k10-k11") == ["Red weaves BE1 on k10-k11."]


# Tokens


def test_taking_perfect_uses_it_at_once_and_gives_the_next_perfect_domino() -> None:
    table = Table().give_all(carpet=ONE_DOMINO).give(0, owes_take=1)
    assert table.take(0, "perfect") == ["Red takes the token perfect and OO1."]
    assert (table.seat(0).perfect, table.seat(0).token) == (("OO1",), held("perfect", used=True))
    assert table.state.tokens == ("turn", "remove", "move")
    table = Table(in_round=16).change(perfect_taken=1).give(1, carpet=ONE_DOMINO, owes_take=2)
    assert table.take(1, "perfect") == ["Blue takes the token perfect and OO2."]


@RELAXED_AND_STRICT
def test_each_day_begins_with_four_tokens_and_used_ones_go_back(weaving: Weaving) -> None:
    table = Table(weaving=weaving, in_round=15).give_all(carpet=TWO_DOMINOES).change(tokens=("move",))
    table.give(0, token=held("turn", used=True)).give(1, token=held("perfect", used=True), perfect=("OO1",))
    table.play_all(5, 5, 5)
    assert table.state.day == 2
    assert table.state.tokens == ("perfect", "turn", "remove", "move")
    assert [seat.token for seat in table.state.seats] == [None, None, None]
    assert table.seat(1).perfect == ("OO1",)


def test_in_a_strict_game_an_unused_token_goes_back_with_the_next_day() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES).give(0, token=held("turn"))
    table.play_all(5, 5, 5)
    assert (table.state.phase, table.waits_for) == ("evening", {0})
    table.pass_(0)
    assert (table.state.day, table.seat(0).token) == (2, None)


def test_in_a_relaxed_game_an_unused_token_goes_back_with_the_first_card_of_the_next_day() -> None:
    table = Table(in_round=15).give_all(carpet=TWO_DOMINOES).give(0, token=held("turn")).give(1, token=held("move"))
    table.change(tokens=("perfect", "remove"))
    table.play_all(5, 5, 5)
    assert (table.state.day, table.seat(0).token) == (2, held("turn"))
    assert table.state.tokens == ("perfect", "turn", "remove", "move")
    table.play(1, 3)
    assert table.seat(1).token is None
    table.rework(0, "turn ES3 n14-m14")
    assert table.seat(0).token is None
    assert table.state.tokens == ("perfect", "turn", "remove", "move")


def test_in_a_relaxed_game_a_token_won_in_a_days_last_round_is_one_of_that_days() -> None:
    table = Table(in_round=15).give_all(carpet=TWO_DOMINOES).change(tokens=("perfect", "move"))
    table.play_all(7, "artisan", 5)
    table.bid(1, 2)
    assert (table.state.day, table.state.tokens) == (2, ("perfect", "turn", "remove", "move"))
    assert table.takeable(1) == ["perfect", "move"]
    with pytest.raises(IllegalAction):
        table.take(1, "turn")
    table.take(1, "move")
    assert table.seat(1).token == held("move", day=1)
    assert table.state.tokens == ("perfect", "turn", "remove", "move")
    table.play(1, 3)
    assert table.seat(1).token is None


def test_yesterdays_perfect_domino_leaves_todays_on_the_board() -> None:
    table = Table(in_round=15).give_all(carpet=TWO_DOMINOES).change(tokens=("perfect", "move"))
    table.play_all(7, "artisan", 5)
    table.bid(1, 2)
    assert table.take(1, "perfect") == ["Blue takes the token perfect and OO1."]
    assert (table.seat(1).token, table.seat(1).perfect) == (None, ("OO1",))
    assert table.state.tokens == ("perfect", "turn", "remove", "move")
    table.give(0, owes_take=2)
    assert table.take(0, "perfect") == ["Red takes the token perfect and OO2."]


def test_the_last_of_yesterdays_tokens_is_taken_by_itself() -> None:
    table = Table(in_round=15).give_all(carpet=TWO_DOMINOES).change(tokens=("remove",))
    table.play_all(7, "artisan", 5)
    assert table.bid(1, 2)[2:] == ["Blue takes the token remove.", "Round 16 of day 2 shows ST2; on offer ST2."]
    assert table.seat(1).token == held("remove", day=1)


def test_in_a_strict_game_a_token_won_in_a_days_last_round_is_taken_in_the_evening() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES).change(tokens=("perfect", "move"))
    table.play_all(7, "artisan", 5)
    table.bid(1, 2)
    assert (table.state.phase, table.takeable(1)) == ("evening", ["perfect", "move"])
    with pytest.raises(IllegalAction):
        table.pass_(1)
    table.take(1, "move")
    assert "pass" in table.kinds(1)


# Evenings


def test_an_evening_waits_for_debts_and_for_tokens_that_can_be_used() -> None:
    table = Table(5, weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES)
    table.give(0, token=held("turn")).give(1, token=held("turn"), carpet=ONE_DOMINO)
    table.give(2, scraps=("star",), perfect=("OO1",)).give(3, token=held("move", used=True))
    table.play_all(1, 2, 3, 4, 5)
    assert table.waits_for == {0, 4}


@RELAXED_AND_STRICT
def test_the_last_evening_also_waits_for_scraps_that_fit_and_perfect_dominoes(weaving: Weaving) -> None:
    table = Table(5, weaving=weaving, in_round=45).give_all(carpet=TWO_DOMINOES)
    table.give(0, scraps=("star",)).give(1, scraps=("eye",), carpet=carpet_of()).give(2, perfect=("OO1",))
    table.give(3, perfect=("OO2",), carpet=carpet_of())
    table.play_all(5, 5, 5, 5, 5)
    assert table.waits_for == {0, 2, 3}
    table.patch(0, "star m13")
    assert table.waits_for == {2, 3}
    table.weave(2, "OO1 m15-n15")
    assert table.pass_(3)[-1].startswith("The days are over. ")


def test_a_seat_that_has_passed_can_only_resign_until_the_next_day() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES, token=held("turn"), scraps=("star",))
    table.play_all(5, 5, 5)
    assert table.kinds(0) == ["patch", "rework", "pass"]
    table.pass_(0)
    assert (table.kinds(0), table.waits_for) == ([], {1, 2})
    acts: list[Act] = [lambda: table.patch(0, "star m13"), lambda: table.pass_(0)]
    for act in acts:
        with pytest.raises(NotYourTurn, match="You have passed"):
            act()
    table.pass_(1)
    table.rework(2, "turn ES3 n14-m14")
    assert table.state.day == 2
    assert "patch" in table.kinds(0)
    assert not any(seat.passed for seat in table.state.seats)


def test_only_a_seat_that_the_evening_waits_for_passes() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES).give(0, token=held("turn"))
    with pytest.raises(NotYourTurn):
        table.pass_(0)
    table.play_all(5, 5, 5)
    with pytest.raises(NotYourTurn):
        table.pass_(1)
    assert table.kinds(1) == []


def test_a_scrap_can_give_a_token_a_use_and_so_make_the_evening_wait() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES).give(0, token=held("turn"))
    table.give(1, carpet=ONE_DOMINO, token=held("move"), scraps=("star",))
    table.play_all(5, 5, 5)
    assert table.waits_for == {0}
    table.patch(1, "star m13")
    assert table.waits_for == {0, 1}


def test_using_the_last_thing_ends_an_evening_that_waits_for_nothing_else() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES).give(0, token=held("turn"))
    table.play_all(5, 5, 5)
    assert table.rework(0, "turn ES3 n14-m14") == [
        "Red uses turn: ES3 on n14-m14.",
        "Round 16 of day 2 shows ST2; on offer ST2.",
    ]


def test_an_evening_without_anybody_ends_at_once_but_begins_a_turn() -> None:
    table = Table(weaving="strict", in_round=15).give_all(carpet=TWO_DOMINOES)
    assert table.play_all(5, 5, 5)[-2:] == ["Evening of day 1.", "Round 16 of day 2 shows ST2; on offer ST2."]
    assert table.state.turn == 4
