"""Pictures of games are drawn once for each game, head and language, and sent once to each browser."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.context import AppContext
from service.db.models import Player, Seat
from service.games.store import StoredGame
from service.routes.pictures import PictureCache, PictureKey
from service.ui.registry import game_ui
from tests.support.tables import play_one_action, start_game

KEY = PictureKey("board.svg", "game", 1, (), "en")


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return create_app(ctx).test_client()


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    return play_one_action(ctx, start_game(ctx, [ann, bo])).game


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of each drawing function that was called."""
    called: list[str] = []
    kind = type(game_ui("marrakech"))

    def count(name: str, draw: Callable[..., object]) -> Callable[..., object]:
        def counting(*args: object, **more: object) -> object:
            called.append(name)
            return draw(*args, **more)

        return counting

    for name in ("animation", "board_svg", "board_png", "board_text"):
        monkeypatch.setattr(kind, name, count(name, getattr(kind, name)))
    return called


PICTURES = {
    "/g/{id}/game.svg": ("animation", "image/svg+xml"),
    "/api/v1/games/{id}/board.svg": ("board_svg", "image/svg+xml"),
    "/api/v1/games/{id}/board.png": ("board_png", "image/png"),
    "/api/v1/games/{id}/board.txt?width=80&ansi=1": ("board_text", "text/plain"),
}


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_is_drawn_once_and_sent_once(
    ctx: AppContext, client: FlaskClient, game: StoredGame, drawings: list[str], path: str
) -> None:
    (name, mimetype), where = PICTURES[path], path.format(id=game.id)
    first = client.get(where)
    assert (first.status_code, first.mimetype) == (200, mimetype)
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = client.get(where)
    assert (again.data, again.headers["ETag"]) == (first.data, first.headers["ETag"])
    kept = client.get(where, headers={"If-None-Match": first.headers["ETag"]})
    assert (kept.status_code, kept.data, kept.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert drawings.count(name) == 1


@pytest.mark.parametrize("path", PICTURES)
def test_a_new_event_language_or_name_is_a_new_picture(
    ctx: AppContext, client: FlaskClient, game: StoredGame, path: str
) -> None:
    where = path.format(id=game.id)
    tags = [client.get(where).headers["ETag"], client.get(where, headers={"Accept-Language": "fr"}).headers["ETag"]]
    play_one_action(ctx, game)
    tags.append(client.get(where).headers["ETag"])
    Seat.update(name="Zoë").where(Seat.game == game.id).execute(ctx.database)
    tags.append(client.get(where).headers["ETag"])
    assert len(set(tags)) == 4
    assert client.get(where, headers={"If-None-Match": tags[0]}).status_code == 200


def test_boards_of_other_heads_and_seats_are_other_pictures(
    ctx: AppContext, client: FlaskClient, game: StoredGame
) -> None:
    where, seat = f"/api/v1/games/{game.id}/board.svg", ctx.tokens.seat(game.id, 0, 0)
    bearer = {"Authorization": f"Bearer {seat}"}
    tags = [
        client.get(f"{where}{query}", headers=bearer).headers["ETag"]
        for query in ("", "?after=0", "?after=1", "?seat=0")
    ]
    assert len(set(tags)) == 4
    assert client.get(f"{where}?seat=0").status_code == 403, "a seat's own board is not cached for others"
    assert client.get(f"{where}?after={game.head + 1}").status_code == 404


def test_the_cache_keeps_what_was_asked_for_last_up_to_its_size() -> None:
    cache, drawn = PictureCache(100), []

    def draw(size: int) -> Callable[[], bytes]:
        def drawing() -> bytes:
            drawn.append(size)
            return b"x" * size

        return drawing

    cache.get(KEY, draw(60))
    cache.get(KEY._replace(head=2), draw(40))
    cache.get(KEY, draw(60))
    cache.get(KEY._replace(head=3), draw(30))
    cache.get(KEY, draw(60))
    assert drawn == [60, 40, 30], "the one that was not used for longest made room"
    cache.get(KEY._replace(head=4), draw(101))
    assert cache.get(KEY, draw(60)) == b"x" * 60
    assert drawn == [60, 40, 30, 101], "a picture that is too large pushes nothing out"
