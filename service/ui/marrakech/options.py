"""The options of a table of Marrakech, as a form and in words."""

from gettext import NullTranslations

from service.engine.json_reader import Json
from service.ui.protocol import OptionField, OptionText


def options_form(translations: NullTranslations) -> tuple[OptionField, ...]:
    """The options that the host of a new table can choose."""
    gettext = translations.gettext
    return (
        OptionField(
            "variant",
            gettext("The turn"),
            (
                ("standard", gettext("As usual: turn Assam, roll, pay, lay a rug.")),
                (
                    "rotate-after",
                    gettext(
                        "Turn at the end: the die comes first, and after laying a rug you turn Assam for the next"
                        " player."
                    ),
                ),
            ),
        ),
        OptionField(
            "pile",
            gettext("The piles, with two players only"),
            (
                ("shuffled", gettext("Shuffled: nobody knows which colour comes next.")),
                ("alternating", gettext("Alternating: the two colours take turns.")),
            ),
            gettext("Two players have two colours each, and rugs come off a pile from the top."),
        ),
    )


def describe_options(options: Json, seats: int, translations: NullTranslations) -> list[OptionText]:
    """The options of a table, in words; the piles matter only to two players."""
    gettext = translations.gettext
    variant = options_form(translations)[0]
    described = [OptionText(variant.title, dict(variant.values)[options["variant"]], options["variant"] == "standard")]
    if seats == 2:
        shuffled = options["pile"] == "shuffled"
        words = (
            gettext("The two colours of a player are shuffled.")
            if shuffled
            else gettext("The two colours of a player alternate.")
        )
        described.append(OptionText(gettext("The piles"), words, shuffled))
    return described
