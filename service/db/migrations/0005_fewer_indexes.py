"""Replace indexes that every action had to update with smaller ones."""

from typing import Any

from peewee import SqliteDatabase

CHANGES = """
drop index game_status_changed;
create index game_waiting on game (created) where status = 'waiting';
drop index seat_player_to_act
"""


def up(migrator: Any, db: Any) -> None:
    """Change the indexes, and keep a game's events beside each other."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
    if isinstance(db, SqliteDatabase):
        _keep_events_in_order(db)


EVENTS = """
create table event_in_order (
    game varchar(32) not null references game (id) on delete cascade,
    seq integer not null,
    at double precision not null,
    body text not null,
    actor integer,
    action text,
    last integer,
    stand_in boolean not null default false,
    primary key (game, seq)
) without rowid;
insert into event_in_order select game, seq, at, body, actor, action, last, stand_in from event order by game, seq;
drop table event;
alter table event_in_order rename to event
"""


def _keep_events_in_order(db: Any) -> None:
    """In SQLite a table without rowids is its own index: an event is written once and not twice."""
    for statement in EVENTS.split(";"):
        db.execute_sql(statement)
