"""The clerk takes all actions that wait and keeps them with one commit; nobody is answered before, and each only once.

A real door on loopback, with a real crowd: the clerk is held up until everybody waits, and then let go.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from peewee import OperationalError

from service.app import create_app
from service.auth.identity import player_with
from service.clerk import Counter
from service.context import AppContext
from service.db.connection import open_database
from service.db.database_errors import BUSY
from service.db.models import Event, Letter, Seat
from service.door import open_door
from service.games import play
from service.games.store import load, lock_game
from service.games.stored import StoredGame
from tests.durability.processes import wait_for
from tests.support.servers import free_port
from tests.support.tables import contents, is_sound, legal, mover, started

pytestmark = pytest.mark.databases("sqlite", "postgresql")

CROWD = 6
PATIENCE = 30
SHORTLY = 0.2
_ACT_IN = play.apply_action


class Reply:
    """What came back on a line."""

    def __init__(self, received: bytes) -> None:
        head, _, body = received.partition(b"\r\n\r\n")
        self.status, self.body = int(head.split()[1]), json.loads(body)


class House:
    """An open door, whose clerk can be held up."""

    def __init__(self, ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ctx, self.port = ctx, free_port()
        self._pool = ThreadPoolExecutor(2 * CROWD)
        self._held, self._busy = threading.Event(), threading.Event()
        self._held.set()
        self.before: Callable[[StoredGame], None] = lambda game: None

        def apply_action(ctx: AppContext, game: StoredGame, *args: Any) -> Any:
            self._busy.set()
            assert self._held.wait(PATIENCE)
            self.before(game)
            return _ACT_IN(ctx, game, *args)

        def connect() -> Any:
            self._connections.append(connect_one())
            return self._connections[-1]

        connect_one = ctx.database._connect
        self._connections: list[Any] = []
        monkeypatch.setattr(ctx.database, "_connect", connect)
        monkeypatch.setattr(play, "act_in", apply_action)
        self._door = open_door(create_app(ctx), "127.0.0.1", self.port)
        self.counter: Counter = self._door._server.task_dispatcher
        self._open = True
        self._watch = threading.Thread(target=self._look)
        self._watch.start()

    def _look(self) -> None:
        while self._open:
            self._door.look(0.05)
        self._door.end()

    def shut(self) -> None:
        self._open = False
        self._watch.join(PATIENCE)
        assert not self._watch.is_alive()
        self._pool.shutdown()
        if not self.ctx.settings.database_url.startswith("sqlite"):
            for connection in self._connections:  # a process that ends would hang up for its threads
                connection.close()

    def send(self, game: StoredGame, action: object = None, seat: int | None = None) -> Future[Reply]:
        """Somebody acts, and waits for the answer."""
        seat = mover(game) if seat is None else seat
        body = {"head": game.head, "action": action or legal(game)[0], "salt": "x"}
        link = self.ctx.links.seat(game.id, seat, 0)
        return self._pool.submit(exchange, self.port, "POST", f"/api/v1/games/{game.id}/actions", body, link)

    def get(self, path: str) -> Future[Reply]:
        return self._pool.submit(exchange, self.port, "GET", path)

    @contextmanager
    def held_up(self, game: StoredGame, waiting: int) -> Iterator[Future[Reply]]:
        """Whoever acts within waits until so many do, behind one who acts in this game; gives the answer to that."""
        self._held.clear()
        self._busy.clear()
        first = self.send(game)
        assert self._busy.wait(PATIENCE)
        yield first
        wait_for(lambda: self._held.is_set() or self.counter._waiting.qsize() == waiting, "not everybody came")
        self._held.set()
        first.result(PATIENCE)


def exchange(port: int, method: str, path: str, body: object = None, token: str = "") -> Reply:
    """One request on a line of its own."""
    written = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(written)}\r\n"
    head += f"Authorization: Bearer {token}\r\n" if token else ""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as wire:
        wire.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + written)
        received = b""
        while more := wire.recv(65536):
            received += more
    return Reply(received)


@pytest.fixture
def house(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    house = House(ctx, monkeypatch)
    yield house
    house.shut()


@pytest.fixture
def games(ctx: AppContext) -> list[StoredGame]:
    """One to hold the clerk up with, and one each for a crowd."""
    people = [player_with(ctx, f"{name}@example.org") for name in ("ann", "bo")]
    return [started(ctx, people) for _ in range(CROWD + 1)]


def counted(monkeypatch: pytest.MonkeyPatch, ctx: AppContext) -> list[int]:
    """One entry for each commit that peewee is asked for from now on."""
    commit, commits = ctx.database.commit, []

    def note() -> None:
        commit()
        commits.append(1)

    monkeypatch.setattr(ctx.database, "commit", note)
    return commits


def all_sound(ctx: AppContext, games: list[StoredGame]) -> bool:
    """Whether each of the games has moved on by one action, and no event is there twice or missing."""
    for before in games:
        after = load(ctx.database, before.id)
        events = Event.select().where(Event.game == before.id).count(ctx.database)
        if not (after.head > before.head and events == after.head and is_sound(ctx, before.id)):
            return False
    return True


def test_all_that_wait_are_kept_with_one_commit(
    ctx: AppContext, house: House, games: list[StoredGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    with house.held_up(games[0], CROWD) as first:
        asked = [house.send(game) for game in games[1:]]
        commits = counted(monkeypatch, ctx)
    alone = 1 if ctx.settings.database_url.startswith("sqlite") else 0  # on PostgreSQL, one statement by itself
    assert [future.result(PATIENCE).status for future in (first, *asked)] == [200] * (CROWD + 1)
    assert len(commits) == 1 + alone
    assert all_sound(ctx, games)
    assert Letter.select().where(Letter.kind == "turn").count(ctx.database) == len(games)


def test_games_are_taken_in_the_order_of_their_names_so_that_two_clerks_never_wait_for_each_other(
    house: House, games: list[StoredGame]
) -> None:
    taken: list[str] = []
    with house.held_up(games[0], CROWD):
        asked = [house.send(game) for game in games[1:]]
        house.before = lambda game: taken.append(game.id)
    assert {future.result(PATIENCE).status for future in asked} == {200}
    assert taken[1:] == sorted(game.id for game in games[1:])


def test_nobody_is_answered_before_it_is_on_disk(
    ctx: AppContext, house: House, games: list[StoredGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = ctx.database.commit
    answered_early: list[Future[Reply]] = []
    asked: list[Future[Reply]] = []

    def slow() -> None:
        threading.Event().wait(SHORTLY)
        answered_early.extend(future for future in asked if future.done())
        commit()

    with house.held_up(games[0], CROWD):
        asked += [house.send(game) for game in games[1:]]
        monkeypatch.setattr(ctx.database, "commit", slow)
    assert [future.result(PATIENCE).status for future in asked] == [200] * CROWD
    assert answered_early == []


def test_who_is_refused_is_told_so_and_takes_nobody_along(
    ctx: AppContext, house: House, games: list[StoredGame]
) -> None:
    with house.held_up(games[0], CROWD):
        illegal = house.send(games[1], {"type": "turn", "direction": "left"})
        unreadable = house.send(games[2], {"type": "fly"})
        waits = house.send(games[3], seat=1 - mover(games[3]))
        good = [house.send(game) for game in games[4:]]
    assert illegal.result(PATIENCE).body["code"] == "illegal_action"
    assert unreadable.result(PATIENCE).body["code"] == "bad_request"
    assert waits.result(PATIENCE).body["code"] == "not_your_turn"
    assert [future.result(PATIENCE).status for future in good] == [200] * len(good)
    assert all_sound(ctx, games[4:])
    assert [load(ctx.database, game.id).head for game in games[1:4]] == [game.head for game in games[1:4]]


def test_the_same_action_sent_by_several_at_once_happens_once(
    ctx: AppContext, house: House, games: list[StoredGame]
) -> None:
    with house.held_up(games[0], CROWD):
        same = [house.send(games[1]) for _ in range(CROWD - 1)]
        other = house.send(games[1], legal(games[1])[1])
    replies = [future.result(PATIENCE) for future in (*same, other)]
    done = [reply for reply in replies if reply.status == 200 and "repeated" not in reply.body]
    assert len(done) == 1
    for reply in replies:
        if reply.status == 200:
            assert reply.body["events"] == done[0].body["events"]
        else:
            assert reply.body["code"] == "stale"
    assert sorted(reply.status for reply in replies) in ([200] * (CROWD - 1) + [409], [200] + [409] * (CROWD - 1))
    assert all_sound(ctx, games[1:2])


def test_games_with_a_clock_are_gathered_as_well(ctx: AppContext, house: House, games: list[StoredGame]) -> None:
    people = [player_with(ctx, f"{name}@example.org") for name in ("ann", "bo")]
    timed = [started(ctx, people, pace=86_400) for _ in range(CROWD - 1)]
    with house.held_up(games[0], CROWD):
        asked = [house.send(game) for game in timed]
        late = house.send(timed[0], legal(timed[0])[1])
    replies = [future.result(PATIENCE) for future in asked]
    assert [reply.status for reply in replies[1:]] == [200] * (CROWD - 2)
    assert sorted([replies[0].status, late.result(PATIENCE).status]) == [200, 409]
    assert all(reply.body["view"]["deadline"] for reply in replies if reply.status == 200)
    assert all_sound(ctx, timed)


def test_where_the_commit_fails_each_is_taken_alone(
    ctx: AppContext, house: House, games: list[StoredGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = ctx.database.commit
    failed: list[int] = []

    def fails_once() -> None:
        if not failed:
            failed.append(1)
            raise OperationalError("disk I/O error")
        commit()

    asked: list[Future[Reply]] = []
    with house.held_up(games[0], CROWD) as first:
        for game in games[1:]:
            asked.append(house.send(game))
        house.before = lambda game: (
            monkeypatch.setattr(ctx.database, "commit", fails_once) if game != games[0] else None
        )
    assert first.result(PATIENCE).status == 200
    replies = [future.result(PATIENCE) for future in asked]
    assert failed == [1]
    assert [reply.status for reply in replies] == [200] * CROWD
    assert not any("repeated" in reply.body for reply in replies)
    assert all_sound(ctx, games)


def test_a_database_that_keeps_nothing_is_answered_with_503_and_nothing_has_changed(
    ctx: AppContext, house: House, games: list[StoredGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(game: StoredGame) -> None:
        if game.id != games[0].id:
            raise OperationalError("database or disk is full")

    with house.held_up(games[0], CROWD):
        asked = [house.send(game) for game in games[1:]]
        house.before = broken
    assert [future.result(PATIENCE).status for future in asked] == [503] * CROWD
    assert all(future.result().body["code"] == "unavailable" for future in asked)
    assert [load(ctx.database, game.id).head for game in games[1:]] == [game.head for game in games[1:]]
    house.before = lambda game: None
    assert [house.send(game).result(PATIENCE).status for game in games[1:]] == [200] * CROWD
    assert all_sound(ctx, games)


def test_one_for_whom_something_breaks_is_told_so_and_the_others_have_played(
    ctx: AppContext, house: House, games: list[StoredGame]
) -> None:
    tried: list[str] = []

    def break_for_one(game: StoredGame) -> None:
        tried.append(game.id)
        if game.id == games[1].id:
            ctx.database.execute_sql("insert into event (game, seq, at, body) values ('nobody', 1, 0, '{}')")

    with house.held_up(games[0], CROWD):
        asked = [house.send(game) for game in games[1:]]
        house.before = break_for_one
    assert [future.result(PATIENCE).status for future in asked] == [500, *[200] * (CROWD - 1)]
    assert tried.count(games[1].id) == 2  # with the others, and then alone
    assert load(ctx.database, games[1].id).head == games[1].head
    assert all_sound(ctx, games[2:])


def test_what_is_remembered_and_is_so_no_more_spoils_nothing_for_anybody(
    ctx: AppContext, house: House, games: list[StoredGame], caplog: pytest.LogCaptureFixture
) -> None:
    """On PostgreSQL the clerk only finds out at the end that a row has changed behind its back."""
    for game in games:
        assert house.send(game).result(PATIENCE).status == 200
    faced = [load(ctx.database, game.id) for game in games]
    with house.held_up(faced[0], CROWD):
        asked = [house.send(game) for game in faced[1:]]
        Seat.update(name="Berta").where((Seat.game == faced[-1].id) & (Seat.seat == 1)).execute(ctx.database)
    replies = [future.result(PATIENCE) for future in asked]
    assert [reply.status for reply in replies] == [200] * CROWD
    assert not any("repeated" in reply.body for reply in replies)
    assert [seat["name"] for seat in replies[-1].body["view"]["seats"]][1] == "Berta"
    assert all_sound(ctx, faced)
    taken_alone = [record for record in caplog.records if record.message == "actions are taken one by one"]
    assert len(taken_alone) == (0 if ctx.settings.database_url.startswith("sqlite") else 1)


@pytest.mark.databases("postgresql")  # nobody can hang up on SQLite
def test_where_the_connection_breaks_each_is_taken_alone_on_a_new_one(
    ctx: AppContext, house: House, games: list[StoredGame]
) -> None:
    broken: list[int] = []

    def break_off(game: StoredGame) -> None:
        if game.id != games[0].id and not broken:
            broken.append(ctx.database.connection().info.backend_pid)
            other = open_database(ctx.settings.database_url)
            other.execute_sql("select pg_terminate_backend(%s)", broken)
            other.close()

    with house.held_up(games[0], CROWD):
        asked = [house.send(game) for game in games[1:]]
        house.before = break_off
    replies = [future.result(PATIENCE) for future in asked]
    assert len(broken) == 1
    assert [reply.status for reply in replies] == [200] * CROWD
    assert not any("repeated" in reply.body for reply in replies)
    assert all_sound(ctx, games)


@pytest.mark.databases("postgresql")  # SQLite has one lock for all
def test_a_game_that_somebody_else_has_locked_holds_the_others_up_for_so_long_only(
    ctx: AppContext, house: House, games: list[StoredGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.commits_on_postgres.BUSY_SECONDS", 0.3)  # for connections that are yet to be made
    with house.held_up(games[0], CROWD), lock_game(ctx.database, games[-1].id):
        asked = [house.send(game) for game in games[1:]]
        wait_for(lambda: house.counter._waiting.qsize() == CROWD, "not everybody came")
        house._held.set()
        replies = [future.result(PATIENCE) for future in asked]
    assert [reply.status for reply in replies] == [*[200] * (CROWD - 1), 503]
    assert replies[-1].body["detail"] == BUSY
    assert house.send(games[-1]).result(PATIENCE).status == 200
    assert all_sound(ctx, games)


def test_whoever_only_looks_need_not_wait_for_the_clerk(house: House, games: list[StoredGame]) -> None:
    with house.held_up(games[0], 0) as first:
        looked = house.get(f"/api/v1/games/{games[0].id}").result(PATIENCE)
        assert not first.done()
    assert (looked.status, looked.body["head"]) == (200, games[0].head)


def test_who_has_gone_meanwhile_has_played_all_the_same(ctx: AppContext, house: House, games: list[StoredGame]) -> None:
    with house.held_up(games[0], 2):
        body = json.dumps({"head": games[1].head, "action": legal(games[1])[0]}).encode()
        head = f"POST /api/v1/games/{games[1].id}/actions HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n"
        head += f"Authorization: Bearer {ctx.links.seat(games[1].id, mover(games[1]), 0)}\r\n"
        with socket.create_connection(("127.0.0.1", house.port), PATIENCE) as wire:
            wire.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
            wait_for(lambda: house.counter._waiting.qsize() == 1, "the action did not come in")
        stays = house.send(games[2])
    assert stays.result(PATIENCE).status == 200
    assert all_sound(ctx, games[1:3])


def test_whoever_waits_when_the_door_is_shut_is_still_served(
    ctx: AppContext, house: House, games: list[StoredGame]
) -> None:
    with house.held_up(games[0], CROWD):
        asked = [house.send(game) for game in games[1:]]
        wait_for(lambda: house.counter._waiting.qsize() == CROWD, "not everybody came")
        house._open = False
    assert [future.result(PATIENCE).status for future in asked] == [200] * CROWD
    wait_for(lambda: not house.counter._clerk.is_alive(), "the clerk has not gone home")
    assert all_sound(ctx, games)


def test_rows_of_the_clerk_and_of_somebody_else_are_all_there(
    ctx: AppContext, house: House, games: list[StoredGame]
) -> None:
    """Who says something at the table meanwhile writes by another connection, and both wait for each other."""
    link = ctx.links.seat(games[0].id, 0, 0)
    with ThreadPoolExecutor(4) as others:
        for evening in range(3):
            played = [house.send(load(ctx.database, game.id)) for game in games]
            lines = [{"text": f"{words} {evening}"} for words in ("Well", "Hm", "Ah", "Oh")]
            path = f"/api/v1/games/{games[0].id}/messages"
            said = [others.submit(exchange, house.port, "POST", path, line, link) for line in lines]
            assert {future.result(PATIENCE).status for future in played} == {200}
            assert {future.result(PATIENCE).status for future in said} == {201}
    assert all_sound(ctx, games)
    assert len(contents(ctx)["message"]) == 12
