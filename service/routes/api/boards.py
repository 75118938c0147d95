"""The API's calls for pictures of a board."""

from typing import Final, NamedTuple

from flask import Response
from flask.typing import ResponseReturnValue

from service.engine.json_reader import Json
from service.errors import Forbidden
from service.games.names import with_display_names
from service.games.store import entries
from service.games.views import get_open_game, view_after, visible_events
from service.routes.api import schemas
from service.routes.api.blueprint import api, call, current_principal
from service.routes.current import current_context, current_reader
from service.ui.protocol import GameUi

_LATEST: Final = 12
"""So many events are enough for a board to show what has just happened."""
_VARY: Final = {"Vary": "Authorization, Accept-Language, Cookie"}


@api.get("/games/<id>/board.svg")
@call(query=schemas.BoardQuery, also=(403, 404), signed_in=False)
def get_board_svg(game_id: str, query: schemas.BoardQuery) -> ResponseReturnValue:
    """The board as a drawing, now or after so many events; its words are in your language."""
    ui, view, events = _load_board(game_id, query)
    drawing = ui.board_svg(view, current_reader().translations, events)
    return Response(drawing, mimetype="image/svg+xml", headers=_VARY)


@api.get("/games/<id>/board.png")
@call(query=schemas.BoardQuery, also=(403, 404), signed_in=False)
def get_board_png(game_id: str, query: schemas.BoardQuery) -> ResponseReturnValue:
    """The same as a picture of 576 points."""
    ui, view, events = _load_board(game_id, query)
    return Response(ui.board_png(view, current_reader().translations, events), mimetype="image/png", headers=_VARY)


@api.get("/games/<id>/board.txt")
@call(query=schemas.BoardQuery, also=(403, 404), signed_in=False)
def get_board_text(game_id: str, query: schemas.BoardQuery) -> ResponseReturnValue:
    """The same in characters, in so many columns and rows; with `ansi` in colours for a terminal."""
    ui, view, _ = _load_board(game_id, query)
    translations = current_reader().translations
    text = ui.board_text(view, translations, width=query.width, height=query.height, ansi=query.ansi)
    return Response(text, mimetype="text/plain", headers=_VARY)


class _Board(NamedTuple):
    """What a picture of the board is made of."""

    ui: GameUi
    view: Json
    events: list[Json]
    """The latest ones."""


def _load_board(game_id: str, query: schemas.BoardQuery) -> _Board:
    """The board that is asked for; a seat's own view only for the player who sits there."""
    ctx = current_context()
    game = with_display_names(get_open_game(ctx, game_id), current_reader().translations)
    if query.seat is not None and query.seat != current_principal().find_seat_in(game):
        raise Forbidden("You can only see the board from your own seat; leave out `seat` to watch.")
    view = view_after(ctx, game, query.after, query.seat)
    first = max(0, view["head"] - _LATEST)
    latest = entries(ctx.database, game, first, view["head"])
    return _Board(game.ui, view, visible_events(game, first + 1, latest, query.seat))
