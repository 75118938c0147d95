"""Claims on letters: who holds one may say what became of the letter, and nobody else."""

import threading
from typing import Any

import pytest

from service.mail import outbox
from service.mail.outbox import BATCH, CLAIM_SECONDS, FIRST_WAIT, LONGEST_WAIT, Claim
from service.models import Letter, Player
from service.office import Office
from service.standing import outbox_age
from service.store import LetterDue, post
from tests.mail.tables import ANN, letters
from tests.service.conftest import Clock


def fill(office: Office, count: int) -> None:
    with office.database.atomic():
        due = [LetterDue("test", ANN, f"test/{number}") for number in range(count)]
        post(office.database, due, office.clock())


def claimed(office: Office) -> Claim:
    claim = outbox.claim(office.database, office.clock())
    assert claim is not None
    return claim


def row(office: Office) -> Letter:
    (letter,) = letters(office)
    return letter


def trouble_of(office: Office, player: Player) -> str | None:
    found: str | None = Player.select(Player.mail_trouble).where(Player.id == player.id).scalar(office.database)
    return found


def test_an_empty_outbox_has_nothing_to_claim(office: Office) -> None:
    assert outbox.claim(office.database, office.clock()) is None


def test_letters_are_claimed_in_batches_the_oldest_first_and_each_once(office: Office) -> None:
    fill(office, BATCH + 3)
    first, second = claimed(office), claimed(office)
    ids = [letter.id for letter in letters(office)]
    assert [letter.id for letter in first.letters] == ids[:BATCH]
    assert [letter.id for letter in second.letters] == ids[BATCH:]
    assert first.mark != second.mark
    assert outbox.claim(office.database, office.clock()) is None


