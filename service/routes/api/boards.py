"""The API's calls for pictures of a board."""

from typing import Final

from flask import Response
from flask.typing import ResponseReturnValue

from service.context import AppContext
from service.engine.json_reader import Json
from service.engine.records import build_view
from service.games.names import with_display_names
from service.games.store import entries
from service.games.stored import StoredGame
from service.games.views import get_open_game, state_after
from service.routes.api import schemas
from service.routes.api.blueprint import api, call
from service.routes.current import current_context, current_reader
from service.ui.marrakech.board_svg import board_svg, squares_paid
from service.ui.marrakech.board_text import board_text

_SINCE_ROLL: Final = 12
"""More events than this never follow a roll before the next one."""


@api.get("/games/<id>/board.svg")
@call(query=schemas.AfterQuery, also=(404,), signed_in=False)
def get_board_svg(game_id: str, query: schemas.AfterQuery) -> ResponseReturnValue:
    """The board as a drawing, now or after so many events; its words are in the language that is asked for."""
    ctx = current_context()
    translations = current_reader().translations
    view, paid = _with_payment(ctx, with_display_names(get_open_game(ctx, game_id), translations), query.after)
    drawing = board_svg(view, say=translations.gettext, paid_squares=paid)
    return Response(drawing, mimetype="image/svg+xml", headers={"Vary": "Accept-Language, Cookie"})


@api.get("/games/<id>/board.png")
@call(query=schemas.AfterQuery, also=(404,), signed_in=False)
def get_board_png(game_id: str, query: schemas.AfterQuery) -> ResponseReturnValue:
    """The same as a picture of 576 points."""
    from service.ui.marrakech.board_png import board_png  # noqa: PLC0415 - the renderer is large, and few calls need it

    ctx = current_context()
    view, paid = _with_payment(ctx, get_open_game(ctx, game_id), query.after)
    return Response(board_png(view, paid_squares=paid), mimetype="image/png")


@api.get("/games/<id>/board.txt")
@call(query=schemas.AfterQuery, also=(404,), signed_in=False)
def get_board_text(game_id: str, query: schemas.AfterQuery) -> ResponseReturnValue:
    """The same in plain characters."""
    ctx = current_context()
    return Response(board_text(_view(ctx, get_open_game(ctx, game_id), query.after)), mimetype="text/plain")


def _view(ctx: AppContext, game: StoredGame, after: int | None) -> Json:
    state, head = state_after(ctx, game, after)
    return build_view(game.heading, state, head, None)


def _with_payment(ctx: AppContext, game: StoredGame, after: int | None) -> tuple[Json, list[str]]:
    """The view after so many events, and the squares that were paid for in the end."""
    view = _view(ctx, game, after)
    last = entries(ctx.database, game, max(0, view["head"] - _SINCE_ROLL), view["head"])
    return view, squares_paid(view, (game.rules.events.write(entry.event) for entry in last))
