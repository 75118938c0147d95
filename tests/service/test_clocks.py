"""A turn's clock as it runs by itself: reminders, and what happens when the time is up."""

from typing import Any

import pytest

from service import play
from service.clocks import alarms
from service.clocks.alarms import ring, ring_one
from service.clocks.asking import come_back
from service.clocks.changing import change_player
from service.engine.dice import Dice, commitment
from service.engine.marrakech.board import FACES
from service.engine.record import read_record, write_record
from service.engine.record_text import read_text, write_text
from service.engine.registry import GAMES
from service.errors import Stale
from service.lobby import Chair, Wish, create, join
from service.models import Event, Game, Player, TurnClock
from service.office import Office
from service.play import act
from service.settings import Settings
from service.shown import events_shown, record_of, view_of
from service.store import entries, load
from service.stored import StoredGame
from service.worker import tick
from tests.engine.sealed_bids import SealedBids
from tests.service.conftest import Clock
from tests.service.crowd import another_office, at_once, in_processes, together
from tests.service.tables import contents, is_sound, legal, mover, outbox, plain, rest_of, started, step
from tests.service.timed import DAY, HOUR, PACE, Told, alarm, now, ring_at, timed, told


@pytest.fixture
def game(office: Office, ann: Player, bo: Player) -> StoredGame:
    """Ann and Bo have begun, Ann is to act and has two days."""
    return timed(office, ann, bo)


def overdue(office: Office, clock: Clock, game: StoredGame) -> StoredGame:
    """The game after the worker has found its time to be up."""
    ring_at(office, clock, now(office, game).deadline or 0)
    return now(office, game)


# Reminders


