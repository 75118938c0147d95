"""The store: the events, state and letters of an action are written together or not at all."""

import pytest
from peewee import IntegrityError

from service.context import AppContext
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import IS_TO_ACT, Event, Game, Letter, Player, Seat
from service.engine.json_reader import Json
from service.errors import NotFound, Stale
from service.games.play import act
from service.games.store import NewEvents, StoredGame, append_events, entries, find_action, load, replay_state
from service.text import format_utc
from tests.support.clock import Clock
from tests.support.tables import (
    database_contents,
    legal_actions,
    play_one_action,
    queued_letters,
    seat_to_act,
    snapshot_matches,
    start_game,
)

pytestmark = pytest.mark.databases("sqlite", "postgresql")

FACE: Json = {"type": "face", "direction": "ahead"}


@pytest.mark.parametrize("game_id", ["", "nowhere", "NOWHERE" * 100, "a%", "' or ''='", "märchen", "a\0b"])
def test_a_game_that_does_not_exist_is_not_found(ctx: AppContext, ann: Player, bo: Player, game_id: str) -> None:
    start_game(ctx, [ann, bo])
    with pytest.raises(NotFound, match="Check the link or the ID"):
        load(ctx.database, game_id)


def test_game_ids_are_case_sensitive(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    with pytest.raises(NotFound):
        load(ctx.database, game.id.swapcase())


def test_a_game_is_loaded_as_it_was_stored(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo], pace=3600)
    assert load(ctx.database, game.id) == game
    assert [(seat.seat, seat.player, seat.address) for seat in game.seats] == [
        (0, ann.id, "ann@example.org"),
        (1, bo.id, "bo@example.org"),
    ]


# Appending


def after_one_action(game: StoredGame) -> tuple[StoredGame, NewEvents]:
    """The game after one action, and its events; nothing is stored yet."""
    rules, seat, state = game.rules, seat_to_act(game), game.state
    events = rules.decide(state, seat, rules.actions.read(FACE), game.dice("pepper"))
    for event in events:
        state = rules.evolve(state, event)
    after = game._replace(head=game.head + len(events), turn=rules.turn(state), state=state)
    return after, NewEvents(events, [False] * len(events), seat, FACE, game.head)


def letter(game: StoredGame, about: str = "a letter", address: str = "bo@example.org") -> NewLetter:
    return NewLetter("turn", address, about, game.id, 1, game.turn)


