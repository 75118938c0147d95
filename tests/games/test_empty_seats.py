"""Before the start, the host invites again, gives seats to bots or starts without them; nobody else does."""

from collections.abc import Callable

import pytest

from service.auth.rate_limits import INVITATIONS_BY_PLAYER
from service.context import AppContext
from service.db.models import Letter, Player
from service.engine.errors import Malformed
from service.errors import Forbidden, NotFound, RateLimited, Stale
from service.games import chat
from service.games.empty_seats import can_start_now, replace_with_bot, resend_invitation, seats_invited_again, start_now
from service.games.lobby import SeatRequest, accept, cancel, create_game, invite
from service.games.store import StoredGame, load
from tests.support.clock import Clock
from tests.support.crowd import run_at_once
from tests.support.tables import BOT, OPEN, database_contents, new_game, play_to_end, queued_letters

pytestmark = pytest.mark.databases("sqlite", "postgresql")

BO, CY = SeatRequest("bo@example.org"), SeatRequest("cy@example.org")
DAY = 24 * 3600


@pytest.fixture
def table(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> StoredGame:
    """Ann hosts, Bo and Cy are invited, and one more seat is open."""
    return create_game(ctx, ann, new_game(BO, CY, OPEN))


def invited(ctx: AppContext) -> list[str]:
    """The addresses of the invitations in the outbox."""
    return [letter.address for letter in queued_letters(ctx) if letter.kind == "invitation"]


# Sending an invitation again


def test_an_invitation_is_sent_again_once_a_day(ctx: AppContext, ann: Player, table: StoredGame, clock: Clock) -> None:
    for _ in range(3):
        resend_invitation(ctx, table.id, ann.id, 1)
    assert invited(ctx) == ["bo@example.org", "cy@example.org", "bo@example.org"]
    assert seats_invited_again(ctx, table) == {1}
    clock.now += DAY
    assert seats_invited_again(ctx, table) == set()
    resend_invitation(ctx, table.id, ann.id, 1)
    assert invited(ctx)[3:] == ["bo@example.org"]


def test_the_links_of_an_invitation_that_is_sent_again_stay_valid(
    ctx: AppContext, ann: Player, bo: Player, table: StoredGame
) -> None:
    again = resend_invitation(ctx, table.id, ann.id, 1)
    assert again.seats[1].link_version == table.seats[1].link_version
    assert accept(ctx, table.id, 1, bo.id).seats[1].accepted


def test_a_message_is_kept_until_another_one_replaces_it(ctx: AppContext, ann: Player, table: StoredGame) -> None:
    assert resend_invitation(ctx, table.id, ann.id, 1, "See you on Friday!").message == "See you on Friday!"
    assert resend_invitation(ctx, table.id, ann.id, 2).message == "See you on Friday!"
    assert invite(ctx, table.id, ann.id, "eve@example.org", 3, "Or on Sunday").message == "Or on Sunday"


def test_invitations_that_are_sent_again_count_as_invitations(
    ctx: AppContext, ann: Player, table: StoredGame, clock: Clock
) -> None:
    for _ in range(INVITATIONS_BY_PLAYER.most):
        invite(ctx, table.id, ann.id, "eve@example.org", 3)
    with pytest.raises(RateLimited):
        resend_invitation(ctx, table.id, ann.id, 1)


def test_only_an_invitation_that_nobody_has_accepted_is_sent_again(
    ctx: AppContext, ann: Player, bo: Player, table: StoredGame
) -> None:
    accept(ctx, table.id, 1, bo.id)
    before = database_contents(ctx)
    for seat, error, words in (
        (0, Stale, "taken"),
        (1, Stale, "taken"),
        (3, Stale, "invited"),
        (4, NotFound, "seat 4"),
    ):
        with pytest.raises(error, match=words):
            resend_invitation(ctx, table.id, ann.id, seat)
    assert database_contents(ctx) == before


# A bot instead


def test_a_bot_replaces_an_invited_player_whose_links_stop_working(
    ctx: AppContext, ann: Player, bo: Player, table: StoredGame
) -> None:
    seat = replace_with_bot(ctx, table.id, ann.id, 1, "medium", "Salma").seats[1]
    assert (seat.player, seat.bot, seat.name, seat.accepted) == (None, "medium", "Salma", True)
    assert seat.link_version == table.seats[1].link_version + 1
    with pytest.raises(Forbidden):
        accept(ctx, table.id, 1, bo.id)


def test_the_last_seat_that_a_bot_gets_starts_the_game_once(ctx: AppContext, ann: Player, bo: Player) -> None:
    table = create_game(ctx, ann, new_game(OPEN))
    started = replace_with_bot(ctx, table.id, ann.id, 1, "easy")
    assert started.status == "playing"
    assert replace_with_bot(ctx, table.id, ann.id, 1, "easy") == started
    assert play_to_end(ctx, started).status == "finished"


def test_a_seat_that_is_taken_or_a_bot_that_is_unknown_is_refused(
    ctx: AppContext, ann: Player, bo: Player, table: StoredGame
) -> None:
    accept(ctx, table.id, 1, bo.id)
    before = database_contents(ctx)
    for seat, bot, error in ((0, "easy", Stale), (1, "easy", Stale), (9, "easy", NotFound), (2, "no", Malformed)):
        with pytest.raises(error):
            replace_with_bot(ctx, table.id, ann.id, seat, bot)
    assert database_contents(ctx) == before


# Starting with fewer players


def test_the_game_starts_without_the_empty_seats_and_the_others_move_up(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, table: StoredGame
) -> None:
    assert not can_start_now(table)
    joined = accept(ctx, table.id, 2, cy.id)
    chat.post_message(ctx, table.id, 2, "Hello!")
    assert can_start_now(joined)
    started = start_now(ctx, table.id, ann.id)
    assert [(seat.seat, seat.address) for seat in started.seats] == [(0, "ann@example.org"), (1, "cy@example.org")]
    assert (started.status, started.turn) == ("playing", 1)
    assert started == load(ctx.database, table.id)
    assert [message.seat for message in chat.list_messages(ctx, table.id, 0)] == [1]
    assert play_to_end(ctx, started).status == "finished"


def test_old_links_open_no_seat_and_players_who_moved_get_new_ones(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, table: StoredGame
) -> None:
    accept(ctx, table.id, 2, cy.id)
    started = start_now(ctx, table.id, ann.id)
    assert started.seats[0].link_version == table.seats[0].link_version, "Ann's links still work"
    assert started.seats[1].link_version > max(seat.link_version for seat in table.seats)
    sent = [(letter.kind, letter.address) for letter in queued_letters(ctx) if letter.kind in {"links", "turn"}]
    assert sent == [("turn", "ann@example.org"), ("links", "cy@example.org")]


def test_a_player_who_moved_and_begins_gets_the_links_in_the_turn_letter(
    ctx: AppContext, ann: Player, cy: Player
) -> None:
    table = create_game(ctx, ann, new_game(OPEN, CY, options={"first": 1}))
    accept(ctx, table.id, 2, cy.id)
    start_now(ctx, table.id, ann.id)
    sent = [letter[:2] for letter in queued_letters(ctx) if letter.address == "cy@example.org"]
    assert sent == [("invitation", "cy@example.org"), ("turn", "cy@example.org")]


def test_the_game_starts_once_however_often_and_however_many_ask(
    ctx: AppContext, ann: Player, cy: Player, table: StoredGame
) -> None:
    accept(ctx, table.id, 2, cy.id)
    results = run_at_once(ctx, [lambda: start_now(ctx, table.id, ann.id).head] * 4)
    assert len(set(results)) == 1
    assert Letter.select().where(Letter.kind == "turn").count(ctx.database) == 1


def test_too_few_players_or_options_for_more_do_not_start(ctx: AppContext, ann: Player, bo: Player) -> None:
    alone = create_game(ctx, ann, new_game(BO, OPEN))
    third_begins = create_game(ctx, ann, new_game(BOT, BO, options={"first": 2}))
    for game, words in ((alone, "needs at least 2 players"), (third_begins, "don't allow 2 players")):
        before = database_contents(ctx)
        assert not can_start_now(game)
        with pytest.raises(Stale, match=words):
            start_now(ctx, game.id, ann.id)
        assert database_contents(ctx) == before


# Who may do it, and when

CHANGES: dict[str, Callable[[AppContext, str, int], object]] = {
    "resend": lambda ctx, game, player: resend_invitation(ctx, game, player, 1, "Hello"),
    "bot": lambda ctx, game, player: replace_with_bot(ctx, game, player, 1, "easy"),
    "start": start_now,
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_the_host_changes_the_seats(
    ctx: AppContext, bo: Player, cy: Player, eve: Player, table: StoredGame, change: str
) -> None:
    accept(ctx, table.id, 2, cy.id)
    before = database_contents(ctx)
    for player in (bo, cy, eve):
        with pytest.raises(Forbidden, match="Only the host"):
            CHANGES[change](ctx, table.id, player.id)
    assert database_contents(ctx) == before


@pytest.mark.parametrize("change", CHANGES)
def test_a_cancelled_game_does_not_change(ctx: AppContext, ann: Player, table: StoredGame, change: str) -> None:
    cancel(ctx, table.id, ann.id)
    before = database_contents(ctx)
    with pytest.raises(NotFound):
        CHANGES[change](ctx, table.id, ann.id)
    assert database_contents(ctx) == before


@pytest.mark.parametrize("change", ["resend", "bot"])
def test_seats_do_not_change_after_the_start(ctx: AppContext, ann: Player, bo: Player, change: str) -> None:
    table = create_game(ctx, ann, new_game(BO))
    accept(ctx, table.id, 1, bo.id)
    before = database_contents(ctx)
    with pytest.raises(Stale):
        CHANGES[change](ctx, table.id, ann.id)
    assert database_contents(ctx) == before
