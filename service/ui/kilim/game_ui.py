"""Kilim as one value that offers the protocol by which every game is presented."""

from collections.abc import Collection, Iterable, Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.engine.kilim.game import KILIM
from service.text import WIDTH
from service.ui.kilim import (
    alt_text,
    board_png,
    board_svg,
    board_text,
    choices,
    figures,
    guide,
    introduction,
    options,
    sentences,
    standings,
)
from service.ui.protocol import Choice, GameUi, OptionField, OptionText, Question, Standings, Step
from service.ui.words import ReplyWords


class KilimUi(GameUi):
    """The presentation of Kilim: see `service.ui.protocol.GameUi` for what each part is."""

    name: Final = KILIM.name
    example_reply: Final = "7"

    def tagline(self, translations: NullTranslations) -> str:
        return introduction.describe_game(translations)

    def describe_length(self, seats: int, translations: NullTranslations) -> str:
        return introduction.describe_length(seats, translations)

    def choices(self, view: Json, translations: NullTranslations) -> list[Choice]:
        return choices.list_choices(view, translations)

    def question(self, view: Json, translations: NullTranslations) -> Question:
        return choices.ask_question(view, translations)

    def reply_words(self, language: str) -> ReplyWords:
        return choices.reply_words(language)

    def read_choice(self, tokens: Sequence[str], language: str) -> str | None:
        return choices.read_choice(tokens, language)

    def spell_choices(self, view: Json, language: str) -> dict[tuple[str, ...], str]:
        return {}  # `read_choice` reads the labels as well, without going through a thousand of them

    def find_action(self, reading: str, view: Json) -> Json:
        return choices.find_action(reading, view)

    def explain_unknown(self, view: Json) -> str:
        return choices.explain_unknown(view)

    def plan_turn(self, readings: Sequence[str], view: Json) -> Sequence[Step]:
        return choices.plan_turn(readings)

    def describe_whole_turn(self, view: Json, translations: NullTranslations) -> str:
        return choices.describe_whole_turn(view, translations)

    def explain_several(self, mentioned: Collection[str]) -> str:
        return choices.explain_several(mentioned)

    def describe_step(self, view: Json, table: str, translations: NullTranslations) -> str:
        return f"{super().describe_step(view, table, translations)} {self.question(view, translations).legend}"

    def narrate(
        self, events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None = None
    ) -> str:
        return sentences.narrate(events, names, translations, you)

    def ending(self, result: Json, names: Sequence[str], translations: NullTranslations) -> str:
        return sentences.narrate_ending(result, names, translations)

    def explain_step(self, view: Json, translations: NullTranslations) -> str:
        return guide.explain_step(view, translations)

    def explain_news(
        self, view: Json, earlier: Sequence[Json], new: Sequence[Json], translations: NullTranslations
    ) -> Sequence[str]:
        return guide.explain_news(view, earlier, new, translations)

    def standings(self, view: Json, names: Sequence[str], translations: NullTranslations) -> Standings:
        return standings.build_standings(view, names, translations.gettext)

    def board_svg(self, view: Json, translations: NullTranslations, events: Iterable[Json] = ()) -> str:
        title, words = alt_text.in_short(view, translations, view["you"]), self.alt_text(view, translations)
        return board_svg.board_svg(view, translations, view["you"], title=title, words=words)

    def board_png(self, view: Json, translations: NullTranslations, events: Iterable[Json] = ()) -> bytes:
        return board_png.board_png(view, translations, view["you"])

    def board_text(
        self,
        view: Json,
        translations: NullTranslations,
        *,
        width: int = WIDTH,
        height: int | None = None,
        ansi: bool = False,
    ) -> str:
        return board_text.board_text(view, translations, view["you"], width=width, height=height, ansi=ansi)

    def alt_text(self, view: Json, translations: NullTranslations, events: Iterable[Json] = ()) -> str:
        return alt_text.in_words(view, translations)

    def options_form(self, translations: NullTranslations) -> Sequence[OptionField]:
        return options.options_form(translations)

    def describe_options(self, options_: Json, seats: int, translations: NullTranslations) -> Sequence[OptionText]:
        return options.describe_options(options_, translations)

    def rules_figure(self, name: str, translations: NullTranslations) -> str | None:
        return figures.draw_figure(name, translations)


KILIM_UI: Final = KilimUi()
