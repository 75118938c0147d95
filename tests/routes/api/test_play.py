"""Playing through the API: actions, words instead of actions, sentences, the chat and the record."""

from typing import Any

import pytest

from service.db.models import Event, Player
from service.engine.dice import Dice, commitment
from service.engine.marrakech.board import FACES
from service.engine.record_text import read_text
from service.engine.records import read_record
from tests.support.people import Cast, Person


def test_a_turn_is_played_and_everyone_sees_it(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    legal = mover.get(f"/games/{view['id']}")["legal"]
    acted = mover.act(view, legal[0])
    assert [event["type"] for event in acted["events"]] == ["faced", "rolled", "moved"]
    assert acted["events"][1]["salt"] == "salt"
    assert [event["seq"] for event in acted["events"]] == [2, 3, 4]
    assert acted["view"]["head"] == 4
    assert "repeated" not in acted
    seen = cast.nobody.get(f"/games/{view['id']}")
    assert (seen["you"], seen["legal"], seen["head"]) == (None, [], 4)
    assert cast.nobody.get(f"/games/{view['id']}/events?after=1")["events"] == acted["events"]


def test_an_action_happens_once(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    action = {"type": "face", "direction": "left"}
    first = mover.act(view, action)
    again = mover.act(view, action, salt="another")
    assert again["repeated"] is True
    assert again["events"] == first["events"]
    assert mover.act(view, {"type": "face", "direction": "right"}, 409)["code"] == "stale"
    assert Event.select().where(Event.game == view["id"]).count(cast.ctx.database) == 4


def test_refusals_change_nothing(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    other = cast.bo if mover is cast.ann else cast.ann
    face = {"type": "face", "direction": "left"}
    assert other.act(view, face, 409)["code"] == "not_your_turn"
    assert cast.eve.act(view, face, 403)["code"] == "forbidden"
    assert cast.nobody.act(view, face, 401)["code"] == "unauthorised"
    assert mover.act(view, {"type": "lay", "squares": ["d5", "e5"]}, 422)["code"] == "illegal_action"
    assert mover.act(view, {"type": "jump"}, 400)["code"] == "bad_request"
    assert mover.act({**view, "head": 7}, face, 409)["code"] == "stale"
    assert mover.act(view, face, 400, salt="x" * 65)["code"] == "bad_request"
    assert mover.act({**view, "id": "nowhere"}, face, 404)["code"] == "not_found"
    assert cast.nobody.get(f"/games/{view['id']}")["head"] == view["head"]


def test_a_link_from_a_letter_plays_only_its_own_turn(cast: Cast) -> None:
    view = cast.table()
    seat = view["to_act"][0]
    holder = Person(cast.client, cast.ctx, None, cast.ctx.tokens.turn(view["id"], seat, 1, 0))
    acted = holder.act(view, {"type": "face", "direction": "ahead"})
    laid = holder.act(acted["view"], acted["view"]["legal"][0])
    assert laid["view"]["turn"] == 2
    assert holder.act(acted["view"], acted["view"]["legal"][0])["repeated"] is True
    assert holder.act(laid["view"], {"type": "resign"}, 409)["code"] == "not_your_turn"
    assert holder.get(f"/games/{view['id']}")["you"] == seat
    assert holder.get("/me", 403)["code"] == "forbidden"
    elsewhere = cast.table()
    assert holder.act(elsewhere, {"type": "resign"}, 403)["code"] == "forbidden"


def test_the_chat_is_only_for_players(cast: Cast) -> None:
    view = cast.table()
    said = cast.ann.post(f"/games/{view['id']}/messages", {"text": " Cafe\u0301?\r\nNow "}, 201)
    assert said["text"] == "Café?\nNow"
    assert cast.bo.get(f"/games/{view['id']}/messages") == {"messages": [said], "cursor": None}
    cast.eve.get(f"/games/{view['id']}/messages", 403)
    cast.nobody.get(f"/games/{view['id']}/messages", 401)
    for text in ("", "   ", "x" * 1001, "bell\x07"):
        cast.ann.post(f"/games/{view['id']}/messages", {"text": text}, 400)
    assert len(cast.bo.get(f"/games/{view['id']}/messages")["messages"]) == 1


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
def test_a_whole_game_of_four_gives_a_record_that_replays_and_whose_dice_verify(cast: Cast, variant: str) -> None:
    cy, di = (Person(cast.client, cast.ctx, f"{name}@example.org") for name in ("cy", "di"))
    people = [cast.ann, cast.bo, cy, di]
    seats = [{"email": person.address} for person in people[1:]]
    view = cast.ann.post("/games", {"game": "marrakech", "seats": seats, "options": {"variant": variant}}, 201)
    for seat, person in enumerate(people[1:], start=1):
        view = person.post(f"/games/{view['id']}/seats/{seat}/accept")
    turns = 0
    while view["status"] == "playing":
        person = people[view["to_act"][0]]
        legal = person.get(f"/games/{view['id']}")["legal"]
        view = person.act(view, legal[view["head"] % len(legal)], salt=f"s{turns}")["view"]
        turns += 1
    value = cast.nobody.get(f"/games/{view['id']}/record")
    record = read_record(value)
    assert record.states()[-1].result is not None
    assert value["result"] == view["result"]
    assert read_text(cast.nobody.call("GET", f"/games/{view['id']}/record.txt").text) == record
    seed = bytes.fromhex(value["dice"]["seed"])
    assert commitment(seed) == value["dice"]["commitment"]
    rolls = [event for event in value["events"] if event["type"] == "rolled"]
    assert len(rolls) >= 40
    for event in rolls:
        assert FACES[Dice(view["id"], seed, event["salt"]).roll(event["roll"])] == event["die"]
    assert sorted(cast.letters("over")) == [person.address for person in people]
    paid = next(event for event in value["events"] if event["type"] == "paid")
    path = f"/games/{view['id']}/board.svg?after="
    before, then = (cast.nobody.call("GET", f"{path}{seq}").text for seq in (paid["seq"] - 1, paid["seq"]))
    assert 'class="payment"' not in before
    assert f'class="payment" data-squares="{" ".join(sorted(paid["squares"]))}"' in then


def do(person: Person, view: Any, words: str, status: int = 200) -> Any:
    return person.post(f"/games/{view['id']}/actions", {"head": view["head"], "do": words, "salt": "salt"}, status)


def test_every_legal_action_has_a_choice_with_words(cast: Cast) -> None:
    view = cast.table()
    mine = cast.at(view).get(f"/games/{view['id']}")
    assert [choice["action"] for choice in mine["choices"]] == mine["legal"]
    assert [choice["key"] for choice in mine["choices"]] == ["left", "ahead", "right"]
    assert [choice["hint"] for choice in mine["choices"]] == ["costs nothing"] * 3
    assert (mine["question"], mine["unlisted"]) == ("Which way should Assam go?", "")
    watched = cast.nobody.get(f"/games/{view['id']}")
    assert (watched["choices"], watched["question"], watched["unlisted"]) == ([], "", "")


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
    assert (
        do(mover, view, "abracadabra", 400)["detail"]
        == "We didn't understand that. Please use one of the listed choices."
    )
    assert do(mover, view, "d5-e5", 422)["code"] == "illegal_action"
    assert (
        do(mover, view, "99", 422)["detail"]
        == "There's no choice with that number right now. Please use one of the listed ones."
    )
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


def test_the_story_tells_each_turn_in_the_callers_language(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    acted = do(mover, view, "left")
    assert [sentence["seq"] for sentence in acted["story"]] == [4]
    assert acted["story"][0]["text"].startswith("You turned Assam west, rolled ")
    path = f"/games/{view['id']}/story"
    assert mover.get(f"{path}?after=1") == {"sentences": acted["story"]}
    seen = cast.nobody.get(path)["sentences"]
    assert [sentence["seq"] for sentence in seen] == [1, 4]
    assert " turned Assam west, rolled " in seen[1]["text"]
    french = cast.nobody.get(path, 200, **{"Accept-Language": "fr"})["sentences"]
    assert "tourné Assam vers l" in french[1]["text"]


def test_a_players_own_language_goes_before_the_browsers(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    Player.update(language="fr").where(Player.id == mover.id).execute(cast.ctx.database)
    choices = mover.get(f"/games/{view['id']}", 200, **{"Accept-Language": "en"})["choices"]
    assert "gauche" in choices[0]["label"]
    assert do(mover, view, "gauche")["events"][0]["direction"] == "left"


def test_a_response_that_is_repeated_says_what_it_said_the_first_time(cast: Cast) -> None:
    """The bot's next card is in the response, still secret; once it is shown, the repeated response is the same."""
    seats = [{"email": "bo@example.org"}, {"bot": "easy"}]
    waiting = cast.ann.post("/games", {"game": "kilim", "seats": seats}, 201)
    view = cast.bo.post(f"/games/{waiting['id']}/seats/1/accept")
    do(cast.bo, view, "5")
    last = do(cast.ann, view, "5")
    assert {(event["type"], event.get("card")) for event in last["events"]} >= {("played", 5), ("played", None)}
    again = do(cast.ann, view, "5")
    assert (again["events"], again["story"], again["view"]) == (last["events"], last["story"], last["view"])
    do(cast.ann, last["view"], "resign")
    do(cast.bo, cast.bo.get(f"/games/{view['id']}"), "resign")
    after = do(cast.ann, view, "5")
    assert (after["events"], after["story"], after["repeated"]) == (last["events"], last["story"], True)
    seqs = {event["seq"] for event in last["events"]}
    public = [event for event in cast.nobody.get(f"/games/{view['id']}/events")["events"] if event["seq"] in seqs]
    assert "card" in {name for now, then in zip(public, after["events"], strict=True) for name in now.keys() - then}


def test_a_typing_mistake_is_not_called_late_because_others_have_played(cast: Cast) -> None:
    view = cast.table(game="kilim")
    do(cast.bo, view, "5")
    for words, status, code in (("abracadabra", 400, "bad_request"), ("m14-m13", 422, "illegal_action")):
        assert do(cast.ann, view, words, status)["code"] == code
        assert do(cast.bo, view, words, 409)["code"] == "stale"
    do(cast.ann, view, "6")
    assert do(cast.ann, view, "abracadabra", 409)["code"] == "stale"
