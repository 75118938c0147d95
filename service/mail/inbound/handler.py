"""Handling a reply: every way by which mail comes in ends in `receive`.

A message is handled in one transaction: the record that it came, what it did in the game and the letter that answers it
are written together. Nothing in a message is trusted but the token of the address it was sent to.
"""

import enum
import hashlib
import hmac
import json
from typing import Final, NamedTuple

from service.auth.tokens import BadLink, ReplyLink
from service.clocks.requests import return_to_seat
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Incoming, Player
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.errors import NotFound, Problem
from service.games import lobby, play
from service.games.store import StoredGame, load
from service.games.views import game_view
from service.i18n import marked
from service.mail.inbound.commands import NOT_INVITED, NOT_LISTED, Command, ParseFailure, parse_reply
from service.mail.inbound.mime import Kind, Received, read_message

ANSWERS_A_DAY: Final = 10
_DAY: Final = 24 * 3600.0
REMEMBERED_SECONDS: Final = 60 * _DAY
"""How long a message is remembered: longer than any mail server keeps trying to deliver one."""

TWO_LETTERS: Final = marked("That was sent to the addresses of two letters at once; answer one of them alone.")
NOTHING_YET: Final = marked("Nothing was played; choose when you are ready.")
NOT_STARTED: Final = marked("The game has not started yet; it starts by itself when every seat is taken.")
CALLED_OFF: Final = marked("This table was called off before the game started.")
TURN_IS_OVER: Final = marked("The turn of that letter is over; answer the newest letter of the game.")
OF_NO_TURN: Final = marked(
    "That letter was about no turn, so that nothing is played by mistake; answer this one to play."
)
NOT_YOUR_TURN: Final = marked("The game waits for somebody else; you will get a letter when it is your turn.")
GAME_IS_OVER: Final = marked("The game is over and nothing can be done in it any more.")
SEAT_IS_KEPT: Final = marked("A stand-in keeps your seat; to come back, answer with one line: I am back.")
WELCOME_BACK: Final = marked("Welcome back: your seat is yours again.")
SEAT_IS_FIXED: Final = marked("That cannot be done with your seat; open the game to see how it stands.")


class Result(enum.Enum):
    """The result of handling a message."""

    PLAYED = "played"
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


class _Reply(NamedTuple):
    """A message from a player, sent to the address of a seat."""

    ctx: AppContext
    mail: Received
    link: ReplyLink
    key: str
    game: StoredGame
    player: Player


def receive(ctx: AppContext, raw: bytes, envelope_to: str | None = None) -> Outcome:
    """Do what the message asks for; `envelope_to` is the address it was delivered to, if that is known."""
    mail = read_message(raw, ctx.settings.inbound_domain, envelope_to)
    links = [link for token in mail.tokens if (link := find_link(ctx, token))]
    if mail.kind is Kind.AUTOMATIC:
        return Outcome(Result.DROPPED)
    if not links:
        return Outcome(Result.UNKNOWN)
    if mail.kind is Kind.BOUNCE:
        return _record_bounce(ctx, links[0], mail)
    with ctx.database.atomic():
        return _handle_message(ctx, mail, links)


def find_link(ctx: AppContext, token: str) -> ReplyLink | None:
    """The seat and turn of a token; None if it isn't ours, or the seat's links were replaced."""
    try:
        link = ctx.tokens.read_reply(token)
        game = load(ctx.database, link.game)
    except (BadLink, NotFound):
        return None
    return link if _is_valid(link, game) else None


def _is_valid(link: ReplyLink, game: StoredGame) -> bool:
    seat = game.seats[link.seat] if link.seat < len(game.seats) else None
    return seat is not None and seat.player is not None and seat.link_version == link.version


def _record_bounce(ctx: AppContext, link: ReplyLink, mail: Received) -> Outcome:
    """Record that letters don't reach a player; a letter that was only delayed is ignored.

    So is a bounce to the address of a turn that is over: old letters are quoted and forwarded, and anyone who sees such
    an address could forge a bounce.
    """
    game = load(ctx.database, link.game)
    if not mail.bounce_reason or link.turn != game.turn:
        return Outcome(Result.DROPPED)
    player = game.seats[link.seat].player
    with ctx.database.atomic():
        Player.update(mail_trouble=mail.bounce_reason).where(Player.id == player).execute(ctx.database)
    return Outcome(Result.BOUNCED)


def _handle_message(ctx: AppContext, mail: Received, links: list[ReplyLink]) -> Outcome:
    link = links[0]
    # Locks the game on both databases, so that what is read now stays true until the commit.
    Game.update(changed=Game.changed).where(Game.id == link.game).execute(ctx.database)
    game = load(ctx.database, link.game)
    if not _is_valid(link, game):
        return Outcome(Result.UNKNOWN)  # the seat has just been given up
    player = Player.select().where(Player.id == game.seats[link.seat].player).get(ctx.database)
    reply = _Reply(ctx, mail, link, _key(mail), game, player)
    if not _record(reply):
        return Outcome(Result.REPEATED)
    outcome = _refuse(reply, TWO_LETTERS) if len(links) > 1 else _handle(reply)
    said = {"outcome": outcome.result.value, "answered": outcome.answered}
    Incoming.update(**said).where(Incoming.key == reply.key).execute(ctx.database)
    return outcome


def _record(reply: _Reply) -> bool:
    """Record that the message came, and delete old records; False if it came before."""
    database, now = reply.ctx.database, reply.ctx.clock()
    Incoming.delete().where(Incoming.at < now - REMEMBERED_SECONDS).execute(database)
    row = {"key": reply.key, "at": now, "sender": _sender_hash(reply), "outcome": Result.REPEATED.value}
    made: int = Incoming.insert(**row).on_conflict_ignore().as_rowcount().execute(database)
    return made == 1


