"""The group through the API."""

from typing import Any

from service.db.models import Player
from service.games.high_scores import store_high_scores
from tests.support.clock import Clock
from tests.support.finished_games import DAY, add_game
from tests.support.people import Cast, Person

SECOND_WINS = "rugs-laid-2p-standard-shuffled"
KILIM = "kilim-days-over-2p-relaxed"


def play(cast: Cast, name: str, *people: Person, ended: float) -> str:
    players = [Player.select().where(Player.id == person.id).get(cast.ctx.database) for person in people]
    return add_game(cast.ctx, name, players, ended)


def test_the_group_has_players_ratings_head_to_head_and_records(cast: Cast, clock: Clock) -> None:
    cast.ann.call("PATCH", "/me", {"name": "Ann", "language": "fr"})
    game = play(cast, SECOND_WINS, cast.ann, cast.bo, ended=clock.now - 9 * DAY)
    other = play(cast, KILIM, cast.bo, cast.eve, ended=clock.now)
    store_high_scores(cast.ctx)
    group: Any = cast.ann.get("/group")
    assert (group["games"], group["game"], group["since"]) == (2, None, None)
    assert group["titles"] == {"marrakech": "Marrakech", "kilim": "Kilim"}
    players = {player["name"]: player for player in group["players"]}
    assert {name: (each["games"], each["wins"], each["average_place"]) for name, each in players.items()} == {
        "bo": (2, 2, 1.0),
        "Ann": (1, 0, 2.0),
        "eve": (1, 0, 2.0),
    }
    [point] = players["Ann"]["by_game"]["marrakech"]["history"]
    assert point.keys() == {"at", "rating", "uncertainty"}
    assert point["rating"] == players["Ann"]["by_game"]["marrakech"]["rating"] < 25
    assert (players["Ann"]["luck"], players["Ann"]["skill"], players["Ann"]["bot"]) == (None, None, None)
    ann, bo, eve = (players[name]["key"] for name in ("Ann", "bo", "eve"))
    assert (group["you"], cast.eve.get("/group?game=marrakech")["you"]) == (ann, None)
    met = {frozenset((each["one"], each["other"])): each for each in group["head_to_head"]}
    assert met.keys() == {frozenset((ann, bo)), frozenset((bo, eve))}
    payment = next(record for record in group["records"] if record["name"] == "payment")
    assert (payment["number"], payment["words"], payment["players"], payment["id"]) == (7, "7", [bo], game)
    assert {record["id"] for record in group["records"] if record["game"] == "kilim"} == {None}
    assert {record["id"] for record in cast.eve.get("/group")["records"]} == {None, other}
    assert "@" not in str(group)


def test_the_filters_choose_the_games(cast: Cast, clock: Clock) -> None:
    clock.now = 1_800_000_000.0
    play(cast, SECOND_WINS, cast.ann, cast.bo, ended=clock.now - 9 * DAY)
    play(cast, KILIM, cast.ann, cast.bo, ended=clock.now)
    assert list(cast.ann.get("/group?game=kilim")["titles"]) == ["kilim"]
    assert list(cast.ann.get("/group?since=2027-01-10")["titles"]) == ["kilim"]
    assert list(cast.ann.get("/group?until=2027-01-10")["titles"]) == ["marrakech"]
    assert "marrakech, kilim" in cast.ann.get("/group?game=chess", 400)["detail"]
    for day in ("today", "2027-1-1", "2027-02-30"):
        refused = cast.ann.get(f"/group?since={day}", 400)
        assert (refused["code"], refused["detail"]) == ("bad_request", "Write a day like this: 2026-01-31.")


def test_only_players_who_have_signed_in_may_look(cast: Cast) -> None:
    view = cast.table()
    ctx, nobody = cast.ctx, cast.nobody
    nobody.get("/group", 401)
    for token in (ctx.tokens.turn(view["id"], 0, view["turn"], 0), ctx.tokens.seat(view["id"], 0, 0)):
        assert Person(cast.client, ctx, None, token).get("/group", 403)["code"] == "forbidden"
