"""The record of a message, so that it is handled once, and the letter that answers it.

The number of answers is limited: one for the same words, and a few a day.
"""

import enum
import hashlib
import hmac
import json
from typing import Final, NamedTuple

from service.auth.tokens import CHAT_TURN, ReplyLink
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Incoming, Player
from service.engine.json_reader import Json
from service.games.store import StoredGame
from service.i18n import marked
from service.mail.inbound.mime import Received

ANSWERS_A_DAY: Final = 10
_HELP: Final = "help"
DAY: Final = 24 * 3600.0
CHAT_REPEAT_SECONDS: Final = 15 * 60.0
"""In a chat, people may write the same thing twice a day."""
REMEMBERED_SECONDS: Final = 60 * DAY
"""How long a record is kept: longer than any mail server keeps trying to deliver a message."""

TWO_LETTERS: Final = marked("You replied to two e-mails at once. Please reply to just one of them.")
NOTHING_YET: Final = marked("Nothing has been played yet. Choose when you're ready.")
NOT_STARTED: Final = marked("The game hasn't started yet. It starts when every seat is taken.")
CALLED_OFF: Final = marked("This game was cancelled before it started.")
TURN_IS_OVER: Final = marked("That e-mail was about an earlier turn. Please reply to the newest one for this game.")
OF_NO_TURN: Final = marked("That e-mail wasn't about your turn, so we didn't play anything. Reply to this one to play.")
NOT_YOUR_TURN: Final = marked("It isn't your turn. We'll e-mail you when it is.")
GAME_IS_OVER: Final = marked("This game is over, so there's nothing left to play.")
SEAT_IS_KEPT: Final = marked("A stand-in is playing for you. To come back, reply with: I am back.")
WELCOME_BACK: Final = marked("Welcome back! Your seat is yours again.")
SEAT_IS_FIXED: Final = marked("That isn't possible any more. Open the game to see where it stands.")
TOO_LONG: Final = marked("A chat message can have at most 1,000 characters. Please send a shorter one.")
TOO_MANY: Final = marked("You've sent a lot of messages in a short time. Please try again later.")


class Result(enum.Enum):
    """The result of handling a message."""

    PLAYED = "played"
    POSTED = "posted"
    """It is in the chat."""
    REFUSED = "refused"
    HELPED = "helped"
    REPEATED = "repeated"
    """It was handled before."""
    DROPPED = "dropped"
    """A program wrote it."""
    BOUNCED = "bounced"
    """A letter of ours came back."""
    UNKNOWN = "unknown"
    """It was not sent to a valid address of ours."""


class Outcome(NamedTuple):
    """The result, and whether a letter answers the message."""

    result: Result
    answered: bool = False
    why: str = ""


class Reply(NamedTuple):
    """A message from a player about a seat."""

    ctx: AppContext
    mail: Received
    link: ReplyLink
    token: str
    """The token of the reply address."""
    game: StoredGame
    player: Player

    @property
    def key(self) -> str:
        """A key that is the same if the same message comes again, by whatever way, and different for any other."""
        return message_key(self.token, self.mail)


def message_key(token: str, mail: Received) -> str:
    """A key for a message about the seat and turn of a token."""
    return _hash(token, mail.message_id or mail.date, mail.words)


def record(reply: Reply) -> bool:
    """Record that the message came, and delete old records; False if it came before, with this id or another."""
    database, now = reply.ctx.database, reply.ctx.clock()
    Incoming.delete().where(Incoming.at < now - REMEMBERED_SECONDS).execute(database)
    row = {"key": reply.key, "at": now, "sender": _sender_hash(reply), "outcome": Result.REPEATED.value}
    made: int = Incoming.insert(**row).on_conflict_ignore().as_rowcount().execute(database)
    return made == 1 and not _is_resent(reply, reply.mail.words)


