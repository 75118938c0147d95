"""What the page and the letter of a finished game of Marrakech show besides the ending: scores, payments and plots."""

from collections.abc import Mapping, Sequence
from gettext import NullTranslations
from typing import Any, Final, NamedTuple

from service.engine.json_reader import Json
from service.engine.marrakech.actions import Paid, Rolled
from service.engine.records import Entry, Record
from service.i18n import Gettext, marked
from service.ui.marrakech.standings import colour_chips
from service.ui.plots import Plot, Series, draw_plots, series_of
from service.ui.tables import Column, Row, Standings

_HIGH_SCORES: Final = {
    "payment": marked("Largest payment received"),
    "dirhams": marked("Most dirhams at the end"),
    "squares": marked("Most visible squares"),
    "total": marked("Highest total"),
}


def describe_finished_game(record: Record, translations: NullTranslations) -> dict[str, Any]:
    """The variables of the game's own templates."""
    payments = sum_payments(record.entries, len(record.heading.seats))
    return {
        "payments": payments,
        "plots": _plots(record, translations),
        "rolls": sum(isinstance(entry.event, Rolled) for entry in record.entries),
    }


def build_final_standings(record: Record, result: Json, names: Sequence[str], say: Gettext) -> Standings:
    """The scores, and what each player paid to others and earned from them, the winner first."""
    payments = sum_payments(record.entries, len(names))
    scores = {score["seat"]: score for score in result["scores"]}
    columns = [say("Dirhams"), say("Squares"), say("Total"), say("Paid"), say("Earned")]
    return Standings(
        tuple(Column(title, title, decides=place == 2) for place, title in enumerate(columns)),
        tuple(_score(record, scores[seat], names[seat], payments, say) for seat in result["ranking"]),
    )


def _score(record: Record, score: Json, name: str, payments: list[list[int]], say: Gettext) -> Row:
    seat = score["seat"]
    colours = record.heading.rules.seat_assets(len(payments), seat)["colours"]
    paid, earned = sum(payments[seat]), sum(row[seat] for row in payments)
    cells = (score["dirhams"], score["rugs"], score["total"], paid, earned)
    return Row(seat, name, tuple(map(str, cells)), colour_chips(colours, say), active=not score["out"])


def sum_payments(entries: Sequence[Entry], seats: int) -> list[list[int]]:
    """The sums that players paid each other: `payments[payer][owner]`."""
    paid = [[0] * seats for _ in range(seats)]
    for entry in entries:
        if isinstance(entry.event, Paid):
            paid[entry.event.payer][entry.event.owner] += entry.event.paid
    return paid


def find_high_scores(record: Record) -> Mapping[str, Sequence[int]]:
    """The numbers of every seat that players may want to beat."""
    payments = [0] * len(record.heading.seats)
    for entry in record.entries:
        if isinstance(entry.event, Paid):
            payments[entry.event.owner] = max(payments[entry.event.owner], entry.event.paid)
    ends = [score._replace(dirhams=0) if score.out else score for score in record.entries[-1].event.result.scores]
    return {
        "payment": payments,
        "dirhams": [score.dirhams for score in ends],
        "squares": [score.rugs for score in ends],
        "total": [score.total for score in ends],
    }


def title_high_scores(say: Gettext) -> Mapping[str, str]:
    """What these numbers are."""
    return {name: say(title) for name, title in _HIGH_SCORES.items()}


def _plots(record: Record, translations: NullTranslations) -> list[Plot]:
    gettext, course = translations.gettext, course_of(record)
    titled = [
        (gettext("Dirhams after each turn"), course.dirhams),
        (gettext("Visible squares after each turn"), course.squares),
    ]
    return draw_plots(titled, gettext("Turn"), gettext)


class Course(NamedTuple):
    """The numbers of every seat at the end of each turn."""

    dirhams: list[Series]
    squares: list[Series]


def course_of(record: Record) -> Course:
    """The dirhams and the visible squares of every seat through the game of a record."""
    turns, seats = dict[int, list[Json]](), len(record.heading.seats)
    colours = [record.heading.rules.seat_assets(seats, seat)["colours"][0] for seat in range(seats)]
    for state in record.states()[1:]:
        view = record.heading.rules.view(state, None)
        turns[view["turn"]] = view["seats"]

    def course(what: str) -> list[Series]:
        return series_of(record.heading, colours, [[seat[what] for seat in shown] for shown in turns.values()])

    return Course(course("dirhams"), course("visible"))
