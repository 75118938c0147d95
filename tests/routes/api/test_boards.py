"""The API's boards as drawing, picture and text."""

import re
from typing import Any

import pytest

from tests.support.people import Cast, Person


def test_a_text_board_fits_the_terminal_that_asks_for_it(cast: Cast) -> None:
    path = f"/games/{cast.table()['id']}/board.txt"
    plain = cast.nobody.call("GET", path)
    assert plain.mimetype == "text/plain"
    assert plain.text.isascii()
    assert max(map(len, plain.text.splitlines())) <= 72
    small = cast.nobody.call("GET", f"{path}?width=80&height=18").text.splitlines()
    assert len(small) <= 18
    assert max(map(len, small)) <= 80
    coloured = cast.nobody.call("GET", f"{path}?width=80&height=18&ansi=1").text
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain.text
    cast.nobody.get(f"{path}?width=0", 400)


def test_a_text_board_has_the_numbers_of_the_places_in_the_own_seats_view(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    view = mover.get(f"/games/{view['id']}")
    view = mover.post(f"/games/{view['id']}/actions", {"head": view["head"], "action": view["legal"][0]})["view"]
    path = f"/games/{view['id']}/board.txt"
    text = mover.call("GET", f"{path}?seat={view['you']}").text
    assert {int(number) for number in re.findall(r"#(\d+)", text)} == set(range(1, len(view["legal"]) + 1))
    assert "#" not in cast.nobody.call("GET", path).text


@pytest.mark.usefixtures("drawn_boards")
def test_boards_come_as_drawing_picture_and_text(cast: Cast) -> None:
    view = cast.table()
    cast.at(view).act(view, {"type": "face", "direction": "left"})
    path = f"/games/{view['id']}/board"
    assert cast.nobody.call("GET", f"{path}.svg").text.startswith("<svg")
    assert cast.nobody.call("GET", f"{path}.png").data[:8] == b"\x89PNG\r\n\x1a\n"
    now, then = cast.nobody.call("GET", f"{path}.txt").text, cast.nobody.call("GET", f"{path}.txt?after=1").text
    assert "d4, facing north" in then
    assert now != then
    assert cast.nobody.call("GET", f"{path}.txt?after=99").status_code == 404


def test_a_seat_sees_its_choices_on_the_board_and_nobody_elses(cast: Cast) -> None:
    view = cast.table()
    mover = cast.at(view)
    other = cast.bo if mover is cast.ann else cast.ann
    view = mover.act(view, {"type": "face", "direction": "left"})["view"]
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


def table_of_carpets(cast: Cast) -> Any:
    """A game in which every player has a board, of Ann, Bo and two bots, in which Ann has to weave a domino."""
    others = [{"email": "bo@example.org"}, {"bot": "easy"}, {"bot": "easy"}]
    view = cast.ann.post("/games", {"game": "kilim", "seats": others}, 201)
    view = cast.bo.post(f"/games/{view['id']}/seats/1/accept")
    while not view["seats"][0]["owes"]["weave"]:
        for person, choose in ((cast.ann, max), (cast.bo, min)):  # Ann bids high, so that she soon wins
            view = person.get(f"/games/{view['id']}")
            if view["you"] in view["to_act"]:
                bids = {action.get("card", action.get("gold")): action for action in view["legal"]}
                golds = [gold for gold in bids if isinstance(gold, int)]
                view = person.act(view, bids[choose(golds)] if golds else view["legal"][0])["view"]
    return view


def test_anyone_may_see_every_carpet_or_all_but_only_your_own_with_your_choices(cast: Cast) -> None:
    view = table_of_carpets(cast)

    def draw(person: Person, seat: int | None, kind: str = "svg") -> str:
        query = "" if seat is None else f"?seat={seat}"
        answer = person.call("GET", f"/games/{view['id']}/board.{kind}{query}")
        assert answer.status_code == 200
        return answer.text

    assert 'class="place"' in draw(cast.ann, 0)
    assert "*" in draw(cast.ann, 0, "txt")
    for person in (cast.bo, cast.eve, cast.nobody):
        assert 'class="place"' not in draw(person, 0), "the choices are Ann's alone, also if she looked first"
        assert "*" not in draw(person, 0, "txt")
        assert draw(person, 3) == draw(cast.ann, 3)
        assert draw(person, None) == draw(cast.ann, None)
        assert len(re.findall('class="carpet"', draw(person, None))) == len(view["seats"])
        assert len(re.findall('class="carpet"', draw(person, 3))) == 1
    assert draw(cast.nobody, 2, "txt") != draw(cast.nobody, 3, "txt")
    assert cast.nobody.get(f"/games/{view['id']}/board.svg?seat=4", 404)["code"] == "not_found"


@pytest.mark.usefixtures("drawn_boards")
def test_the_picture_of_one_carpet_differs_from_that_of_all(cast: Cast) -> None:
    view = table_of_carpets(cast)
    where = [f"/games/{view['id']}/board.png{query}" for query in ("", "?seat=1", "?seat=0")]
    pictures = {cast.nobody.call("GET", each).data for each in where}
    assert len(pictures) == len(where)
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
