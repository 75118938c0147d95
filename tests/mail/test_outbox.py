"""Claims on letters: who holds one may say what became of the letter, and nobody else."""

import threading
from typing import Any

import pytest

from service.context import AppContext
from service.db.letters import NewLetter, drop_letter, enqueue_letters, retry_letter
from service.db.models import Letter, Player
from service.games.statistics import outbox_age
from service.mail import outbox
from service.mail.outbox import BATCH, CLAIM_SECONDS, FIRST_WAIT, LONGEST_WAIT, Claim
from tests.mail.tables import ANN, letters
from tests.support.clock import Clock

pytestmark = pytest.mark.databases("sqlite", "postgresql")


def fill(ctx: AppContext, count: int) -> None:
    with ctx.database.atomic():
        due = [NewLetter("test", ANN, f"test/{number}") for number in range(count)]
        enqueue_letters(ctx.database, due, ctx.clock())


def claimed(ctx: AppContext) -> Claim:
    claim = outbox.claim(ctx.database, ctx.clock())
    assert claim is not None
    return claim


def row(ctx: AppContext) -> Letter:
    (letter,) = letters(ctx)
    return letter


def trouble_of(ctx: AppContext, player: Player) -> str | None:
    found: str | None = Player.select(Player.mail_trouble).where(Player.id == player.id).scalar(ctx.database)
    return found


def test_an_empty_outbox_has_nothing_to_claim(ctx: AppContext) -> None:
    assert outbox.claim(ctx.database, ctx.clock()) is None


def test_letters_are_claimed_in_batches_the_oldest_first_and_each_once(ctx: AppContext) -> None:
    fill(ctx, BATCH + 3)
    first, second = claimed(ctx), claimed(ctx)
    ids = [letter.id for letter in letters(ctx)]
    assert [letter.id for letter in first.letters] == ids[:BATCH]
    assert [letter.id for letter in second.letters] == ids[BATCH:]
    assert first.key != second.key
    assert outbox.claim(ctx.database, ctx.clock()) is None


