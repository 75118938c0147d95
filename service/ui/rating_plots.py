"""Small charts of a rating: a line through its history, and around it a band for the uncertainty."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import quoteattr

from markupsafe import Markup

from service.i18n import Gettext
from service.ui.plots import describe_course

_WIDTH: Final = 240
_HEIGHT: Final = 56
_EDGE: Final = 4
_MOST_POINTS: Final = 60
"""More could not be told apart."""


class RatingAt(NamedTuple):
    """A rating after a game; the one before the first game has the number 0."""

    number: int
    value: float
    uncertainty: float


class Scale(NamedTuple):
    """What the charts of one game have in common, so that they can be compared."""

    games: int
    least: float
    most: float
    start: float
    """The rating of a new player, which is marked."""

    def across(self, number: int) -> float:
        return _EDGE + number / max(1, self.games) * (_WIDTH - 2 * _EDGE)

    def height(self, value: float) -> float:
        """How far down a value is; one that isn't between the ends is drawn at the nearest end."""
        shown = min(max(value, self.least), self.most)
        return _EDGE + (self.most - shown) / (self.most - self.least) * (_HEIGHT - 2 * _EDGE)


def find_scale(histories: Sequence[Sequence[RatingAt]], games: int, start: float) -> Scale:
    """The scale for these histories: room for every rating, and for the uncertainty that is left at the end."""
    ends = [history[-1] for history in histories]
    lows = [start, *(end.value - end.uncertainty for end in ends), *(each.value for all_ in histories for each in all_)]
    highs = [
        start,
        *(end.value + end.uncertainty for end in ends),
        *(each.value for all_ in histories for each in all_),
    ]
    return Scale(games, min(lows) - 1, max(highs) + 1, start)


def rating_svg(
    name: str, history: Sequence[RatingAt], scale: Scale, say: Gettext, write: Callable[[float], str]
) -> Markup:
    """Draw the history of a rating; the page has the colours. `write` writes a rating for the reader."""
    words = describe_course(name, [each.value for each in history], say, write)
    shown = [*history[: -1 : max(1, len(history) // _MOST_POINTS)], history[-1]]
    places = [scale.across(each.number) for each in shown]
    line, upper, lower = (
        [
            f"{x:.4g} {scale.height(each.value + side * each.uncertainty):.4g}"
            for x, each in zip(places, shown, strict=True)
        ]
        for side in (0, 1, -1)
    )
    start = scale.height(scale.start)
    # Our own drawing: the only text is quoted.
    return Markup(  # noqa: S704
        f'<svg class="history" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label={quoteattr(words)}>'
        f'<path class="start" d="M0 {start:.4g}H{_WIDTH}"/>'
        f'<path class="band" d="M{"L".join([*upper, *reversed(lower)])}z"/>'
        f'<path class="line" d="M{"L".join(line)}"/>'
        f'<circle class="end" cx="{places[-1]:.4g}" cy="{scale.height(shown[-1].value):.4g}" r="3.5"/></svg>'
    )
