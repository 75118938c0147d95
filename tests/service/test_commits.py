"""Threads that write at the same time share a transaction, and still each has only his own success or failure."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.commits import SharingSqlite
from service.database import open_database

MANY = 8


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SharingSqlite]:
    opened = open_database(f"sqlite:///{tmp_path}/marrakech.db")
    opened.execute_sql("create table note (word text not null unique)")
    yield opened
    opened.close()


def note(database: SharingSqlite, word: str | None) -> None:
    database.execute_sql("insert into note values (?)", [word])


def words(database: SharingSqlite) -> list[str]:
    return [word for (word,) in database.execute_sql("select word from note order by word")]


def outcome(database: SharingSqlite, work: Callable[[], None]) -> str:
    try:
        database.together(work)
    except Exception as trouble:
        return type(trouble).__name__
    finally:
        database.close()
    return "on disk"


def at_once(database: SharingSqlite, works: list[Callable[[], None]]) -> list[str]:
    """Have every work wait until all of them wait, and give what came of each."""
    with ThreadPoolExecutor(len(works)) as threads:
        with database._writer:
            jobs = [threads.submit(outcome, database, work) for work in works]
            while len(database._parts) < len(works):
                threading.Event().wait(0.001)
        return [job.result() for job in jobs]


def test_all_that_wait_are_written_in_one_transaction(database: SharingSqlite) -> None:
    seen: list[int] = []

    def count_and_note(word: str) -> None:
        note(database, word)
        seen.append(len(words(database)))

    said = at_once(database, [lambda word=str(number): count_and_note(word) for number in range(MANY)])  # type: ignore[misc]
    assert said == ["on disk"] * MANY
    assert seen == list(range(1, MANY + 1))  # each sees what those before it have written, though nothing was committed
    assert words(database) == [str(number) for number in range(MANY)]


def test_one_that_is_refused_leaves_nothing_and_takes_nobody_along(database: SharingSqlite) -> None:
    def half() -> None:
        note(database, "half")
        note(database, None)

    said = at_once(database, [lambda: note(database, "a"), half, lambda: note(database, "b")])
    assert sorted(said) == ["IntegrityError", "on disk", "on disk"]
    assert words(database) == ["a", "b"]


def test_alone_a_refusal_leaves_nothing_either(database: SharingSqlite) -> None:
    def half() -> None:
        note(database, "half")
        note(database, None)

    assert outcome(database, half) == "IntegrityError"
    assert words(database) == []


def test_a_commit_that_fails_is_everybodys_failure(database: SharingSqlite, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(database, "commit", full)
    said = at_once(database, [lambda word=word: note(database, word) for word in "abc"])  # type: ignore[misc]
    assert said == ["OSError"] * 3
    monkeypatch.undo()
    assert words(database) == []
    assert outcome(database, lambda: note(database, "later")) == "on disk"


def test_inside_a_transaction_the_work_is_part_of_it(database: SharingSqlite) -> None:
    with database.atomic() as transaction:
        database.together(lambda: note(database, "a"))
        transaction.rollback()
    assert words(database) == []


def test_a_refusal_before_anything_was_written_costs_the_others_nothing(database: SharingSqlite) -> None:
    done: list[str] = []

    def refused() -> None:
        raise LookupError

    def noted(word: str) -> Callable[[], None]:
        def work() -> None:
            note(database, word)
            done.append(word)

        return work

    said = at_once(database, [noted("a"), refused, noted("b")])
    assert sorted(said) == ["LookupError", "on disk", "on disk"]
    assert sorted(done) == ["a", "b"]  # once each: nobody had to write anything a second time
    assert words(database) == ["a", "b"]
