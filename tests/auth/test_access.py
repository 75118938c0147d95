"""Every kind of token at every API call; tampered, foreign and replaced tokens are refused."""

from collections.abc import Callable
from typing import Any

import pytest

from service.auth.tokens import TokenSigner
from service.context import AppContext
from service.db.models import Letter, Player
from service.mail.letters import Outdated, compose
from tests.support.apps import app_for
from tests.support.people import Person

STRANGER = TokenSigner(["another server's key, long enough"])


class Table:
    """A game between Ann and Bo, and every kind of token that Ann could have."""

    def __init__(self, ctx: AppContext) -> None:
        self.ctx = ctx
        self.client = app_for(ctx).test_client()
        self.ann = Person(self.client, ctx, "ann@example.org")
        self.bo = Person(self.client, ctx, "bo@example.org")
        wish = {"game": "marrakech", "seats": [{"email": "bo@example.org"}], "options": {"first": 0}}
        self.id = self.ann.post("/games", wish, 201)["id"]
        self.view = self.bo.post(f"/games/{self.id}/seats/1/accept")
        self.waiting = self.bo.post("/games", {"game": "marrakech", "seats": [{"email": "ann@example.org"}]}, 201)["id"]

    def holder(self, token: str) -> Person:
        return Person(self.client, self.ctx, None, token)


@pytest.fixture
def table(ctx: AppContext) -> Table:
    return Table(ctx)


Make = Callable[[Table, TokenSigner], str]
TOKENS: dict[str, Make] = {
    "api": lambda table, links: links.api(table.ann.id, 0),
    "turn": lambda table, links: links.turn(table.id, 0, 1, 0),
    "seat": lambda table, links: links.seat(table.id, 0, 0),
    "sign-in": lambda table, links: links.sign_in(1, "secret", table.ctx.clock()),
    "invitation": lambda table, links: links.invitation(table.id, 0),
    "unsubscribe": lambda table, links: links.unsubscribe(table.ann.id, "turn"),
}
FACE = {"type": "face", "direction": "left"}

# The status of each call for each kind of valid token; tokens that are not listed get 401.
CALLS: list[tuple[str, str, Any, dict[str, int]]] = [
    ("GET", "/me", None, {"api": 200, "turn": 403, "seat": 403}),
    ("PATCH", "/me", {"name": "X"}, {"api": 200, "turn": 403, "seat": 403}),
    ("GET", "/games", None, {"api": 200, "turn": 403, "seat": 403}),
    ("POST", "/games", {"game": "marrakech", "seats": [{"open": True}]}, {"api": 201, "turn": 403, "seat": 403}),
    ("GET", "/games/{id}", None, {"api": 200, "turn": 200, "seat": 200}),
    ("GET", "/games/{id}/events", None, {"api": 200, "turn": 200, "seat": 200}),
    ("GET", "/games/{id}/messages", None, {"api": 200, "turn": 200, "seat": 200}),
    ("POST", "/games/{id}/messages", {"text": "hello"}, {"api": 201, "turn": 201, "seat": 201}),
    ("POST", "/games/{id}/actions", {"head": 1, "action": FACE}, {"api": 200, "turn": 200, "seat": 200}),
    ("POST", "/games/{id}/seats/0/accept", None, {"api": 200, "turn": 200, "seat": 200}),
    ("POST", "/games/{id}/seats/0/decline", None, {"api": 409, "turn": 409, "seat": 409}),
    ("POST", "/games/{id}/seats/0/links", None, {"api": 202, "turn": 403, "seat": 403}),
    ("POST", "/games/{id}/seats/1/invite", {"email": "cy@example.org"}, {"api": 409, "turn": 409, "seat": 409}),
    ("POST", "/games/{id}/join", None, {"api": 200, "turn": 403, "seat": 403}),
    ("DELETE", "/games/{id}", None, {"api": 409, "turn": 403, "seat": 403}),
    # Links of one game at another game: the holder is an onlooker there.
    ("GET", "/games/{waiting}", None, {"api": 200, "turn": 200, "seat": 200}),
    ("GET", "/games/{waiting}/messages", None, {"api": 200, "turn": 403, "seat": 403}),
    ("POST", "/games/{waiting}/messages", {"text": "hello"}, {"api": 201, "turn": 403, "seat": 403}),
    ("POST", "/games/{waiting}/actions", {"head": 0, "action": FACE}, {"api": 409, "turn": 403, "seat": 403}),
    ("POST", "/games/{waiting}/seats/1/invite", {"email": "cy@example.org"}, {"api": 403, "turn": 403, "seat": 403}),
    ("POST", "/games/{waiting}/seats/1/accept", None, {"api": 200, "turn": 403, "seat": 403}),
]
IDS = [f"{method} {path}" for method, path, _, _ in CALLS]