def test_looking_for_letters_does_not_look_through_all_that_were_ever_sent(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker looks every second, and a database that has seen a question often plans it for any answer at all."""
    if not office.settings.database_url.startswith("postgresql"):
        pytest.skip("SQLite looks at no values when it plans.")
    fill(office, 3000)
    database = office.database
    Letter.update(status="sent").execute(database)
    database.execute_sql("analyze letter")
    asked: list[str] = []
    execute = database.execute_sql

    def listen(statement: str, values: Any = None) -> Any:
        asked.append(statement)
        return execute(statement, values)

    monkeypatch.setattr(database, "execute_sql", listen)
    assert outbox.claim(database, office.clock()) is None
    outbox.keep(database, office.clock())
    outbox_age(office)
    monkeypatch.undo()
    assert len(asked) == 3
    for statement in asked:
        numbered = "".join(f"{part}${number}" for number, part in enumerate(statement.split("%s"), 1)).rpartition("$")[
            0
        ]
        plan = "\n".join(line for (line,) in execute(f"explain (generic_plan) {numbered}").fetchall())
        assert "letter_status_due" in plan
        assert "Seq Scan" not in plan


def test_what_is_not_due_yet_is_left_alone(office: Office) -> None:
    fill(office, 1)
    assert outbox.claim(office.database, office.clock() - 1) is None


def test_a_claim_that_has_lapsed_is_anybodys_and_its_old_mark_is_worth_nothing(office: Office, clock: Clock) -> None:
    fill(office, 1)
    frozen = claimed(office)
    clock.now += CLAIM_SECONDS - 1
    assert outbox.claim(office.database, clock.now) is None
    clock.now += 1
    taken_over = claimed(office)
    (letter,) = frozen.letters
    before = row(office).__data__
    assert outbox.addressee_of(office.database, letter, frozen.mark) is None
    assert not outbox.mark_sent(office.database, letter, frozen.mark, clock.now)
    assert not outbox.put_off(office.database, letter, frozen.mark, "451", clock.now)
    assert not outbox.park(office.database, letter, frozen.mark, "550", flag=True)
    assert not outbox.drop(office.database, letter, frozen.mark, "late")
    outbox.give_back(office.database, [letter], frozen.mark)
    assert row(office).__data__ == before
    assert outbox.mark_sent(office.database, letter, taken_over.mark, clock.now)
    assert (row(office).status, row(office).sent, row(office).claim) == ("sent", clock.now, None)
    assert outbox.claim(office.database, clock.now + 10 * CLAIM_SECONDS) is None


def test_of_a_lapsed_claim_its_letters_go_last(office: Office, clock: Clock) -> None:
    fill(office, 1)
    claimed(office)
    clock.now += CLAIM_SECONDS
    post(office.database, [LetterDue("test", ANN, "test/new")], clock.now)
    assert [letter.about for letter in claimed(office).letters] == ["test/new", "test/0"]


def test_letters_that_were_given_back_can_be_had_at_once(office: Office) -> None:
    fill(office, 3)
    claim = claimed(office)
    outbox.give_back(office.database, list(claim.letters[1:]), claim.mark)
    assert [letter.about for letter in claimed(office).letters] == ["test/1", "test/2"]
    assert {letter.tries for letter in letters(office)} == {0}


def test_each_wait_is_twice_as_long_up_to_a_day(office: Office, clock: Clock) -> None:
    fill(office, 1)
    waits = []
    for number in range(15):
        claim = claimed(office)
        assert outbox.put_off(office.database, claim.letters[0], claim.mark, "451 later", clock.now)
        letter = row(office)
        assert (letter.status, letter.tries, letter.trouble, letter.claim) == ("waiting", number + 1, "451 later", None)
        waits.append(letter.due - clock.now)
        assert outbox.claim(office.database, letter.due - 1) is None
        clock.now = letter.due
    assert waits[:4] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT, 8 * FIRST_WAIT]
    assert waits[-2:] == [LONGEST_WAIT, LONGEST_WAIT]


def test_a_letter_that_is_refused_for_good_is_parked_and_its_player_flagged(office: Office, ann: Player) -> None:
    fill(office, 1)
    claim = claimed(office)
    assert outbox.park(office.database, claim.letters[0], claim.mark, "550 no such user", flag=True)
    assert (row(office).status, row(office).trouble) == ("parked", "550 no such user")
    assert trouble_of(office, ann) == "550 no such user"


def test_a_refusal_that_is_not_about_the_address_flags_nobody(office: Office, ann: Player) -> None:
    fill(office, 1)
    claim = claimed(office)
    outbox.park(office.database, claim.letters[0], claim.mark, "550 sender not allowed", flag=False)
    assert row(office).status == "parked"
    assert trouble_of(office, ann) is None


def test_a_letter_that_arrives_clears_the_flag(office: Office, ann: Player) -> None:
    Player.update(mail_trouble="550 full").execute(office.database)
    fill(office, 1)
    claim = claimed(office)
    outbox.mark_sent(office.database, claim.letters[0], claim.mark, office.clock())
    assert trouble_of(office, ann) is None


def test_the_host_sends_what_is_parked_again_and_the_address_gets_another_chance(office: Office, ann: Player) -> None:
    fill(office, 2)
    claim = claimed(office)
    outbox.park(office.database, claim.letters[0], claim.mark, "550 no", flag=True)
    outbox.mark_sent(office.database, claim.letters[1], claim.mark, office.clock())
    assert outbox.retry(office.database, Letter.id.in_([letter.id for letter in letters(office)]), office.clock()) == 1
    assert [(letter.status, letter.tries) for letter in letters(office)] == [("waiting", 0), ("sent", 1)]
    assert trouble_of(office, ann) is None
    assert [letter.about for letter in claimed(office).letters] == ["test/0"]


def test_sending_again_takes_nothing_out_of_a_workers_hands(office: Office) -> None:
    fill(office, 1)
    claim = claimed(office)
    assert outbox.retry(office.database, Letter.id == claim.letters[0].id, office.clock()) == 1
    assert outbox.claim(office.database, office.clock()) is None
    assert outbox.mark_sent(office.database, claim.letters[0], claim.mark, office.clock())


def test_the_host_drops_a_letter_even_out_of_a_workers_hands(office: Office) -> None:
    fill(office, 1)
    claim = claimed(office)
    (letter,) = claim.letters
    assert outbox.drop_by_hand(office.database, letter.id)
    assert outbox.addressee_of(office.database, letter, claim.mark) is None
    assert not outbox.drop_by_hand(office.database, letter.id)
    assert (row(office).status, row(office).trouble) == ("dropped", "Dropped by the host.")


def test_without_a_mail_server_what_is_due_is_kept(office: Office, clock: Clock) -> None:
    fill(office, 2)
    assert outbox.keep(office.database, clock.now - 1) == 0
    assert outbox.keep(office.database, clock.now) == 2
    assert {(letter.status, letter.sent) for letter in letters(office)} == {("kept", None)}
    assert outbox.keep(office.database, clock.now) == 0


def test_workers_that_claim_at_the_same_moment_share_nothing(office: Office) -> None:
    fill(office, 10 * BATCH)
    workers = 4
    start, taken = threading.Barrier(workers), list[int]()

    def work() -> None:
        start.wait(10)
        while claim := outbox.claim(office.database, office.clock()):
            taken.extend(letter.id for letter in claim.letters)
        office.database.close()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(taken) == [letter.id for letter in letters(office)]
