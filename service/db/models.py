"""The tables. Models are not bound to a database: every query names the one it runs on.

Times are seconds since 1970. JSON is stored as text.
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
LONGEST_INVITATION: Final = 500
LONGEST_PATH: Final = 512


class Player(Model):
    """A person, identified by an e-mail address in lower case."""

    id = AutoField()
    email = CharField(LONGEST_ADDRESS, unique=True)
    name = CharField(LONGEST_NAME, default="")
    language = CharField(16, default="en")
    time_zone = CharField(64, default="UTC")
    mail = TextField(default="{}")
    away_until = DoubleField(null=True)
    away_from = DoubleField(null=True)
    """The start of the absence; set whenever `away_until` is."""
    quiet = CharField(11, null=True)
    """Hours that do not count, in the player's time zone: 22:00-08:00."""
    days_off = CharField(64, default="")
    """Days of the week that do not count: saturday,sunday."""
    token_version = IntegerField(default=0)
    """Increased when the player signs out everywhere; tokens of an older version are refused."""
    mail_trouble = TextField(null=True)
    """Why this address gets no letters: the mail server's error when it was found not to work."""
    rejections = IntegerField(default=0)
    """How many letters in a row were rejected, see `service.mail.refusals`."""
    bounced = DoubleField(null=True)
    """When a letter last came back."""
    hidden = BooleanField(default=False)
    """Whether the page of the group doesn't list the player."""
    created = DoubleField()

    class Meta:
        table_name = "player"


class Game(Model):
    """A game, from the invitations to its end."""

    id = CharField(32, primary_key=True)
    game = CharField(32)
    name = CharField(LONGEST_NAME)
    """Empty if the host gave none, see `service.games.names`."""
    message = CharField(LONGEST_INVITATION, default="")
    """What the host writes to the people who are invited."""
    options = TextField()
    pace = IntegerField(null=True)
    """Seconds for each turn; null: no time limit."""
    time_up = CharField(16, default="stand-in")
    """What happens when a turn's time is up: a `stand-in` plays, or the players `wait` and vote."""
    status = CharField(16)
    host = ForeignKeyField(Player, column_name="host", on_delete="RESTRICT")
    seed = CharField(64)
    head = IntegerField(default=0)
    turn = IntegerField(default=0)
    state = TextField(null=True)
    """The snapshot at `head`, as JSON: the result of applying all events."""
    to_act = IntegerField(default=0)
    """The seats to act, one bit each, so that lists can be filtered without reading the state."""
    invitation_version = IntegerField(default=0)
    deadline = DoubleField(null=True)
    rematch = CharField(32, null=True, unique=True)
    """The id of its rematch. Not a foreign key, because a backup may contain the rematch after this row."""
    high_scores = TextField(null=True)
    """What `GameUi.high_scores` says of the finished game, as JSON; null until the worker has computed it."""
    created = DoubleField()
    changed = DoubleField()

    class Meta:
        table_name = "game"


class Seat(Model):
    """One seat of a game: an invited or accepted player, an open seat, or a bot."""

    game = ForeignKeyField(Game, column_name="game", on_delete="CASCADE")
    seat = IntegerField()
    player = ForeignKeyField(Player, column_name="player", null=True, on_delete="RESTRICT")
    name = CharField(LONGEST_NAME, default="")
    bot = CharField(16, null=True)
    accepted = BooleanField(default=False)
    link_version = IntegerField(default=0)
    stood_in = IntegerField(default=0)
    """How many turns in a row a stand-in played; see `service.games.store.STAND_IN_AFTER`."""
    seen = DoubleField(null=True)
    """When the player last had the game open, see `service.games.presence`."""

    class Meta:
        table_name = "seat"
        primary_key = CompositeKey("game", "seat")
        indexes = ((("player", "game"), False),)


IS_TO_ACT: Final[Any] = Expression(Expression(Game.to_act, ">>", Seat.seat), "&", 1) == 1
"""Whether the seat is to act."""
HOST_SEAT: Final[Any] = Seat.alias("host_seat")
"""The host's seat, which is the first: an unnamed game is named after its host."""
OF_HOST: Final[Any] = (HOST_SEAT.game == Game.id) & (HOST_SEAT.seat == 0)
HOST_NAME: Final[Any] = HOST_SEAT.name.alias("host_name")


class Event(Model):
    """One event of a game. The first event of an action also stores the action, its seat and its last event."""

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
    """The clock of the current turn of a game with a pace, in seconds."""

    game = ForeignKeyField(Game, column_name="game", primary_key=True, on_delete="CASCADE")
    turn = IntegerField()
    allowed = DoubleField()
    spent = DoubleField()
    """The time spent up to `since`; after that, the players' current calendars apply."""
    since = DoubleField()
    leeway = DoubleField()
    """By how much changes of quiet hours, days off and zone can still postpone the deadline."""
    notified = IntegerField(column_name="told")
    """The last letter about this clock: 1 first reminder, 2 last reminder, 3 time is up."""
    alarm = DoubleField(null=True, index=True)
    """When the worker has to look at this clock next; null: not before a player acts."""

    class Meta:
        table_name = "turn_clock"


