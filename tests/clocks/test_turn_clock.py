"""The clock of one turn as a value, and how it is stored."""

from datetime import datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from service.clocks.calendar import Calendar, read_quiet
from service.clocks.turn_clock import LEEWAY, TIME_UP, TurnClock

HOUR = 3600.0
DAY = 24 * HOUR
ALWAYS = [Calendar()]
START = datetime(2026, 6, 1, 12, tzinfo=ZoneInfo("UTC")).timestamp()


def test_the_alarm_is_set_to_half_four_fifths_and_the_end() -> None:
    running = TurnClock(1, 100.0, 0.0, START)
    assert running.find_deadline(ALWAYS) == START + 100
    assert [running._replace(notified=stage).next_alarm(ALWAYS, START + 100) for stage in range(TIME_UP + 1)] == [
        START + 50,
        START + 80,
        START + 100,
        None,
    ]


def test_the_slowest_of_several_calendars_counts() -> None:
    night = Calendar("UTC", read_quiet("13:00-19:00"))
    running = TurnClock(1, 2 * HOUR, 0.0, START)
    both = [Calendar(), night]
    assert running.find_deadline(both) == START + 8 * HOUR
    assert running.settle(both, START + 3 * HOUR).spent == HOUR


def test_settling_does_not_move_the_deadline() -> None:
    night = [Calendar("Europe/Paris", read_quiet("22:00-08:00"))]
    running = TurnClock(1, 2 * DAY, 0.0, START)
    for hours in (1, 9, 20):
        settled = running.settle(night, START + hours * HOUR)
        assert settled.since == START + hours * HOUR
        assert settled.find_deadline(night) == running.find_deadline(night)
        assert settled.next_alarm(night, settled.find_deadline(night)) == running.next_alarm(
            night, running.find_deadline(night)
        )


def test_more_time_after_the_deadline_counts_from_now() -> None:
    late = TurnClock(1, 100.0, 0.0, START)._replace(notified=TIME_UP).settle(ALWAYS, START + 500)
    assert late.add_time(50).find_deadline(ALWAYS) == START + 550
    assert late.add_time(50).next_alarm(ALWAYS, START + 550) == START + 550
    early = TurnClock(1, 100.0, 0.0, START).settle(ALWAYS, START + 30)
    assert early.add_time(50).find_deadline(ALWAYS) == START + 150


def test_quiet_hours_set_during_a_turn_apply_from_then_on() -> None:
    running = TurnClock(1, DAY, 0.0, START).settle(ALWAYS, START + 6 * HOUR)
    night = [Calendar("UTC", read_quiet("22:00-08:00"))]
    moved = running.follow_calendars(night, START + DAY)
    assert moved.spent == 6 * HOUR
    assert moved.find_deadline(night) == START + DAY + 10 * HOUR
    assert moved.leeway == LEEWAY - 10 * HOUR


def test_removing_quiet_hours_never_shortens_a_turn() -> None:
    night = [Calendar("UTC", read_quiet("22:00-08:00"))]
    running = TurnClock(1, DAY, 0.0, START)
    deadline = running.find_deadline(night)
    moved = running.settle(night, START + HOUR).follow_calendars(ALWAYS, deadline)
    assert moved.find_deadline(ALWAYS) == deadline
    assert moved.leeway == LEEWAY


@given(
    st.lists(
        st.tuples(
            st.integers(0, 23),
            st.integers(1, 18),
            st.frozensets(st.integers(0, 6), max_size=5),
            st.integers(1, 20),
        ),
        max_size=40,
    )
)
def test_changing_quiet_hours_repeatedly_gains_at_most_a_week(
    changes: list[tuple[int, int, frozenset[int], int]],
) -> None:
    calendars = ALWAYS
    running = TurnClock(1, 2 * DAY, 0.0, START)
    first = deadline = running.find_deadline(calendars)
    now = START
    for begins, length, off, hours in changes:
        now += hours * HOUR
        if now >= deadline:
            break
        running = running.settle(calendars, now)
        calendars = [Calendar("UTC", (begins * 60, (begins + length) % 24 * 60), off)]
        running = running.follow_calendars(calendars, deadline)
        moved = max(deadline, running.find_deadline(calendars))
        assert moved >= deadline
        deadline = moved
    assert first <= deadline <= first + LEEWAY
    assert running.leeway >= 0


def test_permanent_quiet_hours_postpone_a_turn_by_at_most_a_week() -> None:
    running, calendars, now = TurnClock(1, 2 * DAY, 0.0, START), ALWAYS, START
    deadline = running.find_deadline(calendars)
    while now < deadline:
        running = running.settle(calendars, now)
        hour = int(now // HOUR) % 24
        calendars = [Calendar("UTC", (hour * 60, (hour + 18) % 24 * 60))]
        running = running.follow_calendars(calendars, deadline)
        deadline = max(deadline, running.find_deadline(calendars))
        now += 17 * HOUR
    assert deadline <= START + 2 * DAY + LEEWAY


def test_a_clock_is_loaded_as_it_was_stored() -> None:
    running = TurnClock(3, 100.0, 20.0, START, 5.0, 1)
    assert running.time_left() == 80
