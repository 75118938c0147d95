"""`/g/ID/over`: how a game ended: the scores, who paid whom, rugs and money over time, and the dice to be checked."""

from typing import Any, NamedTuple

from flask import Blueprint, redirect, render_template
from markupsafe import Markup

from service.engine.reading import Json
from service.engine.record import Record
from service.mail.story import ending_told
from service.mail.wording import named, player_names, table_name
from service.office import Office
from service.render.plots import Series, course_of, plot_svg
from service.render.sentences import Say
from service.routes.chronicle import payments_of
from service.routes.pictures import drawn
from service.routes.sealing import sealed_pages
from service.routes.speaking import reader_here
from service.shown import game_to_show, record_of, view_of
from service.stored import StoredGame


class Plot(NamedTuple):
    """Lines over the turns of a game: drawn, and as the numbers they were drawn from."""

    title: str
    picture: Markup
    series: list[Series]


def over_pages(office: Office) -> Blueprint:
    """The page."""
    pages = sealed_pages("over")

    @pages.get("/g/<game_id>/over")
    def over(game_id: str) -> Any:
        game = named(game_to_show(office, game_id), reader_here(office).translations)
        if game.status != "finished":
            return redirect(f"/g/{game_id}", 302)
        return _page(office, game, view_of(office, game, None))

    return pages


def _page(office: Office, game: StoredGame, view: Json) -> str:
    names, result, reader = player_names(game), view["result"], reader_here(office)
    record = record_of(office, game)
    return render_template(
        "over.html",
        table=table_name(game),
        game=game,
        view=view,
        names=names,
        board=drawn(game, game.state, reader.translations),
        ending=ending_told(names, result, reader.translations),
        ranking=[result["scores"][seat] for seat in result["ranking"]],
        most=max(1, *(score["total"] for score in result["scores"])),
        paid=payments_of(record.entries, len(names)),
        plots=_plots(record, reader.translations.gettext),
        rolls=sum(entry.event.type == "rolled" for entry in record.entries),
    )


def _plots(record: Record, say: Say) -> list[Plot]:
    course = course_of(record)
    plots = [(say("Dirhams after each turn"), course.dirhams), (say("Visible squares after each turn"), course.squares)]
    return [
        # Our own drawing, which escapes every name.
        Plot(title, Markup(plot_svg(title, series, say, id_=f"course-{number}")), series)  # noqa: S704
        for number, (title, series) in enumerate(plots, 1)
    ]
