"""An action happens exactly once; bots play at once; letters and the clock follow."""

from collections.abc import Callable
from typing import Any

import pytest

from service.config import Settings
from service.context import AppContext
from service.db.models import Event, Player
from service.engine.dice import Dice
from service.engine.errors import GameOver, IllegalAction, Malformed
from service.engine.errors import NotYourTurn as NotYourTurnByTheRules
from service.engine.json_reader import Json
from service.engine.registry import GAMES
from service.errors import NotFound, NotYourTurn, Problem, Stale
from service.games import play
from service.games.lobby import create_game
from service.games.play import ActionResult, act
from service.games.store import StoredGame, entries, load
from tests.support.clock import Clock
from tests.support.crowd import another_context, run_at_once, run_in_processes, wait_for_all
from tests.support.tables import (
    OPEN,
    QueuedLetter,
    database_contents,
    legal_actions,
    new_game,
    play_one_action,
    play_to_end,
    queued_letters,
    seat_to_act,
    snapshot_matches,
    start_game,
)

pytestmark = pytest.mark.databases("sqlite", "postgresql")

AHEAD: Json = {"type": "face", "direction": "ahead"}
LEFT: Json = {"type": "face", "direction": "left"}
RESIGN: Json = {"type": "resign"}


@pytest.fixture
def game(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """A started game of Ann and Bo; Ann is to act."""
    return start_game(ctx, [ann, bo])


# An action happens once


def test_an_action_returns_its_events_and_the_game_after_it(ctx: AppContext, game: StoredGame) -> None:
    answer = act(ctx, game.id, 0, game.head, AHEAD, "pepper")
    assert (answer.first, answer.repeated) == (game.head + 1, False)
    assert [entry.event.type for entry in answer.entries[:3]] == ["faced", "rolled", "moved"]
    assert answer.game == load(ctx.database, game.id)
    assert answer.game.head == game.head + len(answer.entries)


def test_the_same_action_sent_again_returns_the_same_events_and_changes_nothing(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    first = act(ctx, game.id, 0, game.head, AHEAD, "pepper")
    before = database_contents(ctx)
    clock.now += 3600
    for _ in range(3):
        assert act(ctx, game.id, 0, game.head, AHEAD, "pepper") == first._replace(repeated=True)
    assert database_contents(ctx) == before


def test_the_same_action_with_another_salt_does_not_roll_again(ctx: AppContext, game: StoredGame) -> None:
    first = act(ctx, game.id, 0, game.head, AHEAD, "pepper")
    before = database_contents(ctx)
    for number in range(20):
        assert act(ctx, game.id, 0, game.head, AHEAD, f"salt {number}").entries == first.entries
    assert database_contents(ctx) == before


def test_a_rug_with_its_squares_swapped_is_the_same_action(ctx: AppContext, game: StoredGame) -> None:
    game = play_one_action(ctx, game).game
    lay = legal_actions(game)[0]
    first = act(ctx, game.id, 0, game.head, lay, "")
    turned = {"type": "lay", "squares": lay["squares"][::-1]}
    assert act(ctx, game.id, 0, game.head, turned, "") == first._replace(repeated=True)


def test_an_action_can_be_repeated_later_and_after_the_game_is_over(ctx: AppContext, game: StoredGame) -> None:
    deeds: list[tuple[int, int, Json, ActionResult]] = []
    now = game
    for _ in range(6):
        seat, head, action = seat_to_act(now), now.head, legal_actions(now)[0]
        deeds.append((seat, head, action, act(ctx, game.id, seat, head, action, "")))
        now = deeds[-1][3].game
    for over in (False, True):
        now = play_to_end(ctx, now) if over else now
        before = database_contents(ctx)
        for seat, head, action, first in deeds:
            again = act(ctx, game.id, seat, head, action, "")
            assert again == first._replace(repeated=True, game=now)
        assert database_contents(ctx) == before


def test_the_last_action_of_a_game_can_be_repeated(ctx: AppContext, game: StoredGame) -> None:
    first = act(ctx, game.id, 1, game.head, RESIGN, "")
    assert first.game.status == "finished"
    assert act(ctx, game.id, 1, game.head, RESIGN, "") == first._replace(repeated=True)


@pytest.mark.parametrize("head", [-(2**70), -1, 0, 1, 2, 5, 1000, 2**31, 2**63, 2**70])
def test_an_action_at_another_head_is_stale(ctx: AppContext, game: StoredGame, head: int) -> None:
    game = play_one_action(ctx, game).game
    assert head != game.head
    before = database_contents(ctx)
    with pytest.raises(Stale):
        act(ctx, game.id, 0, head, legal_actions(game)[0], "")
    assert database_contents(ctx) == before


def test_another_action_at_an_old_head_is_stale(ctx: AppContext, game: StoredGame) -> None:
    act(ctx, game.id, 0, game.head, AHEAD, "")
    before = database_contents(ctx)
    for other in (LEFT, RESIGN):
        with pytest.raises(Stale):
            act(ctx, game.id, 0, game.head, other, "")
    assert database_contents(ctx) == before


def test_the_same_action_by_another_seat_is_stale(ctx: AppContext, game: StoredGame) -> None:
    act(ctx, game.id, 0, game.head, RESIGN, "")
    before = database_contents(ctx)
    with pytest.raises(Stale):
        act(ctx, game.id, 1, game.head, RESIGN, "")
    assert database_contents(ctx) == before


def test_the_opening_events_are_no_players_action(ctx: AppContext, game: StoredGame) -> None:
    for seat in (0, 1):
        with pytest.raises(Stale):
            act(ctx, game.id, seat, 0, AHEAD, "")


# Refused actions change nothing


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
def test_a_malformed_action_is_refused(ctx: AppContext, game: StoredGame, action: Any) -> None:
    before = database_contents(ctx)
    with pytest.raises(Malformed):
        act(ctx, game.id, 0, game.head, action, "")
    assert database_contents(ctx) == before


@pytest.mark.parametrize("action", [{"type": "lay", "squares": ["d5", "e5"]}, {"type": "turn", "direction": "left"}])
def test_an_action_against_the_rules_is_refused(ctx: AppContext, game: StoredGame, action: Json) -> None:
    before = database_contents(ctx)
    with pytest.raises(IllegalAction):
        act(ctx, game.id, 0, game.head, action, "")
    assert database_contents(ctx) == before


@pytest.mark.parametrize("seat", [1, 2, -1])
def test_a_player_who_is_not_to_act_is_refused(ctx: AppContext, game: StoredGame, seat: int) -> None:
    before = database_contents(ctx)
    with pytest.raises(NotYourTurnByTheRules):
        act(ctx, game.id, seat, game.head, AHEAD, "")
    assert database_contents(ctx) == before


@pytest.mark.parametrize("seat", [2, -1])
def test_a_seat_that_does_not_exist_cannot_resign(ctx: AppContext, game: StoredGame, seat: int) -> None:
    before = database_contents(ctx)
    with pytest.raises(IllegalAction):
        act(ctx, game.id, seat, game.head, RESIGN, "")
    assert database_contents(ctx) == before


def test_no_action_is_accepted_before_the_start(ctx: AppContext, ann: Player) -> None:
    table = create_game(ctx, ann, new_game(OPEN))
    before = database_contents(ctx)
    for action in (AHEAD, RESIGN):
        with pytest.raises(NotYourTurn, match="hasn't started yet"):
            act(ctx, table.id, 0, 0, action, "")
    assert database_contents(ctx) == before


def test_no_action_is_accepted_after_the_game_is_over(ctx: AppContext, game: StoredGame) -> None:
    over = play_to_end(ctx, game)
    before = database_contents(ctx)
    for action in (AHEAD, RESIGN):
        with pytest.raises(GameOver):
            act(ctx, game.id, 0, over.head, action, "")
    assert database_contents(ctx) == before


def test_a_game_that_does_not_exist_is_not_found(ctx: AppContext) -> None:
    with pytest.raises(NotFound):
        act(ctx, "nowhere", 0, 0, AHEAD, "")


def test_a_turn_link_plays_its_own_turn_only(ctx: AppContext, game: StoredGame) -> None:
    before = database_contents(ctx)
    for turn in (0, 2):
        with pytest.raises(NotYourTurn, match="over"):
            act(ctx, game.id, 0, game.head, AHEAD, "", turn=turn)
    assert database_contents(ctx) == before
    first = act(ctx, game.id, 0, game.head, AHEAD, "", turn=1)
    later = play_to_end(ctx, first.game)
    assert act(ctx, game.id, 0, game.head, AHEAD, "", turn=1) == first._replace(repeated=True, game=later)


# The salt


def test_the_salt_is_recorded_and_decides_the_roll_together_with_the_seed(ctx: AppContext, game: StoredGame) -> None:
    for salt in ("", "pepper", "Pfeffer, Kümmel & 🌶", "x" * 64, "\0"):
        answer = act(ctx, game.id, seat_to_act(game), game.head, AHEAD, salt)
        rolled = answer.entries[1].event
        assert rolled.salt == salt
        place = Dice(game.id, bytes.fromhex(game.seed), salt).roll(rolled.roll)
        assert rolled.die == (1, 2, 2, 3, 3, 4)[place]
        assert snapshot_matches(ctx, game.id)
        game = play_one_action(ctx, answer.game).game


@pytest.mark.parametrize("salt", ["x" * 65, "\ud800"])
def test_an_invalid_salt_is_refused(ctx: AppContext, game: StoredGame, salt: str) -> None:
    before = database_contents(ctx)
    with pytest.raises(Malformed, match="salt"):
        act(ctx, game.id, 0, game.head, AHEAD, salt)
    assert database_contents(ctx) == before


# Bots


@pytest.mark.parametrize("variant", ["standard", "rotate-after"])
def test_bots_play_at_once(ctx: AppContext, ann: Player, variant: str) -> None:
    game = start_game(ctx, [ann], bots=3, options={"variant": variant})
    while game.status == "playing":
        assert seat_to_act(game) == 0
        answer = play_one_action(ctx, game)
        assert answer.entries == entries(ctx.database, answer.game, game.head)
        game = answer.game
    assert snapshot_matches(ctx, game.id)


def test_events_of_bots_belong_to_the_action_before_them(ctx: AppContext, ann: Player) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann], bots=3)).game
    first = play_one_action(ctx, game)
    assert {entry.event.seat for entry in first.entries if entry.event.type == "laid"} == {0, 1, 2, 3}
    assert play_one_action(ctx, game) == first._replace(repeated=True)


