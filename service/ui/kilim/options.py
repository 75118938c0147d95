"""The option of a game of Kilim, as a form and in words."""

from gettext import NullTranslations

from service.engine.json_reader import Json
from service.ui.protocol import OptionField, OptionText


def options_form(translations: NullTranslations) -> tuple[OptionField, ...]:
    """The options that the host of a new game can choose."""
    gettext = translations.gettext
    return (
        OptionField(
            "weaving",
            gettext("Weaving"),
            (
                (
                    "relaxed",
                    gettext("Relaxed: the next domino is revealed at once. The winner weaves while the others bid."),
                ),
                ("strict", gettext("Strict: everyone waits until the winner has woven, as at a table.")),
            ),
            gettext("By e-mail, relaxed saves a day or more in most rounds."),
        ),
    )


def describe_options(options: Json, translations: NullTranslations) -> list[OptionText]:
    """The options of a game, in words."""
    (weaving,) = options_form(translations)
    default, _ = weaving.values[0]
    return [OptionText(weaving.title, dict(weaving.values)[options["weaving"]], options["weaving"] == default)]
