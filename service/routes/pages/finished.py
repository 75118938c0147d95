"""`/g/ID/over`: how a game ended, with its scores and its dice."""

from flask import redirect, render_template
from flask.typing import ResponseReturnValue

from service.games.analysis import has_analysis
from service.games.names import player_names, table_name, with_display_names
from service.games.views import game_view, get_open_game, visible_record
from service.routes.current import current_context, current_reader
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.table import draw_board

pages = create_page_blueprint("over")


@pages.get("/g/<game_id>/over")
def show_ending(game_id: str) -> ResponseReturnValue:
    """The page; a game that isn't over has none yet."""
    ctx, translations = current_context(), current_reader().translations
    game = with_display_names(get_open_game(ctx, game_id), translations)
    if game.status != "finished":
        return redirect(f"/g/{game_id}", 302)
    names, ui = player_names(game), game.ui
    view, record = game_view(ctx, game, None), visible_record(ctx, game)
    return render_template(
        "over.html",
        table=table_name(game),
        game=game,
        view=view,
        names=names,
        templates=ui.templates,
        board=draw_board(game, view, [], translations),
        ending=ui.ending(view["result"], names, translations),
        scores=ui.final_standings(record, view["result"], names, translations),
        is_analysed=has_analysis(ctx, game),
        fairness=ui.fairness_texts(translations),
        **ui.finished_context(record, names, translations),
    )
