"""An action happens once, whoever sends it how often; bots play at once; letters and the clock follow."""

from collections.abc import Callable
from typing import Any

import pytest

from service import play
from service.engine.dice import Dice
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.engine.errors import NotYourTurn as NotYourTurnByTheRules
from service.engine.reading import Json
from service.engine.registry import GAMES
from service.errors import NotFound, NotYourTurn, Problem, Stale
from service.lobby import create
from service.models import Event, Player
from service.office import Office
from service.play import Answer, act
from service.settings import Settings
from service.store import entries, load
from service.stored import StoredGame
from tests.service.conftest import Clock
from tests.service.crowd import another_office, at_once, in_processes, together
from tests.service.tables import (
    OPEN,
    Sent,
    contents,
    is_sound,
    legal,
    mover,
    outbox,
    rest_of,
    started,
    step,
    wish,
)

AHEAD: Json = {"type": "face", "direction": "ahead"}
LEFT: Json = {"type": "face", "direction": "left"}
RESIGN: Json = {"type": "resign"}


@pytest.fixture
def game(office: Office, ann: Player, bo: Player) -> StoredGame:
    """Ann and Bo have begun, and Ann is to act."""
    return started(office, [ann, bo])


# An action happens once


def test_an_action_answers_with_its_events_and_the_game_after_it(office: Office, game: StoredGame) -> None:
    answer = act(office, game.id, 0, game.head, AHEAD, "pepper")
    assert (answer.first, answer.repeated) == (game.head + 1, False)
    assert [entry.event.type for entry in answer.entries[:3]] == ["faced", "rolled", "moved"]
    assert answer.game == load(office.database, game.id)
    assert answer.game.head == game.head + len(answer.entries)


def test_sent_again_it_answers_the_same_and_changes_nothing(office: Office, game: StoredGame, clock: Clock) -> None:
    first = act(office, game.id, 0, game.head, AHEAD, "pepper")
    before = contents(office)
    clock.now += 3600
    for _ in range(3):
        assert act(office, game.id, 0, game.head, AHEAD, "pepper") == first._replace(repeated=True)
    assert contents(office) == before


def test_sent_again_with_another_salt_it_does_not_roll_again(office: Office, game: StoredGame) -> None:
    first = act(office, game.id, 0, game.head, AHEAD, "pepper")
    before = contents(office)
    for number in range(20):
        assert act(office, game.id, 0, game.head, AHEAD, f"salt {number}").entries == first.entries
    assert contents(office) == before


def test_a_rug_named_the_other_way_round_is_the_same_action(office: Office, game: StoredGame) -> None:
    game = step(office, game).game
    lay = legal(game)[0]
    first = act(office, game.id, 0, game.head, lay, "")
    turned = {"type": "lay", "squares": lay["squares"][::-1]}
    assert act(office, game.id, 0, game.head, turned, "") == first._replace(repeated=True)


def test_it_is_repeated_after_the_game_has_gone_on_and_when_it_is_over(office: Office, game: StoredGame) -> None:
    deeds: list[tuple[int, int, Json, Answer]] = []
    now = game
    for _ in range(6):
        seat, head, action = mover(now), now.head, legal(now)[0]
        deeds.append((seat, head, action, act(office, game.id, seat, head, action, "")))
        now = deeds[-1][3].game
    for over in (False, True):
        now = rest_of(office, now) if over else now
        before = contents(office)
        for seat, head, action, first in deeds:
            again = act(office, game.id, seat, head, action, "")
            assert again == first._replace(repeated=True, game=now)
        assert contents(office) == before


def test_the_last_action_of_a_game_is_repeated_too(office: Office, game: StoredGame) -> None:
    first = act(office, game.id, 1, game.head, RESIGN, "")
    assert first.game.status == "finished"
    assert act(office, game.id, 1, game.head, RESIGN, "") == first._replace(repeated=True)


