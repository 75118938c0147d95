"""The calls for pictures of a board."""

from typing import Final

from flask import Response

from service.callers import Caller
from service.engine.reading import Json
from service.engine.showing import whole_view
from service.mail.wording import named
from service.office import Office
from service.render.characters import board_text
from service.render.payment import squares_paid
from service.render.svg import board_svg
from service.routes import bodies
from service.routes.operations import Api
from service.routes.speaking import reader_here
from service.shown import game_to_show, state_after
from service.store import entries
from service.stored import StoredGame

_SINCE_ROLL: Final = 12
"""More events than this never follow a roll before the next one."""


def board_calls(api: Api) -> None:
    """Add the calls."""
    office = api.office

    @api.call(
        "GET", "/games/{id}/board.svg", query=bodies.AfterQuery, answer="image/svg+xml", errors=(404,), signed_in=False
    )
    def board_as_svg(caller: Caller, id_: str, query: bodies.AfterQuery) -> Response:
        """The board as a drawing, now or after so many events; its words are in the language that is asked for."""
        translations = reader_here(office).translations
        view, paid = _with_payment(office, named(game_to_show(office, id_), translations), query.after)
        drawing = board_svg(view, say=translations.gettext, paid_squares=paid)
        return Response(drawing, mimetype="image/svg+xml", headers={"Vary": "Accept-Language, Cookie"})

    @api.call(
        "GET", "/games/{id}/board.png", query=bodies.AfterQuery, answer="image/png", errors=(404,), signed_in=False
    )
    def board_as_png(caller: Caller, id_: str, query: bodies.AfterQuery) -> Response:
        """The same as a picture of 576 points."""
        from service.render.png import board_png  # noqa: PLC0415 - the renderer is large, and few calls need it

        view, paid = _with_payment(office, game_to_show(office, id_), query.after)
        return Response(board_png(view, paid_squares=paid), mimetype="image/png")

    @api.call(
        "GET", "/games/{id}/board.txt", query=bodies.AfterQuery, answer="text/plain", errors=(404,), signed_in=False
    )
    def board_as_text(caller: Caller, id_: str, query: bodies.AfterQuery) -> Response:
        """The same in plain characters."""
        return Response(board_text(_view(office, game_to_show(office, id_), query.after)), mimetype="text/plain")


def _view(office: Office, game: StoredGame, after: int | None) -> Json:
    state, head = state_after(office, game, after)
    return whole_view(game.heading, state, head, None)


def _with_payment(office: Office, game: StoredGame, after: int | None) -> tuple[Json, list[str]]:
    """The view after so many events, and the squares that were paid for in the end."""
    view = _view(office, game, after)
    last = entries(office.database, game, max(0, view["head"] - _SINCE_ROLL), view["head"])
    return view, squares_paid(view, (game.rules.events.write(entry.event) for entry in last))
