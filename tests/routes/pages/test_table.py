"""The page of a table: what it shows to whom, what its forms do, and what it refuses."""

import re

import html5lib
import pytest
from flask.testing import FlaskClient

from service.clocks import requests
from service.context import AppContext
from service.db.models import Message, Player
from service.games import chat
from service.games.chat import post_message
from service.games.lobby import SeatRequest, accept, create_game
from service.games.play import act
from service.games.store import StoredGame, load
from tests.routes.pages.test_join import browser
from tests.routes.pages.test_login import form_of
from tests.support.clock import Clock
from tests.support.tables import database_contents, new_game, play_one_action, play_to_end, start_game
from tests.support.timed import start_timed_game


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """Ann and Bo play, and Ann is to move."""
    return start_game(ctx, [ann, bo])


def here(game: StoredGame) -> str:
    return f"/g/{game.id}"


def shown(client: FlaskClient, path: str) -> str:
    """The page, which must be sound HTML."""
    page = client.get(path)
    assert page.status_code == 200, page.text
    html5lib.HTMLParser(strict=True).parse(page.text)
    return page.text


def press(client: FlaskClient, path: str, do: str, **fields: str) -> tuple[int, str]:
    page = client.get(path).text
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    answer = client.post(path, data={**hidden, "do": do, **fields})
    return answer.status_code, answer.text


def test_who_is_signed_in_plays_on_the_page_of_the_table(ctx: AppContext, game: StoredGame) -> None:
    ann, bo = browser(ctx, "ann@example.org"), browser(ctx, "bo@example.org")
    assert "It's your turn." in shown(ann, here(game))
    assert "<title>Your turn · " in shown(ann, here(game))
    assert "Waiting for ann." in shown(bo, here(game))
    assert press(ann, here(game), "left")[0] == 303
    assert "Where do you lay your" in shown(ann, here(game))
    place = re.findall(r'name="do" value="([a-g][1-7]-[a-g][1-7])"', shown(ann, here(game)))[0]
    assert press(ann, here(game), place)[0] == 303
    assert "Waiting for bo." in shown(ann, here(game))
    assert load(ctx.database, game.id).turn == 2


@pytest.mark.parametrize(
    ("address", "token", "status"),
    [("ann@example.org", "", 403), ("ann@example.org", "0" * 32, 403), (None, "0" * 32, 401)],
)
def test_a_form_from_elsewhere_does_nothing(
    ctx: AppContext, game: StoredGame, address: str | None, token: str, status: int
) -> None:
    client, before = browser(ctx, address), database_contents(ctx)
    for do in ("left", "resign", "say", "pause"):
        fields = {"do": do, "head": str(game.head), "text": "hello", "form": token}
        assert client.post(here(game), data=fields).status_code == status
    assert database_contents(ctx) == before


def test_who_has_no_seat_can_only_look(ctx: AppContext, game: StoredGame, eve: Player) -> None:
    client, before = browser(ctx, "eve@example.org"), database_contents(ctx)
    page = shown(client, here(game))
    assert "<form" not in page
    token = form_of(client.get("/").text)
    for do in ("left", "resign", "say"):
        fields = {"do": do, "head": str(game.head), "text": "hello", "form": token}
        refused = client.post(here(game), data=fields)
        assert refused.status_code == 403
        assert "have a seat in this game. You can watch it" in refused.text
    assert database_contents(ctx) == before


def test_each_direction_shows_where_every_face_leads_and_what_it_costs(ctx: AppContext, game: StoredGame) -> None:
    act(ctx, game.id, 0, game.head, {"type": "face", "direction": "ahead"}, "")
    game = load(ctx.database, game.id)
    while game.status == "playing":
        if game.state.phase == "direction" and game.turn > 6:
            page = shown(browser(ctx, f"{('ann', 'bo')[game.state.mover]}@example.org"), here(game))
            assert len(re.findall(r"<td data-way=", page)) == 12
            assert page.count("2/6</th>") == 2
            assert len(re.findall(r">[\d.]+ dirhams on average<|>free<", page)) == 3
            if re.search(r'data-due="[1-9]"', page):
                assert re.search(r">[a-g][1-7]: \d+ to (ann|bo)</td>", page)
                return
        game = play_one_action(ctx, game).game
    pytest.fail("Nobody could have paid in the whole game.")


