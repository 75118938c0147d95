"""The letters about tables that have not started yet, and about a seat and its links."""

from service.games.lobby import EXPIRES_AFTER
from service.games.names import player_names
from service.mail.deadline_text import before_the_start
from service.mail.game_section import as_it_stands, offer, shown, view_at
from service.mail.letter_context import Context, LetterContext, about_table
from service.text import format_duration, join_names


def invitation(letter_ctx: LetterContext) -> Context:
    """A seat is offered."""
    game, names, translations = letter_ctx.game, player_names(letter_ctx.game), letter_ctx.reader.translations
    others = [names[seat.seat] for seat in game.seats[1:] if seat.seat != letter_ctx.seat and (seat.player or seat.bot)]
    return {
        **about_table(letter_ctx),
        **_empty_board(letter_ctx),
        **offer(letter_ctx),
        "others": join_names(others, translations),
        "game": game.game.capitalize(),
        "players": len(game.seats),
        "options": game.ui.describe_options(game.options, len(game.seats), translations),
        "pace": format_duration(game.pace, translations) if game.pace else "",
        "time": before_the_start(letter_ctx),
        "choices": [],
    }


def declined(letter_ctx: LetterContext) -> Context:
    """A seat was given back."""
    return {**about_table(letter_ctx), "number": letter_ctx.details["seat"] + 1, "time": before_the_start(letter_ctx)}


def closed(letter_ctx: LetterContext) -> Context:
    """The table was called off."""
    return {**about_table(letter_ctx), "waited": format_duration(EXPIRES_AFTER, letter_ctx.reader.translations)}


def links(letter_ctx: LetterContext) -> Context:
    """The reader's own link, once more, and whatever there is to choose."""
    return {**about_table(letter_ctx), **as_it_stands(letter_ctx)}


def _empty_board(letter_ctx: LetterContext) -> Context:
    """The board as it will be when the game begins."""
    game = letter_ctx.game
    view = view_at(letter_ctx, game.rules.set_up(game.options, len(game.seats)), 0)
    return shown(letter_ctx, {**view, "to_act": [], "legal": []})
