"""Leaving: a player takes everything along, and is forgotten while the games of the others stay as they were."""

import json

import pytest

from service.errors import Unauthorised
from service.identity import ask_to_sign_in, player_with
from service.leaving import StillPlaying, export_player, forget_player
from service.lobby import Chair, create
from service.mail import outbox
from service.models import MODELS, Game, Letter, Message, Player, Seat, SignInCode
from service.office import Office
from service.play import act
from service.replay_diff import replayed
from service.store import load
from service.talk import say
from service.worker import tick
from tests.service.tables import OPEN, contents, is_sound, legal, rest_of, started, step, wish


def everything(office: Office) -> str:
    """All that the database holds, as one text to search in."""
    rows = [row for model in MODELS for row in model.select().tuples().execute(office.database)]
    return repr(rows)


def test_an_export_has_all_that_a_player_has_left_here(office: Office, ann: Player, bo: Player) -> None:
    game = rest_of(office, started(office, [ann, bo]))
    say(office, game.id, 0, "Well played")
    say(office, game.id, 1, "Not by me")
    found = export_player(office, player_with(office, "ann@example.org"))
    assert json.loads(json.dumps(found)) == found
    assert (found["player"]["email"], found["format"]) == ("ann@example.org", "marrakech-player/1")
    [table] = found["games"]
    assert (table["seat"], table["status"], table["host"]) == (0, "finished", True)
    assert [line["text"] for line in table["said"]] == ["Well played"]
    assert table["record"]["result"]["winners"]
    assert {letter["kind"] for letter in found["letters"]} >= {"over"}
    assert "bo@example.org" not in json.dumps(found), "another player's address is not hers to take"


def test_an_export_gives_nothing_away_while_a_game_goes_on(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    [table] = export_player(office, ann)["games"]
    assert table["record"]["dice"]["seed"] is None
    assert game.seed not in json.dumps(table)


def test_whoever_is_forgotten_leaves_no_address_no_name_and_no_words(office: Office, ann: Player, bo: Player) -> None:
    Player.update(name="Annabel").where(Player.id == ann.id).execute(office.database)
    game = rest_of(office, started(office, [player_with(office, "ann@example.org"), bo]))
    say(office, game.id, 0, "my secret recipe")
    say(office, game.id, 1, "thank you")
    ask_to_sign_in(office, "ann@example.org")
    token, link = office.links.api(ann.id, 0), load(office.database, game.id).seats[0].link_version
    forget_player(office, ann.id)
    left = everything(office)
    for word in ("ann@example.org", "Annabel", "recipe"):
        assert word not in left
    after = load(office.database, game.id)
    assert (after.heading.seats[0].name, after.heading.seats[1].name) == ("A former player", "bo")
    assert after.heading.name == "Marrakech with a former player"
    assert after.seats[0].link_version == link + 1
    assert (is_sound(office, game.id), replayed(office.database, game.id)) == (True, [])
    assert Message.select().count(office.database) == 1
    assert SignInCode.select().count(office.database) == 0
    from service.callers import caller_of

    with pytest.raises(Unauthorised):
        caller_of(office, f"Bearer {token}")


def test_a_game_that_has_a_name_keeps_it(office: Office, ann: Player, bo: Player) -> None:
    game = create(office, ann, wish(Chair(bot="random"), name="Friday"))
    Game.update(status="finished").execute(office.database)
    forget_player(office, ann.id)
    assert load(office.database, game.id).name == "Friday"


def test_whoever_plays_is_not_forgotten_and_nothing_changes(office: Office, ann: Player, bo: Player) -> None:
    started(office, [ann, bo])
    create(office, ann, wish(OPEN))
    before = contents(office)
    with pytest.raises(StillPlaying, match="sits in 1 game that goes on; finish or resign first"):
        forget_player(office, ann.id)
    assert contents(office) == before


def test_leaving_can_resign_from_every_game_and_every_table(
    office: Office, ann: Player, bo: Player, cy: Player
) -> None:
    two, three = started(office, [ann, bo]), started(office, [bo, ann, cy])
    hosted, asked = create(office, ann, wish(OPEN)), create(office, bo, wish(Chair("ann@example.org"), OPEN))
    forget_player(office, ann.id, resign=True)
    status = {game.id: load(office.database, game.id).status for game in (two, three, hosted, asked)}
    assert list(status.values()) == ["finished", "playing", "cancelled", "waiting"]
    assert load(office.database, asked.id).seats[1].player is None
    assert "ann@example.org" not in everything(office)
    game = load(office.database, three.id)
    while game.status == "playing":
        game = step(office, game).game
    assert game.status == "finished", "the others can play on to the end"


def test_whoever_is_out_of_a_game_that_goes_on_need_not_resign_twice(
    office: Office, ann: Player, bo: Player, cy: Player
) -> None:
    game = started(office, [ann, bo, cy])
    game = act(office, game.id, 0, game.head, {"type": "resign"}, "").game
    forget_player(office, ann.id, resign=True)
    assert load(office.database, game.id).head == game.head


def test_no_letter_is_sent_to_somebody_who_has_left(office: Office, ann: Player, bo: Player, cy: Player) -> None:
    game = started(office, [ann, bo, cy])
    forget_player(office, ann.id, resign=True)
    say(office, game.id, 1, "Is she gone?")
    addresses = {row[0] for row in Letter.select(Letter.address).tuples().execute(office.database)}
    for address in addresses - {"bo@example.org", "cy@example.org"}:
        assert address == f"gone-{ann.id}@left.invalid"
        claim = outbox.claim(office.database, office.clock())
        assert claim
        for letter in (each for each in claim.letters if each.address == address):
            reader = outbox.addressee_of(office.database, letter, claim.mark)
            assert reader is not None
            assert reader.mail_trouble
    tick(office)
    assert legal(load(office.database, game.id))


def test_the_same_address_may_come_back_as_somebody_new(office: Office, ann: Player) -> None:
    forget_player(office, ann.id)
    again = player_with(office, "ann@example.org")
    assert again.id != ann.id
    assert Seat.select().where(Seat.player == again.id).count(office.database) == 0
