"""Every letter about a table says, in its text and in its HTML, what happened, the board, the standings, the time left
and one link for each choice, as far as there is a game to say it of."""

from collections.abc import Callable
from typing import Final

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Game, Letter
from service.games.chat import DIGEST_SECONDS, post_message
from service.games.lobby import SeatRequest, cancel, decline, expire, report_undeliverable
from service.games.play import act
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.letters import KINDS, Composed, compose
from tests.mail.correspondence import WHY, ann_to_move, post
from tests.mail.five_things import WITHOUT, Says, missing
from tests.mail.tables import ANN, BO, DAY, letters, one_step, played, started, table
from tests.mail.test_every_letter import check
from tests.support.clock import Clock

NO_TABLE: Final = {"sign-in", "test", "refusals"}
WAYS: Final = ["left", "ahead", "right"]
DEADLINE: Final = "Tuesday, 22 September 2026, 14:13 (UTC)"
OWN_TIME: Final = f"You have 1 day for this turn, until {DEADLINE}."
THEIR_TIME: Final = f"Waiting for Ann. We'll e-mail you when it's your turn. Time left: 1 day, until {DEADLINE}."
FILLING: Final = (
    "The game starts when every seat is taken."
    " If that doesn't happen by Monday, 5 October 2026, 14:13 (UTC), the game is cancelled."
)
SINCE: Final = "Since your last turn"
TO_ANN: Final = (SINCE, " laid a ", "F ")
TO_BO: Final = (SINCE, " laid a ")

Situation = Callable[[AppContext, Clock], tuple[Letter, Says]]


