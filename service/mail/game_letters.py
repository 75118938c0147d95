"""The letters about a game: an invitation, your turn, the rest of a turn, time is up, an answer, the end and others.

Each function returns what the template with the same name needs.
"""

import re
from gettext import NullTranslations
from typing import Final

from service.context import AppContext
from service.db.models import LONGEST_INVITATION
from service.engine.json_reader import Json
from service.games.analysis import get_analysis, has_analysis
from service.games.lobby import EXPIRES_AFTER
from service.games.names import describe_bot, player_names, table_name, with_display_names
from service.games.players import open_seats
from service.games.store import entries, find_action, load
from service.games.story import Story
from service.games.views import visible_record
from service.i18n import ENGLISH, Reader
from service.mail.chat_digest import Said, chat_since
from service.mail.deadline_text import describe_start, time_left
from service.mail.game_section import (
    current_section,
    invitation_links,
    is_waiting_for,
    section_at,
    snapshot_between,
    snapshot_of_turn,
)
from service.mail.inbound.answers import WELCOME_BACK
from service.mail.inbound.commands import COMMANDS, NOT_ALONE
from service.mail.letter_context import Context, LetterContext, Outdated, table_section
from service.text import format_duration, join_names, sanitize
from service.ui.analysis import describe_luck
from service.ui.protocol import GameUi
from service.ui.tables import name_winners, standings_lines

_LONGEST_ANSWER: Final = 200
_LONGEST_ADDRESS: Final = 254
_REPLY_PREFIX: Final = re.compile(r"^(?:re: *)+", re.IGNORECASE)


def invitation(letter_ctx: LetterContext) -> Context:
    """A seat is offered."""
    game, names, translations = letter_ctx.game, player_names(letter_ctx.game), letter_ctx.reader.translations
    return {
        **table_section(letter_ctx),
        **invitation_links(letter_ctx),
        "host_with_address": _host_with_address(letter_ctx),
        "note": [Said(names[0], sanitize(game.message, 2 * LONGEST_INVITATION))] if game.message else [],
        "game": game.ui.title,
        "tagline": game.ui.tagline(translations),
        "players": len(game.seats),
        "names": _name_players(letter_ctx),
        "length": game.ui.describe_length(len(game.seats), translations),
        "options": game.ui.describe_options(game.options, len(game.seats), translations),
        "pace": format_duration(game.pace, translations) if game.pace else "",
        "time": describe_start(letter_ctx),
        "choices": [],
    }


def _host_with_address(letter_ctx: LetterContext) -> str:
    """The host's name and address, so that the reader knows who invites them."""
    name, address = player_names(letter_ctx.game)[0], letter_ctx.game.seats[0].address
    return f"{name} ({sanitize(address, _LONGEST_ADDRESS)})" if address else name


def _name_players(letter_ctx: LetterContext) -> str:
    """Everyone in the game as the reader of an invitation sees them: Ann, you, Salma (easy bot) and 1 open seat."""
    translations, names = letter_ctx.reader.translations, player_names(letter_ctx.game)
    say, listed, number_open = translations.gettext, [], 0
    for seat, name in zip(letter_ctx.game.seats, names, strict=True):
        if seat.seat == letter_ctx.seat:
            listed.append(say("you"))
        elif seat.bot:
            listed.append(f"{name} ({describe_bot(seat.bot, say)})")
        elif seat.player is not None:
            listed.append(name)
        else:
            number_open += 1
    if number_open:
        open_seats_words = translations.ngettext("%(number)s open seat", "%(number)s open seats", number_open)
        listed.append(open_seats_words % {"number": number_open})
    return join_names(listed, translations)


def declined(letter_ctx: LetterContext) -> Context:
    """A player has declined or left their seat."""
    return {**table_section(letter_ctx), "number": letter_ctx.details["seat"] + 1, "time": describe_start(letter_ctx)}


def closed(letter_ctx: LetterContext) -> Context:
    """The game was cancelled before its start."""
    return {**table_section(letter_ctx), "waited": format_duration(EXPIRES_AFTER, letter_ctx.reader.translations)}


def undeliverable(letter_ctx: LetterContext) -> Context:
    """An invitation to the reader's game did not arrive."""
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
        state = say("Your turn") if seat in game.rules.to_act(game.state) else say("Waiting for other players")
    else:
        state = say("Not started yet") if game.seats[seat].accepted else say("You're invited")
    return {"table": table_name(game), "state": state, "link": f"{ctx.settings.base_url}/s/{link}"}


def turn(letter_ctx: LetterContext) -> Context:
    """It has become the reader's turn."""
    letter_ctx.drop_unless(_is_current(letter_ctx))
    return {**table_section(letter_ctx), **current_section(letter_ctx), "chat_lines": chat_since(letter_ctx)}


def roll(letter_ctx: LetterContext) -> Context:
    """The result of the reader's own action, and the next choices."""
    letter_ctx.drop_unless(_is_current(letter_ctx))
    snapshot = snapshot_of_turn(letter_ctx.ctx, letter_ctx.game, letter_ctx.seat, letter_ctx.turn)
    letter_ctx.drop_unless(bool(snapshot.since))
    table, section, translations = (
        table_section(letter_ctx),
        section_at(letter_ctx, snapshot),
        letter_ctx.reader.translations,
    )
    return {
        **table,
        **section,
        **_dropped_part(letter_ctx.details, translations, letter_ctx.game.ui),
        "story_title": translations.gettext("Your turn so far"),
        "step": letter_ctx.game.ui.describe_step(section["drawing"].view, table["table"], translations),
    }


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
        return say("After that, the others can give you more time or let a stand-in play this turn.")
    return say("After that, a stand-in plays this turn for you.")


