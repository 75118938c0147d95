"""Databases for the tests, as good as new each time: making the tables anew would take longer than most tests."""

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import psycopg
from peewee import Table

from service.db.connection import Database, migrate, open_database

_OTHERS_LEAVE = (
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = user and pid <> pg_backend_pid()"
)
_SHAPE = """
select md5(string_agg(concat(c.relname, '.', a.attname, a.atttypid, a.attnotnull), ',' order by c.relname, a.attnum))
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and a.attnum > 0 and not a.attisdropped
"""
_NAMES = """
select 'delete from ' || tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migration'
union all
select 'select setval(''' || sequencename || ''', 1, false)' from pg_sequences
where schemaname = 'public' and sequencename <> 'schema_migration_id_seq'
"""
OF_THE_TESTS = "of the tests"
"""The name by which the line that is kept to each server can be told from those of the programs."""


class _New(NamedTuple):
    """A server whose database was as new: a line to it, the shape it had, and what makes it empty again."""

    line: "psycopg.Connection[Any]"
    shape: str
    clear: bytes


_servers: dict[str, _New] = {}


def emptied(url: str) -> str:
    """The database without a single table."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).unlink(missing_ok=True)
        return url
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (_OTHERS_LEAVE, "drop schema public cascade", "create schema public"):
            connection.execute(statement.encode())
    return url


def as_new(url: str) -> str:
    """The database with every table and not a single row."""
    if url.startswith("sqlite"):
        shutil.copy(_new_sqlite(), url.removeprefix("sqlite:///"))
        return url
    try:
        empty = url in _servers and _cleared(_servers[url])
    except psycopg.OperationalError:  # a test may cut every line to the server
        empty = False
    if not empty:
        leave(url)
        _brought_up(emptied(url))
        _servers[url] = _new(url)
    return url


def leave(url: str) -> None:
    """Keep no line to the server."""
    if url in _servers:
        _servers.pop(url).line.close()


def _new(url: str) -> _New:
    line = psycopg.connect(url, autocommit=True, application_name=OF_THE_TESTS)
    clear = [statement for (statement,) in line.execute(_NAMES)]
    return _New(line, _shape(line), ";".join(clear).encode())


def _cleared(server: _New) -> bool:
    """Have the database empty again; where a test has changed more than its rows that cannot be done."""
    server.line.execute(_OTHERS_LEAVE.encode())
    if _shape(server.line) != server.shape:
        return False
    server.line.execute(b"set session_replication_role = replica;" + server.clear)
    return True


def _shape(connection: "psycopg.Connection[Any]") -> str:
    (row,) = connection.execute(_SHAPE.encode()).fetchall()
    steps = connection.execute(b"select count(*) from pg_tables where tablename = 'schema_migration'").fetchall()
    if steps[0][0]:
        steps = connection.execute(b"select string_agg(name, ',' order by name) from schema_migration").fetchall()
    return f"{row[0]} {steps[0][0]}"


@cache
def _new_sqlite() -> Path:
    path = Path(mkdtemp(prefix="marrakech-"), "new.db")
    atexit.register(shutil.rmtree, path.parent)
    _brought_up(f"sqlite:///{path}")
    return path


def _brought_up(url: str) -> None:
    database = open_database(url)
    migrate(database)
    database.close()


def insert_row(database: Database, table: str, values: dict[str, Any]) -> None:
    """Insert a row into a table of an older version, which the models don't describe."""
    Table(table, list(values)).insert(values).execute(database)
