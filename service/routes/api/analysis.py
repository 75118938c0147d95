"""The API's call for the analysis of a finished game, and the schemas of its response."""

from typing import Any

from flask.typing import ResponseReturnValue

from service.engine.analysis import Analysis
from service.engine.json_reader import Json
from service.games.analysis import get_analysis
from service.games.analysis_story import AnalysisStory
from service.games.names import player_names, with_display_names
from service.games.store import StoredGame
from service.games.views import get_open_game, visible_record
from service.routes.api.blueprint import api, call
from service.routes.api.schemas import ResponseModel
from service.routes.current import current_context, current_reader

_SECONDS_TO_WAIT = 2


class FiguresView(ResponseModel):
    """How the chance of a seat came about: start + luck + skill + others + rest = end."""

    seat: int
    name: str
    start: float
    end: float
    luck: float
    """What all rolls gave the seat, compared with the average roll."""
    skill: float
    """What the seat's own choices gave it, compared with the best ones; never above 0."""
    others: float
    """What the choices of the others gave it."""
    rest: float
    """What is left over, because the evaluation isn't exact."""


class StepView(ResponseModel):
    """The chance of each seat after an event."""

    seq: int
    turn: int
    chances: list[float]


class DecisionView(ResponseModel):
    """A choice and the best one, with the chances of the seat that chose."""

    seq: int
    """The number of the first event that the choice caused."""
    turn: int
    seat: int
    action: dict[str, Any]
    label: str
    """The action in the caller's language."""
    chance: float
    best: dict[str, Any] | None
    """Null if it would have been best to do nothing."""
    best_label: str
    best_chance: float


class RollView(ResponseModel):
    """What a roll gave each seat, compared with the average roll."""

    seq: int
    turn: int
    seat: int
    """The seat that rolled."""
    luck: list[float]
    text: str
    """The roll and what it led to, in the caller's language."""
    last: int
    """The number of the last event that the text tells."""


class AnalysisView(ResponseModel):
    version: int
    """The version of the evaluation."""
    seats: list[FiguresView]
    curve: list[StepView]
    decisions: list[DecisionView]
    rolls: list[RollView]


@api.get("/games/<id>/analysis")
@call(AnalysisView, also=(202, 404), signed_in=False)
def get_game_analysis(game_id: str) -> ResponseReturnValue:
    """The chances turn by turn, luck and skill, and the best choices of a finished game; 202 while it's analysed."""
    ctx = current_context()
    game = with_display_names(get_open_game(ctx, game_id), current_reader().translations)
    analysis = get_analysis(ctx, game)
    if analysis is None:
        detail = "The game is being analysed. Ask again in a few seconds."
        return {"detail": detail}, 202, {"Retry-After": str(_SECONDS_TO_WAIT)}
    return _show_analysis(game, analysis)


def _show_analysis(game: StoredGame, analysis: Analysis) -> Json:
    """The analysis as it is stored, with names and words in the caller's language."""
    record, names = visible_record(current_context(), game), player_names(game)
    story = AnalysisStory(game, record.entries, record.states(), analysis, current_reader().translations)
    shown = analysis.to_json()
    for each in shown["seats"]:
        each["name"] = names[each["seat"]]
    for each, decision in zip(shown["decisions"], analysis.decisions, strict=True):
        words = story.choices(decision)
        each.update(label=words.played, best=decision.best or None, best_label=words.best)
    for each, roll in zip(shown["rolls"], analysis.rolls, strict=True):
        each.update(story.roll(roll)._asdict())
    return shown
