"""Marrakech as one value that offers the protocol by which every game is presented."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from gettext import NullTranslations
from typing import Any, Final

from service.engine.json_reader import Json
from service.engine.marrakech.game import MARRAKECH
from service.engine.marrakech.state import State
from service.engine.records import Record
from service.text import WIDTH
from service.ui.marrakech import choices, figures, finished, guide, introduction, options, sentences, standings
from service.ui.marrakech.alt_text import in_words
from service.ui.marrakech.board_svg import board_svg, squares_paid
from service.ui.marrakech.board_text import board_text
from service.ui.marrakech.move_preview import describe_costs, preview_directions
from service.ui.protocol import Choice, GameUi, OptionField, OptionText, Question, Step
from service.ui.tables import Standings
from service.ui.words import ReplyWords


class MarrakechUi(GameUi):
    """The presentation of Marrakech: see `service.ui.protocol.GameUi` for what each part is."""

    name: Final = MARRAKECH.name
    example_reply: Final = "left"
    is_animated: Final = True

    def tagline(self, translations: NullTranslations) -> str:
        return introduction.describe_game(translations)

    def credits(self, translations: NullTranslations) -> str:
        return introduction.name_makers(translations)

    def picture(self, translations: NullTranslations) -> str:
        return figures.draw_picture(translations)

    def describe_picture(self, translations: NullTranslations) -> str:
        return introduction.describe_picture(translations)

    def describe_length(self, seats: int, translations: NullTranslations) -> str:
        return introduction.describe_length(seats, translations)

    def choices(self, view: Json, translations: NullTranslations) -> list[Choice]:
        return choices.list_choices(view, translations)

    def question(self, view: Json, translations: NullTranslations, state: State | None = None) -> Question:
        return choices.ask_question(view, translations)

    def choice_hints(self, state: State, names: Sequence[str], translations: NullTranslations) -> Mapping[str, str]:
        return describe_costs(state, names, translations)

    def reply_words(self, language: str) -> ReplyWords:
        return choices.reply_words(language)

    def read_choice(self, tokens: Sequence[str], language: str) -> str | None:
        return (
            choices.read_place(tokens)
            or choices.read_direction(tokens, language)
            or super().read_choice(tokens, language)
        )

    def build_action(self, reading: str, view: Json) -> Json | None:
        return choices.build_action(reading, view)

    def plan_turn(self, readings: Sequence[str], view: Json) -> Sequence[Step]:
        return choices.plan_turn(readings, view)

    def describe_whole_turn(self, view: Json, translations: NullTranslations) -> str:
        return choices.describe_whole_turn(view, translations)

    def explain_several(self, mentioned: Collection[str]) -> str:
        return choices.explain_several(mentioned)

    def describe_step(self, view: Json, table: str, translations: NullTranslations) -> str:
        said = introduction.describe_roll(view, table, translations)
        return said or super().describe_step(view, table, translations)

    def narrate(
        self, events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None = None
    ) -> str:
        return sentences.narrate(events, names, translations, you)

    def actor(self, event: Json) -> int | None:
        return sentences.find_actor(event)

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

    def final_standings(
        self, record: Record, result: Json, names: Sequence[str], translations: NullTranslations
    ) -> Standings:
        return finished.build_final_standings(record, result, names, translations.gettext)

    def board_svg(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> str:
        return board_svg(
            view,
            choices.list_places(view),
            translations.gettext,
            paid_squares=squares_paid(view, events),
            directions=choices.list_directions(view),
        )

    def board_text(
        self,
        view: Json,
        translations: NullTranslations,
        *,
        seat: int | None = None,
        width: int = WIDTH,
        height: int | None = None,
        ansi: bool = False,
    ) -> str:
        return board_text(view, translations.gettext, width=width, height=height, ansi=ansi)

    def board_png(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> bytes:
        from service.ui.marrakech.board_png import board_png  # noqa: PLC0415 - the renderer is large, and few need it

        return board_png(view, choices.list_places(view), paid_squares=squares_paid(view, events))

    def alt_text(self, view: Json, translations: NullTranslations, events: Iterable[Json] = ()) -> str:
        return in_words(view, translations.gettext, squares_paid(view, events))

    def animation(self, record: Record, translations: NullTranslations) -> str:
        from service.ui.marrakech.animation import game_svg  # noqa: PLC0415 - few ask for it

        return game_svg(record, translations.gettext)

    def options_form(self, translations: NullTranslations) -> Sequence[OptionField]:
        return options.options_form(translations)

    def describe_options(self, options_: Json, seats: int, translations: NullTranslations) -> Sequence[OptionText]:
        return options.describe_options(options_, seats, translations)

    def table_context(self, state: State, view: Json, names: Sequence[str], language: str) -> Mapping[str, Any]:
        return {"preview": preview_directions(state, names, language) if view["legal"] else {}}

    def finished_context(self, record: Record, names: Sequence[str], translations: NullTranslations) -> dict[str, Any]:
        return finished.describe_finished_game(record, translations)

    def high_scores(self, record: Record) -> Mapping[str, Sequence[int]]:
        return finished.find_high_scores(record)

    def high_score_titles(self, translations: NullTranslations) -> Mapping[str, str]:
        return finished.title_high_scores(translations.gettext)

    def rules_figure(self, name: str, translations: NullTranslations) -> str | None:
        return figures.draw_figure(name, translations)


MARRAKECH_UI: Final = MarrakechUi()
"""The presentation, for the registry."""
