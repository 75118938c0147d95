"""Handling a reply: every way by which mail comes in ends in `receive`.

A message is handled in one transaction: the record that it came, what it did in the game and the letter that answers it
are written together. Nothing in a message is trusted but the token of the address it was sent to, or the id of the
letter it replies to, which is equally hard to guess.
"""

import json

from service.auth.rate_limits import check_message
from service.auth.tokens import CHAT_TURN, BadLink, ReplyLink
from service.clocks.requests import return_to_seat
from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters, find_replied_letter
from service.db.models import LONGEST_MESSAGE, Game, Player
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.engine.json_reader import Json
from service.errors import NotFound, NotYourTurn, Problem, RateLimited, problem_of
from service.games import chat, lobby
from service.games.store import StoredGame, load
from service.games.turns import Turn
from service.games.views import game_view
from service.mail.inbound import answers
from service.mail.inbound.answers import Outcome, Reply, Result, confirm, refuse
from service.mail.inbound.commands import EMPTY, NOT_INVITED, NOT_LISTED, Command, ParseFailure, parse_reply
from service.mail.inbound.mime import Kind, Received, read_message
from service.mail.message import sender_address
from service.mail.refusals import record_bounce
from service.text import clean


def receive(ctx: AppContext, raw: bytes, envelope_to: str | None = None) -> Outcome:
    """Do what the message asks for; `envelope_to` is the address it was delivered to, if that is known."""
    mail = read_message(raw, ctx.settings.inbound_domain, envelope_to)
    if mail.kind is Kind.AUTOMATIC:
        return Outcome(Result.DROPPED)
    links = [link for token in mail.tokens if (link := find_link(ctx, token))]
    if not mail.tokens and mail.kind is Kind.PERSON and (envelope_to is None or is_sender(ctx, envelope_to)):
        links = _find_replied_link(ctx, mail)
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


def is_sender(ctx: AppContext, address: str) -> bool:
    """Whether letters come from this address, so that replies which ignore `Reply-To` go to it."""
    return address.strip("<> ").lower() == sender_address(ctx.settings).lower()


def _find_replied_link(ctx: AppContext, mail: Received) -> list[ReplyLink]:
    """The seat and turn of the letter that a message replies to, for mail programs that ignore `Reply-To`."""
    letter = find_replied_letter(ctx.database, mail.replies_to)
    link = find_link(ctx, ctx.tokens.reply(*letter)) if letter else None
    return [link] if link else []


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
    key = answers.message_key(mail.tokens[0], mail)
    record_bounce(ctx, link, str(game.seats[link.seat].address), mail.bounce_reason, key)
    return Outcome(Result.BOUNCED)


def _handle_message(ctx: AppContext, mail: Received, links: list[ReplyLink]) -> Outcome:
    link = links[0]
    # Locks the game on both databases, so that what is read now stays true until the commit.
    Game.update(changed=Game.changed).where(Game.id == link.game).execute(ctx.database)
    game = load(ctx.database, link.game)
    if not _is_valid(link, game):
        return Outcome(Result.UNKNOWN)  # the player has just left the seat
    player = Player.select().where(Player.id == game.seats[link.seat].player).get(ctx.database)
    reply = Reply(ctx, mail, link, mail.tokens[0] if mail.tokens else ctx.tokens.reply(*link), game, player)
    if not answers.record(reply):
        return Outcome(Result.REPEATED)
    outcome = refuse(reply, answers.TWO_LETTERS) if len(links) > 1 else _handle(reply)
    answers.record_outcome(reply, outcome)
    return outcome


def _handle(reply: Reply) -> Outcome:
    game, link = reply.game, reply.link
    if game.status in {"cancelled", "expired"}:
        return refuse(reply, answers.CALLED_OFF)
    if link.turn == CHAT_TURN:
        return _post_to_chat(reply)
    view = game_view(reply.ctx, game, link.seat)
    if link.turn != game.turn:
        view["legal"] = []  # a letter plays only its own turn
    kept = game.status == "playing" and game.seats[link.seat].played_by_stand_in
    offered = game.status == "waiting"
    command = parse_reply(reply.mail.words, game.ui, view, reply.player.language, offered=offered, kept=kept)
    if isinstance(command, ParseFailure):
        return _refuse_words(reply, command, can_play=bool(view["legal"]))
    if command.do == "help":
        return answers.help_player(reply, _obstacle(reply) or answers.NOTHING_YET, command.understood)
    if command.do == "back":
        return _return_to_seat(reply)
    try:
        return _perform(reply, command)
    except GameOver:
        return refuse(reply, answers.GAME_IS_OVER, command.understood)
    except (Problem, IllegalAction, Malformed):
        why = _obstacle(reply) or NOT_LISTED if command.do == "act" else answers.SEAT_IS_FIXED
        return refuse(reply, why, command.understood)


