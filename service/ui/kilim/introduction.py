"""Sentences about Kilim for people who don't know it: what the game is, who made it, and how long it takes."""

from gettext import NullTranslations

from service.engine.kilim.pieces import DAYS, rounds_per_day


def describe_game(translations: NullTranslations) -> str:
    """The game in one sentence."""
    return translations.gettext(
        "Kilim is a board game about weaving: you bid for dominoes with sealed cards, weave the ones you win into your"
        " carpet, and score for its shape, its motifs and its groups."
    )


def name_makers(translations: NullTranslations) -> str:
    """Who made the game."""
    return translations.gettext("Kilim is a game by Yannick Chabas, published by JyDe Games (2021).")


def describe_picture(translations: NullTranslations) -> str:
    """What the picture of the game shows."""
    return translations.gettext("A carpet of dominoes on a loom, with birds, eyes, horns, stars and trees")


def describe_length(seats: int, translations: NullTranslations) -> str:
    """How many rounds a game has and how long they take."""
    return translations.gettext(
        "A game has %(rounds)s rounds. That takes about an hour if you're all online, or two months by e-mail."
    ) % {"rounds": DAYS * rounds_per_day(seats)}
