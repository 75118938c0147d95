"""The API's boards as drawing, picture and text."""

import re

import pytest

from tests.support.people import Cast


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


def test_anybody_can_ask_for_one_carpet_or_for_all(cast: Cast) -> None:
    view = cast.ann.post("/games", {"game": "kilim", "seats": [{"bot": "random"}, {"bot": "greedy"}]}, 201)
    path = f"/games/{view['id']}/board"
    assert cast.nobody.call("GET", f"{path}.svg").text.count('class="seat"') == 3
    one = cast.nobody.call("GET", f"{path}.svg?seat=1")
    assert one.status_code == 200
    assert 'class="seat"' not in one.text
    texts = [cast.nobody.call("GET", f"{path}.txt?seat={seat}").text for seat in range(3)]
    assert len(set(texts)) == 3
    cast.nobody.get(f"{path}.svg?seat=3", 404)


def test_in_a_game_with_one_board_a_seat_is_only_for_its_player(cast: Cast) -> None:
    path = f"/games/{cast.table()['id']}/board.svg?seat=0"
    cast.nobody.get(path, 403)
