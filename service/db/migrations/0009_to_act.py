"""Whom a game waits for is kept in its own row, which every action writes anyway, and not in those of its seats."""

from typing import Any

CHANGES = """
alter table game add column to_act integer not null default 0;
update game set to_act = coalesce((select sum(1 << seat.seat) from seat where seat.game = game.id and seat.to_act), 0);
alter table seat drop column to_act
"""


def up(migrator: Any, db: Any) -> None:
    """Move it: a bit for each seat."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
