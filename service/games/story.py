"""What happened in a game, in sentences for one reader."""

from collections.abc import Iterable, Iterator
from gettext import NullTranslations
from itertools import groupby
from typing import NamedTuple

from service.engine.json_reader import Json
from service.engine.records import Entry
from service.games.names import player_names
from service.games.store import StoredGame


class Sentence(NamedTuple):
    """What one player, or a stand-in for them, did in a turn; or an event that no player caused."""

    seq: int
    """The number of the last event that it tells."""
    text: str


class Story:
    """Tells the events of a game as far as a seat may know them; the player in that seat is called "you".

    The seat of a spectator is None.
    """

    def __init__(self, game: StoredGame, translations: NullTranslations, seat: int | None) -> None:
        self._game = game
        self._ui = game.ui
        self._translations = translations
        self._seat = seat
        self._names = player_names(game)

    def sentences(self, happened: Iterable[Entry], first: int = 1) -> list[Sentence]:
        """A sentence for each run of events with the same actor; `first` is the number of the first event."""
        visible = ((seq, self._visible(entry), entry.stand_in) for seq, entry in enumerate(happened, start=first))
        return list(self._tell(visible))

    def texts(self, happened: Iterable[Entry]) -> list[str]:
        """The same without the numbers."""
        return [sentence.text for sentence in self.sentences(happened)]

    def summary(self, happened: Iterable[Entry]) -> list[str]:
        """The same without what is told again later; what a stand-in did stays, because only there it is named."""
        visible = [(seq, self._visible(entry), entry.stand_in) for seq, entry in enumerate(happened)]
        events = [event for _, event, _ in visible]
        kept = [each for each in visible if each[2] or not self._ui.is_told_again(each[1], events[each[0] + 1 :])]
        return [sentence.text for sentence in self._tell(kept)]

    def _tell(self, visible: Iterable[tuple[int, Json, bool]]) -> Iterator[Sentence]:
        """A sentence for each run of events with the same actor, and for each event that no player caused."""
        for (actor, stand_in, _), run in groupby(visible, self._find_actor):
            numbered = [(seq, event) for seq, event, _ in run]
            words = self._narrate([event for _, event in numbered], actor if stand_in else None)
            yield Sentence(numbered[-1][0], words)

    def _find_actor(self, each: tuple[int, Json, bool]) -> tuple[int | None, bool, int]:
        seq, event, stand_in = each
        actor = self._ui.actor(event)
        return actor, stand_in, seq if actor is None else 0

    def _visible(self, entry: Entry) -> Json:
        return self._game.rules.event_view(self._game.state, entry.event, self._seat)

    def _narrate(self, events: list[Json], absent: int | None) -> str:
        """Narrate the events; if a stand-in caused them, `absent` is the seat that it played for."""
        if absent is None:
            return self._ui.narrate(events, self._names, self._translations, self._seat)
        gettext, names = self._translations.gettext, list(self._names)
        is_own = absent == self._seat
        names[absent] = gettext("Your stand-in") if is_own else gettext("%(name)s's stand-in") % {"name": names[absent]}
        return self._ui.narrate(events, names, self._translations, None if is_own else self._seat)
