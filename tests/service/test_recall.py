"""What a process remembers of a game spares it a reading and changes nothing else: whatever is otherwise is noticed."""

from typing import Any

import pytest

from service.app import create_app
from service.commits_on_postgres import Promised
from service.commits_on_sqlite import SharingSqlite
from service.context import AppContext
from service.db import statements
from service.db.models import Game, Player, Seat
from service.games import store
from service.games.play import act
from service.games.store import load, replay_state
from service.recall import Recall
from tests.support.people import Person
from tests.support.tables import contents, legal, mover, started

pytestmark = pytest.mark.databases("sqlite", "postgresql")

PACE = 24 * 3600
FIRST = {"options": {"first": 0}}


class Table:
    """A game of Ann and Bo that a server has just written to, so that it may remember it; Ann is to lay a rug."""

    def __init__(self, ctx: AppContext, pace: int | None = None) -> None:
        self.ctx = ctx
        self.client = create_app(ctx).test_client()
        self.ann, self.bo = (Person(self.client, ctx, f"{name}@example.org") for name in ("ann", "bo"))
        wish = {"game": "marrakech", "seats": [{"email": "bo@example.org"}], "pace": pace, **FIRST}
        game = self.ann.post("/games", wish, 201)["id"]
        self.view = self.bo.post(f"/games/{game}/seats/1/accept")
        self.faced = {"head": self.view["head"], "action": {"type": "face", "direction": "left"}}
        self.view = self.ann.post(f"/games/{game}/actions", self.faced)["view"]

    @property
    def path(self) -> str:
        return f"/games/{self.view['id']}/actions"

    @property
    def lay(self) -> dict[str, Any]:
        return {"head": self.view["head"], "action": self.view["legal"][0]}

    def set(self, model: Any, which: Any, **values: Any) -> None:
        """Change a row, as another process does."""
        model.update(**values).where(which).execute(self.ctx.database)


