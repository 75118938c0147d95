"""The only writer of events: what one action makes is written whole or not at all."""

import pytest
from peewee import IntegrityError

from service.clock import written
from service.engine.reading import Json
from service.errors import NotFound, Stale
from service.models import IS_TO_ACT, Event, Game, Letter, Player, Seat
from service.office import Office
from service.play import act
from service.store import Batch, LetterDue, append, deed_after, entries, load, post, refolded
from service.stored import StoredGame
from tests.service.conftest import Clock
from tests.service.tables import contents, is_sound, legal, mover, outbox, started, step

FACE: Json = {"type": "face", "direction": "ahead"}


@pytest.mark.parametrize("game_id", ["", "nowhere", "NOWHERE" * 100, "a%", "' or ''='", "märchen", "a\0b"])
def test_a_game_that_does_not_exist_is_not_found(office: Office, ann: Player, bo: Player, game_id: str) -> None:
    started(office, [ann, bo])
    with pytest.raises(NotFound, match="There is no such game"):
        load(office.database, game_id)


def test_the_id_of_a_game_is_compared_with_case(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    with pytest.raises(NotFound):
        load(office.database, game.id.swapcase())


def test_a_game_is_loaded_as_it_was_written(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo], pace=3600)
    assert load(office.database, game.id) == game
    assert [(seat.seat, seat.player, seat.address) for seat in game.seats] == [
        (0, ann.id, "ann@example.org"),
        (1, bo.id, "bo@example.org"),
    ]


# Appending


def moved_on(game: StoredGame) -> tuple[StoredGame, Batch]:
    """The game after its mover has faced ahead, and the events of it; nothing is written yet."""
    rules, seat, state = game.rules, mover(game), game.state
    events = rules.decide(state, seat, rules.actions.read(FACE), game.dice("pepper"))
    for event in events:
        state = rules.evolve(state, event)
    after = game._replace(head=game.head + len(events), turn=rules.turn(state), state=state)
    return after, Batch(events, seat, FACE)


def letter(game: StoredGame, about: str = "a letter", address: str = "bo@example.org") -> LetterDue:
    return LetterDue("turn", address, about, game.id, 1, game.turn)


def test_head_turn_state_status_and_deadline_move_together(
    office: Office, ann: Player, bo: Player, clock: Clock
) -> None:
    before = started(office, [ann, bo])
    clock.now += 60
    after, batch = moved_on(before)
    after = after._replace(turn=7, status="finished", deadline=clock.now + 5)
    stands = append(office.database, before, after, batch, [letter(before)], clock.now)
    assert stands._replace(versions=before.versions) == after
    assert load(office.database, before.id) == stands
    assert Game.select(Game.changed).scalar(office.database) == clock.now
    assert "a letter" in [about for (about,) in Letter.select(Letter.about).tuples().execute(office.database)]


