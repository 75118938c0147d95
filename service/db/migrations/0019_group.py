"""Players can hide from the page of the group, and finished games keep the numbers that it compares."""

from typing import Any

CHANGES = """
alter table player add column hidden boolean not null default false;
alter table game add column high_scores text;
-- Every second, the worker looks for finished games without them.
create index game_without_high_scores on game (status) where high_scores is null
"""


def up(migrator: Any, db: Any) -> None:
    """Add the columns and the index."""
    lines = [line for line in CHANGES.splitlines() if not line.startswith("--")]
    for statement in "\n".join(lines).split(";"):
        db.execute_sql(statement)
