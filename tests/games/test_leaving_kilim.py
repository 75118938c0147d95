"""Leaving Kilim in any phase: the others play on, each of them knows that it is their turn, and nothing is lost."""

import pytest

from service.context import AppContext
from service.db.models import Letter, Player
from service.engine.record_text import read_text, write_text
from service.games.play import act
from service.games.players import delete_player
from service.games.store import StoredGame, load
from service.games.views import visible_record
from tests.support.browsers import Browser
from tests.support.kilim_games import say_all, start_kilim
from tests.support.tables import snapshot_matches

RESIGN = {"type": "resign"}
PHASES = {
    "choose": ("choose", [("7", "", "")]),
    "owing": ("choose", [("bag", "9", "3"), ("12", "", ""), ("", "5", "5")]),
    "spy": ("spy", [("spy", "spy", "3"), ("9", "", "")]),
    "pay": ("pay", [("bag", "artisan", "5"), ("", "2", "")]),
    "weave": ("weave", [("9", "3", "artisan"), ("", "", "1")]),
}
"""The phase in which a player leaves, and what the three players did before."""


def reach(ctx: AppContext, phase: str, *people: Player) -> StoredGame:
    """A game in this phase."""
    name, played = PHASES[phase]
    game = start_kilim(ctx, *people, weaving="strict" if name == "weave" else "relaxed", pace=86_400)
    for words in played:
        game = say_all(ctx, game, *words)
    assert game.state.phase == name
    return game


def check_goes_on(ctx: AppContext, game: StoredGame) -> None:
    """The game waits for others, who know it; and its record is complete."""
    to_act = game.rules.to_act(game.state)
    assert game.status == "playing"
    assert to_act
    assert all(game.rules.is_active(game.state, seat) for seat in to_act)
    for seat in to_act:
        letters = (Letter.kind == "turn") & (Letter.seat == seat) & (Letter.turn == game.turn)
        assert Letter.select().where(letters).count(ctx.database) == 1
    assert game.deadline is not None
    assert snapshot_matches(ctx, game.id)
    record = visible_record(ctx, game)
    assert read_text(write_text(record)) == record


@pytest.mark.parametrize("leaving", range(3))
@pytest.mark.parametrize("phase", PHASES)
def test_the_others_play_on_when_somebody_resigns(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, phase: str, leaving: int
) -> None:
    game = reach(ctx, phase, ann, bo, cy)
    after = act(ctx, game.id, leaving, game.head, RESIGN, "").game
    check_goes_on(ctx, after)
    assert act(ctx, game.id, leaving, game.head, RESIGN, "").repeated
    other = min(after.rules.to_act(after.state))
    over = act(ctx, game.id, other, after.head, RESIGN, "").game
    assert over.status == "finished"
    assert over.rules.view(over.state, None)["result"]["reason"] == "last_standing"


def test_who_has_resigned_can_watch(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> None:
    game = reach(ctx, "owing", ann, bo, cy)
    act(ctx, game.id, 0, game.head, RESIGN, "")
    page = Browser(ctx, "ann@example.org").get(f"/g/{game.id}")
    assert "You resigned." in page
    assert "Leave the game" not in page
    assert 'name="do"' not in page.partition('id="choose"')[2].partition("</div>")[0]


@pytest.mark.parametrize("phase", PHASES)
def test_the_others_play_on_when_a_player_is_deleted(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, phase: str
) -> None:
    game = reach(ctx, phase, ann, bo, cy)
    delete_player(ctx, ann.id, resign=True)
    check_goes_on(ctx, load(ctx.database, game.id))


def test_leaving_in_the_evening_ends_a_game_of_two(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = say_all(ctx, start_kilim(ctx, ann, bo, weaving="strict"), "artisan", "9")
    game = say_all(ctx, say_all(ctx, game, "1"), "take remove")
    game = say_all(ctx, game, "10", "1")
    for card in (2, 3, 4, 5, 6, 7, 8):
        game = say_all(ctx, game, str(card), str(card))
    game = say_all(ctx, game, "9", "10")
    assert game.state.phase == "evening"
    over = act(ctx, game.id, 1, game.head, RESIGN, "").game
    assert over.rules.view(over.state, None)["result"]["winners"] == [0]
    assert snapshot_matches(ctx, game.id)
