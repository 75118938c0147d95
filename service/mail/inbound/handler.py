"""From a message to what came of it: every way in ends in `receive`.

A message is dealt with in one transaction: the note that it came, what it did at the table and the letter that answers
it are all there or none is. Nothing in it is trusted but the token of the address it was sent to.
"""

import enum
import hashlib
import hmac
import json
from typing import Final, NamedTuple

from service.auth.tokens import BadLink, ReplyLink
from service.clocks.requests import come_back
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import Game, Incoming, Player
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.errors import NotFound, Problem
from service.games import lobby, play
from service.games.store import load
from service.games.stored import StoredGame
from service.games.views import game_view
from service.i18n import marked
from service.mail.inbound.commands import NOT_INVITED, NOT_LISTED, ParseFailure, Wish, parse_reply
from service.mail.inbound.reading import Kind, Received, read_message

ANSWERS_A_DAY: Final = 10
_DAY: Final = 24 * 3600.0
KEPT: Final = 60 * _DAY
"""For how long a message is remembered: longer than any mail server goes on trying to deliver one."""

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
    """What became of a message."""

    PLAYED = "played"
    REFUSED = "refused"
    HELPED = "helped"
    REPEATED = "repeated"
    """It was dealt with before."""
    DROPPED = "dropped"
    """A program wrote it."""
    BOUNCED = "bounced"
    """A letter of ours came back."""
    UNKNOWN = "unknown"
    """It was sent to no address that is good here."""


class Outcome(NamedTuple):
    """What became of a message, and whether a letter answers it."""

    result: Result
    answered: bool = False
    why: str = ""


class _Case(NamedTuple):
    """A message of somebody who may speak for a seat."""

    ctx: AppContext
    mail: Received
    link: ReplyLink
    key: str
    game: StoredGame
    player: Player


def receive(ctx: AppContext, raw: bytes, envelope_to: str | None = None) -> Outcome:
    """Do what the message asks for; `envelope_to` is the address it was delivered to, where that is known."""
    mail = read_message(raw, ctx.settings.inbound_domain, envelope_to)
    links = [link for token in mail.tokens if (link := link_of(ctx, token))]
    if mail.kind is Kind.AUTOMATIC:
        return Outcome(Result.DROPPED)
    if not links:
        return Outcome(Result.UNKNOWN)
    if mail.kind is Kind.BOUNCE:
        return _flag(ctx, links[0], mail)
    with ctx.database.atomic():
        return _deal_with(ctx, mail, links)


def link_of(ctx: AppContext, token: str) -> ReplyLink | None:
    """Which turn of which seat the token plays; None where it is not ours, or its seat's links were replaced."""
    try:
        link = ctx.links.read_reply(token)
        game = load(ctx.database, link.game)
    except (BadLink, NotFound):
        return None
    return link if _is_good(link, game) else None


def _is_good(link: ReplyLink, game: StoredGame) -> bool:
    seat = game.seats[link.seat] if link.seat < len(game.seats) else None
    return seat is not None and seat.player is not None and seat.link_version == link.version


def _flag(ctx: AppContext, link: ReplyLink, mail: Received) -> Outcome:
    """Note that letters do not reach a player; one that was only delayed says nothing."""
    if not mail.trouble:
        return Outcome(Result.DROPPED)
    player = load(ctx.database, link.game).seats[link.seat].player
    with ctx.database.atomic():
        Player.update(mail_trouble=mail.trouble).where(Player.id == player).execute(ctx.database)
    return Outcome(Result.BOUNCED)


def _deal_with(ctx: AppContext, mail: Received, links: list[ReplyLink]) -> Outcome:
    link = links[0]
    # Writing to the row makes everybody else who acts in this game wait on both databases, so what is read now holds.
    Game.update(changed=Game.changed).where(Game.id == link.game).execute(ctx.database)
    game = load(ctx.database, link.game)
    if not _is_good(link, game):
        return Outcome(Result.UNKNOWN)  # the seat was given up a moment ago
    player = Player.select().where(Player.id == game.seats[link.seat].player).get(ctx.database)
    case = _Case(ctx, mail, link, _key(mail), game, player)
    if not _note(case):
        return Outcome(Result.REPEATED)
    outcome = _refused(case, TWO_LETTERS) if len(links) > 1 else _done(case)
    said = {"outcome": outcome.result.value, "answered": outcome.answered}
    Incoming.update(**said).where(Incoming.key == case.key).execute(ctx.database)
    return outcome


def _note(case: _Case) -> bool:
    """Note that the message came, and forget those of long ago; False where it was noted before."""
    database, now = case.ctx.database, case.ctx.clock()
    Incoming.delete().where(Incoming.at < now - KEPT).execute(database)
    row = {"key": case.key, "at": now, "sender": _sender(case), "outcome": Result.REPEATED.value}
    made: int = Incoming.insert(**row).on_conflict_ignore().as_rowcount().execute(database)
    return made == 1


def _key(mail: Received) -> str:
    """What is the same when the same message comes again, by whatever way, and differs between any two others."""
    said = json.dumps([mail.tokens[0], mail.message_id or mail.date, mail.words])
    return hashlib.sha256(said.encode()).hexdigest()


