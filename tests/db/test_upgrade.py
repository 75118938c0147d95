"""A database and backups made by version 0.1 (tests/fixtures/version-1) are upgraded, and their games go on.

They hold a table that waits for players, a game with a clock in which the stand-in plays for Bo, a game with a bot and
chat, a finished game, letters that were sent and letters that wait. `facts.json.xz` has what that version said of them.
"""

import json
import lzma
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from service.app import build_context, create_app
from service.config import Settings
from service.context import AppContext
from service.db.connection import migrate, open_database
from service.db.models import Letter
from service.db.restore import restore_backup
from service.engine.records import OLD_LEVELS
from service.games.store import check_snapshots, load
from service.mail.inbound.answers import Result
from service.mail.inbound.handler import receive
from service.routes.current import SESSION_COOKIE
from service.worker import tick
from tests.support.clock import Clock
from tests.support.tables import take_back_link_versions

pytestmark = pytest.mark.databases("sqlite", "postgresql")

FIXTURES: Final = Path(__file__).parents[1] / "fixtures" / "version-1"
FACTS: Final[Any] = json.loads(lzma.decompress((FIXTURES / "facts.json.xz").read_bytes()))
GAMES: Final[dict[str, Any]] = FACTS["games"]
BASE_URL: Final = "http://rugs.example.org"
DOMAIN: Final = "reply.example.org"


def unpack(name: str, folder: Path) -> Path:
    path = folder / name.removesuffix(".xz")
    content = (FIXTURES / name).read_bytes()
    path.write_bytes(lzma.decompress(content) if name.endswith(".xz") else content)
    return path


@pytest.fixture(params=["database.db.xz", "backup.db.xz", "backup.jsonl.gz"])
def ctx(request: pytest.FixtureRequest, settings: Settings, clock: Clock, tmp_path: Path) -> Iterator[AppContext]:
    """The context of this version on the old version's data."""
    settings = replace(settings, secret_keys=(FACTS["secret_key"],), inbound_domain=DOMAIN, base_url=BASE_URL)
    if request.param == "database.db.xz":
        if not settings.database_url.startswith("sqlite"):
            pytest.skip("PostgreSQL has no database file.")
        unpack(request.param, tmp_path).rename(settings.database_url.removeprefix("sqlite:///"))
    database = open_database(settings.database_url)
    migrate(database)
    if request.param != "database.db.xz":
        restore_backup(database, unpack(request.param, tmp_path), False, lambda _done, _total: None)
        take_back_link_versions(database)
    clock.now = FACTS["now"]
    yield build_context(settings, database, clock)
    database.close()


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return create_app(ctx).test_client()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def mover(game: Any) -> tuple[int, Any]:
    """The seat to act, and its links."""
    seat = game["views"]["ann"]["to_act"][0]
    return seat, game["seats"][str(seat)]


def named_bots(seats: list[Any]) -> list[Any]:
    """The seats with today's names of bots, which were called by their level before, and of the levels."""
    names = ["", "Idris", "Salma", "Zahra"]
    return [
        {**seat, "name": names[number] if seat["name"] == seat["bot"] else seat["name"], "bot": OLD_LEVELS[seat["bot"]]}
        if seat.get("bot")
        else seat
        for number, seat in enumerate(seats)
    ]


def test_the_games_are_what_they_were(ctx: AppContext, client: FlaskClient) -> None:
    assert [sound for _, sound in check_snapshots(ctx.database)] == [True] * 3  # the waiting table has no snapshot
    for game in GAMES.values():
        for name, before in game["views"].items():
            now = client.get(f"/api/v1/games/{game['id']}", headers=bearer(FACTS["players"][name]["api"])).json or {}
            assert {key: now.get(key) for key in before} == before | {"seats": named_bots(before["seats"])}
        assert (client.get(f"/api/v1/games/{game['id']}/events").json or {})["events"] == game["events"]
        if "record" in game:
            record = game["record"] | {"seats": named_bots(game["record"]["seats"])}
            assert client.get(f"/api/v1/games/{game['id']}/record").json == record
    chat = client.get(f"/api/v1/games/{GAMES['plain']['id']}/messages", headers=bearer(FACTS["players"]["bo"]["api"]))
    assert (chat.json or {})["messages"] == FACTS["messages"]


def test_the_links_of_old_letters_open_and_play(ctx: AppContext, client: FlaskClient) -> None:
    for game in (GAMES["timed"], GAMES["plain"]):
        seat, links = mover(game)
        for path in (f"/t/{links['turn']}", f"/s/{links['seat']}"):
            assert client.get(path, headers={"Accept": "text/html"}, follow_redirects=True).status_code == 200
        view = client.get(f"/api/v1/games/{game['id']}", headers=bearer(links["turn"])).json or {}
        assert view["you"] == seat
        body = {"head": view["head"], "action": view["legal"][0], "salt": "pepper"}
        played = client.post(f"/api/v1/games/{game['id']}/actions", json=body, headers=bearer(links["turn"]))
        assert played.status_code == 200, played.text
        assert load(ctx.database, game["id"]).head > game["head"]
    assert all(sound for _, sound in check_snapshots(ctx.database))


def test_a_reply_to_an_old_letter_plays(ctx: AppContext) -> None:
    game = GAMES["plain"]
    seat, links = mover(game)
    words = {"direction": "left", "rotation": "left"}.get(game["views"]["ann"]["phase"], "1")
    letter = EmailMessage()
    letter["From"], letter["To"] = "bo@example.org", f"play+{links['reply']}@{DOMAIN}"
    letter["Message-ID"] = "<reply@example.org>"
    letter.set_content(words)
    assert receive(ctx, letter.as_bytes()).result is Result.PLAYED
    assert load(ctx.database, game["id"]).head > game["head"], seat


def test_sessions_go_on_and_the_waiting_table_fills(ctx: AppContext, client: FlaskClient) -> None:
    game, players = GAMES["waiting"], FACTS["players"]
    client.set_cookie(SESSION_COOKIE, players["ann"]["session"])
    assert "A table that waits" in client.get("/", headers={"Accept": "text/html"}).text
    accepted = client.post(f"/api/v1/games/{game['id']}/seats/1/accept", headers=bearer(players["bo"]["api"]))
    assert accepted.status_code == 200, accepted.text
    join = {"invitation": game["invitation"]}
    joined = client.post(f"/api/v1/games/{game['id']}/join", json=join, headers=bearer(players["cy"]["api"]))
    assert joined.status_code == 200, joined.text
    assert load(ctx.database, game["id"]).status == "playing"


def test_waiting_letters_are_sent_and_the_stand_in_plays_on(ctx: AppContext, clock: Clock) -> None:
    assert Letter.select().where(Letter.status == "waiting").count(ctx.database) == FACTS["letters"]["waiting"]
    clock.now += 3600  # letters about chat wait for more of it
    while tick(ctx):
        pass
    assert Letter.select().where(Letter.status == "waiting").count(ctx.database) == 0
    game = load(ctx.database, GAMES["timed"]["id"])
    assert game.seats[1].played_by_stand_in
    assert game.deadline is not None
    clock.now = game.deadline + 1
    tick(ctx)
    assert load(ctx.database, game.id).head > game.head
    assert all(sound for _, sound in check_snapshots(ctx.database))
