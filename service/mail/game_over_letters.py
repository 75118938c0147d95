"""The letter that a game is over: the result, what everybody paid and earned, and how to check the dice."""

from collections.abc import Iterable
from typing import Any

from service.engine.json_reader import Json
from service.games.names import player_names
from service.games.store import entries
from service.mail.chat_digest import said_since
from service.mail.game_section import standing_at
from service.mail.history import as_it_is
from service.mail.letter_context import Context, LetterContext, about_table
from service.mail.story import winners_told


def over(letter_ctx: LetterContext) -> Context:
    """The game is over."""
    game, names = letter_ctx.game, player_names(letter_ctx.game)
    standing = standing_at(letter_ctx, as_it_is(letter_ctx.ctx, game, letter_ctx.seat))
    view = standing["drawing"].view
    result = view["result"]
    accounts = _accounts(letter_ctx, (entry.event for entry in entries(letter_ctx.ctx.database, game)))
    scores = {score["seat"]: score for score in result["scores"]}
    return {
        **about_table(letter_ctx),
        **standing,
        "said": said_since(letter_ctx),
        "id": game.id,
        "won": letter_ctx.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": winners_told(names, result["winners"], letter_ctx.reader.translations),
        "ranking": [{**scores[seat], **accounts[seat], "name": names[seat]} for seat in result["ranking"]],
        "dice": view["dice"],
        "record_link": f"{letter_ctx.base}/api/v1/games/{game.id}/record",
    }


def _accounts(letter_ctx: LetterContext, events: Iterable[Any]) -> list[Json]:
    """What each has paid to others and earned from them in the whole game."""
    accounts: list[Json] = [{"paid": 0, "earned": 0} for _ in letter_ctx.game.seats]
    for event in map(letter_ctx.game.rules.events.write, events):
        if event["type"] == "paid":
            accounts[event["from"]]["paid"] += event["paid"]
            accounts[event["to"]]["earned"] += event["paid"]
    return accounts
