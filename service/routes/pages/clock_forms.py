"""The buttons about the clock on a player's page, and what players have asked for."""

from collections.abc import Callable
from gettext import NullTranslations
from typing import Final, NamedTuple

from service.clocks import requests
from service.context import AppContext
from service.games.names import player_names
from service.games.store import StoredGame
from service.i18n import marked
from service.text import format_duration, join_names

A_DAY: Final = 24


class ClockChoice(NamedTuple):
    """A button, and a sentence about what it needs."""

    do: str
    words: str
    needs: str


_WORDS: Final = {
    "give": marked("Give 24 more hours"),
    "stand-in": marked("Let the stand-in play this turn"),
    "more-time": marked("Give the full time again"),
    "pause": marked("Ask for a pause"),
    "resume": marked("End the pause"),
}
_NEEDS: Final = {
    "stand-in": marked("All players except %(names)s must agree."),
    "give": marked("All players except %(names)s must agree."),
    "more-time": marked("All players except %(names)s must agree."),
    "pause": marked("All players must agree. Then no time runs out until somebody ends the pause."),
    "resume": marked("Any player can do this."),
}
_HOST_DECIDES: Final = frozenset({"give", "more-time"})
_ACTIONS: Final[dict[str, Callable[[AppContext, str, int], object]]] = {
    "give": lambda ctx, game, seat: requests.give_time(ctx, game, seat, A_DAY),
    "stand-in": requests.request_stand_in,
    "more-time": lambda ctx, game, seat: requests.give_time(ctx, game, seat, None),
    "pause": requests.pause,
    "resume": requests.resume,
    "return": requests.return_to_seat,
}
_REQUESTS: Final = {
    "give": marked("%(name)s wants to give %(time)s more."),
    "stand-in": marked("%(name)s wants the stand-in to play this turn."),
    "pause": marked("%(name)s wants a pause."),
}
_OWN_REQUESTS: Final = {
    "give": marked("You want to give %(time)s more."),
    "stand-in": marked("You want the stand-in to play this turn."),
    "pause": marked("You want a pause."),
}


def is_about_clock(do: str) -> bool:
    """Whether this is the value of a button about the clock."""
    return do in _ACTIONS


def do_about_clock(ctx: AppContext, game_id: str, seat: int, do: str) -> None:
    """Do what the button says; raises a `Problem` if that isn't possible."""
    _ACTIONS[do](ctx, game_id, seat)


def clock_choices(
    ctx: AppContext, game: StoredGame, seat: int | None, translations: NullTranslations
) -> list[ClockChoice]:
    """The buttons for this seat."""
    if game.pace is None or game.status != "playing" or seat is None:
        return []
    if seat not in {each.seat for each in game.present_people(game.state)}:
        return []
    asked = {(each.seat, each.what) for each in requests.list_requests(ctx, game)}
    waits = game.time_up == "wait" and is_overdue(ctx, game)
    offered = [] if seat in game.rules.to_act(game.state) else ["stand-in", "more-time"] if waits else ["give"]
    if not waits:
        offered.append("resume" if game.paused or (seat, requests.PAUSE) in asked else "pause")
    return [ClockChoice(do, translations.gettext(_WORDS[do]), _needs(do, game, seat, translations)) for do in offered]


def _needs(do: str, game: StoredGame, seat: int, translations: NullTranslations) -> str:
    """Who must agree."""
    if do in _HOST_DECIDES and game.seats[seat].player == game.host:
        return translations.gettext("You're the host, so you decide this alone.")
    names = player_names(game)
    waiting = sorted(game.rules.to_act(game.state))
    return translations.gettext(_NEEDS[do]) % {"names": join_names([names[each] for each in waiting], translations)}


def is_overdue(ctx: AppContext, game: StoredGame) -> bool:
    """Whether the turn's time is up."""
    return game.deadline is not None and game.deadline <= ctx.clock()


def clock_wishes(ctx: AppContext, game: StoredGame, seat: int, translations: NullTranslations) -> list[str]:
    """What players have asked for, in sentences for the player of a seat."""
    names = player_names(game)
    return [
        translations.gettext((_OWN_REQUESTS if each.seat == seat else _REQUESTS)[each.what])
        % {"name": names[each.seat], "time": format_duration(each.seconds or 0, translations)}
        for each in requests.list_requests(ctx, game)
    ]
