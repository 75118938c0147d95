"""Ratings of players and bots, computed from the results of the finished games of one kind with OpenSkill."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from openskill.models import BradleyTerryPart, BradleyTerryPartRating

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
    ratings: dict[str, BradleyTerryPartRating] = {}
    for game in games:
        before = [[ratings.get(player) or _MODEL.rating()] for player in game.players]
        after = defaultdict[str, list[BradleyTerryPartRating]](list)
        for player, (rating,) in zip(game.players, _MODEL.rate(before, ranks=list(game.places)), strict=True):
            after[player].append(rating)
        changed = {player: _merge(rated) for player, rated in after.items()}
        ratings |= changed
        yield {player: Rating(rating.mu, rating.sigma) for player, rating in changed.items()}


def _merge(rated: Sequence[BradleyTerryPartRating]) -> BradleyTerryPartRating:
    """The rating after a game, in which a bot with several seats played once with the same strength in each."""
    if len(rated) == 1:
        return rated[0]
    return _MODEL.rating(fmean(each.mu for each in rated), fmean(each.sigma for each in rated))
