"""The letters about a game: an invitation, your turn, your roll, time runs out, an answer, the end, and others.

Each function returns what the template with the same name needs.
"""

import re
from gettext import NullTranslations
from typing import Final

from service.context import AppContext
from service.db.models import LONGEST_INVITATION
from service.engine.json_reader import Json
from service.games.lobby import EXPIRES_AFTER
from service.games.names import bot_name, player_names, table_name, with_display_names
from service.games.players import open_seats
from service.games.store import find_action, load
from service.games.story import Story
from service.games.views import visible_record
from service.i18n import ENGLISH, Reader
from service.mail.chat_digest import Said, chat_since
from service.mail.deadline_text import describe_start, time_left
from service.mail.game_section import (
    board_section,
    current_section,
    invitation_links,
    is_waiting_for,
    section_at,
    snapshot_between,
    snapshot_of_turn,
    view_at,
)
from service.mail.inbound.answers import WELCOME_BACK
from service.mail.inbound.commands import COMMANDS
from service.mail.letter_context import Context, LetterContext, Outdated, table_section
from service.text import format_duration, join_names, sanitize
from service.ui.protocol import GameUi
from service.ui.tables import name_winners, standings_lines

_LONGEST_ANSWER: Final = 200
_MOST_WORDS: Final = 12
"""Choices that an answer names; all of them stand below."""
_REPLY_PREFIX: Final = re.compile(r"^(?:re: *)+", re.IGNORECASE)


def invitation(letter_ctx: LetterContext) -> Context:
    """A seat is offered."""
    game, names, translations = letter_ctx.game, player_names(letter_ctx.game), letter_ctx.reader.translations
    others = [names[seat.seat] for seat in game.seats[1:] if seat.seat != letter_ctx.seat and (seat.player or seat.bot)]
    return {
        **table_section(letter_ctx),
        **_empty_board(letter_ctx),
        **invitation_links(letter_ctx),
        "others": join_names(others, translations),
        "game": game.game.capitalize(),
        "players": len(game.seats),
        "options": game.ui.describe_options(game.options, len(game.seats), translations),
        "pace": format_duration(game.pace, translations) if game.pace else "",
        "time": describe_start(letter_ctx),
        "said": [Said(names[0], sanitize(game.message, 2 * LONGEST_INVITATION))] if game.message else [],
        "choices": [],
    }


def declined(letter_ctx: LetterContext) -> Context:
    """A seat was given back."""
    return {**table_section(letter_ctx), "number": letter_ctx.details["seat"] + 1, "time": describe_start(letter_ctx)}


def closed(letter_ctx: LetterContext) -> Context:
    """The table was called off."""
    return {**table_section(letter_ctx), "waited": format_duration(EXPIRES_AFTER, letter_ctx.reader.translations)}


def undeliverable(letter_ctx: LetterContext) -> Context:
    """An invitation to the reader's table did not arrive."""
    seat = letter_ctx.details["seat"]
    letter_ctx.drop_unless(letter_ctx.game.status == "waiting" and not letter_ctx.game.seats[seat].accepted)
    return {**table_section(letter_ctx), "number": seat + 1, "name": player_names(letter_ctx.game)[seat]}


def links(letter_ctx: LetterContext) -> Context:
    """The reader's new link to a seat, with the choices if it's their turn."""
    return {**table_section(letter_ctx), **current_section(letter_ctx), "games": []}


def all_links(ctx: AppContext, details: Json, reader: Reader) -> Context:
    """The reader's links to all their open games."""
    games = [_own_link(ctx, game_id, seat, reader) for game_id, seat in open_seats(ctx, details["address"])]
    if not games:
        raise Outdated
    return {"games": games}


def _own_link(ctx: AppContext, game_id: str, seat: int, reader: Reader) -> Context:
    game = with_display_names(load(ctx.database, game_id), reader.translations)
    say, link = reader.translations.gettext, ctx.tokens.seat(game_id, seat, game.seats[seat].link_version)
    if game.status == "playing":
        state = say("Your turn") if seat in game.rules.to_act(game.state) else say("The game waits for somebody else")
    else:
        state = say("The game has not started yet") if game.seats[seat].accepted else say("You are invited")
    return {"table": table_name(game), "state": state, "link": f"{ctx.settings.base_url}/s/{link}"}


def _empty_board(letter_ctx: LetterContext) -> Context:
    """The board as it will be when the game begins."""
    game = letter_ctx.game
    view = view_at(letter_ctx, game.rules.set_up(game.options, len(game.seats)), 0)
    return board_section(letter_ctx, {**view, "to_act": [], "legal": []})


def turn(letter_ctx: LetterContext) -> Context:
    """It has become the reader's turn."""
    letter_ctx.drop_unless(_is_current(letter_ctx))
    return {**table_section(letter_ctx), **current_section(letter_ctx), "said": chat_since(letter_ctx)}


def roll(letter_ctx: LetterContext) -> Context:
    """The result of the reader's own action, and the next choices."""
    letter_ctx.drop_unless(_is_current(letter_ctx))
    snapshot = snapshot_of_turn(letter_ctx.ctx, letter_ctx.game, letter_ctx.seat, letter_ctx.turn)
    letter_ctx.drop_unless(bool(snapshot.since))
    return {**table_section(letter_ctx), **section_at(letter_ctx, snapshot)}


