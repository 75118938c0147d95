"""Bots have levels: random is called easy, and greedy medium."""

from typing import Any

CHANGES = """
update seat set bot = 'easy' where bot = 'random';
update seat set bot = 'medium' where bot = 'greedy'
"""


def up(migrator: Any, db: Any) -> None:
    """Rename the levels."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
