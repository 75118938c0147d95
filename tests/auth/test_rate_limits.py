"""Rate limits are exact on both databases, also for simultaneous requests, and say how long to wait."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest

from service.auth import rate_limits
from service.auth.rate_limits import (
    CALLS_BY_CALLER,
    CALLS_BY_NETWORK,
    DAY,
    HOUR,
    MINUTE,
    PAGES_BY_NETWORK,
    SWEPT_AFTER,
    WRITTEN_SHARE,
    check,
    check_call,
    check_code,
    check_links,
    check_message,
    check_new_table,
    check_page,
    count_guess,
    count_login_request,
    network_of,
    networks_of,
    sweep,
)
from service.context import AppContext
from service.db.connection import open_database
from service.db.models import RateBucket
from service.errors import RateLimited
from tests.support.clock import Clock

pytestmark = pytest.mark.databases("sqlite", "postgresql")

ANN, IP = "ann@example.org", "203.0.113.7"


def is_allowed(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except RateLimited:
        return False
    return True


def count_allowed(attempt: Callable[[], None], most: int = 2000) -> int:
    """How many calls are allowed before one is refused."""
    return next(done for done in range(most) if not is_allowed(attempt))


def rows(ctx: AppContext) -> list[tuple[str, float, float]]:
    return list(RateBucket.select().order_by(RateBucket.name).tuples().execute(ctx.database))


@contextmanager
def another_process(ctx: AppContext) -> Iterator[AppContext]:
    """A context with its own connection and counters, like another process."""
    other = ctx._replace(database=open_database(ctx.settings.database_url))
    yield other
    other.database.close()


def test_requests_over_the_limit_are_refused_with_the_time_to_wait(ctx: AppContext, clock: Clock) -> None:
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3
    with pytest.raises(RateLimited) as refused:
        check(ctx, "a", 3, 60)
    assert refused.value.retry_after == 20
    clock.now += 19.9
    assert not is_allowed(lambda: check(ctx, "a", 3, 60))
    clock.now += 0.1
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 1
    clock.now += 60
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3


def test_names_do_not_share_a_bucket(ctx: AppContext) -> None:
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3
    assert count_allowed(lambda: check(ctx, "b", 3, 60)) == 3


def test_a_cost_of_several_is_counted_completely_or_not_at_all(ctx: AppContext) -> None:
    check(ctx, "a", 5, 60, cost=4)
    assert not is_allowed(lambda: check(ctx, "a", 5, 60, cost=2))
    assert count_allowed(lambda: check(ctx, "a", 5, 60)) == 1
    assert not is_allowed(lambda: check(ctx, "b", 5, 60, cost=6))
    check(ctx, "b", 5, 60, cost=5)


def test_setting_the_clock_back_neither_resets_nor_extends_a_limit(ctx: AppContext, clock: Clock) -> None:
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3
    clock.now -= 3600
    assert not is_allowed(lambda: check(ctx, "a", 3, 60))
    clock.now += 3600 + 60
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3


def test_a_clock_that_jumped_forward_and_back_blocks_nobody(ctx: AppContext, clock: Clock) -> None:
    clock.now += 30 * DAY
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3
    assert count_allowed(lambda: check_code(ctx, IP)) == 60
    assert [count_guess(ctx, 7, "browser") for _ in range(6)] == [True] * 5 + [False]
    clock.now -= 30 * DAY
    assert not is_allowed(lambda: check(ctx, "a", 3, 60)), "nothing has drained yet"
    assert not is_allowed(lambda: check_code(ctx, IP))
    assert not count_guess(ctx, 7, "browser")
    clock.now += 60
    assert count_allowed(lambda: check(ctx, "a", 3, 60)) == 3
    assert count_allowed(lambda: check_code(ctx, IP)) == 1
    clock.now += DAY
    assert count_guess(ctx, 7, "browser")


def test_calls_go_on_a_minute_after_the_clock_was_set_back(ctx: AppContext, clock: Clock) -> None:
    with another_process(ctx) as other:
        clock.now += 30 * DAY
        assert count_allowed(lambda: check_call(ctx, "player/1", IP)) == CALLS_BY_CALLER.most
        clock.now -= 30 * DAY
        assert count_allowed(lambda: check_call(ctx, "player/1", IP)) == 0, "nothing has drained yet"
        assert count_allowed(lambda: check_call(other, "player/1", IP)) <= CALLS_BY_CALLER.most // WRITTEN_SHARE
        clock.now += MINUTE + CALLS_BY_CALLER.seconds / WRITTEN_SHARE
        assert count_allowed(lambda: check_call(ctx, "player/1", IP)) > CALLS_BY_CALLER.most // 2
        clock.now += MINUTE
        assert count_allowed(lambda: check_call(other, "player/1", IP)) > CALLS_BY_CALLER.most // 2


def test_buckets_from_the_future_are_swept_in_the_end(ctx: AppContext, clock: Clock) -> None:
    clock.now += 365 * DAY
    check(ctx, "a", 3, 60)
    clock.now -= 365 * DAY
    assert sweep(ctx) == 0
    clock.now += SWEPT_AFTER + 1
    assert sweep(ctx) == 1


def test_simultaneous_requests_do_not_exceed_the_limit(ctx: AppContext) -> None:
    together = threading.Barrier(16)

    def tries() -> int:
        together.wait()
        done = sum(is_allowed(lambda: check(ctx, "a", 20, 60)) for _ in range(5))
        ctx.database.close()
        return done

    with ThreadPoolExecutor(16) as pool:
        assert sum(each.result() for each in [pool.submit(tries) for _ in range(16)]) == 20


def test_with_limits_off_everything_is_allowed_and_nothing_is_stored(ctx: AppContext) -> None:
    off = ctx._replace(settings=replace(ctx.settings, rate_limits=False))
    for _ in range(700):
        check_call(off, "player/1", IP)
    for _ in range(40):
        assert count_login_request(off, ANN, IP)
        check_code(off, IP)
        check_page(off, IP)
        check_new_table(off, 1, 3)
        check_message(off, 1)
    assert rows(ctx) == []


def test_no_address_network_or_token_is_stored(ctx: AppContext) -> None:
    count_login_request(ctx, ANN, IP)
    check_code(ctx, IP)
    for _ in range(100):
        check_call(ctx, "player/1", IP)
        check_call(ctx, None, IP)
    names = [name for name, _, _ in rows(ctx)]
    assert len(names) == 5
    assert all(len(name) == 64 and set(name) <= set("0123456789abcdef") for name in names)


def test_bucket_names_depend_on_the_secret_key(ctx: AppContext) -> None:
    other = ctx._replace(settings=replace(ctx.settings, secret_keys=("another-key-of-this-house",)))
    check(ctx, "a", 3, 60)
    check(other, "a", 3, 60)
    assert len(rows(ctx)) == 2


def test_after_six_login_letters_in_an_hour_an_address_gets_one_every_ten_minutes(
    ctx: AppContext, clock: Clock
) -> None:
    assert [count_login_request(ctx, ANN, f"203.0.{number}.7") for number in range(8)] == [True] * 6 + [False] * 2
    assert count_login_request(ctx, "bo@example.org", IP)
    clock.now += 10 * MINUTE
    assert [count_login_request(ctx, ANN, IP) for _ in range(2)] == [True, False]


def test_requests_for_links_do_not_use_up_the_login_letters_of_an_address(ctx: AppContext) -> None:
    assert count_allowed(lambda: check_links(ctx, ANN, IP)) == 3
    assert count_login_request(ctx, ANN, IP)


def test_requests_for_letters_are_limited_by_network(ctx: AppContext) -> None:
    attempts = iter(range(1000))

    def somebody_signs_in() -> None:
        number = next(attempts)
        count_login_request(ctx, f"player{number}@example.org", f"203.0.113.{number}")

    assert count_allowed(somebody_signs_in) == 30
    assert count_login_request(ctx, ANN, "198.51.100.7")
    attempts = iter(range(1000))
    assert count_allowed(lambda: check_links(ctx, f"player{next(attempts)}@example.org", IP)) == 20


def test_a_refusal_by_network_uses_up_nothing_of_the_address(ctx: AppContext) -> None:
    for number in range(30):
        count_login_request(ctx, f"player{number}@example.org", IP)
    for _ in range(50):
        with pytest.raises(RateLimited):
            count_login_request(ctx, ANN, IP)
    assert [count_login_request(ctx, ANN, "198.51.100.7") for _ in range(7)] == [True] * 6 + [False]


def test_larger_ipv6_networks_are_limited_too_with_a_larger_allowance(ctx: AppContext) -> None:
    def enter_codes(networks: Iterator[int], ip: str) -> int:
        return count_allowed(lambda: check_code(ctx, ip.format(next(networks))))

    hundreds = (number % 256 for number in count())
    assert count_allowed(lambda: check_code(ctx, "2001:db8:1:100::7")) == 60
    assert enter_codes(hundreds, "2001:db8:1:2{:02x}::7") == 4 * 60, "a /56 of 256 networks"
    assert enter_codes(count(), "2001:db8:1:{:x}::7") < 16 * 60 - 4 * 60, "a /48 of 65536 networks"
    assert count_allowed(lambda: check_code(ctx, "2001:db8:2:1::7")) == 60, "another /48"


def test_calls_and_pages_from_larger_ipv6_networks_are_limited_too(ctx: AppContext) -> None:
    def from_a_network(check_request: Callable[[str], None], networks: Iterator[int]) -> None:
        check_request(f"2001:db8:1:2{next(networks) % 256:02x}::7")

    calls, pages = partial(check_call, ctx, None), partial(check_page, ctx)
    for limit, check_request in ((CALLS_BY_NETWORK, calls), (PAGES_BY_NETWORK, pages)):
        assert count_allowed(partial(from_a_network, check_request, count()), 10_000) == 4 * limit.most
        assert is_allowed(partial(check_request, "2001:db8:1:300::7")), "another /56"


def test_codes_tables_invitations_and_messages_are_limited(ctx: AppContext) -> None:
    assert count_allowed(lambda: check_code(ctx, IP)) == 60
    assert count_allowed(lambda: check_new_table(ctx, 1, 0)) == 30
    assert count_allowed(lambda: check_message(ctx, 1)) == 60
    assert is_allowed(lambda: check_new_table(ctx, 2, 3))
    for _ in range(97):
        check(ctx, "invitations/player/2", 100, DAY)
    assert not is_allowed(lambda: check_new_table(ctx, 2, 1))
    assert count_allowed(lambda: check_new_table(ctx, 2, 0)) == 29, "the table that was refused counts for nothing"


def test_one_process_counts_calls_exactly(ctx: AppContext, clock: Clock) -> None:
    assert count_allowed(lambda: check_call(ctx, "player/1", IP)) == CALLS_BY_CALLER.most
    assert count_allowed(lambda: check_call(ctx, None, IP)) == CALLS_BY_NETWORK.most
    assert not is_allowed(lambda: check_call(ctx, None, "203.0.113.200")), "the same network"
    assert is_allowed(lambda: check_call(ctx, None, "203.0.114.7"))
    assert is_allowed(lambda: check_call(ctx, "player/2", IP))
    clock.now += 1
    assert count_allowed(lambda: check_call(ctx, "player/1", IP)) == 10
    clock.now += MINUTE
    assert count_allowed(lambda: check_call(ctx, "player/1", IP)) == CALLS_BY_CALLER.most


def test_threads_of_a_process_share_the_limit_of_calls(ctx: AppContext) -> None:
    together = threading.Barrier(16)

    def tries() -> int:
        together.wait()
        done = sum(is_allowed(lambda: check_call(ctx, "player/1", IP)) for _ in range(50))
        ctx.database.close()
        return done

    with ThreadPoolExecutor(16) as pool:
        assert sum(each.result() for each in [pool.submit(tries) for _ in range(16)]) == CALLS_BY_CALLER.most


def test_processes_share_the_limit_of_calls_with_a_small_tolerance(ctx: AppContext, clock: Clock) -> None:
    slack = CALLS_BY_CALLER.most // WRITTEN_SHARE
    with another_process(ctx) as second, another_process(ctx) as third:
        servers = [ctx, second, third]
        done = sum(count_allowed(lambda server=server: check_call(server, "player/1", IP)) for server in servers)  # type: ignore[misc]
        assert CALLS_BY_CALLER.most <= done <= CALLS_BY_CALLER.most + 2 * slack
        for _ in range(200):  # and they go on sharing what runs out of the bucket
            clock.now += 0.5
            done += sum(is_allowed(lambda server=server: check_call(server, "player/1", IP)) for server in servers * 5)  # type: ignore[misc]
        assert done <= CALLS_BY_CALLER.most + 100 * CALLS_BY_CALLER.rate + 3 * slack


def test_allowed_calls_are_stored_once_in_thirty(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    fill = rate_limits._fill

    def fill_and_note(database: Any, bucket: str, *values: Any) -> float | None:
        written.append(bucket)
        return fill(database, bucket, *values)

    monkeypatch.setattr(rate_limits, "_fill", fill_and_note)
    for _ in range(29):
        check_call(ctx, "player/1", IP)
    assert not written
    for _ in range(300):
        check_call(ctx, "player/1", IP)
    assert len(written) == 10
    while is_allowed(lambda: check_call(ctx, "player/1", IP)):
        pass
    written.clear()
    for _ in range(1000):
        assert not is_allowed(lambda: check_call(ctx, "player/1", IP))
    assert not written, "a flood that is refused never reaches the database"


def test_the_number_of_counters_in_memory_is_limited(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MOST_COUNTED", 10)
    counts = rate_limits.CallCounts()
    for number in range(100):
        counts.check(ctx, CALLS_BY_CALLER.of(number))
    assert list(counts._counts) == [f"calls/caller/{number}" for number in range(90, 100)]


def test_old_buckets_are_swept_and_others_stay(ctx: AppContext, clock: Clock) -> None:
    check(ctx, "old", 3, 60)
    clock.now += SWEPT_AFTER - HOUR
    check(ctx, "new", 3, 60)
    clock.now += HOUR + 1
    assert len(rows(ctx)) == 2
    assert sweep(ctx) == 1
    assert sweep(ctx) == 0
    check(ctx, "old", 3, 60)
    clock.now += SWEPT_AFTER + 1
    count_login_request(ctx, ANN, IP)
    assert len(rows(ctx)) == 2, "signing in sweeps, and leaves its own two"


@pytest.mark.parametrize(
    ("ip", "network"),
    [
        ("203.0.113.7", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/64"),
        ("127.0.0.1", "127.0.0.0/24"),
        ("", "unknown"),
        (None, "unknown"),
        ("not an address", "unknown"),
    ],
)
def test_the_network_of_an_address(ip: str | None, network: str) -> None:
    assert network_of(ip) == network


def test_an_ipv6_address_is_in_three_networks() -> None:
    networks = [("2001:db8:1:2ff::/64", 1), ("2001:db8:1:200::/56", 4), ("2001:db8:1::/48", 16)]
    assert networks_of("2001:db8:1:2ff::7") == networks
    assert networks_of("203.0.113.7") == [("203.0.113.0/24", 1)]
