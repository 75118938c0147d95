"""Every letter about a game says how long there is: for its reader, or for whoever is to act, on the reader's clock."""

from collections.abc import Callable

import pytest

from service.auth.login import find_or_create_player
from service.clocks.requests import pause
from service.context import AppContext
from service.db.models import Game, Player
from service.games.chat import post_message
from service.games.lobby import SeatRequest, cancel, invite
from service.games.play import act
from service.games.players import replace_links
from service.games.store import STAND_IN_AFTER, StoredGame, load, set_stood_in
from service.mail.letters import Composed, compose
from tests.mail.correspondence import ann_to_move, post
from tests.mail.html_reading import Read
from tests.mail.tables import ANN, BO, DAY, letters, links_in, one_step, played, started, table
from tests.mail.test_every_letter import check
from tests.support.clock import Clock
from tests.support.timed import tick_at

HOUR = 3600
CY = "cy@example.org"
WAITS_FOR_ANN = "Waiting for Ann. We'll e-mail you when it's your turn. "


@pytest.fixture
def game(ctx: AppContext) -> StoredGame:
    """Ann is to move in a game with Bo."""
    return ann_to_move(ctx, started(ctx, first=0), 2)


def says(composed: Composed, words: str) -> bool:
    """Whether the letter has these words, in its text and in its HTML."""
    check(composed)
    in_text, in_html = words in " ".join(composed.text.split()), words in Read(composed.html).said
    assert in_text == in_html
    return in_text


def talk_to(ctx: AppContext, game: StoredGame, seat: int) -> Composed:
    """The letter about what somebody else has just said."""
    post_message(ctx, game.id, 0 if seat else 1, f"Said at {ctx.clock()}")
    return compose(ctx, [letter for letter in letters(ctx, "talk") if letter.seat == seat][-1])


def links_for(ctx: AppContext, game: StoredGame, seat: int) -> Composed:
    """The letter with the links again."""
    replace_links(ctx, game.id, seat, game.seats[seat].player or 0)
    return compose(ctx, [letter for letter in letters(ctx, "links") if letter.seat == seat][-1])


@pytest.mark.parametrize("letter_to", [talk_to, links_for])
def test_who_waits_reads_for_whom_and_until_when_on_their_own_clock(
    ctx: AppContext, clock: Clock, game: StoredGame, letter_to: Callable[[AppContext, StoredGame, int], Composed]
) -> None:
    Player.update(time_zone="America/New_York").where(Player.email == BO).execute(ctx.database)
    clock.now += 20 * HOUR
    told = "Time left: 4 hours, until Tuesday, 22 September 2026, 10:13 (Eastern Daylight Time)."
    assert says(letter_to(ctx, game, 1), WAITS_FOR_ANN + told)


def test_who_is_to_act_reads_how_much_of_the_time_is_left_when_the_letter_goes_out(
    ctx: AppContext, clock: Clock, game: StoredGame
) -> None:
    clock.now += 20 * HOUR
    told = "You have 4 hours for this turn, until Tuesday, 22 September 2026, 14:13 (UTC)."
    assert says(talk_to(ctx, game, 0), told)
    assert says(compose(ctx, [letter for letter in letters(ctx, "turn") if letter.seat == 0][-1]), told)


def test_without_a_clock_it_says_so_to_whoever_is_to_act_and_to_who_waits(ctx: AppContext, game: StoredGame) -> None:
    Game.update(pace=None, deadline=None).where(Game.id == game.id).execute(ctx.database)
    own = "There's no time limit. Take your time."
    for composed in (talk_to(ctx, game, 0), links_for(ctx, game, 0), compose(ctx, post(ctx, "turn", game))):
        assert says(composed, own)
    for composed in (talk_to(ctx, game, 1), links_for(ctx, game, 1)):
        assert says(composed, WAITS_FOR_ANN + "There's no time limit.")
    assert says(compose(ctx, post(ctx, "roll", one_step(ctx, game))), own)


def test_while_the_table_is_paused_it_says_that_the_clocks_stand_still(ctx: AppContext, game: StoredGame) -> None:
    for seat in (0, 1):
        pause(ctx, game.id, seat)
    told = "The game is paused: everyone agreed to a break."
    assert says(talk_to(ctx, game, 1), WAITS_FOR_ANN + told)
    for composed in (talk_to(ctx, game, 0), compose(ctx, post(ctx, "turn", game))):
        assert says(composed, told)
        assert not says(composed, "There's no time limit")


def test_who_is_away_is_named_with_the_day_of_the_return(ctx: AppContext, clock: Clock, game: StoredGame) -> None:
    back = clock.now + 5 * DAY
    Player.update(away_from=clock.now, away_until=back).where(Player.email == ANN).execute(ctx.database)
    until = "until Saturday, 26 September 2026, 14:13 (UTC)"
    assert says(talk_to(ctx, game, 1), f"Ann is away {until}.")
    assert says(links_for(ctx, game, 0), f"You're away {until}. Your time doesn't run until then.")
    clock.now = back
    assert not says(talk_to(ctx, game, 1), "away")


