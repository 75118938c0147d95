"""The page of a table: for an onlooker, for who sits there, and for who holds a link out of a letter."""

import hashlib
import secrets
from gettext import NullTranslations
from typing import Any, Final, NamedTuple

from flask import Response, make_response, render_template, request
from markupsafe import Markup

from service.auth.access import Principal
from service.context import AppContext
from service.engine.json_reader import Json
from service.engine.records import Entry
from service.errors import Problem
from service.games import chat
from service.games.names import player_names, table_name, with_display_names
from service.games.store import StoredGame, entries
from service.games.story import Story
from service.games.views import game_view, visible_events
from service.i18n import Reader
from service.routes.current import current_context, current_reader, set_reader
from service.routes.pages.clock_forms import clock_choices, clock_wishes, is_overdue
from service.routes.pages.lobby import waiting_page
from service.routes.pages.responses import problem_sentence
from service.text import format_duration, format_utc

EVENTS_TOLD: Final = 16
"""The log on the page is the end of it, so that a long game costs no more to look at than a short one."""
LINES_SHOWN: Final = 50


class TableRequest(NamedTuple):
    """Somebody who has opened the page of a table."""

    game: StoredGame
    caller: Principal
    here: str
    """Where the page is, so that its forms come back to it."""
    form: str
    """What the forms bring along where a session and not a link says who it is."""
    reader: Reader

    @property
    def seat(self) -> int | None:
        """Where the visitor sits; None for an onlooker."""
        return self.caller.seat_in(self.game)

    @property
    def is_over(self) -> bool:
        """Whether the visitor holds the link of a turn that is played."""
        return self.caller.turn is not None and self.caller.turn != self.game.turn


def open_table(game: StoredGame, caller: Principal, here: str, form: str = "") -> TableRequest:
    """The request, to be answered in the language of the player who holds the link."""
    set_reader(caller.player)
    reader = current_reader()
    return TableRequest(with_display_names(game, reader.translations), caller, here, form, reader)


def show_table(visit: TableRequest) -> Response:
    """The page, or only that nothing has changed: a page that is open asks every few seconds."""
    ctx = current_context()
    said = _said(ctx, visit)
    seen = _seen(ctx, visit, said)
    if request.if_none_match.contains(seen):
        response = Response(status=304)
    else:
        response = make_response(_page(ctx, visit, seen, said))
    response.set_etag(seen)
    return response


def show_refusal(ctx: AppContext, visit: TableRequest, refusal: Problem, unsaid: str = "") -> str:
    """The page with the reason why something could not be; nothing has changed, and no word is lost."""
    said = _said(ctx, visit)
    words = problem_sentence(refusal, visit.reader.translations)
    return _page(ctx, visit, _seen(ctx, visit, said), said, words, unsaid)


def _said(ctx: AppContext, visit: TableRequest) -> list[chat.ChatMessage]:
    """The talk is for who sits at the table."""
    return [] if visit.seat is None else chat.latest_messages(ctx, visit.game.id, LINES_SHOWN)


def _seen(ctx: AppContext, visit: TableRequest, said: list[chat.ChatMessage]) -> str:
    """A name for all that can change on the page."""
    game = visit.game
    seats = [(seat.name, seat.accepted, seat.played_by_stand_in, seat.away_until) for seat in game.seats]
    parts = (game.head, game.status, game.deadline, seats, said[-1].id if said else 0, is_overdue(ctx, game))
    told = (_left(ctx, visit), _wishes(ctx, visit))
    return hashlib.sha256(repr((parts, visit.seat, visit.reader, told)).encode()).hexdigest()[:24]


def _left(ctx: AppContext, visit: TableRequest) -> str:
    """How long the turn has still, as the page says it."""
    deadline = visit.game.deadline
    return format_duration(max(0.0, deadline - ctx.clock()), visit.reader.translations) if deadline else ""


def _wishes(ctx: AppContext, visit: TableRequest) -> list[str]:
    if visit.seat is None or visit.game.pace is None:
        return []
    return clock_wishes(ctx, visit.game, visit.reader.translations)


def _page(
    ctx: AppContext, visit: TableRequest, seen: str, said: list[chat.ChatMessage], refusal: str = "", unsaid: str = ""
) -> str:
    game, seat = visit.game, visit.seat
    if game.status == "waiting":
        return waiting_page(ctx, game, visit.caller, refusal or None)
    view = game_view(ctx, game, seat)
    if visit.is_over:
        view["legal"] = []  # a turn's link plays that turn only
    names = player_names(game)
    happened = entries(ctx.database, game, max(0, game.head - EVENTS_TOLD))
    translations = visit.reader.translations
    return render_template(
        "game.html",
        table=table_name(game),
        templates=game.ui.templates,
        view=view,
        names=names,
        seat=seat,
        here=visit.here,
        form=visit.form,
        seen=seen,
        refusal=refusal,
        board=draw_board(game, view, visible_events(game, 1, happened, seat), translations),
        standings=game.ui.standings(view, names, translations),
        waiting=[names[each] for each in view["to_act"]],
        ending=game.ui.ending(view["result"], names, translations) if view["result"] else "",
        **_choosing(visit, view),
        **_telling(visit, happened, said, unsaid),
        **_timing(ctx, visit),
    )


def draw_board(game: StoredGame, view: Json, events: list[Json], translations: NullTranslations) -> Markup:
    """The board as part of a page, where scripts can point at its squares."""
    # Our own drawing, which escapes every name.
    return Markup(game.ui.board_svg(view, translations, events))  # noqa: S704


def _choosing(visit: TableRequest, view: Json) -> dict[str, Any]:
    """What can be done now."""
    game, seat, ui, translations = visit.game, visit.seat, visit.game.ui, visit.reader.translations
    choices = ui.choices(view, translations)
    context = ui.table_context(game.state, player_names(game), visit.reader.language) if choices else {}
    return {
        **context,
        "may_leave": seat is not None and game.rules.is_active(game.state, seat) and not visit.is_over,
        "choices": choices,
        "question": ui.question(view, translations) if choices else None,
        "chosen": request.args.get("do", ""),
        "salt": secrets.token_hex(8),
    }


def _telling(visit: TableRequest, happened: list[Entry], said: list[chat.ChatMessage], unsaid: str) -> dict[str, Any]:
    """What has happened, and what was said."""
    names, reader = player_names(visit.game), visit.reader
    return {
        "story": _story(visit, happened),
        "talk": [
            {
                **line._asdict(),
                "name": names[line.seat],
                "at": format_utc(line.at),
                "told": reader.format_short_time(line.at),
            }
            for line in said
        ],
        "unsaid": unsaid,
    }


def _story(visit: TableRequest, happened: list[Entry]) -> list[str]:
    told = Story(visit.game, visit.reader.translations, visit.seat).paragraphs(happened)
    shortened = visit.game.head > len(happened) and len(told) > 1
    return told[1:] if shortened else told  # the first may have lost its beginning


def _timing(ctx: AppContext, visit: TableRequest) -> dict[str, Any]:
    """The table's clock, by the visitor's."""
    game, reader = visit.game, visit.reader
    return {
        "deadline": reader.format_time(game.deadline) if game.deadline else "",
        "deadline_at": format_utc(game.deadline) if game.deadline else "",
        "left": _left(ctx, visit),
        "pace": format_duration(game.pace, reader.translations) if game.pace else "",
        "overdue": is_overdue(ctx, game),
        "onlooker": visit.caller.player is None,
        "clock": clock_choices(ctx, game, visit.seat, reader.translations),
        "wishes": _wishes(ctx, visit),
    }
