"""`/g/ID/analysis?at=N`: who had which chances when, luck and skill, the costliest choices and the luckiest rolls."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue

from service.engine.analysis import Analysis, Decision, Roll
from service.errors import NotFound
from service.games.analysis import get_analysis
from service.games.analysis_story import AnalysisStory
from service.games.names import player_names, table_name, with_display_names
from service.games.store import StoredGame
from service.games.views import get_open_game
from service.i18n import Reader
from service.routes.current import current_context, current_reader
from service.routes.pages.replay import Replay, read_step, replay_context, replay_game
from service.routes.pages.responses import create_page_blueprint
from service.ui.analysis import (
    chances_after,
    draw_curve,
    find_costliest,
    find_luckiest,
    find_unluckiest,
    list_bars,
    list_chances,
    list_stops,
    own_luck,
)
from service.ui.plots import pick_colours

_ACCEPTED = 202

pages = create_page_blueprint("analysis")


@pages.get("/g/<game_id>/analysis")
def show_analysis(game_id: str) -> ResponseReturnValue:
    """The page; a game that isn't over has none yet."""
    ctx, reader = current_context(), current_reader()
    game = with_display_names(get_open_game(ctx, game_id), reader.translations)
    if game.status != "finished":
        return redirect(f"/g/{game_id}", 302)
    try:
        analysis = get_analysis(ctx, game)
    except NotFound as problem:
        return _page_without_analysis(game, problem), problem.status
    if analysis is None:
        return _page_without_analysis(game), _ACCEPTED
    at = read_step(request.args.get("at", str(game.head)), game.head)
    return _page(game, analysis, at)


def _page_without_analysis(game: StoredGame, problem: NotFound | None = None) -> str:
    """The page while the analysis is being computed, or with the reason why there is none."""
    return render_template("analysis.html", game=game, table=table_name(game), is_ready=False, problem=problem)


def _page(game: StoredGame, analysis: Analysis, at: int) -> str:
    reader, replay = current_reader(), replay_game(current_context(), game)
    story = AnalysisStory(game, replay.happened, replay.states, analysis, reader.translations)
    teller = _Teller(replay, story, player_names(game), reader)
    decision = next((each for each in analysis.decisions if each.seq == at + 1), None)
    # A player who is to choose saw the choices on the board.
    context = replay_context(game, replay, at, None if decision is None else decision.seat)
    names = context["names"]
    colours = pick_colours(game.ui.standings(context["view"], names, reader.translations))
    stops = list_stops(analysis, game.head)
    previous, following = stops[max(0, bisect_left(stops, at) - 1)], stops[min(bisect_right(stops, at), len(stops) - 1)]
    players, scale = list_bars(analysis, names, colours, reader)
    return render_template(
        "analysis.html",
        **context,
        is_ready=True,
        previous=previous,
        following=following,
        curve=draw_curve(analysis, game.head, at, names, colours, reader),
        chances=list_chances(analysis, at, previous, names, colours, reader),
        turns=[(replay.parts[stop], _percents(analysis, stop, reader)) for stop in replay.stops],
        decision=decision and teller.decision(decision),
        players=players,
        scale=scale,
        mistakes=[teller.decision(each) for each in find_costliest(analysis)],
        lucky=[teller.roll(each) for each in find_luckiest(analysis)],
        unlucky=[teller.roll(each) for each in find_unluckiest(analysis)],
    )


def _percents(analysis: Analysis, events: int, reader: Reader) -> list[str]:
    return [reader.format_percent(chance) for chance in chances_after(analysis, events)]


class _DecisionRow(NamedTuple):
    """A choice, the best one, and what the difference cost; empty if it cost nothing."""

    part: int
    step: int
    name: str
    played: str
    chance: str
    best: str
    best_chance: str
    cost: str
    is_best: bool


class _RollRow(NamedTuple):
    """A roll, what it led to, and what it gave the player who rolled."""

    part: int
    step: int
    text: str
    luck: str


class _Teller:
    """The rows of the page in the reader's language."""

    def __init__(self, replay: Replay, story: AnalysisStory, names: Sequence[str], reader: Reader) -> None:
        self._replay, self._story, self._names, self._reader = replay, story, names, reader

    def decision(self, decision: Decision) -> _DecisionRow:
        words, reader = self._story.choices(decision), self._reader
        cost = round(100 * decision.cost)
        return _DecisionRow(
            part=self._replay.parts[decision.seq],
            step=decision.seq - 1,
            name=self._names[decision.seat],
            played=words.played,
            chance=reader.format_percent(round(100 * decision.chance)),
            best=words.best,
            best_chance=reader.format_percent(round(100 * decision.best_chance)),
            cost=reader.format_change(-cost) if cost else "",
            is_best=decision.action == decision.best,
        )

    def roll(self, roll: Roll) -> _RollRow:
        words = self._story.roll(roll)
        luck = self._reader.format_change(round(100 * own_luck(roll)))
        return _RollRow(self._replay.parts[roll.seq], words.last, words.text, luck)
