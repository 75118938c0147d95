"""Several lines of words in one request: each is an action with a head of its own, and happens once."""

from typing import Any

import pytest

from service.context import AppContext
from tests.support.people import Cast, Person

BOTH = "weave o13-p13\n3"


@pytest.fixture
def cast(ctx: AppContext) -> Cast:
    return Cast(ctx)


@pytest.fixture
def view(cast: Cast) -> Any:
    """Ann owes a domino, then a card of the third round."""
    view = cast.table(game="kilim")
    for ann, bo in (("10", "1"), ("9", "2")):
        say(cast.bo, cast.bo.get(f"/games/{view['id']}"), bo)
        view = say(cast.ann, cast.ann.get(f"/games/{view['id']}"), ann)["view"]
    assert view["seats"][0]["owes"]["weave"]
    return view


def say(person: Person, view: Any, do: str, status: int = 200) -> Any:
    body = {"head": view["head"], "do": do, "salt": "salt"}
    return person.post(f"/games/{view['id']}/actions", body, status)


def types(done: Any) -> list[str]:
    return [event["type"] for event in done["events"]]


def test_each_line_is_an_action(cast: Cast, view: Any) -> None:
    done = say(cast.ann, view, f"{BOTH}\n")
    assert types(done) == ["woven", "played"]
    assert done["view"]["mine"]["card"] == 3
    assert done["view"]["head"] == done["story"][-1]["seq"] == view["head"] + 2
    assert not {"refused", "repeated"} & done.keys()


def test_the_same_lines_again_change_nothing_even_after_the_turn(cast: Cast, view: Any) -> None:
    first = say(cast.ann, view, BOTH)
    again = say(cast.ann, view, BOTH)
    assert (again["events"], again["repeated"]) == (first["events"], True)
    say(cast.bo, cast.bo.get(f"/games/{view['id']}"), "5")
    later = say(cast.ann, view, BOTH)
    assert later["view"]["turn"] > view["turn"]
    assert (later["events"], later["repeated"]) == (first["events"], True)


def test_lines_that_were_cut_short_are_completed_once(cast: Cast, view: Any) -> None:
    """The server may stop between two actions: sent again, the first is found and the second is played."""
    first = say(cast.ann, view, "weave o13-p13")
    done = say(cast.ann, view, BOTH)
    assert types(done) == ["woven", "played"]
    assert done["events"][0] == first["events"][0]
    assert "repeated" not in done
    assert say(cast.ann, view, BOTH)["repeated"]


@pytest.mark.parametrize("do", ["weave o13-p13 3", "o13-p13 3", "weave BT1 o13 p13, 3"])
def test_one_line_can_name_several_actions(cast: Cast, view: Any, do: str) -> None:
    domino = view["seats"][0]["owes"]["weave"][0]
    first = say(cast.ann, view, do.replace("BT1", domino))
    assert types(first) == ["woven", "played"]
    assert "refused" not in first
    again = say(cast.ann, view, do.replace("BT1", domino))
    assert (again["events"], again["repeated"]) == (first["events"], True)


@pytest.mark.parametrize(
    ("do", "status"),
    [("3 4", 400), ("weave o13-p13 3 4", 400), ("weave o13-p13 later", 400), ("weave a1-a2 3", 422), ("3 resign", 400)],
)
def test_one_line_that_is_no_turn_plays_nothing(cast: Cast, view: Any, do: str, status: int) -> None:
    say(cast.ann, view, do, status)
    say(cast.ann, view | {"head": 999}, do, 409)
    assert cast.ann.get(f"/games/{view['id']}")["head"] == view["head"]


def test_of_one_line_the_actions_before_a_refused_one_are_played(cast: Cast, view: Any) -> None:
    done = say(cast.ann, view, "weave o13-p13 9")
    assert types(done) == ["woven"]
    assert (done["refused"]["do"], done["refused"]["code"]) == ("9", "illegal_action")


@pytest.mark.parametrize("line", ["7 weeks", "resign", "weave", "weave q1-q2 7 8"])
def test_if_a_line_is_not_understood_nothing_is_played(cast: Cast, view: Any, line: str) -> None:
    refused = say(cast.ann, view, f"weave o13-p13\n{line}", 400)
    assert refused["code"] == "bad_request"
    assert line in refused["detail"]
    assert cast.ann.get(f"/games/{view['id']}")["head"] == view["head"]


def test_two_cards_are_not_one_turn(cast: Cast, view: Any) -> None:
    assert "one card at a time" in say(cast.ann, view, f"{BOTH}\n4", 400)["detail"]
    say(cast.ann, view, "3\n" * 13, 400)
    assert cast.ann.get(f"/games/{view['id']}")["head"] == view["head"]


def test_if_the_rules_refuse_a_line_the_following_ones_are_dropped(cast: Cast, view: Any) -> None:
    done = say(cast.ann, view, "weave o13-p13\n9\npass")
    assert types(done) == ["woven"]
    assert done["refused"]["do"] == "9"
    assert done["refused"]["code"] == "illegal_action"
    assert done["refused"]["detail"].endswith(".")
    again = say(cast.ann, view, "weave o13-p13\n9\npass")
    assert (again["events"], again["refused"]) == (done["events"], done["refused"])


def test_if_the_rules_refuse_the_first_line_nothing_is_played(cast: Cast, view: Any) -> None:
    assert say(cast.ann, view, "weave a1-a2\n3", 422)["code"] == "illegal_action"
    assert say(cast.ann, view | {"head": 999}, BOTH, 409)["code"] == "stale"
    assert cast.ann.get(f"/games/{view['id']}")["head"] == view["head"]


def test_lines_play_only_one_turn(cast: Cast, view: Any) -> None:
    say(cast.bo, cast.bo.get(f"/games/{view['id']}"), "5")
    done = say(cast.ann, view, f"{BOTH}\npass")
    assert done["view"]["turn"] > view["turn"]
    assert (done["refused"]["do"], done["refused"]["code"]) == ("pass", "stale")


@pytest.mark.parametrize("do", ["left\ng1-g2", "left g1-g2"])
def test_a_whole_turn_of_a_game_with_dice_rolls_once(cast: Cast, do: str) -> None:
    view = cast.table()
    mover = cast.at(view)
    done = say(mover, view, do)
    assert types(done) == ["faced", "rolled", "moved"]
    assert done["refused"]["do"] == "g1-g2"
    assert say(mover, view, do)["events"] == done["events"]
    assert say(mover, done["view"], "1 2", 400)["code"] == "bad_request"
