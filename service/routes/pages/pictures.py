"""The board as it stands in a page; whoever looks at a table next sees the same one, so the newest are remembered."""

from collections.abc import Sequence
from functools import lru_cache
from gettext import NullTranslations
from typing import Any

from markupsafe import Markup

from service.engine.registry import GAMES
from service.games.stored import StoredGame
from service.ui.marrakech.board_svg import board_svg


def drawn(
    game: StoredGame,
    state: Any,
    translations: NullTranslations,
    places: Sequence[Sequence[str]] = (),
    paid_squares: Sequence[str] = (),
) -> Markup:
    """The board in this state, with these places for a rug numbered on it and a cord round what was paid for."""
    if state is None:
        state = game.rules.set_up(game.options, len(game.seats))
    names = tuple(seat.name for seat in game.seats)
    return _drawn(game.game, game.name, names, state, tuple(map(tuple, places)), tuple(paid_squares), translations)


@lru_cache(maxsize=128)
def _drawn(
    game: str,
    title: str,
    names: tuple[str, ...],
    state: Any,
    places: tuple[tuple[str, ...], ...],
    paid_squares: tuple[str, ...],
    translations: NullTranslations,
) -> Markup:
    view = GAMES[game].view(state, None)
    seats = [{**seat, "name": name} for seat, name in zip(view["seats"], names, strict=True)]
    shown = {**view, "name": title, "seats": seats}
    # Our own drawing, which escapes every name; it stands in the page because its squares are pointed at.
    return Markup(board_svg(shown, places, translations.gettext, paid_squares=paid_squares))  # noqa: S704
