"""Sentences about Marrakech: what the game is, who made it, how long it takes, and what a roll asks for."""

from gettext import NullTranslations

from service.engine.json_reader import Json
from service.engine.marrakech.state import RUGS_EACH


def describe_game(translations: NullTranslations) -> str:
    """The game in one sentence."""
    return translations.gettext(
        "Marrakech is a board game about a rug market: you send Assam, who runs the market, across the board, lay your"
        " rugs beside him, and get paid when others send him onto them."
    )


def name_makers(translations: NullTranslations) -> str:
    """Who made the game."""
    return translations.gettext("Marrakech is a game by Dominique Ehrhard, published by Gigamic.")


def describe_picture(translations: NullTranslations) -> str:
    """What the picture of the game shows."""
    return translations.gettext("The board in the middle of a game: rugs in four colours, and Assam among them")


def describe_length(seats: int, translations: NullTranslations) -> str:
    """How many turns a game has and how long they take."""
    return translations.gettext(
        "Each player has %(turns)s turns. That takes about half an hour if you're all online, or a few weeks by e-mail."
    ) % {"turns": RUGS_EACH[seats]}


def describe_roll(view: Json, table: str, translations: NullTranslations) -> str:
    """What was rolled and which rug is to be laid now; empty if the seat has no rug to lay after a roll."""
    roll = view["last_roll"]
    if view["phase"] != "placement" or not roll:
        return ""
    colour = view["seats"][view["you"]]["next_rug"]
    words = {"die": roll["die"], "table": table, "colour": translations.gettext(colour)}
    return translations.gettext('You rolled %(die)s in "%(table)s". Now lay your %(colour)s rug.') % words