def _refuse_words(reply: Reply, failure: ParseFailure, *, can_play: bool) -> Outcome:
    """Say why the words can't be played: what wasn't understood, or what the rules say about the action they mean."""
    obstacle = "" if can_play or failure.why == NOT_INVITED else _obstacle(reply)
    if obstacle:
        return refuse(reply, obstacle, failure.understood)
    game = reply.game
    if failure.action is not None and can_play:
        try:
            game.rules.decide(game.state, reply.link.seat, game.rules.actions.read(failure.action), game.dice(""))
        except (IllegalAction, Malformed) as error:
            problem = problem_of(error)
            return refuse(reply, problem.words, failure.understood, values=problem.values)
    return refuse(reply, failure.why, failure.understood, word=failure.word, line=failure.line)


def _post_to_chat(reply: Reply) -> Outcome:
    """Post what a reply to a letter about the chat says; it is never read as a choice."""
    text = "\n".join(map(clean, reply.mail.words.splitlines())).strip()
    if not text:
        return refuse(reply, EMPTY)
    if len(text) > LONGEST_MESSAGE:
        return refuse(reply, answers.TOO_LONG, clean(text))
    try:
        check_message(reply.ctx, reply.player.id)
    except RateLimited:
        return refuse(reply, answers.TOO_MANY, clean(text))
    chat.post_message(reply.ctx, reply.game.id, reply.link.seat, text)
    return Outcome(Result.POSTED)


def _obstacle(reply: Reply) -> str:
    """Why a reply to this letter can't play anything now; empty if it can."""
    game = reply.game
    if game.status == "waiting":
        return answers.NOT_STARTED if game.seats[reply.link.seat].accepted else ""
    if game.status == "finished":
        return answers.GAME_IS_OVER
    to_act = reply.link.seat in game.rules.to_act(game.state)
    if game.seats[reply.link.seat].played_by_stand_in and not to_act:
        return answers.SEAT_IS_KEPT
    if reply.link.turn not in {0, game.turn}:
        return answers.TURN_IS_OVER
    if not to_act:
        return answers.NOT_YOUR_TURN
    return "" if reply.link.turn else answers.OF_NO_TURN


def _return_to_seat(reply: Reply) -> Outcome:
    """Give the seat back to the player; if it's their turn, the turn letter says so, otherwise an answer."""
    game = return_to_seat(reply.ctx, reply.game.id, reply.link.seat)
    if reply.link.seat in game.rules.to_act(game.state):
        return Outcome(Result.PLAYED)
    return confirm(reply, Result.PLAYED, answers.WELCOME_BACK)


def _perform(reply: Reply, command: Command) -> Outcome:
    ctx, link, game = reply.ctx, reply.link, reply.game
    match command.do:
        case "accept":
            lobby.accept(ctx, game.id, link.seat, reply.player.id)
        case "decline":
            lobby.decline(ctx, game.id, link.seat, reply.player.id)
        case _:
            after, rest = _play_turn(reply, command)
            letters = _next_step(after, link, rest)
            enqueue_letters(ctx.database, letters, ctx.clock())
            if rest and not letters:
                return answers.report_rest(reply, rest)
    return Outcome(Result.PLAYED)


def _play_turn(reply: Reply, command: Command) -> tuple[StoredGame, Json]:
    """Play the command's steps until one is refused, and give what a letter says about that step and those after it."""
    link, game = reply.link, reply.game
    # The salt comes from the message, so that the same message again is the same action.
    turn = Turn(reply.ctx, game, link.seat, game.head, reply.key[:32], only_turn=link.turn, seen_head=game.head)
    if command.action is not None:
        turn.act(command.action)
    refusal = turn.play_steps(command.then)
    if command.auto:
        turn.leave_to_stand_in()
    if not turn.results:
        raise NotYourTurn
    if refusal is None or command.auto:
        return turn.game, {}
    problem = refusal.problem
    return turn.game, {"dropped": list(refusal.step), "why": problem.words, "values": problem.values}


def _next_step(after: StoredGame, link: ReplyLink, rest: Json) -> list[NewLetter]:
    """The letter that asks the same player for the rest of the turn, because they have no page in front of them."""
    seat = after.seats[link.seat]
    goes_on = after.status == "playing" and after.turn == link.turn and link.seat in after.rules.to_act(after.state)
    if not goes_on or seat.address is None:
        return []
    about = f"{after.id}/{link.seat}/{link.turn}/roll-{after.head}"
    return [NewLetter("roll", seat.address, about, after.id, link.seat, link.turn, json.dumps(rest))]