def test_looking_for_letters_does_not_look_through_all_that_were_ever_sent(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker looks every second, and a database that has seen a question often plans it for any answer at all."""
    if not ctx.settings.database_url.startswith("postgresql"):
        pytest.skip("SQLite looks at no values when it plans.")
    fill(ctx, 3000)
    database = ctx.database
    Letter.update(status="sent").execute(database)
    database.execute_sql("analyze letter")
    asked: list[str] = []
    execute = database.execute_sql

    def listen(statement: str, values: Any = None) -> Any:
        asked.append(statement)
        return execute(statement, values)

    monkeypatch.setattr(database, "execute_sql", listen)
    assert outbox.claim(database, ctx.clock()) is None
    outbox_age(ctx)
    monkeypatch.undo()
    assert len(asked) == 2
    for statement in asked:
        numbered = "".join(f"{part}${number}" for number, part in enumerate(statement.split("%s"), 1)).rpartition("$")[
            0
        ]
        plan = "\n".join(line for (line,) in execute(f"explain (generic_plan) {numbered}").fetchall())
        assert "letter_status_due" in plan
        assert "Seq Scan" not in plan


def test_what_is_not_due_yet_is_left_alone(ctx: AppContext) -> None:
    fill(ctx, 1)
    assert outbox.claim(ctx.database, ctx.clock() - 1) is None


def test_a_claim_that_has_lapsed_is_anybodys_and_its_old_mark_is_worth_nothing(ctx: AppContext, clock: Clock) -> None:
    fill(ctx, 1)
    frozen = claimed(ctx)
    clock.now += CLAIM_SECONDS - 1
    assert outbox.claim(ctx.database, clock.now) is None
    clock.now += 1
    taken_over = claimed(ctx)
    (letter,) = frozen.letters
    before = row(ctx).__data__
    assert outbox.find_addressee(ctx.database, letter, frozen.key) is None
    assert not outbox.mark_sent(ctx.database, letter, frozen.key, clock.now)
    assert not outbox.postpone(ctx.database, letter, frozen.key, "451", clock.now)
    assert not outbox.park(ctx.database, letter, frozen.key, "550")
    assert not outbox.drop(ctx.database, letter, frozen.key, "late")
    outbox.release(ctx.database, [letter], frozen.key)
    assert row(ctx).__data__ == before
    assert outbox.mark_sent(ctx.database, letter, taken_over.key, clock.now)
    assert (row(ctx).status, row(ctx).sent, row(ctx).claim) == ("sent", clock.now, None)
    assert outbox.claim(ctx.database, clock.now + 10 * CLAIM_SECONDS) is None


def test_a_claim_is_renewed_for_as_long_as_it_is_ours(ctx: AppContext, clock: Clock) -> None:
    fill(ctx, 1)
    ours = claimed(ctx)
    (letter,) = ours.letters
    for _ in range(2):
        clock.now += CLAIM_SECONDS - 1
        assert outbox.renew(ctx.database, letter, ours.key, clock.now)
        assert outbox.claim(ctx.database, clock.now + CLAIM_SECONDS - 1) is None
    clock.now += CLAIM_SECONDS
    claimed(ctx)
    assert not outbox.renew(ctx.database, letter, ours.key, clock.now)


def test_letters_of_a_killed_worker_are_free_after_a_minute(ctx: AppContext, clock: Clock) -> None:
    fill(ctx, 1)
    claimed(ctx)
    clock.now += 60
    assert len(claimed(ctx).letters) == 1


def test_of_a_lapsed_claim_its_letters_go_last(ctx: AppContext, clock: Clock) -> None:
    fill(ctx, 1)
    claimed(ctx)
    clock.now += CLAIM_SECONDS
    enqueue_letters(ctx.database, [NewLetter("test", ANN, "test/new")], clock.now)
    assert [letter.about for letter in claimed(ctx).letters] == ["test/new", "test/0"]


def test_letters_that_were_given_back_can_be_had_at_once(ctx: AppContext) -> None:
    fill(ctx, 3)
    claim = claimed(ctx)
    outbox.release(ctx.database, list(claim.letters[1:]), claim.key)
    assert [letter.about for letter in claimed(ctx).letters] == ["test/1", "test/2"]
    assert {letter.tries for letter in letters(ctx)} == {0}


def test_each_wait_is_twice_as_long_up_to_a_day(ctx: AppContext, clock: Clock) -> None:
    fill(ctx, 1)
    waits = []
    for number in range(15):
        claim = claimed(ctx)
        assert outbox.postpone(ctx.database, claim.letters[0], claim.key, "451 later", clock.now)
        letter = row(ctx)
        assert (letter.status, letter.tries, letter.trouble, letter.claim) == ("waiting", number + 1, "451 later", None)
        waits.append(letter.due - clock.now)
        assert outbox.claim(ctx.database, letter.due - 1) is None
        clock.now = letter.due
    assert waits[:4] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT, 8 * FIRST_WAIT]
    assert waits[-2:] == [LONGEST_WAIT, LONGEST_WAIT]


def test_a_letter_that_is_refused_for_good_is_parked(ctx: AppContext, ann: Player) -> None:
    fill(ctx, 1)
    claim = claimed(ctx)
    assert outbox.park(ctx.database, claim.letters[0], claim.key, "550 no such user")
    assert (row(ctx).status, row(ctx).trouble) == ("parked", "550 no such user")


def test_a_letter_that_arrives_clears_the_flag(ctx: AppContext, ann: Player) -> None:
    Player.update(mail_trouble="550 full").execute(ctx.database)
    fill(ctx, 1)
    claim = claimed(ctx)
    outbox.mark_sent(ctx.database, claim.letters[0], claim.key, ctx.clock())
    assert trouble_of(ctx, ann) is None


def test_the_host_sends_what_is_parked_again_and_the_address_gets_another_chance(ctx: AppContext, ann: Player) -> None:
    fill(ctx, 2)
    claim = claimed(ctx)
    outbox.park(ctx.database, claim.letters[0], claim.key, "550 no")
    Player.update(mail_trouble="550 no").execute(ctx.database)
    outbox.mark_sent(ctx.database, claim.letters[1], claim.key, ctx.clock())
    assert [retry_letter(ctx.database, letter.id, ctx.clock()) for letter in letters(ctx)] == [True, False]
    assert [(letter.status, letter.tries) for letter in letters(ctx)] == [("waiting", 0), ("sent", 1)]
    assert trouble_of(ctx, ann) is None
    assert [letter.about for letter in claimed(ctx).letters] == ["test/0"]


def test_sending_again_takes_nothing_out_of_a_workers_hands(ctx: AppContext) -> None:
    fill(ctx, 1)
    claim = claimed(ctx)
    assert retry_letter(ctx.database, claim.letters[0].id, ctx.clock())
    assert outbox.claim(ctx.database, ctx.clock()) is None
    assert outbox.mark_sent(ctx.database, claim.letters[0], claim.key, ctx.clock())


def test_the_host_drops_a_letter_even_out_of_a_workers_hands(ctx: AppContext) -> None:
    fill(ctx, 1)
    claim = claimed(ctx)
    (letter,) = claim.letters
    assert drop_letter(ctx.database, letter.id)
    assert outbox.find_addressee(ctx.database, letter, claim.key) is None
    assert not drop_letter(ctx.database, letter.id)
    assert (row(ctx).status, row(ctx).trouble) == ("dropped", "Dropped by the server host.")


def test_workers_that_claim_at_the_same_moment_share_nothing(ctx: AppContext) -> None:
    fill(ctx, 10 * BATCH)
    workers = 4
    start, taken = threading.Barrier(workers), list[int]()

    def work() -> None:
        start.wait(10)
        while claim := outbox.claim(ctx.database, ctx.clock()):
            taken.extend(letter.id for letter in claim.letters)
        ctx.database.close()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(taken) == [letter.id for letter in letters(ctx)]
