"""When a player last had a game open, and other channels than mail."""

from typing import Any

CHANGES = """
alter table seat add column seen double precision;
create table channel (
    id varchar(16) not null primary key,
    player integer not null references player (id) on delete cascade,
    kind varchar(12) not null,
    address text not null,
    name varchar(80) not null,
    trouble text,
    created double precision not null
);
create index channel_player on channel (player);
alter table letter add column channel varchar(16)
"""


def up(migrator: Any, db: Any) -> None:
    """Add the columns and the table."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
