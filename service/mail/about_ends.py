"""The letter that a game is over: the result, what everybody paid and earned, and how to check the dice."""

from collections.abc import Iterable
from typing import Any

from service.engine.reading import Json
from service.mail.how_it_stands import standing_at
from service.mail.looking_back import as_it_is
from service.mail.matter import Context, Matter, about_table
from service.mail.said import said_since
from service.mail.story import winners_told
from service.mail.wording import player_names
from service.store import entries


def over(matter: Matter) -> Context:
    """The game is over."""
    game, names = matter.game, player_names(matter.game)
    standing = standing_at(matter, as_it_is(matter.office, game, matter.seat))
    view = standing["drawing"].view
    result = view["result"]
    accounts = _accounts(matter, (entry.event for entry in entries(matter.office.database, game)))
    scores = {score["seat"]: score for score in result["scores"]}
    return {
        **about_table(matter),
        **standing,
        "said": said_since(matter),
        "id": game.id,
        "won": matter.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": winners_told(names, result["winners"], matter.reader.translations),
        "ranking": [{**scores[seat], **accounts[seat], "name": names[seat]} for seat in result["ranking"]],
        "dice": view["dice"],
        "record_link": f"{matter.base}/api/v1/games/{game.id}/record",
    }


def _accounts(matter: Matter, events: Iterable[Any]) -> list[Json]:
    """What each has paid to others and earned from them in the whole game."""
    accounts: list[Json] = [{"paid": 0, "earned": 0} for _ in matter.game.seats]
    for event in map(matter.game.rules.events.write, events):
        if event["type"] == "paid":
            accounts[event["from"]]["paid"] += event["paid"]
            accounts[event["to"]]["earned"] += event["paid"]
    return accounts
