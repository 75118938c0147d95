"""Replies are also recognised by the letter that they refer to, and by their content if they are sent again."""

from typing import Any

CHANGES = """
alter table letter add column message_hash varchar(64);
alter table letter add column reply_turn integer;
alter table letter add column reply_version integer;
create index letter_message_hash on letter (message_hash);
alter table incoming add column content varchar(64);
create index incoming_content on incoming (content)
"""


def up(migrator: Any, db: Any) -> None:
    """Add the columns; letters that were sent before have none of these."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
