"""An action also records the head that its sender had seen: where several seats act at once, others may act first."""

from typing import Any


def up(migrator: Any, db: Any) -> None:
    """Add the column; null means the head just below the action's first event."""
    db.execute_sql("alter table event add column seen_head integer")
