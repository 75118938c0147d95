"""Small charts of a rating: a line through its history, and around it a band for the uncertainty."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import quoteattr

from markupsafe import Markup

from service.i18n import Gettext
from service.ui.plots import describe_course

_WIDTH: Final = 240
_HEIGHT: Final = 60
_EDGE: Final = 4
_MARGIN: Final = 2.0
"""Above the highest and below the lowest rating; a band that is wider is cut off."""
_MOST_POINTS: Final = 60
"""More could not be told apart."""


class RatingAt(NamedTuple):
    """A rating after a game; the number of the first game is 1."""

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
        """Where a game is."""
        return _EDGE + number / max(1, self.games) * (_WIDTH - 2 * _EDGE)

    def height(self, value: float) -> float:
        """How far down a rating is."""
        return (self.most - value) / (self.most - self.least) * _HEIGHT


def find_scale(histories: Iterable[Sequence[RatingAt]], games: int, start: RatingAt) -> Scale:
    """The scale for the histories of this many games: room for all ratings, and for the band of a new player."""
    values = [each.value for history in histories for each in history]
    least, most = start.value - start.uncertainty, start.value + start.uncertainty
    return Scale(
        games,
        min([least, *(value - _MARGIN for value in values)]),
        max([most, *(value + _MARGIN for value in values)]),
        start.value,
    )


def rating_svg(
    name: str, history: Sequence[RatingAt], scale: Scale, say: Gettext, write: Callable[[float], str]
) -> Markup:
    """Draw the history of a rating; the page has the colours. `write` writes a rating for the reader."""
    words = describe_course(name, [each.value for each in history], say, write)
    shown = [*history[: -1 : max(1, len(history) // _MOST_POINTS)], history[-1]]
    line, upper, lower = (_list_spots(shown, scale, side) for side in (0, 1, -1))
    start, end = scale.height(scale.start), shown[-1]
    # Our own drawing: the only text is quoted.
    return Markup(  # noqa: S704
        f'<svg class="history" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label={quoteattr(words)}>'
        f'<path class="start" d="M0 {start:.4g}H{_WIDTH}"/>'
        f'<path class="band" d="M{"L".join([*upper, *reversed(lower)])}z"/>'
        f'<path class="line" d="M{"L".join(line)}"/>'
        f'<circle class="end" cx="{scale.across(end.number):.4g}" cy="{scale.height(end.value):.4g}" r="3.5"/></svg>'
    )


def _list_spots(history: Sequence[RatingAt], scale: Scale, side: int) -> list[str]:
    """The spots of the line, or of the band's upper (1) or lower (-1) edge."""
    return [
        f"{scale.across(each.number):.4g} {scale.height(each.value + side * each.uncertainty):.4g}" for each in history
    ]
