"""The bar behind which the door is closed: nobody who was let in is broken off with."""

import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.barring import bar

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Only Linux can bar a door.")

LONG = 10
MOMENT = 0.3


@pytest.fixture(params=["127.0.0.1", "::1"])
def door(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    try:
        opened = socket.create_server((request.param, 0), family=family)
    except OSError:
        pytest.skip("This machine has no such address.")
    with opened:
        yield opened


def first(door: socket.socket, seconds: float) -> socket.socket:
    """Whoever stands at the door first, within so many seconds."""
    door.settimeout(seconds)
    return door.accept()[0]


def test_who_stands_at_the_door_already_is_let_in(door: socket.socket) -> None:
    with socket.create_connection(door.getsockname()[:2], LONG) as guest:
        bar(door)
        with first(door, LONG) as line:
            door.close()
            guest.sendall(b"may I?")
            assert line.recv(100) == b"may I?"
            line.sendall(b"yes")
            assert guest.recv(100) == b"yes"


def come(address: Any) -> str:
    try:
        with socket.create_connection(address, LONG) as guest:
            return guest.recv(100).decode()
    except ConnectionRefusedError:
        return "refused"


def test_who_comes_later_is_not_let_in_and_then_refused(door: socket.socket) -> None:
    bar(door)
    with ThreadPoolExecutor() as pool:
        guest = pool.submit(come, door.getsockname()[:2])
        with pytest.raises(TimeoutError):
            first(door, MOMENT)
        assert not guest.done()
        door.close()
        assert guest.result(LONG) == "refused"


def test_who_comes_while_another_server_takes_over_is_answered_by_that_one(door: socket.socket) -> None:
    address = door.getsockname()[:2]
    bar(door)
    with ThreadPoolExecutor() as pool:
        guest = pool.submit(come, address)
        with pytest.raises(TimeoutError):
            first(door, MOMENT)
        door.close()
        with socket.create_server(address, family=door.family) as next_door, first(next_door, LONG) as line:
            line.sendall(b"welcome")
            assert guest.result(LONG) == "welcome"
