"""The letters that come while a game goes on: it is your turn, your roll, time runs out, time is up, an answer."""

import re
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.games.names import bot_name, player_names
from service.games.store import find_action
from service.games.story import Story
from service.i18n import ENGLISH
from service.mail.chat_digest import said_since
from service.mail.deadline_text import time_left
from service.mail.game_section import as_it_stands, standing_at
from service.mail.history import after_own_action, as_it_is, between, waits_for
from service.mail.inbound.commands import COMMANDS
from service.mail.inbound.handler import WELCOME_BACK
from service.mail.letter_context import Context, LetterContext, about_table
from service.text import join_names, sanitize
from service.ui.protocol import GameUi

_LONGEST_ANSWER: Final = 200
_AGAIN: Final = re.compile(r"^(?:re: *)+", re.IGNORECASE)


def turn(letter_ctx: LetterContext) -> Context:
    """It has become the reader's turn."""
    letter_ctx.drop_unless(_is_on(letter_ctx))
    return {**about_table(letter_ctx), **_standing(letter_ctx), "said": said_since(letter_ctx)}


def roll(letter_ctx: LetterContext) -> Context:
    """What came of the reader's own action, and what there is to choose now."""
    letter_ctx.drop_unless(_is_on(letter_ctx))
    snapshot = after_own_action(letter_ctx.ctx, letter_ctx.game, letter_ctx.seat, letter_ctx.turn)
    letter_ctx.drop_unless(bool(snapshot.since) and snapshot.head == letter_ctx.game.head)
    return {**about_table(letter_ctx), **standing_at(letter_ctx, snapshot)}


def reminder(letter_ctx: LetterContext) -> Context:
    """The reader's turn goes on, and part of its time is over."""
    letter_ctx.drop_unless(_is_on(letter_ctx))
    last, deadline = letter_ctx.details.get("part") == "last", letter_ctx.game.deadline
    standing, left = _standing(letter_ctx), ""
    if deadline and deadline > letter_ctx.now:
        left = time_left(letter_ctx, deadline)
        standing["time"] += f" {_after_that(letter_ctx)}" if last else ""
    return {**about_table(letter_ctx), **standing, "left": left, "last": last}


def _standing(letter_ctx: LetterContext) -> Context:
    return standing_at(letter_ctx, as_it_is(letter_ctx.ctx, letter_ctx.game, letter_ctx.seat))


def _after_that(letter_ctx: LetterContext) -> str:
    say = letter_ctx.reader.translations.gettext
    if letter_ctx.game.time_up == "wait":
        return say("After that the others decide: more time, or a stand-in for this turn.")
    return say("After that a stand-in plays this turn for you.")


def time_up(letter_ctx: LetterContext) -> Context:
    """The stand-in has played for the reader; or the table waits, and everybody hears of it."""
    if letter_ctx.details.get("waiting"):
        return _overdue(letter_ctx)
    first, last = letter_ctx.details["first"], letter_ctx.details["last"]
    # Bots that were next have played in the same breath, and the game waits for none of them.
    breath = find_action(letter_ctx.ctx.database, letter_ctx.game.id, first - 1)
    snapshot = between(letter_ctx.ctx, letter_ctx.game, first, max(last, breath.last if breath else 0))
    # Not the reader's own doing, so it is told with the reader's name.
    story = Story(letter_ctx.game, letter_ctx.reader.translations, letter_ctx.seat, by_name=True)
    return {
        **about_table(letter_ctx),
        **standing_at(letter_ctx, snapshot),
        "story": story.paragraphs(snapshot.since),
        "shortened": False,
        "overdue": "",
        "kept": bool(letter_ctx.details["kept"]),
        "stand_in": bot_name(letter_ctx.game.rules.stand_in, letter_ctx.reader.translations.gettext),
    }


def _overdue(letter_ctx: LetterContext) -> Context:
    """The time of whoever is to act is up, and the others decide what comes of it."""
    letter_ctx.drop_unless(letter_ctx.game.status == "playing" and letter_ctx.game.turn == letter_ctx.turn)
    standing = as_it_stands(letter_ctx)
    game, names = letter_ctx.game, player_names(letter_ctx.game)
    return {
        **about_table(letter_ctx),
        **standing,
        "overdue": join_names([names[seat] for seat in standing["to_act"]], letter_ctx.reader.translations),
        "late": letter_ctx.seat in standing["to_act"],
        "votes": game.rules.is_active(game.state, letter_ctx.seat),
        "stand_in_link": f"{letter_ctx.seat_link}?do=stand-in",
        "more_time_link": f"{letter_ctx.seat_link}?do=more-time",
    }


def answer(letter_ctx: LetterContext) -> Context:
    """An answer to what the reader wrote: what was understood, why it was not done, and what can be done now."""
    return {
        **about_table(letter_ctx),
        **answered(letter_ctx.details, letter_ctx.reader.translations, letter_ctx.game.ui),
        **as_it_stands(letter_ctx),
    }


def answered(details: Json, translations: NullTranslations, ui: GameUi | None = None) -> Context:
    """What an answer says with or without a game."""
    said = details.get("understood") or ""
    known = {*COMMANDS, *(ui.reply_words(ENGLISH).meanings.values() if ui else ())}
    return {
        "why": sanitize(translations.gettext(details["why"]), 4 * _LONGEST_ANSWER),
        "understood": sanitize(translations.gettext(said) if said in known else said, _LONGEST_ANSWER),
        "asked": bool(details.get("asked")),
        "back": details["why"] == WELCOME_BACK,
        "reply_to": _AGAIN.sub("", sanitize(details.get("subject") or "", _LONGEST_ANSWER)),
    }


def _is_on(letter_ctx: LetterContext) -> bool:
    return waits_for(letter_ctx.game, letter_ctx.seat, letter_ctx.turn)
