"""The letters about tables that have not started yet, and about a seat and its links."""

from service.lobby import EXPIRES_AFTER
from service.mail.matter import Context, Matter, about_table, board_if_begun, board_now
from service.mail.wording import listed, player_names, span


def invitation(matter: Matter) -> Context:
    """A seat is offered."""
    game, names, translations = matter.game, player_names(matter.game), matter.reader.translations
    others = [names[seat.seat] for seat in game.seats[1:] if seat.seat != matter.seat and (seat.player or seat.bot)]
    table = about_table(matter)
    return {
        **table,
        **board_now(matter),
        "others": listed(others, translations),
        "players": len(game.seats),
        "options": game.options,
        "pace": span(game.pace, translations) if game.pace else "",
        "expires": span(EXPIRES_AFTER, translations),
        "accept_link": f"{table['seat_link']}?do=accept",
        "decline_link": f"{table['seat_link']}?do=decline",
    }


def declined(matter: Matter) -> Context:
    """A seat was given back."""
    return {**about_table(matter), "number": matter.details["seat"] + 1}


def closed(matter: Matter) -> Context:
    """The table was called off."""
    return {**about_table(matter), "waited": span(EXPIRES_AFTER, matter.reader.translations)}


def links(matter: Matter) -> Context:
    """The reader's own link, once more."""
    return {**about_table(matter), **board_if_begun(matter)}
