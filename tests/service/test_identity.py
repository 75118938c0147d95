"""Signing in by a letter: a code and a link, once, for a quarter of an hour, with five tries."""

import json
from typing import NamedTuple

import pytest

from service.errors import BadRequest, Problem, Unauthorised
from service.identity import ask_to_sign_in, player_with, sign_in_with_code, sign_in_with_link
from service.models import Letter, Player, SignInCode
from service.office import Office
from tests.service.conftest import Clock
from tests.service.crowd import at_once
from tests.service.tables import contents

ALPHABET = set("BCDFGHJKLMNPQRSTVWXZ23456789")


class Mailed(NamedTuple):
    """What a sign-in letter has in it."""

    code: str
    link: str
    language: str = "en"


def letters(office: Office, address: str) -> list[Mailed]:
    """The sign-in letters to an address, the oldest first."""
    chosen = (Letter.kind == "sign-in") & (Letter.address == address)
    rows = Letter.select(Letter.details).where(chosen).order_by(Letter.id).tuples().execute(office.database)
    return [Mailed(**json.loads(details)) for (details,) in rows]


def asked(office: Office, address: str = "ann@example.org") -> Mailed:
    """What the letter says after asking for one."""
    ask_to_sign_in(office, address)
    return letters(office, address)[-1]


def wrong(code: str) -> str:
    return ("C" if code[0] == "B" else "B") + code[1:]


def refused(office: Office, code: str, address: str = "ann@example.org") -> bool:
    try:
        sign_in_with_code(office, address, code)
    except Unauthorised:
        return True
    return False


# Codes


def test_a_code_is_eight_characters_that_nobody_mistakes_for_others(office: Office) -> None:
    codes = [asked(office).code for _ in range(20)]
    assert all(len(code) == 8 and set(code) <= ALPHABET for code in codes)
    assert len(set(codes)) == 20


def test_a_code_signs_in_whoever_got_it(office: Office) -> None:
    player = sign_in_with_code(office, "ann@example.org", asked(office).code)
    assert player.email == "ann@example.org"
    assert player.id == player_with(office, "ann@example.org").id


def test_a_code_may_be_typed_in_lower_case_and_with_spaces_around_it(office: Office) -> None:
    assert not refused(office, f"  {asked(office).code.lower()}\n")


def test_a_code_is_used_once(office: Office) -> None:
    code = asked(office).code
    sign_in_with_code(office, "ann@example.org", code)
    before = contents(office)
    with pytest.raises(Unauthorised, match="ask for a new one"):
        sign_in_with_code(office, "ann@example.org", code)
    assert contents(office) == before


def test_a_code_is_good_for_fifteen_minutes_to_the_second(office: Office, clock: Clock) -> None:
    early, late = asked(office, "ann@example.org"), asked(office, "bo@example.org")
    clock.now += 15 * 60 - 1
    assert not refused(office, early.code, "ann@example.org")
    clock.now += 1
    assert refused(office, late.code, "bo@example.org")


def test_after_five_wrong_tries_even_the_right_code_is_refused(office: Office) -> None:
    code = asked(office).code
    assert all(refused(office, wrong(code)) for _ in range(5))
    assert refused(office, code)


def test_after_four_wrong_tries_the_right_code_is_taken(office: Office) -> None:
    code = asked(office).code
    assert all(refused(office, wrong(code)) for _ in range(4))
    assert not refused(office, code)


@pytest.mark.parametrize("junk", ["", " ", "0", "BCDF", "x" * 5000, "ü" * 8, "BCDFGHJ\0"])
def test_what_is_no_code_is_a_wrong_one(office: Office, junk: str) -> None:
    asked(office)
    assert refused(office, junk)
    assert [row.tries for row in SignInCode.select().execute(office.database)] == [1]


def test_a_code_is_for_the_address_that_it_was_mailed_to(office: Office) -> None:
    code = asked(office).code
    asked(office, "eve@example.org")
    assert refused(office, code, "eve@example.org")
    assert not refused(office, code, "ann@example.org")


def test_wrong_tries_for_one_address_do_not_lock_another(office: Office) -> None:
    ann, eve = asked(office).code, asked(office, "eve@example.org").code
    assert all(refused(office, wrong(eve), "eve@example.org") for _ in range(5))
    assert not refused(office, ann)


def test_who_asks_twice_may_use_either_letter(office: Office) -> None:
    first, second = asked(office), asked(office)
    assert not refused(office, first.code)
    assert not refused(office, second.code)


def test_a_new_letter_brings_five_new_tries(office: Office) -> None:
    old = asked(office).code
    assert all(refused(office, wrong(old)) for _ in range(5))
    new = asked(office).code
    assert refused(office, old)
    assert not refused(office, new)


def test_codes_that_are_out_of_time_are_cleared_away(office: Office, clock: Clock) -> None:
    asked(office)
    clock.now += 15 * 60 + 1
    asked(office, "bo@example.org")
    assert [row.email for row in SignInCode.select().execute(office.database)] == ["bo@example.org"]


def test_the_table_of_codes_has_hashes_only(office: Office) -> None:
    mailed = asked(office)
    rows = repr(contents(office)["sign_in_code"])
    secret = office.links.read_sign_in(mailed.link, office.clock()).secret
    assert mailed.code not in rows
    assert secret not in rows
    assert mailed.link not in rows


# Links


