"""The options of a game of Marrakech, as a form and in words."""

from gettext import NullTranslations

from service.engine.json_reader import Json
from service.ui.protocol import OptionField, OptionText


def options_form(translations: NullTranslations) -> tuple[OptionField, ...]:
    """The options that the host of a new game can choose."""
    gettext = translations.gettext
    return (
        OptionField(
            "variant",
            gettext("Steps of a turn"),
            (
                ("standard", gettext("Standard: turn Assam, roll, pay, lay a rug.")),
                (
                    "rotate-after",
                    gettext("Turn at the end: roll first, then pay, lay a rug, and turn Assam for the next player."),
                ),
            ),
        ),
        OptionField(
            "pile",
            gettext("Piles (for two players)"),
            (
                ("shuffled", gettext("Shuffled: nobody knows which colour comes next.")),
                ("alternating", gettext("Alternating: the two colours take turns.")),
            ),
            gettext("With two players, each has two colours and takes rugs from the top of a pile."),
        ),
    )


def describe_options(options: Json, seats: int, translations: NullTranslations) -> list[OptionText]:
    """The options of a game, in words; the piles matter only with two players."""
    gettext = translations.gettext
    variant = options_form(translations)[0]
    described = [OptionText(variant.title, dict(variant.values)[options["variant"]], options["variant"] == "standard")]
    if seats == 2:
        shuffled = options["pile"] == "shuffled"
        words = (
            gettext("Each player's two colours are shuffled.")
            if shuffled
            else gettext("Each player's two colours alternate.")
        )
        described.append(OptionText(gettext("Piles"), words, shuffled))
    return described
