"""`/g/ID/over`: how a game ended: the scores, who paid whom, rugs and money over time, and the dice to be checked."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from flask import Blueprint, redirect, render_template

from service.engine.reading import Json
from service.mail.readers import Reader
from service.mail.story import ending_told
from service.mail.wording import player_names, table_name
from service.office import Office
from service.routes.chronicle import Chronicle, chronicle_of
from service.routes.pictures import drawn
from service.routes.replay import Reel, reel_of
from service.routes.sealing import sealed_pages
from service.routes.speaking import reader_here
from service.shown import game_to_show, view_of
from service.store import StoredGame

WIDTH: Final = 320
HEIGHT: Final = 120
"""Of a plot, in the units of its drawing."""


class Line(NamedTuple):
    """What one seat had over time, as a line of a plot."""

    seat: int
    colour: str
    points: str
    values: list[int]


class Plot(NamedTuple):
    """Lines over the turns of a game."""

    title: str
    lines: list[Line]
    top: int
    """The largest value, which the plot reaches up to."""


def over_pages(office: Office) -> Blueprint:
    """The page."""
    pages = sealed_pages("over")

    @pages.get("/g/<game_id>/over")
    def over(game_id: str) -> Any:
        game = game_to_show(office, game_id)
        if game.status != "finished":
            return redirect(f"/g/{game_id}", 302)
        return _page(game, view_of(office, game, None), reel_of(office, game), reader_here(office))

    return pages


def _page(game: StoredGame, view: Json, reel: Reel, reader: Reader) -> str:
    names, result, say = player_names(game), view["result"], reader.translations.gettext
    chronicle = chronicle_of(reel.happened, reel.states, len(names))
    colours = [seat["colours"][0] for seat in view["seats"]]
    return render_template(
        "over.html",
        table=table_name(game),
        game=game,
        view=view,
        names=names,
        board=drawn(game, game.state),
        ending=ending_told(names, result, reader.translations),
        ranking=[result["scores"][seat] for seat in result["ranking"]],
        most=max(1, *(score["total"] for score in result["scores"])),
        paid=chronicle.paid,
        plots=_plots(chronicle, colours, say),
        width=WIDTH,
        height=HEIGHT,
        rolls=sum(entry.event.type == "rolled" for entry in reel.happened),
    )


def _plots(chronicle: Chronicle, colours: Sequence[str], say: Any) -> list[Plot]:
    return [
        _plot(say("Dirhams after each turn"), chronicle.dirhams, colours),
        _plot(say("Visible squares after each turn"), chronicle.squares, colours),
    ]


def _plot(title: str, values: Sequence[list[int]], colours: Sequence[str]) -> Plot:
    top = max(1, *(max(each) for each in values))
    lines = [Line(seat, colours[seat], _points(each, top), each) for seat, each in enumerate(values)]
    return Plot(title, lines, top)


def _points(values: Sequence[int], top: int) -> str:
    apart = WIDTH / max(1, len(values) - 1)
    return " ".join(f"{turn * apart:.1f},{HEIGHT - value * HEIGHT / top:.1f}" for turn, value in enumerate(values))
