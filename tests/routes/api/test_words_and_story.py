"""Choices, words instead of actions, and sentences: a client that knows no game can play through the API."""

from typing import Any

import pytest

from service.context import AppContext
from service.db.models import Event, Player
from tests.routes.api.test_games import Cast
from tests.support.people import Person


@pytest.fixture
def cast(ctx: AppContext) -> Cast:
    return Cast(ctx)


def do(person: Person, view: Any, words: str, status: int = 200) -> Any:
    return person.post(f"/games/{view['id']}/actions", {"head": view["head"], "do": words, "salt": "salt"}, status)


def test_every_legal_action_has_a_choice_with_words(cast: Cast) -> None:
    view = cast.table()
    mine = cast.at(view).get(f"/games/{view['id']}")
    assert [choice["action"] for choice in mine["choices"]] == mine["legal"]
    assert [choice["key"] for choice in mine["choices"]] == ["left", "ahead", "right"]
    assert cast.nobody.get(f"/games/{view['id']}")["choices"] == []


def test_a_whole_turn_is_played_in_words(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    rolled = do(mover, view, "to the left")
    assert [event["type"] for event in rolled["events"]] == ["faced", "rolled", "moved"]
    by_number = do(mover, rolled["view"], "2")
    assert by_number["events"][0]["type"] == "laid"
    assert by_number["events"][0]["squares"] == rolled["view"]["legal"][1]["squares"]


def test_the_key_of_a_choice_plays_it(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    rolled = do(mover, view, view["choices"][0]["key"] if view["choices"] else "left")
    chosen = rolled["view"]["choices"][-1]
    laid = do(mover, rolled["view"], chosen["key"])
    assert laid["events"][0]["squares"] == chosen["action"]["squares"]


def test_the_same_words_sent_again_roll_once(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    first = do(mover, view, "left")
    again = do(mover, view, "left")
    assert again["repeated"] is True
    assert (again["events"], again["story"]) == (first["events"], first["story"])
    as_action = mover.act(view, {"type": "face", "direction": "left"})
    assert as_action["repeated"] is True
    assert do(mover, view, "right", 409)["code"] == "stale"
    assert Event.select().where(Event.game == view["id"]).count(cast.ctx.database) == 4


def test_words_that_mean_nothing_or_are_not_possible_are_refused_with_a_sentence(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    other = cast.bo if mover is cast.ann else cast.ann
    assert do(mover, view, "abracadabra", 400)["detail"] == "That could not be understood."
    assert do(mover, view, "d5-e5", 422)["code"] == "illegal_action"
    assert do(mover, view, "99", 422)["detail"] == "There is no choice with that number now."
    assert do(other, view, "left", 409)["code"] == "not_your_turn"
    assert do(mover, {**view, "head": 7}, "left", 409)["code"] == "stale"
    assert do(mover, {**view, "head": 0}, "left", 409)["code"] == "stale"
    do(mover, view, "", 400)
    do(mover, view, "x" * 201, 400)
    over = do(mover, view, "resign")["view"]
    assert do(mover, over, "left", 409)["code"] == "game_over"


def test_an_action_comes_either_as_such_or_in_words(cast: Cast) -> None:
    view = cast.table()
    path = f"/games/{view['id']}/actions"
    sentence = "body: Value error, must have exactly one of action and do."
    for both in ({}, {"action": {"type": "resign"}, "do": "resign"}):
        refused = cast.at(view).post(path, {"head": view["head"], **both}, 400)
        assert refused["detail"] == sentence.replace("Value error, ", "")


def test_the_story_tells_every_event_in_the_callers_language(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    acted = do(mover, view, "left")
    assert [sentence["seq"] for sentence in acted["story"]] == [2, 3, 4]
    assert acted["story"][0]["text"].startswith("You send Assam left")
    path = f"/games/{view['id']}/story"
    assert mover.get(f"{path}?after=1") == {"sentences": acted["story"]}
    seen = cast.nobody.get(path)["sentences"]
    assert [sentence["seq"] for sentence in seen] == [1, 2, 3, 4]
    assert "sends Assam left" in seen[1]["text"]
    french = cast.nobody.get(path, 200, **{"Accept-Language": "fr"})["sentences"]
    assert "gauche" in french[1]["text"]


def test_a_players_own_language_goes_before_the_browsers(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    Player.update(language="fr").where(Player.id == mover.id).execute(cast.ctx.database)
    choices = mover.get(f"/games/{view['id']}", 200, **{"Accept-Language": "en"})["choices"]
    assert "gauche" in choices[0]["label"]
    assert do(mover, view, "gauche")["events"][0]["direction"] == "left"


def test_a_seat_sees_its_choices_on_the_board_and_nobody_elses(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    other = cast.bo if mover is cast.ann else cast.ann
    view = do(mover, view, "left")["view"]
    path, seat = f"/games/{view['id']}/board.txt", view["you"]
    own = mover.call("GET", f"{path}?seat={seat}").text
    assert "#1" in own
    assert "#1" not in mover.call("GET", path).text
    for stranger in (other, cast.eve, cast.nobody):
        refused = stranger.get(f"{path}?seat={seat}", 403)
        assert refused["code"] == "forbidden"
    for kind in ("svg", "png"):
        assert mover.call("GET", f"/games/{view['id']}/board.{kind}?seat={seat}").status_code == 200
        cast.nobody.get(f"/games/{view['id']}/board.{kind}?seat={seat}", 403)