@pytest.mark.parametrize("head", [-(2**70), -1, 0, 1, 2, 5, 1000, 2**31, 2**63, 2**70])
def test_another_head_is_stale(office: Office, game: StoredGame, head: int) -> None:
    game = step(office, game).game
    assert head != game.head
    before = contents(office)
    with pytest.raises(Stale):
        act(office, game.id, 0, head, legal(game)[0], "")
    assert contents(office) == before


def test_another_action_at_an_old_head_is_stale(office: Office, game: StoredGame) -> None:
    act(office, game.id, 0, game.head, AHEAD, "")
    before = contents(office)
    for other in (LEFT, RESIGN):
        with pytest.raises(Stale):
            act(office, game.id, 0, game.head, other, "")
    assert contents(office) == before


def test_the_same_action_of_another_seat_is_stale(office: Office, game: StoredGame) -> None:
    act(office, game.id, 0, game.head, RESIGN, "")
    before = contents(office)
    with pytest.raises(Stale):
        act(office, game.id, 1, game.head, RESIGN, "")
    assert contents(office) == before


def test_the_opening_of_a_game_is_nobodys_action(office: Office, game: StoredGame) -> None:
    for seat in (0, 1):
        with pytest.raises(Stale):
            act(office, game.id, seat, 0, AHEAD, "")


# What is refused changes nothing


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"type": "fly"},
        {"type": "face"},
        {"type": "face", "direction": "back"},
        {"type": "face", "direction": "left", "die": 4},
        {"type": "lay", "squares": ["d4", "d9"]},
        {"type": "lay", "squares": ["a1", "g7"]},
        {"type": "resign", "seat": 1},
        ["face", "left"],
        None,
    ],
    ids=str,
)
def test_an_action_that_cannot_be_read_is_refused(office: Office, game: StoredGame, action: Any) -> None:
    before = contents(office)
    with pytest.raises(Malformed):
        act(office, game.id, 0, game.head, action, "")
    assert contents(office) == before


@pytest.mark.parametrize("action", [{"type": "lay", "squares": ["d5", "e5"]}, {"type": "turn", "direction": "left"}])
def test_an_action_against_the_rules_is_refused(office: Office, game: StoredGame, action: Json) -> None:
    before = contents(office)
    with pytest.raises(IllegalAction):
        act(office, game.id, 0, game.head, action, "")
    assert contents(office) == before


@pytest.mark.parametrize("seat", [1, 2, -1])
def test_whoever_is_not_to_act_has_to_wait(office: Office, game: StoredGame, seat: int) -> None:
    before = contents(office)
    with pytest.raises(NotYourTurnByTheRules):
        act(office, game.id, seat, game.head, AHEAD, "")
    assert contents(office) == before


@pytest.mark.parametrize("seat", [2, -1])
def test_a_seat_that_does_not_exist_cannot_resign(office: Office, game: StoredGame, seat: int) -> None:
    before = contents(office)
    with pytest.raises(IllegalAction):
        act(office, game.id, seat, game.head, RESIGN, "")
    assert contents(office) == before


def test_before_the_start_nothing_can_be_done(office: Office, ann: Player) -> None:
    table = create(office, ann, wish(OPEN))
    before = contents(office)
    for action in (AHEAD, RESIGN):
        with pytest.raises(NotYourTurn, match="has not started"):
            act(office, table.id, 0, 0, action, "")
    assert contents(office) == before


def test_when_it_is_over_nothing_can_be_done(office: Office, game: StoredGame) -> None:
    over = rest_of(office, game)
    before = contents(office)
    for action in (AHEAD, RESIGN):
        with pytest.raises(GameOver):
            act(office, game.id, 0, over.head, action, "")
    assert contents(office) == before


def test_a_game_that_does_not_exist_is_not_found(office: Office) -> None:
    with pytest.raises(NotFound):
        act(office, "nowhere", 0, 0, AHEAD, "")