def test_the_talk_is_for_who_sits_there_and_is_text(ctx: AppContext, game: StoredGame) -> None:
    ann, bo = browser(ctx, "ann@example.org"), browser(ctx, "bo@example.org")
    assert press(ann, here(game), "say", text="Tea?\r\n<script>x</script>")[0] == 303
    page = shown(bo, here(game))
    assert "Tea?\n&lt;script&gt;x&lt;/script&gt;" in page
    assert "<script>x" not in page
    for stranger in (browser(ctx), browser(ctx, "eve@example.org")):
        assert "Tea?" not in shown(stranger, here(game))


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 1001])
def test_what_cannot_be_said_is_refused_and_given_back(ctx: AppContext, game: StoredGame, text: str) -> None:
    status, page = press(browser(ctx, "ann@example.org"), here(game), "say", text=text)
    assert status == 400
    assert "Write a message of at most 1,000 characters." in page
    assert text.strip() in page
    assert Message.select().count(ctx.database) == 0


def test_only_the_newest_lines_are_shown(ctx: AppContext, game: StoredGame) -> None:
    for number in range(60):
        post_message(ctx, game.id, 0, f"line-{number:02}")
    page = shown(browser(ctx, "bo@example.org"), here(game))
    assert re.findall(r"line-\d\d", page) == [f"line-{number:02}" for number in range(10, 60)]
    assert [line.text for line in chat.latest_messages(ctx, game.id, 2)] == ["line-58", "line-59"]


def test_a_page_that_is_open_is_told_only_when_something_has_changed(
    ctx: AppContext, game: StoredGame, bo: Player
) -> None:
    client = browser(ctx, "ann@example.org")
    tag = client.get(here(game)).headers["ETag"]

    def changed() -> bool:
        nonlocal tag
        answer = client.get(here(game), headers={"If-None-Match": tag})
        assert answer.status_code == 200 or (answer.status_code == 304 and not answer.data)
        tag = answer.headers["ETag"]
        return answer.status_code == 200

    assert f'data-seen="{tag.strip(chr(34))}"' in client.get(here(game)).text
    assert not changed()
    play_one_action(ctx, game)
    assert changed()
    assert not changed()
    post_message(ctx, game.id, 1, "Hello")
    assert changed()
    assert not changed()


def test_an_open_page_says_how_long_is_left_as_time_goes_by(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock
) -> None:
    game, client = start_timed_game(ctx, ann, bo), browser(ctx, "bo@example.org")
    first = client.get(here(game))
    assert "2 days left" in first.text
    clock.now += 60
    asked = {"If-None-Match": first.headers["ETag"]}
    assert client.get(here(game), headers=asked).status_code == 304  # a minute more or less is not said
    clock.now += 5 * 3600
    later = client.get(here(game), headers=asked)
    assert (later.status_code, "43 hours left" in later.text) == (200, True)
    status = re.search(r'id="status".*?</div>', later.text, re.DOTALL)
    assert status
    assert "left" not in status[0]  # or a screen reader would say it each time