def reminder(letter_ctx: LetterContext) -> Context:
    """The reader's turn goes on, and part of its time is over."""
    letter_ctx.drop_unless(_is_current(letter_ctx))
    last, deadline = letter_ctx.details.get("part") == "last", letter_ctx.game.deadline
    section, left = current_section(letter_ctx), ""
    if deadline and deadline > letter_ctx.now:
        left = time_left(letter_ctx, deadline)
        section["time"] += f" {_after_deadline(letter_ctx)}" if last else ""
    return {**table_section(letter_ctx), **section, "left": left, "last": last}


def _after_deadline(letter_ctx: LetterContext) -> str:
    say = letter_ctx.reader.translations.gettext
    if letter_ctx.game.time_up == "wait":
        return say("After that the others decide: more time, or a stand-in for this turn.")
    return say("After that a stand-in plays this turn for you.")


def time_up(letter_ctx: LetterContext) -> Context:
    """The stand-in has played for the reader; or the table waits, and everybody is told."""
    if letter_ctx.details.get("waiting"):
        return _overdue(letter_ctx)
    first, last = letter_ctx.details["first"], letter_ctx.details["last"]
    # Bots that were next have played as part of the same action.
    action = find_action(letter_ctx.ctx.database, letter_ctx.game.id, first - 1)
    snapshot = snapshot_between(letter_ctx.ctx, letter_ctx.game, first, max(last, action.last if action else 0))
    story = Story(letter_ctx.game, letter_ctx.reader.translations, letter_ctx.seat)
    return {
        **table_section(letter_ctx),
        **section_at(letter_ctx, snapshot),
        "story": story.texts(snapshot.since),
        "shortened": False,
        "overdue": "",
        "kept": bool(letter_ctx.details["kept"]),
        "stand_in": bot_name(letter_ctx.game.rules.stand_in, letter_ctx.reader.translations.gettext),
    }


def _overdue(letter_ctx: LetterContext) -> Context:
    """A player's time is up, and the others decide what happens."""
    letter_ctx.drop_unless(letter_ctx.game.status == "playing" and letter_ctx.game.turn == letter_ctx.turn)
    section = current_section(letter_ctx)
    game, names = letter_ctx.game, player_names(letter_ctx.game)
    return {
        **table_section(letter_ctx),
        **section,
        "overdue": join_names([names[seat] for seat in section["to_act"]], letter_ctx.reader.translations),
        "late": letter_ctx.seat in section["to_act"],
        "votes": game.rules.is_active(game.state, letter_ctx.seat),
        "stand_in_link": f"{letter_ctx.seat_link}?do=stand-in",
        "more_time_link": f"{letter_ctx.seat_link}?do=more-time",
    }


def answer(letter_ctx: LetterContext) -> Context:
    """An answer to a reply: what was understood, why it was not done, and what can be done now."""
    translations, section = letter_ctx.reader.translations, current_section(letter_ctx)
    keys = [translations.gettext(choice["key"]) for choice in section["choices"]]
    return {
        **table_section(letter_ctx),
        **answer_text(letter_ctx.details, translations, letter_ctx.game.ui),
        **section,
        "words": ", ".join(keys[:_MOST_WORDS]) + (", …" if len(keys) > _MOST_WORDS else ""),
    }


def answer_text(details: Json, translations: NullTranslations, ui: GameUi | None = None) -> Context:
    """The part of an answer that needs no game."""
    said = details.get("understood") or ""
    known = {*COMMANDS, *(ui.reply_words(ENGLISH).meanings.values() if ui else ())}
    return {
        "word": sanitize(details.get("word") or "", _LONGEST_ANSWER),
        "last": bool(details.get("last")),
        "chat": bool(details.get("chat")),
        "why": sanitize(translations.gettext(details["why"]), 4 * _LONGEST_ANSWER),
        "understood": sanitize(translations.gettext(said) if said in known else said, _LONGEST_ANSWER),
        "asked": bool(details.get("asked")),
        "back": details["why"] == WELCOME_BACK,
        "reply_to": _REPLY_PREFIX.sub("", sanitize(details.get("subject") or "", _LONGEST_ANSWER)),
    }


def _is_current(letter_ctx: LetterContext) -> bool:
    return is_waiting_for(letter_ctx.game, letter_ctx.seat, letter_ctx.turn)


def over(letter_ctx: LetterContext) -> Context:
    """The game is over."""
    game, names, translations = letter_ctx.game, player_names(letter_ctx.game), letter_ctx.reader.translations
    section = current_section(letter_ctx)
    view = section["drawing"].view
    result = view["result"]
    scores = game.ui.final_standings(visible_record(letter_ctx.ctx, game), result, names, translations)
    return {
        **table_section(letter_ctx),
        **section,
        "said": chat_since(letter_ctx),
        "id": game.id,
        "won": letter_ctx.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": name_winners(result["winners"], names, translations),
        "scores": scores,
        "scores_text": "\n".join(standings_lines(scores, (), translations.gettext)),
        "dice": view["dice"],
        "record_link": f"{letter_ctx.base}/api/v1/games/{game.id}/record",
    }
