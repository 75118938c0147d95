"""What happened in a game, as sentences and paragraphs for one reader."""

from collections.abc import Iterable, Sequence
from gettext import NullTranslations
from itertools import groupby

from service.engine.json_reader import Json
from service.engine.records import Entry
from service.games.names import player_names
from service.games.store import StoredGame


class Story:
    """Describes the events that a seat may know; None is a spectator.

    The player in that seat is addressed as "you", unless `by_name` is set.
    """

    def __init__(
        self, game: StoredGame, translations: NullTranslations, seat: int | None, *, by_name: bool = False
    ) -> None:
        self._game = game
        self._ui = game.ui
        self._translations = translations
        self._seat = seat
        self._you = None if by_name else seat
        self._names = player_names(game)

    def sentence(self, entry: Entry) -> str:
        """One event."""
        return self._tell([self._visible(entry)], entry.stand_in)

    def paragraphs(self, happened: Iterable[Entry]) -> list[str]:
        """A paragraph for each run of events in which one player, or the stand-in for one, acted."""
        visible = ((self._visible(entry), entry.stand_in) for entry in happened)
        return [
            self._tell([event for event, _ in run], stand_in)
            for (_, stand_in), run in groupby(visible, lambda each: (self._ui.actor(each[0]), each[1]))
        ]

    def _visible(self, entry: Entry) -> Json:
        return self._game.rules.event_view(self._game.state, entry.event, self._seat)

    def _tell(self, events: Sequence[Json], stand_in: bool) -> str:
        # The reader didn't do what a stand-in did for them, so it isn't told as "you".
        you = None if stand_in and self._ui.actor(events[0]) == self._you else self._you
        words = " ".join(self._ui.narrate(event, self._names, self._translations, you) for event in events)
        return self._translations.gettext("Stand-in: %(sentence)s") % {"sentence": words} if stand_in else words