def test_the_seats_that_are_to_act_are_kept_beside_the_state(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    while game.status == "playing":
        assert seats_to_act(office) == [mover(game)]
        game = step(office, game).game
    assert seats_to_act(office) == []


def seats_to_act(office: Office) -> list[int]:
    chosen = Seat.select(Seat.seat).join(Game).where(IS_TO_ACT).order_by(Seat.seat)
    return [seat for (seat,) in chosen.tuples().execute(office.database)]


@pytest.mark.parametrize("off", [-1, 1, 100])
def test_another_head_is_stale_and_nothing_at_all_changes(office: Office, ann: Player, bo: Player, off: int) -> None:
    game = started(office, [ann, bo])
    after, batch = moved_on(game)
    before = contents(office)
    with pytest.raises(Stale):
        append(office.database, game._replace(head=game.head + off), after, batch, [letter(game)], 0)
    assert contents(office) == before


def test_a_game_that_does_not_exist_is_stale_and_nothing_changes(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    after, batch = moved_on(game)
    before = contents(office)
    with pytest.raises(Stale):
        append(office.database, game, after._replace(id="nowhere"), batch, [letter(game)], 0)
    assert contents(office) == before


def test_an_event_that_is_there_already_leaves_nothing_behind(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    after, batch = moved_on(game)
    Event.insert(game=game.id, seq=after.head, at=0, body="{}").execute(office.database)
    before = contents(office)
    with pytest.raises(IntegrityError):
        append(office.database, game, after, batch, [letter(game)], 0)
    assert contents(office) == before


def test_a_letter_that_cannot_be_written_leaves_nothing_behind(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    after, batch = moved_on(game)
    before = contents(office)
    addressless = letter(game, "second")._replace(address=None)  # type: ignore[arg-type]
    gameless = letter(game, "third")._replace(game="nowhere")
    for wrong in (addressless, gameless):
        with pytest.raises(IntegrityError):
            append(office.database, game, after, batch, [letter(game, "first"), wrong], 0)
        assert contents(office) == before
    append(office.database, game, after, batch, [letter(game, "first")], 0)
    assert is_sound(office, game.id)


def test_after_an_error_the_same_action_is_taken_as_if_nothing_had_been(
    office: Office, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = started(office, [ann, bo])
    before = contents(office)
    with monkeypatch.context() as broken:
        broken.setattr("service.play._letters", lambda before, after: [letter(after)._replace(game="nowhere")])
        with pytest.raises(IntegrityError):
            act(office, game.id, 0, game.head, FACE, "")
    assert contents(office) == before
    answer = act(office, game.id, 0, game.head, FACE, "")
    assert not answer.repeated
    assert is_sound(office, game.id)


def test_a_game_and_a_number_name_one_event(office: Office, ann: Player, bo: Player) -> None:
    one, other = started(office, [ann, bo]), started(office, [ann, bo])
    for game in (one, other):
        with pytest.raises(IntegrityError):
            Event.insert(game=game.id, seq=game.head, at=0, body="{}").execute(office.database)


def test_an_event_belongs_to_a_game(office: Office) -> None:
    with pytest.raises(IntegrityError):
        Event.insert(game="nowhere", seq=1, at=0, body="{}").execute(office.database)


def test_letters_about_the_same_are_there_once(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    before = len(outbox(office))
    same = letter(game, "once")
    post(office.database, [same, same, letter(game, "twice")], 1)
    post(office.database, [same], 2)
    assert len(outbox(office)) == before + 2
    due = Letter.select(Letter.due).where(Letter.about == "once")
    assert [row for (row,) in due.tuples().execute(office.database)] == [1]


# Reading


def test_events_read_back_with_the_time_they_happened(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    game = started(office, [ann, bo])
    times = [written(clock.now)] * game.head
    for _ in range(4):
        clock.now += 61.5
        answer = step(office, game, "pepper")
        times += [written(clock.now)] * len(answer.entries)
        assert entries(office.database, answer.game, game.head) == answer.entries
        game = answer.game
    found = entries(office.database, game)
    assert [entry.at for entry in found] == times
    assert len(found) == game.head


def test_entries_are_those_after_a_head_up_to_a_last(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    for _ in range(4):
        game = step(office, game).game
    everything = entries(office.database, game)
    assert entries(office.database, game, 3) == everything[3:]
    assert entries(office.database, game, 3, 5) == everything[3:5]
    assert entries(office.database, game, 0, 1) == everything[:1]
    assert entries(office.database, game, game.head) == []
    assert entries(office.database, game, 5, 3) == []


def test_events_of_another_game_are_not_among_them(office: Office, ann: Player, bo: Player) -> None:
    one, other = started(office, [ann, bo]), started(office, [ann, bo])
    one = step(office, one).game
    assert len(entries(office.database, one)) == one.head
    assert len(entries(office.database, other)) == other.head


def test_the_deed_at_a_head_is_who_did_what_and_how_far_it_went(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo])
    assert deed_after(office.database, game.id, 0) is None  # nobody did the opening
    answer = act(office, game.id, 0, game.head, FACE, "")
    deed = deed_after(office.database, game.id, game.head)
    assert deed == (0, FACE, game.head + 1, answer.game.head)
    assert deed_after(office.database, game.id, game.head + 1) is None  # the roll is a part of it
    assert deed_after(office.database, game.id, answer.game.head) is None  # not played yet


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_snapshot_is_what_the_events_give_at_every_step(
    office: Office, ann: Player, bo: Player, cy: Player, eve: Player, seats: int, variant: str
) -> None:
    game = started(office, [ann, bo, cy, eve][:seats], options={"variant": variant})
    choice = 0
    while game.status == "playing":
        found = load(office.database, game.id)
        assert (found, refolded(office.database, found)) == (game, game.state)
        choice += 1
        possible = legal(game)
        game = act(office, game.id, mover(game), game.head, possible[choice % len(possible)], str(choice)).game
    found = load(office.database, game.id)
    assert (found, refolded(office.database, found)) == (game, game.state)
    assert (found.status, found.deadline) == ("finished", None)
    assert found.rules.result(found.state) is not None
