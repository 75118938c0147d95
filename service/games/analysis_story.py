"""What an analysis is about, in words: the choices that a player had, and what a roll led to."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Any, NamedTuple

from service.engine.analysis import Analysis, Decision, Roll
from service.engine.json_reader import Json
from service.engine.records import Entry, build_view
from service.games.store import StoredGame
from service.games.story import Story


class ChoiceWords(NamedTuple):
    """The label of what a player chose, and of what would have been best."""

    played: str
    best: str


class RollWords(NamedTuple):
    """What happened from a roll on, and the number of the last event of it."""

    text: str
    last: int


class AnalysisStory:
    """Tells the choices and rolls of a finished game; call `with_display_names` first.

    `states` are those before the first event and after each one.
    """

    def __init__(
        self,
        game: StoredGame,
        happened: Sequence[Entry],
        states: Sequence[Any],
        analysis: Analysis,
        translations: NullTranslations,
    ) -> None:
        self._game, self._happened, self._states = game, happened, states
        self._translations = translations
        choices = [decision.seq for decision in analysis.decisions]
        rolls = [roll.seq for roll in analysis.rolls]
        self._ends = sorted({*choices, *rolls, len(happened) + 1})

    def choices(self, decision: Decision) -> ChoiceWords:
        """The player's choice and the best one, as they were offered to the player."""
        head = decision.seq - 1
        view = build_view(self._game.heading, self._states[head], head, decision.seat)
        choices = self._game.ui.choices(view, self._translations)

        def label(action: Json) -> str:
            return next((choice.answer or choice.label for choice in choices if choice.action == action), "")

        # Resigning is never listed. Without a best choice, it would have been best to do nothing.
        say = self._translations.gettext
        best = label(decision.best) if decision.best else say("Stay in the game")
        return ChoiceWords(label(decision.action) or say("Resign"), best)

    def roll(self, roll: Roll) -> RollWords:
        """What happened from a roll to the next choice or roll, as far as the same player caused it."""
        last = next(seq for seq in self._ends if seq > roll.seq) - 1
        story = Story(self._game, self._translations, None)
        return RollWords(story.texts(self._happened[roll.seq - 1 : last])[0], last)