def test_a_turn_link_plays_its_own_turn_only(office: Office, game: StoredGame) -> None:
    before = contents(office)
    for turn in (0, 2):
        with pytest.raises(NotYourTurn, match="over"):
            act(office, game.id, 0, game.head, AHEAD, "", turn=turn)
    assert contents(office) == before
    first = act(office, game.id, 0, game.head, AHEAD, "", turn=1)
    later = rest_of(office, first.game)
    assert act(office, game.id, 0, game.head, AHEAD, "", turn=1) == first._replace(repeated=True, game=later)


# The salt


def test_the_salt_is_recorded_and_decides_the_roll_together_with_the_seed(office: Office, game: StoredGame) -> None:
    for salt in ("", "pepper", "Pfeffer, Kümmel & 🌶", "x" * 64, "\0"):
        answer = act(office, game.id, mover(game), game.head, AHEAD, salt)
        rolled = answer.entries[1].event
        assert rolled.salt == salt
        place = Dice(game.id, bytes.fromhex(game.seed), salt).roll(rolled.roll)
        assert rolled.die == (1, 2, 2, 3, 3, 4)[place]
        assert is_sound(office, game.id)
        game = step(office, answer.game).game


@pytest.mark.parametrize("salt", ["x" * 65, "\ud800"])
def test_a_salt_that_is_none_is_refused(office: Office, game: StoredGame, salt: str) -> None:
    before = contents(office)
    with pytest.raises(Malformed, match="salt"):
        act(office, game.id, 0, game.head, AHEAD, salt)
    assert contents(office) == before


# Bots


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
def test_bots_play_at_once_so_that_the_game_never_waits_for_one(office: Office, ann: Player, variant: str) -> None:
    game = started(office, [ann], bots=3, options={"variant": variant})
    while game.status == "playing":
        assert mover(game) == 0
        answer = step(office, game)
        assert answer.entries == entries(office.database, answer.game, game.head)
        game = answer.game
    assert is_sound(office, game.id)


def test_what_the_bots_do_belongs_to_the_action_before_it(office: Office, ann: Player) -> None:
    game = step(office, started(office, [ann], bots=3)).game
    first = step(office, game)
    assert {entry.event.seat for entry in first.entries if entry.event.type == "laid"} == {0, 1, 2, 3}
    assert step(office, game) == first._replace(repeated=True)


def test_bots_that_begin_have_played_when_the_table_is_made(office: Office, ann: Player) -> None:
    game = started(office, [ann], bots=3, options={"first": 1})
    assert (mover(game), game.turn) == (0, 4)
    assert is_sound(office, game.id)


def test_when_the_last_person_leaves_the_bots_play_to_the_end(office: Office, ann: Player) -> None:
    game = started(office, [ann], bots=3)
    over = act(office, game.id, 0, game.head, RESIGN, "").game
    assert over.status == "finished"
    assert is_sound(office, game.id)


