"""The calls for pictures of a board."""

from flask import Response

from service.callers import Caller
from service.engine.reading import Json
from service.engine.showing import whole_view
from service.render.characters import board_text
from service.render.svg import board_svg
from service.routes import bodies
from service.routes.operations import Api
from service.shown import game_to_show, state_after


def board_calls(api: Api) -> None:
    """Add the calls."""
    office = api.office

    def view_after(id_: str, after: int | None) -> Json:
        game = game_to_show(office, id_)
        state, head = state_after(office, game, after)
        return whole_view(game.heading, state, head, None)

    @api.call(
        "GET", "/games/{id}/board.svg", query=bodies.AfterQuery, answer="image/svg+xml", errors=(404,), signed_in=False
    )
    def board_as_svg(caller: Caller, id_: str, query: bodies.AfterQuery) -> Response:
        """The board as a drawing, now or after so many events."""
        return Response(board_svg(view_after(id_, query.after)), mimetype="image/svg+xml")

    @api.call(
        "GET", "/games/{id}/board.png", query=bodies.AfterQuery, answer="image/png", errors=(404,), signed_in=False
    )
    def board_as_png(caller: Caller, id_: str, query: bodies.AfterQuery) -> Response:
        """The same as a picture of 576 points."""
        from service.render.png import board_png  # noqa: PLC0415 - the renderer is large, and few calls need it

        return Response(board_png(view_after(id_, query.after)), mimetype="image/png")

    @api.call(
        "GET", "/games/{id}/board.txt", query=bodies.AfterQuery, answer="text/plain", errors=(404,), signed_in=False
    )
    def board_as_text(caller: Caller, id_: str, query: bodies.AfterQuery) -> Response:
        """The same in plain characters."""
        return Response(board_text(view_after(id_, query.after)), mimetype="text/plain")
