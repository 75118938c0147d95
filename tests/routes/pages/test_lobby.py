"""Games before they start: created with a form, filled by invitations and a link, cancelled."""

import re

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Game, Letter, Player
from service.games.lobby import SeatRequest, create_game, report_undeliverable
from service.games.names import display_seat_name
from service.games.rematch import request_rematch
from service.games.store import StoredGame, load
from tests.support.browsers import Browser
from tests.support.people import Person
from tests.support.tables import (
    OPEN,
    QueuedLetter,
    database_contents,
    join,
    new_game,
    play_to_end,
    queued_letters,
    start_game,
)

USUAL = {"kind2": "invited", "email2": "bo@example.org", "pace": "172800", "time_up": "stand-in"}


def made(ctx: AppContext) -> StoredGame:
    return load(ctx.database, Game.select(Game.id).scalar(ctx.database))


def seat_page(ctx: AppContext, game: StoredGame, seat: int) -> str:
    return f"/s/{ctx.tokens.seat(game.id, seat, load(ctx.database, game.id).seats[seat].link_version)}"


def test_the_form_needs_a_session_and_signing_in_returns_to_it(ctx: AppContext) -> None:
    asked = Browser(ctx).client.get("/new")
    assert (asked.status_code, asked.location) == (303, "/login?next=/new")
    assert Browser(ctx).client.get("/new?game=kilim").location == "/login?next=/new?game=kilim"
    assert Browser(ctx).client.get("/new?game=//evil.example").location == "/login?next=/new"
    page = Browser(ctx, "ann@example.org").get("/new")
    assert page.count('type="email"') == 3  # as many rows without a script as there can be seats
    Browser(ctx).post("/new", 401, **USUAL)


def test_a_forged_form_creates_no_game(ctx: AppContext, ann: Player) -> None:
    before = database_contents(ctx)
    Browser(ctx, "ann@example.org").post("/new", 403, form="0" * 32, **USUAL)
    assert database_contents(ctx) == before


def test_the_form_creates_a_game_and_invites(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, "ann@example.org")
    fields = USUAL | {"kind3": "open", "kind4": "medium", "name": "Friday", "variant": "rotate-after"}
    done = browser.post("/new", on="/new", **fields | {"time_up": "wait"})
    game = made(ctx)
    assert done.location == seat_page(ctx, game, 0)
    assert (game.name, game.pace, game.time_up, game.options["variant"]) == ("Friday", 172800, "wait", "rotate-after")
    assert [(seat.address, seat.bot) for seat in game.seats] == [
        ("ann@example.org", None),
        ("bo@example.org", None),
        (None, None),
        (None, "medium"),
    ]
    assert queued_letters(ctx) == [QueuedLetter("invitation", "bo@example.org")]
    page = browser.get(done.location)
    assert "/join/" in page
    assert "Waiting for bo to accept. One seat is still open." in page
    assert re.findall(r'<span class="badge[^>]*>(.*?)</span>', page) == ["host", "invited", "open", "medium bot"]
    assert re.findall(r'<span class="chip chip-(\w+)">', page) == ["red", "blue", "yellow", "green"]
    assert "2 days for each turn. When the time is up, the game waits" in page


def test_a_signed_in_host_fills_and_cancels_the_game_on_its_page(ctx: AppContext, ann: Player) -> None:
    game, browser = create_game(ctx, ann, new_game(OPEN, OPEN)), Browser(ctx, "ann@example.org")
    page = browser.get(f"/g/{game.id}")
    assert f'action="{seat_page(ctx, game, 0)}/invite"' in page
    assert f'action="{seat_page(ctx, game, 0)}/cancel"' in page
    assert "Give up my seat" not in page  # a host calls the table off
    assert "/invite" not in Browser(ctx).get(f"/g/{game.id}")


@pytest.mark.parametrize(("zone", "kept"), [("Asia/Tokyo", "Asia/Tokyo"), ("Mars/Olympus", "UTC"), ("", "UTC")])
def test_an_invited_player_gets_the_browsers_language_and_time_zone(
    ctx: AppContext, ann: Player, zone: str, kept: str
) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest(email="new@example.org")))
    browser, seat = Browser(ctx, language="fr"), seat_page(ctx, game, 1)
    assert 'name="zone" data-zone' in browser.get(seat)
    browser.post(seat, do="accept", zone=zone)
    new = find_or_create_player(ctx, "new@example.org")
    assert (new.language, new.time_zone) == ("fr", kept)
    assert '<html lang="fr"' in browser.get(seat)


