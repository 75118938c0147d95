"""Running clocks: reminders, and what happens when a turn's time is up."""

from typing import Any

import pytest

from service.clocks import deadlines
from service.clocks.calendar_changes import change_player
from service.clocks.deadlines import run_due_clock, run_due_clocks
from service.clocks.requests import return_to_seat
from service.config import Settings
from service.context import AppContext
from service.db.models import ClockRow, Event, Game, Letter, Player
from service.engine.dice import Dice, commitment
from service.engine.marrakech.board import FACES
from service.engine.record_text import read_text, write_text
from service.engine.records import read_record, write_record
from service.engine.registry import register, unregister
from service.errors import Stale
from service.games import play
from service.games.chat import post_message
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.play import act
from service.games.store import StoredGame, entries, load
from service.games.views import game_view, visible_events, visible_record
from service.mail.letters import compose, compose_notification
from service.ui import registry as ui_registry
from service.worker import tick
from tests.engine.sealed_bids import SealedBids
from tests.support.clock import Clock
from tests.support.crowd import another_context, run_at_once, run_in_processes, wait_for_all
from tests.support.tables import (
    database_contents,
    join,
    legal_actions,
    play_one_action,
    play_to_end,
    queued_letters,
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
from tests.ui.sealed_bids_ui import SealedBidsUi

pytestmark = pytest.mark.databases("sqlite", "postgresql")


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """A started game of Ann and Bo; Ann is to act and has two days."""
    return start_timed_game(ctx, ann, bo)


def overdue(ctx: AppContext, clock: Clock, game: StoredGame) -> StoredGame:
    """The game after a tick of the worker at its deadline."""
    tick_at(ctx, clock, reload(ctx, game).deadline or 0)
    return reload(ctx, game)


# Reminders


def test_reminders_are_sent_once_at_half_and_four_fifths_of_the_time(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    begun = clock.now
    tick_at(ctx, clock, begun + PACE / 2 - 1)
    assert clock_letters(ctx, "reminder") == []
    half = ClockLetter("reminder", 0, 1, {"part": "half"})
    for moment in (PACE / 2, PACE / 2 + 5, PACE * 0.8 - 1):
        tick_at(ctx, clock, begun + moment)
        assert clock_letters(ctx, "reminder") == [half]
    last = ClockLetter("reminder", 0, 1, {"part": "last"})
    for moment in (PACE * 0.8, PACE * 0.8 + 5, PACE - 1):
        tick_at(ctx, clock, begun + moment)
        assert clock_letters(ctx, "reminder") == [half, last]
    assert reload(ctx, game).head == game.head


def test_after_a_long_downtime_only_the_later_reminder_is_sent(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    tick_at(ctx, clock, clock.now + PACE * 0.9)
    assert clock_letters(ctx, "reminder") == [ClockLetter("reminder", 0, 1, {"part": "last"})]


def test_a_player_who_has_played_is_not_reminded(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    begun = clock.now
    clock.now += HOUR
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    tick_at(ctx, clock, begun + PACE / 2)
    assert clock_letters(ctx, "reminder") == []
    tick_at(ctx, clock, begun + HOUR + PACE / 2)
    assert clock_letters(ctx, "reminder") == [ClockLetter("reminder", 1, 2, {"part": "half"})]


def test_without_a_pace_nothing_is_ever_due(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    game = start_game(ctx, [ann, bo])
    tick_at(ctx, clock, clock.now)
    before = database_contents(ctx)
    tick_at(ctx, clock, clock.now + 1000 * DAY)
    assert database_contents(ctx) == before
    assert next_alarm(ctx, game) is None
    assert game_view(ctx, game, None)["time_up"] is None


# Time is up


def test_when_time_is_up_a_stand_in_plays_and_its_events_are_marked(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    after = overdue(ctx, clock, game)
    assert (after.turn, seat_to_act(after)) == (2, 1)
    happened = entries(ctx.database, after, game.head)
    assert [entry.event.type for entry in happened][0::3][:1] == ["faced"]
    assert happened[-1].event.type == "laid"
    assert all(entry.stand_in for entry in happened)
    assert not any(entry.stand_in for entry in entries(ctx.database, after, 0, game.head))
    shown = visible_events(after, game.head + 1, happened, None)
    assert all(event["stand_in"] is True for event in shown)
    assert "stand_in" not in visible_events(after, 1, entries(ctx.database, after, 0, 1), None)[0]
    assert clock_letters(ctx, "time-up") == [
        ClockLetter("time-up", 0, 1, {"first": game.head + 1, "last": after.head, "kept": False})
    ]
    assert queued_letters(ctx)[-2:] == [("turn", "bo@example.org", 2), ("time-up", "ann@example.org", 1)]
    assert after.deadline == clock.now + PACE
    assert snapshot_matches(ctx, game.id)


def test_the_stand_in_finishes_a_started_turn(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    game = play_one_action(ctx, game).game
    after = overdue(ctx, clock, game)
    assert [entry.event.type for entry in entries(ctx.database, after, game.head)] == ["laid"]
    assert (after.turn, seat_to_act(after)) == (2, 1)


def test_with_rotate_after_the_stand_in_turns_assam_too(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    game = start_timed_game(ctx, ann, bo, options={"first": 0, "variant": "rotate-after"})
    after = overdue(ctx, clock, game)
    assert {"laid", "turned"} <= {entry.event.type for entry in entries(ctx.database, after, game.head)}
    assert (after.turn, seat_to_act(after)) == (2, 1)


def test_nothing_happens_just_before_the_deadline(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    tick_at(ctx, clock, (game.deadline or 0) - 0.5)
    assert reload(ctx, game).head == game.head
    assert overdue(ctx, clock, game).turn == 2


def test_bots_after_a_stand_in_are_not_marked(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    game = start_timed_game(ctx, ann, bo, bots=1, options={"first": 1})
    after = overdue(ctx, clock, game)
    assert seat_to_act(after) == 0
    marks = {
        entry.event.seat: entry.stand_in
        for entry in entries(ctx.database, after, game.head)
        if entry.event.type == "laid"
    }
    assert marks == {1: True, 2: False}
    (letter,) = clock_letters(ctx, "time-up")
    assert letter.details["last"] < after.head


def test_a_late_action_is_stale_even_if_the_stand_in_played_the_same(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    overdue(ctx, clock, game)
    before = database_contents(ctx)
    for action in legal_actions(game):
        with pytest.raises(Stale):
            act(ctx, game.id, 0, game.head, action, "")
    assert database_contents(ctx) == before


def test_after_two_missed_turns_in_a_row_the_stand_in_plays_on(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    game = overdue(ctx, clock, game)
    assert not game_view(ctx, game, None)["seats"][0]["stand_in"]
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    assert seat_to_act(game) == 0
    game = overdue(ctx, clock, game)
    assert game_view(ctx, game, None)["seats"][0]["stand_in"]
    assert [letter.details["kept"] for letter in clock_letters(ctx, "time-up")] == [False, True]
    letters = len([letter for letter in queued_letters(ctx) if letter.address == "ann@example.org"])
    game = play_one_action(ctx, game).game
    done = play_one_action(ctx, game)
    assert seat_to_act(done.game) == 1, "the stand-in has played at once"
    laid = [(entry.event.seat, entry.stand_in) for entry in done.entries if entry.event.type == "laid"]
    assert laid == [(1, False), (0, True)]
    assert done.entries == entries(ctx.database, done.game, game.head)
    assert done.game == reload(ctx, game)
    assert play_one_action(ctx, game) == done._replace(repeated=True)
    assert len([letter for letter in queued_letters(ctx) if letter.address == "ann@example.org"]) == letters
    assert snapshot_matches(ctx, game.id)


def test_an_own_turn_resets_the_count_of_missed_turns(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    game = overdue(ctx, clock, game)
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    game = play_one_action(ctx, play_one_action(ctx, game).game).game
    assert seat_to_act(game) == 0
    game = overdue(ctx, clock, game)
    assert not game.seats[0].played_by_stand_in
    assert [letter.details["kept"] for letter in clock_letters(ctx, "time-up")] == [False, False]


def test_a_player_can_return_to_their_seat(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    game = with_stand_in(ctx, game, clock)
    back = return_to_seat(ctx, game.id, 0)
    assert not back.seats[0].played_by_stand_in
    before = database_contents(ctx)
    assert return_to_seat(ctx, game.id, 0) == back
    assert database_contents(ctx) == before
    game = play_one_action(ctx, play_one_action(ctx, back).game).game
    assert seat_to_act(game) == 0
    assert queued_letters(ctx)[-1] == ("turn", "ann@example.org", game.turn)
    assert game.deadline == clock.now + PACE


def with_stand_in(ctx: AppContext, game: StoredGame, clock: Clock) -> StoredGame:
    """The same game after Ann has missed two turns; Bo is to act."""
    game = overdue(ctx, clock, game)
    game = overdue(ctx, clock, play_one_action(ctx, play_one_action(ctx, game).game).game)
    assert game.seats[0].played_by_stand_in
    assert seat_to_act(game) == 1
    return game


def test_without_people_stand_ins_play_at_the_deadline_only(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    game = with_stand_in(ctx, game, clock)
    game = overdue(ctx, clock, game)  # Bo's first; Ann's stand-in plays at once as long as Bo counts as being there
    assert (seat_to_act(game), game.seats[1].stood_in) == (1, 1)
    game = overdue(ctx, clock, game)
    assert game.seats[1].played_by_stand_in
    assert (seat_to_act(game), game.status) == (0, "playing")
    letters = len(queued_letters(ctx))
    turn = game.turn
    for later in range(1, 4):
        game = overdue(ctx, clock, game)
        assert game.turn == turn + later
    assert len(queued_letters(ctx)) == letters, "no letter for each turn of a stand-in"
    assert seat_to_act(game) == 1
    begun = clock.now = clock.now + HOUR
    back = return_to_seat(ctx, game.id, 1)
    assert back.deadline == begun + PACE, "a turn that one comes back to is a whole turn"
    assert queued_letters(ctx)[-1] == ("turn", "bo@example.org", game.turn)
    game = play_one_action(ctx, play_one_action(ctx, back).game).game
    assert seat_to_act(game) == 1, "now that Bo is there, Ann's stand-in plays at once again"


def test_after_a_player_returns_other_stand_ins_play_at_once(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    game = with_stand_in(ctx, game, clock)
    game = overdue(ctx, clock, overdue(ctx, clock, game))
    assert (seat_to_act(game), game.seats[1].played_by_stand_in) == (0, True)
    return_to_seat(ctx, game.id, 1)
    clock.now += 1
    tick(ctx)
    game = reload(ctx, game)
    assert seat_to_act(game) == 1
    assert snapshot_matches(ctx, game.id)


def test_resigning_ends_the_stand_in(ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock) -> None:
    game = start_timed_game(ctx, ann, bo, cy)
    game = overdue(ctx, clock, game)
    for _ in range(4):
        game = play_one_action(ctx, game).game
    game = overdue(ctx, clock, game)
    assert game.seats[0].played_by_stand_in
    game = act(ctx, game.id, 0, game.head, {"type": "resign"}, "").game
    assert not reload(ctx, game).seats[0].played_by_stand_in
    assert snapshot_matches(ctx, play_to_end(ctx, game).id)


def test_a_game_ends_even_if_one_player_never_acts(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    """The other player plays on, the game ends, and its record has all stand-ins and verifiable dice."""
    for _ in range(200):
        game = reload(ctx, game)
        if game.status == "finished":
            break
        game = overdue(ctx, clock, game) if seat_to_act(game) == 0 else play_one_action(ctx, game).game
    assert game.status == "finished"
    record = visible_record(ctx, game)
    by_ann = [entry for entry in record.entries if getattr(entry.event, "seat", None) == 0]
    assert by_ann
    assert all(entry.stand_in for entry in by_ann if entry.event.type != "eliminated")
    assert not any(
        entry.stand_in for entry in record.entries if entry.event.type in {"faced", "laid"} and entry.event.seat == 1
    )
    assert read_record(write_record(record)) == record
    assert read_text(write_text(record)) == record
    assert "  Stand-in: Red sends Assam" in write_text(record)
    assert record.states()[-1] == game.state
    seed = bytes.fromhex(record.heading.seed or "")
    assert commitment(seed) == record.heading.commitment
    for entry in record.entries:
        if entry.event.type == "rolled":
            assert FACES[Dice(game.id, seed, entry.event.salt).roll(entry.event.roll)] == entry.event.die
    letters = clock_letters(ctx, "time-up")
    assert [letter.details["kept"] for letter in letters] == [False, True]
    assert next_alarm(ctx, game) is None
    assert snapshot_matches(ctx, game.id)


# Stand-in marks in records


def marked_record(ctx: AppContext, game: StoredGame, clock: Clock) -> Any:
    return write_record(visible_record(ctx, overdue(ctx, clock, game)))


@pytest.mark.parametrize("mark", [False, None, 1, "yes"])
def test_the_stand_in_mark_must_be_true_if_present(
    ctx: AppContext, game: StoredGame, clock: Clock, mark: object
) -> None:
    record = marked_record(ctx, game, clock)
    assert write_record(read_record(record)) == record
    record["events"][-1]["stand_in"] = mark
    with pytest.raises(Exception, match=r"stand_in must be true, or left out"):
        read_record(record)


def test_a_record_without_stand_in_marks_parses(ctx: AppContext, game: StoredGame) -> None:
    assert "stand_in" not in str(write_record(visible_record(ctx, play_one_action(ctx, game).game)))


# Simultaneous workers, and failures


def test_of_player_and_stand_in_at_the_same_moment_one_plays(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock
) -> None:
    for _ in range(6):
        game = play_one_action(ctx, start_timed_game(ctx, ann, bo)).game
        clock.now = game.deadline or 0
        lay = legal_actions(game)[0]
        outcomes: list[Any] = run_at_once(
            ctx,
            [
                lambda game=game, lay=lay: act(ctx, game.id, 0, game.head, lay, ""),  # type: ignore[misc]
                lambda game=game: run_due_clock(ctx, game.id),  # type: ignore[misc]
            ],
        )
        after = entries(ctx.database, reload(ctx, game), game.head)
        assert [entry.event.type for entry in after] == ["laid"]
        assert after[0].stand_in == isinstance(outcomes[0], Stale)
        played = Event.select().where(Event.stand_in).count(ctx.database)
        assert len(clock_letters(ctx, "time-up")) == played
        assert snapshot_matches(ctx, game.id)


def test_workers_that_tick_at_once_play_an_overdue_turn_once(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    clock.now = game.deadline or 0
    run_at_once(ctx, [lambda: tick(ctx)] * 8)
    after = reload(ctx, game)
    assert after.turn == 2
    assert len(clock_letters(ctx, "time-up")) == 1
    assert after.seats[0].stood_in == 1
    assert snapshot_matches(ctx, game.id)


def ticking(settings: Settings, moments: list[float]) -> None:
    """Tick in one of several processes at the same moments."""
    for moment in moments:
        ctx = another_context(settings, moment)
        wait_for_all()
        tick(ctx)
        ctx.database.close()


def test_processes_that_tick_at_once_play_overdue_turns_once(
    ctx: AppContext, ann: Player, bo: Player, clock: Clock
) -> None:
    games = [start_timed_game(ctx, ann, bo) for _ in range(4)]
    moments = [clock.now + PACE * part for part in (0.5, 0.8, 1, 2)]
    run_in_processes(ticking, [(ctx.settings, moments)] * 3)
    for game in games:
        after = reload(ctx, game)
        assert [seat.stood_in for seat in after.seats] == [1, 1]
        assert after.turn == 3
        assert snapshot_matches(ctx, game.id)
    letters = clock_letters(ctx, "reminder", "time-up")
    # The three ticks of Bo's turn see it begin at the deadline of Ann's, and end at once at twice the time.
    assert len([letter for letter in letters if letter.kind == "time-up"]) == 2 * len(games)
    assert len([letter for letter in letters if letter.kind == "reminder"]) == 2 * len(games)


def test_a_failing_game_does_not_stop_the_others_and_is_retried(
    ctx: AppContext,
    ann: Player,
    bo: Player,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken, sound = start_timed_game(ctx, ann, bo), start_timed_game(ctx, ann, bo)
    real = play._bot_action

    def fails(game: StoredGame, *rest: Any) -> Any:
        if game.id == broken.id:
            raise RuntimeError("the bot has lost its way")
        return real(game, *rest)

    monkeypatch.setattr(play, "_bot_action", fails)
    clock.now = broken.deadline or 0
    run_due_clocks(ctx)
    assert "the bot has lost its way" in caplog.text
    assert (reload(ctx, broken).head, reload(ctx, sound).turn) == (broken.head, 2)
    monkeypatch.undo()
    run_due_clocks(ctx)
    assert reload(ctx, broken).head == broken.head
    clock.now += deadlines.RETRY_SECONDS
    run_due_clocks(ctx)
    assert reload(ctx, broken).turn == 2


def test_a_crash_in_the_middle_of_a_tick_changes_nothing(
    ctx: AppContext, game: StoredGame, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.now = game.deadline or 0
    before = database_contents(ctx)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deadlines, "enqueue_letters", crash)
    with pytest.raises(KeyboardInterrupt):
        run_due_clocks(ctx)
    assert database_contents(ctx) == before
    monkeypatch.undo()
    run_due_clocks(ctx)
    assert reload(ctx, game).turn == 2
    assert len(clock_letters(ctx, "time-up")) == 1


def test_a_tick_handles_only_due_clocks(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    for _ in range(3):
        start_timed_game(ctx, ann, bo)
    looked: list[str] = []
    real = ctx.database.execute_sql

    def listening(sql: str, *rest: Any, **more: Any) -> Any:
        looked.append(sql)
        return real(sql, *rest, **more)

    ctx.database.execute_sql = listening
    try:
        run_due_clocks(ctx)
    finally:
        del ctx.database.execute_sql
    (only,) = looked
    assert "turn_clock" in only
    sqlite = ctx.settings.database_url.startswith("sqlite")
    if not sqlite:
        ctx.database.execute_sql("set enable_seqscan = off")  # with three rows it would not be worth an index
    query = "explain query plan " if sqlite else "explain "
    query += "select game from turn_clock where alarm <= 1 order by alarm limit 9"
    explained = str(ctx.database.execute_sql(query).fetchall())
    assert "turn_clock_alarm" in explained


def test_a_finished_game_has_no_clock(ctx: AppContext, game: StoredGame) -> None:
    play_to_end(ctx, game)
    assert ClockRow.select().count(ctx.database) == 0
    assert Game.select(Game.deadline).where(Game.id == game.id).scalar(ctx.database) is None
    assert load(ctx.database, game.id).paused is False


# Other games


def test_with_several_seats_to_act_the_slowest_calendar_sets_the_deadline(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock, request: pytest.FixtureRequest
) -> None:
    register(SealedBids())
    ui_registry.register(SealedBidsUi())
    request.addfinalizer(lambda: unregister("sealed-bids"))
    request.addfinalizer(lambda: ui_registry.unregister("sealed-bids"))
    change_player(ctx, cy.id, {"away_until": clock.now + DAY})
    game = create_game(ctx, ann, NewGameRequest("sealed-bids", "", [SeatRequest()] * 2, {}, PACE))
    for player in (bo, cy):
        game = join(ctx, game.id, player)
    assert game.deadline == clock.now + DAY + PACE
    game = act(ctx, game.id, 0, game.head, {"type": "bid", "card": 1}, "").game
    assert (game.turn, game.deadline) == (1, clock.now + DAY + PACE)
    after = overdue(ctx, clock, game)
    assert after.turn == 2
    happened = entries(ctx.database, after, game.head)
    assert [entry.event.type for entry in happened] == ["bid", "bid", "shown"]
    assert [seat.stood_in for seat in after.seats] == [0, 1, 1]
    assert [letter.seat for letter in clock_letters(ctx, "time-up")] == [1, 2]
    assert snapshot_matches(ctx, game.id)


def test_late_players_get_one_letter_that_also_says_that_it_is_their_turn_again(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock, analysed_bids: object
) -> None:
    game = create_game(ctx, ann, NewGameRequest("sealed-bids", "", [SeatRequest()] * 2, {}, PACE))
    for player in (bo, cy):
        game = join(ctx, game.id, player)
    game = act(ctx, game.id, 1, game.head, {"type": "bid", "card": 1}, "").game
    clock.now += HOUR
    post_message(ctx, game.id, 1, "Hurry up!")
    after = overdue(ctx, clock, game)
    assert after.rules.to_act(after.state) == {0, 1, 2}
    assert sorted(queued_letters(ctx)[-3:]) == [
        ("time-up", "ann@example.org", 1),
        ("time-up", "cy@example.org", 1),
        ("turn", "bo@example.org", 2),
    ]
    letter = Letter.select().where((Letter.kind == "time-up") & (Letter.seat == 0)).get(ctx.database)
    composed = compose(ctx, letter)
    for said in ("so a stand-in played for", "It's your turn again now.", "bo: Hurry up!", "?do="):
        assert said in composed.text
    assert composed.answer_plays == after.turn
    assert composed.text.count("Open the game:") == 1
    assert compose_notification(ctx, letter).body.startswith("Time is up. It's your turn again now. You have ")
