"""The tables. A model is bound to no database: every query says where it runs, so that one process can serve several.

Times are seconds since 1970 in UTC; JSON is text that only the store and the engine look into.
"""

from typing import Any, Final

from peewee import (
    AutoField,
    BooleanField,
    CharField,
    CompositeKey,
    DoubleField,
    Expression,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

LONGEST_ADDRESS: Final = 254
LONGEST_NAME: Final = 80
LONGEST_MESSAGE: Final = 1000


class Player(Model):
    """A person: an e-mail address, kept in lower case."""

    id = AutoField()
    email = CharField(LONGEST_ADDRESS, unique=True)
    name = CharField(LONGEST_NAME, default="")
    language = CharField(16, default="en")
    time_zone = CharField(64, default="UTC")
    mail = TextField(default="{}")
    away_until = DoubleField(null=True)
    away_from = DoubleField(null=True)
    """Since when the player is away; there whenever `away_until` is."""
    quiet = CharField(11, null=True)
    """Hours that do not count, by the clocks of the player's zone: 22:00-08:00."""
    days_off = CharField(64, default="")
    """Days of the week that do not count: saturday,sunday."""
    token_version = IntegerField(default=0)
    """Goes up when the player signs out everywhere; tokens of an older version are refused."""
    mail_trouble = TextField(null=True)
    """What the mail server said when it refused this address for good."""
    created = DoubleField()

    class Meta:
        table_name = "player"


class Game(Model):
    """A table, from its invitation to its end."""

    id = CharField(32, primary_key=True)
    game = CharField(32)
    name = CharField(LONGEST_NAME)
    """Empty where nobody has given one, see `service.games.names`."""
    options = TextField()
    pace = IntegerField(null=True)
    """Seconds for a turn; null: no clock."""
    time_up = CharField(16, default="stand-in")
    """What happens when a turn's time is up: `stand-in` plays it, or the table is to `wait`."""
    status = CharField(16)
    host = ForeignKeyField(Player, column_name="host", on_delete="RESTRICT")
    seed = CharField(64)
    head = IntegerField(default=0)
    turn = IntegerField(default=0)
    state = TextField(null=True)
    """The snapshot at `head`: what folding the events gives."""
    to_act = IntegerField(default=0)
    """The seats that the game waits for, a bit for each: beside the state, so that lists need not look into it."""
    invitation_version = IntegerField(default=0)
    deadline = DoubleField(null=True)
    created = DoubleField()
    changed = DoubleField()

    class Meta:
        table_name = "game"


class Seat(Model):
    """One seat of a table: a person who is asked or has accepted, an open seat, or a bot."""

    game = ForeignKeyField(Game, column_name="game", on_delete="CASCADE")
    seat = IntegerField()
    player = ForeignKeyField(Player, column_name="player", null=True, on_delete="RESTRICT")
    name = CharField(LONGEST_NAME, default="")
    bot = CharField(16, null=True)
    accepted = BooleanField(default=False)
    link_version = IntegerField(default=0)
    stood_in = IntegerField(default=0)
    """How many turns in a row somebody stood in; from the second on the stand-in keeps the seat."""

    class Meta:
        table_name = "seat"
        primary_key = CompositeKey("game", "seat")
        indexes = ((("player", "game"), False),)


IS_TO_ACT: Final[Any] = Expression(Expression(Game.to_act, ">>", Seat.seat), "&", 1) == 1
"""Whether the game waits for the seat."""
HOST_SEAT: Final[Any] = Seat.alias("host_seat")
"""The first seat of a table, in which its host sits: a table that nobody has named is called after the host."""
OF_HOST: Final[Any] = (HOST_SEAT.game == Game.id) & (HOST_SEAT.seat == 0)
HOST_NAME: Final[Any] = HOST_SEAT.name.alias("host_name")


class Event(Model):
    """One event of a game. The first event of an action also says whose action it was and how far its events go."""

    game = ForeignKeyField(Game, column_name="game", on_delete="CASCADE", index=False)
    seq = IntegerField()
    at = DoubleField()
    body = TextField()
    actor = IntegerField(null=True)
    action = TextField(null=True)
    last = IntegerField(null=True)
    seen_head = IntegerField(null=True)
    """The head that the action's sender had seen; null in older rows, where it is `seq - 1`."""
    stand_in = BooleanField(default=False)
    """Whether a stand-in played."""

    class Meta:
        table_name = "event"
        primary_key = CompositeKey("game", "seq")


class ClockRow(Model):
    """The clock of the turn that is on, at a table that has a pace; times that count are in seconds."""

    game = ForeignKeyField(Game, column_name="game", primary_key=True, on_delete="CASCADE")
    turn = IntegerField()
    allowed = DoubleField()
    spent = DoubleField()
    """What had counted up to `since`; from there on the calendars that hold now count."""
    since = DoubleField()
    leeway = DoubleField()
    """By how much changes of quiet hours, days off and zone can still put the deadline off."""
    told = IntegerField()
    """How far the player was told: 1 half of the time is over, 2 most of it, 3 all of it."""
    alarm = DoubleField(null=True, index=True)
    """When there is next something to do about this clock; null: nothing before somebody acts."""

    class Meta:
        table_name = "turn_clock"


class Consent(Model):
    """What somebody at a table has asked for or agreed to; more time and a stand-in are for one turn."""

    game = ForeignKeyField(Game, column_name="game", on_delete="CASCADE", index=False)
    seat = IntegerField()
    what = CharField(16)
    turn = IntegerField()
    seconds = IntegerField(null=True)
    at = DoubleField()

    class Meta:
        table_name = "consent"
        primary_key = CompositeKey("game", "seat", "what")


class AwayYear(Model):
    """How long a player was away in a year, the time that he is away now not counted yet."""

    player = ForeignKeyField(Player, column_name="player", on_delete="CASCADE", index=False)
    year = IntegerField()
    seconds = DoubleField()

    class Meta:
        table_name = "away_year"
        primary_key = CompositeKey("player", "year")


class Letter(Model):
    """A letter that is to be sent, or was. Two that tell the same to the same person have the same `about`."""

    id = AutoField()
    about = CharField(160, unique=True)
    kind = CharField(24)
    game = ForeignKeyField(Game, column_name="game", null=True, on_delete="CASCADE")
    seat = IntegerField(null=True)
    turn = IntegerField(null=True)
    address = CharField(LONGEST_ADDRESS)
    details = TextField(default="{}")
    status = CharField(12, default="waiting")
    due = DoubleField()
    claim = CharField(32, null=True)
    """The mark of the worker that is sending the letter now; only who holds it may say what became of the letter."""
    claimed_until = DoubleField(null=True)
    tries = IntegerField(default=0)
    trouble = TextField(null=True)
    created = DoubleField()
    sent = DoubleField(null=True)

    class Meta:
        table_name = "letter"
        indexes = ((("status", "due"), False),)


class Message(Model):
    """A line of the table's talk."""

    id = AutoField()
    game = ForeignKeyField(Game, column_name="game", on_delete="CASCADE", index=False)
    seat = IntegerField()
    text = TextField()
    at = DoubleField()

    class Meta:
        table_name = "message"
        indexes = ((("game", "id"), False),)


class SignInCode(Model):
    """A code that was mailed to an address; only its hash is kept."""

    id = AutoField()
    email = CharField(LONGEST_ADDRESS, index=True)
    code_hash = CharField(64)
    link_hash = CharField(64)
    tries = IntegerField(default=0)
    used = BooleanField(default=False)
    expires = DoubleField()

    class Meta:
        table_name = "sign_in_code"


class RateBucket(Model):
    """How much of a rate limit is used up."""

    name = CharField(128, primary_key=True)
    level = DoubleField()
    changed = DoubleField()

    class Meta:
        table_name = "rate_bucket"


class Incoming(Model):
    """A reply by mail that was dealt with, and so is not again; its sender is a keyed hash, its words are not kept."""

    key = CharField(64, primary_key=True)
    at = DoubleField(index=True)
    sender = CharField(64)
    outcome = CharField(12)
    answered = BooleanField(default=False)

    class Meta:
        table_name = "incoming"
        indexes = ((("sender", "at"), False),)


class WorkerBeat(Model):
    """When a worker was last at work."""

    worker = CharField(32, primary_key=True)
    at = DoubleField()

    class Meta:
        table_name = "worker_beat"


MODELS: Final[tuple[Any, ...]] = (
    Player,
    Game,
    Seat,
    Event,
    ClockRow,
    Consent,
    AwayYear,
    Letter,
    Message,
    SignInCode,
    RateBucket,
    Incoming,
    WorkerBeat,
)
