"""What happens by itself."""

import threading

import pytest

from service.identity import player_with
from service.lobby import EXPIRES_AFTER, Chair, Wish, create
from service.models import Game, Letter
from service.office import Office
from service.worker import start_embedded, tick, work
from tests.service.conftest import Clock


def a_table_that_never_fills(office: Office) -> str:
    return create(office, player_with(office, "ann@example.org"), Wish("marrakech", "", [Chair()], {}, None)).id


def test_a_tick_calls_off_what_never_filled_up(office: Office, clock: Clock) -> None:
    game = a_table_that_never_fills(office)
    clock.now += EXPIRES_AFTER - 1
    tick(office)
    assert Game.select(Game.status).where(Game.id == game).scalar(office.database) == "waiting"
    clock.now += 1
    tick(office)
    tick(office)
    assert Game.select(Game.status).where(Game.id == game).scalar(office.database) == "expired"
    assert Letter.select().where(Letter.kind == "expired").count(office.database) == 1


def test_a_tick_that_fails_is_followed_by_the_next(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, ticks = threading.Event(), []

    def failing(*_: object) -> None:
        ticks.append(1)
        if len(ticks) == 3:
            stop.set()
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("service.worker.tick", failing)
    monkeypatch.setattr("service.worker.SECONDS_BETWEEN_TICKS", 0.0)
    work(office, stop)
    assert len(ticks) == 3


def test_the_embedded_worker_ends_when_it_is_told(office: Office) -> None:
    worker = start_embedded(office)
    worker.end()
    assert not worker.thread.is_alive()
