"""Logging in by letter: a code and a link, valid once, for 15 minutes; a code has five guesses."""

from dataclasses import replace

import pytest

from service.app import build_context
from service.auth.login import (
    LoginLetter,
    create_login_code,
    find_or_create_player,
    log_in_with_code,
    log_in_with_link,
    read_login_letter,
)
from service.context import AppContext
from service.db.models import Player, SignInCode
from service.errors import BadRequest, Problem, Unauthorised
from tests.support.clock import Clock
from tests.support.crowd import run_at_once
from tests.support.sign_in import newest_letter, request_letter
from tests.support.tables import database_contents

ALPHABET = set("BCDFGHJKLMNPQRSTVWXZ23456789")


def wrong_code(code: str) -> str:
    return ("C" if code[0] == "B" else "B") + code[1:]


def refused(
    ctx: AppContext, code: str, address: str = "ann@example.org", ip: str | None = None, browser: str | None = None
) -> bool:
    try:
        log_in_with_code(ctx, address, code, ip, browser)
    except Unauthorised:
        return True
    return False


# Codes


def test_a_code_has_eight_unambiguous_characters(ctx: AppContext) -> None:
    codes = [request_letter(ctx).code for _ in range(20)]
    assert all(len(code) == 8 and set(code) <= ALPHABET for code in codes)
    assert len(set(codes)) == 20


def test_a_code_logs_in_the_player_it_was_mailed_to(ctx: AppContext) -> None:
    player = log_in_with_code(ctx, "ann@example.org", request_letter(ctx).code)
    assert player.email == "ann@example.org"
    assert player.id == find_or_create_player(ctx, "ann@example.org").id


def test_a_code_may_be_typed_in_lower_case_and_with_spaces_around_it(ctx: AppContext) -> None:
    assert not refused(ctx, f"  {request_letter(ctx).code.lower()}\n")


def test_a_code_can_be_used_once(ctx: AppContext) -> None:
    code = request_letter(ctx).code
    log_in_with_code(ctx, "ann@example.org", code)
    before = database_contents(ctx)
    with pytest.raises(Unauthorised, match="get a new one"):
        log_in_with_code(ctx, "ann@example.org", code)
    assert database_contents(ctx) == before


def test_a_code_is_valid_for_fifteen_minutes_to_the_second(ctx: AppContext, clock: Clock) -> None:
    early, late = request_letter(ctx, "ann@example.org"), request_letter(ctx, "bo@example.org")
    clock.now += 15 * 60 - 1
    assert not refused(ctx, early.code, "ann@example.org")
    clock.now += 1
    assert refused(ctx, late.code, "bo@example.org")


def test_after_five_wrong_attempts_even_the_right_code_is_refused(ctx: AppContext) -> None:
    code = request_letter(ctx).code
    assert all(refused(ctx, wrong_code(code)) for _ in range(5))
    assert refused(ctx, code)


def test_after_four_wrong_attempts_the_right_code_is_accepted(ctx: AppContext) -> None:
    code = request_letter(ctx).code
    assert all(refused(ctx, wrong_code(code)) for _ in range(4))
    assert not refused(ctx, code)


@pytest.mark.parametrize("junk", ["", " ", "0", "BCDF", "x" * 5000, "ü" * 8, "BCDFGHJ\0"])
def test_an_invalid_code_is_refused_like_a_wrong_one(ctx: AppContext, junk: str) -> None:
    code = request_letter(ctx).code
    assert refused(ctx, junk)
    assert all(refused(ctx, wrong_code(code)) for _ in range(4))
    assert refused(ctx, code), "it was one of the five guesses"


def test_a_code_is_valid_only_for_its_address(ctx: AppContext) -> None:
    code = request_letter(ctx).code
    request_letter(ctx, "eve@example.org")
    assert refused(ctx, code, "eve@example.org")
    assert not refused(ctx, code, "ann@example.org")


def test_wrong_attempts_for_one_address_do_not_affect_another(ctx: AppContext) -> None:
    ann, eve = request_letter(ctx).code, request_letter(ctx, "eve@example.org").code
    assert all(refused(ctx, wrong_code(eve), "eve@example.org") for _ in range(5))
    assert not refused(ctx, ann)


def test_after_two_requests_either_code_is_valid(ctx: AppContext) -> None:
    first, second = request_letter(ctx), request_letter(ctx)
    assert not refused(ctx, first.code)
    assert not refused(ctx, second.code)


def test_a_new_code_has_five_new_attempts(ctx: AppContext) -> None:
    old = request_letter(ctx).code
    assert all(refused(ctx, wrong_code(old)) for _ in range(5))
    new = request_letter(ctx).code
    assert refused(ctx, old)
    assert not refused(ctx, new)


def test_expired_codes_are_deleted(ctx: AppContext, clock: Clock) -> None:
    request_letter(ctx)
    clock.now += 15 * 60 + 1
    request_letter(ctx, "bo@example.org")
    assert [row.email for row in SignInCode.select().execute(ctx.database)] == ["bo@example.org"]


