"""`/g/ID/replay?step=N`: a game from its first event to its last, one step at a time, each with a link of its own."""

from datetime import datetime
from itertools import accumulate
from typing import Any, NamedTuple

from flask import Blueprint, Response, render_template, request

from service.context import AppContext
from service.engine.json_reader import Json
from service.engine.records import Entry, build_view
from service.errors import BadRequest, NotFound
from service.games.names import player_names, table_name, with_display_names
from service.games.store import entries
from service.games.stored import StoredGame
from service.games.views import get_open_game, visible_record
from service.mail.story import Story
from service.routes.pages.page_language import reader_here
from service.routes.pages.pictures import drawn
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.sessions import visitor
from service.ui.marrakech.board_svg import squares_paid


class Reel(NamedTuple):
    """A whole game: what happened, and the state before it all and after each event."""

    happened: list[Entry]
    states: list[Any]
    turns: list[int]
    """The turn that each step belongs to; 0 before the first event."""

    def next_turn(self, step: int) -> int:
        """The first step of the turn after this one, or the last there is."""
        later = (each for each in range(step, len(self.turns)) if self.turns[each] > self.turns[step])
        return next(later, len(self.turns) - 1)

    def last_turn(self, step: int) -> int:
        """The first step of this turn or, being there, of the one before."""
        turn = self.turns[max(0, step - 1)]
        return self.turns.index(turn)


def replay_pages(ctx: AppContext) -> Blueprint:
    """The page."""
    pages = sealed_pages("replay")

    @pages.get("/g/<game_id>/replay")
    def replay(game_id: str) -> str:
        game = _game(game_id)
        step = _step(request.args.get("step", "0"), game.head)
        return _page(ctx, game, reel_of(ctx, game), step)

    @pages.get("/g/<game_id>/game.svg")
    def film(game_id: str) -> Response:
        from service.ui.marrakech.animation import game_svg  # noqa: PLC0415 - few ask for it

        record = visible_record(ctx, _game(game_id))
        return Response(game_svg(record, reader_here(ctx).translations.gettext), mimetype="image/svg+xml")

    def _game(game_id: str) -> StoredGame:
        return with_display_names(get_open_game(ctx, game_id), reader_here(ctx).translations)

    return pages


def reel_of(ctx: AppContext, game: StoredGame) -> Reel:
    """The game, folded step by step."""
    happened = entries(ctx.database, game)
    evolve, bare = game.rules.evolve, game.rules.set_up(game.options, len(game.seats))
    states = list(accumulate((entry.event for entry in happened), evolve, initial=bare))
    # An event belongs to the turn in which it happened, although the state after it may wait for the next one.
    turns = [0, *(game.rules.turn(state) for state in states[:-1])]
    return Reel(happened, states, turns)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _step(written: str, head: int) -> int:
    if not written.isdecimal() or len(written) > 9:
        raise BadRequest("The step must be a number; 0 is the empty board before the game.")
    if int(written) > head:
        raise NotFound("This game has only %(steps)s steps so far; go back and choose one of them.", steps=head)
    return int(written)


def _paid_for(game: StoredGame, view: Json, reel: Reel, step: int) -> list[str]:
    return squares_paid(view, (game.rules.events.write(entry.event) for entry in reel.happened[:step]))


def _page(ctx: AppContext, game: StoredGame, reel: Reel, step: int) -> str:
    reader = reader_here(ctx)
    view = build_view(game.heading, reel.states[step], step, None)
    last = len(reel.happened)
    entry = reel.happened[step - 1] if step else None
    return render_template(
        "replay.html",
        table=table_name(game),
        game=game,
        view=view,
        names=player_names(game),
        board=drawn(game, reel.states[step], reader.translations, paid_squares=_paid_for(game, view, reel, step)),
        step=step,
        last=last,
        turn=reel.turns[step],
        told=Story(game, reader.translations).told([entry], None)[0] if entry else "",
        at=entry.at if entry else "",
        moment=reader.format_time(_seconds(entry.at)) if entry else "",
        onlooker=visitor(ctx) is None,
        kind=entry.event.type if entry else "",
        before=reel.last_turn(step),
        after=reel.next_turn(step),
    )
