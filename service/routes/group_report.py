"""What the page of the group, its downloads and the API have in common: which games count, and the JSON and CSV."""

import csv
import io
import unicodedata
from datetime import date
from typing import Final, NamedTuple

from service.clocks.calendar import first_moment
from service.context import AppContext
from service.db.models import Player
from service.engine.json_reader import Json
from service.engine.registry import GAMES
from service.errors import BadRequest
from service.games.finished_games import FinishedGame
from service.games.group import Figures, GameStanding, Group, GroupFilter, describe_group
from service.games.group_records import GroupRecord, find_records
from service.games.ratings import Rating
from service.i18n import Reader, marked
from service.text import format_utc
from service.ui.registry import game_ui

_NO_SUCH_GAME: Final = marked('There\'s no game "%(game)s" here. Use one of these: %(games)s.')
_NOT_A_DAY: Final = marked("Write a day like this: 2026-01-31.")
_WRONG_ORDER: Final = marked("The first day comes after the last one. Swap them.")
_COLUMNS: Final = (
    *("name", "bot", "game", "games", "wins", "average_place", "rating", "uncertainty", "luck", "skill"),
)
_FORMULA: Final = tuple("=+-@\t\r\n")
"""Beginnings that make a spreadsheet take a text for a formula."""


class GroupReport(NamedTuple):
    """Everything about the group for one reader."""

    game: str | None
    since: str | None
    until: str | None
    """The days between which the games ended, as they were asked for."""
    group: Group
    records: dict[str, list[GroupRecord]]
    """By game."""


def read_report(
    ctx: AppContext, player: Player, reader: Reader, game: str | None, since: str | None, until: str | None
) -> GroupReport:
    """Compute the report; days are those of the reader's time zone. Raises `BadRequest`."""
    wanted = _read_filter(game, since, until, str(player.time_zone))
    group = describe_group(ctx, wanted, reader.translations.gettext)
    records = {
        kind: find_records(
            kind, [each for each in group.games if each.game == kind], group.players, reader.translations
        )
        for kind in group.by_game
    }
    return GroupReport(game, since, until, group, records)


def _read_filter(game: str | None, since: str | None, until: str | None, zone: str) -> GroupFilter:
    if game is not None and game not in GAMES:
        raise BadRequest(_NO_SUCH_GAME, game=game, games=", ".join(GAMES))
    wanted = GroupFilter(game, _first_moment(since, zone, 0), _first_moment(until, zone, 1))
    if wanted.since is not None and wanted.until is not None and wanted.since >= wanted.until:
        raise BadRequest(_WRONG_ORDER)
    return wanted


def _first_moment(day: str | None, zone: str, later: int) -> float | None:
    """The first moment of a day, or of one so many days later."""
    if day is None:
        return None
    try:
        return float(first_moment(zone, date.fromisoformat(day).toordinal() + later, 0))
    except (ValueError, OverflowError):
        raise BadRequest(_NOT_A_DAY) from None


def played_in(game: FinishedGame, player: Player) -> bool:
    """Whether this player has a seat in the game; only then may the report lead to it."""
    return str(player.id) in game.players


def write_json(report: GroupReport, player: Player) -> Json:
    """The report as JSON, for this player."""
    group = report.group
    return {
        "game": report.game,
        "since": report.since,
        "until": report.until,
        "games": len(group.games),
        "titles": {kind: game_ui(kind).title for kind in group.by_game},
        "you": str(player.id) if str(player.id) in group.players else None,
        "players": [
            {
                **standing.player._asdict(),
                **_write_figures(standing.figures),
                "by_game": {
                    kind: _write_game_standing(each)
                    for kind, standings in group.by_game.items()
                    for each in standings
                    if each.player == standing.player
                },
            }
            for standing in group.standings
        ],
        "head_to_head": [
            {
                "one": each.one.key,
                "other": each.other.key,
                "games": each.games,
                "ahead": each.ahead,
                "behind": each.behind,
                "tied": each.tied,
            }
            for each in group.encounters
        ],
        "records": [_write_record(each, player) for records in report.records.values() for each in records],
    }


def _write_figures(figures: Figures) -> Json:
    written = figures._asdict()
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in written.items()}


def _write_rating(rating: Rating) -> Json:
    return {"rating": round(rating.mu, 3), "uncertainty": round(rating.uncertainty, 3)}


def _write_game_standing(standing: GameStanding) -> Json:
    history = [{"at": format_utc(point.at), **_write_rating(point.rating)} for point in standing.history]
    return {**_write_figures(standing.figures), **_write_rating(standing.rating), "history": history}


def _write_record(record: GroupRecord, player: Player) -> Json:
    return {
        "game": record.game.game,
        "name": record.name,
        "title": record.title,
        "number": record.number,
        "words": record.words,
        "players": [each.key for each in record.players],
        "at": format_utc(record.game.ended),
        "id": record.game.id if played_in(record.game, player) else None,
    }


def write_csv(report: GroupReport) -> str:
    """A row for each player and game, for spreadsheets: with the mark by which Excel recognises UTF-8."""
    file = io.StringIO()
    # Quoted texts, because some spreadsheets begin a new cell at a semicolon.
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(_COLUMNS)
    for kind, standings in report.group.by_game.items():
        for standing in standings:
            row = {
                "name": _defuse(standing.player.name),
                "bot": standing.player.bot or "",
                "game": kind,
                **_write_figures(standing.figures),
                **_write_rating(standing.rating),
            }
            writer.writerow("" if row[column] is None else row[column] for column in _COLUMNS)
    return f"\ufeff{file.getvalue()}"


def _defuse(name: str) -> str:
    """The name with an apostrophe before it if a spreadsheet would calculate it; wide characters count as well."""
    return f"'{name}" if unicodedata.normalize("NFKC", name).startswith(_FORMULA) else name
