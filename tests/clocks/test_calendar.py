"""Which time counts: quiet hours, days off, absences and changes between summer and winter time."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.clocks.calendar import (
    FEWEST_DAYS,
    FEWEST_HOURS,
    MINUTES,
    Calendar,
    add_counted,
    count_seconds,
    first_moment,
    read_days_off,
    read_quiet,
    write_days_off,
    year_begins,
    year_of,
)
from service.errors import BadRequest

HOUR = 3600
DAY = 24 * HOUR
# Clock changes of an hour, of half an hour, at midnight, or none; Apia once skipped a whole day.
ZONES = [
    "UTC",
    "Europe/London",
    "Europe/Paris",
    "America/New_York",
    "America/St_Johns",
    "America/Havana",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Pacific/Chatham",
]
NIGHT = read_quiet("22:00-08:00")


def at(zone: str, text: str, fold: int = 0) -> float:
    """The moment at which local clocks show this."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def shown(zone: str, moment: float) -> str:
    """What local clocks show at this moment."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


# Days without a clock change


def test_with_the_default_calendar_every_second_counts() -> None:
    assert add_counted(1000.5, 3600, Calendar()) == 4600.5
    assert count_seconds(1000.5, 4600.5, Calendar("America/St_Johns")) == 3600


def test_quiet_hours_do_not_count() -> None:
    calendar = Calendar("Europe/Paris", NIGHT)
    end = add_counted(at("Europe/Paris", "2026-06-01 21:00"), 2 * HOUR, calendar)
    assert shown("Europe/Paris", end) == "2026-06-02 09:00"


def test_a_turn_that_begins_in_quiet_hours_starts_counting_after_them() -> None:
    calendar = Calendar("Asia/Kathmandu", NIGHT)
    for begins in ("2026-06-01 22:00", "2026-06-01 23:59", "2026-06-02 03:00", "2026-06-02 08:00"):
        end = add_counted(at("Asia/Kathmandu", begins), 12 * HOUR, calendar)
        assert shown("Asia/Kathmandu", end) == "2026-06-02 20:00"


def test_quiet_hours_may_be_in_the_middle_of_the_day() -> None:
    calendar = Calendar("Europe/London", read_quiet("09:00-17:30"))
    end = add_counted(at("Europe/London", "2026-06-01 08:00"), 2 * HOUR, calendar)
    assert shown("Europe/London", end) == "2026-06-01 18:30"


def test_a_deadline_at_the_start_of_quiet_hours_is_not_moved_past_them() -> None:
    calendar = Calendar("Europe/London", NIGHT)
    end = add_counted(at("Europe/London", "2026-06-01 08:00"), 14 * HOUR, calendar)
    assert shown("Europe/London", end) == "2026-06-01 22:00"


def test_days_off_are_days_in_the_players_time_zone() -> None:
    weekend = read_days_off("saturday,sunday")
    friday = at("Pacific/Chatham", "2026-06-05 23:00")
    assert shown("Pacific/Chatham", add_counted(friday, 2 * HOUR, Calendar("Pacific/Chatham", None, weekend))) == (
        "2026-06-08 01:00"
    )
    assert shown("Pacific/Chatham", add_counted(friday, 2 * HOUR, Calendar("UTC", None, weekend))) == "2026-06-06 01:00"


def test_absences_do_not_count() -> None:
    begins = at("Europe/Paris", "2026-06-01 12:00")
    calendar = Calendar("Europe/Paris", NIGHT, away=(begins + HOUR, begins + 3 * DAY))
    assert shown("Europe/Paris", add_counted(begins, 2 * HOUR, calendar)) == "2026-06-04 13:00"
    assert count_seconds(begins, begins + 3 * DAY, calendar) == HOUR
    long_ago = Calendar("Europe/Paris", away=(begins - 3 * DAY, begins - DAY))
    assert add_counted(begins, 2 * HOUR, long_ago) == begins + 2 * HOUR


# Days with a clock change


@pytest.mark.parametrize(
    ("zone", "evening", "hours"),
    [
        ("Europe/London", "2026-03-28 21:00", 9),  # put forward: a night of nine hours, and still a night
        ("Europe/London", "2026-10-24 21:00", 11),
        ("America/St_Johns", "2026-03-07 21:00", 9),
        ("America/St_Johns", "2026-10-31 21:00", 11),
        ("Australia/Lord_Howe", "2026-10-03 21:00", 9.5),
        ("Australia/Lord_Howe", "2026-04-04 21:00", 10.5),
        ("Asia/Kathmandu", "2026-03-28 21:00", 10),
        ("Africa/Cairo", "2026-04-23 21:00", 9),  # put forward at midnight itself
        ("Africa/Cairo", "2026-10-29 21:00", 11),
    ],
)
def test_a_clock_change_during_quiet_hours_changes_no_playing_time(zone: str, evening: str, hours: float) -> None:
    begins = at(zone, evening)
    end = add_counted(begins, 2 * HOUR, Calendar(zone, NIGHT))
    assert shown(zone, end)[11:] == "09:00"
    assert end - begins == (2 + hours) * HOUR


def test_quiet_hours_that_begin_in_the_skipped_hour_begin_with_the_jump() -> None:
    calendar = Calendar("Europe/London", read_quiet("01:30-09:00"))
    begins = at("Europe/London", "2026-03-29 00:30")
    assert count_seconds(begins, at("Europe/London", "2026-03-29 09:00"), calendar) == HOUR / 2


def test_quiet_hours_that_end_in_the_skipped_hour_end_with_the_jump() -> None:
    calendar = Calendar("Europe/London", read_quiet("20:00-01:30"))
    begins = at("Europe/London", "2026-03-29 00:00")
    assert shown("Europe/London", add_counted(begins, HOUR, calendar)) == "2026-03-29 03:00"


def test_quiet_hours_that_begin_in_the_repeated_hour_begin_at_its_first_occurrence() -> None:
    calendar = Calendar("Europe/London", read_quiet("01:30-09:00"))
    begins = at("Europe/London", "2026-10-25 00:30")
    assert count_seconds(begins, at("Europe/London", "2026-10-25 09:00"), calendar) == HOUR
    again = at("Europe/London", "2026-10-25 01:10", fold=1)
    assert shown("Europe/London", add_counted(again, HOUR, calendar)) == "2026-10-25 10:00"


def test_quiet_hours_that_end_in_the_repeated_hour_end_at_its_first_occurrence() -> None:
    calendar = Calendar("Europe/London", read_quiet("20:00-01:30"))
    begins = at("Europe/London", "2026-10-25 00:00")
    end = add_counted(begins, HOUR, calendar)
    assert (shown("Europe/London", end), end - begins) == ("2026-10-25 01:30", 2.5 * HOUR)


def test_a_day_off_with_a_clock_change_has_its_real_length() -> None:
    sunday = Calendar("Australia/Lord_Howe", days_off=read_days_off("sunday"))
    spring, autumn = (at("Australia/Lord_Howe", f"2026-{day} 23:00") for day in ("10-03", "04-04"))
    assert add_counted(spring, 2 * HOUR, sunday) - spring == 25.5 * HOUR
    assert add_counted(autumn, 2 * HOUR, sunday) - autumn == 26.5 * HOUR


def test_a_day_that_a_zone_skipped_has_no_time() -> None:
    calendar = Calendar("Pacific/Apia", NIGHT)
    begins = at("Pacific/Apia", "2011-12-29 21:00")
    end = add_counted(begins, 2 * HOUR, calendar)
    assert (shown("Pacific/Apia", end), end - begins) == ("2011-12-31 09:00", 12 * HOUR)


def test_a_year_begins_with_the_zones_own_midnight() -> None:
    begins = year_begins(2027, "Pacific/Chatham")
    assert shown("UTC", begins) == "2026-12-31 10:15"
    assert [year_of(begins + second, "Pacific/Chatham") for second in (-1, 0)] == [2026, 2027]


# Properties of every calendar

starts = st.integers(int(at("UTC", "2024-01-01 00:00")), int(at("UTC", "2031-01-01 00:00")))
spans = st.integers(1, 40 * DAY)


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    """Any valid calendar."""
    begins = draw(st.integers(0, MINUTES - 1))
    length = draw(st.integers(1, MINUTES - FEWEST_HOURS * 60))
    quiet = draw(st.sampled_from([None, (begins, (begins + length) % MINUTES)]))
    off = draw(st.frozensets(st.integers(0, 6), max_size=7 - FEWEST_DAYS))
    away_from = draw(starts)
    away = draw(st.sampled_from([None, (float(away_from), float(away_from + draw(st.integers(1, 30 * DAY))))]))
    calendar = Calendar(draw(st.sampled_from(ZONES)), quiet, off, away)
    calendar.check()
    return calendar


@given(starts, spans, calendars())
@example(int(at("Europe/London", "2026-10-25 01:45", fold=1)), HOUR, Calendar("Europe/London", (90, 420)))
def test_add_counted_and_count_seconds_are_inverse(start: int, seconds: int, calendar: Calendar) -> None:
    end = add_counted(start, seconds, calendar)
    assert count_seconds(start, end, calendar) == seconds
    assert count_seconds(start, end - 1, calendar) == seconds - 1  # and it is the first such moment
    assert end >= start + seconds


@given(starts, spans, spans, calendars())
def test_counted_time_is_additive(start: int, one: int, other: int, calendar: Calendar) -> None:
    middle = add_counted(start, one, calendar)
    assert add_counted(middle, other, calendar) == add_counted(start, one + other, calendar)
    assert count_seconds(start, start + one, calendar) + count_seconds(
        start + one, start + one + other, calendar
    ) == count_seconds(start, start + one + other, calendar)


@given(starts, st.integers(0, 10 * DAY), spans, calendars())
def test_a_later_start_never_gives_an_earlier_deadline(
    start: int, later: int, seconds: int, calendar: Calendar
) -> None:
    assert add_counted(start, seconds, calendar) <= add_counted(start + later, seconds, calendar)


@given(starts, calendars())
def test_a_week_has_at_least_the_guaranteed_time(start: int, calendar: Calendar) -> None:
    promised = (FEWEST_DAYS * FEWEST_HOURS - 2) * HOUR  # clocks that are put forward may take an hour of each
    assert count_seconds(start, start + 7 * DAY, calendar._replace(away=None)) >= promised


@given(st.sampled_from(ZONES), starts, st.integers(0, MINUTES), st.integers(0, MINUTES))
def test_a_later_time_of_day_is_never_earlier(zone: str, start: int, one: int, other: int) -> None:
    day = datetime.fromtimestamp(start, ZoneInfo(zone)).toordinal()
    assert first_moment(zone, day, min(one, other)) <= first_moment(zone, day, max(one, other))
    assert first_moment(zone, day, MINUTES) == first_moment(zone, day + 1, 0)


@given(starts, calendars())
def test_counted_seconds_match_local_clocks(start: int, calendar: Calendar) -> None:
    """Compared minute by minute, on days without a clock change."""
    start -= start % 60
    zone, minutes = ZoneInfo(calendar.zone), 3 * MINUTES
    shown = [datetime.fromtimestamp(start, zone) + timedelta(minutes=minute) for minute in range(minutes)]
    if len({datetime.fromtimestamp(start + hour * HOUR, zone).utcoffset() for hour in range(-2, 75)}) > 1:
        return

    def counts(moment: datetime) -> bool:
        minute = moment.hour * 60 + moment.minute
        begins, ends = calendar.quiet or (0, 0)
        quiet = begins <= minute < ends if begins <= ends else not ends <= minute < begins
        away_from, away_until = calendar.away or (0, 0)
        return not (quiet or moment.weekday() in calendar.days_off or away_from <= moment.timestamp() < away_until)

    expected = sum(map(counts, shown))
    assert (
        abs(count_seconds(start, start + minutes * 60, calendar) / 60 - expected) <= 2
    )  # an absence ends within a minute


# Invalid calendars


@pytest.mark.parametrize(
    ("calendar", "sentence"),
    [
        (Calendar(quiet=(0, 18 * 60 + 1)), "at least 6 hours"),
        (Calendar(quiet=(12 * 60, 6 * 60 + 1)), "at least 6 hours"),
        (Calendar(quiet=(600, 600)), "must differ"),
        (Calendar(days_off=frozenset(range(6))), "at least 2 days"),
    ],
)
def test_a_calendar_without_enough_time_is_refused(calendar: Calendar, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        calendar.check()


def test_a_calendar_without_any_time_raises_an_error() -> None:
    with pytest.raises(ValueError, match="has no room"):
        add_counted(0, 1, Calendar(days_off=frozenset(range(7))))


def test_days_off_are_stored_sorted_and_without_duplicates() -> None:
    assert write_days_off(["sunday", "monday", "sunday"]) == "monday,sunday"
    assert read_days_off("monday,sunday") == {0, 6}
    assert read_days_off(write_days_off([])) == frozenset()
