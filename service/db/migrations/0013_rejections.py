"""Rejections in a row are counted for each player, and those of a full mailbox or a spam filter for each letter.

Letters that were sent keep no details: sign-in letters had their code in them.
"""

from typing import Any

CHANGES = """
alter table player add column rejections integer not null default 0;
alter table player add column bounced double precision;
alter table letter add column rejections integer not null default 0;
update letter set details = '{}' where status = 'sent' or (kind = 'sign-in' and status <> 'waiting')
"""


def up(migrator: Any, db: Any) -> None:
    """Add the columns and clear the details."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
