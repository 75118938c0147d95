"""The records of the group: the highest scores of people, and the longest games."""

from collections.abc import Iterator, Mapping, Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple

from service.games.finished_games import FinishedGame, GroupPlayer
from service.i18n import marked
from service.text import format_duration
from service.ui.registry import game_ui

_SECONDS: Final = "seconds"
_LONGEST: Final = {"turns": marked("Longest game by turns"), _SECONDS: marked("Longest game by time")}


class GroupRecord(NamedTuple):
    """A number that nobody has beaten."""

    name: str
    title: str
    number: int
    words: str
    """The number as it is shown."""
    game: FinishedGame
    """In which it was reached first."""
    players: Sequence[GroupPlayer]
    """Who reached it; for a longest game all its players who may be named."""


class _Score(NamedTuple):
    number: int
    game: FinishedGame
    keys: Sequence[str]


def find_records(
    kind: str, games: Sequence[FinishedGame], players: Mapping[str, GroupPlayer], translations: NullTranslations
) -> list[GroupRecord]:
    """The records of one game, in these finished games of it. Bots hold none."""
    people = {key for key, player in players.items() if player.bot is None}
    with_people = [game for game in games if people.intersection(game.players)]
    titles = game_ui(kind).high_score_titles(translations)
    titles = {**titles, **{name: translations.gettext(title) for name, title in _LONGEST.items()}}
    found = []
    for name, title in titles.items():
        scores = _list_lengths if name in _LONGEST else _list_high_scores
        best = max(scores(name, with_people, people), key=lambda score: score.number, default=None)
        if best is not None and best.number > 0:
            words = format_duration(best.number, translations) if name == _SECONDS else str(best.number)
            named = [players[key] for key in dict.fromkeys(best.keys) if key in players]
            found.append(GroupRecord(name, title, best.number, words, best.game, named))
    return found


def _list_high_scores(name: str, games: Sequence[FinishedGame], people: set[str]) -> Iterator[_Score]:
    for game in games:
        numbers = game.high_scores.get(name) or [0] * len(game.players)
        for key, number in zip(game.players, numbers, strict=True):
            if key in people:
                yield _Score(number, game, [key])


def _list_lengths(name: str, games: Sequence[FinishedGame], people: set[str]) -> Iterator[_Score]:
    for game in games:
        yield _Score(int(game.ended - game.started) if name == _SECONDS else game.turns, game, game.players)
