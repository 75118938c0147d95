"""The group: results, ratings, head to head and records of finished games; filters, and who may be named."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Any

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Event, Game, Player, Seat
from service.games.analysis import compute_next, get_analysis
from service.games.finished_games import load_finished_games
from service.games.group import Figures, Group, GroupFilter, describe_group
from service.games.group_records import GroupRecord, find_records
from service.games.guests import start_guest_game
from service.games.high_scores import store_high_scores
from service.games.lobby import cancel, create_game
from service.games.play import act
from service.games.players import delete_player
from service.games.ratings import START, RankedGame, Rating, rate_games
from service.games.store import load
from tests.support.finished_games import DAY, add_figures, add_game
from tests.support.tables import OPEN, new_game, play_to_end, start_game

pytestmark = pytest.mark.databases("sqlite", "postgresql")

SECOND_WINS = "rugs-laid-2p-standard-shuffled"
BOTH_WIN = "shared-win-2p-rotate-after-shuffled"
FIRST_OF_FOUR = "two-out-by-one-action-4p-rotate-after"
"""Its ranking is 0, 3, 2, 1."""
KILIM = "kilim-days-over-2p-relaxed"
"""The first wins."""
MONDAY = 1_800_000_000.0


@pytest.fixture
def cast(ctx: AppContext) -> list[Player]:
    """Ann, Bo, Cy and Dee, by the order of their names."""
    people = []
    for name in ("Ann", "Bo", "Cy", "Dee"):
        player = find_or_create_player(ctx, f"{name.lower()}@example.org")
        Player.update(name=name).where(Player.id == player.id).execute(ctx.database)
        people.append(Player.select().where(Player.id == player.id).get(ctx.database))
    return people


def figures(group: Group, kind: str | None = None) -> dict[str, Figures]:
    standings: Sequence[Any] = group.standings if kind is None else group.by_game[kind]
    return {standing.player.name: standing.figures for standing in standings}


def ratings(group: Group, kind: str = "marrakech") -> dict[str, Rating]:
    return {standing.player.name: standing.rating for standing in group.by_game[kind]}


def rated(*games: tuple[str, list[int]]) -> dict[str, Rating]:
    """The ratings after games, each written as its players and their places."""
    found: dict[str, Rating] = {}
    for changed in rate_games(RankedGame(players.split(), places) for players, places in games):
        found |= changed
    return found


def records(ctx: AppContext, group: Group, kind: str = "marrakech") -> dict[str, GroupRecord]:
    games = [game for game in group.games if game.game == kind]
    return {record.name: record for record in find_records(kind, games, group.players, NullTranslations())}


def hide(ctx: AppContext, player: Player) -> None:
    Player.update(hidden=True).where(Player.id == player.id).execute(ctx.database)


def test_results_are_counted_and_a_shared_win_is_a_win_for_both(ctx: AppContext, cast: list[Player]) -> None:
    ann, bo, cy, dee = cast
    add_game(ctx, FIRST_OF_FOUR, [ann, bo, cy, dee], MONDAY)
    add_game(ctx, BOTH_WIN, [ann, bo], MONDAY + DAY)
    add_game(ctx, KILIM, [dee, ann], MONDAY + 2 * DAY)
    group = describe_group(ctx, GroupFilter())
    assert figures(group) == {
        "Ann": Figures(3, 2, (1 + 1 + 2) / 3),
        "Dee": Figures(2, 1, 1.5),
        "Bo": Figures(2, 1, 2.5),
        "Cy": Figures(1, 0, 3),
    }
    assert list(figures(group)) == ["Ann", "Dee", "Bo", "Cy"]
    assert figures(group, "kilim") == {"Dee": Figures(1, 1, 1), "Ann": Figures(1, 0, 2)}


def test_ratings_follow_the_order_in_which_the_games_ended_and_each_game_has_its_own(
    ctx: AppContext, cast: list[Player]
) -> None:
    ann, bo, cy, dee = cast
    add_game(ctx, BOTH_WIN, [ann, bo], MONDAY + DAY)
    add_game(ctx, FIRST_OF_FOUR, [ann, bo, cy, dee], MONDAY)
    add_game(ctx, KILIM, [dee, ann], MONDAY + 2 * DAY)
    group = describe_group(ctx, GroupFilter())
    expected = rated(("Ann Bo Cy Dee", [1, 4, 3, 2]), ("Ann Bo", [1, 1]))
    assert ratings(group) == expected
    assert list(ratings(group)) == sorted(expected, key=lambda name: -expected[name].cautious)
    assert ratings(group, "kilim") == rated(("Dee Ann", [1, 2]))
    ann_standing = next(each for each in group.by_game["marrakech"] if each.player.name == "Ann")
    assert [(point.number, point.at) for point in ann_standing.history] == [(1, MONDAY), (2, MONDAY + DAY)]
    assert (ann_standing.before, ann_standing.history[-1].rating) == (START, expected["Ann"])


def test_all_bots_of_a_level_are_one_player(ctx: AppContext, cast: list[Player]) -> None:
    add_game(ctx, FIRST_OF_FOUR, ["easy", cast[0], "easy", "medium"], MONDAY)
    add_game(ctx, KILIM, ["easy", cast[0]], MONDAY + DAY)
    group = describe_group(ctx, GroupFilter())
    assert figures(group)["Computer (easy)"] == Figures(3, 2, (1 + 1 + 3) / 3)
    assert ratings(group)["Computer (easy)"] == rated(("x Ann x y", [1, 4, 3, 2]))["x"]
    assert {(player.name, player.bot) for player in group.players.values()} == {
        ("Ann", None),
        ("Computer (easy)", "easy"),
        ("Computer (medium)", "medium"),
    }


def test_head_to_head_counts_who_was_ahead(ctx: AppContext, cast: list[Player]) -> None:
    ann, bo, cy, dee = cast
    add_game(ctx, FIRST_OF_FOUR, [ann, bo, cy, dee], MONDAY)
    add_game(ctx, SECOND_WINS, [ann, bo], MONDAY + DAY)
    add_game(ctx, BOTH_WIN, [bo, ann], MONDAY + 2 * DAY)
    group = describe_group(ctx, GroupFilter())
    assert len(group.encounters) == 6
    first = group.encounters[0]
    assert first.seen_by(str(ann.id)) == (group.players[str(ann.id)], group.players[str(bo.id)], 3, 1, 1)
    assert first.seen_by(str(bo.id)) == (group.players[str(bo.id)], group.players[str(ann.id)], 3, 1, 1)
    assert first.tied == 1
    assert [(each.other.name, each.games, each.ahead) for each in group.encounters_of(str(dee.id))] == [
        *[("Ann", 1, 0), ("Bo", 1, 1), ("Cy", 1, 1)]
    ]


def test_records_name_who_reached_the_number_first_and_bots_hold_none(ctx: AppContext, cast: list[Player]) -> None:
    ann, bo, _, _ = cast
    first = add_game(ctx, SECOND_WINS, [ann, bo], MONDAY)
    add_game(ctx, SECOND_WINS, [bo, ann], MONDAY + DAY)
    bots = add_game(ctx, FIRST_OF_FOUR, ["medium", ann, "easy", "easy"], MONDAY + 2 * DAY)
    assert list(records(ctx, describe_group(ctx, GroupFilter()))) == ["turns", "seconds"]
    store_high_scores(ctx)
    found = records(ctx, describe_group(ctx, GroupFilter()))
    assert [(each.title, each.number, [player.name for player in each.players]) for each in found.values()] == [
        ("Largest payment received", 7, ["Bo"]),
        ("Most dirhams at the end", 58, ["Bo"]),
        ("Most visible squares", 23, ["Bo"]),
        ("Highest total", 81, ["Bo"]),
        ("Longest game by turns", 48, ["Ann", "Bo"]),
        ("Longest game by time", found["seconds"].number, [player.name for player in found["seconds"].players]),
    ]
    assert {each.game.id for each in found.values()} <= {first, bots}
    assert found["payment"].game.id == first
    longest = max(describe_group(ctx, GroupFilter()).games, key=lambda game: game.ended - game.started)
    assert (found["seconds"].game, found["seconds"].number) == (longest, int(longest.ended - longest.started))
    assert "minute" in found["seconds"].words or "hour" in found["seconds"].words


def test_filters_by_game_and_period_also_show_the_ratings_of_that_time(ctx: AppContext, cast: list[Player]) -> None:
    ann, bo, cy, _ = cast
    for day, (name, players) in enumerate([(SECOND_WINS, [ann, bo]), (BOTH_WIN, [ann, bo]), (SECOND_WINS, [bo, cy])]):
        add_game(ctx, name, players, MONDAY + day * DAY)
    add_game(ctx, KILIM, [ann, bo], MONDAY + 3 * DAY)
    assert list(describe_group(ctx, GroupFilter("kilim")).by_game) == ["kilim"]
    middle = describe_group(ctx, GroupFilter(None, MONDAY + DAY, MONDAY + 2 * DAY))
    assert figures(middle) == {"Ann": Figures(1, 1, 1), "Bo": Figures(1, 1, 1)}
    before, after = rated(("Ann Bo", [2, 1])), rated(("Ann Bo", [2, 1]), ("Ann Bo", [1, 1]))
    assert ratings(middle) == after
    for standing in middle.by_game["marrakech"]:
        assert standing.before == before[standing.player.name]
        assert [point.number for point in standing.history] == [1]
    nothing = describe_group(ctx, GroupFilter(None, MONDAY + 9 * DAY))
    assert (list(nothing.games), list(nothing.standings), dict(nothing.by_game)) == ([], [], {})


def test_a_hidden_player_is_not_named_but_counts_for_the_ratings_of_the_others(
    ctx: AppContext, cast: list[Player]
) -> None:
    ann, bo, cy, dee = cast
    add_game(ctx, FIRST_OF_FOUR, [bo, ann, cy, dee], MONDAY)
    store_high_scores(ctx)
    before = describe_group(ctx, GroupFilter())
    assert records(ctx, before)["dirhams"].players[0].name == "Bo"
    hide(ctx, bo)
    group = describe_group(ctx, GroupFilter())
    assert ratings(group) == {name: rating for name, rating in ratings(before).items() if name != "Bo"}
    assert "Bo" not in figures(group)
    assert len(group.encounters) == 3
    found = records(ctx, group)
    assert [player.name for player in found["dirhams"].players] == ["Dee"]
    assert [player.name for player in found["turns"].players] == ["Ann", "Cy", "Dee"]
    hide(ctx, ann)
    hide(ctx, cy)
    hide(ctx, dee)
    alone = describe_group(ctx, GroupFilter())
    assert (list(alone.standings), records(ctx, alone)) == ([], {})


def test_a_deleted_player_is_left_out_like_a_hidden_one(ctx: AppContext, cast: list[Player]) -> None:
    ann, bo, _, _ = cast
    add_game(ctx, SECOND_WINS, [ann, bo], MONDAY)
    before = ratings(describe_group(ctx, GroupFilter()))
    delete_player(ctx, bo.id)
    assert ratings(describe_group(ctx, GroupFilter())) == {"Ann": before["Ann"]}


def test_a_player_without_a_name_is_called_as_in_their_newest_game(ctx: AppContext, ann: Player, cy: Player) -> None:
    add_game(ctx, SECOND_WINS, [ann, cy], MONDAY)
    assert set(figures(describe_group(ctx, GroupFilter()))) == {"ann", "cy"}
    Player.update(name="Cyril://example.org").where(Player.id == cy.id).execute(ctx.database)
    assert set(figures(describe_group(ctx, GroupFilter()))) == {"ann", "Cyril example.org"}


def test_trial_games_and_games_that_never_started_or_are_not_over_do_not_count(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    trial = start_guest_game(ctx, "marrakech", "Trial", "Guest", "en", None)
    trial = act(ctx, trial.id, 0, trial.head, {"type": "resign"}, "").game
    assert load(ctx.database, trial.id).status == "finished"
    cancel(ctx, create_game(ctx, ann, new_game(OPEN)).id, ann.id)
    game = start_game(ctx, [ann, bo])
    assert load_finished_games(ctx) == []
    game = play_to_end(ctx, game)
    [counted] = load_finished_games(ctx)
    result = game.rules.result(game.state)
    assert result is not None
    assert (counted.id, counted.turns, counted.ended) == (game.id, game.turn, ctx.clock())
    assert [place == 1 for place in counted.places] == [seat in result.winners for seat in range(2)]
    Game.update(status="playing").where(Game.id == game.id).execute(ctx.database)
    assert load_finished_games(ctx) == []


def test_a_seat_that_a_stand_in_finished_counts_for_its_player(ctx: AppContext, cast: list[Player]) -> None:
    game = add_game(ctx, SECOND_WINS, cast[:2], MONDAY)
    Seat.update(stood_in=9).where((Seat.game == game) & (Seat.seat == 1)).execute(ctx.database)
    Event.update(stand_in=True).where(Event.seq > 9).execute(ctx.database)
    assert figures(describe_group(ctx, GroupFilter()))["Bo"] == Figures(1, 1, 1)


def test_luck_and_skill_are_averages_over_the_games_that_were_analysed(ctx: AppContext, cast: list[Player]) -> None:
    ann, bo, _, _ = cast
    one, other, _ = (add_game(ctx, SECOND_WINS, [ann, bo], MONDAY + day * DAY) for day in range(3))
    assert figures(describe_group(ctx, GroupFilter()))["Ann"].luck is None
    add_figures(ctx, one, {"seat": 0, "luck": 0.1, "skill": -0.2}, {"seat": 1, "luck": -0.1, "skill": -0.3})
    add_figures(ctx, other, {"seat": 0, "luck": 0.3, "skill": -0.4})
    found = figures(describe_group(ctx, GroupFilter()))
    assert [(name, each.luck, each.skill) for name, each in found.items()] == [
        ("Bo", -0.1, -0.3),
        ("Ann", pytest.approx(0.2), pytest.approx(-0.3)),
    ]


def test_the_figures_of_an_analysis_count_as_soon_as_it_is_stored(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = play_to_end(ctx, start_game(ctx, [ann, bo]))
    assert compute_next(ctx)
    analysis = get_analysis(ctx, game)
    assert analysis is not None
    found = figures(describe_group(ctx, GroupFilter()))
    for name, seat in zip(("ann", "bo"), analysis.seats, strict=True):
        assert (found[name].luck, found[name].skill) == (seat.luck, seat.skill)
