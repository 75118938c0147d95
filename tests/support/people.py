"""API clients for the tests, each with a player's token."""

from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Letter
from tests.support.apps import app_for

API = "/api/v1"


class Person:
    """An API client, with or without a token."""

    def __init__(self, client: FlaskClient, ctx: AppContext, address: str | None, token: str | None = None) -> None:
        self.client = client
        self.address = address
        self.token = token
        if address is not None:
            player = find_or_create_player(ctx, address)
            self.id = player.id
            self.token = ctx.tokens.api(player.id, player.token_version)

    def call(self, method: str, path: str, body: object = None, **headers: str) -> TestResponse:
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return self.client.open(API + path, method=method, json=body, headers=headers)

    def get(self, path: str, status: int = 200, **headers: str) -> Any:
        return self._sound(self.call("GET", path, **headers), status)

    def post(self, path: str, body: object = None, status: int = 200) -> Any:
        return self._sound(self.call("POST", path, body), status)

    def _sound(self, response: TestResponse, status: int) -> Any:
        assert response.status_code == status, response.text
        if status >= 400:
            assert response.mimetype == "application/problem+json"
            assert set(response.json or {}) == {"type", "title", "status", "detail", "code"}
            assert (response.json or {})["status"] == status
        return response.json

    def act(self, view: Any, action: object, status: int = 200, salt: str = "salt") -> Any:
        return self.post(f"/games/{view['id']}/actions", {"head": view["head"], "action": action, "salt": salt}, status)


class Cast:
    """Ann hosts, Bo plays, Eve must be refused, and `nobody` has no token."""

    def __init__(self, ctx: AppContext) -> None:
        self.ctx = ctx
        self.client = app_for(ctx).test_client()
        self.ann = Person(self.client, ctx, "ann@example.org")
        self.bo = Person(self.client, ctx, "bo@example.org")
        self.eve = Person(self.client, ctx, "eve@example.org")
        self.nobody = Person(self.client, ctx, None)

    def table(self, **wish: Any) -> Any:
        """A game of Ann and Bo that has started."""
        view = self.ann.post("/games", {"game": "marrakech", "seats": [{"email": "bo@example.org"}], **wish}, 201)
        return self.bo.post(f"/games/{view['id']}/seats/1/accept")

    def at(self, view: Any) -> Person:
        """The client of the player to act."""
        return (self.ann, self.bo)[view["to_act"][0]]

    def letters(self, kind: str) -> list[str]:
        chosen = Letter.select(Letter.address).where(Letter.kind == kind).order_by(Letter.id)
        return [address for (address,) in chosen.tuples().execute(self.ctx.database)]
