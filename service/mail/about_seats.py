"""The letters about tables that have not started yet, and about a seat and its links."""

from service.lobby import EXPIRES_AFTER
from service.mail.how_it_stands import as_it_stands, offer, shown, view_at
from service.mail.how_long import before_the_start
from service.mail.matter import Context, Matter, about_table
from service.mail.wording import listed, player_names, span


def invitation(matter: Matter) -> Context:
    """A seat is offered."""
    game, names, translations = matter.game, player_names(matter.game), matter.reader.translations
    others = [names[seat.seat] for seat in game.seats[1:] if seat.seat != matter.seat and (seat.player or seat.bot)]
    return {
        **about_table(matter),
        **_empty_board(matter),
        **offer(matter),
        "others": listed(others, translations),
        "players": len(game.seats),
        "options": game.options,
        "pace": span(game.pace, translations) if game.pace else "",
        "time": before_the_start(matter),
        "choices": [],
    }


def declined(matter: Matter) -> Context:
    """A seat was given back."""
    return {**about_table(matter), "number": matter.details["seat"] + 1, "time": before_the_start(matter)}


def closed(matter: Matter) -> Context:
    """The table was called off."""
    return {**about_table(matter), "waited": span(EXPIRES_AFTER, matter.reader.translations)}


def links(matter: Matter) -> Context:
    """The reader's own link, once more, and whatever there is to choose."""
    return {**about_table(matter), **as_it_stands(matter)}


def _empty_board(matter: Matter) -> Context:
    """The board as it will be when the game begins."""
    game = matter.game
    view = view_at(matter, game.rules.set_up(game.options, len(game.seats)), 0)
    return shown(matter, {**view, "to_act": [], "legal": []})
