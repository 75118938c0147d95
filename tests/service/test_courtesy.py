"""Processes at the same door come to have about as many guests each, and one alone lets everybody in."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from flask import Flask

from service.courtesy import Courtesy
from service.door import open_door_at
from service.stopping import Serving

GUESTS = 40


@pytest.fixture
def place() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=GUESTS) as listening:
        listening.setblocking(False)
        yield listening


@pytest.fixture
def guests(place: socket.socket) -> Iterator[None]:
    """All of them stand at the door at the same moment."""
    with ExitStack() as lines:
        for _ in range(GUESTS):
            lines.enter_context(socket.create_connection(place.getsockname(), 10))
        yield


def inside(door: Serving) -> int:
    return len(door.listeners[0].active_channels)


def let_in(doors: list[tuple[Serving, Courtesy]]) -> list[int]:
    """How many guests each has in the end; they look one after the other, and the first always first."""
    until = time.monotonic() + 30
    while sum(inside(door) for door, _ in doors) < GUESTS and time.monotonic() < until:
        for door, courtesy in doors:
            # As long as nobody else comes there is nothing else to do, so each looks as often as it may.
            while courtesy.seconds() == 0.0 and sum(inside(each) for each, _ in doors) < GUESTS:
                door.look(0.0)
    found = [inside(door) for door, _ in doors]
    for door, _ in doors:
        door.end()
    return found


def opened(place: socket.socket) -> tuple[Serving, Courtesy]:
    door = open_door_at(Flask("bare"), [place.dup()], 1)
    return door, Courtesy(door.listeners)


@pytest.mark.usefixtures("guests")
def test_two_have_about_as_many_each(place: socket.socket) -> None:
    first, second = let_in([opened(place), opened(place)])
    assert first + second == GUESTS
    assert abs(first - second) <= GUESTS // 4


@pytest.mark.usefixtures("guests")
def test_one_that_is_alone_lets_everybody_in(place: socket.socket) -> None:
    assert let_in([opened(place)]) == [GUESTS]


@pytest.mark.usefixtures("guests")
def test_who_has_let_somebody_in_waits_the_longer_the_more_guests_it_has(place: socket.socket) -> None:
    door, courtesy = opened(place)
    assert courtesy.seconds() == 0.0
    waits = []
    for number in range(1, GUESTS + 1):
        while inside(door) < number:
            door.look(0.001)
        waits.append(courtesy.seconds())
    assert 0.0 < waits[0] <= 0.001 < max(waits) <= 0.010
    assert not door.listeners[0].readable()
    time.sleep(courtesy.seconds())
    assert door.listeners[0].readable()
    door.end()