def in_the_middle(ctx: AppContext) -> StoredGame:
    """Ann, Bo and a bot have played for a while, and Ann is to move."""
    return ann_to_move(
        ctx, started(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium", name="F"), first=0), 6
    )


def newest(ctx: AppContext, kind: str, address: str = ANN) -> Letter:
    return [letter for letter in letters(ctx, kind) if letter.address == address][-1]


def invitation(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    table(ctx)
    return newest(ctx, "invitation", BO), Says((), FILLING, ["accept", "decline"], board=False)


def declined(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    decline(ctx, table(ctx).id, 1, find_or_create_player(ctx, BO).id)
    return newest(ctx, "declined"), Says((), FILLING, [], board=False)


def undeliverable(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    report_undeliverable(ctx, table(ctx).id, 1)
    return newest(ctx, "undeliverable"), Says((), "Maybe there's a typo in the address.", [], board=False)


def cancelled(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = table(ctx)
    cancel(ctx, game.id, game.host)
    return newest(ctx, "cancelled", BO), Says(('Ann cancelled "Market day"',), "", [], board=False, link=False)


def expired(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    table(ctx)
    clock.now += 15 * DAY
    expire(ctx)
    return newest(ctx, "expired"), Says((), "it wasn't full after 14 days.", [], board=False)


def turn(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    in_the_middle(ctx)
    return newest(ctx, "turn"), Says(TO_ANN, OWN_TIME, WAYS)


def roll(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = one_step(ctx, in_the_middle(ctx))
    places = ["-".join(action["squares"]) for action in game.rules.view(game.state, 0)["legal"]]
    return post(ctx, "roll", game), Says(("Your turn so far", ", rolled "), OWN_TIME, places)


def reminder(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = in_the_middle(ctx)
    clock.now += DAY / 2
    left = f"You have 12 hours for this turn, until {DEADLINE}."
    return post(ctx, "reminder", game, part="half"), Says(TO_ANN, left, WAYS)


def overdue(ctx: AppContext, clock: Clock) -> StoredGame:
    """The same at a table that waits, a minute after Ann's time was up."""
    game = in_the_middle(ctx)
    Game.update(time_up="wait").where(Game.id == game.id).execute(ctx.database)
    clock.now += DAY + 60
    return load(ctx.database, game.id)


def time_up_of_the_late(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    told = f"Your time ran out on {DEADLINE}. You can still play until the others decide how to go on."
    return post(ctx, "time-up", overdue(ctx, clock), waiting=True), Says(TO_ANN, told, WAYS)


def time_up_of_another(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    told = f"The time ran out on {DEADLINE}. The game goes on when the turn is played or the players decide."
    says = Says(('Ann ran out of time in "Market day".', *TO_BO), told, ["stand-in", "more-time"])
    return post(ctx, "time-up", overdue(ctx, clock), 1, waiting=True), says


def time_up_and_played(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = in_the_middle(ctx)
    before, game = game.head, one_step(ctx, one_step(ctx, game))
    letter = post(ctx, "time-up", game, first=before + 1, last=game.head, kept=False)
    told = ("so a stand-in played for you.", " laid a ")
    return letter, Says(told, THEIR_TIME.replace("for Ann", "for Bo"), [])


def answer(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    return post(ctx, "answer", in_the_middle(ctx), why=WHY), Says(TO_ANN, OWN_TIME, WAYS)


def answer_to_another(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    return post(ctx, "answer", in_the_middle(ctx), 1, why=WHY), Says(TO_BO, THEIR_TIME, [])


def talk(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    post_message(ctx, in_the_middle(ctx).id, 1, "Nice rug!")
    clock.now += DIGEST_SECONDS
    return newest(ctx, "talk"), Says(TO_ANN, OWN_TIME, WAYS)


def talk_to_another(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    post_message(ctx, in_the_middle(ctx).id, 0, "Nice rug!")
    clock.now += DIGEST_SECONDS
    return newest(ctx, "talk", BO), Says(TO_BO, THEIR_TIME, [])


def talk_after_the_end(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = played(ctx, in_the_middle(ctx))
    post_message(ctx, game.id, 1, "Well played!")
    return newest(ctx, "talk"), Says(("How it ended",), "The game is over. ", [])


def links(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = in_the_middle(ctx)
    replace_links(ctx, game.id, 0, game.host)
    return newest(ctx, "links"), Says(TO_ANN, OWN_TIME, WAYS)


def links_of_another(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = in_the_middle(ctx)
    replace_links(ctx, game.id, 1, game.seats[1].player or 0)
    return newest(ctx, "links", BO), Says(TO_BO, THEIR_TIME, [])


def links_of_who_is_asked(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = table(ctx)
    replace_links(ctx, game.id, 1, game.seats[1].player or 0)
    return newest(ctx, "links", BO), Says((), FILLING, ["accept", "decline"], board=False)


def over(ctx: AppContext, clock: Clock) -> tuple[Letter, Says]:
    game = in_the_middle(ctx)
    for seat in (0, 1):
        game = act(ctx, game.id, seat, game.head, {"type": "resign"}, "").game
    return newest(ctx, "over"), Says(("How it ended", "You resigned."), "Only one player is left. F wins.", [])


SITUATIONS: Final[list[Situation]] = [
    *(invitation, declined, undeliverable, cancelled, expired, turn, roll, reminder, over),
    *(time_up_of_the_late, time_up_of_another, time_up_and_played, answer, answer_to_another),
    *(talk, talk_to_another, talk_after_the_end, links, links_of_another, links_of_who_is_asked),
]


def written(ctx: AppContext, letter: Letter) -> Composed:
    composed = compose(ctx, letter)
    check(composed)
    return composed


def test_every_kind_of_letter_about_a_table_is_among_the_situations() -> None:
    kinds = {kind for kind in KINDS for each in SITUATIONS if each.__name__.startswith(kind.replace("-", "_"))}
    assert kinds == set(KINDS) - NO_TABLE


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_letter_says_all_five_things_in_both_of_its_parts(
    ctx: AppContext, clock: Clock, situation: Situation
) -> None:
    letter, says = situation(ctx, clock)
    assert missing(written(ctx, letter), says) == set()


@pytest.mark.parametrize("thing", WITHOUT)
@pytest.mark.parametrize("situation", [turn, talk, talk_to_another, links, time_up_of_another])
def test_a_letter_without_one_of_them_would_be_found_out(
    ctx: AppContext, clock: Clock, situation: Situation, thing: str
) -> None:
    letter, says = situation(ctx, clock)
    whole = compose(ctx, letter)
    for part, lacking in zip(("text", "html"), WITHOUT[thing](whole, says), strict=True):
        assert missing(lacking, says) == {f"{thing} in {part}"}
