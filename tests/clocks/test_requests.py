"""More time, votes and pauses: who may request them, who must agree, and who doesn't vote."""

from collections.abc import Callable
from typing import Any

import pytest

from service.clocks.calendar_changes import change_player
from service.clocks.requests import give_time, list_requests, pause, request_stand_in, resume, return_to_seat
from service.context import AppContext
from service.db.models import Player
from service.errors import BadRequest, Forbidden, GameOver, Problem, Stale
from service.games.lobby import create_game
from service.games.play import act, apply_action
from service.games.store import StoredGame, entries
from service.worker import tick
from tests.support.clock import Clock
from tests.support.crowd import run_at_once
from tests.support.tables import (
    OPEN,
    database_contents,
    legal_actions,
    new_game,
    play_one_action,
    play_to_end,
    seat_to_act,
    snapshot_matches,
    start_game,
)
from tests.support.timed import (
    DAY,
    HOUR,
    PACE,
    ClockLetter,
    clock_letters,
    next_alarm,
    reload,
    start_timed_game,
    tick_at,
)

pytestmark = pytest.mark.databases("sqlite", "postgresql")

RESIGN = {"type": "resign"}


@pytest.fixture
def three(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> StoredGame:
    """Ann hosts, Bo is to act, Cy plays too."""
    return start_timed_game(ctx, ann, bo, cy, options={"first": 1})


@pytest.fixture
def waiting(ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock) -> StoredGame:
    """The same in a game with votes, after Bo's deadline."""
    game = start_timed_game(ctx, ann, bo, cy, time_up="wait", options={"first": 1})
    tick_at(ctx, clock, game.deadline or 0)
    return reload(ctx, game)


def is_refused(ctx: AppContext, problem: type[Problem], words: str, ask: Callable[[], object]) -> None:
    """The request is refused with these words and changes nothing."""
    before = database_contents(ctx)
    with pytest.raises(problem, match=words):
        ask()
    assert database_contents(ctx) == before


# More time


def test_the_host_gives_more_time_at_once(ctx: AppContext, three: StoredGame, clock: Clock) -> None:
    clock.now += HOUR
    asked = give_time(ctx, three.id, 0, 24)
    assert asked.missing == []
    assert asked.game == reload(ctx, three)
    assert asked.game.deadline == (three.deadline or 0) + DAY


def test_other_players_give_time_when_all_agree(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = start_timed_game(ctx, ann, bo, cy)  # Ann hosts and is to act herself
    asked = give_time(ctx, game.id, 1, 24)
    assert (asked.missing, reload(ctx, game).deadline) == ([2], game.deadline)
    assert [(each.seat, each.what, each.seconds) for each in list_requests(ctx, game)] == [(1, "give", DAY)]
    assert give_time(ctx, game.id, 1, 24).missing == [2], "asking twice is asking once"
    asked = give_time(ctx, game.id, 2, 12)
    assert asked.missing == []
    assert reload(ctx, game).deadline == (game.deadline or 0) + 12 * HOUR, "all agree to the least"
    assert list_requests(ctx, game) == []


def test_nobody_can_give_themselves_time_not_even_the_host(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_timed_game(ctx, ann, bo)
    is_refused(ctx, Forbidden, "the other players decide about your time", lambda: give_time(ctx, game.id, 0, 24))
    assert give_time(ctx, game.id, 1, 24).missing == []


def test_consent_is_for_one_turn(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> None:
    game = start_timed_game(ctx, ann, bo, cy)
    give_time(ctx, game.id, 2, 24)
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    assert seat_to_act(game) == 1
    assert list_requests(ctx, game) == []
    assert give_time(ctx, game.id, 2, 24).missing == [0]


def test_a_deadline_is_never_more_than_thirty_days_ahead(ctx: AppContext, three: StoredGame, clock: Clock) -> None:
    is_refused(ctx, BadRequest, "30 days from now", lambda: give_time(ctx, three.id, 0, 28 * 24 + 1))
    give_time(ctx, three.id, 0, 28 * 24)
    is_refused(ctx, BadRequest, "30 days from now", lambda: give_time(ctx, three.id, 0, 1))
    clock.now += HOUR
    assert give_time(ctx, three.id, 0, 1).game.deadline == clock.now + 30 * DAY


def test_reminders_that_were_sent_are_not_sent_again_after_more_time(
    ctx: AppContext, three: StoredGame, clock: Clock
) -> None:
    tick_at(ctx, clock, clock.now + PACE * 0.8)
    assert len(clock_letters(ctx, "reminder")) == 1
    give_time(ctx, three.id, 0, 96)
    tick_at(ctx, clock, clock.now + DAY)
    assert len(clock_letters(ctx, "reminder")) == 1
    assert reload(ctx, three).turn == three.turn


def test_given_time_follows_the_calendar(ctx: AppContext, three: StoredGame, bo: Player, clock: Clock) -> None:
    change_player(ctx, bo.id, {"days_off": "monday,tuesday,wednesday"})
    deadline = reload(ctx, three).deadline or 0
    after = give_time(ctx, three.id, 0, 96).game.deadline or 0
    assert after - deadline in {4 * DAY, 7 * DAY}
    assert after - deadline == 7 * DAY


# Pauses


def test_when_all_agree_the_clock_is_paused_until_resumed(ctx: AppContext, three: StoredGame, clock: Clock) -> None:
    clock.now += 6 * HOUR
    assert pause(ctx, three.id, 1).missing == [0, 2]
    assert pause(ctx, three.id, 0).missing == [2]
    asked = pause(ctx, three.id, 2)
    assert (asked.missing, asked.game.paused) == ([], True)
    game = reload(ctx, three)
    assert (game.paused, game.deadline, next_alarm(ctx, game)) == (True, None, None)
    tick_at(ctx, clock, clock.now + 50 * DAY)
    assert reload(ctx, three) == game
    assert clock_letters(ctx, "reminder", "time-up") == []
    resumed = resume(ctx, three.id, 2).game
    assert (resumed.paused, resumed.deadline) == (False, clock.now + PACE - 6 * HOUR)
    assert resumed == reload(ctx, three)
    tick_at(ctx, clock, clock.now + PACE / 2 - 6 * HOUR)
    assert clock_letters(ctx, "reminder") == [ClockLetter("reminder", 1, 1, {"part": "half"})]
    tick_at(ctx, clock, resumed.deadline or 0)
    assert reload(ctx, three).turn == 2


def test_a_second_pause_needs_everyones_consent_again(ctx: AppContext, three: StoredGame) -> None:
    for seat in (0, 1, 2):
        pause(ctx, three.id, seat)
    resume(ctx, three.id, 0)
    assert pause(ctx, three.id, 0).missing == [1, 2]


def test_a_vote_for_a_pause_can_be_withdrawn(ctx: AppContext, three: StoredGame) -> None:
    pause(ctx, three.id, 0)
    pause(ctx, three.id, 1)
    assert resume(ctx, three.id, 1).game.deadline == three.deadline
    assert pause(ctx, three.id, 2).missing == [1]


def test_a_vote_for_a_pause_outlasts_the_turn(ctx: AppContext, three: StoredGame) -> None:
    pause(ctx, three.id, 0)
    play_one_action(ctx, play_one_action(ctx, three).game)
    assert pause(ctx, three.id, 1).missing == [2]


def test_a_paused_game_can_be_played_without_a_running_clock(ctx: AppContext, three: StoredGame, clock: Clock) -> None:
    for seat in (0, 1, 2):
        pause(ctx, three.id, seat)
    clock.now += DAY
    game = play_one_action(ctx, play_one_action(ctx, reload(ctx, three)).game).game
    assert (game.paused, game.deadline) == (True, None)
    assert game == reload(ctx, three)
    tick_at(ctx, clock, clock.now + 30 * DAY)
    assert reload(ctx, three).head == game.head
    assert resume(ctx, three.id, 0).game.deadline == clock.now + PACE, "the next turn has all its time"


def test_time_given_during_a_pause_counts_after_it(ctx: AppContext, three: StoredGame, clock: Clock) -> None:
    for seat in (0, 1, 2):
        pause(ctx, three.id, seat)
    clock.now += 3 * DAY
    assert give_time(ctx, three.id, 0, 24).game.paused
    assert reload(ctx, three).paused
    clock.now += 3 * DAY
    assert resume(ctx, three.id, 0).game.deadline == clock.now + PACE + DAY


def test_quiet_hours_set_during_a_pause_apply_after_it(
    ctx: AppContext, three: StoredGame, bo: Player, clock: Clock
) -> None:
    for seat in (0, 1, 2):
        pause(ctx, three.id, seat)
    change_player(ctx, bo.id, {"quiet": "00:00-12:00"})
    assert reload(ctx, three).paused
    assert resume(ctx, three.id, 0).game.deadline == pytest.approx(clock.now + 2 * PACE, abs=12 * HOUR)


def test_giving_time_during_an_action_does_not_undo_it(ctx: AppContext, three: StoredGame) -> None:
    """Ann gives time after Bo's page was loaded; Bo's action must not restore the old deadline."""
    given = give_time(ctx, three.id, 0, 24).game
    answer = apply_action(ctx, three, 1, three.head, legal_actions(three)[0], "")
    assert answer.game.deadline == given.deadline == reload(ctx, three).deadline


def test_a_pause_granted_during_an_action_holds_for_the_next_turn(ctx: AppContext, three: StoredGame) -> None:
    game = play_one_action(ctx, three).game
    for seat in (0, 1, 2):
        pause(ctx, three.id, seat)
    after = apply_action(ctx, game, 1, game.head, legal_actions(game)[0], "").game
    assert (after.turn, after.paused, after.deadline) == (2, True, None)
    assert after == reload(ctx, three)


# Votes


def test_with_votes_everybody_is_mailed_once_and_nothing_is_played(
    ctx: AppContext, waiting: StoredGame, clock: Clock
) -> None:
    letters = [ClockLetter("time-up", seat, 1, {"waiting": True}) for seat in (0, 1, 2)]
    assert clock_letters(ctx, "time-up") == letters
    tick_at(ctx, clock, clock.now + 10 * DAY)
    assert clock_letters(ctx, "time-up") == letters
    assert (waiting.turn, reload(ctx, waiting)) == (1, waiting)
    assert next_alarm(ctx, waiting) is None


def test_the_player_may_still_play_before_the_others_decide(ctx: AppContext, waiting: StoredGame, clock: Clock) -> None:
    clock.now += DAY
    game = play_one_action(ctx, play_one_action(ctx, waiting).game).game
    assert (game.turn, game.deadline) == (2, clock.now + PACE)
    assert not any(entry.stand_in for entry in entries(ctx.database, game))


def test_all_other_players_together_can_vote_for_a_stand_in(ctx: AppContext, waiting: StoredGame) -> None:
    assert request_stand_in(ctx, waiting.id, 0).missing == [2]
    asked = request_stand_in(ctx, waiting.id, 2)
    assert (asked.missing, asked.game.turn) == ([], 2)
    assert asked.game == reload(ctx, waiting)
    assert all(entry.stand_in for entry in entries(ctx.database, asked.game, waiting.head))
    (letter,) = clock_letters(ctx, "time-up")[3:]
    assert (letter.seat, letter.details["kept"]) == (1, False)
    assert asked.game.seats[1].stood_in == 0, "at a table that waits they decide each time"
    assert list_requests(ctx, asked.game) == []
    assert snapshot_matches(ctx, waiting.id)


def test_all_other_players_together_can_vote_for_another_full_turn(
    ctx: AppContext, waiting: StoredGame, clock: Clock
) -> None:
    clock.now += 5 * HOUR
    game = give_time(ctx, waiting.id, 0, None).game  # the host at once, as always
    assert game.deadline == clock.now + PACE
    tick_at(ctx, clock, game.deadline or 0)
    assert len(clock_letters(ctx, "time-up")) == 6, "everybody is mailed again after the next deadline"
    assert clock_letters(ctx, "reminder") == []


def test_a_vote_before_the_time_is_up_is_refused(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    game = start_timed_game(ctx, ann, bo, time_up="wait")
    is_refused(ctx, Stale, "still time left", lambda: request_stand_in(ctx, game.id, 1))
    is_refused(ctx, Stale, "still time left", lambda: give_time(ctx, game.id, 1, None))


def test_a_game_with_automatic_stand_ins_has_no_votes(ctx: AppContext, three: StoredGame) -> None:
    is_refused(ctx, BadRequest, "no vote", lambda: request_stand_in(ctx, three.id, 0))
    is_refused(ctx, BadRequest, "no vote", lambda: give_time(ctx, three.id, 0, None))


def test_the_player_whose_time_is_up_has_no_vote(ctx: AppContext, waiting: StoredGame) -> None:
    is_refused(ctx, Forbidden, "the other players decide about your time", lambda: request_stand_in(ctx, waiting.id, 1))


def test_an_absence_or_quiet_hours_do_not_undo_an_expired_deadline(
    ctx: AppContext, waiting: StoredGame, bo: Player, clock: Clock
) -> None:
    clock.now += HOUR
    change_player(ctx, bo.id, {"away_until": clock.now + DAY, "quiet": "00:00-12:00"})
    assert reload(ctx, waiting).deadline == waiting.deadline
    assert request_stand_in(ctx, waiting.id, 0).missing == [2]


def test_an_expired_deadline_is_decided_before_a_pause(ctx: AppContext, waiting: StoredGame) -> None:
    is_refused(ctx, Stale, "First choose more time or the stand-in", lambda: pause(ctx, waiting.id, 0))


def test_simultaneous_votes_play_the_turn_once(ctx: AppContext, waiting: StoredGame) -> None:
    run_at_once(ctx, [lambda seat=seat: request_stand_in(ctx, waiting.id, seat) for seat in (0, 2, 0, 2)])  # type: ignore[misc]
    assert reload(ctx, waiting).turn == 2
    assert len(clock_letters(ctx, "time-up")) == 4
    assert snapshot_matches(ctx, waiting.id)


# Who may vote


def test_players_who_are_away_do_not_vote(ctx: AppContext, waiting: StoredGame, cy: Player, clock: Clock) -> None:
    change_player(ctx, cy.id, {"away_until": clock.now + DAY})
    assert request_stand_in(ctx, waiting.id, 0).missing == []


def test_players_who_are_out_do_not_vote(ctx: AppContext, waiting: StoredGame) -> None:
    act(ctx, waiting.id, 2, waiting.head, RESIGN, "")
    is_refused(ctx, Forbidden, "out of this game", lambda: request_stand_in(ctx, waiting.id, 2))
    assert request_stand_in(ctx, waiting.id, 0).missing == []


def test_bots_do_not_vote(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_timed_game(ctx, ann, bo, bots=2)
    assert pause(ctx, game.id, 0).missing == [1]
    assert give_time(ctx, game.id, 1, 24).missing == []


def test_a_player_with_a_stand_in_votes_again_after_returning(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = start_timed_game(ctx, ann, bo, cy)
    for _ in range(2):
        tick_at(ctx, clock, reload(ctx, game).deadline or 0)
        for _ in range(4):
            game = play_one_action(ctx, reload(ctx, game)).game
    assert game.seats[0].played_by_stand_in
    is_refused(ctx, Forbidden, "Come back to the game first", lambda: pause(ctx, game.id, 0))
    assert pause(ctx, game.id, 1).missing == [2]
    return_to_seat(ctx, game.id, 0)
    assert pause(ctx, game.id, 2).missing == [0]


def test_requests_need_a_running_game_with_a_clock(ctx: AppContext, ann: Player, bo: Player) -> None:
    without = start_game(ctx, [ann, bo])
    is_refused(ctx, BadRequest, "no time limit", lambda: pause(ctx, without.id, 0))
    not_yet = create_game(ctx, ann, new_game(OPEN, pace=PACE))
    is_refused(ctx, Stale, "The game hasn't started yet", lambda: pause(ctx, not_yet.id, 0))
    over = play_to_end(ctx, start_timed_game(ctx, ann, bo))
    is_refused(ctx, GameOver, "over", lambda: give_time(ctx, over.id, 1, 5))
    before = database_contents(ctx)
    assert return_to_seat(ctx, over.id, 0) == over
    assert database_contents(ctx) == before


def test_of_giving_time_and_a_stand_in_at_the_same_moment_one_wins(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock
) -> None:
    for _ in range(5):
        game = start_timed_game(ctx, ann, bo, options={"first": 1})
        clock.now = game.deadline or 0
        wants: list[Any] = [lambda game=game: give_time(ctx, game.id, 0, 24), lambda: tick(ctx)]
        run_at_once(ctx, wants)
        after = reload(ctx, game)
        if after.turn == 1:
            assert after.deadline == clock.now + DAY
        else:
            assert seat_to_act(after) == 0
        assert snapshot_matches(ctx, game.id)