def test_a_player_who_has_changed_settings_keeps_them_on_accepting(ctx: AppContext, ann: Player, bo: Player) -> None:
    Player.update(mail='{"turns": true}').where(Player.id == bo.id).execute(ctx.database)
    game = create_game(ctx, ann, new_game(SeatRequest(email="bo@example.org")))
    Browser(ctx, language="fr").post(seat_page(ctx, game, 1), do="accept", zone="Asia/Tokyo")
    kept = find_or_create_player(ctx, "bo@example.org")
    assert (kept.language, kept.time_zone) == ("en", "UTC")


def test_two_bots_of_one_level_have_different_names(ctx: AppContext, ann: Player) -> None:
    fields = USUAL | {"kind2": "medium", "email2": "", "kind3": "medium", "kind4": "easy"}
    Browser(ctx, "ann@example.org").post("/new", on="/new", **fields)
    assert [display_seat_name(seat) for seat in made(ctx).seats] == ["ann", "Idris", "Salma", "Zahra"]


NAMES = [
    "Friday  night",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\U0001f469\u200d\U0001f467 & co",
    "A\u030a",
    "Caf\u00e9 =?x?=",
    "x" * 80,
]
"""A Persian name with a zero-width non-joiner, an emoji with a joiner, a letter that NFC changes, and others."""


@pytest.mark.parametrize("name", NAMES)
def test_the_page_accepts_every_name_that_the_api_accepts(ctx: AppContext, ann: Player, name: str) -> None:
    person = Person(Browser(ctx).client, ctx, "ann@example.org")
    by_api = person.post("/games", {"game": "marrakech", "name": name, "seats": [{"open": True}]}, 201)
    browser = Browser(ctx, "ann@example.org")
    browser.post("/new", on="/new", kind2="open", name=name)
    assert [game.name for game in Game.select(Game.name).execute(ctx.database)] == [by_api["name"]] * 2
    response = person.call("PATCH", "/me", {"name": name})
    assert response.status_code == 200
    fields = {"name": name, "language": "en", "time_zone": "UTC"}
    browser.post("/me", on="/me", **fields)
    assert Player.select(Player.name).where(Player.id == ann.id).scalar(ctx.database) == (response.json or {})["name"]


@pytest.fixture
def table(ctx: AppContext, ann: Player) -> StoredGame:
    return create_game(ctx, ann, new_game(SeatRequest("bo@example.org"), OPEN, name="<b>Friday</b>"))


def test_an_invited_player_accepts_or_declines_and_names_are_escaped(ctx: AppContext, table: StoredGame) -> None:
    bo, here = Browser(ctx), seat_page(ctx, table, 1)
    page = bo.get(here)
    assert "&lt;b&gt;Friday&lt;/b&gt;" in page
    assert 'value="accept">Accept</button>' in page
    assert "Cancel the game" not in page
    bo.post(here, do="accept")
    assert load(ctx.database, table.id).seats[1].accepted
    assert "Give up my seat" in bo.get(here)
    assert "Your seat is open again" in bo.post(here, 200, do="decline").text
    assert load(ctx.database, table.id).seats[1].player is None


def test_the_host_can_invite_again_when_a_seat_is_declined(ctx: AppContext, table: StoredGame) -> None:
    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    ann.post(f"{here}/invite", email="cy@example.org")
    assert load(ctx.database, table.id).seats[2].address == "cy@example.org"
    Browser(ctx).post(seat_page(ctx, table, 1), 200, do="decline")
    ann.post(f"{here}/invite", email="bo@example.org")  # the same seat once more is a letter once more
    letters = [letter for letter in queued_letters(ctx) if letter.kind == "invitation"]
    assert [letter.address for letter in letters] == ["bo@example.org", "cy@example.org", "bo@example.org"]
    assert not load(ctx.database, table.id).seats[1].accepted


def test_the_host_corrects_the_address_of_an_invitation_that_could_not_be_delivered(
    ctx: AppContext, table: StoredGame
) -> None:
    ann, here, old = Browser(ctx), seat_page(ctx, table, 0), seat_page(ctx, table, 1)
    assert "could not be delivered" not in ann.get(here)
    assert '<span class="note">bo@example.org</span>' in ann.get(here), "a mistake in the address can be seen"
    report_undeliverable(ctx, table.id, 1)
    told = "The invitation to bo@example.org couldn't be delivered."
    assert told in ann.get(here)
    assert "bo@example.org" not in Browser(ctx).get(old), "only the host, who wrote it, sees the address"
    ann.post(f"{here}/invite", seat="1", email="bob@example.org")
    seat = load(ctx.database, table.id).seats[1]
    assert (seat.address, seat.accepted, seat.link_version) == ("bob@example.org", False, 1)
    assert told not in ann.get(here)
    assert queued_letters(ctx)[-1] == QueuedLetter("invitation", "bob@example.org")
    Browser(ctx).get(old, 410)
    Browser(ctx).post(seat_page(ctx, table, 1), do="accept")
    assert "That seat is already taken" in ann.post(f"{here}/invite", 409, seat="1", email="cy@example.org").text


