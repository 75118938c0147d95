"""Databases for the tests. They are cleared between tests, because creating the tables takes longer than most tests."""

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import psycopg
from peewee import Table

from service.db.connection import Database, migrate, open_database

_END_OTHER_CONNECTIONS = (
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = user and pid <> pg_backend_pid()"
)
_SCHEMA_HASH = """
select md5(string_agg(concat(c.relname, '.', a.attname, a.atttypid, a.attnotnull), ',' order by c.relname, a.attnum))
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and a.attnum > 0 and not a.attisdropped
"""
_CLEARING = """
select 'delete from ' || tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migration'
union all
select 'select setval(''' || sequencename || ''', 1, false)' from pg_sequences
where schemaname = 'public' and sequencename <> 'schema_migration_id_seq'
"""
TEST_CONNECTION = "tests"
"""The application name of the connection that the tests keep to PostgreSQL."""


class _Server(NamedTuple):
    """A PostgreSQL server: a connection, a hash of the schema, and the statements that delete all rows."""

    connection: "psycopg.Connection[Any]"
    schema: str
    clear: bytes


_servers: dict[str, _Server] = {}


def empty_database(url: str) -> str:
    """Drop all tables."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).unlink(missing_ok=True)
        return url
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (_END_OTHER_CONNECTIONS, "drop schema public cascade", "create schema public"):
            connection.execute(statement.encode())
    return url


def fresh_database(url: str) -> str:
    """Make a database with all tables and no rows, and return its URL."""
    if url.startswith("sqlite"):
        shutil.copy(_migrated_sqlite(), url.removeprefix("sqlite:///"))
        return url
    try:
        empty = url in _servers and _clear(_servers[url])
    except psycopg.OperationalError:  # a test may end every connection to the server
        empty = False
    if not empty:
        disconnect(url)
        _migrate(empty_database(url))
        _servers[url] = _connect(url)
    return url


def disconnect(url: str) -> None:
    """Close the connection to a server."""
    if url in _servers:
        _servers.pop(url).connection.close()


def _connect(url: str) -> _Server:
    connection = psycopg.connect(url, autocommit=True, application_name=TEST_CONNECTION)
    clear = [statement for (statement,) in connection.execute(_CLEARING)]
    return _Server(connection, _schema_hash(connection), ";".join(clear).encode())


def _clear(server: _Server) -> bool:
    """Delete all rows; returns False if a test has changed the schema."""
    server.connection.execute(_END_OTHER_CONNECTIONS.encode())
    if _schema_hash(server.connection) != server.schema:
        return False
    server.connection.execute(b"set session_replication_role = replica;" + server.clear)
    return True


def _schema_hash(connection: "psycopg.Connection[Any]") -> str:
    (row,) = connection.execute(_SCHEMA_HASH.encode()).fetchall()
    steps = connection.execute(b"select count(*) from pg_tables where tablename = 'schema_migration'").fetchall()
    if steps[0][0]:
        steps = connection.execute(b"select string_agg(name, ',' order by name) from schema_migration").fetchall()
    return f"{row[0]} {steps[0][0]}"


@cache
def _migrated_sqlite() -> Path:
    path = Path(mkdtemp(prefix="marrakech-"), "new.db")
    atexit.register(shutil.rmtree, path.parent)
    _migrate(f"sqlite:///{path}")
    return path


def _migrate(url: str) -> None:
    database = open_database(url)
    migrate(database)
    database.close()


def insert_row(database: Database, table: str, values: dict[str, Any]) -> None:
    """Insert a row into a table of an older version, which the models don't describe."""
    Table(table, list(values)).insert(values).execute(database)
