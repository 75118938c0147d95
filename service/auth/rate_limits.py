"""Rate limits: leaky buckets in the database, named by keyed hashes so that it stores no address.

API calls are counted in memory first, see docs/decisions/10-rate-limits.md.
"""

import hashlib
import hmac
import ipaddress
import math
import threading
from collections import OrderedDict
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from peewee import EXCLUDED, SqliteDatabase, fn

from service.auth.addresses import read_address
from service.context import AppContext
from service.db.connection import Database, transaction
from service.db.models import RateBucket
from service.errors import RateLimited

MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR


class Limit(NamedTuple):
    """At most this many at once, and as many again over this many seconds."""

    name: str
    most: int
    seconds: float

    @property
    def rate(self) -> float:
        """How much of the bucket drains in a second."""
        return self.most / self.seconds


SIGN_IN_BY_ADDRESS: Final = Limit("sign-in/address", 5, HOUR)
SIGN_IN_BY_NETWORK: Final = Limit("sign-in/network", 30, HOUR)
CONFIRM_BY_ADDRESS: Final = Limit("confirm/address", 20, HOUR)
TABLES_BY_PLAYER: Final = Limit("tables/player", 30, DAY)
INVITATIONS_BY_PLAYER: Final = Limit("invitations/player", 100, DAY)
MESSAGES_BY_PLAYER: Final = Limit("messages/player", 60, HOUR)
TEST_LETTERS_BY_PLAYER: Final = Limit("test-letters/player", 5, HOUR)
CALLS_BY_TOKEN: Final = Limit("calls/token", 600, MINUTE)
CALLS_BY_NETWORK: Final = Limit("calls/network", 300, MINUTE)

SWEPT_AFTER: Final = 2 * DAY
"""No limit looks back further."""
WRITTEN_SHARE: Final = 20
"""Calls counted in memory are stored whenever they add up to a twentieth of the limit."""
MOST_COUNTED: Final = 10_000
EPSILON: Final = 1e-9
"""Tolerance for sums of fractions."""


def check(ctx: AppContext, name: str, most: int, seconds: float, cost: int = 1) -> None:
    """Count `cost` uses of the name, or raise `RateLimited` and count nothing if they would be too many."""
    if not ctx.settings.rate_limits or cost == 0:
        return
    limit, now, bucket = Limit(name, most, seconds), ctx.clock(), _bucket(ctx, name)
    if cost > most or _fill(ctx.database, bucket, cost, now, limit.rate, most) is None:
        raise RateLimited(_wait(ctx.database, bucket, limit, now, cost))


def _check(ctx: AppContext, limit: Limit, subject: object, cost: int = 1) -> None:
    check(ctx, f"{limit.name}/{subject}", limit.most, limit.seconds, cost)


def _bucket(ctx: AppContext, name: str) -> str:
    """The name of the bucket in the table: a keyed hash, because a plain one could be guessed from all networks."""
    return hmac.new(ctx.settings.secret_keys[0].encode(), name.encode(), hashlib.sha256).hexdigest()


def _fill(database: Database, bucket: str, cost: float, now: float, rate: float, most: float) -> float | None:
    """Pour into the bucket, in one statement, and return its new level; None if it would overflow."""
    larger = fn.max if isinstance(database, SqliteDatabase) else fn.greatest
    drained = larger(0.0, RateBucket.level - larger(0.0, EXCLUDED.changed - RateBucket.changed) * rate)
    query = RateBucket.insert(name=bucket, level=float(cost), changed=now).on_conflict(
        conflict_target=[RateBucket.name],
        update={
            RateBucket.level: drained + EXCLUDED.level,
            RateBucket.changed: larger(RateBucket.changed, EXCLUDED.changed),
        },
        where=drained + EXCLUDED.level <= most + EPSILON,
    )
    rows = list(query.returning(RateBucket.level).tuples().execute(database))
    return rows[0][0] if rows else None


def _wait(database: Database, bucket: str, limit: Limit, now: float, cost: int) -> float:
    """The seconds until there is room again."""
    found = RateBucket.select(RateBucket.level, RateBucket.changed).where(RateBucket.name == bucket)
    level, changed = next(iter(found.tuples().execute(database)), (0.0, now))
    return (_drained(level, now - changed, limit.rate) + cost - limit.most) / limit.rate


def _drained(level: float, seconds: float, rate: float) -> float:
    return max(0.0, level - max(0.0, seconds) * rate)


