"""Before a game starts: who may do what at a table, once and twice, in time and too late, alone and at once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.engine.errors import Malformed
from service.engine.marrakech import options as marrakech_options
from service.engine.marrakech.state import Options
from service.engine.reading import Json
from service.errors import BadRequest, Forbidden, NotFound, Problem, Stale
from service.identity import player_with
from service.lobby import EXPIRES_AFTER, Chair, Wish, accept, cancel, create, decline, expire, join
from service.models import Event, Game, Player
from service.office import Office
from service.store import entries, load
from service.stored import StoredGame
from tests.service.conftest import Clock
from tests.service.crowd import at_once
from tests.service.tables import BOT, OPEN, Sent, contents, is_sound, outbox, plain, rest_of, started, step, wish

BO, CY = Chair("bo@example.org"), Chair("cy@example.org")


@pytest.fixture
def table(office: Office, ann: Player, bo: Player) -> StoredGame:
    """Ann has asked Bo, and one more seat is open."""
    return create(office, ann, wish(BO, OPEN))


def sitting(game: StoredGame) -> list[tuple[str, bool]]:
    """Who sits or is asked where, and who has accepted."""
    return [(seat.address or seat.bot or "", seat.accepted) for seat in game.seats]


# Setting a table up


def test_a_table_has_the_host_first_and_then_whoever_is_named(office: Office, ann: Player) -> None:
    table = create(office, ann, wish(BO, OPEN, BOT, pace=3600))
    assert sitting(table) == [("ann@example.org", True), ("bo@example.org", False), ("", False), ("random", True)]
    assert (table.status, table.head, table.state, table.deadline) == ("waiting", 0, None, None)
    assert (table.host, table.pace) == (ann.id, 3600)
    assert table == load(office.database, table.id)


def test_whoever_is_named_gets_an_invitation_and_nobody_else_a_letter(office: Office, ann: Player) -> None:
    create(office, ann, wish(BO, OPEN, BOT))
    assert outbox(office) == [Sent("invitation", "bo@example.org")]


@pytest.mark.parametrize("own", ["ann@example.org", " Ann@Example.ORG "])
def test_the_host_may_name_himself_first(office: Office, ann: Player, own: str) -> None:
    table = create(office, ann, wish(Chair(own), BO))
    assert sitting(table) == [("ann@example.org", True), ("bo@example.org", False)]


def test_ids_and_seeds_are_new_for_every_table(office: Office, ann: Player) -> None:
    tables = [create(office, ann, wish(OPEN)) for _ in range(5)]
    assert len({table.id for table in tables}) == len({table.seed for table in tables}) == 5
    assert all(len(table.id) == 12 and table.id.isalnum() and len(table.seed) == 64 for table in tables)


@pytest.mark.parametrize("bots", [1, 2, 3])
def test_a_table_with_nobody_but_bots_starts_at_once(office: Office, ann: Player, bots: int) -> None:
    game = create(office, ann, wish(*[BOT] * bots))
    assert game.status == "playing"
    assert game.rules.to_act(game.state) == {0}
    assert outbox(office) == [Sent("turn", "ann@example.org", 1)]
    assert is_sound(office, game.id)


REFUSED: dict[str, tuple[Wish, type[Exception], str]] = {
    "a game nobody knows": (wish(BO)._replace(game="backgammon"), BadRequest, "game must be marrakech"),
    "an option nobody knows": (wish(BO, options={"board": "round"}), Malformed, "board"),
    "a wrong option": (wish(BO, options={"variant": "rotate-before"}), Malformed, "variant"),
    "a first player who is not there": (wish(BO, options={"first": 2}), Malformed, "first"),
    "nobody else": (wish(), Malformed, "2 to 4 players"),
    "the host alone": (wish(Chair("ann@example.org")), Malformed, "2 to 4 players"),
    "too many": (wish(BO, CY, OPEN, OPEN), Malformed, "2 to 4 players"),
    "somebody twice": (wish(BO, BO), BadRequest, "twice"),
    "somebody twice in another case": (wish(BO, Chair("BO@Example.org")), BadRequest, "twice"),
    "the host once more": (wish(BO, Chair("ann@example.org")), BadRequest, "twice"),
    "the host first and once more": (wish(*[Chair("ann@example.org")] * 2), BadRequest, "twice"),
    "no address": (wish(CY, Chair("bo.example.org")), BadRequest, r"seats\[1\].email"),
    "no address first": (wish(Chair("bo@")), BadRequest, r"seats\[0\].email"),
    "no address behind the host": (wish(Chair("ann@example.org"), Chair("")), BadRequest, r"seats\[1\].email"),
    "a bot nobody knows": (wish(CY, Chair(bot="genius")), Malformed, r"seats\[1\].bot"),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_table_that_cannot_be_is_refused_and_nothing_changes(office: Office, ann: Player, wrong: str) -> None:
    wanted, error, sentence = REFUSED[wrong]
    before = contents(office)
    with pytest.raises(error, match=sentence):
        create(office, ann, wanted)
    assert contents(office) == before


def test_an_address_that_may_not_play_here_is_refused_and_nothing_changes(office: Office, ann: Player) -> None:
    closed = office._replace(settings=replace(office.settings, allowed_emails=("*@example.org",)))
    before = contents(office)
    with pytest.raises(Forbidden, match="closed group"):
        create(closed, ann, wish(BO, Chair("eve@example.com")))
    assert contents(office) == before
    assert create(closed, ann, wish(BO)).status == "waiting"


# Names


def test_people_are_called_by_the_name_they_have_or_the_start_of_their_address(office: Office, ann: Player) -> None:
    Player.update(name="Bo Derek").where(Player.id == player_with(office, "bo@example.org").id).execute(office.database)
    table = create(office, ann, wish(BO, Chair("cy@example.org", "Cyrus"), Chair(bot="greedy")))
    assert [seat.name for seat in table.heading.seats] == ["ann", "Bo Derek", "Cyrus", "greedy"]
    assert table.heading.name == "Marrakech with ann"


def test_an_open_seat_has_the_name_of_whoever_takes_it(office: Office, ann: Player, eve: Player) -> None:
    table = create(office, ann, wish(OPEN, OPEN))
    assert [seat.name for seat in table.seats] == ["ann", "", ""]
    assert [seat.name for seat in join(office, table.id, eve).seats] == ["ann", "eve", ""]


def test_a_table_has_the_name_that_it_is_given(office: Office, ann: Player) -> None:
    assert create(office, ann, wish(BO, name="Souk")).name == "Souk"


def test_a_long_name_fits_both_databases(office: Office, ann: Player) -> None:
    ann.name = "A" * 80
    table = create(office, ann, wish(Chair(f"{'b' * 64}@example.org")))
    assert [len(seat.name) for seat in table.seats] == [80, 40]
    assert table.heading.name == f"Marrakech with {'A' * 65}"


# Options


def test_options_are_kept_with_the_game_whatever_becomes_of_the_defaults(
    office: Office, ann: Player, bo: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = create(office, ann, wish(OPEN, options={}))
    running = step(office, started(office, [ann, bo], options={})).game
    usual: Json = {"variant": "standard", "pile": "shuffled"}
    monkeypatch.setattr(Options.__new__, "__defaults__", ("rotate-after", "alternating", None))
    assert marrakech_options.read_options({}, 2).variant == "rotate-after"
    assert load(office.database, waiting.id).options == load(office.database, running.id).options == usual
    for game in (join(office, waiting.id, bo), running):
        over = rest_of(office, game)
        assert (over.options, over.state.options[:2]) == (usual, ("standard", "shuffled"))
        assert "turned" not in {entry.event.type for entry in entries(office.database, over)}
        assert is_sound(office, over.id)


# Accepting


def test_accepting_takes_the_seat(office: Office, table: StoredGame, bo: Player) -> None:
    assert sitting(accept(office, table.id, 1, bo.id)) == [
        ("ann@example.org", True),
        ("bo@example.org", True),
        ("", False),
    ]


def test_the_last_to_accept_starts_the_game(office: Office, ann: Player, bo: Player, cy: Player) -> None:
    table = create(office, ann, wish(BO, CY))
    assert accept(office, table.id, 2, cy.id).status == "waiting"
    game = accept(office, table.id, 1, bo.id)
    assert (game.status, game.turn) == ("playing", 1)
    assert game == load(office.database, table.id)
    assert outbox(office)[2:] == [Sent("turn", "ann@example.org", 1)]


def test_accepting_twice_changes_nothing(office: Office, table: StoredGame, bo: Player, clock: Clock) -> None:
    first = accept(office, table.id, 1, bo.id)
    before = contents(office)
    clock.now += 60
    assert plain(accept(office, table.id, 1, bo.id)) == plain(first)
    assert contents(office) == before


def test_accepting_after_the_start_changes_nothing(
    office: Office, table: StoredGame, bo: Player, cy: Player, clock: Clock
) -> None:
    accept(office, table.id, 1, bo.id)
    game = join(office, table.id, cy)
    before = contents(office)
    clock.now += 60
    assert plain(accept(office, table.id, 1, bo.id)) == plain(game)
    assert plain(join(office, table.id, cy)) == plain(game)
    assert contents(office) == before


# Declining


def test_declining_opens_the_seat_and_tells_the_host(office: Office, table: StoredGame, bo: Player) -> None:
    after = decline(office, table.id, 1, bo.id)
    assert sitting(after) == [("ann@example.org", True), ("", False), ("", False)]
    assert after.seats[1].name == ""
    assert outbox(office)[-1] == Sent("declined", "ann@example.org")


def test_who_has_accepted_can_still_leave_before_the_start(office: Office, table: StoredGame, bo: Player) -> None:
    accept(office, table.id, 1, bo.id)
    assert sitting(decline(office, table.id, 1, bo.id))[1] == ("", False)


def test_declining_twice_is_refused_and_nobody_is_told_again(office: Office, table: StoredGame, bo: Player) -> None:
    decline(office, table.id, 1, bo.id)
    before = contents(office)
    with pytest.raises(Forbidden):
        decline(office, table.id, 1, bo.id)
    assert contents(office) == before


def test_who_has_declined_can_think_again(office: Office, table: StoredGame, bo: Player) -> None:
    decline(office, table.id, 1, bo.id)
    assert sitting(join(office, table.id, bo))[1] == ("bo@example.org", True)


def test_the_links_of_who_has_declined_do_not_open_the_seat_of_the_next(
    office: Office, table: StoredGame, bo: Player, cy: Player
) -> None:
    old = table.seats[1].link_version
    decline(office, table.id, 1, bo.id)
    now = join(office, table.id, cy).seats[1]
    assert (now.player, now.link_version) == (cy.id, old + 1)


def test_the_host_cannot_leave(office: Office, table: StoredGame, ann: Player) -> None:
    before = contents(office)
    with pytest.raises(Forbidden, match="cancel it instead"):
        decline(office, table.id, 0, ann.id)
    assert contents(office) == before


# Joining


def test_joining_takes_the_first_open_seat(office: Office, table: StoredGame, cy: Player) -> None:
    assert sitting(join(office, table.id, cy)) == [
        ("ann@example.org", True),
        ("bo@example.org", False),
        ("cy@example.org", True),
    ]


def test_joining_twice_seats_a_player_once(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    table = create(office, ann, wish(OPEN, OPEN))
    first = join(office, table.id, bo)
    before = contents(office)
    clock.now += 60
    assert plain(join(office, table.id, bo)) == plain(first)
    assert contents(office) == before


def test_who_was_asked_by_name_and_joins_by_the_shared_link_takes_the_offered_seat(
    office: Office, table: StoredGame, bo: Player
) -> None:
    assert sitting(join(office, table.id, bo))[1:] == [("bo@example.org", True), ("", False)]


def test_the_host_who_opens_his_own_link_stays_where_he_is(office: Office, table: StoredGame, ann: Player) -> None:
    assert plain(join(office, table.id, ann)) == plain(table)


def test_where_every_seat_is_offered_nobody_else_can_join(office: Office, ann: Player, eve: Player) -> None:
    table = create(office, ann, wish(BO, BOT))
    before = contents(office)
    with pytest.raises(Stale, match="Every seat at this table is taken"):
        join(office, table.id, eve)
    assert contents(office) == before


# Calling it off


def test_the_host_calls_the_table_off_and_whoever_was_asked_is_told(
    office: Office, table: StoredGame, ann: Player, cy: Player
) -> None:
    join(office, table.id, cy)
    before = outbox(office)
    cancel(office, table.id, ann.id)
    assert load(office.database, table.id).status == "cancelled"
    assert outbox(office) == [*before, Sent("cancelled", "bo@example.org"), Sent("cancelled", "cy@example.org")]


Deed = Callable[[Office, str, Player], object]
DEEDS: dict[str, Deed] = {
    "accept": lambda office, game, player: accept(office, game, 1, player.id),
    "decline": lambda office, game, player: decline(office, game, 1, player.id),
    "join": join,
    "cancel": lambda office, game, player: cancel(office, game, player.id),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_table_that_was_called_off_is_gone_for_everybody(
    office: Office, table: StoredGame, ann: Player, bo: Player, eve: Player, deed: str
) -> None:
    cancel(office, table.id, ann.id)
    before = contents(office)
    for player in (ann, bo, eve):
        with pytest.raises(NotFound, match="cancelled"):
            DEEDS[deed](office, table.id, player)
    assert contents(office) == before


@pytest.mark.parametrize("deed", DEEDS)
def test_a_table_that_does_not_exist_is_not_found(office: Office, ann: Player, deed: str) -> None:
    with pytest.raises(NotFound):
        DEEDS[deed](office, "nowhere", ann)


@pytest.mark.parametrize("seat", [-1, 3, 2**31, 2**70])
def test_a_seat_that_does_not_exist_is_not_found(office: Office, table: StoredGame, bo: Player, seat: int) -> None:
    for answer in (accept, decline):
        with pytest.raises(NotFound, match="no seat"):
            answer(office, table.id, seat, bo.id)


# Eve


@pytest.mark.parametrize("deed", ["accept", "decline", "cancel"])
def test_whoever_was_not_asked_can_do_nothing(
    office: Office, table: StoredGame, bo: Player, eve: Player, deed: str
) -> None:
    accept(office, table.id, 1, bo.id)
    before = contents(office)
    with pytest.raises(Forbidden):
        DEEDS[deed](office, table.id, eve)
    assert contents(office) == before


@pytest.mark.parametrize("seat", [0, 2])
def test_bo_cannot_answer_for_the_host_or_for_an_open_seat(
    office: Office, table: StoredGame, bo: Player, seat: int
) -> None:
    before = contents(office)
    for answer in (accept, decline):
        with pytest.raises(Forbidden):
            answer(office, table.id, seat, bo.id)
    assert contents(office) == before


def test_only_the_host_calls_a_table_off(office: Office, table: StoredGame, bo: Player) -> None:
    before = contents(office)
    with pytest.raises(Forbidden, match="Only the host"):
        cancel(office, table.id, bo.id)
    assert contents(office) == before


def test_after_the_start_nobody_leaves_joins_or_calls_it_off(
    office: Office, ann: Player, bo: Player, eve: Player
) -> None:
    game = started(office, [ann, bo])
    before = contents(office)
    with pytest.raises(Stale, match="resign"):
        decline(office, game.id, 1, bo.id)
    with pytest.raises(Stale):
        cancel(office, game.id, ann.id)
    for deed, error in (("accept", Forbidden), ("decline", Forbidden), ("cancel", Forbidden), ("join", Stale)):
        with pytest.raises(error):
            DEEDS[deed](office, game.id, eve)
    assert contents(office) == before


# Tables that never fill


def test_a_table_expires_after_fourteen_days_and_not_a_second_before(
    office: Office, table: StoredGame, ann: Player, bo: Player, clock: Clock
) -> None:
    accept(office, table.id, 1, bo.id)
    made, before = clock.now, contents(office)
    clock.now = made + EXPIRES_AFTER - 1
    assert expire(office) == []
    assert contents(office) == before
    clock.now = made + EXPIRES_AFTER
    assert EXPIRES_AFTER == 14 * 24 * 60 * 60
    assert expire(office) == [table.id]
    assert load(office.database, table.id).status == "expired"
    assert outbox(office)[1:] == [Sent("expired", "ann@example.org")]


def test_a_table_expires_once(office: Office, table: StoredGame, bo: Player, clock: Clock) -> None:
    clock.now += EXPIRES_AFTER
    expire(office)
    before = contents(office)
    clock.now += EXPIRES_AFTER
    assert expire(office) == []
    with pytest.raises(NotFound, match="expired"):
        accept(office, table.id, 1, bo.id)
    assert contents(office) == before


def test_only_tables_that_wait_for_players_expire(office: Office, ann: Player, bo: Player, clock: Clock) -> None:
    started(office, [ann, bo])
    rest_of(office, started(office, [ann, bo]))
    cancel(office, create(office, ann, wish(OPEN)).id, ann.id)
    clock.now += EXPIRES_AFTER
    create(office, ann, wish(OPEN))
    before = contents(office)
    assert expire(office) == []
    assert contents(office) == before


# Everybody at once


def refusals(outcomes: list[StoredGame | Problem]) -> list[Problem]:
    return [outcome for outcome in outcomes if isinstance(outcome, Problem)]


def test_a_player_who_clicks_many_times_at_once_is_seated_once(office: Office, ann: Player, bo: Player) -> None:
    table = create(office, ann, wish(OPEN, OPEN, OPEN))
    assert not refusals(at_once(office, [lambda: join(office, table.id, bo)] * 8))
    assert sitting(load(office.database, table.id))[1:] == [("bo@example.org", True), ("", False), ("", False)]


def test_of_two_who_want_the_last_seat_one_sits_and_the_other_is_told(
    office: Office, ann: Player, bo: Player, cy: Player
) -> None:
    for _ in range(5):
        table = create(office, ann, wish(OPEN))
        outcomes = at_once(office, [lambda: join(office, table.id, bo), lambda: join(office, table.id, cy)])  # noqa: B023
        (refusal,) = refusals(outcomes)
        assert isinstance(refusal, Stale)
        game = load(office.database, table.id)
        assert game.status == "playing"
        assert game.seats[1].player == (cy.id if outcomes[0] is refusal else bo.id)
        assert openings(office, game) == 1


def openings(office: Office, game: StoredGame) -> int:
    rows = Event.select(Event.body).where(Event.game == game.id).tuples().execute(office.database)
    return sum('"started"' in body for (body,) in rows)


def test_the_last_to_accept_start_the_game_exactly_once(
    office: Office, ann: Player, bo: Player, cy: Player, eve: Player
) -> None:
    table = create(office, ann, wish(BO, CY, Chair("eve@example.org")))
    people = {1: bo, 2: cy, 3: eve}

    def take(seat: int) -> Callable[[], StoredGame]:
        return lambda: accept(office, table.id, seat, people[seat].id)

    assert not refusals(at_once(office, [take(seat) for seat in (1, 2, 3)] * 4))
    game = load(office.database, table.id)
    assert (game.status, game.head, openings(office, game)) == ("playing", 1, 1)
    assert outbox(office)[3:] == [Sent("turn", "ann@example.org", 1)]
    assert is_sound(office, game.id)


def test_a_table_is_either_called_off_or_started(office: Office, ann: Player, bo: Player) -> None:
    for _ in range(5):
        table = create(office, ann, wish(BO))

        def call_off(game_id: str = table.id) -> None:
            cancel(office, game_id, ann.id)

        def take(game_id: str = table.id) -> None:
            accept(office, game_id, 1, bo.id)

        outcomes = at_once(office, [call_off, take])
        game = load(office.database, table.id)
        assert (game.status, game.head) in {("cancelled", 0), ("playing", 1)}
        assert [outcome is None for outcome in outcomes] == [game.status == "cancelled", game.status == "playing"]


def test_two_workers_at_once_expire_a_table_once(office: Office, ann: Player, clock: Clock) -> None:
    tables = [create(office, ann, wish(OPEN)).id for _ in range(5)]
    clock.now += EXPIRES_AFTER
    outcomes = at_once(office, [lambda: expire(office)] * 4)
    assert all(isinstance(outcome, list) for outcome in outcomes)
    expired = [game_id for each in outcomes if isinstance(each, list) for game_id in each]
    assert sorted(expired) == sorted(tables)
    assert outbox(office) == [Sent("expired", "ann@example.org")] * 5
    assert Game.select().where(Game.status == "expired").count(office.database) == 5
