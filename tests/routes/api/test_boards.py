"""The API's boards in characters: as large as they are asked for, and with the caller's own places."""

import re

import pytest

from service.context import AppContext
from tests.routes.api.test_games import Cast


@pytest.fixture
def cast(ctx: AppContext) -> Cast:
    return Cast(ctx)


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
