"""The lobby: who may create, accept, decline, join, cancel; repeated, too late, and simultaneously."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.context import AppContext
from service.db.models import Event, Game, Player
from service.engine.errors import Malformed
from service.engine.json_reader import Json
from service.engine.marrakech.codecs import read_options
from service.engine.marrakech.state import Options
from service.errors import BadRequest, Forbidden, NotFound, Problem, Stale
from service.games.lobby import (
    EXPIRES_AFTER,
    NewGameRequest,
    SeatRequest,
    accept,
    cancel,
    create_game,
    decline,
    expire,
    invite,
)
from service.games.store import StoredGame, entries, load
from service.games.views import game_view
from tests.support.clock import Clock
from tests.support.crowd import run_at_once
from tests.support.tables import (
    BOT,
    OPEN,
    QueuedLetter,
    database_contents,
    join,
    new_game,
    play_one_action,
    play_to_end,
    queued_letters,
    snapshot_matches,
    start_game,
)

pytestmark = pytest.mark.databases("sqlite", "postgresql")

BO, CY = SeatRequest("bo@example.org"), SeatRequest("cy@example.org")


@pytest.fixture
def table(ctx: AppContext, ann: Player, bo: Player) -> StoredGame:
    """Ann hosts, Bo is invited, and one more seat is open."""
    return create_game(ctx, ann, new_game(BO, OPEN))


def seats_of(game: StoredGame) -> list[tuple[str, bool]]:
    """The player of each seat, and whether they have accepted."""
    return [(seat.address or seat.bot or "", seat.accepted) for seat in game.seats]


# Creating a game


def test_the_host_has_the_first_seat_and_the_others_follow_in_order(ctx: AppContext, ann: Player) -> None:
    table = create_game(ctx, ann, new_game(BO, OPEN, BOT, pace=3600))
    assert seats_of(table) == [("ann@example.org", True), ("bo@example.org", False), ("", False), ("easy", True)]
    assert (table.status, table.head, table.state, table.deadline) == ("waiting", 0, None, None)
    assert (table.host, table.pace) == (ann.id, 3600)
    assert table == load(ctx.database, table.id)


def test_only_invited_players_get_an_invitation(ctx: AppContext, ann: Player) -> None:
    create_game(ctx, ann, new_game(BO, OPEN, BOT))
    assert queued_letters(ctx) == [QueuedLetter("invitation", "bo@example.org")]


@pytest.mark.parametrize("own", ["ann@example.org", " Ann@Example.ORG "])
def test_the_host_may_list_their_own_address_first(ctx: AppContext, ann: Player, own: str) -> None:
    table = create_game(ctx, ann, new_game(SeatRequest(own), BO))
    assert seats_of(table) == [("ann@example.org", True), ("bo@example.org", False)]


def test_every_game_has_a_new_id_and_seed(ctx: AppContext, ann: Player) -> None:
    tables = [create_game(ctx, ann, new_game(OPEN)) for _ in range(5)]
    assert len({table.id for table in tables}) == len({table.seed for table in tables}) == 5
    assert all(len(table.id) == 12 and table.id.isalnum() and len(table.seed) == 64 for table in tables)


@pytest.mark.parametrize("bots", [1, 2, 3])
def test_a_game_against_bots_only_starts_at_once(ctx: AppContext, ann: Player, bots: int) -> None:
    game = create_game(ctx, ann, new_game(*[BOT] * bots))
    assert game.status == "playing"
    assert game.rules.to_act(game.state) == {0}
    assert queued_letters(ctx) == [QueuedLetter("turn", "ann@example.org", 1)]
    assert snapshot_matches(ctx, game.id)


REFUSED: dict[str, tuple[NewGameRequest, type[Exception], str]] = {
    "a game nobody knows": (new_game(BO)._replace(game="backgammon"), BadRequest, "game must be marrakech or kilim"),
    "an option nobody knows": (new_game(BO, options={"board": "round"}), Malformed, "board"),
    "a wrong option": (new_game(BO, options={"variant": "rotate-before"}), Malformed, "variant"),
    "a first player who is not there": (new_game(BO, options={"first": 2}), Malformed, "first"),
    "nobody else": (new_game(), Malformed, "2 to 4 players"),
    "the host alone": (new_game(SeatRequest("ann@example.org")), Malformed, "2 to 4 players"),
    "too many": (new_game(BO, CY, OPEN, OPEN), Malformed, "2 to 4 players"),
    "somebody twice": (new_game(BO, BO), BadRequest, "twice"),
    "somebody twice in another case": (new_game(BO, SeatRequest("BO@Example.org")), BadRequest, "twice"),
    "the host once more": (new_game(BO, SeatRequest("ann@example.org")), BadRequest, "twice"),
    "the host first and once more": (new_game(*[SeatRequest("ann@example.org")] * 2), BadRequest, "twice"),
    "no address": (new_game(CY, SeatRequest("bo.example.org")), BadRequest, r"seats\[1\].email"),
    "no address first": (new_game(SeatRequest("bo@")), BadRequest, r"seats\[0\].email"),
    "no address behind the host": (
        new_game(SeatRequest("ann@example.org"), SeatRequest("")),
        BadRequest,
        r"seats\[1\].email",
    ),
    "a bot nobody knows": (new_game(CY, SeatRequest(bot="genius")), Malformed, r"seats\[1\].bot"),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_an_invalid_game_is_refused_and_nothing_changes(ctx: AppContext, ann: Player, wrong: str) -> None:
    wanted, error, sentence = REFUSED[wrong]
    before = database_contents(ctx)
    with pytest.raises(error, match=sentence):
        create_game(ctx, ann, wanted)
    assert database_contents(ctx) == before


def test_an_address_that_is_not_allowed_is_refused_and_nothing_changes(ctx: AppContext, ann: Player) -> None:
    closed = ctx._replace(settings=replace(ctx.settings, allowed_emails=("*@example.org",)))
    before = database_contents(ctx)
    with pytest.raises(Forbidden, match="be used on this server"):
        create_game(closed, ann, new_game(BO, SeatRequest("eve@example.com")))
    assert database_contents(ctx) == before
    assert create_game(closed, ann, new_game(BO)).status == "waiting"


# Names


def test_an_invited_players_own_name_is_shown_once_they_have_accepted(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, eve: Player
) -> None:
    for player, name in ((bo, "Bo Derek"), (cy, "Cyril")):
        Player.update(name=name).where(Player.id == player.id).execute(ctx.database)
    seats = (BO, SeatRequest("cy@example.org", "Cyrus"), SeatRequest("eve@example.org", "Eva"))
    table = create_game(ctx, ann, new_game(*seats))
    assert [seat.name for seat in table.heading.seats] == ["ann", "bo", "Cyrus", "Eva"]
    assert table.heading.name == "Marrakech with ann"
    accept(ctx, table.id, 1, bo.id)
    join(ctx, table.id, cy)
    started = accept(ctx, table.id, 3, eve.id)
    assert [seat.name for seat in started.heading.seats] == ["ann", "Bo Derek", "Cyril", "Eva"]


def test_inviting_somebody_later_does_not_show_their_name_either(ctx: AppContext, ann: Player, bo: Player) -> None:
    Player.update(name="Bo Derek").where(Player.id == bo.id).execute(ctx.database)
    table = create_game(ctx, ann, new_game(OPEN, OPEN))
    assert invite(ctx, table.id, ann.id, "bo@example.org").seats[1].name == "bo"


def test_an_invited_players_absence_is_shown_once_they_have_accepted(ctx: AppContext, ann: Player, bo: Player) -> None:
    away = {"away_from": ctx.clock(), "away_until": ctx.clock() + 86400}
    Player.update(**away).where(Player.id == bo.id).execute(ctx.database)
    table = create_game(ctx, ann, new_game(BO, OPEN))
    assert game_view(ctx, table, 0)["seats"][1]["away_until"] is None
    assert game_view(ctx, accept(ctx, table.id, 1, bo.id), 0)["seats"][1]["away_until"] is not None


def test_an_open_seat_gets_the_name_of_the_player_who_joins(ctx: AppContext, ann: Player, eve: Player) -> None:
    table = create_game(ctx, ann, new_game(OPEN, OPEN))
    assert [seat.name for seat in table.seats] == ["ann", "", ""]
    assert [seat.name for seat in join(ctx, table.id, eve).seats] == ["ann", "eve", ""]


def test_a_game_has_the_name_it_was_given(ctx: AppContext, ann: Player) -> None:
    assert create_game(ctx, ann, new_game(BO, name="Souk")).name == "Souk"


def test_a_long_name_fits_both_databases(ctx: AppContext, ann: Player) -> None:
    ann.name = "A" * 80
    table = create_game(ctx, ann, new_game(SeatRequest(f"{'b' * 64}@example.org")))
    assert [len(seat.name) for seat in table.seats] == [80, 40]
    assert table.heading.name == f"Marrakech with {'A' * 65}"


# Options


def test_a_game_keeps_its_options_when_the_defaults_change(
    ctx: AppContext, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = create_game(ctx, ann, new_game(OPEN, options={}))
    running = play_one_action(ctx, start_game(ctx, [ann, bo], options={})).game
    usual: Json = {"variant": "standard", "pile": "shuffled"}
    monkeypatch.setattr(Options.__new__, "__defaults__", ("rotate-after", "alternating", None))
    assert read_options({}, 2).variant == "rotate-after"
    assert load(ctx.database, waiting.id).options == load(ctx.database, running.id).options == usual
    for game in (join(ctx, waiting.id, bo), running):
        over = play_to_end(ctx, game)
        assert (over.options, over.state.options[:2]) == (usual, ("standard", "shuffled"))
        assert "turned" not in {entry.event.type for entry in entries(ctx.database, over)}
        assert snapshot_matches(ctx, over.id)


# Accepting


def test_accepting_takes_the_seat(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    assert seats_of(accept(ctx, table.id, 1, bo.id)) == [
        ("ann@example.org", True),
        ("bo@example.org", True),
        ("", False),
    ]


def test_the_last_player_to_accept_starts_the_game(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> None:
    table = create_game(ctx, ann, new_game(BO, CY))
    assert accept(ctx, table.id, 2, cy.id).status == "waiting"
    game = accept(ctx, table.id, 1, bo.id)
    assert (game.status, game.turn) == ("playing", 1)
    assert game == load(ctx.database, table.id)
    assert queued_letters(ctx)[2:] == [QueuedLetter("turn", "ann@example.org", 1)]


def test_accepting_twice_changes_nothing(ctx: AppContext, table: StoredGame, bo: Player, clock: Clock) -> None:
    first = accept(ctx, table.id, 1, bo.id)
    before = database_contents(ctx)
    clock.now += 60
    assert accept(ctx, table.id, 1, bo.id) == first
    assert database_contents(ctx) == before


def test_accepting_after_the_start_changes_nothing(
    ctx: AppContext, table: StoredGame, bo: Player, cy: Player, clock: Clock
) -> None:
    accept(ctx, table.id, 1, bo.id)
    game = join(ctx, table.id, cy)
    before = database_contents(ctx)
    clock.now += 60
    assert accept(ctx, table.id, 1, bo.id) == game
    assert join(ctx, table.id, cy) == game
    assert database_contents(ctx) == before


# Declining


def test_declining_opens_the_seat_and_mails_the_host(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    after = decline(ctx, table.id, 1, bo.id)
    assert seats_of(after) == [("ann@example.org", True), ("", False), ("", False)]
    assert after.seats[1].name == ""
    assert queued_letters(ctx)[-1] == QueuedLetter("declined", "ann@example.org")


def test_a_player_who_accepted_can_leave_before_the_start(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    accept(ctx, table.id, 1, bo.id)
    assert seats_of(decline(ctx, table.id, 1, bo.id))[1] == ("", False)


def test_declining_twice_is_refused_and_nobody_is_mailed_again(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    decline(ctx, table.id, 1, bo.id)
    before = database_contents(ctx)
    with pytest.raises(Forbidden):
        decline(ctx, table.id, 1, bo.id)
    assert database_contents(ctx) == before


def test_a_player_who_declined_can_join_again(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    decline(ctx, table.id, 1, bo.id)
    assert seats_of(join(ctx, table.id, bo))[1] == ("bo@example.org", True)


def test_links_of_a_player_who_declined_do_not_open_the_next_players_seat(
    ctx: AppContext, table: StoredGame, bo: Player, cy: Player
) -> None:
    old = table.seats[1].link_version
    decline(ctx, table.id, 1, bo.id)
    now = join(ctx, table.id, cy).seats[1]
    assert (now.player, now.link_version) == (cy.id, old + 1)


def test_the_host_cannot_leave_the_game(ctx: AppContext, table: StoredGame, ann: Player) -> None:
    before = database_contents(ctx)
    with pytest.raises(Forbidden, match="Cancel it instead"):
        decline(ctx, table.id, 0, ann.id)
    assert database_contents(ctx) == before


# Joining


def test_joining_takes_the_first_open_seat(ctx: AppContext, table: StoredGame, cy: Player) -> None:
    assert seats_of(join(ctx, table.id, cy)) == [
        ("ann@example.org", True),
        ("bo@example.org", False),
        ("cy@example.org", True),
    ]


def test_joining_twice_takes_one_seat(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    table = create_game(ctx, ann, new_game(OPEN, OPEN))
    first = join(ctx, table.id, bo)
    before = database_contents(ctx)
    clock.now += 60
    assert join(ctx, table.id, bo) == first
    assert database_contents(ctx) == before


def test_an_invited_player_who_joins_by_the_shared_link_takes_the_offered_seat(
    ctx: AppContext, table: StoredGame, bo: Player
) -> None:
    assert seats_of(join(ctx, table.id, bo))[1:] == [("bo@example.org", True), ("", False)]


def test_the_host_who_joins_by_the_shared_link_keeps_their_seat(
    ctx: AppContext, table: StoredGame, ann: Player
) -> None:
    assert join(ctx, table.id, ann) == table


def test_nobody_can_join_a_game_without_open_seats(ctx: AppContext, ann: Player, eve: Player) -> None:
    table = create_game(ctx, ann, new_game(BO, BOT))
    before = database_contents(ctx)
    with pytest.raises(Stale, match="Every seat in this game is taken"):
        join(ctx, table.id, eve)
    assert database_contents(ctx) == before


# Cancelling


def test_the_host_cancels_a_game_and_the_invited_players_are_mailed(
    ctx: AppContext, table: StoredGame, ann: Player, cy: Player
) -> None:
    join(ctx, table.id, cy)
    before = queued_letters(ctx)
    cancel(ctx, table.id, ann.id)
    assert load(ctx.database, table.id).status == "cancelled"
    assert queued_letters(ctx) == [
        *before,
        QueuedLetter("cancelled", "bo@example.org"),
        QueuedLetter("cancelled", "cy@example.org"),
    ]


StoredAction = Callable[[AppContext, str, Player], object]
DEEDS: dict[str, StoredAction] = {
    "accept": lambda ctx, game, player: accept(ctx, game, 1, player.id),
    "decline": lambda ctx, game, player: decline(ctx, game, 1, player.id),
    "join": join,
    "cancel": lambda ctx, game, player: cancel(ctx, game, player.id),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_cancelled_game_is_gone_for_everybody(
    ctx: AppContext, table: StoredGame, ann: Player, bo: Player, eve: Player, deed: str
) -> None:
    cancel(ctx, table.id, ann.id)
    before = database_contents(ctx)
    for player in (ann, bo, eve):
        with pytest.raises(NotFound, match="cancelled"):
            DEEDS[deed](ctx, table.id, player)
    assert database_contents(ctx) == before


@pytest.mark.parametrize("deed", DEEDS)
def test_an_unknown_game_is_not_found(ctx: AppContext, ann: Player, deed: str) -> None:
    with pytest.raises(NotFound):
        DEEDS[deed](ctx, "nowhere", ann)


@pytest.mark.parametrize("seat", [-1, 3, 2**31, 2**70])
def test_an_unknown_seat_is_not_found(ctx: AppContext, table: StoredGame, bo: Player, seat: int) -> None:
    for answer in (accept, decline):
        with pytest.raises(NotFound, match="no seat"):
            answer(ctx, table.id, seat, bo.id)


# Players who must be refused


@pytest.mark.parametrize("deed", ["accept", "decline", "cancel"])
def test_a_player_who_was_not_invited_can_do_nothing(
    ctx: AppContext, table: StoredGame, bo: Player, eve: Player, deed: str
) -> None:
    accept(ctx, table.id, 1, bo.id)
    before = database_contents(ctx)
    with pytest.raises(Forbidden):
        DEEDS[deed](ctx, table.id, eve)
    assert database_contents(ctx) == before


@pytest.mark.parametrize("seat", [0, 2])
def test_bo_cannot_answer_for_the_host_or_for_an_open_seat(
    ctx: AppContext, table: StoredGame, bo: Player, seat: int
) -> None:
    before = database_contents(ctx)
    for answer in (accept, decline):
        with pytest.raises(Forbidden):
            answer(ctx, table.id, seat, bo.id)
    assert database_contents(ctx) == before


def test_only_the_host_can_cancel_a_game(ctx: AppContext, table: StoredGame, bo: Player) -> None:
    before = database_contents(ctx)
    with pytest.raises(Forbidden, match="Only the host"):
        cancel(ctx, table.id, bo.id)
    assert database_contents(ctx) == before


def test_after_the_start_nobody_can_leave_join_or_cancel(ctx: AppContext, ann: Player, bo: Player, eve: Player) -> None:
    game = start_game(ctx, [ann, bo])
    before = database_contents(ctx)
    with pytest.raises(Stale, match="resign"):
        decline(ctx, game.id, 1, bo.id)
    with pytest.raises(Stale):
        cancel(ctx, game.id, ann.id)
    for deed, error in (("accept", Forbidden), ("decline", Forbidden), ("cancel", Forbidden), ("join", Stale)):
        with pytest.raises(error):
            DEEDS[deed](ctx, game.id, eve)
    assert database_contents(ctx) == before


# Expiring


def test_a_game_expires_after_fourteen_days_and_not_a_second_earlier(
    ctx: AppContext, table: StoredGame, ann: Player, bo: Player, clock: Clock
) -> None:
    accept(ctx, table.id, 1, bo.id)
    made, before = clock.now, database_contents(ctx)
    clock.now = made + EXPIRES_AFTER - 1
    assert expire(ctx) == []
    assert database_contents(ctx) == before
    clock.now = made + EXPIRES_AFTER
    assert EXPIRES_AFTER == 14 * 24 * 60 * 60
    assert expire(ctx) == [table.id]
    assert load(ctx.database, table.id).status == "expired"
    assert queued_letters(ctx)[1:] == [QueuedLetter("expired", "ann@example.org")]


def test_a_game_expires_once(ctx: AppContext, table: StoredGame, bo: Player, clock: Clock) -> None:
    clock.now += EXPIRES_AFTER
    expire(ctx)
    before = database_contents(ctx)
    clock.now += EXPIRES_AFTER
    assert expire(ctx) == []
    with pytest.raises(NotFound, match="expired"):
        accept(ctx, table.id, 1, bo.id)
    assert database_contents(ctx) == before


def test_only_games_that_wait_for_players_expire(ctx: AppContext, ann: Player, bo: Player, clock: Clock) -> None:
    start_game(ctx, [ann, bo])
    play_to_end(ctx, start_game(ctx, [ann, bo]))
    cancel(ctx, create_game(ctx, ann, new_game(OPEN)).id, ann.id)
    clock.now += EXPIRES_AFTER
    create_game(ctx, ann, new_game(OPEN))
    before = database_contents(ctx)
    assert expire(ctx) == []
    assert database_contents(ctx) == before


# Simultaneous requests


def refusals(outcomes: list[StoredGame | Problem]) -> list[Problem]:
    return [outcome for outcome in outcomes if isinstance(outcome, Problem)]


def test_a_player_who_joins_many_times_at_once_takes_one_seat(ctx: AppContext, ann: Player, bo: Player) -> None:
    table = create_game(ctx, ann, new_game(OPEN, OPEN, OPEN))
    assert not refusals(run_at_once(ctx, [lambda: join(ctx, table.id, bo)] * 8))
    assert seats_of(load(ctx.database, table.id))[1:] == [("bo@example.org", True), ("", False), ("", False)]


def test_of_two_players_who_want_the_last_seat_one_is_refused(
    ctx: AppContext, ann: Player, bo: Player, cy: Player
) -> None:
    for _ in range(5):
        table = create_game(ctx, ann, new_game(OPEN))
        outcomes = run_at_once(ctx, [lambda: join(ctx, table.id, bo), lambda: join(ctx, table.id, cy)])  # noqa: B023
        (refusal,) = refusals(outcomes)
        assert isinstance(refusal, Stale)
        game = load(ctx.database, table.id)
        assert game.status == "playing"
        assert game.seats[1].player == (cy.id if outcomes[0] is refusal else bo.id)
        assert openings(ctx, game) == 1


def openings(ctx: AppContext, game: StoredGame) -> int:
    rows = Event.select(Event.body).where(Event.game == game.id).tuples().execute(ctx.database)
    return sum('"started"' in body for (body,) in rows)


def test_players_who_accept_at_once_start_the_game_once(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, eve: Player
) -> None:
    table = create_game(ctx, ann, new_game(BO, CY, SeatRequest("eve@example.org")))
    people = {1: bo, 2: cy, 3: eve}

    def take(seat: int) -> Callable[[], StoredGame]:
        return lambda: accept(ctx, table.id, seat, people[seat].id)

    assert not refusals(run_at_once(ctx, [take(seat) for seat in (1, 2, 3)] * 4))
    game = load(ctx.database, table.id)
    assert (game.status, game.head, openings(ctx, game)) == ("playing", 1, 1)
    assert queued_letters(ctx)[3:] == [QueuedLetter("turn", "ann@example.org", 1)]
    assert snapshot_matches(ctx, game.id)


def test_a_game_is_either_cancelled_or_started(ctx: AppContext, ann: Player, bo: Player) -> None:
    for _ in range(5):
        table = create_game(ctx, ann, new_game(BO))

        def call_off(game_id: str = table.id) -> None:
            cancel(ctx, game_id, ann.id)

        def take(game_id: str = table.id) -> None:
            accept(ctx, game_id, 1, bo.id)

        outcomes = run_at_once(ctx, [call_off, take])
        game = load(ctx.database, table.id)
        assert (game.status, game.head) in {("cancelled", 0), ("playing", 1)}
        assert [outcome is None for outcome in outcomes] == [game.status == "cancelled", game.status == "playing"]


def test_two_workers_at_once_expire_a_game_once(ctx: AppContext, ann: Player, clock: Clock) -> None:
    tables = [create_game(ctx, ann, new_game(OPEN)).id for _ in range(5)]
    clock.now += EXPIRES_AFTER
    outcomes = run_at_once(ctx, [lambda: expire(ctx)] * 4)
    assert all(isinstance(outcome, list) for outcome in outcomes)
    expired = [game_id for each in outcomes if isinstance(each, list) for game_id in each]
    assert sorted(expired) == sorted(tables)
    assert queued_letters(ctx) == [QueuedLetter("expired", "ann@example.org")] * 5
    assert Game.select().where(Game.status == "expired").count(ctx.database) == 5


@pytest.mark.parametrize(("written", "level"), [("random", "easy"), ("greedy", "medium"), ("strong", "strong")])
def test_a_bot_may_be_asked_for_by_the_old_name_of_its_level(
    ctx: AppContext, ann: Player, written: str, level: str
) -> None:
    assert create_game(ctx, ann, new_game(SeatRequest(bot=written))).seats[1].bot == level
