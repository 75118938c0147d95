"""`/host`: what the one who runs the server looks after: letters that are stuck, tables, players and versions."""

import platform
from importlib.metadata import version
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request
from peewee import SqliteDatabase, fn

from service.errors import NotFound
from service.languages import marked
from service.mail import outbox
from service.models import Game, Letter, Player, Seat
from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.sessions import check_form, visitor
from service.routes.speaking import is_host, reader_here

MOST_SHOWN: Final = 50
_LARGEST_ID: Final = 2**31
_STATES: Final = {
    "waiting": marked("waiting"),
    "sent": marked("sent"),
    "parked": marked("parked"),
    "dropped": marked("dropped"),
    "kept": marked("kept"),
    "playing": marked("being played"),
    "finished": marked("over"),
    "cancelled": marked("called off"),
    "expired": marked("expired"),
}
"""What letters and tables can be, in words."""
_PARTS: Final = ("marrakech-by-mail", "flask", "peewee", "waitress")


def host_pages(office: Office) -> Blueprint:
    """The page, for those alone who are named in the settings; nobody else learns that there is one."""
    pages = sealed_pages("host")

    @pages.get("/host")
    def look() -> Any:
        player = visitor(office)
        if player is None and office.settings.hosts:
            return redirect("/login?next=/host", 303)
        if not is_host(office, player):
            raise NotFound
        return _page(office)

    @pages.post("/host/letters/<int:letter>")
    def decide(letter: int) -> Any:
        if not is_host(office, check_form(office)):
            raise NotFound
        _do(office, letter, request.form.get("do", ""))
        return redirect("/host", 303)

    return pages


def _do(office: Office, letter: int, do: str) -> None:
    fits = letter < _LARGEST_ID  # PostgreSQL refuses to compare a larger one
    if do == "retry" and fits:
        done = outbox.retry(office.database, Letter.id == letter, office.clock()) == 1
    else:
        done = do == "drop" and fits and outbox.drop_by_hand(office.database, letter)
    if not done:
        raise NotFound("There is no such letter any more that was not sent; look at the list again.")


def _page(office: Office) -> str:
    reader = reader_here(office)
    return render_template(
        "host.html",
        moment=reader.briefly,
        states={state: reader.translations.gettext(words) for state, words in _STATES.items()},
        letters=_letters(office),
        counts=_counts(office, Letter.status),
        tables=_tables(office),
        table_counts=_counts(office, Game.status),
        players=_newest(office, Player.select().order_by(Player.created.desc(), Player.id.desc())),
        player_count=Player.select().count(office.database),
        most=MOST_SHOWN,
        versions=_versions(office),
        mail=bool(office.settings.smtp_url),
    )


def _newest(office: Office, chosen: Any) -> list[Any]:
    return list(chosen.limit(MOST_SHOWN).execute(office.database))


def _letters(office: Office) -> list[Any]:
    """What waits and what is parked, the parked first."""
    stuck = Letter.select().where(Letter.status.in_([outbox.WAITING, outbox.PARKED]))
    return _newest(office, stuck.order_by(Letter.status, Letter.id.desc()))


def _tables(office: Office) -> list[Any]:
    people = fn.count(Seat.seat).alias("people")
    columns = (Game.id, Game.name, Game.status, Game.turn, Game.deadline, Game.changed)
    chosen = Game.select(*columns, people).join(Seat).group_by(*columns)
    return _newest(office, chosen.order_by(Game.changed.desc(), Game.id.desc()))


def _counts(office: Office, column: Any) -> dict[str, int]:
    model = column.model
    rows = model.select(column, fn.count(1)).group_by(column).order_by(column).tuples().execute(office.database)
    return dict(rows)


def _versions(office: Office) -> list[tuple[str, str]]:
    kind = "SQLite" if isinstance(office.database, SqliteDatabase) else "PostgreSQL"
    statement = "select sqlite_version()" if kind == "SQLite" else "show server_version"
    number = office.database.execute_sql(statement).fetchone()[0]
    return [*((part, version(part)) for part in _PARTS), ("Python", platform.python_version()), (kind, number)]