def time_up(letter_ctx: LetterContext) -> Context:
    """The stand-in has played for the reader; or the game waits for a decision, and everyone is told."""
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
        "story": story.summary(snapshot.since),
        "story_title": letter_ctx.reader.translations.gettext("What the stand-in played"),
        "shortened": False,
        "chat_lines": chat_since(letter_ctx),
        "overdue": "",
        "kept": bool(letter_ctx.details["kept"]),
    }


def _overdue(letter_ctx: LetterContext) -> Context:
    """A player's time is up, and the others decide what happens."""
    letter_ctx.drop_unless(letter_ctx.game.status == "playing" and letter_ctx.game.turn == letter_ctx.turn)
    section = current_section(letter_ctx)
    game, names = letter_ctx.game, player_names(letter_ctx.game)
    return {
        **table_section(letter_ctx),
        **section,
        "chat_lines": chat_since(letter_ctx),
        "overdue": join_names([names[seat] for seat in section["to_act"]], letter_ctx.reader.translations),
        "late": letter_ctx.seat in section["to_act"],
        "votes": game.rules.is_active(game.state, letter_ctx.seat),
        "stand_in_link": f"{letter_ctx.seat_link}?do=stand-in",
        "more_time_link": f"{letter_ctx.seat_link}?do=more-time",
    }


def answer(letter_ctx: LetterContext) -> Context:
    """An answer to a reply: what was understood, why it was not done, and what can be done now."""
    return {
        **table_section(letter_ctx),
        **answer_text(letter_ctx.details, letter_ctx.reader.translations, letter_ctx.game.ui),
        **_dropped_part(letter_ctx.details, letter_ctx.reader.translations, letter_ctx.game.ui),
        **current_section(letter_ctx),
        "explains_replies": True,
    }


def answer_text(details: Json, translations: NullTranslations, ui: GameUi | None = None) -> Context:
    """The part of an answer that needs no game."""
    said, (number, line) = details.get("understood") or "", details.get("line") or (0, "")
    known = {*COMMANDS, *(ui.reply_words(ENGLISH).meanings.values() if ui else ())}
    return {
        "word": sanitize(details.get("word") or "", _LONGEST_ANSWER),
        "number": number,
        "line": sanitize(line, _LONGEST_ANSWER),
        "says_more": not (line and details["why"] == NOT_ALONE),
        "dropped": "",
        "last": bool(details.get("last")),
        "chat": bool(details.get("chat")),
        "why": _explain(details, translations),
        "understood": sanitize(translations.gettext(said) if said in known else said, _LONGEST_ANSWER),
        "asked": bool(details.get("asked")),
        "back": details["why"] == WELCOME_BACK,
        "reply_to": _REPLY_PREFIX.sub("", sanitize(details.get("subject") or "", _LONGEST_ANSWER)),
    }


def _explain(details: Json, translations: NullTranslations) -> str:
    why, values = translations.gettext(details["why"]), details.get("values")
    return sanitize(why % values if values else why, 4 * _LONGEST_ANSWER)


def _dropped_part(details: Json, translations: NullTranslations, ui: GameUi) -> Context:
    """From where on a reply was not played, and why."""
    if not details.get("dropped"):
        return {"dropped": ""}
    words = " ".join(ui.write_reply(key, translations) for key in details["dropped"])
    return {"dropped": sanitize(words, _LONGEST_ANSWER), "why": _explain(details, translations)}


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
        **_last_turns(letter_ctx, len(section["story"])),
        "chat_lines": chat_since(letter_ctx),
        "won": letter_ctx.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": name_winners(result["winners"], names, translations),
        "ending": game.ui.ending(result, names, translations),
        "scores": scores,
        "scores_text": "\n".join(standings_lines(scores, (), translations.gettext)),
        **_analysis(letter_ctx),
        "rematch_link": f"{letter_ctx.seat_link}#ending",
        "ending_link": f"{letter_ctx.base}/g/{game.id}/over",
        "check": game.ui.fairness_texts(translations).check,
        "dice_link": f"{letter_ctx.base}/g/{game.id}/over#dice",
    }


def _analysis(letter_ctx: LetterContext) -> Context:
    """How lucky the reader was, and the link to the analysis; both are empty if there is none."""
    ctx, game = letter_ctx.ctx, letter_ctx.game
    if not has_analysis(ctx, game):
        return {"luck": "", "analysis_link": ""}
    analysis = get_analysis(ctx, game)
    return {
        "luck": describe_luck(analysis.seats[letter_ctx.seat], letter_ctx.reader) if analysis else "",
        "analysis_link": f"{letter_ctx.base}/g/{game.id}/analysis",
    }


def _last_turns(letter_ctx: LetterContext, unseen: int) -> Context:
    """The end of the story: at least the last turn of everyone, and everything that the reader hasn't seen."""
    game = letter_ctx.game
    story = Story(game, letter_ctx.reader.translations, letter_ctx.seat).summary(entries(letter_ctx.ctx.database, game))
    shown = max(unseen, len(game.seats) + 1)
    return {"story": story[-shown:], "shortened": len(story) > shown}
