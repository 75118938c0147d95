"""When each worker was last at work."""

from typing import Any

TABLE = """
create table worker_beat (
    worker varchar(32) not null primary key,
    at double precision not null
)
"""


def up(migrator: Any, db: Any) -> None:
    """Make the table."""
    db.execute_sql(TABLE)