def _sender(case: _Case) -> str:
    """Who is counted as the sender: the one whose token it is, for anybody can write anything after `From`."""
    name = f"incoming/{case.player.id}"
    return hmac.new(case.ctx.settings.secret_keys[0].encode(), name.encode(), hashlib.sha256).hexdigest()


def _done(case: _Case) -> Outcome:
    game, link = case.game, case.link
    if game.status in {"cancelled", "expired"}:
        return _refused(case, CALLED_OFF)
    view = game_view(case.ctx, game, link.seat)
    if link.turn != game.turn:
        view["legal"] = []  # a letter plays its own turn only
    kept = game.status == "playing" and game.seats[link.seat].played_by_stand_in
    wish = parse_reply(
        case.mail.words, game.ui, view, case.player.language, offered=game.status == "waiting", kept=kept
    )
    if isinstance(wish, ParseFailure):
        why = wish.why if view["legal"] or wish.why == NOT_INVITED else _hindrance(case) or wish.why
        return _refused(case, why, wish.understood)
    if wish.do == "help":
        return _answered(case, Result.HELPED, _hindrance(case) or NOTHING_YET, wish.understood, asked=True)
    if wish.do == "back":
        return _welcomed(case)
    try:
        return _played(case, wish)
    except GameOver:
        return _refused(case, GAME_IS_OVER, wish.understood)
    except (Problem, IllegalAction, Malformed):
        why = _hindrance(case) or NOT_LISTED if wish.do == "act" else SEAT_IS_FIXED
        return _refused(case, why, wish.understood)


def _hindrance(case: _Case) -> str:
    """Why this letter cannot play anything now, where it cannot."""
    game = case.game
    if game.status == "waiting":
        return NOT_STARTED if game.seats[case.link.seat].accepted else ""
    if game.status == "finished":
        return GAME_IS_OVER
    to_act = case.link.seat in game.rules.to_act(game.state)
    if game.seats[case.link.seat].played_by_stand_in and not to_act:
        return SEAT_IS_KEPT
    if case.link.turn not in {0, game.turn}:
        return TURN_IS_OVER
    if not to_act:
        return NOT_YOUR_TURN
    return "" if case.link.turn else OF_NO_TURN


def _welcomed(case: _Case) -> Outcome:
    """Give the seat back; where the game waits for it, the letter about the turn says so, and otherwise an answer."""
    game = come_back(case.ctx, case.game.id, case.link.seat)
    if case.link.seat in game.rules.to_act(game.state):
        return Outcome(Result.PLAYED)
    return _answered(case, Result.PLAYED, WELCOME_BACK, "", asked=True)


def _played(case: _Case, wish: Wish) -> Outcome:
    ctx, link, game = case.ctx, case.link, case.game
    match wish.do:
        case "accept":
            lobby.accept(ctx, game.id, link.seat, case.player.id)
        case "decline":
            lobby.decline(ctx, game.id, link.seat, case.player.id)
        case _:
            # The salt comes from the message, so that the same message again is the same action.
            after = play.act(ctx, game.id, link.seat, game.head, wish.action or {}, case.key[:32], link.turn).game
            enqueue_letters(ctx.database, _next_step(after, link), ctx.clock())
    return Outcome(Result.PLAYED)


def _next_step(after: StoredGame, link: ReplyLink) -> list[NewLetter]:
    """The letter that asks the same player for the rest of the turn: who plays by mail has no page to look at."""
    seat = after.seats[link.seat]
    goes_on = after.status == "playing" and after.turn == link.turn and link.seat in after.rules.to_act(after.state)
    if not goes_on or seat.address is None:
        return []
    about = f"{after.id}/{link.seat}/{link.turn}/roll"
    return [NewLetter("roll", seat.address, about, after.id, link.seat, link.turn)]


def _refused(case: _Case, why: str, understood: str = "") -> Outcome:
    return _answered(case, Result.REFUSED, why, understood, asked=False)


def _answered(case: _Case, result: Result, why: str, understood: str, *, asked: bool) -> Outcome:
    """Answer by a letter to the player's own address, unless that has had its share of answers for a day."""
    if not _may_answer(case):
        return Outcome(result, answered=False, why=why)
    details = {
        "why": why,
        "understood": understood,
        "asked": asked,
        "message_id": case.mail.message_id,
        "subject": case.mail.subject,
    }
    link = case.link
    about = f"{link.game}/{link.seat}/answer/{case.key[:32]}"
    letter = NewLetter("answer", case.player.email, about, link.game, link.seat, link.turn, json.dumps(details))
    enqueue_letters(case.ctx.database, [letter], case.ctx.clock())
    return Outcome(result, answered=True, why=why)


def _may_answer(case: _Case) -> bool:
    database = case.ctx.database
    # Whoever answers the same player at the same moment waits here, or both would count one too few.
    Player.update(mail_trouble=Player.mail_trouble).where(Player.id == case.player.id).execute(database)
    lately = (
        (Incoming.sender == _sender(case))
        & (Incoming.answered == True)  # noqa: E712 - peewee makes SQL of it
        & (Incoming.at > case.ctx.clock() - _DAY)
    )
    count: int = Incoming.select().where(lately).count(database)
    return count < ANSWERS_A_DAY
