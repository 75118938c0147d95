"""Letters that are about something else offer the reader's choices as a turn's letter does, below their own matter."""

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.clocks.asking import asked_for
from service.lobby import Chair
from service.mail.letters import Composed, compose
from service.mail.message import write_message
from service.mail.outbox import Addressee
from service.models import LONGEST_MESSAGE, Game, Letter
from service.office import Office
from service.seat_links import mail_again
from service.store import load
from service.stored import StoredGame
from service.talk import COLLECTED_FOR, say
from tests.mail.correspondence import ann_to_move, post
from tests.mail.html_reading import Read
from tests.mail.tables import ANN, BO, letters, one_step, played, started
from tests.mail.test_every_letter import check
from tests.service.conftest import Clock
from tests.service.tables import contents
from tests.service.timed import ring_at


@pytest.fixture
def game(office: Office) -> StoredGame:
    """Ann is to move in a game with Bo."""
    return ann_to_move(office, started(office, first=0), 2)


def talk(office: Office, game: StoredGame) -> Letter:
    say(office, game.id, 1, "Nice rug!")
    return letters(office, "talk")[-1]


def links(office: Office, game: StoredGame) -> Letter:
    mail_again(office, ANN)
    return letters(office, "links")[-1]


def overdue(office: Office, game: StoredGame) -> Letter:
    Game.update(time_up="wait").where(Game.id == game.id).execute(office.database)
    return post(office, "time-up", game, waiting=True)


def written(office: Office, letter: Letter) -> Composed:
    composed = compose(office, letter)
    check(composed)
    return composed


def choices(composed: Composed) -> dict[str, str]:
    """The links of a letter by what stands behind `?do=` in them, as paths."""
    paths = (link.removeprefix("http://127.0.0.1:8000") for link in composed.links)
    return {do: path for path in paths if (do := path.partition("?do=")[2])}


def press(client: FlaskClient, path: str) -> None:
    """Open the page of a link and send what is chosen on it already."""
    page = client.get(path).text
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    (chosen,) = re.findall(r'name="do" value="([^"]*)" required checked', page)
    assert client.post(path.partition("?")[0], data={**hidden, "do": chosen}).status_code == 303


@pytest.mark.parametrize("kind", [talk, links, overdue])
def test_its_links_choose_and_only_the_button_on_the_page_plays(
    office: Office, game: StoredGame, kind: Callable[[Office, StoredGame], Letter]
) -> None:
    client, offered = create_app(office).test_client(), choices(written(office, kind(office, game)))
    assert list(offered) == ["left", "ahead", "right"]
    before = contents(office)
    for path in offered.values():
        assert client.get(path).status_code == 200
    assert contents(office) == before
    press(client, offered["ahead"])
    rolled = load(office.database, game.id)
    assert (rolled.turn, rolled.state.phase) == (game.turn, "placement")


@pytest.mark.parametrize("kind", [talk, links, overdue])
def test_in_the_middle_of_a_turn_it_numbers_the_places_on_the_board_and_links_each(
    office: Office, game: StoredGame, kind: Callable[[Office, StoredGame], Letter]
) -> None:
    game = one_step(office, game)
    composed = written(office, kind(office, game))
    places = ["-".join(action["squares"]) for action in game.rules.view(game.state, 0)["legal"]]
    offered = choices(composed)
    assert list(offered) == places
    board = composed.text.partition("Where do you lay your ")[0]
    for number, place in enumerate(places, 1):
        assert f"#{number}" in board
        assert f"<b>{number}</b>&nbsp; {place}</a>" in composed.html
    press(create_app(office).test_client(), offered[places[-1]])
    assert load(office.database, game.id).turn == game.turn + 1


def test_what_was_said_comes_before_the_game(office: Office, game: StoredGame) -> None:
    composed = written(office, talk(office, game))
    for part in (composed.text, Read(composed.html).text):
        order = ["Bo: Nice rug!", "Go to the table", "What has happened since your last turn", "Your choice"]
        assert sorted(order, key=part.index) == order


