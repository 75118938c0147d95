"""Kilim as one value that offers the protocol by which every game is presented."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from gettext import NullTranslations
from typing import Any, Final

from service.engine.json_reader import Json
from service.engine.kilim.game import KILIM
from service.engine.kilim.state import State
from service.engine.protocol import Rules
from service.engine.records import Record
from service.i18n import translations_for
from service.text import WIDTH
from service.ui.kilim import (
    alt_text,
    board_png,
    board_svg,
    board_text,
    choices,
    figures,
    finished,
    guide,
    holdings,
    introduction,
    options,
    pieces,
    questions,
    sentences,
    standings,
    table_page,
)
from service.ui.protocol import (
    Choice,
    FairnessTexts,
    GameUi,
    Holdings,
    OptionField,
    OptionText,
    Question,
    ReplayTexts,
    Step,
)
from service.ui.tables import Standings
from service.ui.words import ReplyWords


class KilimUi(GameUi):
    """The presentation of Kilim: see `service.ui.protocol.GameUi` for what each part is."""

    name: Final = KILIM.name
    example_reply: Final = "7"
    has_own_boards: Final = True

    def tagline(self, translations: NullTranslations) -> str:
        return introduction.describe_game(translations)

    def credits(self, translations: NullTranslations) -> str:
        return introduction.name_makers(translations)

    def picture(self, translations: NullTranslations) -> str:
        return figures.draw_picture(self.describe_picture(translations))

    def describe_picture(self, translations: NullTranslations) -> str:
        return introduction.describe_picture(translations)

    def describe_length(self, seats: int, translations: NullTranslations) -> str:
        return introduction.describe_length(seats, translations)

    def choices(self, view: Json, translations: NullTranslations) -> list[Choice]:
        return choices.list_choices(view, translations)

    def question(self, view: Json, translations: NullTranslations, state: State | None = None) -> Question:
        return questions.ask_question(view, translations, state)

    def choice_hints(self, state: State, names: Sequence[str], translations: NullTranslations) -> Mapping[str, str]:
        return {f"take {token}": translations.gettext(words) for token, words in pieces.TOKEN_USES.items()}

    def write_reply(self, key: str, translations: NullTranslations) -> str:
        return choices.write_reply(key, translations)

    def explain_unlisted(self, view: Json, unlisted: Sequence[Choice], translations: NullTranslations) -> str:
        return choices.explain_unlisted(view, unlisted, translations)

    def reply_words(self, language: str) -> ReplyWords:
        return choices.reply_words(language)

    def read_choice(self, tokens: Sequence[str], language: str) -> str | None:
        return choices.read_choice(tokens, language)

    def spell_choices(self, view: Json, language: str) -> dict[tuple[str, ...], str]:
        return {}  # `read_choice` reads the labels as well, without going through a thousand of them

    def find_action(self, reading: str, view: Json) -> Json:
        return choices.find_action(reading, view)

    def explain_unknown(self, view: Json) -> str:
        return questions.explain_unknown(view)

    def plan_turn(self, readings: Sequence[str], view: Json) -> Sequence[Step]:
        return choices.plan_turn(readings)

    def describe_whole_turn(self, view: Json, translations: NullTranslations) -> str:
        return questions.describe_whole_turn(view, translations)

    def explain_several(self, mentioned: Collection[str]) -> str:
        return choices.explain_several(mentioned)

    def narrate(
        self, events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None = None
    ) -> str:
        return sentences.narrate(events, names, translations, you)

    def is_told_again(self, event: Json, later: Iterable[Json]) -> bool:
        return sentences.is_told_again(event, later)

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

    def describe_holdings(self, view: Json, names: Sequence[str], translations: NullTranslations) -> Holdings | None:
        return holdings.describe_holdings(view, names, translations)

    def final_standings(
        self, record: Record, result: Json, names: Sequence[str], translations: NullTranslations
    ) -> Standings:
        return finished.build_final_standings(record, result, names, translations.gettext)

    def board_svg(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> str:
        shown = _find_shown(view, seat)
        title, words = alt_text.in_short(view, translations, shown), alt_text.in_words(view, translations, seat)
        return board_svg.board_svg(view, translations, shown, title=title, words=words)

    def board_png(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> bytes:
        return board_png.board_png(view, translations, _find_shown(view, seat))

    def thumbnail(self, view: Json, translations: NullTranslations) -> str:
        if view["you"] is None:
            return super().thumbnail(view, translations)
        title = alt_text.in_short(view, translations, view["you"])
        return board_svg.square_svg(view["seats"][view["you"]]["carpet"], title)

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
        shown = view["you"] if seat is None else seat
        return board_text.board_text(view, translations, shown, width=width, height=height, ansi=ansi)

    def alt_text(self, view: Json, translations: NullTranslations, events: Iterable[Json] = ()) -> str:
        return alt_text.in_words(view, translations)

    def replay_part(self, rules: Rules[Any, Any, Any], before: State, after: State) -> int:
        return after.round

    def replay_texts(self, translations: NullTranslations) -> ReplayTexts:
        gettext = translations.gettext
        return ReplayTexts(gettext("Round %(number)s of %(last)s"), gettext("Previous round"), gettext("Next round"))

    def options_form(self, translations: NullTranslations) -> Sequence[OptionField]:
        return options.options_form(translations)

    def describe_options(self, options_: Json, seats: int, translations: NullTranslations) -> Sequence[OptionText]:
        return options.describe_options(options_, translations)

    def table_context(self, state: State, view: Json, names: Sequence[str], language: str) -> Mapping[str, Any]:
        return table_page.describe_table(state, view, names, translations_for(language))

    def finished_context(self, record: Record, names: Sequence[str], translations: NullTranslations) -> dict[str, Any]:
        return finished.describe_finished_game(record, translations)

    def high_scores(self, record: Record) -> Mapping[str, Sequence[int]]:
        return finished.find_high_scores(record)

    def high_score_titles(self, translations: NullTranslations) -> Mapping[str, str]:
        return finished.title_high_scores(translations.gettext)

    def fairness_texts(self, translations: NullTranslations) -> FairnessTexts:
        gettext = translations.gettext
        return FairnessTexts(
            title=gettext("A draw you can check"),
            promise=gettext("The order of the dominoes was fixed before the game started. Fingerprint (SHA-256):"),
            later=gettext("When the game is over, you can check the draw."),
            now=gettext("The game is over. Check the draw."),
            check=gettext("Check the draw"),
            how=gettext("To check the draw yourself, download the record and run the command below:"),
        )

    def rules_figure(self, name: str, translations: NullTranslations) -> str | None:
        return figures.draw_figure(name, translations)


def _find_shown(view: Json, seat: int | None) -> int | None:
    """The seat whose carpet a picture shows, or None for all: the wanted one, or else the reader's until the end."""
    reader: int | None = None if view["result"] else view["you"]
    return reader if seat is None else seat


KILIM_UI: Final = KilimUi()