def test_bots_that_begin_play_when_the_game_is_created(ctx: AppContext, ann: Player) -> None:
    game = start_game(ctx, [ann], bots=3, options={"first": 1})
    assert (seat_to_act(game), game.turn) == (0, 4)
    assert snapshot_matches(ctx, game.id)


def test_when_the_last_person_resigns_the_bots_play_to_the_end(ctx: AppContext, ann: Player) -> None:
    game = start_game(ctx, [ann], bots=3)
    over = act(ctx, game.id, 0, game.head, RESIGN, "").game
    assert over.status == "finished"
    assert snapshot_matches(ctx, game.id)


def test_bots_that_never_finish_are_stopped_and_nothing_is_stored(
    ctx: AppContext, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann], bots=3)).game
    before = database_contents(ctx)
    monkeypatch.setattr(play, "MOST_BOT_STEPS", 5)
    with pytest.raises(RuntimeError, match="didn't finish"):
        play_one_action(ctx, game)
    assert database_contents(ctx) == before
    monkeypatch.undo()
    assert seat_to_act(play_one_action(ctx, game).game) == 0


def test_an_illegal_action_of_a_bot_is_refused_and_nothing_is_stored(
    ctx: AppContext, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann], bots=1)).game
    before = database_contents(ctx)
    cheat = {"easy": lambda view, chance: {"type": "turn", "direction": "left"}}
    monkeypatch.setattr(type(GAMES["marrakech"]), "bots", cheat)
    with pytest.raises(IllegalAction):
        play_one_action(ctx, game)
    assert database_contents(ctx) == before