def answer(table: Table, call: tuple[str, str, Any, dict[str, int]], token: str) -> int:
    method, path, body, _ = call
    if path.endswith("/join"):
        body = {"invitation": table.ctx.tokens.invitation(table.id, 0)}
    response = table.holder(token).call(method, path.format(id=table.id, waiting=table.waiting), body)
    assert response.status_code < 500
    if response.status_code >= 400:
        assert response.mimetype == "application/problem+json"
    return response.status_code


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_every_token_is_accepted_only_where_it_belongs(ctx: AppContext, call: Any) -> None:
    for kind, make in TOKENS.items():
        table = Table(ctx)
        assert (kind, answer(table, call, make(table, ctx.tokens))) == (kind, call[3].get(kind, 401))


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_a_tampered_token_is_refused_everywhere(table: Table, call: Any) -> None:
    for make in TOKENS.values():
        sound = make(table, table.ctx.tokens)
        for token in (make(table, STRANGER), sound[:-1], sound + "A", sound[::-1], "nonsense", "A" * 600):
            assert answer(table, call, token) == 401


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_a_replaced_link_is_refused_everywhere(table: Table, call: Any) -> None:
    old = [TOKENS[kind](table, table.ctx.tokens) for kind in ("turn", "seat")]
    table.ann.post(f"/games/{table.id}/seats/0/links", status=202)
    for token in old:
        assert answer(table, call, token) == 401
    fresh = table.ctx.tokens.seat(table.id, 0, 1)
    assert table.holder(fresh).get(f"/games/{table.id}")["you"] == 0


def test_signing_out_everywhere_ends_every_api_token(table: Table) -> None:
    chosen = Player.update(token_version=1).where(Player.id == table.ann.id)
    chosen.execute(table.ctx.database)
    assert table.ann.get("/me", 401)["code"] == "unauthorised"
    assert table.holder(table.ctx.tokens.api(table.ann.id, 1)).get("/me")["email"] == "ann@example.org"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YW5uOg==", "token", "Bearer a b", "Bearer \u00e9"])
def test_a_malformed_authorization_header_is_refused(table: Table, header: str) -> None:
    response = table.client.get("/api/v1/me", headers={"Authorization": header.encode("utf-8").decode("latin-1")})
    assert response.status_code == 401


def test_lost_links_are_mailed_again_in_one_letter_once_an_hour(table: Table) -> None:
    nobody = Person(table.client, table.ctx, None)
    asked = [nobody.post("/links", {"email": email}, 202) for email in ("ann@example.org", "stranger@example.org")]
    assert asked[0] == asked[1]
    nobody.post("/links", {"email": "ANN@example.org"}, 202)
    ann, stranger = Letter.select().where(Letter.kind == "links").order_by(Letter.address).execute(table.ctx.database)
    text = compose(table.ctx, ann).text
    for game, seat in ((table.id, 0), (table.waiting, 1)):
        assert f"/s/{table.ctx.tokens.seat(game, seat, 0)}\n" in text
    with pytest.raises(Outdated):
        compose(table.ctx, stranger)


def test_only_the_player_of_a_seat_can_replace_its_links(table: Table) -> None:
    table.bo.post(f"/games/{table.id}/seats/0/links", status=403)
    table.bo.post(f"/games/{table.id}/seats/7/links", status=404)
    assert table.holder(table.ctx.tokens.seat(table.id, 0, 0)).get(f"/games/{table.id}")["you"] == 0
