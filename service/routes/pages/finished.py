"""`/g/ID/over`: how a game ended: the scores, who paid whom, rugs and money over time, and the dice to be checked."""

from typing import Any, NamedTuple

from flask import Blueprint, redirect, render_template
from markupsafe import Markup

from service.context import AppContext
from service.engine.json_reader import Json
from service.engine.records import Record
from service.games.names import player_names, table_name, with_display_names
from service.games.stored import StoredGame
from service.games.views import game_view, get_open_game, visible_record
from service.i18n import Gettext
from service.mail.story import ending_told
from service.routes.pages.page_language import reader_here
from service.routes.pages.payment_totals import payments_of
from service.routes.pages.pictures import drawn
from service.routes.pages.security_headers import sealed_pages
from service.ui.marrakech.plots import Series, course_of, plot_svg


class Plot(NamedTuple):
    """Lines over the turns of a game: drawn, and as the numbers they were drawn from."""

    title: str
    picture: Markup
    series: list[Series]


def over_pages(ctx: AppContext) -> Blueprint:
    """The page."""
    pages = sealed_pages("over")

    @pages.get("/g/<game_id>/over")
    def over(game_id: str) -> Any:
        game = with_display_names(get_open_game(ctx, game_id), reader_here(ctx).translations)
        if game.status != "finished":
            return redirect(f"/g/{game_id}", 302)
        return _page(ctx, game, game_view(ctx, game, None))

    return pages


def _page(ctx: AppContext, game: StoredGame, view: Json) -> str:
    names, result, reader = player_names(game), view["result"], reader_here(ctx)
    record = visible_record(ctx, game)
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


def _plots(record: Record, say: Gettext) -> list[Plot]:
    course = course_of(record)
    plots = [(say("Dirhams after each turn"), course.dirhams), (say("Visible squares after each turn"), course.squares)]
    return [
        # Our own drawing, which escapes every name.
        Plot(title, Markup(plot_svg(title, series, say, id_=f"course-{number}")), series)  # noqa: S704
        for number, (title, series) in enumerate(plots, 1)
    ]