@pytest.mark.parametrize(("email", "status"), [("nonsense", 400), ("bo@example.org", 400), ("ann@example.org", 400)])
def test_invalid_and_repeated_invitations_are_refused(
    ctx: AppContext, table: StoredGame, email: str, status: int
) -> None:
    before = database_contents(ctx)
    page = Browser(ctx).post(f"{seat_page(ctx, table, 0)}/invite", status, email=email).text
    assert 'role="alert"' in page
    assert database_contents(ctx) == before


def test_a_full_game_takes_no_invitation(ctx: AppContext, table: StoredGame) -> None:
    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    ann.post(f"{here}/invite", email="cy@example.org")
    assert "Every seat" in ann.post(f"{here}/invite", 409, email="dan@example.org").text


def test_only_the_host_changes_seats_and_cancels(ctx: AppContext, table: StoredGame) -> None:
    before, here = database_contents(ctx), seat_page(ctx, table, 1)
    Browser(ctx).post(f"{here}/invite", 403, email="cy@example.org")
    Browser(ctx).post(f"{here}/cancel", 403)
    Browser(ctx).post(f"{here}/resend", 403, seat="1")
    Browser(ctx).post(f"{here}/bot", 403, seat="1", bot="easy")
    Browser(ctx).post(f"{here}/start", 403)
    Browser(ctx).post("/s/nonsense/cancel", 401)
    assert database_contents(ctx) == before


def test_the_host_replaces_the_shared_link(ctx: AppContext, table: StoredGame) -> None:
    def link(page: str) -> str:
        found = re.search(r'value="http://[^/]+(/join/[^"]+)"', page)
        assert found
        return found[1]

    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    old = link(ann.get(here))
    assert "Replace the link" not in Browser(ctx).get(seat_page(ctx, table, 1))
    Browser(ctx).post(f"{seat_page(ctx, table, 1)}/new-link", 403)
    assert link(ann.get(here)) == old
    ann.post(f"{here}/new-link")
    new = link(ann.get(here))
    assert "was replaced by a new one" in Browser(ctx).get(old, 410)
    assert "ann invites you" in Browser(ctx).get(new)
    Browser(ctx, "eve@example.org").post(old, 410, on=new)
    Browser(ctx, "eve@example.org").post(new, on=new)


def test_a_game_that_the_host_cancels_is_gone(ctx: AppContext, table: StoredGame) -> None:
    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    assert "was cancelled" in ann.post(f"{here}/cancel", 200).text
    assert "cancelled before it started" in ann.get(here, 410)
    assert Letter.select().where(Letter.kind == "cancelled").count(ctx.database) == 1


def test_an_onlooker_sees_the_players_but_no_address_or_link(ctx: AppContext, table: StoredGame) -> None:
    page = Browser(ctx).get(f"/g/{table.id}")
    assert "&lt;b&gt;Friday" in page
    assert "@example.org" not in page
    assert "/join/" not in page
    assert "<form" not in page
    assert f'or sign in. <a href="/login?next=/g/{table.id}">Sign in</a>' in page
    assert "If you play in this game" not in Browser(ctx).get(seat_page(ctx, table, 1))


def test_an_invited_player_who_has_a_name_sees_it_and_nobody_else_does(ctx: AppContext, table: StoredGame) -> None:
    Player.update(name="Bo Miller").where(Player.email == "bo@example.org").execute(ctx.database)
    assert "<bdi>Bo Miller</bdi>" in Browser(ctx).get(seat_page(ctx, table, 1))
    assert "Bo Miller" not in Browser(ctx).get(seat_page(ctx, table, 0))


def test_the_host_sends_an_invitation_again_with_a_message(ctx: AppContext, table: StoredGame) -> None:
    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    assert f'action="{here}/resend"' in ann.get(here)
    ann.post(f"{here}/resend", seat="1", message="Bring tea!\r\n<b>Soon</b>")
    page = ann.get(here)
    assert "The invitation was sent again today." in page
    assert f'action="{here}/resend"' not in page
    assert "<summary>Invite somebody else instead</summary>" in page
    ann.post(f"{here}/resend", seat="1")
    assert [letter.address for letter in queued_letters(ctx)] == ["bo@example.org"] * 2
    for way in (seat_page(ctx, table, 1), f"/join/{ctx.tokens.invitation(table.id, 0)}"):
        assert "Bring tea!\n&lt;b&gt;Soon&lt;/b&gt;" in Browser(ctx).get(way)
    assert "Bring tea!" not in Browser(ctx).get(f"/g/{table.id}"), "it is for the people who are invited"