def test_neither_codes_nor_links_are_stored(ctx: AppContext) -> None:
    mailed, browser = request_letter(ctx, browser="secret of Ann's browser"), "secret of Ann's browser"
    rows = repr(database_contents(ctx))
    assert not any(secret in rows for secret in (mailed.code, mailed.link, mailed.link.split(".")[0], browser))


def test_a_copy_of_the_database_without_the_key_is_no_use(ctx: AppContext) -> None:
    request_letter(ctx)
    eve = build_context(replace(ctx.settings, secret_keys=("a key of Eve's",)), ctx.database, ctx.clock)
    forged = newest_letter(eve)
    assert refused(ctx, forged.code)
    with pytest.raises(Unauthorised):
        log_in_with_link(ctx, forged.link)


def test_a_second_copy_of_a_letter_has_the_same_code_and_link(ctx: AppContext, clock: Clock) -> None:
    first = request_letter(ctx)
    clock.now += 60
    assert newest_letter(ctx) == first


def test_letters_from_before_and_during_a_change_of_keys_work(ctx: AppContext) -> None:
    old = request_letter(ctx)
    rotated = build_context(
        replace(ctx.settings, secret_keys=("new", *ctx.settings.secret_keys)), ctx.database, ctx.clock
    )
    second_copy, new = newest_letter(rotated), request_letter(rotated, "bo@example.org")
    assert second_copy != old
    assert not refused(rotated, old.code)
    assert log_in_with_link(rotated, new.link).email == "bo@example.org"
    assert refused(ctx, request_letter(rotated).code), "a server with the old key alone"


def test_a_used_code_has_no_letter_any_more(ctx: AppContext) -> None:
    code_id = create_login_code(ctx, "ann@example.org")
    log_in_with_code(ctx, "ann@example.org", newest_letter(ctx).code)
    assert read_login_letter(ctx, code_id) is None


# Guesses of strangers


def test_a_strangers_guesses_use_up_neither_code_nor_link(ctx: AppContext) -> None:
    mailed = request_letter(ctx, browser="Ann's")
    for number in range(20):
        assert refused(ctx, wrong_code(mailed.code), browser="Eve's")
        assert refused(ctx, wrong_code(mailed.code), ip=f"198.51.{number}.1")
    assert all(refused(ctx, wrong_code(mailed.code), browser="Ann's") for _ in range(4))
    assert log_in_with_link(ctx, mailed.link).email == "ann@example.org"
    code = request_letter(ctx, browser="Ann's").code
    assert all(refused(ctx, wrong_code(code), browser="Eve's") for _ in range(20))
    assert not refused(ctx, code, browser="Ann's")


def test_the_link_works_after_five_wrong_codes(ctx: AppContext) -> None:
    mailed = request_letter(ctx, browser="Ann's")
    assert all(refused(ctx, wrong_code(mailed.code), browser="Ann's") for _ in range(6))
    assert refused(ctx, mailed.code, browser="Ann's")
    assert log_in_with_link(ctx, mailed.link).email == "ann@example.org"


def test_even_the_right_code_is_refused_in_another_browser(ctx: AppContext) -> None:
    code = request_letter(ctx, browser="Ann's").code
    for browser in ("Eve's", ""):
        with pytest.raises(Unauthorised, match="Open the link in the e-mail, or get a new code"):
            log_in_with_code(ctx, "ann@example.org", code, browser=browser)
    assert not refused(ctx, code, browser="Ann's")


def test_a_program_has_five_guesses_for_each_code_and_network(ctx: AppContext) -> None:
    first, second = request_letter(ctx).code, request_letter(ctx).code
    assert all(refused(ctx, wrong_code(first), ip="198.51.100.1") for _ in range(20))
    assert refused(ctx, first, ip="198.51.100.200"), "the same network"
    assert not refused(ctx, first, ip="203.0.113.7")
    assert all(refused(ctx, wrong_code(second), ip="203.0.113.7") for _ in range(3))
    assert not refused(ctx, second, ip="203.0.113.7")


def test_guesses_are_counted_with_rate_limits_off(ctx: AppContext) -> None:
    off = ctx._replace(settings=replace(ctx.settings, rate_limits=False))
    code = request_letter(off).code
    assert all(refused(off, wrong_code(code)) for _ in range(5))
    assert refused(off, code)


# Links


def test_a_login_link_can_be_used_once(ctx: AppContext) -> None:
    link = request_letter(ctx).link
    assert log_in_with_link(ctx, link).email == "ann@example.org"
    with pytest.raises(Unauthorised, match="already been used"):
        log_in_with_link(ctx, link)


def test_a_login_link_is_valid_for_fifteen_minutes_to_the_second(ctx: AppContext, clock: Clock) -> None:
    early, late = request_letter(ctx).link, request_letter(ctx).link
    clock.now += 15 * 60 - 1
    assert log_in_with_link(ctx, early).email == "ann@example.org"
    clock.now += 1
    with pytest.raises(Unauthorised, match="expired"):
        log_in_with_link(ctx, late)


