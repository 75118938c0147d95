"""Replies by mail that were dealt with."""

from typing import Any

TABLE = """
create table incoming (
    key varchar(64) not null primary key,
    at double precision not null,
    sender varchar(64) not null,
    outcome varchar(12) not null,
    answered boolean not null
);
create index incoming_at on incoming (at);
create index incoming_sender_at on incoming (sender, at);
"""


def up(migrator: Any, db: Any) -> None:
    """Make the table."""
    for statement in TABLE.split(";"):
        if statement.strip():
            db.execute_sql(statement)
