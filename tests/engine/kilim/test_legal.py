"""The list of legal actions: complete, without repetition, what is required first; and how many positions follow."""

from collections.abc import Iterator

import pytest

from service.engine.dice import Chance
from service.engine.kilim.actions import Action, Patch, Rework, Weave
from service.engine.kilim.carpet import EMPTY, NAMES, SQUARES, Carpet, place_name
from service.engine.kilim.evolve import evolve
from service.engine.kilim.pieces import DOMINOES, MOTIFS, TOKENS
from service.engine.kilim.rules import decide, legal_actions
from service.engine.kilim.state import State
from tests.engine.kilim import naive
from tests.engine.kilim.tables import DICE, ONE_DOMINO, TWO_DOMINOES, Table, carpet_of, held


def grow(seed: int) -> Iterator[Carpet]:
    """Carpets that grow by random pieces and change by random tokens."""
    chance = Chance(bytes([seed]), "grow")
    carpet, scraps = EMPTY, list(MOTIFS)
    for domino in chance.shuffled(DOMINOES)[:14]:
        carpet = carpet.weave(domino, chance.pick(carpet.weave_places(domino)[:250]))
        if scraps and chance.below(3) == 0:
            carpet = carpet.patch(scraps.pop(), chance.pick(carpet.patch_squares))
        token = chance.pick(TOKENS)
        changes = carpet.reworks(token)[:250]
        if changes and chance.below(3) == 0:
            carpet = carpet.rework(*chance.pick(changes))
        yield carpet


@pytest.mark.parametrize("seed", range(4))
def test_places_are_those_of_the_plain_rules(seed: int) -> None:
    for carpet in grow(seed):
        pieces = naive.pieces_of(carpet)
        for domino in ("BE1", "BB1", "SX", "OO1"):
            assert [place_name(place) for place in carpet.weave_places(domino)] == unique(carpet.weave_places(domino))
            assert {place_name(place) for place in carpet.weave_places(domino)} == set(naive.weaves(pieces, domino))
        assert [NAMES[square] for square in carpet.patch_squares] == list(naive.patches(pieces))
        for token in TOKENS:
            found = [" ".join([piece, place_name(squares)]).strip() for piece, squares in carpet.reworks(token)]
            assert len(set(found)) == len(found)
            assert set(found) == (set() if token == "perfect" else set(naive.reworks(pieces, token)))  # noqa: S105


def unique(places: tuple[tuple[int, int], ...]) -> list[str]:
    return list(dict.fromkeys(place_name(place) for place in places))


def test_a_carpet_at_the_edge_of_the_loom_does_not_go_beyond_it() -> None:
    corner = carpet_of("BE1 y25-x25", "HH1 y1-x1", "SS1 a1-a2")
    pieces = naive.pieces_of(corner)
    assert {place_name(place) for place in corner.weave_places("ST1")} == set(naive.weaves(pieces, "ST1"))
    for token in TOKENS[1:]:
        found = {" ".join([piece, place_name(squares)]).strip() for piece, squares in corner.reworks(token)}
        assert found == set(naive.reworks(pieces, token))


def test_a_double_is_woven_in_one_order_and_reworked_in_both() -> None:
    table = Table().give(0, carpet=TWO_DOMINOES, owes_weave=("BB1",), token=held("turn"))
    legal = legal_actions(table.state, 0)
    woven = {action.squares for action in legal if isinstance(action, Weave)}
    assert woven
    assert all(first < second for first, second in woven)
    turned = {action.squares for action in legal if isinstance(action, Rework) and action.piece == "TT3"}
    assert (SQUARES["n13"], SQUARES["m13"]) in turned
    assert any(first < second for first, second in turned)


def test_what_is_required_comes_first() -> None:
    table = Table().give(0, carpet=TWO_DOMINOES, scraps=("star",), perfect=("OO1",), token=held("turn"))
    assert table.kinds(0) == ["play", "weave", "patch", "rework"]
    table.give(0, owes_weave=("BE1",), owes_keep=True, owes_take=1)
    assert table.kinds(0) == ["weave", "keep", "take", "patch", "rework"]
    legal = legal_actions(table.state, 0)
    owed = [action for action in legal if isinstance(action, Weave) and action.domino == "BE1"]
    assert legal[: len(owed)] == owed


def test_what_can_be_done_at_any_time_is_listed_while_the_game_waits_for_others() -> None:
    table = Table().give(0, carpet=TWO_DOMINOES, scraps=("star", "eye"))
    table.play(0, 3)
    assert 0 not in table.waits_for
    legal = legal_actions(table.state, 0)
    assert {action.scrap for action in legal if isinstance(action, Patch)} == {"star", "eye"}
    assert len(legal) == 8


# How many positions follow


def leaves(state: State, seat: int, depth: int) -> int:
    """How many lines of this many actions one seat has."""
    if depth == 0:
        return 1
    total = 0
    for action in legal_actions(state, seat):
        total += leaves(after(state, seat, action), seat, depth - 1)
    return total


def after(state: State, seat: int, action: Action) -> State:
    for event in decide(state, seat, action, DICE):
        state = evolve(state, event)
    return state


def owing(*dominoes: str, carpet: Carpet = ONE_DOMINO) -> State:
    return Table().give(0, carpet=carpet, owes_weave=dominoes, card=1).state


def naive_leaves(pieces: list[naive.Piece], dominoes: tuple[str, ...]) -> int:
    """How many ways there are to weave dominoes in any order, by the plain rules."""
    if not dominoes:
        return 1
    total = 0
    for place, domino in enumerate(dominoes):
        for words in naive.weaves(pieces, domino):
            first, second = (naive.at(SQUARES[name]) for name in words.split("-"))
            total += naive_leaves([*pieces, (domino, (first, second))], (*dominoes[:place], *dominoes[place + 1 :]))
    return total


@pytest.mark.parametrize(
    ("dominoes", "count"),
    [(("BE1",), 32), (("BB1",), 16), (("SX", "BB1"), 1376)],
)
def test_weaving_has_as_many_lines_as_the_plain_rules_count(dominoes: tuple[str, ...], count: int) -> None:
    assert leaves(owing(*dominoes), 0, len(dominoes)) == count
    assert naive_leaves(naive.pieces_of(ONE_DOMINO), dominoes) == count


def test_the_first_round_of_two_players_has_1240_lines() -> None:
    """Gold or spy against gold or spy: 4 x 100. Bag or artisan against each other: 4 x 100.

    Gold or spy against bag or artisan: 8 x 55, because 45 pairs fit, and who has nothing that fits discards one of 10.
    """

    def lines(state: State) -> int:
        if state.round > 1:
            return 1
        return max(
            sum(lines(after(state, seat, action)) for action in legal_actions(state, seat) if action.type in sealed)
            for seat in (0, 1)
        )

    sealed = {"play", "bid"}
    assert lines(Table(2).state) == 1240