def test_head_turn_state_and_status_change_together(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    before = start_game(ctx, [ann, bo])
    clock.now += 60
    after, batch = after_one_action(before)
    after = after._replace(turn=7, status="finished")
    append_events(ctx.database, before, after, batch, [letter(before)], clock.now)
    assert load(ctx.database, before.id) == after
    assert Game.select(Game.changed).scalar(ctx.database) == clock.now
    assert "a letter" in [about for (about,) in Letter.select(Letter.about).tuples().execute(ctx.database)]


def test_the_seats_to_act_are_stored_next_to_the_state(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    while game.status == "playing":
        assert seats_to_act(ctx) == [seat_to_act(game)]
        game = play_one_action(ctx, game).game
    assert seats_to_act(ctx) == []


def seats_to_act(ctx: AppContext) -> list[int]:
    chosen = Seat.select(Seat.seat).join(Game).where(IS_TO_ACT).order_by(Seat.seat)
    return [seat for (seat,) in chosen.tuples().execute(ctx.database)]


@pytest.mark.parametrize("off", [-1, 1, 100])
def test_appending_at_another_head_is_stale_and_changes_nothing(
    ctx: AppContext, ann: Player, bo: Player, off: int
) -> None:
    game = start_game(ctx, [ann, bo])
    after, batch = after_one_action(game)
    before = database_contents(ctx)
    with pytest.raises(Stale):
        append_events(ctx.database, game._replace(head=game.head + off), after, batch, [letter(game)], 0)
    assert database_contents(ctx) == before


def test_appending_to_an_unknown_game_is_stale_and_changes_nothing(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    after, batch = after_one_action(game)
    before = database_contents(ctx)
    with pytest.raises(Stale):
        append_events(ctx.database, game._replace(id="nowhere"), after, batch, [letter(game)], 0)
    assert database_contents(ctx) == before


def test_a_duplicate_event_rolls_everything_back(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    after, batch = after_one_action(game)
    Event.insert(game=game.id, seq=after.head, at=0, body="{}").execute(ctx.database)
    before = database_contents(ctx)
    with pytest.raises(IntegrityError):
        append_events(ctx.database, game, after, batch, [letter(game)], 0)
    assert database_contents(ctx) == before


def test_a_failing_letter_rolls_everything_back(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    after, batch = after_one_action(game)
    before = database_contents(ctx)
    addressless = letter(game, "second")._replace(address=None)  # type: ignore[arg-type]
    gameless = letter(game, "third")._replace(game="nowhere")
    for wrong in (addressless, gameless):
        with pytest.raises(IntegrityError):
            append_events(ctx.database, game, after, batch, [letter(game, "first"), wrong], 0)
        assert database_contents(ctx) == before
    append_events(ctx.database, game, after, batch, [letter(game, "first")], 0)
    assert snapshot_matches(ctx, game.id)


def test_after_a_rollback_the_same_action_succeeds(
    ctx: AppContext, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start_game(ctx, [ann, bo])
    before = database_contents(ctx)
    with monkeypatch.context() as broken:
        unknown = letter(game)._replace(game="nowhere")
        broken.setattr("service.games.play._letters", lambda before, after, stood_in_for: [unknown])
        with pytest.raises(IntegrityError):
            act(ctx, game.id, 0, game.head, FACE, "")
    assert database_contents(ctx) == before
    answer = act(ctx, game.id, 0, game.head, FACE, "")
    assert not answer.repeated
    assert snapshot_matches(ctx, game.id)


def test_game_and_seq_are_unique(ctx: AppContext, ann: Player, bo: Player) -> None:
    one, other = start_game(ctx, [ann, bo]), start_game(ctx, [ann, bo])
    for game in (one, other):
        with pytest.raises(IntegrityError):
            Event.insert(game=game.id, seq=game.head, at=0, body="{}").execute(ctx.database)


def test_an_event_needs_a_game(ctx: AppContext) -> None:
    with pytest.raises(IntegrityError):
        Event.insert(game="nowhere", seq=1, at=0, body="{}").execute(ctx.database)


def test_letters_with_the_same_about_are_inserted_once(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    before = len(queued_letters(ctx))
    same = letter(game, "once")
    enqueue_letters(ctx.database, [same, same, letter(game, "twice")], 1)
    enqueue_letters(ctx.database, [same], 2)
    assert len(queued_letters(ctx)) == before + 2
    due = Letter.select(Letter.due).where(Letter.about == "once")
    assert [row for (row,) in due.tuples().execute(ctx.database)] == [1]


# Reading


def test_events_are_read_back_with_their_times(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    game = start_game(ctx, [ann, bo])
    times = [format_utc(clock.now)] * game.head
    for _ in range(4):
        clock.now += 61.5
        answer = play_one_action(ctx, game, "pepper")
        times += [format_utc(clock.now)] * len(answer.entries)
        assert entries(ctx.database, answer.game, game.head) == answer.entries
        game = answer.game
    found = entries(ctx.database, game)
    assert [entry.at for entry in found] == times
    assert len(found) == game.head


def test_entries_can_be_limited_to_a_range(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    for _ in range(4):
        game = play_one_action(ctx, game).game
    everything = entries(ctx.database, game)
    assert entries(ctx.database, game, 3) == everything[3:]
    assert entries(ctx.database, game, 3, 5) == everything[3:5]
    assert entries(ctx.database, game, 0, 1) == everything[:1]
    assert entries(ctx.database, game, game.head) == []
    assert entries(ctx.database, game, 5, 3) == []


def test_entries_belong_to_one_game(ctx: AppContext, ann: Player, bo: Player) -> None:
    one, other = start_game(ctx, [ann, bo]), start_game(ctx, [ann, bo])
    one = play_one_action(ctx, one).game
    assert len(entries(ctx.database, one)) == one.head
    assert len(entries(ctx.database, other)) == other.head


def test_a_stored_action_has_its_actor_and_the_range_of_its_events(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    assert find_action(ctx.database, game.id, 0) is None  # nobody did the opening
    answer = act(ctx, game.id, 0, game.head, FACE, "")
    action = find_action(ctx.database, game.id, game.head)
    assert action == (0, FACE, game.head, game.head + 1, answer.game.head)
    assert find_action(ctx.database, game.id, game.head + 1) is None  # the roll is a part of it
    assert find_action(ctx.database, game.id, answer.game.head) is None  # not played yet


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_snapshot_matches_the_events_at_every_step(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, eve: Player, seats: int, variant: str
) -> None:
    game = start_game(ctx, [ann, bo, cy, eve][:seats], options={"variant": variant})
    choice = 0
    while game.status == "playing":
        found = load(ctx.database, game.id)
        assert (found, replay_state(ctx.database, found)) == (game, game.state)
        choice += 1
        possible = legal_actions(game)
        game = act(ctx, game.id, seat_to_act(game), game.head, possible[choice % len(possible)], str(choice)).game
    found = load(ctx.database, game.id)
    assert (found, replay_state(ctx.database, found)) == (game, game.state)
    assert (found.status, found.deadline) == ("finished", None)
    assert found.rules.result(found.state) is not None
