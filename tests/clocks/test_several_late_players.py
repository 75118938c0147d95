"""Time is up for several players in one turn: a stand-in does all that the turn requires of each of them."""

import pytest

from service.clocks.deadlines import run_due_clocks
from service.clocks.requests import request_stand_in, return_to_seat
from service.context import AppContext
from service.db.models import Letter, Player
from service.errors import Forbidden
from service.games.store import StoredGame, entries, load
from service.games.story import Story
from service.i18n import translations_for
from service.mail.letters import compose
from tests.support.clock import Clock
from tests.support.kilim_games import say, say_all, start_kilim
from tests.support.tables import snapshot_matches
from tests.support.timed import DAY, clock_letters, reload

PACE = int(DAY)


def overdue(ctx: AppContext, clock: Clock, game: StoredGame) -> StoredGame:
    """The game when the time of its turn is up."""
    clock.now = reload(ctx, game).deadline or 0
    run_due_clocks(ctx)
    assert snapshot_matches(ctx, game.id)
    return reload(ctx, game)


def played_since(ctx: AppContext, game: StoredGame) -> list[tuple[str, int | None, bool]]:
    """The events since then: type, seat, and whether a stand-in caused it."""
    found = entries(ctx.database, load(ctx.database, game.id), game.head)
    return [(entry.event.type, game.actor(entry.event), entry.stand_in) for entry in found]


def tell(ctx: AppContext, game: StoredGame, seat: int) -> str:
    """What the page says to a player about what has happened since."""
    story = Story(load(ctx.database, game.id), translations_for("en"), seat)
    return " ".join(story.texts(entries(ctx.database, game, game.head)))


def test_debts_are_settled_and_cards_played_for_the_late_players_only(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player, cy: Player
) -> None:
    game = say_all(ctx, start_kilim(ctx, ann, bo, cy, pace=PACE), "bag", "9", "3")
    game = say_all(ctx, game, "12")
    game = say_all(ctx, game, "", "5")
    assert game.rules.to_act(game.state) == {0, 2}
    after = overdue(ctx, clock, game)
    assert after.turn > game.turn
    assert played_since(ctx, game)[:4] == [
        ("kept", 0, True),
        ("played", 0, True),
        ("played", 2, True),
        ("shown", None, True),
    ]
    assert [seat.stood_in for seat in after.seats] == [1, 0, 1]
    assert [letter.seat for letter in clock_letters(ctx, "time-up")] == [0, 2]
    told = tell(ctx, game, 0)
    assert told.startswith("Your stand-in kept the ")
    assert "cy's stand-in played " in told
    letter = Letter.select().where((Letter.kind == "time-up") & (Letter.seat == 0)).get(ctx.database)
    assert "Your stand-in kept " in compose(ctx, letter).text
    assert tell(ctx, game, 1).startswith("ann's stand-in kept a scrap and played ")


def test_what_a_player_on_time_gets_without_a_choice_is_not_a_stand_ins_doing(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player, cy: Player
) -> None:
    """Bo wins the first domino, which goes onto his empty carpet when the others' stand-ins end the round."""
    while True:
        game = say_all(ctx, start_kilim(ctx, ann, bo, cy, pace=PACE), "", "15")
        after = overdue(ctx, clock, game)
        if ("woven", 1) in [event[:2] for event in played_since(ctx, game)]:
            break
    assert ("woven", 1, False) in played_since(ctx, game)
    assert ("auctioned", None, True) in played_since(ctx, game)
    assert "You won " in tell(ctx, game, 1)
    assert "Your stand-in" not in tell(ctx, game, 1)
    assert "bo's stand-in" not in tell(ctx, game, 0)
    assert after.seats[1].stood_in == 0


def test_bids_are_placed_for_the_late_spies_and_for_those_who_must_pay(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player, cy: Player
) -> None:
    game = say_all(ctx, start_kilim(ctx, ann, bo, cy, pace=PACE), "spy", "spy", "spy")
    game = say_all(ctx, game, "7")
    assert game.rules.to_act(game.state) == {1, 2}
    overdue(ctx, clock, game)
    assert [event for event in played_since(ctx, game) if event[0] == "bid"] == [("bid", 1, True), ("bid", 2, True)]
    game = start_kilim(ctx, ann, bo, cy, pace=PACE)
    game = say_all(ctx, game, "bag", "artisan", "5")
    assert game.state.phase == "pay"
    after = overdue(ctx, clock, game)
    assert [event for event in played_since(ctx, game) if event[0] == "bid"] == [("bid", 0, True), ("bid", 1, True)]
    assert after.state.phase == "choose"


def test_in_an_evening_the_stand_in_weaves_what_is_owed_and_then_uses_a_token_or_passes(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player
) -> None:
    game = say_all(ctx, start_kilim(ctx, ann, bo, weaving="strict", pace=PACE), "artisan", "9")
    game = say_all(ctx, say_all(ctx, game, "1"), "take remove")
    game = say_all(ctx, game, "10", "1")
    for card in (2, 3, 4, 5, 6, 7, 8):
        game = say_all(ctx, game, str(card), str(card))  # nobody wins
    game = say_all(ctx, game, "9", "10")
    assert game.state.phase == "evening"
    assert game.rules.to_act(game.state) == {0, 1}
    after = overdue(ctx, clock, game)
    happened = played_since(ctx, game)
    assert [event for event in happened if event[0] == "woven"] == [("woven", 1, True)] * 8
    assert {event[0] for event in happened if event[1] == 0} <= {"reworked", "passed"}
    assert (after.state.day, after.state.phase) == (2, "choose")


def test_the_players_who_have_played_decide_about_the_late_ones(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player, cy: Player
) -> None:
    game = say_all(ctx, start_kilim(ctx, ann, bo, cy, pace=PACE, time_up="wait"), "7")
    waits = overdue(ctx, clock, game)
    assert waits.head == game.head
    assert [letter.seat for letter in clock_letters(ctx, "time-up")] == [0, 1, 2]
    with pytest.raises(Forbidden, match="It's your turn"):
        request_stand_in(ctx, game.id, 1)
    say(ctx, waits, 2, "6")  # late, but not too late
    asked = request_stand_in(ctx, game.id, 0)
    assert asked.missing == [2]
    after = request_stand_in(ctx, game.id, 2).game
    assert after.turn > game.turn
    assert [event[1] for event in played_since(ctx, game) if event[2] and event[0] == "played"] == [1]
    assert [seat.stood_in for seat in after.seats] == [0, 0, 0]


def test_a_stand_in_that_has_taken_over_seals_a_card_in_every_round_until_the_player_returns(
    ctx: AppContext, clock: Clock, ann: Player, bo: Player, cy: Player
) -> None:
    game = start_kilim(ctx, ann, bo, cy, pace=PACE)
    while not game.seats[2].played_by_stand_in:
        game = load(ctx.database, game.id)
        for seat in sorted(game.rules.to_act(game.state) - {2}):
            words = game.ui.choices(game.rules.view(game.state, seat), translations_for("en"))[0].key
            say(ctx, game, seat, words, load(ctx.database, game.id).head)
        game = reload(ctx, game)
        if game.rules.to_act(game.state) == {2}:
            game = overdue(ctx, clock, game)
    assert 2 not in game.rules.to_act(game.state)
    assert [letter.details["kept"] for letter in clock_letters(ctx, "time-up")] == [False, True]
    back = return_to_seat(ctx, game.id, 2)
    assert back.seats[2].stood_in == 0
