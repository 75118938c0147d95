"""The API's calls for pictures of a board."""

from collections.abc import Callable
from typing import Final, NamedTuple

from flask import Response
from flask.typing import ResponseReturnValue

from service.engine.json_reader import Json
from service.errors import Forbidden, NotFound
from service.games.names import with_display_names
from service.games.store import StoredGame, entries
from service.games.views import get_open_game, view_after, visible_events
from service.routes.api import schemas
from service.routes.api.blueprint import api, call, current_principal
from service.routes.current import current_context, current_reader
from service.routes.pictures import picture_key, picture_response
from service.ui.protocol import GameUi

_LATEST: Final = 12
"""The number of events that the board needs to show what has just happened."""


class _Board(NamedTuple):
    """What a picture of the board is made of."""

    ui: GameUi
    view: Json
    events: list[Json]
    """The latest ones."""


@api.get("/games/<id>/board.svg")
@call(query=schemas.BoardQuery, also=(304, 403, 404), signed_in=False)
def get_board_svg(game_id: str, query: schemas.BoardQuery) -> ResponseReturnValue:
    """The board as a drawing, now or after N events; its words are in your language."""
    say = current_reader().translations
    return _respond(
        "board.svg",
        game_id,
        query,
        lambda board: board.ui.board_svg(board.view, say, board.events, seat=query.seat),
    )


@api.get("/games/<id>/board.png")
@call(query=schemas.BoardQuery, also=(304, 403, 404), signed_in=False)
def get_board_png(game_id: str, query: schemas.BoardQuery) -> ResponseReturnValue:
    """The same as an image of 576 pixels."""
    say = current_reader().translations
    return _respond(
        "board.png",
        game_id,
        query,
        lambda board: board.ui.board_png(board.view, say, board.events, seat=query.seat),
    )


@api.get("/games/<id>/board.txt")
@call(query=schemas.BoardQuery, also=(304, 403, 404), signed_in=False)
def get_board_text(game_id: str, query: schemas.BoardQuery) -> ResponseReturnValue:
    """The same in characters, in a given number of columns and rows; with `ansi` in colours for a terminal."""
    say, width, height, ansi = current_reader().translations, query.width, query.height, query.ansi

    def draw(board: _Board) -> str:
        return board.ui.board_text(board.view, say, seat=query.seat, width=width, height=height, ansi=ansi)

    return _respond("board.txt", game_id, query, draw)


def _respond(kind: str, game_id: str, query: schemas.BoardQuery, draw: Callable[[_Board], str | bytes]) -> Response:
    """The requested board; what a seat alone may know is only for its own player."""
    ctx, reader = current_context(), current_reader()
    game = with_display_names(get_open_game(ctx, game_id), reader.translations)
    own = current_principal().find_seat_in(game)
    if query.seat is not None and query.seat != own and not game.ui.has_own_boards:
        raise Forbidden("You can only see the board from your own seat. Leave out `seat` to watch.")
    if query.seat is not None and query.seat >= len(game.seats):
        raise NotFound("This game has only %(seats)s seats. The first one is 0.", seats=len(game.seats))
    viewer = own if query.seat == own else None
    if query.after is not None and query.after > game.head:
        raise NotFound("This game has only %(events)s events so far. Use a smaller number.", events=game.head)
    key = picture_key(kind, game, reader.language, repr((query, viewer)))
    return picture_response(key, lambda: draw(_load_board(game, query, viewer)))


def _load_board(game: StoredGame, query: schemas.BoardQuery, viewer: int | None) -> _Board:
    ctx = current_context()
    view = view_after(ctx, game, query.after, viewer)
    first = max(0, view["head"] - _LATEST)
    latest = entries(ctx.database, game, first, view["head"])
    return _Board(game.ui, view, visible_events(game, first + 1, latest, viewer))
