"""The bots of Kilim: `medium` is strong, decides quickly and uses only its view; random games are fast."""

import copy
import json

import pytest

from service.admin.simulate import simulated_games
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.kilim.bots import BOTS
from service.engine.kilim.carpet import EMPTY, Carpet
from service.engine.kilim.game import KILIM
from service.engine.kilim.pieces import DOMINOES
from service.engine.records import write_record
from tests.engine.kilim.tables import Table, carpet_of, held
from tests.support import pace


@pytest.mark.parametrize("weaving", ["relaxed", "strict"])
def test_medium_beats_three_easy_bots(weaving: str) -> None:
    wins = 0
    for record in simulated_games(KILIM, 20, 4, {"weaving": weaving}, ["medium", *["easy"] * 3], "strength"):
        value = write_record(record)
        wins += [value["seats"][seat]["bot"] for seat in value["result"]["winners"]] == ["medium"]
    assert wins >= 18


@pytest.mark.parametrize(("players", "least"), [(2, 0.6), (4, 0.8)])
def test_medium_bots_do_not_cancel_each_other(players: int, least: float) -> None:
    fates = [
        entry.event.fate
        for record in simulated_games(KILIM, 3, players, {}, ["medium"], "alike")
        for entry in record.entries
        if entry.event.type == "auctioned"
    ]
    assert fates.count("won") >= least * len(fates)


def medium(view: Json) -> Json:
    return BOTS["medium"](view, Chance(b"", "bot"))


def test_a_bot_leaves_its_view_as_it_is_and_needs_no_more_than_its_json() -> None:
    table = Table().give_all(carpet=big_carpet()).give(0, token=held("move"), scraps=("star",))
    for bot in BOTS.values():
        view = KILIM.view(table.state, 0)
        before = copy.deepcopy(view)
        chosen = bot(view, Chance(b"", "bot"))
        assert view == before
        assert bot(json.loads(json.dumps(view)), Chance(b"", "bot")) == chosen


def test_random_can_choose_every_action_of_a_long_list() -> None:
    legal = [{"number": number} for number in range(600)]
    chance = Chance(b"long", "bot")
    found = {BOTS["easy"]({"legal": legal}, chance)["number"] for _ in range(12_000)}
    assert found == set(range(600))


def test_medium_weaves_beside_its_motif() -> None:
    table = Table().give(0, carpet=carpet_of("BB1 m13-n13", "EE1 m14-n14"), owes_weave=("BB2",))
    chosen = medium(KILIM.view(table.state, 0))
    assert chosen["type"] == "weave"
    table.act(0, **chosen)
    assert table.seat(0).carpet.points.groups == 4


def test_medium_takes_remove_for_a_torn_half_and_uses_it() -> None:
    carpet = carpet_of("BB1 m13-n13", "EX m14-n14", "BB2 m12-n12")
    table = Table().give(0, carpet=carpet, owes_take=1)
    table.act(0, **medium(KILIM.view(table.state, 0)))
    assert medium(KILIM.view(table.state, 0)) == {"type": "rework", "token": "remove", "piece": "EX", "squares": []}


def test_medium_completes_a_rectangle_with_its_perfect_domino_in_the_last_evening() -> None:
    table = Table(in_round=45).give_all(carpet=carpet_of("BE1 m13-n13"))
    table.give(0, carpet=carpet_of("BE1 m13-n13", "HS1 o13-o14"), perfect=("OO1",))
    table.play_all(5, 5, 5)
    table.act(0, **medium(KILIM.view(table.state, 0)))
    assert table.state.result is not None
    assert table.state.result.scores[0].rectangle == 10


def test_medium_passes_when_nothing_helps() -> None:
    table = Table(in_round=45).give_all(carpet=carpet_of("BE1 m13-n13")).give(0, perfect=("OO1",))
    table.play_all(5, 5, 5)
    assert medium(KILIM.view(table.state, 0)) == {"type": "pass"}


# Speed


def big_carpet(dominoes: int = 21) -> Carpet:
    """A carpet that spreads, so that there are many places for a piece."""
    chance, carpet = Chance(b"big", "carpet"), EMPTY
    for domino in DOMINOES[::2][:dominoes]:
        carpet = carpet.weave(domino, chance.pick(carpet.weave_places(domino)))
    return carpet


def test_a_decision_takes_less_than_fifty_milliseconds_even_with_a_thousand_uses_of_a_token() -> None:
    carpet = big_carpet()
    table = Table(5).give_all(carpet=carpet).give(0, token=held("move"), scraps=("star", "eye"), perfect=("OO1",))
    view = KILIM.view(table.state, 0)
    assert len(view["legal"]) > 1000
    assert pace.seconds(lambda: medium(view), 0.05) < 0.05


def test_a_view_with_a_thousand_actions_is_built_in_less_than_fifty_milliseconds() -> None:
    dominoes = big_carpet().dominoes

    def build() -> None:
        """Nothing is kept from the last time: the carpet is a new one."""
        table = Table(5).give(0, carpet=Carpet(dominoes), token=held("move"))
        assert len(KILIM.view(table.state, 0)["legal"]) > 1000

    assert pace.seconds(build, 0.05) < 0.05


def test_random_games_are_fast() -> None:
    """Bounds are for the machine on which they were set; tests/support/pace.py compares it with this one."""
    games = simulated_games(KILIM, 60, 4, {}, ["easy"], "fast")
    assert pace.seconds(lambda: next(games), 1 / 20) < 1 / 20
