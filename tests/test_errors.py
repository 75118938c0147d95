"""Every problem has its status, code and sentence, and every exception becomes a problem."""

import re

import pytest
from werkzeug import exceptions as web

from service import errors
from service.engine import errors as engine
from service.errors import Problem, problem_of

CONTRACT = {
    "bad_request": (errors.BadRequest, 400),
    "unauthorised": (errors.Unauthorised, 401),
    "forbidden": (errors.Forbidden, 403),
    "not_found": (errors.NotFound, 404),
    "stale": (errors.Stale, 409),
    "not_your_turn": (errors.NotYourTurn, 409),
    "game_over": (errors.GameOver, 409),
    "too_large": (errors.TooLarge, 413),
    "unsupported_media_type": (errors.UnsupportedMediaType, 415),
    "illegal_action": (errors.IllegalAction, 422),
    "internal": (errors.Internal, 500),
    "unavailable": (errors.Unavailable, 503),
}
PROBLEMS: list[Problem] = [
    *(kind() for kind, _ in CONTRACT.values()),
    errors.RateLimited(30),
    errors.MethodNotAllowed(["GET"]),
]


@pytest.mark.parametrize(("code", "kind", "status"), [(code, *rest) for code, rest in CONTRACT.items()])
def test_a_problem_has_the_status_and_the_code_of_the_contract(code: str, kind: type[Problem], status: int) -> None:
    answer = kind("The camel is asleep.").to_json()
    assert answer == {
        "type": "about:blank",
        "title": kind.title,
        "status": status,
        "detail": "The camel is asleep.",
        "code": code,
    }


def test_every_problem_is_tested_here() -> None:
    kinds = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Problem)}
    assert kinds - {Problem} == {type(problem) for problem in PROBLEMS}
    assert len({problem.code for problem in PROBLEMS}) == len(PROBLEMS)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.code)
def test_every_problem_has_its_own_sentence(problem: Problem) -> None:
    assert re.fullmatch(r"[A-Z][^.;]*\.( [A-Z][^.;]*\.)*", problem.detail.replace("openapi.json", "openapi"))
    assert str(problem) == problem.detail


def test_unauthorised_names_the_scheme_in_a_header() -> None:
    assert errors.Unauthorised().headers == {"WWW-Authenticate": "Bearer"}
    assert errors.Unauthorised(headers={"X-Rug": "red"}).headers == {"WWW-Authenticate": "Bearer", "X-Rug": "red"}
    assert errors.Forbidden().headers == {}


@pytest.mark.parametrize(
    ("seconds", "header", "words"),
    [(0.0, "1", "1 second."), (1, "1", "1 second."), (1.01, "2", "2 seconds."), (60, "60", "60 seconds.")],
)
def test_rate_limited_rounds_the_wait_up(seconds: float, header: str, words: str) -> None:
    problem = errors.RateLimited(seconds)
    assert (problem.status, problem.code) == (429, "rate_limited")
    assert problem.headers == {"Retry-After": header}
    assert problem.retry_after == int(header)
    assert problem.detail.endswith(words)


def test_rate_limited_with_another_sentence_keeps_its_header() -> None:
    problem = errors.RateLimited(9, "Too many letters were asked for.")
    assert (problem.detail, problem.headers) == ("Too many letters were asked for.", {"Retry-After": "9"})


def test_a_wrong_method_is_refused_with_the_allowed_ones() -> None:
    problem = errors.MethodNotAllowed(["POST", "GET"])
    assert (problem.status, problem.code) == (405, "method_not_allowed")
    assert problem.headers == {"Allow": "GET, POST"}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (engine.Malformed("The square is not on the board."), errors.BadRequest),
        (engine.Malformed("The square is not on the board.", line=3), errors.BadRequest),
        (engine.IllegalAction("The rug covers a whole rug."), errors.IllegalAction),
        (engine.NotYourTurn("It is Red's turn."), errors.NotYourTurn),
        (engine.GameOver("Red has won."), errors.GameOver),
    ],
)
def test_an_error_of_the_engine_keeps_its_code_and_sentence(error: Exception, kind: type[Problem]) -> None:
    problem = problem_of(error)
    assert type(problem) is kind
    assert problem.detail == str(error)


def test_a_problem_is_returned_unchanged() -> None:
    problem = errors.Stale()
    assert problem_of(problem) is problem


@pytest.mark.parametrize("error", [ValueError("seed 00ff"), KeyError("ann@example.org"), RuntimeError("DROP TABLE")])
def test_an_unexpected_error_reveals_nothing(error: Exception) -> None:
    problem = problem_of(error)
    assert type(problem) is errors.Internal
    assert problem.to_json()["detail"] == errors.Internal.sentence


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (web.BadRequest("x"), errors.BadRequest),
        (web.Unauthorized("x"), errors.Unauthorised),
        (web.Forbidden("x"), errors.Forbidden),
        (web.NotFound("x"), errors.NotFound),
        (web.RequestEntityTooLarge("x"), errors.TooLarge),
        (web.UnsupportedMediaType("x"), errors.UnsupportedMediaType),
        (web.RequestURITooLarge("x"), errors.BadRequest),
        (web.InternalServerError("x"), errors.Internal),
        (web.HTTPException("x"), errors.Internal),
    ],
)
def test_an_error_of_flask_gets_our_sentence(error: Exception, kind: type[Problem]) -> None:
    problem = problem_of(error)
    assert type(problem) is kind
    assert problem.detail == kind.sentence


def test_an_error_of_flask_keeps_the_allowed_methods() -> None:
    assert problem_of(web.MethodNotAllowed(["PATCH", "GET"])).headers == {"Allow": "GET, PATCH"}
    assert problem_of(web.MethodNotAllowed()).status == 405