def test_reminders_come_at_half_the_time_and_at_four_fifths_each_once(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    begun = clock.now
    ring_at(office, clock, begun + PACE / 2 - 1)
    assert told(office, "reminder") == []
    half = Told("reminder", 0, 1, {"part": "half"})
    for moment in (PACE / 2, PACE / 2 + 5, PACE * 0.8 - 1):
        ring_at(office, clock, begun + moment)
        assert told(office, "reminder") == [half]
    last = Told("reminder", 0, 1, {"part": "last"})
    for moment in (PACE * 0.8, PACE * 0.8 + 5, PACE - 1):
        ring_at(office, clock, begun + moment)
        assert told(office, "reminder") == [half, last]
    assert now(office, game).head == game.head


def test_after_a_long_sleep_of_the_server_only_the_later_reminder_comes(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    ring_at(office, clock, clock.now + PACE * 0.9)
    assert told(office, "reminder") == [Told("reminder", 0, 1, {"part": "last"})]


def test_who_has_played_is_not_reminded(office: Office, game: StoredGame, clock: Clock) -> None:
    begun = clock.now
    clock.now += HOUR
    game = step(office, step(office, game).game).game
    ring_at(office, clock, begun + PACE / 2)
    assert told(office, "reminder") == []
    ring_at(office, clock, begun + HOUR + PACE / 2)
    assert told(office, "reminder") == [Told("reminder", 1, 2, {"part": "half"})]


def test_without_a_pace_nothing_is_ever_due(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    game = started(office, [ann, bo])
    ring_at(office, clock, clock.now)
    before = contents(office)
    ring_at(office, clock, clock.now + 1000 * DAY)
    assert contents(office) == before
    assert alarm(office, game) is None
    assert view_of(office, game, None)["time_up"] is None


# Time is up


def test_when_time_is_up_the_stand_in_plays_the_turn_openly(office: Office, game: StoredGame, clock: Clock) -> None:
    after = overdue(office, clock, game)
    assert (after.turn, mover(after)) == (2, 1)
    happened = entries(office.database, after, game.head)
    assert [entry.event.type for entry in happened][0::3][:1] == ["faced"]
    assert happened[-1].event.type == "laid"
    assert all(entry.stand_in for entry in happened)
    assert not any(entry.stand_in for entry in entries(office.database, after, 0, game.head))
    shown = events_shown(after, game.head + 1, happened, None)
    assert all(event["stand_in"] is True for event in shown)
    assert "stand_in" not in events_shown(after, 1, entries(office.database, after, 0, 1), None)[0]
    assert told(office, "time-up") == [
        Told("time-up", 0, 1, {"first": game.head + 1, "last": after.head, "kept": False})
    ]
    assert outbox(office)[-2:] == [("turn", "bo@example.org", 2), ("time-up", "ann@example.org", 1)]
    assert after.deadline == clock.now + PACE
    assert is_sound(office, game.id)


def test_the_stand_in_finishes_a_turn_that_was_begun(office: Office, game: StoredGame, clock: Clock) -> None:
    game = step(office, game).game
    after = overdue(office, clock, game)
    assert [entry.event.type for entry in entries(office.database, after, game.head)] == ["laid"]
    assert (after.turn, mover(after)) == (2, 1)


def test_with_rotate_after_it_turns_assam_as_well(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    game = timed(office, ann, bo, options={"first": 0, "variant": "rotate-after"})
    after = overdue(office, clock, game)
    assert {"laid", "turned"} <= {entry.event.type for entry in entries(office.database, after, game.head)}
    assert (after.turn, mover(after)) == (2, 1)


def test_a_moment_before_the_deadline_nothing_happens(office: Office, game: StoredGame, clock: Clock) -> None:
    ring_at(office, clock, (game.deadline or 0) - 0.5)
    assert now(office, game).head == game.head
    assert overdue(office, clock, game).turn == 2


def test_bots_follow_the_stand_in_unmarked(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    game = timed(office, ann, bo, bots=1, options={"first": 1})
    after = overdue(office, clock, game)
    assert mover(after) == 0
    marks = {
        entry.event.seat: entry.stand_in
        for entry in entries(office.database, after, game.head)
        if entry.event.type == "laid"
    }
    assert marks == {1: True, 2: False}
    (letter,) = told(office, "time-up")
    assert letter.details["last"] < after.head


def test_an_own_action_that_comes_too_late_is_stale_even_where_the_stand_in_did_the_same(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    overdue(office, clock, game)
    before = contents(office)
    for action in legal(game):
        with pytest.raises(Stale):
            act(office, game.id, 0, game.head, action, "")
    assert contents(office) == before


def test_after_the_second_turn_in_a_row_the_stand_in_keeps_the_seat(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    game = overdue(office, clock, game)
    assert not view_of(office, game, None)["seats"][0]["stand_in"]
    game = step(office, step(office, game).game).game
    assert mover(game) == 0
    game = overdue(office, clock, game)
    assert view_of(office, game, None)["seats"][0]["stand_in"]
    assert [letter.details["kept"] for letter in told(office, "time-up")] == [False, True]
    letters = len([letter for letter in outbox(office) if letter.address == "ann@example.org"])
    game = step(office, game).game
    done = step(office, game)
    assert mover(done.game) == 1, "the stand-in has played at once"
    laid = [(entry.event.seat, entry.stand_in) for entry in done.entries if entry.event.type == "laid"]
    assert laid == [(1, False), (0, True)]
    assert done.entries == entries(office.database, done.game, game.head)
    assert done.game == now(office, game)
    assert step(office, game) == done._replace(repeated=True)
    assert len([letter for letter in outbox(office) if letter.address == "ann@example.org"]) == letters
    assert is_sound(office, game.id)


def test_a_turn_of_ones_own_in_between_begins_the_count_anew(office: Office, game: StoredGame, clock: Clock) -> None:
    game = overdue(office, clock, game)
    game = step(office, step(office, game).game).game
    game = step(office, step(office, game).game).game
    game = step(office, step(office, game).game).game
    assert mover(game) == 0
    game = overdue(office, clock, game)
    assert not game.seats[0].kept
    assert [letter.details["kept"] for letter in told(office, "time-up")] == [False, False]


def test_with_one_click_the_player_is_back(office: Office, game: StoredGame, clock: Clock) -> None:
    game = kept_by_stand_in(office, game, clock)
    back = come_back(office, game.id, 0)
    assert not back.seats[0].kept
    before = contents(office)
    assert plain(come_back(office, game.id, 0)) == plain(back)
    assert contents(office) == before
    game = step(office, step(office, back).game).game
    assert mover(game) == 0
    assert outbox(office)[-1] == ("turn", "ann@example.org", game.turn)
    assert game.deadline == clock.now + PACE


def kept_by_stand_in(office: Office, game: StoredGame, clock: Clock) -> StoredGame:
    """The same game after two turns of Ann's that she has not played; Bo is to act."""
    game = overdue(office, clock, game)
    game = overdue(office, clock, step(office, step(office, game).game).game)
    assert game.seats[0].kept
    assert mover(game) == 1
    return game


def test_with_nobody_there_stand_ins_take_their_time_so_that_somebody_can_come_back(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    game = kept_by_stand_in(office, game, clock)
    game = overdue(office, clock, game)  # Bo's first; Ann's stand-in plays at once as long as Bo counts as being there
    assert (mover(game), game.seats[1].stood_in) == (1, 1)
    game = overdue(office, clock, game)
    assert game.seats[1].kept
    assert (mover(game), game.status) == (0, "playing")
    letters = len(outbox(office))
    turn = game.turn
    for later in range(1, 4):
        game = overdue(office, clock, game)
        assert game.turn == turn + later
    assert len(outbox(office)) == letters, "who has left is not told of each turn"
    assert mover(game) == 1
    begun = clock.now = clock.now + HOUR
    back = come_back(office, game.id, 1)
    assert back.deadline == begun + PACE, "a turn that one comes back to is a whole turn"
    assert outbox(office)[-1] == ("turn", "bo@example.org", game.turn)
    game = step(office, step(office, back).game).game
    assert mover(game) == 1, "now that Bo is there, Ann's stand-in plays at once again"


def test_who_comes_back_while_the_game_waits_for_another_stand_in_does_not_wait_for_it(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    game = kept_by_stand_in(office, game, clock)
    game = overdue(office, clock, overdue(office, clock, game))
    assert (mover(game), game.seats[1].kept) == (0, True)
    come_back(office, game.id, 1)
    clock.now += 1
    tick(office)
    game = now(office, game)
    assert mover(game) == 1
    assert is_sound(office, game.id)


def test_resigning_takes_the_seat_from_the_stand_in(
    office: Office, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = timed(office, ann, bo, cy)
    game = overdue(office, clock, game)
    for _ in range(4):
        game = step(office, game).game
    game = overdue(office, clock, game)
    assert game.seats[0].kept
    game = act(office, game.id, 0, game.head, {"type": "resign"}, "").game
    assert not now(office, game).seats[0].kept
    assert is_sound(office, rest_of(office, game).id)


def test_a_whole_game_in_which_one_player_never_acts(office: Office, game: StoredGame, clock: Clock) -> None:
    """The other plays on, the game comes to its end, and its record tells of it all and can be checked."""
    for _ in range(200):
        game = now(office, game)
        if game.status == "finished":
            break
        game = overdue(office, clock, game) if mover(game) == 0 else step(office, game).game
    assert game.status == "finished"
    record = record_of(office, game)
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
    letters = told(office, "time-up")
    assert [letter.details["kept"] for letter in letters] == [False, True]
    assert alarm(office, game) is None
    assert is_sound(office, game.id)


# Marks in records


def marked_record(office: Office, game: StoredGame, clock: Clock) -> Any:
    return write_record(record_of(office, overdue(office, clock, game)))


@pytest.mark.parametrize("mark", [False, None, 1, "yes"])
def test_a_mark_is_true_or_not_there(office: Office, game: StoredGame, clock: Clock, mark: object) -> None:
    record = marked_record(office, game, clock)
    assert write_record(read_record(record)) == record
    record["events"][-1]["stand_in"] = mark
    with pytest.raises(Exception, match=r"stand_in must be true, or left out"):
        read_record(record)


def test_a_record_without_a_mark_reads_as_before(office: Office, game: StoredGame) -> None:
    assert "stand_in" not in str(write_record(record_of(office, step(office, game).game)))


# Everybody at once, and failures


def test_the_player_and_the_stand_in_at_the_same_moment_one_of_them_plays(
    office: Office, ann: Player, bo: Player, clock: Clock
) -> None:
    for _ in range(6):
        game = step(office, timed(office, ann, bo)).game
        clock.now = game.deadline or 0
        lay = legal(game)[0]
        outcomes: list[Any] = at_once(
            office,
            [
                lambda game=game, lay=lay: act(office, game.id, 0, game.head, lay, ""),  # type: ignore[misc]
                lambda game=game: ring_one(office, game.id),  # type: ignore[misc]
            ],
        )
        after = entries(office.database, now(office, game), game.head)
        assert [entry.event.type for entry in after] == ["laid"]
        assert after[0].stand_in == isinstance(outcomes[0], Stale)
        played = Event.select().where(Event.stand_in).count(office.database)
        assert len(told(office, "time-up")) == played
        assert is_sound(office, game.id)


def test_workers_that_tick_at_once_play_an_overdue_turn_once(office: Office, game: StoredGame, clock: Clock) -> None:
    clock.now = game.deadline or 0
    at_once(office, [lambda: tick(office)] * 8)
    after = now(office, game)
    assert after.turn == 2
    assert len(told(office, "time-up")) == 1
    assert after.seats[0].stood_in == 1
    assert is_sound(office, game.id)


def ticking(settings: Settings, moments: list[float]) -> None:
    """One worker of several that tick at the same moments."""
    for moment in moments:
        office = another_office(settings, moment)
        together()
        tick(office)
        office.database.close()


def test_processes_that_tick_at_once_play_overdue_turns_once(
    office: Office, ann: Player, bo: Player, clock: Clock
) -> None:
    games = [timed(office, ann, bo) for _ in range(4)]
    moments = [clock.now + PACE * part for part in (0.5, 0.8, 1, 2)]
    in_processes(ticking, [(office.settings, moments)] * 3)
    for game in games:
        after = now(office, game)
        assert [seat.stood_in for seat in after.seats] == [1, 1]
        assert after.turn == 3
        assert is_sound(office, game.id)
    letters = told(office, "reminder", "time-up")
    # The three ticks of Bo's turn see it begin at the deadline of Ann's, and end at once at twice the time.
    assert len([letter for letter in letters if letter.kind == "time-up"]) == 2 * len(games)
    assert len([letter for letter in letters if letter.kind == "reminder"]) == 2 * len(games)


def test_a_game_that_fails_does_not_stop_the_others_and_is_tried_again(
    office: Office,
    ann: Player,
    bo: Player,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken, sound = timed(office, ann, bo), timed(office, ann, bo)
    real = play._bot_acts

    def fails(game: StoredGame, *rest: Any) -> Any:
        if game.id == broken.id:
            raise RuntimeError("the bot has lost its way")
        return real(game, *rest)

    monkeypatch.setattr(play, "_bot_acts", fails)
    clock.now = broken.deadline or 0
    ring(office)
    assert "the bot has lost its way" in caplog.text
    assert (now(office, broken).head, now(office, sound).turn) == (broken.head, 2)
    monkeypatch.undo()
    ring(office)
    assert now(office, broken).head == broken.head
    clock.now += alarms.SNOOZE
    ring(office)
    assert now(office, broken).turn == 2


def test_a_crash_in_the_middle_leaves_nothing_behind(
    office: Office, game: StoredGame, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.now = game.deadline or 0
    before = contents(office)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(alarms, "post", crash)
    with pytest.raises(KeyboardInterrupt):
        ring(office)
    assert contents(office) == before
    monkeypatch.undo()
    ring(office)
    assert now(office, game).turn == 2
    assert len(told(office, "time-up")) == 1


def test_a_tick_looks_at_what_is_due_and_at_nothing_else(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    for _ in range(3):
        timed(office, ann, bo)
    looked: list[str] = []
    real = office.database.execute_sql

    def listening(sql: str, *rest: Any, **more: Any) -> Any:
        looked.append(sql)
        return real(sql, *rest, **more)

    office.database.execute_sql = listening
    try:
        ring(office)
    finally:
        del office.database.execute_sql
    (only,) = looked
    assert "turn_clock" in only
    sqlite = office.settings.database_url.startswith("sqlite")
    if not sqlite:
        office.database.execute_sql("set enable_seqscan = off")  # with three rows it would not be worth an index
    query = "explain query plan " if sqlite else "explain "
    query += "select game from turn_clock where alarm <= 1 order by alarm limit 9"
    explained = str(office.database.execute_sql(query).fetchall())
    assert "turn_clock_alarm" in explained


def test_what_is_finished_has_no_clock_any_more(office: Office, game: StoredGame) -> None:
    rest_of(office, game)
    assert TurnClock.select().count(office.database) == 0
    assert Game.select(Game.deadline).where(Game.id == game.id).scalar(office.database) is None
    assert load(office.database, game.id).paused is False


# Other games


def test_every_game_has_somebody_who_can_stand_in() -> None:
    assert all(play.STAND_IN in rules.bots for rules in GAMES.values())


def test_where_several_are_to_act_at_once_the_one_with_most_time_left_sets_the_deadline(
    office: Office, ann: Player, bo: Player, cy: Player, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "sealed-bids", SealedBids())
    monkeypatch.setattr(play, "STAND_IN", "any")
    change_player(office, cy.id, {"away_until": clock.now + DAY})
    game = create(office, ann, Wish("sealed-bids", "", [Chair()] * 2, {}, PACE))
    for player in (bo, cy):
        game = join(office, game.id, player)
    assert game.deadline == clock.now + DAY + PACE
    game = act(office, game.id, 0, game.head, {"type": "bid", "card": 1}, "").game
    assert (game.turn, game.deadline) == (1, clock.now + DAY + PACE)
    after = overdue(office, clock, game)
    assert after.turn == 2
    happened = entries(office.database, after, game.head)
    assert [entry.event.type for entry in happened] == ["bid", "bid", "shown"]
    assert [seat.stood_in for seat in after.seats] == [0, 1, 1]
    assert [letter.seat for letter in told(office, "time-up")] == [1, 2]
    assert is_sound(office, game.id)
