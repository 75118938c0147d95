"""Generated names: in the reader's language on pages, English in the API, and never stored."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from service.context import AppContext
from service.db.backup import make_backup
from service.db.connection import MIGRATIONS, Database, migrate, open_database
from service.db.models import Game, Player, Seat
from service.db.restore import restore_backup
from service.engine.record_text import write_text
from service.engine.records import read_record, write_record
from service.games.lobby import SeatRequest, create_game
from service.games.play import act
from service.games.players import delete_player
from service.games.store import StoredGame, load
from service.games.views import game_view, list_games, visible_record
from tests.support.apps import app_for
from tests.support.browsers import Browser
from tests.support.databases import empty_database, insert_row
from tests.support.people import Person
from tests.support.tables import OPEN, join, new_game, play_to_end, start_game

BOT = SeatRequest(bot="medium")


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """Ann's unnamed game with Bo and a bot."""
    return join(ctx, create_game(ctx, ann, new_game(OPEN, BOT)).id, bo)


def heading(page: str) -> str:
    found = re.search(r"<h1><bdi>(.*?)</bdi></h1>", page)
    assert found
    return found[1]


def names(page: str) -> list[str]:
    """The names in the standings."""
    return re.findall(r'<th scope="row"><bdi class="name">(.*?)</bdi>', page)


def test_an_unnamed_game_gets_a_name_in_the_readers_language_and_a_bot_the_name_of_its_seat(
    ctx: AppContext, game: StoredGame
) -> None:
    english, french = (Browser(ctx, language=language).get(f"/g/{game.id}") for language in ("en", "fr"))
    assert (heading(english), names(english)) == ("Marrakech with ann", ["ann", "bo", "Salma"])
    assert (heading(french), names(french)) == ("Marrakech avec ann", ["ann", "bo", "Salma"])
    assert "<title>Marrakech avec ann</title>" in french
    assert "Marrakech avec ann : Assam en d4" in french
    assert (load(ctx.database, game.id).name, load(ctx.database, game.id).seats[2].name) == ("", "")


def test_bots_of_the_same_level_have_different_names(ctx: AppContext, ann: Player) -> None:
    game = create_game(ctx, ann, new_game(BOT, BOT, SeatRequest(bot="medium", name="Bot")))
    assert names(Browser(ctx).get(f"/g/{game.id}")) == ["ann", "Idris", "Salma", "Bot"]


def test_a_bot_whose_name_is_taken_gets_a_number(ctx: AppContext, ann: Player) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest(bot="medium", name="Salma"), BOT))
    assert names(Browser(ctx).get(f"/g/{game.id}")) == ["ann", "Salma", "Salma 2"]


def test_the_list_of_games_is_in_the_readers_language(ctx: AppContext, game: StoredGame, bo: Player) -> None:
    assert "><bdi>Marrakech with ann</bdi></a>" in Browser(ctx, "bo@example.org").get("/")
    Player.update(language="fr").where(Player.id == bo.id).execute(ctx.database)
    assert "><bdi>Marrakech avec ann</bdi></a>" in Browser(ctx, "bo@example.org").get("/")


def test_given_names_are_the_same_in_every_language(ctx: AppContext, ann: Player) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest(bot="easy", name="Salma"), name="Marrakech with ann"))
    page = Browser(ctx, language="fr").get(f"/g/{game.id}")
    assert (heading(page), names(page)) == ("Marrakech with ann", ["ann", "Salma"])


def test_a_generated_name_is_no_longer_than_a_given_one(ctx: AppContext, ann: Player, bo: Player) -> None:
    ann.name = LONG
    game = join(ctx, create_game(ctx, ann, new_game(OPEN)).id, bo)
    assert game.heading.name == f"Marrakech with {LONG}"[: len(LONG)]
    assert read_record(write_record(visible_record(ctx, game))).heading == game.heading._replace(seed=None)


def test_the_api_and_records_have_english_names_in_every_language(
    ctx: AppContext, game: StoredGame, bo: Player
) -> None:
    person = Person(app_for(ctx).test_client(), ctx, "bo@example.org")
    ways = [f"/games/{game.id}", "/games", f"/games/{game.id}/record", f"/games/{game.id}/record.txt"]
    view, listed, record, text = (person.call("GET", way, **{"Accept-Language": "fr"}) for way in ways)
    for named in (view.get_json(), *listed.get_json()["games"], record.get_json()):
        assert named["name"] == "Marrakech with ann"
    for seated in (view.get_json(), record.get_json()):
        assert [seat["name"] for seat in seated["seats"]] == ["ann", "bo", "Salma"]
    assert '"Marrakech with ann"' in text.text


def test_the_title_of_a_board_is_in_the_requested_language(ctx: AppContext, game: StoredGame) -> None:
    client = app_for(ctx).test_client()
    for language, title in (("en", "Marrakech with ann: Assam on"), ("fr", "Marrakech avec ann : Assam en")):
        answer = client.get(f"/api/v1/games/{game.id}/board.svg", headers={"Accept-Language": language})
        assert f'<title id="board-title">{title} ' in answer.text
        assert set(answer.headers["Vary"].split(", ")) == {"Accept-Language", "Authorization", "Cookie"}


# Deleted players


