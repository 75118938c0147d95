"""What the page and the letter of a finished game of Kilim show besides the ending: scores, and plots by round."""

from collections.abc import Mapping, Sequence
from gettext import NullTranslations
from typing import Any, Final

from service.engine.json_reader import Json
from service.engine.kilim.actions import Auctioned, Settled, Shown
from service.engine.kilim.pieces import COLOURS, DAYS, rounds_per_day
from service.engine.kilim.scoring import score_seats
from service.engine.records import Record
from service.i18n import Gettext, marked
from service.ui.kilim.standings import TITLES, colour_chips
from service.ui.plots import Plot, draw_plots, series_of
from service.ui.tables import Column, Row, Standings

_PLOTTED: Final = ("points", "gold", "dominoes")
_HIGH_SCORES: Final = {
    "points": marked("Most points"),
    "rectangle": marked("Most points for the rectangle"),
    "squares": marked("Largest carpet, in squares"),
    "dominoes": marked("Most dominoes won"),
}


def describe_finished_game(record: Record, translations: NullTranslations) -> dict[str, Any]:
    """The variables of the game's own templates."""
    return {"plots": _draw_plots(record, translations)}


def build_final_standings(record: Record, result: Json, names: Sequence[str], say: Gettext) -> Standings:
    """The scores, the winner first."""
    columns = tuple(
        Column(say(title), say(short), decides=field == "total") for field, (title, short) in TITLES.items()
    )
    scores = {score["seat"]: score for score in result["scores"]}
    rules, seats = record.heading.rules, len(names)
    rows = tuple(
        Row(
            seat,
            names[seat],
            tuple(str(scores[seat][field]) for field in TITLES),
            colour_chips(rules.seat_assets(seats, seat)["colours"], say),
            active=not scores[seat]["out"],
        )
        for seat in result["ranking"]
    )
    return Standings(columns, rows)


def find_high_scores(record: Record) -> Mapping[str, Sequence[int]]:
    """The numbers of every seat that players may want to beat."""
    dominoes = [0] * len(record.heading.seats)
    for entry in record.entries:
        match entry.event:
            case Auctioned(winner=int(winner), dominoes=offer):
                dominoes[winner] += len(offer)
    # A seat that is out has no points.
    scores = record.entries[-1].event.result.scores
    return {
        "points": [score.total for score in scores],
        "rectangle": [score.rectangle for score in scores],
        "squares": [score.squares for score in scores],
        "dominoes": dominoes,
    }


def title_high_scores(say: Gettext) -> Mapping[str, str]:
    """What these numbers are."""
    return {name: say(title) for name, title in _HIGH_SCORES.items()}


def _draw_plots(record: Record, translations: NullTranslations) -> list[Plot]:
    gettext, rounds = translations.gettext, _list_rounds(record)
    titles = (gettext("Points after each round"), gettext("Gold spent"), gettext("Dominoes won"))
    titled = [
        (title, series_of(record.heading, COLOURS, rounds[name])) for title, name in zip(titles, _PLOTTED, strict=True)
    ]
    per_day = rounds_per_day(len(record.heading.seats))
    days = [per_day * day - 1 for day in range(1, DAYS)]
    return draw_plots(titled, gettext("Round"), gettext, days)


def _list_rounds(record: Record) -> dict[str, list[list[int]]]:
    """The numbers of every seat at the end of each round that was played."""
    seats = len(record.heading.seats)
    gold, dominoes = [0] * seats, [0] * seats
    rounds: dict[int, tuple[list[int], list[int], list[int]]] = {}
    for state, entry in zip(record.states()[1:], record.entries, strict=True):
        match entry.event:
            case Shown(cards=cards):
                _add(gold, [card if isinstance(card, int) else None for card in cards])
            case Auctioned(gold=bids, winner=winner, dominoes=offer):
                # The gold that was shown is counted already.
                _add(gold, [None if card == bid else bid for card, bid in zip(state.shown or (), bids, strict=True)])
                if winner is not None:
                    dominoes[winner] += len(offer)
            case Settled(gold=paid):
                _add(gold, paid)
        if state.round:
            rounds[state.round] = ([score.total for score in score_seats(state)], list(gold), list(dominoes))
    columns = zip(*rounds.values(), strict=True) if rounds else ([], [], [])
    return {name: list(column) for name, column in zip(_PLOTTED, columns, strict=True)}


def _add(sums: list[int], amounts: Sequence[int | None]) -> None:
    for seat, amount in enumerate(amounts):
        sums[seat] += amount or 0