def test_who_has_just_moved_reads_that_nothing_has_happened_since(office: Office, game: StoredGame) -> None:
    played(office, game, game.turn)
    composed = written(office, talk(office, game))
    assert "Nothing has happened since your last turn." in composed.text
    assert "Nothing has happened since your last turn." in Read(composed.html).said
    assert choices(composed) == {}


def test_a_turn_that_a_stand_in_has_finished_is_told(office: Office, clock: Clock, game: StoredGame) -> None:
    game = one_step(office, game)
    ring_at(office, clock, game.deadline or 0)
    told = " ".join(written(office, talk(office, game)).text.split())
    assert "What has happened since your last turn: * Stand-in: Ann lays a " in told
    assert "You roll" not in told


def test_it_says_the_same_after_more_was_said_and_played(office: Office, clock: Clock, game: StoredGame) -> None:
    for letter in (talk(office, game), links(office, game)):
        clock.now = max(clock.now, float(letter.due))
        sent = written(office, letter)
        Letter.update(status="sent", sent=clock.now).where(Letter.id == letter.id).execute(office.database)
        clock.now += COLLECTED_FOR
        say(office, game.id, 1, "Are you there?")
        game = ann_to_move(office, one_step(office, game))
        (again,) = [each for each in letters(office) if each.id == letter.id]
        assert compose(office, again, again=True) == sent


def test_the_others_have_a_link_for_each_decision_and_none_decides_by_being_opened(
    office: Office, clock: Clock, game: StoredGame
) -> None:
    Game.update(time_up="wait").where(Game.id == game.id).execute(office.database)
    ring_at(office, clock, game.deadline or 0)
    (to_bo,) = [letter for letter in letters(office, "time-up") if letter.address == BO]
    offered, client, before = choices(written(office, to_bo)), create_app(office).test_client(), contents(office)
    assert list(offered) == ["stand-in", "more-time"]
    for do, path in offered.items():
        assert re.findall(r'value="([a-z-]+)" autofocus', client.get(path).text) == [do]
    assert contents(office) == before
    client.post(offered["stand-in"].partition("?")[0], data={"do": "stand-in"})
    assert load(office.database, game.id).turn == game.turn + 1


def test_who_is_out_reads_that_the_others_decide_and_is_asked_nothing(
    office: Office, clock: Clock, game: StoredGame
) -> None:
    cy = Chair(email="cy@example.org", name="Cy")
    game = ann_to_move(office, started(office, Chair(email=BO, name="Bo"), cy, first=0))
    game = one_step(office, game)
    client = create_app(office).test_client()
    seat = f"/s/{office.links.seat(game.id, 2, 0)}"
    client.post(seat, data={"do": "resign", "sure": "yes", "head": str(game.head)})
    Game.update(time_up="wait").where(Game.id == game.id).execute(office.database)
    ring_at(office, clock, game.deadline or 0)
    (to_cy,) = [letter for letter in letters(office, "time-up") if letter.seat == 2]
    composed = written(office, to_cy)
    assert "the time of Ann is up in Market day, and the others decide how to go on." in " ".join(composed.text.split())
    assert choices(composed) == {}
    assert asked_for(office, load(office.database, game.id)) == []


@pytest.mark.parametrize("sign", ["y ", '"', "<", "絨", "é", "=", "\N{PILE OF POO}", "\U000e0101"])
def test_a_wall_of_any_sign_keeps_to_the_size_of_a_letter(office: Office, sign: str) -> None:
    game = ann_to_move(office, started(office, first=0), 16)
    game = one_step(office, game)
    for number in range(25):
        say(office, game.id, 1, f"{number}{sign * LONGEST_MESSAGE}"[:LONGEST_MESSAGE])
    letter = letters(office, "talk")[-1]
    addressee = Addressee(1, {}, None, "playing", game.turn, to_act=True, link_version=0)
    composed = compose(office, letter)
    assert "(What was said before that is on the game's page.)" in composed.text
    assert "Bo: 24" in " ".join(composed.text.split())
    assert len(write_message(office, letter, addressee, composed)) < 150_000
    assert len(composed.html.encode()) < 60_000
