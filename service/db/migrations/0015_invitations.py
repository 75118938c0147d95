"""A table has a message for the people who are invited, and a sign-in code the page to continue to."""

from typing import Any

CHANGES = """
alter table game add column message varchar(500) not null default '';
alter table sign_in_code add column next_path varchar(512) not null default ''
"""


def up(migrator: Any, db: Any) -> None:
    """Add the columns."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
