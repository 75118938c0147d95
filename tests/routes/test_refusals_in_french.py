"""Errors of the engine are translated: the sentence and its values are kept apart."""

import ast
import re
from pathlib import Path

import pytest

import service.engine
from service.context import AppContext
from service.db.models import Player
from service.engine import errors as engine
from service.errors import BadRequest, NotFound, Problem, problem_of
from service.games.play import act
from service.games.store import StoredGame, load
from service.i18n import translations_for
from service.routes.pages.responses import problem_sentence
from tests.support.browsers import Browser
from tests.support.tables import database_contents, play_one_action, seat_to_act, start_game

FRENCH = translations_for("fr")
FOLDER = Path(service.engine.__file__).parent
REFUSING = {"IllegalAction", "NotYourTurn", "GameOver"}


def refusals() -> list[tuple[str, ast.Call]]:
    """Every refusal that stands anywhere in the engine."""
    trees = [ast.parse(path.read_bytes()) for path in sorted(FOLDER.rglob("*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(call.func.id, call) for call in calls if isinstance(call.func, ast.Name) and call.func.id in REFUSING]


def test_every_error_class_of_the_engine_is_tested_here() -> None:
    kinds = {name for name, each in vars(engine).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert kinds == {*REFUSING, "Malformed"}
    assert {name for name, _ in refusals()} == REFUSING


@pytest.mark.parametrize("call", [call for _, call in refusals()], ids=lambda call: ast.unparse(call.args[0])[:60])
def test_every_refusal_of_the_engine_has_a_french_text(call: ast.Call) -> None:
    (words,) = call.args
    assert isinstance(words, ast.Constant), "the words must stand there whole, for the translators to find them"
    french = FRENCH.gettext(str(words.value))
    assert french != words.value
    assert sorted(re.findall(r"%\(\w+\)s", french)) == sorted(re.findall(r"%\(\w+\)s", str(words.value)))


@pytest.mark.parametrize(
    ("error", "english", "french"),
    [
        (
            engine.IllegalAction(
                "A rug on %(place)s would cover Assam, who is on %(assam)s. Choose another place.",
                place="d4-d5",
                assam="d4",
            ),
            "A rug on d4-d5 would cover Assam, who is on d4. Choose another place.",
            "Un tapis en d4-d5 recouvrirait Assam, qui est en d4. Choisissez un autre emplacement.",
        ),
        (
            engine.NotYourTurn(
                "It isn't the turn of seat %(seat)s. The game is waiting for seat %(mover)s.", mover=1, seat=0
            ),
            "It isn't the turn of seat 0. The game is waiting for seat 1.",
            "Ce n\u2019est pas le tour de la place 0. La partie attend la place 1.",
        ),
        (
            engine.GameOver("This game is over, so you can't play in it any more."),
            "This game is over, so you can't play in it any more.",
            "Cette partie est terminée, vous ne pouvez plus y jouer.",
        ),
    ],
    ids=["illegal", "not-your-turn", "over"],
)
def test_an_error_has_an_english_and_a_french_sentence(error: Exception, english: str, french: str) -> None:
    problem = problem_of(error)
    assert str(error) == problem.detail == problem.to_json()["detail"] == english
    assert problem_sentence(problem, FRENCH) == french


@pytest.mark.parametrize("words", ["100%", "%(name)s", "%s"])
def test_sentences_without_values_are_not_formatted(words: str) -> None:
    problem: Problem = BadRequest(words)
    assert problem_sentence(problem, FRENCH) == problem.detail == words
    assert str(engine.IllegalAction(words)) == words


def test_a_problem_is_translated_with_its_values() -> None:
    problem = NotFound("This game has no seat %(seat)s. Choose one from its view.", seat=9)
    assert (problem.detail, problem_sentence(problem, FRENCH)) == (
        "This game has no seat 9. Choose one from its view.",
        "Cette partie n\u2019a pas de place 9. Choisissez-en une de sa vue.",
    )


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """Ann and Bo, who read French, play; Ann begins."""
    Player.update(language="fr").execute(ctx.database)
    return start_game(ctx, [ann, bo])


def refused(ctx: AppContext, game: StoredGame, seat: int, **fields: str) -> str:
    """What the page says where a form asks for what cannot be."""
    before, path = database_contents(ctx), f"/s/{ctx.tokens.seat(game.id, seat, 0)}"
    form = {"head": str(load(ctx.database, game.id).head), "salt": "", **fields}
    answer = Browser(ctx).client.post(path, data=form)
    assert answer.status_code in {400, 409}
    assert database_contents(ctx) == before
    alert = re.search(r'role="alert"><strong>(.*?)</strong>', answer.text)
    assert alert, answer.text
    return alert[1]


def test_the_page_refuses_in_french(ctx: AppContext, game: StoredGame) -> None:
    assert refused(ctx, game, 0, do="d5-e5") == (
        "Choisissez d\u2019abord une direction pour Assam\u00a0: à gauche, tout droit ou à droite."
    )
    assert refused(ctx, game, 1, do="left").startswith("Ce n\u2019est pas votre tour.")
    play_one_action(ctx, game)
    far = "g6-g7"  # Assam has gone west
    assert f"{far} n\u2019est pas à côté d\u2019Assam" in refused(ctx, game, 0, do=far)
    assert refused(ctx, game, 0, do="sideways").startswith("Le formulaire était incomplet")
    assert refused(ctx, game, 0, do="resign").startswith("Vous êtes toujours dans la partie")


def test_the_api_refuses_in_french(ctx: AppContext, game: StoredGame) -> None:
    own = {"Authorization": f"Bearer {ctx.tokens.seat(game.id, 0, 0)}"}
    client, path = Browser(ctx).client, f"/api/v1/games/{game.id}/actions"

    def refused_in(headers: dict[str, str]) -> str:
        answer = client.post(path, json={"head": game.head, "do": "d5-e5"}, headers=headers)
        assert answer.mimetype == "application/problem+json"
        return str(answer.get_json()["detail"])

    assert refused_in(own).startswith("Choisissez d\u2019abord une direction pour Assam")
    assert refused_in({"Accept-Language": "fr"}).startswith("Vous n\u2019êtes pas connecté")
    assert refused_in({}).startswith("You're not signed in.")


def test_a_page_of_a_game_that_is_over_refuses_in_french(ctx: AppContext, game: StoredGame) -> None:
    act(ctx, game.id, seat_to_act(game), game.head, {"type": "resign"}, "")
    assert "Cette partie est terminée" in refused(ctx, game, 0, do="left")