def test_who_is_out_or_has_left_the_seat_to_a_stand_in_is_promised_no_letter(ctx: AppContext) -> None:
    game = ann_to_move(
        ctx, started(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(email=CY, name="Cy"), first=0), 3
    )
    game = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    assert says(talk_to(ctx, game, 1), "Waiting for Ann. Time left: 1 day, until ")
    assert says(talk_to(ctx, game, 2), WAITS_FOR_ANN)
    set_stood_in(ctx.database, game.id, 2, STAND_IN_AFTER)
    kept = "Waiting for Ann. A stand-in plays for you until you come back. Time left: 1 day, until "
    assert says(links_for(ctx, game, 2), kept)


def test_when_the_time_is_up_the_stand_in_is_next(ctx: AppContext, clock: Clock, game: StoredGame) -> None:
    clock.now += DAY + 1
    up = "ran out on Tuesday, 22 September 2026, 14:13 (UTC)."
    assert says(talk_to(ctx, game, 1), f"{WAITS_FOR_ANN}The time {up} The stand-in plays next.")
    assert says(talk_to(ctx, game, 0), f"Your time {up} You can still play until the stand-in does.")


def test_after_the_end_it_says_who_has_won_instead(ctx: AppContext, game: StoredGame) -> None:
    game = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    composed = talk_to(ctx, game, 1)
    assert says(composed, "How it ended")
    assert says(composed, "The game is over. Only one player is left. Ann wins.")
    assert not says(composed, "until")


def test_before_the_start_it_says_until_when_the_table_waits(ctx: AppContext, clock: Clock) -> None:
    game = table(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest())
    clock.now += 3 * DAY
    invite(ctx, game.id, game.host, CY)
    told = "If that doesn't happen by Monday, 5 October 2026, 14:13 (UTC), the game is cancelled."
    game = load(ctx.database, game.id)
    for composed in (links_for(ctx, game, 0), compose(ctx, letters(ctx, "invitation")[-1])):
        assert says(composed, f"The game starts when every seat is taken. {told}")


def test_an_invitation_names_the_day_on_the_clock_of_who_is_asked(ctx: AppContext) -> None:
    find_or_create_player(ctx, BO)
    Player.update(time_zone="Asia/Tokyo").where(Player.email == BO).execute(ctx.database)
    table(ctx)
    told = "by Monday, 5 October 2026, 23:13 (Japan Standard Time), the game is cancelled."
    assert says(compose(ctx, letters(ctx, "invitation")[-1]), told)


def test_links_to_a_table_that_was_called_off_meanwhile_say_so(ctx: AppContext) -> None:
    game = table(ctx)
    replace_links(ctx, game.id, 1, game.seats[1].player or 0)
    cancel(ctx, game.id, game.host)
    composed = compose(ctx, letters(ctx, "links")[-1])
    assert says(composed, "This game was cancelled before it started.")
    assert not says(composed, "Accept")


def test_a_reminder_says_what_comes_after_the_time_at_this_table(ctx: AppContext, game: StoredGame) -> None:
    last = post(ctx, "reminder", game, part="last")
    assert says(compose(ctx, last), "(UTC). After that, a stand-in plays this turn for you.")
    Game.update(time_up="wait").where(Game.id == game.id).execute(ctx.database)
    assert says(
        compose(ctx, last), "(UTC). After that, the others can give you more time or let a stand-in play this turn."
    )


def test_a_letter_about_a_turn_that_was_played_does_not_wait_for_whoever_has_moved_since(
    ctx: AppContext, game: StoredGame
) -> None:
    before, game = game.head, one_step(ctx, one_step(ctx, game))
    letter = post(ctx, "time-up", game, first=before + 1, last=game.head, kept=False)
    assert says(compose(ctx, letter), "Waiting for Bo. ")
    played(ctx, game, game.turn)
    late = compose(ctx, letter)
    assert says(late, "The game has moved on since then.")
    assert not says(late, "Waiting for")
    assert late.answer_plays is None


def test_after_a_stand_in_the_game_waits_for_no_bot_that_has_played_already(ctx: AppContext, clock: Clock) -> None:
    game = started(ctx, SeatRequest(bot="medium", name="Fatima"), first=0)
    tick_at(ctx, clock, game.deadline or 0)
    composed = compose(ctx, letters(ctx, "time-up")[-1])
    assert says(composed, "Your stand-in ")
    assert says(composed, "Fatima ")
    assert says(composed, "You have 1 day for this turn, until Wednesday, 23 September 2026, 14:13 (UTC).")
    assert [do for do in (link.partition("?do=")[2] for link in links_in(composed)) if do] == ["left", "ahead", "right"]
    assert composed.answer_plays == load(ctx.database, game.id).turn


def test_in_french_too(ctx: AppContext, clock: Clock, game: StoredGame) -> None:
    Player.update(language="fr", time_zone="Europe/Paris").execute(ctx.database)
    clock.now += 20 * HOUR
    until = "jusqu\u2019au mardi 22 septembre 2026, 16:13 (heure d\u2019été d\u2019Europe centrale)."
    waits = "La partie attend Ann. Vous recevrez un e-mail quand ce sera votre tour."
    assert "Depuis votre dernier tour" in Read(talk_to(ctx, game, 0).html).said
    own, other = talk_to(ctx, game, 0), links_for(ctx, game, 1)
    for composed, told in (
        (own, f"Vous avez 4 heures pour ce tour, {until}"),
        (other, f"{waits} Temps restant : 4 heures, {until}"),
    ):
        assert told in " ".join(composed.text.split())
        assert told in Read(composed.html).said
