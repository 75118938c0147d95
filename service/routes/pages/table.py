"""The page of a game: for spectators, for players who are signed in, and for players with a link from a letter."""

import hashlib
import secrets
from collections.abc import Sequence
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
from service.games.analysis import has_analysis
from service.games.guests import is_guest
from service.games.names import player_names, table_name, with_display_names
from service.games.presence import record_presence
from service.games.store import StoredGame, actions_after, entries, has_played_turn, load
from service.games.story import Story
from service.games.views import game_view, is_beginner, next_game_id, suggest_action, visible_events
from service.i18n import Reader
from service.routes.current import current_context, current_player, current_reader, has_game_open, set_reader
from service.routes.pages.clock_forms import clock_choices, clock_wishes, is_overdue
from service.routes.pages.ending import Rematch, describe_rematch, rank_players
from service.routes.pages.lobby import waiting_page
from service.routes.pages.responses import problem_sentence
from service.text import format_duration, format_utc, join_names

EVENTS_TOLD: Final = 16
"""The log on the page shows the latest events, so that a long game costs no more than a short one."""
LINES_SHOWN: Final = 50
JUST_PLAYED: Final = "played"
"""In the query of a turn's link, to which a browser returns after playing."""


class TableRequest(NamedTuple):
    """A request for the page of a game, or for one of its forms."""

    game: StoredGame
    caller: Principal
    here: str
    """The path of the page, to which its forms are posted."""
    form: str
    """The CSRF token, if a session and not a link identifies the player."""
    reader: Reader

    @property
    def seat(self) -> int | None:
        """The player's seat; None for a spectator."""
        return self.caller.find_seat_in(self.game)

    @property
    def is_played(self) -> bool:
        """Whether the request came with the link of a turn that is over."""
        return self.caller.is_for_past_turn(self.game)

    @property
    def is_signed_in(self) -> bool:
        """Whether the player is also signed in to this browser; a player with a link may not be."""
        player = current_player()
        return player is not None and self.caller.player is not None and player.id == self.caller.player.id


def open_table(game: StoredGame, caller: Principal, here: str, form: str = "") -> TableRequest:
    """The request, with the language of the link's player."""
    set_reader(caller.player)
    reader = current_reader()
    if has_game_open():
        record_presence(current_context(), game.id, caller.find_seat_in(game))
    return TableRequest(with_display_names(game, reader.translations), caller, here, form, reader)


def show_table(table: TableRequest) -> Response:
    """The page, or 304 if nothing has changed: an open page polls every few seconds."""
    ctx = current_context()
    said = _list_messages(ctx, table)
    seen = _make_etag(ctx, table, said)
    if request.if_none_match.contains(seen):
        response = Response(status=304)
    else:
        response = make_response(_page(ctx, table, seen, said))
    response.set_etag(seen)
    return response


def show_refusal(ctx: AppContext, table: TableRequest, refusal: Problem, unsaid: str = "") -> str:
    """The page with the reason for a refusal; nothing has changed, and an unsent message is kept."""
    said = _list_messages(ctx, table)
    words = problem_sentence(refusal, table.reader.translations)
    return _page(ctx, table, _make_etag(ctx, table, said), said, words, unsaid)


def _list_messages(ctx: AppContext, table: TableRequest) -> list[chat.ChatMessage]:
    """The chat, which only players can see."""
    return [] if table.seat is None else chat.latest_messages(ctx, table.game.id, LINES_SHOWN)


def _make_etag(ctx: AppContext, table: TableRequest, said: list[chat.ChatMessage]) -> str:
    """A hash of everything that can change on the page."""
    game = table.game
    seats = [(seat.name, seat.accepted, seat.played_by_stand_in, seat.away_until) for seat in game.seats]
    parts = (game.head, game.status, game.deadline, seats, said[-1].id if said else 0, is_overdue(ctx, game))
    told = (_time_left(ctx, table), _list_requests(ctx, table), _next_game(ctx, table), _rematch(ctx, table))
    return hashlib.sha256(repr((parts, table.seat, table.reader, told)).encode()).hexdigest()[:24]


def _time_left(ctx: AppContext, table: TableRequest) -> str:
    """The time left for the turn, in words."""
    deadline = table.game.deadline
    return format_duration(max(0.0, deadline - ctx.clock()), table.reader.translations) if deadline else ""


def _list_requests(ctx: AppContext, table: TableRequest) -> list[str]:
    if table.seat is None or table.game.pace is None:
        return []
    return clock_wishes(ctx, table.game, table.seat, table.reader.translations)


def _next_game(ctx: AppContext, table: TableRequest) -> str | None:
    """The id of another game that waits for the player; only if they are signed in, because a link is for one game."""
    return next_game_id(ctx, table.caller.require_player().id, table.game.id) if table.is_signed_in else None


def _rematch(ctx: AppContext, table: TableRequest) -> Rematch | None:
    return describe_rematch(ctx, table.game, table.caller.player, table.reader.translations)


