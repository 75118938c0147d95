"""The tables of the first version."""

from typing import Any

from peewee import SqliteDatabase

TABLES = """
create table player (
    id {auto},
    email varchar(254) not null unique,
    name varchar(80) not null,
    language varchar(16) not null,
    time_zone varchar(64) not null,
    mail text not null,
    away_until double precision,
    token_version integer not null,
    mail_trouble text,
    created double precision not null
);
create table game (
    id varchar(32) not null primary key,
    game varchar(32) not null,
    name varchar(80) not null,
    options text not null,
    pace integer,
    status varchar(16) not null,
    host integer not null references player (id) on delete restrict,
    seed varchar(64) not null,
    head integer not null,
    turn integer not null,
    state text,
    invitation_version integer not null,
    deadline double precision,
    created double precision not null,
    changed double precision not null
);
create index game_status_changed on game (status, changed);
create index game_host on game (host);
create table seat (
    game varchar(32) not null references game (id) on delete cascade,
    seat integer not null,
    player integer references player (id) on delete restrict,
    name varchar(80) not null,
    bot varchar(16),
    accepted boolean not null,
    to_act boolean not null,
    link_version integer not null,
    primary key (game, seat)
);
create index seat_player_game on seat (player, game);
create index seat_player_to_act on seat (player, to_act);
create table event (
    game varchar(32) not null references game (id) on delete cascade,
    seq integer not null,
    at double precision not null,
    body text not null,
    actor integer,
    action text,
    last integer,
    primary key (game, seq)
);
create table letter (
    id {auto},
    about varchar(160) not null unique,
    kind varchar(24) not null,
    game varchar(32) references game (id) on delete cascade,
    seat integer,
    turn integer,
    address varchar(254) not null,
    details text not null,
    status varchar(12) not null,
    due double precision not null,
    claimed_until double precision,
    tries integer not null,
    trouble text,
    created double precision not null,
    sent double precision
);
create index letter_status_due on letter (status, due);
create index letter_game on letter (game);
create table message (
    id {auto},
    game varchar(32) not null references game (id) on delete cascade,
    seat integer not null,
    text text not null,
    at double precision not null
);
create index message_game_id on message (game, id);
create table sign_in_code (
    id {auto},
    email varchar(254) not null,
    code_hash varchar(64) not null,
    link_hash varchar(64) not null,
    tries integer not null,
    used boolean not null,
    expires double precision not null
);
create index sign_in_code_email on sign_in_code (email);
create table rate_bucket (
    name varchar(128) not null primary key,
    level double precision not null,
    changed double precision not null
);
"""


def up(migrator: Any, db: Any) -> None:
    """Make the tables."""
    sqlite = isinstance(db, SqliteDatabase)
    auto = "integer not null primary key autoincrement" if sqlite else "serial primary key"
    for statement in TABLES.format(auto=auto).split(";"):
        if statement.strip():
            db.execute_sql(statement)
