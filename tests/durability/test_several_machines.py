"""Several machines on one PostgreSQL: games survive kills, freezes and a lost database."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from service.context import AppContext
from service.db import letter_texts
from service.db.models import Event, Letter
from service.mail.message import message_id
from tests.durability.checks import check_answers, check_database
from tests.durability.cluster import Cluster, crash_and_restart
from tests.durability.fast_worker import CLAIM_SECONDS
from tests.durability.flaky_smtp import FlakySmtpServer
from tests.durability.players import Clients
from tests.durability.processes import wait_for
from tests.support.soak import GAMES, ROUNDS


@pytest.mark.databases("postgresql")
def test_whatever_dies_no_turn_is_lost_or_taken_twice_and_no_letter_is_lost(
    ctx: AppContext, postgres: Any, tmp_path: Path
) -> None:
    with (
        FlakySmtpServer(seed=GAMES) as post,
        Cluster(ctx, post.url, tmp_path) as cluster,
        Clients(ctx, lambda: cluster.addresses, GAMES, pause=0.1) as clients,
    ):
        for number in range(ROUNDS):
            inject_failures(cluster, clients, postgres, number)
            ctx.database.close()
            with clients.holding():
                check_answers(cluster.addresses, list(clients.acknowledged))
        clients.play_on(2 * GAMES)
        clients.close()
        assert clients.broken > 0
        assert clients.not_now > 0
        check_database(ctx, clients.acknowledged)
        stored = Event.select().where(Event.action.is_null(False)).count(ctx.database)
        assert stored == len(clients.acknowledged)
        post.failing = False
        wait_for(lambda: waiting(ctx) == 0, f"{waiting(ctx)} letters still wait\n{cluster.logs()}")
    assert post.failures > 0
    assert len(post.letters) > GAMES
    check_letters(ctx, post, cluster.worker_deaths + post.accepted_without_reply)


def inject_failures(cluster: Cluster, clients: Clients, postgres: Any, number: int) -> None:
    """All failures of a cluster, while games go on."""
    still, dying = number % 3, (number + 1) % 3
    frozen = cluster.freeze(still)
    web = cluster.webs[number % 2]
    clients.play_on(2 * GAMES)
    web.kill()
    cluster.replace_worker(dying)
    clients.play_on(2 * GAMES)  # the other web process is enough
    web.start()
    web.wait_until_ready()
    clients.play_on(GAMES)
    crash_and_restart(postgres)
    clients.play_on(2 * GAMES)
    cluster.wait_until_all_answer()
    cluster.replace_worker(dying)
    cluster.thaw(still, frozen, CLAIM_SECONDS + 1)
    clients.play_on(GAMES)


def waiting(ctx: AppContext) -> int:
    return int(Letter.select().where(Letter.status == "waiting").count(ctx.database))


def check_letters(ctx: AppContext, post: FlakySmtpServer, excuses: int) -> None:
    """Every letter was sent, or dropped as outdated. Repeats have the same id and a kill that explains them."""
    rows = list(Letter.select().execute(ctx.database))
    ids = {message_id(ctx.settings, letter.about): letter for letter in rows}
    arrived = Counter(post.ids)
    assert set(arrived) <= set(ids), "a letter came that nobody wrote"
    assert {letter.status for letter in rows} <= {"sent", "dropped"}
    lost = [letter.about for id_, letter in ids.items() if letter.status == "sent" and id_ not in arrived]
    assert not lost
    dropped = {(letter.kind, letter.trouble) for letter in rows if letter.status == "dropped"}
    # A worker that is about to compose such a letter finds that the turn is over.
    late = {letter_texts.TURN_PLAYED, letter_texts.TOO_LATE, letter_texts.OUTDATED}
    assert {kind for kind, _ in dropped} <= {"turn", "invitation"}
    assert {reason for _, reason in dropped} <= late
    waited_for = pending_turn_letters(ctx)
    assert waited_for
    assert {letter.status for letter in rows if letter.about in waited_for} == {"sent"}
    assert arrived.total() - len(arrived) <= excuses, "more letters came twice than there were deaths"


def pending_turn_letters(ctx: AppContext) -> set[str]:
    """The letters of running turns, which must not be dropped."""
    rows = ctx.database.execute_sql(
        "select game.id, seat.seat, game.turn from game join seat on seat.game = game.id"
        " where game.status = 'playing' and (game.to_act >> seat.seat) & 1 = 1"
    ).fetchall()
    return {f"{game}/{seat}/{turn}/turn" for game, seat, turn in rows}