def record_outcome(reply: Reply, outcome: Outcome) -> None:
    """Record the result of the message."""
    words = _HELP if outcome.result is Result.HELPED else reply.mail.words
    content = _content(reply, words, played=outcome.result is Result.PLAYED)
    changes = {"outcome": outcome.result.value, "answered": outcome.answered, "content": content}
    Incoming.update(**changes).where(Incoming.key == reply.key).execute(reply.ctx.database)


def _is_resent(reply: Reply, words: str) -> bool:
    """Whether the same words about the same turn came within a day: some programs send them again with another id.

    A refused choice or a request for help is read again as soon as something has happened in the game.
    """
    contents = [_content(reply, words, played=played) for played in (True, False)]
    seconds = CHAT_REPEAT_SECONDS if reply.link.turn == CHAT_TURN else DAY
    lately = Incoming.content.in_(contents) & (Incoming.at > reply.ctx.clock() - seconds)
    return bool(Incoming.select().where(lately).exists(reply.ctx.database))


def _content(reply: Reply, words: str, *, played: bool) -> str:
    return _hash(reply.token, words, "" if played else str(reply.game.head))


def _hash(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _sender_hash(reply: Reply) -> str:
    """The sender for counting answers: the player of the token, because anybody can write anything into `From`."""
    name = f"incoming/{reply.player.id}"
    return hmac.new(reply.ctx.settings.secret_keys[0].encode(), name.encode(), hashlib.sha256).hexdigest()


def refuse(reply: Reply, why: str, understood: str = "", **details: object) -> Outcome:
    """Say why nothing was done, unless the player has already had the day's answers."""
    left = _count_answers_left(reply)
    if left == 0:
        return Outcome(Result.REFUSED, answered=False, why=why)
    _enqueue(reply, {"why": why, "understood": understood, "asked": False, "last": left == 1, **details})
    return Outcome(Result.REFUSED, answered=True, why=why)


def help_player(reply: Reply, why: str, understood: str) -> Outcome:
    """Send what the player can do now; once for each state of the game, and not counted."""
    if _is_resent(reply, _HELP):
        return Outcome(Result.REPEATED)
    return confirm(reply, Result.HELPED, why, understood)


def confirm(reply: Reply, result: Result, why: str, understood: str = "") -> Outcome:
    """Answer what the player asked for."""
    _enqueue(reply, {"why": why, "understood": understood, "asked": True})
    return Outcome(result, answered=True, why=why)


def report_rest(reply: Reply, details: Json) -> Outcome:
    """Say from where on a reply was not played."""
    _enqueue(reply, {"asked": False, **details})
    return Outcome(Result.PLAYED, answered=True, why=details["why"])


def _enqueue(reply: Reply, details: dict[str, object]) -> None:
    """Enqueue the answer, which goes to the player's own address only."""
    link = reply.link
    about = f"{link.game}/{link.seat}/answer/{reply.key[:32]}"
    replied = {"message_id": reply.mail.message_id, "subject": reply.mail.subject, "chat": link.turn == CHAT_TURN}
    text = json.dumps({**details, **replied})
    letter = NewLetter("answer", reply.player.email, about, link.game, link.seat, link.turn, text)
    enqueue_letters(reply.ctx.database, [letter], reply.ctx.clock())


def _count_answers_left(reply: Reply) -> int:
    database = reply.ctx.database
    # Locks the player's row, so that two answers at the same moment are counted one after the other.
    Player.update(mail_trouble=Player.mail_trouble).where(Player.id == reply.player.id).execute(database)
    lately = (
        (Incoming.sender == _sender_hash(reply))
        & (Incoming.answered == True)  # noqa: E712 - peewee makes SQL of it
        & (Incoming.outcome == Result.REFUSED.value)
        & (Incoming.at > reply.ctx.clock() - DAY)
    )
    count: int = Incoming.select().where(lately).count(database)
    return max(0, ANSWERS_A_DAY - count)
