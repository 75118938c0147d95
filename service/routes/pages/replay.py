"""`/g/ID/replay?step=N`: a game from its first event to its last, by turns or events, each with a link of its own."""

from datetime import datetime
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from flask import Response, render_template, request

from service.context import AppContext
from service.engine.records import Entry, build_view
from service.errors import BadRequest, NotFound
from service.games.names import player_names, table_name, with_display_names
from service.games.store import StoredGame, entries
from service.games.story import Story
from service.games.views import get_open_game, visible_events, visible_record
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.table import EVENTS_TOLD, draw_board
from service.routes.pictures import picture_key, picture_response


class Replay(NamedTuple):
    """A whole game: its events, and the state before them and after each one."""

    happened: list[Entry]
    states: list[Any]
    parts: list[int]
    """The turn or round that each step belongs to; 0 before the first event."""

    @property
    def stops(self) -> list[int]:
        """Where a replay stops: the step before the game, and the last step of each part."""
        following = [*self.parts[1:], None]
        return [step for step, (part, after) in enumerate(zip(self.parts, following, strict=True)) if part != after]

    def next_part(self, step: int) -> int:
        """The next stop, or the last there is."""
        return next((stop for stop in self.stops if stop > step), len(self.parts) - 1)

    def previous_part(self, step: int) -> int:
        """The stop before this step."""
        return next((stop for stop in reversed(self.stops) if stop < step), 0)

    def entries_of_part(self, step: int) -> list[Entry]:
        """What has happened in the part of this step, up to this step."""
        return self.happened[self.previous_part(step) : step]


pages = create_page_blueprint("replay")


@pages.get("/g/<game_id>/replay")
def show_replay(game_id: str) -> str:
    """One step of the game."""
    game = _find_game(game_id)
    step = read_step(request.args.get("step", "0"), game.head)
    return _page(game, replay_game(current_context(), game), step)


@pages.get("/g/<game_id>/game.svg")
def show_animation(game_id: str) -> Response:
    """The whole game as an animated SVG."""
    ctx, game = current_context(), _find_game(game_id)
    if not game.ui.is_animated:
        raise NotFound
    reader = current_reader()
    return picture_response(
        picture_key("game.svg", game, reader.language),
        lambda: game.ui.animation(visible_record(ctx, game), reader.translations),
    )


def _find_game(game_id: str) -> StoredGame:
    return with_display_names(get_open_game(current_context(), game_id), current_reader().translations)


def replay_game(ctx: AppContext, game: StoredGame) -> Replay:
    """The game, event by event."""
    happened = entries(ctx.database, game)
    evolve, bare = game.rules.evolve, game.rules.set_up(game.options, len(game.seats))
    states = list(accumulate((entry.event for entry in happened), evolve, initial=bare))
    parts = [0, *(game.ui.replay_part(game.rules, before, after) for before, after in pairwise(states))]
    return Replay(happened, states, parts)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def read_step(written: str, head: int) -> int:
    """The number of events that a query asks for."""
    if not written.isdecimal() or len(written) > 9:
        raise BadRequest("The step must be a number. 0 is the empty board before the game.")
    if int(written) > head:
        raise NotFound("This game has only %(steps)s steps so far. Go back and choose one of them.", steps=head)
    return int(written)


def _page(game: StoredGame, replay: Replay, step: int) -> str:
    ctx, translations = current_context(), current_reader().translations
    context = replay_context(game, replay, step)
    return render_template(
        "replay.html",
        **context,
        animated=game.ui.is_animated,
        standings=game.ui.standings(context["view"], player_names(game), translations),
        previous=max(0, step - 1),
        following=min(len(replay.happened), step + 1),
        link=f"{ctx.settings.base_url}/g/{game.id}/replay?step={step}",
    )


def replay_context(game: StoredGame, replay: Replay, step: int, seat: int | None = None) -> dict[str, Any]:
    """What pages that go through a game have in common; the board can be that of a seat with its choices."""
    reader = current_reader()
    view = build_view(game.heading, replay.states[step], step, seat)
    events = visible_events(game, 1, replay.happened[max(0, step - EVENTS_TOLD) : step], None)
    of_part = replay.entries_of_part(step)
    at = of_part[-1].at if of_part else ""
    return {
        "table": table_name(game),
        "game": game,
        "view": view,
        "names": player_names(game),
        "templates": game.ui.templates,
        "board": draw_board(game, view, events, reader.translations),
        "step": step,
        "last": len(replay.happened),
        "part": replay.parts[step],
        "parts": replay.parts[-1],
        "texts": game.ui.replay_texts(reader.translations),
        "told": Story(game, reader.translations, None).texts(of_part),
        "at": at,
        "moment": reader.format_short_time(_seconds(at)) if at else "",
        "onlooker": current_player() is None,
        "kinds": [event["type"] for event in visible_events(game, 1, of_part, None)],
        "before": replay.previous_part(step),
        "after": replay.next_part(step),
    }
