"""Exporting and deleting a player's data; other players' games stay as they were."""

import json
import re
from pathlib import Path

import pytest

from service.admin.check import replay_game
from service.auth.login import create_login_code, find_or_create_player
from service.context import AppContext
from service.db.models import MODELS, Game, Letter, Message, Player, Seat, SignInCode
from service.errors import Unauthorised
from service.games.chat import post_message
from service.games.lobby import SeatRequest, create_game
from service.games.play import act
from service.games.players import StillPlaying, delete_player, export_player, set_name
from service.games.store import load
from service.mail import outbox
from service.worker import tick
from tests.support.tables import (
    OPEN,
    database_contents,
    join,
    legal_actions,
    new_game,
    play_one_action,
    play_to_end,
    snapshot_matches,
    start_game,
)

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def everything(ctx: AppContext) -> str:
    """The whole database as one text to search in."""
    rows = [row for model in MODELS for row in model.select().tuples().execute(ctx.database)]
    return repr(rows)


def test_an_export_has_all_stored_data_about_a_player(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = play_to_end(ctx, start_game(ctx, [ann, bo]))
    post_message(ctx, game.id, 0, "Well played")
    post_message(ctx, game.id, 1, "Not by me")
    found = export_player(ctx, find_or_create_player(ctx, "ann@example.org"))
    assert json.loads(json.dumps(found)) == found
    assert (found["player"]["email"], found["format"]) == ("ann@example.org", "marrakech-player/1")
    [table] = found["games"]
    assert (table["seat"], table["status"], table["host"]) == (0, "finished", True)
    assert [line["text"] for line in table["said"]] == ["Well played"]
    assert table["record"]["result"]["winners"]
    assert {letter["kind"] for letter in found["letters"]} >= {"over"}
    assert "bo@example.org" not in json.dumps(found), "another player's address is not hers to take"


def test_an_export_reveals_no_secret_of_a_running_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    [table] = export_player(ctx, ann)["games"]
    assert table["record"]["dice"]["seed"] is None
    assert game.seed not in json.dumps(table)


def test_deleting_a_player_removes_address_name_and_messages(ctx: AppContext, ann: Player, bo: Player) -> None:
    Player.update(name="Annabel").where(Player.id == ann.id).execute(ctx.database)
    game = play_to_end(ctx, start_game(ctx, [find_or_create_player(ctx, "ann@example.org"), bo]))
    post_message(ctx, game.id, 0, "my secret recipe")
    post_message(ctx, game.id, 1, "thank you")
    create_login_code(ctx, "ann@example.org")
    token, link = ctx.tokens.api(ann.id, 0), load(ctx.database, game.id).seats[0].link_version
    delete_player(ctx, ann.id)
    left = everything(ctx)
    for word in ("ann@example.org", "Annabel", "recipe"):
        assert word not in left
    after = load(ctx.database, game.id)
    assert (after.heading.seats[0].name, after.heading.seats[1].name) == ("A former player", "bo")
    assert after.heading.name == "Marrakech with a former player"
    assert after.seats[0].link_version == link + 1
    assert (snapshot_matches(ctx, game.id), replay_game(ctx.database, game.id)) == (True, [])
    assert Message.select().count(ctx.database) == 1
    assert SignInCode.select().count(ctx.database) == 0
    from service.auth.access import identify_principal

    with pytest.raises(Unauthorised):
        identify_principal(ctx, f"Bearer {token}")


def test_deleting_a_player_removes_the_names_of_their_tables_only(ctx: AppContext, ann: Player, bo: Player) -> None:
    own = create_game(ctx, ann, new_game(SeatRequest(bot="easy"), name="Ann Lee turns 40"))
    other = create_game(ctx, bo, new_game(SeatRequest(ann.email), SeatRequest(bot="easy"), name="Friday"))
    Game.update(status="finished").execute(ctx.database)
    delete_player(ctx, ann.id)
    assert load(ctx.database, own.id).heading.name == "Marrakech with a former player"
    assert load(ctx.database, other.id).name == "Friday"


@pytest.mark.databases("sqlite")
def test_no_file_of_the_database_has_traces_of_a_deleted_player(ctx: AppContext, ann: Player) -> None:
    Player.update(name="Annabel Lee").where(Player.id == ann.id).execute(ctx.database)
    create_game(ctx, ann, new_game(OPEN, name="Annabel's table"))
    files = [Path(ctx.database.database + ending) for ending in ("", "-wal")]
    assert any(b"Annabel" in file.read_bytes() for file in files)
    delete_player(ctx, ann.id)
    for file in files:
        assert not re.search(b"Annabel|ann@example", file.read_bytes())


def test_a_player_with_running_games_is_not_deleted_and_nothing_changes(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    start_game(ctx, [ann, bo])
    create_game(ctx, ann, new_game(OPEN))
    before = database_contents(ctx)
    with pytest.raises(StillPlaying, match="is in 1 running game"):
        delete_player(ctx, ann.id)
    assert database_contents(ctx) == before


def test_deleting_a_player_can_resign_from_all_their_games(
    ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    two, three = start_game(ctx, [ann, bo]), start_game(ctx, [bo, ann, cy])
    hosted, asked = (
        create_game(ctx, ann, new_game(OPEN)),
        create_game(ctx, bo, new_game(SeatRequest("ann@example.org"), OPEN)),
    )
    delete_player(ctx, ann.id, resign=True)
    status = {game.id: load(ctx.database, game.id).status for game in (two, three, hosted, asked)}
    assert list(status.values()) == ["finished", "playing", "cancelled", "waiting"]
    assert load(ctx.database, asked.id).seats[1].player is None
    assert "ann@example.org" not in everything(ctx)
    game = load(ctx.database, three.id)
    while game.status == "playing":
        game = play_one_action(ctx, game).game
    assert game.status == "finished", "the others can play on to the end"


def test_a_player_who_is_out_of_a_running_game_can_be_deleted(
    ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    game = start_game(ctx, [ann, bo, cy])
    game = act(ctx, game.id, 0, game.head, {"type": "resign"}, "").game
    delete_player(ctx, ann.id, resign=True)
    assert load(ctx.database, game.id).head == game.head


def test_no_letter_is_sent_to_a_deleted_player(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> None:
    game = start_game(ctx, [ann, bo, cy])
    delete_player(ctx, ann.id, resign=True)
    post_message(ctx, game.id, 1, "Is she gone?")
    addresses = {row[0] for row in Letter.select(Letter.address).tuples().execute(ctx.database)}
    for address in addresses - {"bo@example.org", "cy@example.org"}:
        assert address == f"gone-{ann.id}@left.invalid"
        claim = outbox.claim(ctx.database, ctx.clock())
        assert claim
        for letter in (each for each in claim.letters if each.address == address):
            reader = outbox.find_addressee(ctx.database, letter, claim.key)
            assert reader is not None
            assert reader.mail_trouble
    tick(ctx)
    assert legal_actions(load(ctx.database, game.id))


def test_the_address_of_a_deleted_player_can_sign_in_as_a_new_player(ctx: AppContext, ann: Player) -> None:
    delete_player(ctx, ann.id)
    again = find_or_create_player(ctx, "ann@example.org")
    assert again.id != ann.id
    assert Seat.select().where(Seat.player == again.id).count(ctx.database) == 0


def test_a_new_name_is_shown_where_a_table_knew_only_the_address(ctx: AppContext, ann: Player, eve: Player) -> None:
    joined = create_game(ctx, ann, new_game(OPEN, OPEN))
    named = create_game(ctx, ann, new_game(SeatRequest("eve@example.org", "Evie"), OPEN))
    join(ctx, joined.id, eve)
    set_name(ctx, eve, "Eve Miller")
    assert [load(ctx.database, game.id).seats[1].name for game in (joined, named)] == ["Eve Miller", "Evie"]


def test_the_message_of_a_host_is_exported_and_deleted(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest("bo@example.org"))._replace(message="Call me: 0123"))
    assert export_player(ctx, ann)["games"][0]["message"] == "Call me: 0123"
    assert "0123" not in json.dumps(export_player(ctx, bo)), "it is Ann's, not Bo's"
    delete_player(ctx, ann.id)
    assert load(ctx.database, game.id).message == ""
