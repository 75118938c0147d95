"""The page behind List-Unsubscribe: looking changes nothing, one click stops optional letters, turns need a choice."""

import json

import pytest
from flask.testing import FlaskClient

from service.context import AppContext
from service.db.models import Player
from tests.support.apps import app_for
from tests.support.tables import database_contents

ALL = {"turns": True, "reminders": True, "talk": True, "invitations": True, "at_once": False}
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return app_for(ctx).test_client()


def page(ctx: AppContext, player: Player, kind: str = "turns") -> str:
    return f"/u/{ctx.tokens.unsubscribe(player.id, kind)}"


def wishes(ctx: AppContext, player: Player) -> dict[str, bool]:
    mail = Player.select(Player.mail).where(Player.id == player.id).scalar(ctx.database)
    return {**ALL, **json.loads(mail)}


def test_opening_the_page_changes_nothing(ctx: AppContext, client: FlaskClient, ann: Player) -> None:
    before = database_contents(ctx)
    answer = client.get(page(ctx, ann))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert "Stop reminders, chat e-mails and invitations" in answer.text
    assert "I'll check for myself when it's my turn." in answer.text
    assert client.head(page(ctx, ann)).status_code == 200
    assert database_contents(ctx) == before


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("turns", {**ALL, "reminders": False, "talk": False, "invitations": False}),
        ("reminders", {**ALL, "reminders": False}),
        ("talk", {**ALL, "talk": False}),
        ("invitations", {**ALL, "invitations": False}),
    ],
)
def test_one_click_of_a_mail_program_stops_optional_letters(
    ctx: AppContext, client: FlaskClient, ann: Player, bo: Player, kind: str, left: dict[str, bool]
) -> None:
    for _ in range(2):
        assert client.post(page(ctx, ann, kind), data=ONE_CLICK).status_code == 200
        assert wishes(ctx, ann) == left
    assert wishes(ctx, bo) == ALL


def test_turn_letters_stop_only_on_the_page(ctx: AppContext, client: FlaskClient, ann: Player) -> None:
    answer = client.post(page(ctx, ann), data={"letters": "none"})
    assert wishes(ctx, ann) == dict.fromkeys(ALL, False)
    assert "You don't get an e-mail when it's your turn." in answer.text
    assert "check for myself when" not in answer.text


def test_all_letters_can_be_resumed(ctx: AppContext, client: FlaskClient, ann: Player) -> None:
    client.post(page(ctx, ann), data={"letters": "none"})
    assert "Send me all e-mails again" in client.get(page(ctx, ann)).text
    client.post(page(ctx, ann), data={"letters": "all"})
    assert wishes(ctx, ann) == ALL
    assert "Send me all e-mails again" not in client.get(page(ctx, ann)).text


def test_preferences_set_elsewhere_are_kept(ctx: AppContext, client: FlaskClient, ann: Player) -> None:
    Player.update(mail='{"turns": false}').where(Player.id == ann.id).execute(ctx.database)
    client.post(page(ctx, ann, "talk"), data=ONE_CLICK)
    assert wishes(ctx, ann) == {**ALL, "turns": False, "talk": False}


def test_a_wrong_link_is_refused_with_a_page(ctx: AppContext, client: FlaskClient, ann: Player) -> None:
    before = database_contents(ctx)
    for token in (
        ctx.tokens.api(ann.id, 0),
        ctx.tokens.unsubscribe(99, "turns"),
        ctx.tokens.unsubscribe(ann.id, "sign-in"),
        ctx.tokens.unsubscribe(ann.id, "turns")[:-1],
    ):
        for answer in (client.get(f"/u/{token}"), client.post(f"/u/{token}", data=ONE_CLICK)):
            assert answer.status_code == 401
            assert answer.mimetype == "text/html"
    assert database_contents(ctx) == before