# Letters


def test_the_player_to_act_gets_one_letter_per_turn(ctx: AppContext, game: StoredGame) -> None:
    expected = [QueuedLetter("turn", "ann@example.org", 1)]
    assert queued_letters(ctx) == expected
    for turn in range(2, 6):
        game = play_one_action(ctx, game).game
        assert queued_letters(ctx) == expected  # the page shows the roll; there is no letter for it
        game = play_one_action(ctx, game).game
        expected.append(QueuedLetter("turn", game.seats[seat_to_act(game)].address or "", turn))
        assert queued_letters(ctx) == expected


def test_every_player_gets_one_letter_when_the_game_is_over(
    ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    game = start_game(ctx, [ann, bo, cy])
    game = act(ctx, game.id, 1, game.head, RESIGN, "").game
    play_to_end(ctx, game)
    letters = queued_letters(ctx)
    assert letters[-3:] == [QueuedLetter("over", f"{who}@example.org", letters[-1].turn) for who in ("ann", "bo", "cy")]
    assert [letter.kind for letter in letters].count("over") == 3
    assert len(set(letters)) == len(letters)


def test_bots_get_no_letters(ctx: AppContext, ann: Player) -> None:
    play_to_end(ctx, start_game(ctx, [ann], bots=3))
    letters = queued_letters(ctx)
    assert {letter.address for letter in letters} == {"ann@example.org"}
    assert letters[-1].kind == "over"
    assert len(set(letters)) == len(letters)


# The clock


def test_without_a_pace_there_is_no_deadline(ctx: AppContext, game: StoredGame) -> None:
    assert play_one_action(ctx, game).game.deadline is None


def test_every_turn_gets_the_games_full_pace(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    begun = clock.now
    game = start_game(ctx, [ann, bo], pace=3600)
    assert game.deadline == begun + 3600
    clock.now += 100
    game = play_one_action(ctx, game).game
    assert (game.turn, game.deadline) == (1, begun + 3600)
    clock.now += 100
    game = play_one_action(ctx, game).game
    assert (game.turn, game.deadline) == (2, begun + 200 + 3600)
    assert load(ctx.database, game.id).deadline == game.deadline


def test_a_repeated_action_does_not_renew_the_deadline(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    game = play_one_action(ctx, start_game(ctx, [ann, bo], pace=3600)).game
    first = play_one_action(ctx, game)
    clock.now += 100
    assert play_one_action(ctx, game).game.deadline == first.game.deadline


def test_another_players_resignation_does_not_extend_the_deadline(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    game = start_game(ctx, [ann, bo, cy], pace=3600)
    clock.now += 100
    after = act(ctx, game.id, 2, game.head, RESIGN, "").game
    assert (after.turn, after.deadline) == (game.turn, game.deadline)


def test_a_finished_game_has_no_deadline(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo], pace=3600)
    assert act(ctx, game.id, 0, game.head, RESIGN, "").game.deadline is None
    assert load(ctx.database, game.id).deadline is None


# Simultaneous actions

THREADS = 16
TIMES = 20
PROCESSES = 4


def test_the_same_action_sent_by_many_at_once_happens_once(ctx: AppContext, game: StoredGame) -> None:
    game = play_one_action(ctx, game).game  # laying a rug ends the turn, so a letter follows
    lay, letters = legal_actions(game)[0], queued_letters(ctx)

    def ask_again_and_again() -> list[ActionResult]:
        return [act(ctx, game.id, 0, game.head, lay, "") for _ in range(TIMES)]

    answers = [answer for each in run_at_once(ctx, [ask_again_and_again] * THREADS) for answer in all_of(each)]
    assert len(answers) == THREADS * TIMES
    assert [answer.repeated for answer in answers].count(False) == 1
    assert all(answer == answers[0]._replace(repeated=answer.repeated) for answer in answers)
    assert events_after(ctx, game) == len(answers[0].entries)
    assert queued_letters(ctx) == [*letters, QueuedLetter("turn", "bo@example.org", 2)]
    assert snapshot_matches(ctx, game.id)


def all_of(outcome: list[ActionResult] | Problem) -> list[ActionResult]:
    assert isinstance(outcome, list)
    return outcome


def events_after(ctx: AppContext, game: StoredGame) -> int:
    after = (Event.game == game.id) & (Event.seq > game.head)
    return int(Event.select().where(after).count(ctx.database))


def test_the_same_action_with_different_salts_at_once_rolls_once(ctx: AppContext, game: StoredGame) -> None:
    def roll_with(salt: str) -> Callable[[], ActionResult]:
        return lambda: act(ctx, game.id, 0, game.head, AHEAD, salt)

    answers = run_at_once(ctx, [roll_with(f"salt {number}") for number in range(THREADS)])
    rolled = [answer.entries for answer in answers if isinstance(answer, ActionResult)]
    assert rolled == [rolled[0]] * THREADS
    assert events_after(ctx, game) == len(rolled[0])
    assert snapshot_matches(ctx, game.id)


def test_of_different_actions_at_once_one_wins_and_the_others_are_stale(
    ctx: AppContext, ann: Player, bo: Player
) -> None:
    for _ in range(5):
        game = play_one_action(ctx, start_game(ctx, [ann, bo])).game
        letters = len(queued_letters(ctx))
        places = legal_actions(game)

        def lay(action: Json, game: StoredGame = game) -> Callable[[], ActionResult]:
            return lambda: act(ctx, game.id, 0, game.head, action, "")

        outcomes = run_at_once(ctx, [lay(places[number % len(places)]) for number in range(THREADS)])
        won = [
            (number % len(places), answer) for number, answer in enumerate(outcomes) if isinstance(answer, ActionResult)
        ]
        assert len({place for place, _ in won}) == 1
        assert [answer.repeated for _, answer in won].count(False) == 1
        assert all(isinstance(outcome, ActionResult | Stale) for outcome in outcomes)
        assert len(won) <= -(-THREADS // len(places))
        assert events_after(ctx, game) == len(won[0][1].entries)
        assert len(queued_letters(ctx)) == letters + 1
        assert snapshot_matches(ctx, game.id)


def insist(settings: Settings, now: float, game: StoredGame, action: Json) -> list[ActionResult]:
    """Send the same action repeatedly, in one of several processes."""
    ctx = another_context(settings, now)
    try:
        return [act(ctx, game.id, 0, game.head, action, "") for _ in range(TIMES)]
    finally:
        ctx.database.close()


def test_the_same_action_sent_by_processes_at_once_happens_once(
    ctx: AppContext, game: StoredGame, clock: Clock
) -> None:
    game = play_one_action(ctx, game).game
    letters = queued_letters(ctx)
    told = run_in_processes(insist, [(ctx.settings, clock.now, game, legal_actions(game)[0])] * PROCESSES)
    answers = [answer for each in told for answer in each]
    assert len(answers) == PROCESSES * TIMES
    assert [answer.repeated for answer in answers].count(False) == 1
    assert all(answer == answers[0]._replace(repeated=answer.repeated) for answer in answers)
    assert events_after(ctx, game) == len(answers[0].entries)
    assert queued_letters(ctx) == [*letters, QueuedLetter("turn", "bo@example.org", 2)]
    assert snapshot_matches(ctx, game.id)


def race(settings: Settings, now: float, game_id: str, taste: int) -> list[tuple[int, Json, str]]:
    """Play in one of several processes that act at the same heads at the same moment, each with its own choices.

    Returns the head, the action and what became of it, for every step of the game.
    """
    ctx = another_context(settings, now)
    steps = []
    while (game := load(ctx.database, game_id)).status == "playing":
        action = legal_actions(game)[taste % len(legal_actions(game))]
        wait_for_all()
        try:
            answer = act(ctx, game_id, seat_to_act(game), game.head, action, str(taste))
            steps.append((game.head, action, "repeated" if answer.repeated else "won"))
        except Stale:
            steps.append((game.head, action, "stale"))
        wait_for_all()
    ctx.database.close()
    return steps


def test_of_processes_that_act_at_once_one_wins_at_every_step(ctx: AppContext, game: StoredGame, clock: Clock) -> None:
    steps = run_in_processes(race, [(ctx.settings, clock.now, game.id, taste) for taste in range(PROCESSES)])
    assert len(steps[0]) > 10
    for told in zip(*steps, strict=True):
        assert len({head for head, _, _ in told}) == 1
        (won,) = [action for _, action, became in told if became == "won"]
        assert all((became == "stale") == (action != won) for _, action, became in told)
    letters = queued_letters(ctx)
    assert len(set(letters)) == len(letters)
    assert load(ctx.database, game.id).status == "finished"
    assert snapshot_matches(ctx, game.id)