def test_an_open_page_hears_of_a_seat_that_is_taken_and_of_wishes_about_the_clock(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = start_timed_game(ctx, ann, bo, cy)
    client = browser(ctx, "ann@example.org")
    tag = client.get(here(game)).headers["ETag"]
    requests.pause(ctx, game.id, 1)
    page = client.get(here(game), headers={"If-None-Match": tag})
    assert page.status_code == 200
    assert "bo wants a pause." in page.text
    clock.now += 10 * 86_400  # the time of the turn is up
    late = client.get(here(game), headers={"If-None-Match": page.headers["ETag"]})
    assert late.status_code == 200
    assert "Your time is up" in late.text


def test_times_are_told_in_the_zone_of_the_reader(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_timed_game(ctx, ann, bo)
    Player.update(time_zone="Asia/Tokyo").where(Player.id == bo.id).execute(ctx.database)
    assert "Japan" in shown(browser(ctx, "bo@example.org"), here(game))
    assert "(UTC)" in shown(browser(ctx, "ann@example.org"), here(game))
    onlooker = shown(browser(ctx), here(game))
    assert re.search(r'<time datetime="[^"]+Z" data-local>', onlooker)


def test_the_log_has_an_end_however_long_the_game_is(ctx: AppContext, game: StoredGame) -> None:
    for _ in range(60):
        game = play_one_action(ctx, game).game
    page = shown(browser(ctx), here(game))
    log = re.search(r'<ol class="log">(.*?)</ol>', page, re.DOTALL)
    assert log is not None
    assert 2 <= log[1].count("<li>") <= 5
    assert f'href="/g/{game.id}/replay"' in page


@pytest.mark.parametrize("sure", [{}, {"sure": ""}, {"sure": "no"}], ids=["untold", "empty", "no"])
def test_who_has_not_ticked_that_he_resigns_stays_in_the_game(
    ctx: AppContext, game: StoredGame, sure: dict[str, str]
) -> None:
    bo, before = browser(ctx, "bo@example.org"), database_contents(ctx)
    status, page = press(bo, here(game), "resign", text="half a sentence", **sure)
    assert status == 400
    assert "To leave it, tick the box that says you want to resign." in page
    assert "half a sentence</textarea>" in page
    assert database_contents(ctx) == before


def test_resigning_on_the_page_leaves_the_game(ctx: AppContext, game: StoredGame) -> None:
    bo = browser(ctx, "bo@example.org")
    assert press(bo, here(game), "resign", sure="yes")[0] == 303
    page = shown(bo, here(game))
    assert "The game is over. Only one player is left. ann wins." in page
    assert "Leave the game" not in page
    assert f'href="/g/{game.id}/over#dice"' in page


def test_a_seat_that_is_offered_is_taken_on_the_page(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest(email="bo@example.org")))
    client = browser(ctx, "bo@example.org")
    assert "Accept</button>" in shown(client, here(game))
    fields = {"do": "accept", "form": form_of(client.get("/").text)}
    assert client.post(here(game), data=fields).status_code == 303
    assert load(ctx.database, game.id).status == "playing"
    assert accept(ctx, game.id, 1, bo.id).status == "playing"


def test_the_seed_is_shown_only_when_the_game_is_over(ctx: AppContext, game: StoredGame) -> None:
    for path in (here(game), f"{here(game)}/replay"):
        assert game.seed not in shown(browser(ctx, "ann@example.org"), path)
    play_to_end(ctx, game)
    assert game.seed in shown(browser(ctx), f"{here(game)}/over")


def test_scripts_and_styles_come_from_here_only(ctx: AppContext, game: StoredGame) -> None:
    for path in (here(game), f"{here(game)}/replay"):
        page = browser(ctx, "ann@example.org").get(path)
        policy = page.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "connect-src 'self'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"\son\w+=|\sstyle=|<style|<script(?!(?: type=\"module\")? src=\"/static/)", page.text)
        assert not re.search(r'(?:src|href)="(?:https?:)?//(?!127\.0\.0\.1)', page.text)


def test_a_mean_is_written_as_the_reader_writes_numbers(ctx: AppContext, game: StoredGame, ann: Player) -> None:
    mean = r'<tfoot><tr><th scope="row">[^<]+</th><td>(0[.,]0)</td>'
    assert set(re.findall(mean, shown(browser(ctx, "ann@example.org"), here(game)))) == {"0.0"}
    Player.update(language="fr").where(Player.id == ann.id).execute(ctx.database)
    assert set(re.findall(mean, shown(browser(ctx, "ann@example.org"), here(game)))) == {"0,0"}


def test_beside_the_name_of_a_bot_is_its_level(ctx: AppContext, ann: Player) -> None:
    seats = [SeatRequest(bot=level) for level in ("easy", "medium", "strong")]
    page = shown(browser(ctx, "ann@example.org"), here(create_game(ctx, ann, new_game(*seats))))
    remarks = re.findall(r'<bdi class="name">\w+</bdi>\s*<span class="remark">\(([\w ]+)\)</span>', page)
    assert remarks == ["you", "easy bot", "medium bot", "strong bot"]
