"""The description of the API: complete, and true for every request."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.app import create_app, create_context
from service.config import load_settings
from tests.support.people import Person

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server on SQLite with a game of Ann's."""
    folder: Path = tmp_path_factory.mktemp("server")
    environ = {"MARRAKECH_DATA_DIR": str(folder / "var"), "MARRAKECH_RATE_LIMITS": "off"}
    ctx = create_context(load_settings(environ, folder), time.time)
    app = create_app(ctx)
    ann = Person(app.test_client(), ctx, "ann@example.org")
    game = ann.post("/games", {"game": "marrakech", "seats": [{"bot": "easy"}]}, 201)
    yield app, ann, game["id"]
    ctx.database.close()


def test_every_response_is_as_described(server: Any, subtests: pytest.Subtests) -> None:
    """Schemathesis generates valid and invalid calls from the description; half of them go to a real game."""
    # Importing it takes seconds, and every process that runs tests reads this module.
    import schemathesis
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    app, ann, game = server
    described: Any = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    for result in described.get_all_operations():
        operation = result.ok()

        @settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(), real=st.booleans(), known=st.booleans())
        def check(case: Any, real: bool, known: bool) -> None:
            if real and "id" in case.path_parameters:
                case.path_parameters["id"] = game
            # A schema cannot say all: an address or an action may fit it and still be none.
            case.call_and_validate(
                headers={"Authorization": f"Bearer {ann.token}"} if known else {},
                excluded_checks=[positive_data_acceptance],
            )

        with subtests.test(operation=operation.label):
            check()


def test_every_call_of_the_contract_is_described(server: Any) -> None:
    paths = server[0].test_client().get("/api/v1/openapi.json").json["paths"]
    assert {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods} == {
        "POST /login",
        "POST /login/confirm",
        "POST /links",
        "GET /me",
        "PATCH /me",
        "POST /me/test-letter",
        "GET /group",
        "POST /games",
        "GET /games",
        "GET /games/next",
        "GET /games/{id}",
        "DELETE /games/{id}",
        "POST /games/{id}/seats/{seat}/accept",
        "POST /games/{id}/seats/{seat}/decline",
        "POST /games/{id}/seats/{seat}/invite",
        "POST /games/{id}/seats/{seat}/resend",
        "POST /games/{id}/seats/{seat}/bot",
        "POST /games/{id}/seats/{seat}/links",
        "POST /games/{id}/seats/{seat}/return",
        "GET /games/{id}/clock",
        "POST /games/{id}/clock",
        "POST /games/{id}/start",
        "POST /games/{id}/join",
        "POST /games/{id}/invitation",
        "POST /games/{id}/rematch",
        "POST /games/{id}/actions",
        "GET /games/{id}/events",
        "GET /games/{id}/story",
        "GET /games/{id}/record",
        "GET /games/{id}/record.txt",
        "GET /games/{id}/board.svg",
        "GET /games/{id}/board.png",
        "GET /games/{id}/board.txt",
        "GET /games/{id}/analysis",
        "GET /games/{id}/messages",
        "POST /games/{id}/messages",
    }


def test_every_call_has_a_row_in_the_docs(server: Any) -> None:
    paths = server[0].test_client().get("/api/v1/openapi.json").json["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    rows = re.findall(r"^\| `([A-Z]+ /[^`?]*)` \|", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(described)
