"""`/host`: for the people who run the server: letters that are stuck, games, players and versions."""

import platform
from importlib.metadata import version
from typing import Any, Final

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from peewee import SqliteDatabase, fn

from service.context import AppContext
from service.db.letter_texts import letter_kind_name, translate_delivery_error
from service.db.letters import IS_HELD, PARKED, WAITING, drop_letter, retry_letter
from service.db.models import HOST_NAME, HOST_SEAT, OF_HOST, Game, Letter, Player, Seat
from service.errors import NotFound
from service.games.names import FORMER, display_table_name
from service.games.players import is_deleted
from service.i18n import marked
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.responses import create_page_blueprint, is_host
from service.routes.pages.session import authenticate_form
from service.ui.registry import game_ui

MOST_SHOWN: Final = 50
_STATES: Final = {
    "waiting": marked("waiting"),
    "sent": marked("sent"),
    "parked": marked("parked"),
    "dropped": marked("dropped"),
    "kept": marked("in the mailbox"),
    "playing": marked("playing"),
    "finished": marked("finished"),
    "cancelled": marked("cancelled"),
    "expired": marked("expired"),
}
"""The statuses of letters and games, in words."""
_PARTS: Final = ("marrakech-by-mail", "flask", "peewee", "waitress")


pages = create_page_blueprint("host")


@pages.get("/host")
def show_host_page() -> ResponseReturnValue:
    """The page, only for the hosts named in the settings; for anyone else it doesn't exist."""
    ctx, player = current_context(), current_player()
    if player is None and ctx.settings.hosts:
        return redirect("/login?next=/host", 303)
    if not is_host(player):
        raise NotFound
    return _page(ctx)


@pages.post("/host/letters/<int:letter>")
def submit_letter_decision(letter: int) -> ResponseReturnValue:
    """Retry or drop a letter that is stuck."""
    if not is_host(authenticate_form()):
        raise NotFound
    _decide(current_context(), letter, request.form.get("do", ""))
    return redirect("/host", 303)


def _decide(ctx: AppContext, letter: int, do: str) -> None:
    if do == "retry":
        done = retry_letter(ctx.database, letter, ctx.clock())
    else:
        done = do == "drop" and drop_letter(ctx.database, letter)
    if not done:
        raise NotFound("This e-mail is no longer in the list. Reload the page.")


def _page(ctx: AppContext) -> str:
    reader, say = current_reader(), current_reader().translations.gettext
    return render_template(
        "host.html",
        moment=reader.format_short_time,
        states={state: say(words) for state, words in _STATES.items()},
        kind_called=lambda letter: letter_kind_name(letter.kind, say),
        trouble_told=lambda trouble: translate_delivery_error(trouble or "", say),
        display_table_name=lambda table: display_table_name(table.game, table.name, table.host_name, say),
        player_called=lambda player: say(FORMER) if is_deleted(player) else player.name,
        letters=_letters(ctx),
        counts=_counts(ctx, Letter.status),
        tables=_tables(ctx),
        table_counts=_counts(ctx, Game.status),
        game_counts=_counts(ctx, Game.game),
        title=lambda game: game_ui(game).title,
        players=_newest(ctx, Player.select().order_by(Player.created.desc(), Player.id.desc())),
        player_count=Player.select().count(ctx.database),
        most=MOST_SHOWN,
        versions=_versions(ctx),
        mail=bool(ctx.settings.smtp_url),
        held=Letter.select().where(IS_HELD).count(ctx.database),
    )


def _newest(ctx: AppContext, chosen: Any) -> list[Any]:
    return list(chosen.limit(MOST_SHOWN).execute(ctx.database))


def _letters(ctx: AppContext) -> list[Any]:
    """Letters that wait or are parked, the parked ones first."""
    stuck = Letter.select().where(Letter.status.in_([WAITING, PARKED]))
    return _newest(ctx, stuck.order_by(Letter.status, Letter.id.desc()))


def _tables(ctx: AppContext) -> list[Any]:
    people = fn.count(Seat.seat).alias("people")
    columns = (Game.id, Game.game, Game.name, Game.status, Game.turn, Game.deadline, Game.changed, HOST_NAME)
    chosen = Game.select(*columns, people).join(HOST_SEAT, on=OF_HOST).switch(Game).join(Seat)
    grouped = chosen.group_by(*columns[:-1], HOST_SEAT.name)
    return _newest(ctx, grouped.order_by(Game.changed.desc(), Game.id.desc()).objects())


def _counts(ctx: AppContext, column: Any) -> dict[str, int]:
    model = column.model
    rows = model.select(column, fn.count(1)).group_by(column).order_by(column).tuples().execute(ctx.database)
    return dict(rows)


def _versions(ctx: AppContext) -> list[tuple[str, str]]:
    kind = "SQLite" if isinstance(ctx.database, SqliteDatabase) else "PostgreSQL"
    statement = "select sqlite_version()" if kind == "SQLite" else "show server_version"
    number = ctx.database.execute_sql(statement).fetchone()[0]
    return [*((part, version(part)) for part in _PARTS), ("Python", platform.python_version()), (kind, number)]