@pytest.fixture(params=[None, PACE], ids=["no clock", "clock"])
def table(request: pytest.FixtureRequest, ctx: AppContext) -> Table:
    return Table(ctx, request.param)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games that are read from now on."""
    games: list[str] = []

    def ask(database: Any, statement: str, values: Any) -> list[Any]:
        if "from game join seat" in statement:
            games.append(values[0])
        return statements.ask(database, statement, values)

    monkeypatch.setattr(store, "ask", ask)
    return games


def test_the_second_step_of_a_turn_reads_nothing_where_the_database_tells_versions(
    table: Table, read: list[str]
) -> None:
    done = table.ann.post(table.path, table.lay)
    assert len(read) == (1 if isinstance(table.ctx.database, SharingSqlite) else 0)
    assert done["view"] == table.ann.get(f"/games/{table.view['id']}")
    game = load(table.ctx.database, table.view["id"])
    assert replay_state(table.ctx.database, game) == game.state


def test_whoever_has_signed_out_everywhere_can_do_nothing_more(table: Table) -> None:
    table.set(Player, Player.id == table.ann.id, token_version=1)
    before = contents(table.ctx)
    table.ann.post(table.path, table.lay, 401)
    table.ann.post(table.path, table.faced, 401)  # nor hear again what came of what was done before
    table.ann.post(table.path, {"nonsense": 1}, 401)
    assert contents(table.ctx) == before


def test_a_link_that_was_replaced_plays_no_more(table: Table) -> None:
    link = table.ctx.links.turn(table.view["id"], 0, table.view["turn"], 0)
    holder = Person(table.client, table.ctx, None, link)
    table.set(Seat, (Seat.game == table.view["id"]) & (Seat.seat == 0), link_version=1)
    before = contents(table.ctx)
    holder.post(table.path, table.lay, 401)
    assert contents(table.ctx) == before
    table.ann.post(table.path, table.lay)


def test_whoever_has_lost_the_seat_can_do_nothing_at_it(table: Table) -> None:
    eve = Person(table.client, table.ctx, "eve@example.org")
    table.set(Seat, (Seat.game == table.view["id"]) & (Seat.seat == 0), player=eve.id)
    before = contents(table.ctx)
    table.ann.post(table.path, table.lay, 403)
    assert contents(table.ctx) == before
    eve.post(table.path, table.lay)


def test_where_another_process_has_acted_the_head_is_stale_and_the_very_same_action_is_repeated(table: Table) -> None:
    game_id, lay = table.view["id"], table.lay
    first = act(table.ctx, game_id, 0, lay["head"], lay["action"], "")
    other = next(action for action in table.view["legal"] if action != lay["action"])
    assert table.ann.post(table.path, {**lay, "action": other}, 409)["code"] == "stale"
    again = table.ann.post(table.path, lay)
    assert again["repeated"] is True
    assert [event["seq"] for event in again["events"]] == list(range(first.first, first.game.head + 1))
    assert again["view"]["head"] == first.game.head


def test_what_the_answer_shows_of_the_others_is_as_it_is_now(table: Table) -> None:
    far = table.ctx.clock() + 3 * PACE
    table.set(Player, Player.id == table.bo.id, away_until=far)
    table.set(Seat, (Seat.game == table.view["id"]) & (Seat.seat == 1), name="Bo the Late")
    done = table.ann.post(table.path, table.lay)
    assert done["view"]["seats"][1]["name"] == "Bo the Late"
    assert done["view"]["seats"][1]["away_until"] is not None


def test_time_that_was_given_in_between_stays_given(ctx: AppContext) -> None:
    table = Table(ctx, PACE)
    later = ctx.clock() + 9 * PACE
    table.set(Game, Game.id == table.view["id"], deadline=later)
    wrong = table.ann.post(table.path, {**table.lay, "action": {"type": "resign", "seat": 1}}, 400)
    assert wrong["code"] == "bad_request"
    assert load(ctx.database, table.view["id"]).deadline == later


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ({"type": "face", "direction": "left"}, 422),
        ({"type": "lay", "squares": ["a1", "a2"]}, 422),
        ({"type": "lay", "squares": ["a1", "a7"]}, 400),
        ({"type": "dance"}, 400),
    ],
)
def test_what_is_refused_is_refused_in_the_same_words_and_changes_nothing(
    table: Table, action: dict[str, Any], status: int
) -> None:
    before = contents(table.ctx)
    answers = [table.ann.post(table.path, {**table.lay, "action": action}, status) for _ in range(2)]
    assert answers[0] == answers[1]  # the first time it was remembered
    assert contents(table.ctx) == before
    assert table.bo.post(table.path, table.lay, 409)["code"] == "not_your_turn"
    table.ann.post(table.path, table.lay)


def test_two_processes_that_remember_play_one_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = started(ctx, [ann, bo])
    servers = [create_app(ctx).test_client() for _ in range(2)]
    people = [[Person(client, ctx, player.email) for player in (ann, bo)] for client in servers]
    view: Any = people[0][0].get(f"/games/{game.id}")
    for number in range(30):
        game = load(ctx.database, game.id)
        choice = {"head": game.head, "action": legal(game)[0], "salt": str(number)}
        seat, here = mover(game), number // 3 % 2  # now the one that remembers it best, now the other
        view = people[here][seat].post(f"/games/{game.id}/actions", choice)["view"]
        again = people[1 - here][seat].post(f"/games/{game.id}/actions", choice)
        assert again["repeated"] is True
        assert again["view"] == view
    game = load(ctx.database, game.id)
    assert game.head == view["head"]
    assert replay_state(ctx.database, game) == game.state


@pytest.mark.databases("postgresql")
def test_a_game_whose_version_the_database_has_not_told_is_not_remembered_yet(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    game, recall, promised = started(ctx, [ann, bo]), Recall(), Promised()
    assert game.versions
    recall.keep(game._replace(versions=game.versions._replace(game=promised)))
    assert recall.game(game.id) is None
    promised.kept = "1234"
    remembered = recall.game(game.id)
    assert remembered
    assert (remembered.versions, remembered.remembered) == (game.versions._replace(game="1234"), True)


def test_only_so_much_is_remembered_and_nothing_that_is_over(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = load(ctx.database, started(ctx, [ann, bo]).id)
    recall = Recall()
    for number in range(600):
        recall.keep(game._replace(id=f"game{number}"))
    kept = [number for number in range(600) if recall.game(f"game{number}") is not None]
    assert kept == ([] if game.versions is None else list(range(600 - 512, 600)))
    recall.keep(game._replace(id="game599", status="finished"))
    assert recall.game("game599") is None
