"""The end of a game: scores with the winner first, plots by round, and a replay that goes round by round."""

import itertools
import re
from functools import cache
from gettext import NullTranslations

from service.engine.dice import Chance
from service.engine.kilim.game import KILIM
from service.engine.match import Match, new_heading, start_match
from service.engine.record_text import write_text
from service.engine.records import RecordPlayer
from service.ui.kilim.game_ui import KILIM_UI
from service.ui.plots import Plot, Series, plot_svg

ENGLISH = NullTranslations()
NAMES = ["Ann", "Bo", "Cleo"]
AT = "2026-11-18T12:00:00Z"


@cache
def finished(resigning: bool = False) -> Match:
    """A game of three players; Cleo may resign in the second day."""
    heading = new_heading(KILIM, "souk", "Souk", {}, [RecordPlayer(name) for name in NAMES], bytes(range(32)))
    match, chance = start_match(heading, AT), Chance(bytes(32), "finished")
    while waiting := KILIM.to_act(match.state):
        seat = min(waiting)
        if resigning and match.state.round == 20 and 2 not in match.state.out:
            match = match.act(2, {"type": "resign"}, "", AT)
        else:
            match = match.act(seat, KILIM.bots["easy"](match.view(seat), chance), "", AT)
    return match


def plots(match: Match) -> dict[str, Plot]:
    found: list[Plot] = KILIM_UI.finished_context(match.record(), NAMES, ENGLISH)["plots"]
    return {plot.title: plot for plot in found}


def test_the_scores_have_five_columns_the_total_and_the_squares_with_the_winner_first() -> None:
    match = finished()
    result = match.view(None)["result"]
    scores = KILIM_UI.final_standings(match.record(), result, NAMES, ENGLISH)
    assert [column.title for column in scores.columns] == [
        *("Rectangle", "Motifs", "Groups", "Largest groups", "Torn", "Total", "Squares")
    ]
    assert [row.seat for row in scores.rows] == result["ranking"]
    for row in scores.rows:
        *parts, total, _ = map(int, row.cells)
        assert sum(parts) == total


def test_a_player_who_is_out_comes_last_without_points() -> None:
    match = finished(resigning=True)
    last = KILIM_UI.final_standings(match.record(), match.view(None)["result"], NAMES, ENGLISH).rows[-1]
    assert (last.name, last.active, set(last.cells)) == ("Cleo", False, {"0"})


def test_the_plots_have_a_number_for_each_round_and_end_with_the_result() -> None:
    match = finished()
    found = plots(match)
    assert list(found) == ["Points after each round", "Gold spent", "Dominoes won"]
    assert {len(series.values) for plot in found.values() for series in plot.series} == {45}
    points = [series.values[-1] for series in found["Points after each round"].series]
    assert points == [score["total"] for score in match.view(None)["result"]["scores"]]
    won = sum(series.values[-1] for series in found["Dominoes won"].series)
    assert won == sum(
        len(entry.event.dominoes)
        for entry in match.entries
        if entry.event.type == "auctioned" and entry.event.fate == "won"
    )


def test_everybody_has_spent_all_gold_at_the_end_of_each_day() -> None:
    for series in plots(finished())["Gold spent"].series:
        assert [series.values[round_ - 1] for round_ in (15, 30, 45)] == [120, 240, 360]


def test_the_days_are_marked_in_the_plots() -> None:
    assert all('class="breaks"' in plot.picture for plot in plots(finished()).values())


def test_points_below_zero_are_drawn_above_the_lower_edge() -> None:
    svg = plot_svg("Points", [Series("Ann", "purple", [0, -6, 12])])
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", re.findall(r'<path d="(M[^"]+L[^"]+)"', svg)[0])]
    assert max(heights) <= 212
    assert ">-10<" in svg


def test_a_replay_goes_round_by_round() -> None:
    states = finished().record().states()
    parts = [KILIM_UI.replay_part(KILIM, before, after) for before, after in itertools.pairwise(states)]
    assert parts == sorted(parts)
    assert set(parts) == set(range(46))
    assert KILIM_UI.replay_texts(ENGLISH).position == "Round %(number)s of %(last)s"


def test_the_event_that_begins_a_turn_stands_below_its_heading() -> None:
    lines = write_text(finished().record()).splitlines()
    for place, line in enumerate(lines):
        if re.search(r"  Round \d+ of day \d shows ", line) and "  Round 1 of" not in line:
            assert lines[place - 1].startswith("Turn ")


def test_the_board_at_the_end_shows_all_carpets_with_their_groups() -> None:
    view = finished().view(0)
    view["seats"] = [{"seat": seat, **each} for seat, each in enumerate(view["seats"])]
    svg = KILIM_UI.board_svg(view, ENGLISH)
    assert svg.count('class="seat"') == 3
    assert 'class="group"' in svg