def test_a_deleted_player_is_a_former_player_in_the_readers_language(
    ctx: AppContext, game: StoredGame, ann: Player, bo: Player
) -> None:
    game = act(ctx, game.id, 0, game.head, {"type": "resign"}, "").game
    before = Browser(ctx, "bo@example.org").client.get(f"/g/{game.id}").headers["ETag"]
    delete_player(ctx, ann.id)
    assert [row.name for row in Seat.select().order_by(Seat.seat).execute(ctx.database)] == ["", "bo", ""]
    assert Game.select(Game.name).scalar(ctx.database) == ""
    english, french = (Browser(ctx, language=language).get(f"/g/{game.id}") for language in ("en", "fr"))
    assert (heading(english), names(english)[0]) == ("Marrakech with a former player", "A former player")
    assert (heading(french), names(french)[0]) == ("Marrakech avec un ancien joueur", "Un ancien joueur")
    assert Browser(ctx, "bo@example.org").client.get(f"/g/{game.id}").headers["ETag"] != before
    view = game_view(ctx, load(ctx.database, game.id), None)
    assert (view["name"], view["seats"][0]["name"]) == ("Marrakech with a former player", "A former player")
    assert list_games(ctx, bo.id, None, None).games[0]["name"] == "Marrakech with a former player"


def test_the_record_of_a_game_with_a_deleted_player_parses(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = play_to_end(ctx, start_game(ctx, [ann, bo]))
    delete_player(ctx, bo.id)
    record = visible_record(ctx, load(ctx.database, game.id))
    assert [seat["name"] for seat in write_record(record)["seats"]] == ["ann", "A former player"]
    assert 'Blue: "A former player"' in write_text(record) or 'Yellow: "A former player"' in write_text(record)


# Databases of older versions, which stored generated names

OLDER = "0007_short_snapshots"
GONE = "A former player"


OLD_PLAYER = {"language": "en", "time_zone": "UTC", "mail": "{}", "token_version": 0, "created": 1}
OLD_GAME = {
    "game": "marrakech",
    "options": "{}",
    "status": "finished",
    "seed": "00",
    "head": 0,
    "turn": 0,
    "invitation_version": 0,
    "created": 1,
    "changed": 1,
}
OLD_SEAT = {"accepted": True, "to_act": False, "link_version": 0}


class Before(NamedTuple):
    """A game of an older version: its names and players, and the names after the migration."""

    names: tuple[str, str, str]
    """Of the game, its host and the second seat."""
    left: tuple[str, str, str]
    host: int = 1
    second: int | None = 3
    bot: str | None = None


PLAYERS = [
    (1, "ann@example.org", "Ann"),
    (2, "gone-2@left.invalid", GONE),
    (3, "eve@example.org", GONE),  # a player who chose this name themselves
]
LONG = "é" * 80
TABLES = {
    "default": Before(("Marrakech with Ann", "Ann", "Eve"), ("", "Ann", "Eve")),
    "named": Before(("Marrakech with Anna", "Ann", "Eve"), ("Marrakech with Anna", "Ann", "Eve")),
    "long": Before((f"Marrakech with {LONG}"[:80], LONG, "Eve"), ("", LONG, "Eve")),
    "left": Before(("Marrakech with a former player", GONE, "Eve"), ("", "", "Eve"), host=2),
    "kept": Before(("Souk", GONE, "Eve"), ("Souk", "", "Eve"), host=2),
    "guest": Before(("Souk", "Ann", GONE), ("Souk", "Ann", ""), second=2),
    "herself": Before(("Souk", GONE, "Ann"), ("Souk", GONE, "Ann"), host=3, second=1),
    "bot": Before(("Souk", "Ann", "medium"), ("Souk", "Ann", ""), second=None, bot="medium"),
    "called": Before(("Souk", "Ann", "easy"), ("Souk", "Ann", "easy"), second=None, bot="medium"),
    "open": Before(("Souk", "Ann", ""), ("Souk", "Ann", ""), second=None),
}


@pytest.fixture
def older(database_url: str, tmp_path: Path) -> Iterator[Database]:
    """A database of the previous version."""
    folder = tmp_path / "older"
    shutil.copytree(MIGRATIONS, folder, ignore=lambda _, names: [name for name in names if name[:4] > OLDER[:4]])
    database = open_database(empty_database(database_url))
    migrate(database, folder)
    for player, email, name in PLAYERS:
        insert_row(database, "player", OLD_PLAYER | {"id": player, "email": email, "name": name})
    for id_, ((table, first, second), _, host, sitting, bot) in TABLES.items():
        insert_row(database, "game", OLD_GAME | {"id": id_, "name": table, "host": host})
        insert_row(database, "seat", OLD_SEAT | {"game": id_, "seat": 0, "player": host, "name": first})
        row = {"game": id_, "seat": 1, "player": sitting, "name": second, "bot": bot}
        insert_row(database, "seat", OLD_SEAT | row)
    yield database
    database.close()


def stored_names(database: Database) -> dict[str, tuple[str, ...]]:
    """The names of every game and its seats."""
    tables: dict[str, tuple[str, ...]] = {}
    for id_, name in Game.select(Game.id, Game.name).tuples().execute(database):
        tables[id_] = (name,)
    for id_, name in Seat.select(Seat.game, Seat.name).order_by(Seat.game, Seat.seat).tuples().execute(database):
        tables[id_] += (name,)
    return tables


def test_the_migration_clears_generated_names_and_keeps_given_ones(older: Database) -> None:
    assert stored_names(older) == {id_: before.names for id_, before in TABLES.items()}
    assert migrate(older)[0] == "0008_unnamed"
    assert stored_names(older) == {id_: before.left for id_, before in TABLES.items()}
    names = [name for (name,) in Player.select(Player.name).order_by(Player.id).tuples().execute(older)]
    assert names == ["Ann", "", GONE]


def test_restoring_an_older_backup_clears_generated_names(older: Database, tmp_path: Path) -> None:
    file, there = tmp_path / "older.jsonl", open_database(f"sqlite:///{tmp_path}/restored.db")
    make_backup(older, file, True, 0.0, lambda done, total: None)
    restore_backup(there, file, False, lambda done, total: None)
    assert stored_names(there) == {id_: before.left for id_, before in TABLES.items()}
    there.close()