def test_a_link_signs_in_once(office: Office) -> None:
    link = asked(office).link
    assert sign_in_with_link(office, link).email == "ann@example.org"
    with pytest.raises(Unauthorised, match="used up"):
        sign_in_with_link(office, link)


def test_a_link_is_good_for_fifteen_minutes_to_the_second(office: Office, clock: Clock) -> None:
    early, late = asked(office).link, asked(office).link
    clock.now += 15 * 60 - 1
    assert sign_in_with_link(office, early).email == "ann@example.org"
    clock.now += 1
    with pytest.raises(Unauthorised, match="expired"):
        sign_in_with_link(office, late)


def test_code_and_link_of_a_letter_are_used_up_together(office: Office) -> None:
    one, other = asked(office), asked(office)
    sign_in_with_code(office, "ann@example.org", one.code)
    with pytest.raises(Unauthorised):
        sign_in_with_link(office, one.link)
    sign_in_with_link(office, other.link)
    assert refused(office, other.code)


def test_a_link_of_our_key_with_another_secret_opens_nothing(office: Office) -> None:
    asked(office)
    (row,) = SignInCode.select().execute(office.database)
    for code_id, secret in ((row.id, "guessed"), (row.id + 1, "guessed"), (row.id, "")):
        with pytest.raises(Unauthorised):
            sign_in_with_link(office, office.links.sign_in(code_id, secret, office.clock()))


def test_another_token_is_no_sign_in_link(office: Office, ann: Player) -> None:
    asked(office)
    for token in ("", "junk", office.links.api(ann.id, 0), office.links.turn("g", 0, 1, 0)):
        with pytest.raises(Unauthorised):
            sign_in_with_link(office, token)


# Addresses


def test_a_known_and_an_unknown_address_look_alike(office: Office, ann: Player) -> None:
    known, unknown = asked(office, ann.email), asked(office, "new@example.org")
    assert (len(known.code), len(known.link)) == (len(unknown.code), len(unknown.link))
    rows = [row[4:] for row in contents(office)["sign_in_code"]]
    assert rows[0] == rows[1]
    assert Player.select().count(office.database) == 1  # asking makes nobody known
    answers = []
    for address, code in ((ann.email, known.code), ("new@example.org", unknown.code), ("cy@example.org", known.code)):
        with pytest.raises(Unauthorised) as refusal:
            sign_in_with_code(office, address, wrong(code))
        answers.append(refusal.value.detail)
    assert len(set(answers)) == 1


def test_an_address_is_compared_without_case(office: Office, ann: Player) -> None:
    ask_to_sign_in(office, "ANN@Example.org")
    (mailed,) = letters(office, "ann@example.org")
    assert sign_in_with_code(office, "Ann@EXAMPLE.org", mailed.code).id == ann.id


@pytest.mark.parametrize("address", ["", "ann", "ann@", "ann @example.org", "ann@example.org\nbcc: eve@example.org"])
def test_what_is_no_address_is_refused_and_nothing_is_mailed(office: Office, address: str) -> None:
    before = contents(office)
    with pytest.raises(BadRequest, match="email must be an e-mail address"):
        ask_to_sign_in(office, address)
    with pytest.raises(BadRequest):
        sign_in_with_code(office, address, "BCDFGHJK")
    assert contents(office) == before


# Everybody at once


def signed_in(outcomes: list[Player | Problem]) -> list[Player]:
    assert all(isinstance(outcome, Player | Unauthorised) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Player)]


def test_a_code_that_many_use_at_once_signs_in_one(office: Office) -> None:
    for _ in range(5):
        code = asked(office).code
        outcomes = at_once(office, [lambda: sign_in_with_code(office, "ann@example.org", code)] * 8)  # noqa: B023
        assert len(signed_in(outcomes)) == 1


def test_a_link_that_many_use_at_once_signs_in_one(office: Office) -> None:
    for _ in range(5):
        link = asked(office).link
        assert len(signed_in(at_once(office, [lambda: sign_in_with_link(office, link)] * 8))) == 1  # noqa: B023


def test_guesses_that_come_all_at_once_are_no_more_than_five(office: Office) -> None:
    for _ in range(3):
        code = asked(office).code
        guess = wrong(code)
        assert not signed_in(at_once(office, [lambda: sign_in_with_code(office, "ann@example.org", guess)] * 16))  # noqa: B023
        assert refused(office, code)
    assert [row.tries for row in SignInCode.select().execute(office.database)] == [5, 5, 5]


def test_two_can_sign_in_with_one_address_at_once(office: Office) -> None:
    at_once(office, [lambda: ask_to_sign_in(office, "ann@example.org")] * 2)
    one, other = letters(office, "ann@example.org")
    outcomes = at_once(
        office,
        [
            lambda: sign_in_with_code(office, "ann@example.org", one.code),
            lambda: sign_in_with_link(office, other.link),
        ],
    )
    assert len({player.id for player in signed_in(outcomes)}) == 1
    assert len(signed_in(outcomes)) == 2


def test_a_player_who_is_made_by_many_at_once_is_there_once(office: Office) -> None:
    for number in range(5):
        address = f"new{number}@example.org"
        players = signed_in(at_once(office, [lambda: player_with(office, address)] * 8))  # noqa: B023
        assert len(players) == 8
        assert len({player.id for player in players}) == 1
    assert Player.select().count(office.database) == 5
