"""What is gathered is kept with one commit or not at all, and a part that is refused takes nothing else with it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
from peewee import IntegrityError, OperationalError, SqliteDatabase

from service.commits import Spoiled
from service.commits_on_postgres import Promised
from service.context import AppContext
from service.db.connection import open_database
from service.db.database_errors import BUSY, database_problem
from service.db.statements import run
from service.straight_line import StraightLine

pytestmark = pytest.mark.databases("sqlite", "postgresql")

PATIENCE = 30
SHORTLY = 0.2
ON_SQLITE = pytest.mark.databases("sqlite")
ON_POSTGRES = pytest.mark.databases("postgresql")


@pytest.fixture
def database(ctx: AppContext) -> Iterator[Any]:
    """A database of each kind with a table for words."""
    ctx.database.execute_sql("create table note (word varchar(20) not null unique)")
    yield ctx.database
    ctx.database.execute_sql("drop table note")


def note(database: Any, *words: str | None) -> None:
    for word in words:
        run(database, "insert into note values (?)", [word])


def stumble(database: Any, *words: str) -> None:
    """Note them, and fail then."""
    note(database, *words)
    raise LookupError


def words(ctx: AppContext) -> list[str]:
    """What is on disk, as somebody else sees it."""
    other = open_database(ctx.settings.database_url)
    try:
        return [word for (word,) in other.execute_sql("select word from note order by word").fetchall()]
    finally:
        other.close()


def on_sqlite(ctx: AppContext) -> bool:
    return ctx.settings.database_url.startswith("sqlite")


def test_what_is_gathered_is_there_for_others_at_the_end_and_not_before(ctx: AppContext, database: Any) -> None:
    with database.gathering():
        assert database.is_gathering()
        note(database, "a", "b")
        assert words(ctx) == []
    assert words(ctx) == ["a", "b"]
    assert not database.is_gathering()


def test_a_gathering_that_fails_leaves_nothing_and_the_next_is_as_good_as_ever(ctx: AppContext, database: Any) -> None:
    with pytest.raises(LookupError), database.gathering():
        stumble(database, "a")
    assert words(ctx) == []
    with database.gathering():
        note(database, "a")
    assert words(ctx) == ["a"]


def test_it_is_one_commit_for_all(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    commit, commits = database.commit, []
    monkeypatch.setattr(database, "commit", lambda: commits.append(commit()))
    with database.gathering():
        note(database, "a", "b", "c")
    assert len(commits) == 1


def test_a_commit_that_fails_is_said_and_leaves_nothing(
    ctx: AppContext, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(database, "commit", full)
    with pytest.raises(OSError, match="no space"), database.gathering():
        note(database, "a")
    monkeypatch.undo()
    assert words(ctx) == []
    with database.gathering():
        note(database, "later")
    assert words(ctx) == ["later"]


def test_whoever_hangs_up_within_spoils_it_and_can_go_on_afterwards(ctx: AppContext, database: Any) -> None:
    def hang_up() -> None:
        note(database, "a")
        database.close()
        note(database, "b")

    with pytest.raises(Spoiled), database.gathering():
        hang_up()
    assert words(ctx) == []
    assert database.is_closed()
    database.connect()
    note(database, "c")
    assert words(ctx) == ["c"]


def test_a_transaction_that_the_database_gave_up_is_not_taken_for_kept(ctx: AppContext, database: Any) -> None:
    def give_up() -> None:
        note(database, "a")
        if on_sqlite(ctx):
            database.connection().execute("rollback")  # as SQLite does by itself when the disk is full
        else:
            with pytest.raises(IntegrityError):
                note(database, "a")  # after an error PostgreSQL answers a commit with a rollback, and no word of it

    with pytest.raises((Spoiled, OperationalError)), database.gathering():
        give_up()
    assert words(ctx) == []
    note(database, "b")
    assert words(ctx) == ["b"]


def test_a_transaction_within_is_a_part_of_it(ctx: AppContext, database: Any) -> None:
    with database.gathering():
        note(database, "a")
        with pytest.raises(LookupError), database.atomic():
            stumble(database, "b")
        with database.atomic():
            note(database, "c")
        assert words(ctx) == []
    assert words(ctx) == ["a", "c"]


@ON_SQLITE  # on PostgreSQL each part is one statement
def test_on_sqlite_a_part_that_stops_half_way_leaves_nothing_and_takes_nobody_along(
    ctx: AppContext, database: Any
) -> None:
    with database.gathering():
        database.together(lambda: note(database, "a"))
        with pytest.raises(IntegrityError):
            database.together(lambda: note(database, "half", None))
        database.together(lambda: note(database, "b"))
        assert words(ctx) == []
    assert words(ctx) == ["a", "b"]


@ON_SQLITE
def test_on_sqlite_work_outside_of_a_gathering_is_a_transaction_of_its_own_or_a_part_of_one(
    ctx: AppContext, database: Any
) -> None:
    with pytest.raises(IntegrityError):
        database.together(lambda: note(database, "half", None))
    assert words(ctx) == []
    database.together(lambda: note(database, "a"))
    assert words(ctx) == ["a"]
    with database.atomic() as transaction:
        database.together(lambda: note(database, "b"))
        transaction.rollback()
    assert words(ctx) == ["a"]


@ON_SQLITE  # PostgreSQL lets many write at once
class TestTheQueue:
    """Threads of one process that want to write wait for each other, and whoever only reads for nobody."""

    def test_a_transaction_and_a_statement_wait_until_the_one_before_has_ended(
        self, ctx: AppContext, database: Any
    ) -> None:
        def statement() -> None:
            note(database, "b")
            database.close()

        def transaction() -> None:
            with database.atomic():
                note(database, "c")
            database.close()

        with ThreadPoolExecutor(2) as threads:
            with database.atomic():
                jobs = [threads.submit(statement), threads.submit(transaction)]
                note(database, "a")
                assert wait(jobs, SHORTLY).done == set()
                assert words(ctx) == []
            for job in jobs:
                job.result(PATIENCE)
        assert words(ctx) == ["a", "b", "c"]

    def test_whoever_reads_does_not_wait(self, database: Any) -> None:
        def read() -> list[Any]:
            found: list[Any] = database.execute_sql("select word from note").fetchall()
            database.close()
            return found

        with ThreadPoolExecutor(1) as threads, database.atomic():
            note(database, "a")
            assert threads.submit(read).result(PATIENCE) == []

    @pytest.mark.parametrize("step", ["begin", "commit"])
    def test_who_fails_gives_the_turn_away(
        self, ctx: AppContext, database: Any, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        def fail(*_: object) -> None:
            raise OperationalError("disk I/O error")

        monkeypatch.setattr(SqliteDatabase, step, fail)
        with pytest.raises(OperationalError), database.atomic():
            note(database, "a")
        monkeypatch.undo()

        def later() -> None:
            note(database, "b")
            database.close()

        with ThreadPoolExecutor(1) as threads:
            threads.submit(later).result(PATIENCE)
        assert words(ctx) == ["b"]

    def test_who_waits_too_long_is_told_what_sqlite_would_say(
        self, database: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("service.commits_on_sqlite.BUSY_SECONDS", 0.05)

        def too_late() -> str:
            try:
                note(database, "b")
            except OperationalError as trouble:
                problem = database_problem(trouble)
                assert problem
                return problem.detail
            return "in time"

        with ThreadPoolExecutor(1) as threads, database.atomic():
            note(database, "a")
            assert threads.submit(too_late).result(PATIENCE) == BUSY


Told = list[list[str]]


@ON_POSTGRES  # SQLite is asked within the process
class TestPuttingOff:
    """What was put off is told in one go, before anybody asks for anything else, and all of it or nothing is kept."""

    @pytest.fixture
    def told(self, monkeypatch: pytest.MonkeyPatch) -> Told:
        """What goes to the database, by each way there and back."""
        ask_all, told = StraightLine.ask_all, []

        def noted(line: StraightLine, questions: Any) -> Any:
            told.append([f"{statement.split()[0]} {''.join(values)}".strip() for statement, values in questions])
            return ask_all(line, questions)

        monkeypatch.setattr(StraightLine, "ask_all", noted)
        return told

    @staticmethod
    def put_off(database: Any, word: str) -> Promised:
        promised: Promised = database.put_off("insert into note values (%s) returning word", [word])
        return promised

    def test_all_of_it_travels_with_the_beginning_and_the_commit(
        self, ctx: AppContext, database: Any, told: Told
    ) -> None:
        with database.gathering():
            promised = [self.put_off(database, word) for word in "abc"]
            assert (told, [each.kept for each in promised]) == ([], [None] * 3)
        assert told == [["begin", "insert a", "insert b", "insert c", "commit"]]
        assert [each.kept for each in promised] == ["a", "b", "c"]
        assert words(ctx) == ["a", "b", "c"]

    def test_whoever_asks_in_between_finds_it_done_and_nobody_else_does(
        self, ctx: AppContext, database: Any, told: Told
    ) -> None:
        with database.gathering():
            promised = self.put_off(database, "a")
            assert database.execute_sql("select word from note").fetchall() == [("a",)]
            assert promised.kept == "a"
            self.put_off(database, "b")
            assert words(ctx) == []
        assert told == [["begin", "insert a"], ["insert b", "commit"]]
        assert words(ctx) == ["a", "b"]

    def test_where_nothing_was_asked_nothing_is_told(self, ctx: AppContext, database: Any, told: Told) -> None:
        with database.gathering():
            pass
        with pytest.raises(LookupError), database.gathering():
            raise LookupError
        assert told == []
        note(database, "a")
        assert words(ctx) == ["a"]

    def test_one_that_fails_takes_all_back_and_the_next_gathering_is_as_good_as_ever(
        self, ctx: AppContext, database: Any
    ) -> None:
        note(database, "b")
        promised = []
        with pytest.raises(IntegrityError), database.gathering():
            promised += [self.put_off(database, word) for word in "abc"]
        assert [each.kept for each in promised] == [None] * 3
        assert words(ctx) == ["b"]
        with database.gathering():
            self.put_off(database, "c")
        assert words(ctx) == ["b", "c"]

    def test_a_rollback_that_has_all_statements_forgotten_spoils_nothing_later(
        self, ctx: AppContext, database: Any
    ) -> None:
        def take_back() -> None:
            self.put_off(database, "x")
            stumble(database, "y")

        for _ in range(10):  # psycopg prepares what it is asked often, and forgets that when all is taken back
            database.execute_sql("select word from note where word = %s", ["a"]).fetchall()
        for word in "abc":
            with pytest.raises(LookupError), database.gathering():
                take_back()
            with database.gathering():
                self.put_off(database, word)
        assert words(ctx) == ["a", "b", "c"]

    def test_one_that_fails_while_somebody_asks_is_not_forgotten_by_the_end(
        self, ctx: AppContext, database: Any
    ) -> None:
        def ask_and_go_on() -> None:
            self.put_off(database, "b")
            with pytest.raises(IntegrityError):
                database.execute_sql("select word from note")
            self.put_off(database, "c")

        note(database, "b")
        with pytest.raises(Spoiled), database.gathering():
            ask_and_go_on()
        assert words(ctx) == ["b"]

    def test_what_a_gathering_that_failed_has_put_off_is_not_in_the_next(self, ctx: AppContext, database: Any) -> None:
        def stop() -> None:
            self.put_off(database, "a")
            raise LookupError

        with pytest.raises(LookupError), database.gathering():
            stop()
        with database.gathering():
            self.put_off(database, "b")
        assert words(ctx) == ["b"]

    def test_what_was_put_off_within_a_part_is_taken_back_with_it(self, ctx: AppContext, database: Any) -> None:
        def stop() -> None:
            self.put_off(database, "b")
            raise LookupError

        with database.gathering():
            self.put_off(database, "a")
            with pytest.raises(LookupError), database.atomic():
                stop()
            with database.atomic():
                self.put_off(database, "c")
        assert words(ctx) == ["a", "c"]

    @pytest.mark.parametrize("begun", [False, True])
    def test_a_connection_that_breaks_is_left_behind(self, ctx: AppContext, database: Any, *, begun: bool) -> None:
        def break_off() -> None:
            if begun:
                note(database, "a")
            self.put_off(database, "b")
            other = open_database(ctx.settings.database_url)
            other.execute_sql("select pg_terminate_backend(%s)", [server])
            other.close()

        server = database.connection().info.backend_pid
        with pytest.raises(OperationalError), database.gathering():
            break_off()
        assert words(ctx) == []
        with database.gathering():
            self.put_off(database, "c")
        assert words(ctx) == ["c"]

    def test_more_than_any_buffer_holds_arrives(self, ctx: AppContext, database: Any) -> None:
        long = "x" * 100_000
        with database.gathering():
            answers = [database.put_off("select concat(%s::text, %s::text)", [long, number]) for number in range(200)]
            self.put_off(database, "a")
        assert [answer.kept == f"{long}{number}" for number, answer in enumerate(answers)] == [True] * 200
        assert words(ctx) == ["a"]
