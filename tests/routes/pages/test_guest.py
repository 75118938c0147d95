"""Trying the game without signing in."""

import re

from service.context import AppContext
from service.db.models import Game, Letter, Player
from service.games.lobby import create_game
from service.games.play import act
from service.games.store import load
from service.routes.pages.guest import guest_cookie
from tests.support.browsers import Browser
from tests.support.tables import BOT, database_contents, legal_actions, new_game, play_to_end


def test_a_visitor_plays_from_the_front_page_and_finds_the_game_again(ctx: AppContext) -> None:
    visitor = Browser(ctx)
    assert "Try Marrakech without signing in" in visitor.get("/")
    where = visitor.post("/try").location
    assert re.fullmatch(r"/s/[\w.-]+", where)
    page = visitor.get(where)
    assert "Welcome! Everyone has 30 dirhams" in page
    assert "Rules for this step" in page
    assert "Continue your trial game" in visitor.get("/")
    assert visitor.post("/try").location == where
    assert visitor.post("/try", new="yes").location != where
    assert "Try Marrakech without signing in" in Browser(ctx).get("/"), "another browser knows nothing of it"


def test_a_trial_game_is_in_the_language_of_the_browser(ctx: AppContext) -> None:
    visitor = Browser(ctx, language="fr")
    page = visitor.get(visitor.post("/try").location)
    assert '<html lang="fr"' in page
    assert "Les règles de cette étape" in page


def test_a_trial_game_is_played_on_its_page_without_letters(ctx: AppContext) -> None:
    visitor = Browser(ctx)
    where = visitor.post("/try").location
    game = load(ctx.database, Game.select(Game.id).scalar(ctx.database))
    for _ in range(6):
        action = legal_actions(game)[0]
        do = action["direction"] if action["type"] == "face" else "-".join(action["squares"])
        visitor.post(where, do=do, head=game.head)
        game = load(ctx.database, game.id)
    assert Letter.select().count(ctx.database) == 0


def test_a_guest_can_invite_nobody(ctx: AppContext) -> None:
    visitor = Browser(ctx)
    where = visitor.post("/try").location
    before = database_contents(ctx)
    visitor.post(f"{where}/invite", 409, email="bo@example.org")
    assert visitor.client.get("/new").location == "/login?next=/new"
    assert database_contents(ctx) == before


def test_a_finished_trial_game_leads_to_signing_in(ctx: AppContext) -> None:
    visitor = Browser(ctx)
    where = visitor.post("/try").location
    game = load(ctx.database, Game.select(Game.id).scalar(ctx.database))
    act(ctx, game.id, 0, game.head, {"type": "resign"}, "")
    while (game := load(ctx.database, game.id)).status == "playing":
        act(ctx, game.id, 0, game.head, legal_actions(game)[0], "")
    assert "Play with friends" in visitor.get(where)
    assert "Try Marrakech without signing in" in visitor.get("/")


def test_a_visitor_who_signs_in_finds_the_trial_game_among_their_games(ctx: AppContext, ann: Player) -> None:
    visitor = Browser(ctx, "ann@example.org")
    assert "trial game" not in visitor.get("/")
    where = visitor.post("/try").location
    assert "Continue your trial game" in visitor.get("/")
    assert visitor.post("/try").location == where


def test_a_forged_or_outdated_cookie_does_no_harm(ctx: AppContext) -> None:
    visitor = Browser(ctx)
    for token in ("nonsense", ctx.tokens.seat("game12345678", 0, 0), ctx.tokens.api(1, 0)):
        visitor.client.set_cookie(guest_cookie("marrakech"), token)
        assert "Try Marrakech without signing in" in visitor.get("/")
    visitor.post("/try", 404, game="chess")


def test_a_players_first_game_is_guided_and_no_later_one(ctx: AppContext, ann: Player) -> None:
    first = create_game(ctx, ann, new_game(BOT))
    page = Browser(ctx, "ann@example.org")
    assert "Welcome! Everyone" in page.get(f"/g/{first.id}")
    assert "Welcome! Everyone" not in Browser(ctx).get(f"/g/{first.id}"), "an onlooker plays nothing"
    play_to_end(ctx, first)
    later = create_game(ctx, ann, new_game(BOT))
    assert "Welcome! Everyone" not in page.get(f"/g/{later.id}")
    assert "Rules for this step" in page.get(f"/g/{later.id}")


def test_a_visitor_tries_both_games_and_finds_each_again(ctx: AppContext) -> None:
    visitor = Browser(ctx)
    where = {game: visitor.post("/try", game=game).location for game in ("marrakech", "kilim")}
    assert len(set(where.values())) == 2
    games = {game.game: load(ctx.database, game.id) for game in Game.select().execute(ctx.database)}
    assert {game: len(each.seats) for game, each in games.items()} == {"marrakech": 3, "kilim": 3}
    assert all(seat.bot for seat in games["kilim"].seats[1:])
    page = visitor.get("/")
    for game, title in (("marrakech", "Marrakech"), ("kilim", "Kilim")):
        assert f"Continue your trial game of {title}" in page
        assert visitor.post("/try", game=game).location == where[game]
        assert "It's your turn." in visitor.get(where[game])