def _page(
    ctx: AppContext, table: TableRequest, seen: str, said: list[chat.ChatMessage], refusal: str = "", unsaid: str = ""
) -> str:
    game, seat = table.game, table.seat
    if game.status == "waiting":
        return waiting_page(ctx, game, table.caller, refusal or None)
    view = game_view(ctx, game, seat)
    if table.is_played:
        view["legal"] = []  # a turn's link plays that turn only
    names = player_names(game)
    happened = entries(ctx.database, game, max(0, game.head - EVENTS_TOLD))
    translations = table.reader.translations
    ending = game.ui.ending(view["result"], names, translations) if view["result"] else ""
    standings = game.ui.standings(view, names, translations)
    return render_template(
        "game.html",
        table=table_name(game),
        templates=game.ui.templates,
        view=view,
        names=names,
        seat=seat,
        here=table.here,
        form=table.form,
        seen=seen,
        watch_link=f"{ctx.settings.base_url}/g/{game.id}",
        refusal=refusal,
        board=draw_board(game, view, visible_events(game, 1, happened, seat), translations),
        standings=standings,
        fairness=game.ui.fairness_texts(translations),
        waiting=join_names([names[each] for each in view["to_act"]], translations),
        ending=ending,
        ranking=rank_players(standings, view["result"]) if view["result"] else [],
        **_choice_context(table, view),
        story=[line for line in _tell_story(table, happened) if line != ending],
        **_chat_context(table, said, unsaid),
        **_clock_context(ctx, table),
        **_guide_context(ctx, table, view),
        **_further_games_context(ctx, table),
    )


def draw_board(game: StoredGame, view: Json, events: list[Json], translations: NullTranslations) -> Markup:
    """The board as part of a page, where scripts can point at its squares."""
    # Our own drawing, which escapes every name.
    return Markup(game.ui.board_svg(view, translations, events))  # noqa: S704


def _choice_context(table: TableRequest, view: Json) -> dict[str, Any]:
    """The choices, and whether the player can resign."""
    game, seat, ui, translations = table.game, table.seat, table.game.ui, table.reader.translations
    choices = ui.choices(view, translations)
    return {
        **ui.table_context(game.state, view, player_names(game), table.reader.language),
        "may_leave": seat is not None and game.rules.is_active(game.state, seat) and not table.is_played,
        "choices": choices,
        "is_your_turn": bool(choices) and seat in view["to_act"],
        "question": ui.question(view, translations, game.state) if choices else None,
        "chosen": request.args.get("do", ""),
        "salt": secrets.token_hex(8),
    }


def _chat_context(table: TableRequest, said: list[chat.ChatMessage], unsaid: str) -> dict[str, Any]:
    """The chat, with the times on the reader's clock."""
    names, reader = player_names(table.game), table.reader
    return {
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


def _tell_story(table: TableRequest, happened: list[Entry]) -> list[str]:
    told = Story(table.game, table.reader.translations, table.seat).texts(happened)
    shortened = table.game.head > len(happened) and len(told) > 1
    return told[1:] if shortened else told  # the first one may lack its beginning


def _guide_context(ctx: AppContext, table: TableRequest, view: Json) -> dict[str, Any]:
    """Rule help for this step; in a first game also each rule when it first matters and, against bots, a hint."""
    game, seat, translations = table.game, table.seat, table.reader.translations
    player = table.caller.player
    lines: Sequence[str] = ()
    hint = ""
    if seat is not None and player is not None and is_beginner(ctx, player, game.game):
        happened = visible_events(game, 1, entries(ctx.database, game), seat)
        own = [action.first for action in actions_after(ctx.database, game.id, 0) if action.actor == seat]
        seen = own[-1] - 1 if own else 0
        lines = game.ui.explain_news(view, happened[:seen], happened[seen:], translations)
        hint = _describe_hint(game, seat, view, translations)
    return {
        "guide": lines,
        "hint": hint,
        "step_rules": game.ui.explain_step(view, translations),
        "guest": player is not None and is_guest(player),
    }


def _describe_hint(game: StoredGame, seat: int, view: Json, translations: NullTranslations) -> str:
    """What a strong player would choose now; empty if another person plays in this game."""
    action = suggest_action(game, seat)
    choices = game.ui.choices(view, translations)
    return next((choice.answer or choice.label for choice in choices if choice.action == action), "")


def _clock_context(ctx: AppContext, table: TableRequest) -> dict[str, Any]:
    """The deadline on the reader's clock, and the buttons about it."""
    game, reader = table.game, table.reader
    return {
        "deadline": reader.format_time(game.deadline) if game.deadline else "",
        "deadline_at": format_utc(game.deadline) if game.deadline else "",
        "left": _time_left(ctx, table),
        "pace": format_duration(game.pace, reader.translations) if game.pace else "",
        "overdue": is_overdue(ctx, game),
        "onlooker": table.caller.player is None,
        "clock": [] if table.is_played else clock_choices(ctx, game, table.seat, reader.translations),
        "wishes": _list_requests(ctx, table),
        "past_turn": table.is_played,
        "opened_late": table.is_played and not _had_page_open(),
    }


def _further_games_context(ctx: AppContext, table: TableRequest) -> dict[str, Any]:
    """The rematch, the analysis, another game that waits for the player, and whether they played an old link's turn."""
    next_id = _next_game(ctx, table)
    return {
        "rematch": _rematch(ctx, table),
        "next_game": with_display_names(load(ctx.database, next_id), table.reader.translations) if next_id else None,
        "is_analysed": has_analysis(ctx, table.game),
        "signed_in": table.is_signed_in,
        "played_yourself": not _had_page_open() and _has_played(ctx, table),
    }


def _had_page_open() -> bool:
    """Whether the reader has followed the game on this page, so that they know that the turn of the link is over."""
    return has_game_open() or JUST_PLAYED in request.args


def _has_played(ctx: AppContext, table: TableRequest) -> bool:
    """Whether the player, and not a stand-in, played the turn of the link."""
    seat, turn = table.seat, table.caller.turn
    if seat is None or turn is None or not table.is_played:
        return False
    return has_played_turn(ctx.database, table.game, seat, turn)
