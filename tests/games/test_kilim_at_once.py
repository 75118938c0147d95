"""Kilim, where everybody plays at the same moment: each action happens once, and none is late because of another's."""

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from service.config import Settings
from service.context import AppContext
from service.db.models import Event, Letter, Player
from service.engine.json_reader import Json
from service.errors import Stale
from service.games.play import ActionResult, act
from service.games.store import StoredGame, entries, load
from service.games.turns import PlayedLines, play_lines
from tests.support.crowd import another_context, run_at_once, run_in_processes, wait_for_all
from tests.support.kilim_games import say_all, start_kilim
from tests.support.tables import snapshot_matches

pytestmark = pytest.mark.databases("sqlite", "postgresql")

PERFECT = {"type": "weave", "domino": "OO1", "squares": ["m13", "n13"]}


def play(card: int) -> Json:
    return {"type": "play", "card": card}


def count_events(ctx: AppContext, game_id: str) -> Counter[str]:
    """The events by type; they must be numbered without a gap, and lead to the state that is stored."""
    game = load(ctx.database, game_id)
    rows = Event.select(Event.seq).where(Event.game == game_id).order_by(Event.seq).tuples().execute(ctx.database)
    assert [seq for (seq,) in rows] == list(range(1, game.head + 1))
    assert snapshot_matches(ctx, game_id)
    return Counter(entry.event.type for entry in entries(ctx.database, game))


def check_happened_once(results: Sequence[ActionResult], actions: int) -> None:
    """So many different actions were played, and every other response is a repetition of one of them."""
    firsts = {result.first: result.entries for result in results if not result.repeated}
    assert len(firsts) == actions
    assert all(firsts[result.first] == result.entries for result in results)


def send(ctx: AppContext, game: StoredGame, seat: int, action: Json) -> Callable[[], ActionResult]:
    return lambda: act(ctx, game.id, seat, game.head, action, "")


def test_all_cards_of_a_round_at_the_same_moment_are_shown_once(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, eve: Player
) -> None:
    game = start_kilim(ctx, ann, bo, cy, eve)
    for card in (1, 2, 3):  # equal bids, so that nobody wins anything
        sent = [send(ctx, game, seat, play(card)) for seat in range(4) for _ in range(3)]
        results = [result for result in run_at_once(ctx, sent) if isinstance(result, ActionResult)]
        assert len(results) == len(sent)
        check_happened_once(results, 4)
        game = load(ctx.database, game.id)
    found = count_events(ctx, game.id)
    assert (found["played"], found["shown"], found["auctioned"], found["revealed"]) == (12, 3, 3, 4)
    turns = Letter.select(Letter.seat, Letter.turn).where(Letter.kind == "turn").tuples().execute(ctx.database)
    assert Counter(turns) == {(seat, turn): 1 for seat in range(4) for turn in (1, 2, 3, 4)}


def play_rounds(settings: Settings, now: float, game_id: str, seat: int, rounds: int) -> list[tuple[int, int]]:
    """Play a card in each round at the same moment as the other processes, and then once more."""
    ctx, played = another_context(settings, now), []
    with ctx.database.connection_context():
        for card in range(1, rounds + 1):
            head = load(ctx.database, game_id).head
            wait_for_all()
            first, again = (act(ctx, game_id, seat, head, play(card), "") for _ in range(2))
            assert (first.repeated, again.repeated) == (False, True)
            assert first.entries == again.entries
            played.append((first.first, len(first.entries)))
            wait_for_all()
    return played


def test_processes_that_play_at_the_same_moment_share_one_game(
    ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    game, rounds = start_kilim(ctx, ann, bo, cy), 5
    calls = [(ctx.settings, ctx.clock(), game.id, seat, rounds) for seat in range(3)]
    played = [each for results in run_in_processes(play_rounds, calls) for each in results]
    assert sum(events for _, events in played) == load(ctx.database, game.id).head - game.head
    found = count_events(ctx, game.id)
    assert (found["played"], found["shown"]) == (3 * rounds, rounds)


@pytest.fixture
def with_perfect_domino(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> StoredGame:
    """The second round; Bo has won a domino, and Ann has a perfect one."""
    game = say_all(ctx, start_kilim(ctx, ann, bo, cy), "artisan", "9", "3")
    game = say_all(ctx, game, "2")
    return say_all(ctx, game, "take perfect")


def test_what_can_be_done_at_any_time_makes_no_card_late(ctx: AppContext, with_perfect_domino: StoredGame) -> None:
    game = with_perfect_domino
    sent = [send(ctx, game, 0, PERFECT), send(ctx, game, 1, play(5)), send(ctx, game, 2, play(5))] * 2
    results = [result for result in run_at_once(ctx, sent) if isinstance(result, ActionResult)]
    assert len(results) == len(sent)
    check_happened_once(results, 3)
    with pytest.raises(Stale):  # Ann has seen nothing of her own action at this head
        act(ctx, game.id, 0, game.head, play(5), "")
    head = load(ctx.database, game.id).head
    last = act(ctx, game.id, 0, head, play(5), "")
    assert last.game.turn == game.turn + 1
    for seat, action in ((0, PERFECT), (1, play(5)), (2, play(5))):
        assert act(ctx, game.id, seat, game.head, action, "").repeated
    assert act(ctx, game.id, 0, head, play(5), "").entries == last.entries
    for seat in range(3):
        with pytest.raises(Stale):
            act(ctx, game.id, seat, game.head, play(6), "")
    assert count_events(ctx, game.id)["woven"] == 2


def test_lines_that_are_sent_twice_while_the_others_play_happen_once(
    ctx: AppContext, with_perfect_domino: StoredGame
) -> None:
    game, lines = with_perfect_domino, ["weave OO m13-n13", "7"]

    def send_lines() -> PlayedLines:
        return play_lines(ctx, load(ctx.database, game.id), 0, game.head, lines, "salt", "en")

    sent = [send_lines, send(ctx, game, 1, play(5)), send(ctx, game, 2, play(5)), send_lines, send_lines]
    results = run_at_once(ctx, sent)
    repeated = [result for result in results if isinstance(result, PlayedLines)]
    assert len(repeated) == 3
    assert all(len(played.results) == 2 and played.problem is None for played in repeated)
    for line in range(2):
        check_happened_once([played.results[line] for played in repeated], 1)
    later = send_lines()
    assert [result.entries for result in later.results] == [result.entries for result in repeated[0].results]
    assert all(result.repeated for result in later.results)
    found = count_events(ctx, game.id)
    assert (found["woven"], found["played"], found["shown"]) == (2, 6, 2)


def test_a_resignation_while_the_last_cards_are_played_ends_the_round_once(
    ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    game = start_kilim(ctx, ann, bo, cy)
    sent = [send(ctx, game, 0, {"type": "resign"}), send(ctx, game, 1, play(5)), send(ctx, game, 2, play(5))]
    results = run_at_once(ctx, sent * 2)
    assert all(isinstance(result, ActionResult) for result in results)
    found = count_events(ctx, game.id)
    assert (found["resigned"], found["played"], found["shown"], found["revealed"]) == (1, 2, 1, 2)
