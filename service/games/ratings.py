"""Ratings of players and bots, computed from the results of the finished games of one kind with OpenSkill."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from openskill.models import BradleyTerryPart

_MODEL: Final = BradleyTerryPart()
_DEVIATIONS: Final = 2.0
"""The true strength is in the range of the uncertainty with a probability of 95%."""


class Rating(NamedTuple):
    """How strong somebody is: a normal distribution."""

    mu: float
    sigma: float

    @property
    def uncertainty(self) -> float:
        """How much the rating may be wrong in each direction."""
        return _DEVIATIONS * self.sigma

    @property
    def cautious(self) -> float:
        """The strength that is reached almost surely; by it, a few lucky games don't put anyone on top."""
        return _MODEL.rating(self.mu, self.sigma).ordinal(z=_DEVIATIONS)


START: Final = Rating(_MODEL.mu, _MODEL.sigma)
"""The rating of somebody who hasn't played yet."""


class RankedGame(NamedTuple):
    """The result of a game, seat by seat."""

    players: Sequence[str]
    """Who played; a bot may have more than one seat."""
    places: Sequence[int]
    """1 is the best; players who share a place have the same number."""


def rate_games(games: Iterable[RankedGame]) -> Iterator[Mapping[str, Rating]]:
    """After each game, in the order in which they ended, the new ratings of those who played it."""
    ratings: dict[str, Rating] = {}
    for game in games:
        changed = _rate_game(game, [ratings.get(player, START) for player in game.players])
        ratings |= changed
        yield changed


def _rate_game(game: RankedGame, before: Sequence[Rating]) -> dict[str, Rating]:
    teams = [[_MODEL.rating(rating.mu, rating.sigma)] for rating in before]
    after = defaultdict(list)
    for player, (rating,) in zip(game.players, _MODEL.rate(teams, ranks=list(game.places)), strict=True):
        after[player].append(rating)
    # A bot with several seats played once with the same strength in each of them.
    return {
        player: Rating(fmean(each.mu for each in rated), fmean(each.sigma for each in rated))
        for player, rated in after.items()
    }