def test_using_the_code_of_a_letter_uses_up_its_link_and_vice_versa(ctx: AppContext) -> None:
    one, other = request_letter(ctx), request_letter(ctx)
    log_in_with_code(ctx, "ann@example.org", one.code)
    with pytest.raises(Unauthorised):
        log_in_with_link(ctx, one.link)
    log_in_with_link(ctx, other.link)
    assert refused(ctx, other.code)


def test_a_signed_login_link_with_a_wrong_secret_is_refused(ctx: AppContext) -> None:
    request_letter(ctx)
    (row,) = SignInCode.select().execute(ctx.database)
    for code_id, secret in ((row.id, "guessed"), (row.id + 1, "guessed"), (row.id, "")):
        with pytest.raises(Unauthorised):
            log_in_with_link(ctx, ctx.tokens.sign_in(code_id, secret, ctx.clock()))


def test_other_tokens_are_no_login_links(ctx: AppContext, ann: Player) -> None:
    request_letter(ctx)
    for token in ("", "junk", ctx.tokens.api(ann.id, 0), ctx.tokens.turn("g", 0, 1, 0)):
        with pytest.raises(Unauthorised):
            log_in_with_link(ctx, token)


# Addresses


def test_known_and_unknown_addresses_are_treated_alike(ctx: AppContext, ann: Player) -> None:
    known, unknown = request_letter(ctx, ann.email), request_letter(ctx, "new@example.org")
    assert (len(known.code), len(known.link)) == (len(unknown.code), len(unknown.link))
    assert Player.select().count(ctx.database) == 1  # asking makes nobody known
    answers = []
    for address, code in ((ann.email, known.code), ("new@example.org", unknown.code), ("cy@example.org", known.code)):
        with pytest.raises(Unauthorised) as refusal:
            log_in_with_code(ctx, address, wrong_code(code))
        answers.append(refusal.value.detail)
    assert len(set(answers)) == 1


def test_addresses_are_compared_without_case(ctx: AppContext, ann: Player) -> None:
    create_login_code(ctx, "ANN@Example.org")
    assert log_in_with_code(ctx, "Ann@EXAMPLE.org", newest_letter(ctx).code).id == ann.id


@pytest.mark.parametrize("address", ["", "ann", "ann@", "ann @example.org", "ann@example.org\nbcc: eve@example.org"])
def test_an_invalid_address_is_refused_and_nothing_is_mailed(ctx: AppContext, address: str) -> None:
    before = database_contents(ctx)
    with pytest.raises(BadRequest, match="email must be an e-mail address"):
        create_login_code(ctx, address)
    with pytest.raises(BadRequest):
        log_in_with_code(ctx, address, "BCDFGHJK")
    assert database_contents(ctx) == before


# Simultaneous logins


def signed_in(outcomes: list[Player | Problem]) -> list[Player]:
    assert all(isinstance(outcome, Player | Unauthorised) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Player)]


def test_a_code_used_many_times_at_once_logs_in_once(ctx: AppContext) -> None:
    for _ in range(5):
        code = request_letter(ctx).code
        outcomes = run_at_once(ctx, [lambda: log_in_with_code(ctx, "ann@example.org", code)] * 8)  # noqa: B023
        assert len(signed_in(outcomes)) == 1


def test_a_login_link_used_many_times_at_once_logs_in_once(ctx: AppContext) -> None:
    for _ in range(5):
        link = request_letter(ctx).link
        assert len(signed_in(run_at_once(ctx, [lambda: log_in_with_link(ctx, link)] * 8))) == 1  # noqa: B023


def test_simultaneous_guesses_are_limited_to_five(ctx: AppContext) -> None:
    for _ in range(3):
        code = request_letter(ctx).code
        guess = wrong_code(code)
        assert not signed_in(run_at_once(ctx, [lambda: log_in_with_code(ctx, "ann@example.org", guess)] * 16))  # noqa: B023
        assert refused(ctx, code)


def test_two_codes_of_one_address_can_be_used_at_once(ctx: AppContext) -> None:
    ids = run_at_once(ctx, [lambda: create_login_code(ctx, "ann@example.org")] * 2)
    one, other = (read_login_letter(ctx, code_id) for code_id in ids if isinstance(code_id, int))
    assert isinstance(one, LoginLetter)
    assert isinstance(other, LoginLetter)
    outcomes = run_at_once(
        ctx,
        [
            lambda: log_in_with_code(ctx, "ann@example.org", one.code),
            lambda: log_in_with_link(ctx, other.link),
        ],
    )
    assert len({player.id for player in signed_in(outcomes)}) == 1
    assert len(signed_in(outcomes)) == 2


def test_a_player_created_many_times_at_once_exists_once(ctx: AppContext) -> None:
    for number in range(5):
        address = f"new{number}@example.org"
        players = signed_in(run_at_once(ctx, [lambda: find_or_create_player(ctx, address)] * 8))  # noqa: B023
        assert len(players) == 8
        assert len({player.id for player in players}) == 1
    assert Player.select().count(ctx.database) == 5
