"""The analyses of finished games, which a worker computes."""

from typing import Any

CHANGES = """
create table analysis (
    game varchar(32) not null primary key references game (id) on delete cascade,
    version integer not null default 0,
    body text,
    seats text,
    tries integer not null default 0,
    due double precision
);
create index analysis_due on analysis (due) where due is not null
"""


def up(migrator: Any, db: Any) -> None:
    """Add the table."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