class Consent(Model):
    """A seat's vote for a pause, more time or a stand-in; the latter two are for one turn."""

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
    """How long a player was away in a year, not counting a current absence."""

    player = ForeignKeyField(Player, column_name="player", on_delete="CASCADE", index=False)
    year = IntegerField()
    seconds = DoubleField()

    class Meta:
        table_name = "away_year"
        primary_key = CompositeKey("player", "year")


class Channel(Model):
    """Where a player gets messages besides mail. Its id is random: SQLite uses a number again that is free."""

    id = CharField(16, primary_key=True)
    player = ForeignKeyField(Player, column_name="player", on_delete="CASCADE")
    kind = CharField(12)
    """`push` for a browser, `apprise` for a service."""
    address = TextField()
    """The browser's subscription as JSON, or the service's URL. Both are secrets."""
    name = CharField(LONGEST_NAME)
    trouble = TextField(null=True)
    """Why the last message could not be delivered."""
    created = DoubleField()

    class Meta:
        table_name = "channel"


class ServerKey(Model):
    """A key that all processes of this server share."""

    name = CharField(16, primary_key=True)
    value = TextField()

    class Meta:
        table_name = "server_key"


class Letter(Model):
    """A letter in the outbox. Two with the same content for the same person have the same `about`."""

    id = AutoField()
    about = CharField(160, unique=True)
    kind = CharField(24)
    game = ForeignKeyField(Game, column_name="game", null=True, on_delete="CASCADE")
    seat = IntegerField(null=True)
    turn = IntegerField(null=True)
    address = CharField(LONGEST_ADDRESS)
    channel = CharField(16, null=True)
    """The id of the player's channel that it is for, which may be gone by now; null: it is sent by mail."""
    details = TextField(default="{}")
    status = CharField(12, default="waiting")
    due = DoubleField()
    claim = CharField(32, null=True)
    """Identifies the worker that is sending the letter; only that worker may update its status."""
    claimed_until = DoubleField(null=True)
    tries = IntegerField(default=0)
    rejections = IntegerField(default=0)
    """How often a full mailbox or a spam filter rejected it."""
    trouble = TextField(null=True)
    created = DoubleField()
    sent = DoubleField(null=True)
    message_hash = CharField(64, null=True, index=True)
    """The SHA-256 of its Message-ID, by which a reply is recognised whose sender ignored `Reply-To`."""
    reply_turn = IntegerField(null=True)
    """The turn that a reply plays, as in the token of its `Reply-To`."""
    reply_version = IntegerField(null=True)
    """The seat's link version in that token."""

    class Meta:
        table_name = "letter"
        indexes = ((("status", "due"), False),)


class Message(Model):
    """A message in a game's chat."""

    id = AutoField()
    game = ForeignKeyField(Game, column_name="game", on_delete="CASCADE", index=False)
    seat = IntegerField()
    text = TextField()
    at = DoubleField()

    class Meta:
        table_name = "message"
        indexes = ((("game", "id"), False),)


class GameAnalysis(Model):
    """The analysis of a finished game, see `service.games.analysis`."""

    game = ForeignKeyField(Game, column_name="game", primary_key=True, on_delete="CASCADE")
    version = IntegerField(default=0)
    """The version of the evaluation with which a worker last began to compute it; 0: none has yet."""
    body = TextField(null=True)
    """The newest analysis as JSON, perhaps of an earlier version; null: there is none."""
    seats = TextField(null=True)
    """Its figures by seat as JSON, which the page of the group reads for all games at once."""
    tries = IntegerField(default=0)
    due = DoubleField(null=True)
    """When a worker should compute it. While one does: when it is taken for dead. Null: nothing is to be done."""

    class Meta:
        table_name = "analysis"


class SignInCode(Model):
    """A request for a login code. The code and the link follow from the nonce and the secret key, see `auth.login`."""

    id = AutoField()
    email = CharField(LONGEST_ADDRESS, index=True)
    nonce = CharField(32)
    browser = CharField(64, null=True)
    """The hash of a cookie of the browser that asked for the code; null: a program asked through the API."""
    next_path = CharField(LONGEST_PATH, default="")
    """The page that the browser wanted to open; the link in the letter leads there."""
    used = BooleanField(default=False)
    expires = DoubleField()

    class Meta:
        table_name = "sign_in_code"


class RateBucket(Model):
    """How full the bucket of a rate limit is."""

    name = CharField(128, primary_key=True)
    level = DoubleField()
    changed = DoubleField()

    class Meta:
        table_name = "rate_bucket"


class Incoming(Model):
    """A mail reply that was handled, so that it isn't handled twice; the sender is stored as a keyed hash."""

    key = CharField(64, primary_key=True)
    at = DoubleField(index=True)
    sender = CharField(64)
    outcome = CharField(12)
    answered = BooleanField(default=False)
    content = CharField(64, null=True, index=True)
    """A hash of its words and of what they were about: some programs send a message again with another id."""

    class Meta:
        table_name = "incoming"
        indexes = ((("sender", "at"), False),)


class WorkerBeat(Model):
    """The last heartbeat of a worker."""

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
    Channel,
    ServerKey,
    Letter,
    Message,
    GameAnalysis,
    SignInCode,
    RateBucket,
    Incoming,
    WorkerBeat,
)
