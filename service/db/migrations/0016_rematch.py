"""A finished game records its rematch, so that all its players get into the same one."""

from typing import Any

CHANGES = """
alter table game add column rematch varchar(32);
create unique index game_rematch on game (rematch)
"""


def up(migrator: Any, db: Any) -> None:
    """Add the column and its index."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
