"""`/group`: how often and how well everybody here has played, for players who are signed in; also as CSV and JSON."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from flask import Response, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from service.db.models import Player
from service.errors import BadRequest
from service.games.finished_games import GroupPlayer
from service.games.group import Figures, GameStanding, Group
from service.games.group_records import GroupRecord
from service.games.ratings import START
from service.i18n import Reader
from service.routes.current import current_context, current_player, current_reader
from service.routes.group_report import GroupReport, played_in, read_report, write_csv, write_json
from service.routes.pages.responses import create_page_blueprint
from service.text import join_names
from service.ui.rating_plots import RatingAt, Scale, find_scale, rating_svg
from service.ui.registry import game_ui

_FILTERS: Final = ("game", "since", "until")
_SIGN_IN: Final = "/login?next=/group"
_RECENT: Final = timedelta(days=30)

pages = create_page_blueprint("group")


@pages.get("/group")
def show_group() -> ResponseReturnValue:
    """The page."""
    player = current_player()
    if player is None:
        return redirect(_SIGN_IN, 303)
    try:
        return _page(player, _read_report(player))
    except BadRequest as problem:
        return _page(player, None, problem), problem.status


@pages.get("/group.json")
def download_json() -> ResponseReturnValue:
    """What the API says, as a file."""
    player = current_player()
    if player is None:
        return redirect(_SIGN_IN, 303)
    return _as_file(jsonify(write_json(_read_report(player), player)), "json")


@pages.get("/group.csv")
def download_csv() -> ResponseReturnValue:
    """A table for spreadsheets."""
    player = current_player()
    if player is None:
        return redirect(_SIGN_IN, 303)
    return _as_file(Response(write_csv(_read_report(player)), mimetype="text/csv"), "csv")


def _as_file(response: Response, kind: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="group.{kind}"'
    return response


def _read_report(player: Player) -> GroupReport:
    wanted = [request.args.get(name) or None for name in _FILTERS]
    return read_report(current_context(), player, current_reader(), *wanted)


class _Period(NamedTuple):
    """A link to a period."""

    words: str
    query: str
    is_chosen: bool


class _Line(NamedTuple):
    """A player in the list of one game."""

    player: GroupPlayer
    rating: str
    uncertainty: str
    words: str
    plot: Markup


class _Record(NamedTuple):
    """A record, in words."""

    title: str
    number: str
    names: str
    day: str
    path: str
    """The game's page, if the reader played in it."""


def _page(player: Player, report: GroupReport | None, refusal: BadRequest | None = None) -> str:
    """The page; without a report only the filters, and why they were refused."""
    chosen, reader = {name: request.args.get(name, "") for name in _FILTERS}, current_reader()
    return render_template(
        "group.html",
        refusal=refusal,
        chosen=chosen,
        periods=_list_periods(reader),
        downloads=_write_query(chosen),
        own=str(player.id),
        is_hidden=player.hidden,
        **({} if report is None else _present(report, player, reader)),
    )


def _present(report: GroupReport, player: Player, reader: Reader) -> dict[str, Any]:
    group = report.group
    compared = _find_compared(group, player)
    return {
        "group": group,
        "title": lambda kind: game_ui(kind).title,
        "has_luck": any(standing.figures.luck is not None for standing in group.standings),
        "write": reader.format_number,
        "write_change": lambda share: _write_change(share, reader),
        "lines": {kind: _list_lines(group, kind, reader) for kind in group.by_game},
        "compared": compared,
        "encounters": group.encounters_of(compared.key) if compared else [],
        "records": {
            kind: [_describe(each, player, reader) for each in found] for kind, found in report.records.items()
        },
        "start": reader.format_number(START.mu),
    }


def _write_query(values: dict[str, str]) -> str:
    given = {name: value for name, value in values.items() if value}
    return f"?{urlencode(given)}" if given else ""


def _list_periods(reader: Reader) -> list[_Period]:
    """Links to usual periods, with the other filters as they are."""
    say, now = reader.translations.gettext, current_context().clock()
    today = datetime.fromtimestamp(now, ZoneInfo(reader.zone)).date()
    days = {
        say("All time"): "",
        say("This year"): today.replace(month=1, day=1).isoformat(),
        say("Last 30 days"): (today - _RECENT).isoformat(),
    }
    others = {name: request.args.get(name, "") for name in ("game", "player")}
    since, until = request.args.get("since", ""), request.args.get("until", "")
    return [
        _Period(words, _write_query({**others, "since": day}), (since, until) == (day, ""))
        for words, day in days.items()
    ]


def _find_compared(group: Group, player: Player) -> GroupPlayer | None:
    """The player whose games against the others are shown: the chosen one, or else the reader."""
    first = group.standings[0].player if group.standings else None
    return group.players.get(request.args.get("player", "")) or group.players.get(str(player.id)) or first


def _list_lines(group: Group, kind: str, reader: Reader) -> list[_Line]:
    """The players of a game, with their ratings drawn to the same scale."""
    standings = group.by_game[kind]
    histories = [list(_list_ratings(standing)) for standing in standings]
    played = sum(game.game == kind for game in group.games)
    scale = find_scale(histories, played, RatingAt(0, START.mu, START.uncertainty))
    return [_line(*each, scale, reader) for each in zip(standings, histories, strict=True)]


def _list_ratings(standing: GameStanding) -> Iterator[RatingAt]:
    """A new player's chart begins with their first game, that of the others with the period."""
    first = 0 if standing.before != START else standing.history[0].number - 1
    yield RatingAt(first, standing.before.mu, standing.before.uncertainty)
    for point in standing.history:
        yield RatingAt(point.number, point.rating.mu, point.rating.uncertainty)


def _line(standing: GameStanding, history: Sequence[RatingAt], scale: Scale, reader: Reader) -> _Line:
    say, write = reader.translations.gettext, reader.format_number
    return _Line(
        standing.player,
        write(standing.rating.mu),
        write(standing.rating.uncertainty),
        " · ".join(_describe_figures(standing.figures, reader)),
        rating_svg(standing.player.name, history, scale, say, write),
    )


def _describe_figures(figures: Figures, reader: Reader) -> Iterable[str]:
    translations = reader.translations
    yield translations.ngettext("%(games)s game", "%(games)s games", figures.games) % {"games": figures.games}
    yield translations.ngettext("%(wins)s win", "%(wins)s wins", figures.wins) % {"wins": figures.wins}
    place = reader.format_number(figures.average_place)
    yield translations.gettext("average place %(place)s") % {"place": place}
    if figures.luck is not None and figures.skill is not None:
        luck, skill = _write_change(figures.luck, reader), _write_change(figures.skill, reader)
        yield translations.gettext("luck %(luck)s, skill %(skill)s") % {"luck": luck, "skill": skill}


def _write_change(share: float | None, reader: Reader) -> str:
    """A change of a winning chance, in percent; empty if it isn't known."""
    return "" if share is None else reader.format_change(round(100 * share))


def _describe(record: GroupRecord, player: Player, reader: Reader) -> _Record:
    names = join_names([each.name for each in record.players], reader.translations)
    path = f"/g/{record.game.id}/over" if played_in(record.game, player) else ""
    return _Record(record.title, record.words, names, reader.format_day(record.game.ended), path)
