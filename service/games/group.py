"""The group: how often and how well its players have played, their ratings, and who is ahead of whom.

Everything is computed from the stored results whenever somebody looks; docs/decisions/31-ratings.md has the numbers.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from service.context import AppContext
from service.engine.json_reader import Json
from service.engine.registry import GAMES
from service.games.analysis import list_figures
from service.games.finished_games import FinishedGame, GroupPlayer, load_finished_games, load_players
from service.games.ratings import START, RankedGame, Rating, rate_games
from service.i18n import Gettext

Analyses = Mapping[str, Sequence[Json]]
"""By the ids of games, what their analyses say of each seat: `seat`, `luck`, `skill`."""


class GroupFilter(NamedTuple):
    """Which games count."""

    game: str | None = None
    since: float | None = None
    until: float | None = None
    """The first moment that is too late."""

    def includes(self, ended: float) -> bool:
        """Whether a game that ended before `until` counts."""
        return self.since is None or ended >= self.since


class Figures(NamedTuple):
    """How somebody has played."""

    games: int
    wins: int
    average_place: float
    luck: float | None = None
    """What the rolls gave on average in a game, as a part of the winning chance; None if no game was analysed."""
    skill: float | None = None
    """What the player's own choices lost, compared with the best ones; never above 0."""


class RatingPoint(NamedTuple):
    """A rating after a game."""

    number: int
    """The number of the game among those of the period, from 1."""
    at: float
    rating: Rating


class GameStanding(NamedTuple):
    """How somebody has played one game."""

    player: GroupPlayer
    figures: Figures
    rating: Rating
    """At the end of the period."""
    before: Rating
    """At its beginning."""
    history: Sequence[RatingPoint]


class Standing(NamedTuple):
    """How somebody has played all games."""

    player: GroupPlayer
    figures: Figures


class Encounter(NamedTuple):
    """How two players did in the games in which they met."""

    one: GroupPlayer
    other: GroupPlayer
    games: int
    ahead: int
    """In how many of them the first was ahead of the second."""
    behind: int

    @property
    def tied(self) -> int:
        """In how many they shared the win."""
        return self.games - self.ahead - self.behind

    def seen_by(self, key: str) -> "Encounter":
        """The same with this player as the first."""
        if self.one.key == key:
            return self
        return Encounter(self.other, self.one, self.games, self.behind, self.ahead)


class Group(NamedTuple):
    """Everything about the group, for the games that a filter includes."""

    games: Sequence[FinishedGame]
    """In the order in which they ended."""
    players: Mapping[str, GroupPlayer]
    standings: Sequence[Standing]
    """Over all games, the one with the most wins first."""
    by_game: Mapping[str, Sequence[GameStanding]]
    """For each game that was played, the best player first."""
    encounters: Sequence[Encounter]
    """Those who met most often first."""

    def encounters_of(self, key: str) -> list[Encounter]:
        """How this player did against each other one."""
        return [each.seen_by(key) for each in self.encounters if key in {each.one.key, each.other.key}]


def describe_group(ctx: AppContext, wanted: GroupFilter, gettext: Gettext = str) -> Group:
    """Compute everything about the group; levels of bots are named in the reader's language."""
    finished = load_finished_games(ctx, wanted.game, wanted.until)
    games = [game for game in finished if wanted.includes(game.ended)]
    players = load_players(ctx, games, gettext)
    analyses = list_figures(ctx.database)
    figures = count_results(games, players, analyses)
    standings = sorted((Standing(players[key], each) for key, each in figures.items()), key=_most_wins_first)
    kinds = [kind for kind in GAMES if any(game.game == kind for game in games)]
    return Group(
        games,
        players,
        standings,
        {kind: _rank([game for game in finished if game.game == kind], wanted, players, analyses) for kind in kinds},
        compare_players(games, players),
    )


def _most_wins_first(standing: Standing) -> tuple[float, ...]:
    return -standing.figures.wins, standing.figures.average_place, -standing.figures.games


def count_results(
    games: Sequence[FinishedGame], players: Mapping[str, GroupPlayer], analyses: Analyses
) -> dict[str, Figures]:
    """How each player has played these games. A level counts once for each of its bots."""
    places = defaultdict[str, list[int]](list)
    for game in games:
        for key, place in zip(game.players, game.places, strict=True):
            places[key].append(place)
    luck_and_skill = list_luck_and_skill(games, analyses)
    return {
        key: Figures(len(each), each.count(1), fmean(each), *luck_and_skill.get(key, ()))
        for key, each in places.items()
        if key in players
    }


def list_luck_and_skill(games: Sequence[FinishedGame], analyses: Analyses) -> dict[str, tuple[float, float]]:
    """The average luck and skill of each player in the games that were analysed."""
    found = defaultdict[str, list[Json]](list)
    for game in games:
        for seat in analyses.get(game.id, ()):
            found[game.players[seat["seat"]]].append(seat)
    return {
        key: (fmean(seat["luck"] for seat in seats), fmean(seat["skill"] for seat in seats))
        for key, seats in found.items()
    }


def _rank(
    finished: Sequence[FinishedGame], wanted: GroupFilter, players: Mapping[str, GroupPlayer], analyses: Analyses
) -> list[GameStanding]:
    """The players of one game, the best first."""
    figures = count_results([game for game in finished if wanted.includes(game.ended)], players, analyses)
    before, histories = _follow_ratings(finished, wanted)
    standings = [
        GameStanding(players[key], each, histories[key][-1].rating, before.get(key, START), histories[key])
        for key, each in figures.items()
    ]
    return sorted(standings, key=lambda standing: -standing.rating.cautious)


def _follow_ratings(
    finished: Sequence[FinishedGame], wanted: GroupFilter
) -> tuple[dict[str, Rating], dict[str, list[RatingPoint]]]:
    """The ratings before the period, and how they went on in it, for all players of one game."""
    before: dict[str, Rating] = {}
    histories, number = defaultdict[str, list[RatingPoint]](list), 0
    rated = rate_games(RankedGame(game.players, game.places) for game in finished)
    for game, changed in zip(finished, rated, strict=True):
        if not wanted.includes(game.ended):
            before |= changed
            continue
        number += 1
        for key, rating in changed.items():
            histories[key].append(RatingPoint(number, game.ended, rating))
    return before, histories


def compare_players(games: Iterable[FinishedGame], players: Mapping[str, GroupPlayer]) -> list[Encounter]:
    """Who met whom, and who was ahead. A level meets a player once with each of its bots."""
    results = defaultdict[tuple[str, str], list[int]](list)
    for game in games:
        for pair, difference in _list_pairs(game, players):
            results[pair].append(difference)
    found = [
        Encounter(players[one], players[other], len(each), sum(d < 0 for d in each), sum(d > 0 for d in each))
        for (one, other), each in results.items()
    ]
    return sorted(found, key=lambda encounter: -encounter.games)


def _list_pairs(game: FinishedGame, players: Mapping[str, GroupPlayer]) -> Iterator[tuple[tuple[str, str], int]]:
    """The pairs of players who may be named, and by how many places the first was behind the second."""
    seated = sorted((key, place) for key, place in zip(game.players, game.places, strict=True) if key in players)
    for (one, place), (other, other_place) in combinations(seated, 2):
        if one != other:
            yield (one, other), place - other_place
