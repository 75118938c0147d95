"""How often somebody may do something: leaky buckets in the database, named by hashes so that it holds no address.

Every call of the API is counted in memory first, see docs/decisions/10-rate-limits.md.
"""

import hashlib
import hmac
import ipaddress
import math
import threading
from collections import OrderedDict
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from peewee import SqliteDatabase

from service.auth.addresses import read_address
from service.context import AppContext
from service.db.connection import Database
from service.db.models import RateBucket
from service.db.statements import run
from service.errors import RateLimited

MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR


class Limit(NamedTuple):
    """So many at once, and again as many over so many seconds."""

    name: str
    most: int
    seconds: float

    @property
    def rate(self) -> float:
        """How much of the bucket runs out in a second."""
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
"""No limit remembers anything for longer."""
WRITTEN_SHARE: Final = 20
"""Counted calls are written down whenever a twentieth of their limit has come together."""
MOST_COUNTED: Final = 10_000
EPSILON: Final = 1e-9
"""Sums of fractions are not exact; a bucket that is full but for this much has room."""

_FILL: Final = """
insert into rate_bucket (name, level, changed) values (?, ?, ?)
on conflict (name) do update set level = {drained} + excluded.level,
    changed = {larger}(rate_bucket.changed, excluded.changed)
where {drained} + excluded.level <= ?
returning level
"""
_DRAINED: Final = "{larger}(0, rate_bucket.level - {larger}(0, excluded.changed - rate_bucket.changed) * ?)"
_SWEEP: Final = "delete from rate_bucket where name in (select name from rate_bucket where changed < ? {passing})"


def check(ctx: AppContext, name: str, most: int, seconds: float, cost: int = 1) -> None:
    """Count `cost` uses of the name, or count nothing and raise `RateLimited` where they would be too many."""
    if not ctx.settings.rate_limits or cost == 0:
        return
    limit, now, bucket = Limit(name, most, seconds), ctx.clock(), _bucket(ctx, name)
    if cost > most or _fill(ctx.database, bucket, cost, now, limit.rate, most) is None:
        raise RateLimited(_wait(ctx.database, bucket, limit, now, cost))


def _check(ctx: AppContext, limit: Limit, subject: object, cost: int = 1) -> None:
    check(ctx, f"{limit.name}/{subject}", limit.most, limit.seconds, cost)


def _bucket(ctx: AppContext, name: str) -> str:
    """What the bucket is called in the table: a keyed hash, for a plain one could be tried on every network."""
    return hmac.new(ctx.settings.secret_keys[0].encode(), name.encode(), hashlib.sha256).hexdigest()


def _fill(database: Database, bucket: str, cost: float, now: float, rate: float, most: float) -> float | None:
    """Pour into the bucket, in one statement, and say how full it is then; None where it would have run over."""
    larger = "max" if isinstance(database, SqliteDatabase) else "greatest"
    statement = _FILL.format(drained=_DRAINED.format(larger=larger), larger=larger)
    rows = run(database, statement, [bucket, float(cost), now, rate, rate, most + EPSILON]).fetchall()
    return rows[0][0] if rows else None


def _wait(database: Database, bucket: str, limit: Limit, now: float, cost: int) -> float:
    """After how many seconds there is room again."""
    found = RateBucket.select(RateBucket.level, RateBucket.changed).where(RateBucket.name == bucket)
    level, changed = next(iter(found.tuples().execute(database)), (0.0, now))
    return (_drained(level, now - changed, limit.rate) + cost - limit.most) / limit.rate


def _drained(level: float, seconds: float, rate: float) -> float:
    return max(0.0, level - max(0.0, seconds) * rate)


def sweep(ctx: AppContext) -> int:
    """Remove the buckets that have long been empty, and say how many."""
    # Whoever holds one of these rows is about to fill it: waiting for him could end in a deadlock.
    passing = "" if isinstance(ctx.database, SqliteDatabase) else "for update skip locked"
    swept: int = run(ctx.database, _SWEEP.format(passing=passing), [ctx.clock() - SWEPT_AFTER]).rowcount
    return swept


def network_of(ip: str | None) -> str:
    """The neighbourhood of an IP address: one household or one office gets a whole one and can use any of it."""
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
    """Before a sign-in letter is written."""
    address = read_address(address)
    sweep(ctx)
    with ctx.database.atomic():  # both or none
        _check(ctx, SIGN_IN_BY_NETWORK, network_of(ip))
        _check(ctx, SIGN_IN_BY_ADDRESS, address)


def check_confirm(ctx: AppContext, address: str) -> None:
    """Before a sign-in code is compared."""
    _check(ctx, CONFIRM_BY_ADDRESS, read_address(address))


def check_new_table(ctx: AppContext, player_id: int, invitations: int) -> None:
    """Before a table is set up that sends so many invitations."""
    with ctx.database.atomic():
        _check(ctx, TABLES_BY_PLAYER, player_id)
        _check(ctx, INVITATIONS_BY_PLAYER, player_id, invitations)


def check_invitation(ctx: AppContext, player_id: int) -> None:
    """Before one more invitation is sent for a table that is there."""
    _check(ctx, INVITATIONS_BY_PLAYER, player_id)


def check_message(ctx: AppContext, player_id: int) -> None:
    """Before a line of talk is written down."""
    _check(ctx, MESSAGES_BY_PLAYER, player_id)


def check_test_letter(ctx: AppContext, player_id: int) -> None:
    """Before a test letter is written."""
    _check(ctx, TEST_LETTERS_BY_PLAYER, player_id)


class _Count:
    """What this process knows of one bucket, and how many calls it has not written into it yet."""

    __slots__ = ("changed", "level", "unwritten")

    def __init__(self, now: float) -> None:
        self.level, self.changed, self.unwritten = 0.0, now, 0


class CallCounts:
    """The calls that this process has counted: a flood of calls that are refused never reaches the database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: OrderedDict[str, _Count] = OrderedDict()

    def check(self, ctx: AppContext, limit: Limit, subject: str) -> None:
        """Count a call or raise `RateLimited`; every so many calls the database is told and asked."""
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
            count.unwritten = 0  # all of it would have run out of the bucket by now
        count.level = _drained(count.level, now - count.changed, limit.rate)
        count.changed = max(count.changed, now)
        if count.level + 1 > limit.most + EPSILON:
            raise RateLimited((count.level + 1 - limit.most) / limit.rate)
        count.level += 1
        count.unwritten += 1


_COUNTS: Final[WeakKeyDictionary[Database, CallCounts]] = WeakKeyDictionary()
"""One for each open database, gone with it; nothing here is needed by another process."""
_COUNTS_LOCK: Final = threading.Lock()


def check_call(ctx: AppContext, header: str | None, ip: str | None) -> None:
    """Before any call: by the header with its token where that is a sound one, else by its network."""
    if not ctx.settings.rate_limits:
        return
    with _COUNTS_LOCK:
        counts = _COUNTS.setdefault(ctx.database, CallCounts())
    if header is None:
        counts.check(ctx, CALLS_BY_NETWORK, network_of(ip))
    else:
        counts.check(ctx, CALLS_BY_TOKEN, hashlib.sha256(header.encode()).hexdigest())