def test_bots_that_never_come_to_an_end_are_stopped_and_nothing_is_written(
    office: Office, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = step(office, started(office, [ann], bots=3)).game
    before = contents(office)
    monkeypatch.setattr(play, "MOST_BOT_STEPS", 5)
    with pytest.raises(RuntimeError, match="did not come to an end"):
        step(office, game)
    assert contents(office) == before
    monkeypatch.undo()
    assert mover(step(office, game).game) == 0


def test_a_bot_that_cheats_is_refused_and_nothing_is_written(
    office: Office, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = step(office, started(office, [ann], bots=1)).game
    before = contents(office)
    cheat = {"random": lambda view, chance: {"type": "turn", "direction": "left"}}
    monkeypatch.setattr(type(GAMES["marrakech"]), "bots", cheat)
    with pytest.raises(IllegalAction):
        step(office, game)
    assert contents(office) == before


# Letters


def test_whoever_comes_to_be_to_act_gets_one_letter_for_the_turn(office: Office, game: StoredGame) -> None:
    expected = [Sent("turn", "ann@example.org", 1)]
    assert outbox(office) == expected
    for turn in range(2, 6):
        game = step(office, game).game
        assert outbox(office) == expected  # the roll is told on the page, not by a letter
        game = step(office, game).game
        expected.append(Sent("turn", game.seats[mover(game)].address or "", turn))
        assert outbox(office) == expected


def test_everybody_gets_one_letter_when_it_is_over(office: Office, ann: Player, bo: Player, cy: Player) -> None:
    game = started(office, [ann, bo, cy])
    game = act(office, game.id, 1, game.head, RESIGN, "").game
    rest_of(office, game)
    letters = outbox(office)
    assert letters[-3:] == [Sent("over", f"{who}@example.org", letters[-1].turn) for who in ("ann", "bo", "cy")]
    assert [letter.kind for letter in letters].count("over") == 3
    assert len(set(letters)) == len(letters)


def test_bots_get_no_letters(office: Office, ann: Player) -> None:
    rest_of(office, started(office, [ann], bots=3))
    letters = outbox(office)
    assert {letter.address for letter in letters} == {"ann@example.org"}
    assert letters[-1].kind == "over"
    assert len(set(letters)) == len(letters)


# The clock


def test_without_a_pace_there_is_no_deadline(office: Office, game: StoredGame) -> None:
    assert step(office, game).game.deadline is None


def test_a_turn_has_the_pace_of_the_table_and_a_new_turn_the_whole_of_it(
    office: Office, ann: Player, bo: Player, clock: Clock
) -> None:
    begun = clock.now
    game = started(office, [ann, bo], pace=3600)
    assert game.deadline == begun + 3600
    clock.now += 100
    game = step(office, game).game
    assert (game.turn, game.deadline) == (1, begun + 3600)
    clock.now += 100
    game = step(office, game).game
    assert (game.turn, game.deadline) == (2, begun + 200 + 3600)
    assert load(office.database, game.id).deadline == game.deadline


def test_a_repeated_action_does_not_renew_the_deadline(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    game = step(office, started(office, [ann, bo], pace=3600)).game
    first = step(office, game)
    clock.now += 100
    assert step(office, game).game.deadline == first.game.deadline


def test_somebody_elses_resigning_does_not_give_the_mover_more_time(
    office: Office, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = started(office, [ann, bo, cy], pace=3600)
    clock.now += 100
    after = act(office, game.id, 2, game.head, RESIGN, "").game
    assert (after.turn, after.deadline) == (game.turn, game.deadline)


def test_when_it_is_over_there_is_no_deadline(office: Office, ann: Player, bo: Player) -> None:
    game = started(office, [ann, bo], pace=3600)
    assert act(office, game.id, 0, game.head, RESIGN, "").game.deadline is None
    assert load(office.database, game.id).deadline is None


# Everybody at once

THREADS = 16
TIMES = 20
PROCESSES = 4


def test_the_same_action_sent_by_many_at_once_happens_once(office: Office, game: StoredGame) -> None:
    game = step(office, game).game  # laying a rug ends the turn, so a letter follows
    lay, letters = legal(game)[0], outbox(office)

    def ask_again_and_again() -> list[Answer]:
        return [act(office, game.id, 0, game.head, lay, "") for _ in range(TIMES)]

    answers = [answer for each in at_once(office, [ask_again_and_again] * THREADS) for answer in all_of(each)]
    assert len(answers) == THREADS * TIMES
    assert [answer.repeated for answer in answers].count(False) == 1
    assert all(answer == answers[0]._replace(repeated=answer.repeated) for answer in answers)
    assert events_after(office, game) == len(answers[0].entries)
    assert outbox(office) == [*letters, Sent("turn", "bo@example.org", 2)]
    assert is_sound(office, game.id)


def all_of(outcome: list[Answer] | Problem) -> list[Answer]:
    assert isinstance(outcome, list)
    return outcome


def events_after(office: Office, game: StoredGame) -> int:
    after = (Event.game == game.id) & (Event.seq > game.head)
    return int(Event.select().where(after).count(office.database))


def test_a_roll_wanted_by_many_at_once_with_salts_of_their_own_is_rolled_once(office: Office, game: StoredGame) -> None:
    def roll_with(salt: str) -> Callable[[], Answer]:
        return lambda: act(office, game.id, 0, game.head, AHEAD, salt)

    answers = at_once(office, [roll_with(f"salt {number}") for number in range(THREADS)])
    rolled = [answer.entries for answer in answers if isinstance(answer, Answer)]
    assert rolled == [rolled[0]] * THREADS
    assert events_after(office, game) == len(rolled[0])
    assert is_sound(office, game.id)


def test_of_different_actions_at_once_one_wins_and_the_others_are_stale(
    office: Office, ann: Player, bo: Player
) -> None:
    for _ in range(5):
        game = step(office, started(office, [ann, bo])).game
        letters = len(outbox(office))
        places = legal(game)

        def lay(action: Json, game: StoredGame = game) -> Callable[[], Answer]:
            return lambda: act(office, game.id, 0, game.head, action, "")

        outcomes = at_once(office, [lay(places[number % len(places)]) for number in range(THREADS)])
        won = [(number % len(places), answer) for number, answer in enumerate(outcomes) if isinstance(answer, Answer)]
        assert len({place for place, _ in won}) == 1
        assert [answer.repeated for _, answer in won].count(False) == 1
        assert all(isinstance(outcome, Answer | Stale) for outcome in outcomes)
        assert len(won) <= -(-THREADS // len(places))
        assert events_after(office, game) == len(won[0][1].entries)
        assert len(outbox(office)) == letters + 1
        assert is_sound(office, game.id)


def insist(settings: Settings, now: float, game: StoredGame, action: Json) -> list[Answer]:
    """One process sends the same action again and again."""
    office = another_office(settings, now)
    try:
        return [act(office, game.id, 0, game.head, action, "") for _ in range(TIMES)]
    finally:
        office.database.close()


def test_the_same_action_sent_by_processes_at_once_happens_once(office: Office, game: StoredGame, clock: Clock) -> None:
    game = step(office, game).game
    letters = outbox(office)
    told = in_processes(insist, [(office.settings, clock.now, game, legal(game)[0])] * PROCESSES)
    answers = [answer for each in told for answer in each]
    assert len(answers) == PROCESSES * TIMES
    assert [answer.repeated for answer in answers].count(False) == 1
    assert all(answer == answers[0]._replace(repeated=answer.repeated) for answer in answers)
    assert events_after(office, game) == len(answers[0].entries)
    assert outbox(office) == [*letters, Sent("turn", "bo@example.org", 2)]
    assert is_sound(office, game.id)


def race(settings: Settings, now: float, game_id: str, taste: int) -> list[tuple[int, Json, str]]:
    """One process of several that act at the same heads at the same moment, each by its own taste.

    Returns the head, the action and what became of it, for every step of the game.
    """
    office = another_office(settings, now)
    steps = []
    while (game := load(office.database, game_id)).status == "playing":
        action = legal(game)[taste % len(legal(game))]
        together()
        try:
            answer = act(office, game_id, mover(game), game.head, action, str(taste))
            steps.append((game.head, action, "repeated" if answer.repeated else "won"))
        except Stale:
            steps.append((game.head, action, "stale"))
        together()
    office.database.close()
    return steps


def test_of_processes_that_act_at_once_one_wins_at_every_step_of_a_game(
    office: Office, game: StoredGame, clock: Clock
) -> None:
    steps = in_processes(race, [(office.settings, clock.now, game.id, taste) for taste in range(PROCESSES)])
    assert len(steps[0]) > 10
    for told in zip(*steps, strict=True):
        assert len({head for head, _, _ in told}) == 1
        (won,) = [action for _, action, became in told if became == "won"]
        assert all((became == "stale") == (action != won) for _, action, became in told)
    letters = outbox(office)
    assert len(set(letters)) == len(letters)
    assert load(office.database, game.id).status == "finished"
    assert is_sound(office, game.id)
