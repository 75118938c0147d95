"""The form for a new game names the field that is wrong and the reason, and keeps what was typed."""

import re
from dataclasses import replace
from gettext import NullTranslations
from xml.etree.ElementTree import Element

import html5lib
import pytest

from service.context import AppContext
from service.db.models import Game, Player
from service.engine.registry import GAMES
from service.games.store import load
from service.ui.registry import game_ui
from tests.support.browsers import Browser
from tests.support.tables import database_contents

Fields = dict[str, str]
OWN = "That's your own address, and you already have the first seat. Enter somebody else's."
NO_ADDRESS = "Enter an e-mail address such as ann@example.org, or choose something else for this seat."


def invited(*addresses: str) -> Fields:
    """A form that invites these addresses, from the second seat on."""
    kinds = {f"kind{row}": "invited" for row, _ in enumerate(addresses, 2)}
    return kinds | {f"email{row}": address for row, address in enumerate(addresses, 2)}


def _described_by(element: Element) -> str:
    return element.get("aria-describedby", "").split()[-1]


def described_fields(page: str) -> dict[str, str]:
    """What is said about each wrong field, as a screen reader finds it."""
    document = html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False)
    by_id = {element.get("id"): element for element in document.iter() if element.get("id")}
    return {
        element.get("id", ""): " ".join("".join(by_id[_described_by(element)].itertext()).split())
        for element in document.iter()
        if element.get("aria-invalid") == "true"
    }


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        (invited("no address"), {"email2": NO_ADDRESS}),
        (invited(""), {"email2": NO_ADDRESS}),
        (invited("bo@example.org", " Ann@Example.org "), {"email3": OWN}),
        (
            invited("bo@example.org", "cy@example.org", "BO@example.org"),
            {"email4": "bo@example.org is listed twice, in seats 2 and 4."},
        ),
        (invited("ann@example.org", "x"), {"email2": OWN, "email3": NO_ADDRESS}),
        (
            {"kind2": "open", "kind3": "nobody", "email3": "bo@example.org", "kind4": "medium", "email4": "x"},
            {"kind3": "There is an address for this seat.", "kind4": "There is an address for this seat."},
        ),
        ({"kind2": "nobody"}, {"kind2": "A game needs at least two players"}),
        ({"kind2": "open", "name": "x" * 81}, {"name": "This is too long. Use at most 80 characters."}),
        ({"kind2": "open", "name": "a\u202eb"}, {"name": "This text contains invisible characters."}),
        ({"kind2": "open", "message": "x" * 501}, {"message": "This is too long. Use at most 500 characters."}),
    ],
)
def test_each_wrong_field_is_named_with_the_reason_and_keeps_its_value(
    ctx: AppContext, ann: Player, fields: Fields, errors: Fields
) -> None:
    before = database_contents(ctx)
    page = Browser(ctx, "ann@example.org").post("/new", 400, on="/new", **fields).text
    described = described_fields(page)
    assert described.keys() == errors.keys()
    assert all(errors[field] in described[field] for field in errors)
    summary = page[page.index('role="alert"') : page.index("<form")]
    assert re.findall(r'<a href="#(\w+)">', summary) == [*errors]
    focused = re.findall(r'id="(\w+)"[^>]* autofocus', page)
    assert focused == [next(iter(errors))], "the first wrong field has the focus, and no other"
    for field, value in fields.items():
        if field.startswith("email") and value:
            assert f'value="{value}"' in page
    assert database_contents(ctx) == before


def test_an_address_that_may_not_play_here_is_named_next_to_its_field(ctx: AppContext, ann: Player) -> None:
    closed = ctx._replace(settings=replace(ctx.settings, allowed_emails=("*@example.org",)))
    fields = invited("bo@example.org", "eve@example.com")
    page = Browser(closed, "ann@example.org").post("/new", 400, on="/new", **fields).text
    assert described_fields(page)["email3"].startswith("eve@example.com can't play on this server.")


@pytest.mark.parametrize(
    "fields",
    [
        {"kind2": "dragon"},
        {"kind2": "open", "pace": "17"},
        {"kind2": "open", "time_up": "explode"},
        {"kind2": "open", "variant": "sideways"},
        {"kind2": "open", "game": "backgammon"},
    ],
)
def test_a_form_that_the_page_cannot_send_is_refused(ctx: AppContext, ann: Player, fields: Fields) -> None:
    page = Browser(ctx, "ann@example.org").post("/new", 400, on="/new", **fields).text
    assert re.search(r'role="alert"><strong>Something is missing in this form', page)
    assert described_fields(page) == {}


def test_errors_are_in_the_readers_language(ctx: AppContext, ann: Player) -> None:
    Player.update(language="fr").execute(ctx.database)
    page = Browser(ctx, "ann@example.org").post("/new", 400, on="/new", **invited("ann@example.org")).text
    assert "votre propre adresse" in described_fields(page)["email2"]


def test_each_game_is_offered_with_a_picture_a_sentence_and_the_number_of_players(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, "ann@example.org")
    page = browser.get("/new")
    for game in GAMES:
        ui = game_ui(game)
        assert f'<a href="/new?game={game}"' in page
        assert ui.tagline(NullTranslations()) in page
        assert browser.client.get(f"/rules/{game}/picture.svg?lang=en").mimetype == "image/svg+xml"
    assert ("2 to 4 players" in page, "2 to 5 players" in page) == (True, True)


def test_a_game_with_five_seats_and_its_own_options_is_created(ctx: AppContext, ann: Player) -> None:
    browser = Browser(ctx, "ann@example.org")
    page = browser.get("/new?game=kilim")
    assert re.findall(r'data-choose="(\w+)" aria-current', page) == ["kilim"]
    assert 'name="weaving"' in page
    assert 'name="variant"' not in page
    assert "Default: “Kilim with ann”." in page
    bots = {f"kind{row}": "easy" for row in range(2, 6)}
    browser.post("/new", on="/new?game=kilim", game="kilim", weaving="strict", **bots)
    game = load(ctx.database, Game.select(Game.id).scalar(ctx.database))
    assert (game.game, len(game.seats), game.options["weaving"]) == ("kilim", 5, "strict")


def test_what_was_typed_is_kept_when_another_game_is_chosen(ctx: AppContext, ann: Player) -> None:
    fields = invited("bo@example.org", "half@exam") | {"message": "Bring tea!", "name": "Friday", "pace": "604800"}
    browser, before = Browser(ctx, "ann@example.org"), database_contents(ctx)
    page = browser.post("/new", 200, on="/new", game="marrakech", choose="kilim", **fields).text
    assert '<input type="hidden" name="game" value="kilim">' in page
    assert described_fields(page) == {}
    for kept in (
        'value="bo@example.org"',
        'value="half@exam"',
        'value="Friday"',
        "Bring tea!",
        'value="604800" selected',
    ):
        assert kept in page
    assert database_contents(ctx) == before