def _key(mail: Received) -> str:
    """A key that is the same if the same message comes again, by whatever way, and different for any other."""
    said = json.dumps([mail.tokens[0], mail.message_id or mail.date, mail.words])
    return hashlib.sha256(said.encode()).hexdigest()


def _sender_hash(reply: _Reply) -> str:
    """The sender for counting answers: the player of the token, because anybody can write anything into `From`."""
    name = f"incoming/{reply.player.id}"
    return hmac.new(reply.ctx.settings.secret_keys[0].encode(), name.encode(), hashlib.sha256).hexdigest()


def _handle(reply: _Reply) -> Outcome:
    game, link = reply.game, reply.link
    if game.status in {"cancelled", "expired"}:
        return _refuse(reply, CALLED_OFF)
    view = game_view(reply.ctx, game, link.seat)
    if link.turn != game.turn:
        view["legal"] = []  # a letter plays only its own turn
    kept = game.status == "playing" and game.seats[link.seat].played_by_stand_in
    command = parse_reply(
        reply.mail.words, game.ui, view, reply.player.language, offered=game.status == "waiting", kept=kept
    )
    if isinstance(command, ParseFailure):
        why = command.why if view["legal"] or command.why == NOT_INVITED else _obstacle(reply) or command.why
        return _refuse(reply, why, command.understood)
    if command.do == "help":
        return _answer(reply, Result.HELPED, _obstacle(reply) or NOTHING_YET, command.understood, asked=True)
    if command.do == "back":
        return _return_to_seat(reply)
    try:
        return _perform(reply, command)
    except GameOver:
        return _refuse(reply, GAME_IS_OVER, command.understood)
    except (Problem, IllegalAction, Malformed):
        why = _obstacle(reply) or NOT_LISTED if command.do == "act" else SEAT_IS_FIXED
        return _refuse(reply, why, command.understood)


def _obstacle(reply: _Reply) -> str:
    """Why a reply to this letter can't play anything now; empty if it can."""
    game = reply.game
    if game.status == "waiting":
        return NOT_STARTED if game.seats[reply.link.seat].accepted else ""
    if game.status == "finished":
        return GAME_IS_OVER
    to_act = reply.link.seat in game.rules.to_act(game.state)
    if game.seats[reply.link.seat].played_by_stand_in and not to_act:
        return SEAT_IS_KEPT
    if reply.link.turn not in {0, game.turn}:
        return TURN_IS_OVER
    if not to_act:
        return NOT_YOUR_TURN
    return "" if reply.link.turn else OF_NO_TURN


def _return_to_seat(reply: _Reply) -> Outcome:
    """Give the seat back to the player; if it's their turn, the turn letter says so, otherwise an answer."""
    game = return_to_seat(reply.ctx, reply.game.id, reply.link.seat)
    if reply.link.seat in game.rules.to_act(game.state):
        return Outcome(Result.PLAYED)
    return _answer(reply, Result.PLAYED, WELCOME_BACK, "", asked=True)


def _perform(reply: _Reply, command: Command) -> Outcome:
    ctx, link, game = reply.ctx, reply.link, reply.game
    match command.do:
        case "accept":
            lobby.accept(ctx, game.id, link.seat, reply.player.id)
        case "decline":
            lobby.decline(ctx, game.id, link.seat, reply.player.id)
        case _:
            # The salt comes from the message, so that the same message again is the same action.
            after = play.act(ctx, game.id, link.seat, game.head, command.action or {}, reply.key[:32], link.turn).game
            enqueue_letters(ctx.database, _next_step(after, link), ctx.clock())
    return Outcome(Result.PLAYED)


def _next_step(after: StoredGame, link: ReplyLink) -> list[NewLetter]:
    """The letter that asks the same player for the rest of the turn, because they have no page in front of them."""
    seat = after.seats[link.seat]
    goes_on = after.status == "playing" and after.turn == link.turn and link.seat in after.rules.to_act(after.state)
    if not goes_on or seat.address is None:
        return []
    about = f"{after.id}/{link.seat}/{link.turn}/roll"
    return [NewLetter("roll", seat.address, about, after.id, link.seat, link.turn)]


def _refuse(reply: _Reply, why: str, understood: str = "") -> Outcome:
    return _answer(reply, Result.REFUSED, why, understood, asked=False)


def _answer(reply: _Reply, result: Result, why: str, understood: str, *, asked: bool) -> Outcome:
    """Answer by a letter to the player's own address, unless they have had the day's maximum of answers."""
    if not _may_answer(reply):
        return Outcome(result, answered=False, why=why)
    details = {
        "why": why,
        "understood": understood,
        "asked": asked,
        "message_id": reply.mail.message_id,
        "subject": reply.mail.subject,
    }
    link = reply.link
    about = f"{link.game}/{link.seat}/answer/{reply.key[:32]}"
    letter = NewLetter("answer", reply.player.email, about, link.game, link.seat, link.turn, json.dumps(details))
    enqueue_letters(reply.ctx.database, [letter], reply.ctx.clock())
    return Outcome(result, answered=True, why=why)


def _may_answer(reply: _Reply) -> bool:
    database = reply.ctx.database
    # Locks the player's row, so that two answers at the same moment are counted one after the other.
    Player.update(mail_trouble=Player.mail_trouble).where(Player.id == reply.player.id).execute(database)
    lately = (
        (Incoming.sender == _sender_hash(reply))
        & (Incoming.answered == True)  # noqa: E712 - peewee makes SQL of it
        & (Incoming.at > reply.ctx.clock() - _DAY)
    )
    count: int = Incoming.select().where(lately).count(database)
    return count < ANSWERS_A_DAY
