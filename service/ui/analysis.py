"""How the analysis of a game is shown: the curve of the chances, the figures of each player, and a sentence."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from markupsafe import Markup

from service.engine.analysis import Analysis, Decision, Roll, SeatFigures
from service.i18n import Reader
from service.ui.plots import LINES, Line, Series, plot_svg

MOST_LISTED: Final = 3
"""How many mistakes, lucky rolls and unlucky rolls are listed."""
_NOTICEABLE: Final = 0.005
"""What is less is 0%."""


class Percents(NamedTuple):
    """The figures of a seat in whole percent; rounded, they still add up."""

    start: int
    luck: int
    skill: int
    others: int
    rest: int
    end: int


def round_figures(figures: SeatFigures) -> Percents:
    """Round the figures; the rest takes the difference."""
    start, luck, skill, others, end = (
        round(100 * part) for part in (figures.start, figures.luck, figures.skill, figures.others, figures.end)
    )
    return Percents(start, luck, skill, others, end - start - luck - skill - others, end)


def describe_luck(figures: SeatFigures, reader: Reader) -> str:
    """How lucky the reader was, and what their choices cost them, in one sentence."""
    say, percents = reader.translations.gettext, round_figures(figures)
    words = {
        "luck": reader.format_percent(abs(percents.luck)),
        "cost": reader.format_percent(abs(percents.skill)),
    }
    costs = percents.skill < 0
    if percents.luck > 0:
        lucky = say("You were %(luck)s lucky, and your choices cost you %(cost)s.")
        return (lucky if costs else say("You were %(luck)s lucky, and your choices cost you nothing.")) % words
    if percents.luck < 0:
        unlucky = say("You were %(luck)s unlucky, and your choices cost you %(cost)s.")
        return (unlucky if costs else say("You were %(luck)s unlucky, and your choices cost you nothing.")) % words
    neither = say("You were neither lucky nor unlucky, and your choices cost you %(cost)s.")
    return (neither if costs else say("You were neither lucky nor unlucky, and your choices cost you nothing.")) % words


class Bar(NamedTuple):
    """One figure of a player. Its bar begins where that of the figure above ends, in percent."""

    title: str
    number: str
    low: int
    high: int
    kind: str
    """`total`, `gain` or `loss`."""


class PlayerBars(NamedTuple):
    """The figures of a player, from the chance at the start to that at the end."""

    name: str
    look: Line
    bars: Sequence[Bar]


class BarScale(NamedTuple):
    """The range of all bars in percent; it contains 0 and 100."""

    low: int
    high: int


def list_bars(
    analysis: Analysis, names: Sequence[str], colours: Sequence[str], reader: Reader
) -> tuple[list[PlayerBars], BarScale]:
    """The figures of all players as bars, and their common scale."""
    players = [
        PlayerBars(names[figures.seat], LINES[colours[figures.seat]], _bars(round_figures(figures), reader))
        for figures in analysis.seats
    ]
    bars = [bar for player in players for bar in player.bars]
    return players, BarScale(min([0, *(bar.low for bar in bars)]), max([100, *(bar.high for bar in bars)]))


def _bars(percents: Percents, reader: Reader) -> list[Bar]:
    say = reader.translations.gettext
    titles = say("Luck"), say("Own choices"), say("Others' choices"), say("Rest")
    parts = percents.luck, percents.skill, percents.others, percents.rest
    bars = [Bar(say("At the start"), reader.format_percent(percents.start), 0, percents.start, "total")]
    for title, part, (before, after) in zip(titles, parts, pairwise(accumulate([percents.start, *parts])), strict=True):
        kind = "gain" if part > 0 else "loss"
        bars.append(Bar(title, reader.format_change(part), min(before, after), max(before, after), kind))
    return [*bars, Bar(say("At the end"), reader.format_percent(percents.end), 0, percents.end, "total")]


class Chance(NamedTuple):
    """A player's chance at one moment, and how it changed since the moment before."""

    name: str
    look: Line
    now: str
    change: str
    """Empty if it hasn't changed."""


def list_chances(
    analysis: Analysis, now: int, before: int, names: Sequence[str], colours: Sequence[str], reader: Reader
) -> list[Chance]:
    """The chances after so many events, compared with those after fewer events."""
    pairs = zip(chances_after(analysis, now), chances_after(analysis, before), strict=True)
    return [
        Chance(
            names[seat],
            LINES[colours[seat]],
            reader.format_percent(chance),
            reader.format_change(chance - earlier) if chance != earlier else "",
        )
        for seat, (chance, earlier) in enumerate(pairs)
    ]


def chances_after(analysis: Analysis, events: int) -> list[int]:
    """The chance of each seat in percent after so many events."""
    start = tuple(figures.start for figures in analysis.seats)
    chances = next((step.chances for step in reversed(analysis.curve) if step.seq <= events), start)
    return [round(100 * chance) for chance in chances]


def draw_curve(
    analysis: Analysis, head: int, now: int, names: Sequence[str], colours: Sequence[str], reader: Reader
) -> Markup:
    """The chances of all players through the game as SVG, with a mark at one moment."""
    say, steps = reader.translations.gettext, [chances_after(analysis, events) for events in range(head + 1)]
    series = [
        Series(name, colour, [step[seat] for step in steps])
        for seat, (name, colour) in enumerate(zip(names, colours, strict=True))
    ]
    ends = say("Start"), say("End")
    title = f"{say('Chances of winning')} (%)"
    drawn = plot_svg(title, series, say, id_="chances", ends=ends, tell=reader.format_percent, now=now)
    # Our own drawing, which escapes every name.
    return Markup(drawn)  # noqa: S704


def list_stops(analysis: Analysis, head: int) -> list[int]:
    """The moments at which a player chooses or the chances are about to change, by the number of events before them."""
    changes = [step.seq - 1 for step in analysis.curve]
    choices = [decision.seq - 1 for decision in analysis.decisions]
    return sorted({0, head, *changes, *choices})


def find_costliest(analysis: Analysis) -> list[Decision]:
    """The choices that cost most, the costliest first."""
    noticeable = (decision for decision in analysis.decisions if decision.cost >= _NOTICEABLE)
    return sorted(noticeable, key=lambda decision: -decision.cost)[:MOST_LISTED]


def find_luckiest(analysis: Analysis) -> list[Roll]:
    """The rolls that gave most to the players who rolled, the luckiest first."""
    return [roll for roll in _by_luck(analysis.rolls) if own_luck(roll) >= _NOTICEABLE][: -MOST_LISTED - 1 : -1]


def find_unluckiest(analysis: Analysis) -> list[Roll]:
    """The rolls that cost most, the unluckiest first."""
    return [roll for roll in _by_luck(analysis.rolls) if own_luck(roll) <= -_NOTICEABLE][:MOST_LISTED]


def own_luck(roll: Roll) -> float:
    """What a roll gave the player who rolled."""
    return roll.luck[roll.seat]


def _by_luck(rolls: Iterable[Roll]) -> list[Roll]:
    return sorted(rolls, key=own_luck)
