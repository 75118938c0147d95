"""Changes to a player's calendar while clocks run for them."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from service.clocks.calendar_changes import change_player
from service.clocks.turn_clock import LEEWAY
from service.context import AppContext
from service.db.models import AwayYear, Player
from service.errors import BadRequest
from service.games.views import game_view
from tests.support.clock import Clock
from tests.support.crowd import run_at_once
from tests.support.tables import database_contents, play_one_action, seat_to_act
from tests.support.timed import DAY, HOUR, PACE, clock_letters, reload, start_timed_game, tick_at


def moment(zone: str, text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def shown(zone: str, seconds: float | None) -> str:
    assert seconds is not None
    return datetime.fromtimestamp(seconds, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


@pytest.fixture
def monday(clock: Clock) -> float:
    """Monday the 15th of June 2026, at noon in Paris."""
    clock.now = moment("Europe/Paris", "2026-06-15 12:00")
    return clock.now


# Deadlines follow the calendar of the player to act


@pytest.mark.parametrize(
    ("begins", "deadline"), [("2026-03-28 12:00", "2026-03-30 13:00"), ("2026-10-24 12:00", "2026-10-26 11:00")]
)
def test_without_quiet_hours_clock_changes_do_not_move_a_deadline(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, begins: str, deadline: str
) -> None:
    clock.now = moment("Europe/London", begins)
    change_player(ctx, ann.id, {"time_zone": "Europe/London"})
    game = start_timed_game(ctx, ann, bo)
    assert (game.deadline, shown("Europe/London", game.deadline)) == (clock.now + PACE, deadline)


@pytest.mark.parametrize(
    ("zone", "begins", "deadline"),
    [
        # 48 hours of days of 14 hours, from noon: 10 + 14 + 14 + 10, however long the nights are.
        ("Europe/London", "2026-03-28 12:00", "2026-03-31 18:00"),
        ("Europe/London", "2026-10-24 12:00", "2026-10-27 18:00"),
        ("America/St_Johns", "2026-03-07 12:00", "2026-03-10 18:00"),
        ("Australia/Lord_Howe", "2026-04-04 12:00", "2026-04-07 18:00"),
        ("Australia/Lord_Howe", "2026-10-03 12:00", "2026-10-06 18:00"),
        ("Asia/Kathmandu", "2026-03-28 12:00", "2026-03-31 18:00"),
    ],
)
def test_a_deadline_follows_the_players_calendar_across_a_clock_change(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, zone: str, begins: str, deadline: str
) -> None:
    clock.now = moment(zone, begins)
    change_player(ctx, ann.id, {"time_zone": zone, "quiet": "22:00-08:00"})
    game = start_timed_game(ctx, ann, bo)
    assert shown(zone, game.deadline) == deadline


def test_each_turn_follows_the_calendar_of_its_player(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    change_player(ctx, ann.id, {"time_zone": "Europe/Paris", "days_off": "tuesday"})
    game = start_timed_game(ctx, ann, bo)
    assert shown("Europe/Paris", game.deadline) == "2026-06-18 12:00"
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    assert (seat_to_act(game), shown("Europe/Paris", game.deadline)) == (1, "2026-06-17 12:00")


def test_reminders_follow_the_counted_time(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    change_player(ctx, ann.id, {"time_zone": "Europe/Paris", "days_off": "tuesday"})
    start_timed_game(ctx, ann, bo)
    tick_at(ctx, clock, moment("Europe/Paris", "2026-06-17 11:59"))
    assert clock_letters(ctx, "reminder") == []
    tick_at(ctx, clock, moment("Europe/Paris", "2026-06-17 12:00"))
    assert [letter.details for letter in clock_letters(ctx, "reminder")] == [{"part": "half"}]


def test_a_calendar_changed_as_the_turn_began_is_noticed_before_the_deadline(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    game = start_timed_game(ctx, ann, bo)
    # As if it had been committed between reading the calendar and storing the deadline.
    away = {"away_from": monday, "away_until": monday + 3 * DAY}
    Player.update(**away).where(Player.id == ann.id).execute(ctx.database)
    tick_at(ctx, clock, game.deadline or 0)
    assert (reload(ctx, game).turn, reload(ctx, game).deadline) == (1, monday + 3 * DAY + PACE)
    tick_at(ctx, clock, monday + 3 * DAY + PACE)
    assert reload(ctx, game).turn == 2


# Changes during a turn


def test_new_quiet_hours_apply_from_now_on(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    game = start_timed_game(ctx, ann, bo)
    clock.now = moment("Europe/Paris", "2026-06-16 12:00")  # a night later, which has counted
    change_player(ctx, ann.id, {"time_zone": "Europe/Paris", "quiet": "22:00-08:00"})
    # 24 hours are left: 10 until the evening, 14 on the day after.
    assert shown("Europe/Paris", reload(ctx, game).deadline) == "2026-06-17 22:00"


def test_removing_quiet_hours_or_days_off_never_shortens_a_deadline(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    change_player(ctx, ann.id, {"quiet": "22:00-08:00", "days_off": "tuesday"})
    game = start_timed_game(ctx, ann, bo)
    clock.now += HOUR
    change_player(ctx, ann.id, {"quiet": None, "days_off": ""})
    assert reload(ctx, game).deadline == game.deadline
    tick_at(ctx, clock, (game.deadline or 0) - 1)
    assert reload(ctx, game).turn == 1
    tick_at(ctx, clock, game.deadline or 0)
    assert reload(ctx, game).turn == 2


def test_repeated_changes_of_quiet_hours_gain_at_most_a_week(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    game = start_timed_game(ctx, ann, bo)
    while reload(ctx, game).turn == 1:
        hour = int(clock.now // HOUR) % 24
        change_player(ctx, ann.id, {"quiet": f"{hour:02}:00-{(hour + 18) % 24:02}:00"})
        tick_at(ctx, clock, clock.now + 17 * HOUR)
        assert clock.now < monday + PACE + LEEWAY + DAY
    assert reload(ctx, game).seats[0].stood_in == 1


def test_a_change_affects_only_games_waiting_for_the_player(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    game = start_timed_game(ctx, ann, bo)
    before = database_contents(ctx)
    clock.now += HOUR
    change_player(ctx, bo.id, {"quiet": "10:00-20:00", "name": "Bo"})
    after = database_contents(ctx)
    assert {name for name in before if before[name] != after[name]} == {"player"}
    assert reload(ctx, game) == game


def test_other_settings_do_not_affect_clocks(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    start_timed_game(ctx, ann, bo)
    before = database_contents(ctx)["turn_clock"]
    clock.now += HOUR
    change_player(ctx, ann.id, {"name": "Ann", "language": "de"})
    assert database_contents(ctx)["turn_clock"] == before


# Absences


def test_an_absence_stops_the_clock_and_is_visible_in_the_view(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    game = start_timed_game(ctx, ann, bo)
    clock.now += 6 * HOUR
    change_player(ctx, ann.id, {"away_until": clock.now + 10 * DAY})
    game = reload(ctx, game)
    assert game.deadline == monday + PACE + 10 * DAY
    assert game_view(ctx, game, 1)["seats"][0]["away_until"] == "2026-06-25T16:00:00Z"
    assert game_view(ctx, game, None)["seats"][1]["away_until"] is None
    tick_at(ctx, clock, clock.now + 9 * DAY)
    assert clock_letters(ctx, "reminder", "time-up") == []
    clock.now += DAY
    assert game_view(ctx, game, 1)["seats"][0]["away_until"] is None
    tick_at(ctx, clock, (game.deadline or 0) - 1)
    assert reload(ctx, game).turn == 1
    tick_at(ctx, clock, game.deadline or 0)
    assert reload(ctx, game).turn == 2


def test_ending_an_absence_early_restarts_the_clock(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    game = start_timed_game(ctx, ann, bo)
    change_player(ctx, ann.id, {"away_until": clock.now + 10 * DAY})
    clock.now += 2 * DAY
    change_player(ctx, ann.id, {"away_until": None})
    assert reload(ctx, game).deadline == monday + 2 * DAY + PACE


def test_a_turn_that_begins_during_an_absence_counts_after_it(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock, monday: float
) -> None:
    change_player(ctx, bo.id, {"away_until": monday + 5 * DAY})
    game = start_timed_game(ctx, ann, bo)
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    assert game.deadline == monday + 5 * DAY + PACE


def test_absences_are_limited_to_thirty_days_a_year(ctx: AppContext, ann: Player, monday: float) -> None:
    before = database_contents(ctx)
    with pytest.raises(BadRequest, match="30 days in a year; left in 2026: 30"):
        change_player(ctx, ann.id, {"away_until": monday + 30 * DAY + 1})
    assert database_contents(ctx) == before
    change_player(ctx, ann.id, {"away_until": monday + 30 * DAY})


def test_ending_an_absence_early_returns_its_days(ctx: AppContext, ann: Player, clock: Clock, monday: float) -> None:
    change_player(ctx, ann.id, {"away_until": monday + 30 * DAY})
    clock.now += 10 * DAY
    change_player(ctx, ann.id, {"away_until": None})
    with pytest.raises(BadRequest, match="left in 2026: 20"):
        change_player(ctx, ann.id, {"away_until": clock.now + 20 * DAY + 1})
    change_player(ctx, ann.id, {"away_until": clock.now + 20 * DAY})


def test_setting_the_same_absence_again_uses_no_more_days(
    ctx: AppContext, ann: Player, clock: Clock, monday: float
) -> None:
    for _ in range(5):
        clock.now += DAY
        change_player(ctx, ann.id, {"away_until": monday + 30 * DAY})
    clock.now = monday + 40 * DAY
    with pytest.raises(BadRequest, match="left in 2026: 1"):
        change_player(ctx, ann.id, {"away_until": clock.now + 2 * DAY})


def test_earlier_absences_of_the_year_count(ctx: AppContext, ann: Player, clock: Clock, monday: float) -> None:
    change_player(ctx, ann.id, {"away_until": monday + 25 * DAY})
    clock.now = monday + 100 * DAY
    with pytest.raises(BadRequest, match="left in 2026: 5"):
        change_player(ctx, ann.id, {"away_until": clock.now + 6 * DAY})


def test_each_year_has_its_own_days_in_the_players_time_zone(ctx: AppContext, ann: Player, clock: Clock) -> None:
    zone = "Pacific/Chatham"
    change_player(ctx, ann.id, {"time_zone": zone})
    clock.now = moment(zone, "2026-12-12 00:00")
    change_player(ctx, ann.id, {"away_until": moment(zone, "2027-01-20 00:00")})  # 20 days, and 19
    clock.now = moment(zone, "2027-01-20 00:00")
    change_player(ctx, ann.id, {"away_until": None})
    days = {row.year: row.seconds / DAY for row in AwayYear.select().execute(ctx.database)}
    assert days == {2026: 20, 2027: 19}
    with pytest.raises(BadRequest, match="left in 2027: 11"):
        change_player(ctx, ann.id, {"away_until": clock.now + 12 * DAY})
    change_player(ctx, ann.id, {"away_until": clock.now + 11 * DAY})


def test_an_absence_across_new_year_needs_days_in_both_years(ctx: AppContext, ann: Player, clock: Clock) -> None:
    clock.now = moment("UTC", "2026-12-30 00:00")
    with pytest.raises(BadRequest, match="left in 2027: 30"):
        change_player(ctx, ann.id, {"away_until": moment("UTC", "2027-02-01 00:00")})
    change_player(ctx, ann.id, {"away_until": moment("UTC", "2027-01-31 00:00")})


@pytest.mark.parametrize("ahead", [0, -1, -DAY])
def test_an_absence_cannot_end_in_the_past(ctx: AppContext, ann: Player, clock: Clock, ahead: float) -> None:
    with pytest.raises(BadRequest, match="must be in the future"):
        change_player(ctx, ann.id, {"away_until": clock.now + ahead})


def test_two_requests_at_once_cannot_exceed_the_days_of_a_year(
    ctx: AppContext, ann: Player, clock: Clock, monday: float
) -> None:
    change_player(ctx, ann.id, {"away_until": monday + 20 * DAY})
    clock.now += 20 * DAY
    wants: list[Any] = [lambda: change_player(ctx, ann.id, {"away_until": clock.now + 10 * DAY})] * 6
    assert all(isinstance(each, Player) for each in run_at_once(ctx, wants))
    days = [row.seconds / DAY for row in AwayYear.select().execute(ctx.database)]
    assert days == [20]
