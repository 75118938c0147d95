"""The letter that a game is over: the result, the scores, and how to check the dice."""

from service.games.names import player_names
from service.games.views import visible_record
from service.mail.chat_digest import said_since
from service.mail.game_section import standing_at
from service.mail.history import as_it_is
from service.mail.letter_context import Context, LetterContext, about_table
from service.ui.tables import name_winners, standings_lines


def over(letter_ctx: LetterContext) -> Context:
    """The game is over."""
    game, names, translations = letter_ctx.game, player_names(letter_ctx.game), letter_ctx.reader.translations
    standing = standing_at(letter_ctx, as_it_is(letter_ctx.ctx, game, letter_ctx.seat))
    view = standing["drawing"].view
    result = view["result"]
    scores = game.ui.final_standings(visible_record(letter_ctx.ctx, game), result, names, translations)
    return {
        **about_table(letter_ctx),
        **standing,
        "said": said_since(letter_ctx),
        "id": game.id,
        "won": letter_ctx.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": name_winners(result["winners"], names, translations),
        "scores": scores,
        "scores_text": "\n".join(standings_lines(scores, (), translations.gettext)),
        "dice": view["dice"],
        "record_link": f"{letter_ctx.base}/api/v1/games/{game.id}/record",
    }
