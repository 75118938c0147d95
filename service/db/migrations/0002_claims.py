"""A letter that is being sent carries the mark of the worker that sends it."""

from typing import Any


def up(migrator: Any, db: Any) -> None:
    """Add the mark."""
    db.execute_sql("alter table letter add column claim varchar(32)")
