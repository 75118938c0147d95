"""The straight line to PostgreSQL answers and fails as psycopg's own cursors do."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from service.straight_line import StraightLine

ECHO = "select concat(%s::text, '|', %s::integer, '|', %s::double precision)"


@pytest.fixture
def connection(postgres: Any) -> Iterator["psycopg.Connection[Any]"]:
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        yield connection


@pytest.fixture
def line(connection: "psycopg.Connection[Any]") -> StraightLine:
    return StraightLine(connection)


def test_values_arrive_as_they_were_sent(line: StraightLine) -> None:
    for text in ("", "plain", "d'Artagnan; --", "żółć 🐪", "%s $1 {}"):
        assert line.ask(ECHO, [text, -7, 0.1]) == [f"{text}|-7|0.1"]
    assert line.ask(ECHO, [None, None, None]) == ["||"]


def test_there_may_be_no_row_or_several(line: StraightLine) -> None:
    assert line.ask("select concat(n) from generate_series(1, %s::integer) as n", [3]) == ["1", "2", "3"]
    assert line.ask("select concat(n) from generate_series(1, %s::integer) as n", [0]) == []


def test_a_statement_that_was_forgotten_is_prepared_again(
    line: StraightLine, connection: "psycopg.Connection[Any]"
) -> None:
    assert line.ask(ECHO, ["a", 1, 2]) == ["a|1|2"]
    connection.execute("deallocate all")
    assert line.ask(ECHO, ["b", 1, 2]) == ["b|1|2"]


def test_statements_are_prepared_again_beside_others_that_are_still_known(
    line: StraightLine, connection: "psycopg.Connection[Any]"
) -> None:
    assert line.ask("select 'first'", ()) == ["first"]
    connection.execute("deallocate all")
    assert line.ask(ECHO, ["a", 1, 2]) == ["a|1|2"]
    assert line.ask("select 'first'", ()) == ["first"]
    assert line.ask(ECHO, ["b", 1, 2]) == ["b|1|2"]


def test_many_that_were_forgotten_are_prepared_again_and_each_is_run_once(
    line: StraightLine, connection: "psycopg.Connection[Any]"
) -> None:
    connection.execute("create temp table word (word text)")
    many = [("begin", ()), ("insert into word values (%s) returning word", ["a"]), ("commit", ())]
    for _ in range(2):
        assert line.ask_all(many) == [[], ["a"], []]
        connection.execute("deallocate all")
    assert connection.execute("select count(*) from word").fetchall() == [(2,)]


def test_what_was_forgotten_within_a_transaction_fails_and_is_known_again_afterwards(
    line: StraightLine, connection: "psycopg.Connection[Any]"
) -> None:
    assert line.ask_all([("begin", ()), (ECHO, ["a", 1, 2])]) == [[], ["a|1|2"]]
    connection.execute("deallocate all")
    with pytest.raises(psycopg.errors.InvalidSqlStatementName):
        line.ask_all([(ECHO, ["a", 1, 2]), ("commit", ())])
    connection.rollback()
    assert line.ask_all([("begin", ()), (ECHO, ["a", 1, 2]), ("commit", ())]) == [[], ["a|1|2"], []]


def test_it_knows_when_a_transaction_is_on(line: StraightLine, connection: "psycopg.Connection[Any]") -> None:
    assert line.is_free()
    with connection.transaction():
        assert not line.is_free()
        assert line.is_in_transaction()
    assert line.is_free()
    assert not line.is_in_transaction()


def test_a_transaction_in_which_something_failed_is_none_that_can_be_kept(
    line: StraightLine, connection: "psycopg.Connection[Any]"
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        line.ask_all([("begin", ()), ("select concat(1 / %s::integer)", [0])])
    assert not line.is_in_transaction()
    assert not line.is_free()
    connection.rollback()


def test_what_the_database_refuses_is_said_in_its_own_class_and_words(line: StraightLine) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero, match="division by zero"):
        line.ask("select concat(1 / %s::integer)", [0])
    with pytest.raises(psycopg.errors.UndefinedTable):
        line.ask("select word from nowhere where word = %s", ["a"])
    assert line.ask(ECHO, ["still there", 1, 2]) == ["still there|1|2"]


def test_a_nul_is_refused_and_not_cut_off(line: StraightLine) -> None:
    with pytest.raises(psycopg.DataError):
        line.ask(ECHO, ["a\0b", 1, 2])


def test_a_line_that_broke_is_an_operational_error(line: StraightLine, connection: "psycopg.Connection[Any]") -> None:
    assert line.ask(ECHO, ["a", 1, 2]) == ["a|1|2"]
    with psycopg.connect(connection.info.dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s)", [connection.info.backend_pid])
    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            line.ask(ECHO, ["a", 1, 2])
    assert connection.closed


def test_many_are_answered_one_after_the_other(line: StraightLine, connection: "psycopg.Connection[Any]") -> None:
    numbers = "select concat(n) from generate_series(1, %s::integer) as n"
    asked = [("begin", ()), (ECHO, ["a", 1, 2]), (numbers, [2]), (numbers, [0]), (ECHO, [None] * 3)]
    assert line.ask_all(asked) == [[], ["a|1|2"], ["1", "2"], [], ["||"]]
    assert not line.is_free()
    assert line.ask_all([("commit", ())]) == [[]]
    assert line.is_free()
    assert connection.execute("select 1").fetchall() == [(1,)]


def test_of_many_none_is_run_after_one_that_fails(line: StraightLine, connection: "psycopg.Connection[Any]") -> None:
    connection.execute("create temp table word (word text)")
    add = "insert into word values (%s) returning word"
    fails = ("select concat(1 / %s::integer)", [0])
    with pytest.raises(psycopg.errors.DivisionByZero):
        line.ask_all([("begin", ()), (add, ["a"]), fails, (add, ["b"]), ("commit", ())])
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR
    connection.rollback()
    assert connection.execute("select word from word").fetchall() == []
    assert line.ask(add, ["c"]) == ["c"]
    assert line.ask_all([(add, ["d"]), (add, ["e"])]) == [["d"], ["e"]]


def test_where_one_of_many_cannot_be_sent_the_line_is_as_good_as_before(line: StraightLine) -> None:
    with pytest.raises(psycopg.DataError):
        line.ask_all([("begin", ()), (ECHO, ["a\0b", 1, 2])])
    with pytest.raises(psycopg.errors.UndefinedTable):
        line.ask_all([("begin", ()), ("select word from nowhere", ())])
    assert line.is_free()
    assert line.ask_all([(ECHO, ["a", 1, 2])]) == [["a|1|2"]]


def test_a_line_that_breaks_while_many_are_answered_is_an_operational_error(
    line: StraightLine, connection: "psycopg.Connection[Any]"
) -> None:
    slow, die = "select concat(pg_sleep(0.2))", "select concat(pg_terminate_backend(pg_backend_pid()), %s::text)"
    with pytest.raises(psycopg.OperationalError):
        line.ask_all([("begin", ()), (slow, ()), (die, ["now"]), (slow, ()), ("commit", ())])
    assert connection.closed
    with pytest.raises(psycopg.OperationalError):
        line.ask_all([("begin", ())])
