"""Clocks: what counts as a player's time, how far each turn's clock is, who has asked for what, and stand-ins."""

import time
from typing import Any

CHANGES = """
alter table player add column away_from double precision;
alter table player add column quiet varchar(11);
alter table player add column days_off varchar(64) not null default '';
-- Absences had no start and stopped no clock so far. Players who are still away can enter it again.
update player set away_until = null;
alter table game add column time_up varchar(16) not null default 'stand-in';
alter table seat add column stood_in integer not null default 0;
alter table event add column stand_in boolean not null default false;
create table turn_clock (
    game varchar(32) not null primary key references game (id) on delete cascade,
    turn integer not null,
    allowed double precision not null,
    spent double precision not null,
    since double precision not null,
    leeway double precision not null,
    told integer not null,
    alarm double precision
);
create index turn_clock_alarm on turn_clock (alarm);
-- So far nobody's time was ever up, so nobody had to hurry: every turn that is on has its whole time from now on.
update game set deadline = {now} + pace where status = 'playing' and pace is not null;
insert into turn_clock (game, turn, allowed, spent, since, leeway, told, alarm)
    select id, turn, pace, 0, {now}, 604800, 0, {now} + pace * 0.5 from game
    where status = 'playing' and pace is not null;
create table consent (
    game varchar(32) not null references game (id) on delete cascade,
    seat integer not null,
    what varchar(16) not null,
    turn integer not null,
    seconds integer,
    at double precision not null,
    primary key (game, seat, what)
);
create table away_year (
    player integer not null references player (id) on delete cascade,
    year integer not null,
    seconds double precision not null,
    primary key (player, year)
);
"""


def up(migrator: Any, db: Any) -> None:
    """Make the changes."""
    changes = CHANGES.format(now=time.time())
    lines = [line for line in changes.splitlines() if not line.startswith("--")]
    for statement in "\n".join(lines).split(";"):
        if statement.strip():
            db.execute_sql(statement)