def sweep(ctx: AppContext) -> int:
    """Delete buckets that have long been empty, and return their number."""
    old = RateBucket.select(RateBucket.name).where(RateBucket.changed < ctx.clock() - SWEPT_AFTER)
    if not isinstance(ctx.database, SqliteDatabase):
        # Another transaction may be about to fill a locked bucket; waiting for it could deadlock.
        old = old.for_update(skip_locked=True)
    deleted: int = RateBucket.delete().where(RateBucket.name.in_(old)).execute(ctx.database)
    return deleted


def network_of(ip: str | None) -> str:
    """The network of an IP address: a household or an office can use any address in it."""
    try:
        address = ipaddress.ip_address((ip or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(ipaddress.ip_network((address, 24), strict=False))


def check_sign_in(ctx: AppContext, address: str, ip: str | None) -> None:
    """Count a request for a sign-in letter."""
    address = read_address(address)
    sweep(ctx)
    with transaction(ctx.database):  # both or none
        _check(ctx, SIGN_IN_BY_NETWORK, network_of(ip))
        _check(ctx, SIGN_IN_BY_ADDRESS, address)


def check_confirm(ctx: AppContext, address: str) -> None:
    """Count an attempt to enter a sign-in code."""
    _check(ctx, CONFIRM_BY_ADDRESS, read_address(address))


def check_new_table(ctx: AppContext, player_id: int, invitations: int) -> None:
    """Count a new table and its invitations."""
    with transaction(ctx.database):
        _check(ctx, TABLES_BY_PLAYER, player_id)
        _check(ctx, INVITATIONS_BY_PLAYER, player_id, invitations)


def check_invitation(ctx: AppContext, player_id: int) -> None:
    """Count one more invitation to an existing table."""
    _check(ctx, INVITATIONS_BY_PLAYER, player_id)


def check_message(ctx: AppContext, player_id: int) -> None:
    """Count a chat message."""
    _check(ctx, MESSAGES_BY_PLAYER, player_id)


def check_test_letter(ctx: AppContext, player_id: int) -> None:
    """Count a test letter."""
    _check(ctx, TEST_LETTERS_BY_PLAYER, player_id)


class _Count:
    """What this process knows about one bucket, and how many calls it has not stored yet."""

    __slots__ = ("changed", "level", "unwritten")

    def __init__(self, now: float) -> None:
        self.level, self.changed, self.unwritten = 0.0, now, 0


class CallCounts:
    """The calls counted by this process, so that a flood of refused calls never reaches the database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: OrderedDict[str, _Count] = OrderedDict()

    def check(self, ctx: AppContext, limit: Limit, subject: str) -> None:
        """Count a call or raise `RateLimited`; now and then the count is stored and compared with the database."""
        name, now = f"{limit.name}/{subject}", ctx.clock()
        with self._lock:
            count = self._count(name, now)
            self._add(count, limit, now)
            due = count.unwritten if count.unwritten >= limit.most // WRITTEN_SHARE else 0
            count.unwritten -= due
        if due:
            level = _fill(ctx.database, _bucket(ctx, name), due, now, limit.rate, math.inf)
            with self._lock:
                count.level = max(count.level, (level or 0.0) + count.unwritten)

    def _count(self, name: str, now: float) -> _Count:
        count = self._counts.setdefault(name, _Count(now))
        self._counts.move_to_end(name)
        if len(self._counts) > MOST_COUNTED:
            self._counts.popitem(last=False)
        return count

    @staticmethod
    def _add(count: _Count, limit: Limit, now: float) -> None:
        if now - count.changed >= limit.seconds:
            count.unwritten = 0  # all of it would have drained by now
        count.level = _drained(count.level, now - count.changed, limit.rate)
        count.changed = max(count.changed, now)
        if count.level + 1 > limit.most + EPSILON:
            raise RateLimited((count.level + 1 - limit.most) / limit.rate)
        count.level += 1
        count.unwritten += 1


_COUNTS: Final[WeakKeyDictionary[Database, CallCounts]] = WeakKeyDictionary()
"""One for each open database."""
_COUNTS_LOCK: Final = threading.Lock()


def check_call(ctx: AppContext, header: str | None, ip: str | None) -> None:
    """Count an API call: by its token if that is valid, otherwise by its network."""
    if not ctx.settings.rate_limits:
        return
    with _COUNTS_LOCK:
        counts = _COUNTS.setdefault(ctx.database, CallCounts())
    if header is None:
        counts.check(ctx, CALLS_BY_NETWORK, network_of(ip))
    else:
        counts.check(ctx, CALLS_BY_TOKEN, hashlib.sha256(header.encode()).hexdigest())