def test_the_host_gives_seats_to_bots_until_the_game_starts(ctx: AppContext, table: StoredGame) -> None:
    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    ann.post(f"{here}/bot", seat="1", bot="easy")
    assert "One seat is still open." in ann.get(here)
    ann.post(f"{here}/bot", seat="2", bot="medium")
    game = load(ctx.database, table.id)
    assert (game.status, [display_seat_name(seat) for seat in game.seats]) == ("playing", ["ann", "Idris", "Salma"])


def test_the_host_starts_with_fewer_players_once_there_are_enough(
    ctx: AppContext, table: StoredGame, cy: Player
) -> None:
    ann, here = Browser(ctx), seat_page(ctx, table, 0)
    assert "Start now" not in ann.get(here)
    assert "This game needs at least 2 players" in ann.post(f"{here}/start", 409).text
    join(ctx, table.id, cy)
    assert "The game starts now with ann and cy." in ann.get(here)
    old = seat_page(ctx, table, 2)
    ann.post(f"{here}/start")
    assert load(ctx.database, table.id).status == "playing"
    Browser(ctx).get(old, 410)
    ann.post(f"{here}/start")  # pressed twice


def test_the_page_says_whom_it_waits_for(ctx: AppContext, ann: Player) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest("ben@example.org"), SeatRequest("cem@example.org")))
    assert "Waiting for ben and cem to accept." in Browser(ctx).get(seat_page(ctx, game, 0))
    assert "Waiting for you and cem to accept." in Browser(ctx).get(seat_page(ctx, game, 1))
    Browser(ctx).post(seat_page(ctx, game, 1), do="accept", name="Ben Miller")
    assert "Waiting for cem to accept." in Browser(ctx).get(seat_page(ctx, game, 1))
    assert load(ctx.database, game.id).seats[1].name == "Ben Miller"


def test_a_wrong_address_is_refused_next_to_its_field_and_kept(ctx: AppContext, table: StoredGame) -> None:
    ann, here = Browser(ctx), f"{seat_page(ctx, table, 0)}/invite"
    for address, reason in (
        (
            "ann@example.org",
            "That&#39;s your own address, and you already have the first seat. Enter somebody else&#39;s.",
        ),
        (
            "bo@example.org",
            "bo@example.org already has a seat in this game, or an invitation to it. Use another address.",
        ),
    ):
        page = ann.post(here, 400, seat="2", email=address, message="Bring tea!").text
        assert re.search(rf'id="email2"[^>]* value="{address}" aria-invalid="true"', page)
        assert f'<span class="refusal wrong" id="email2-error">{reason}</span>' in page
        assert '<details class="fill" id="fill2-open" open>' in page
        assert re.findall(r"<textarea [^>]*>\n(.*?)</textarea>", page) == ["", "Bring tea!"], "what was typed is kept"
        assert 'role="alert"' not in page


def test_a_wrong_message_is_not_reported_as_a_wrong_address(ctx: AppContext, table: StoredGame) -> None:
    fields = {"seat": "2", "email": "cy@example.org", "message": "a\u202eb"}
    page = Browser(ctx).post(f"{seat_page(ctx, table, 0)}/invite", 400, **fields).text
    assert re.search(r'role="alert"><strong>This text contains invisible characters', page)
    assert 'id="email2-error"' not in page
    assert 'value="cy@example.org"' in page


def test_the_host_of_a_rematch_sees_no_address_that_somebody_else_wrote(ctx: AppContext, ann: Player) -> None:
    over = play_to_end(ctx, start_game(ctx, [ann, find_or_create_player(ctx, "bo@example.org")]))
    rematch = request_rematch(ctx, over.id, ann)
    report_undeliverable(ctx, rematch.id, 1)
    page = Browser(ctx).get(seat_page(ctx, rematch, 0))
    assert "The invitation to bo couldn't be delivered." in page
    assert "bo@example.org" not in page


@pytest.mark.parametrize(
    ("way", "fields"),
    [
        ("resend", {}),
        ("resend", {"seat": "1", "message": "x" * 501}),
        ("bot", {"seat": "1"}),
        ("bot", {"seat": "1", "bot": "genius"}),
        ("bot", {"bot": "easy"}),
    ],
)
def test_a_form_about_a_seat_that_is_not_complete_is_refused(
    ctx: AppContext, table: StoredGame, way: str, fields: dict[str, str]
) -> None:
    before = database_contents(ctx)
    assert 'role="alert"' in Browser(ctx).post(f"{seat_page(ctx, table, 0)}/{way}", 400, **fields).text
    for number in ("9", "-1"):
        Browser(ctx).post(f"{seat_page(ctx, table, 0)}/bot", 404, seat=number, bot="easy")
    assert database_contents(ctx) == before
