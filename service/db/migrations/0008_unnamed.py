"""Names that nobody has given are not kept any more: they are made when they are shown, in the reader's language."""

from typing import Any

CHANGES = """
-- Deleted players have an invalid address, and all had the same placeholder as their name.
update seat set name = '' where name = 'A former player' and player in
    (select id from player where email = 'gone-' || id || '@left.invalid');
update player set name = '' where name = 'A former player' and email = 'gone-' || id || '@left.invalid';
-- The name of a table that was called after its host, to the letter, cut as names were cut.
update game set name = '' where name = substr('Marrakech with ' || nullif(
    (select seat.name from seat where seat.game = game.id and seat.seat = 0), ''), 1, 80);
update game set name = '' where name = 'Marrakech with a former player' and exists
    (select 1 from seat join player on player.id = seat.player where seat.game = game.id and seat.seat = 0
        and player.email = 'gone-' || player.id || '@left.invalid');
-- A bot that was named after its level.
update seat set name = '' where name = bot
"""


def up(migrator: Any, db: Any) -> None:
    """Forget the names."""
    lines = [line for line in CHANGES.splitlines() if not line.startswith("--")]
    for statement in "\n".join(lines).split(";"):
        db.execute_sql(statement)
