"""Rate limits: leaky buckets in the database, named by keyed hashes so that it stores no address.

API calls and pages are counted in memory first, see docs/decisions/10-rate-limits.md.
"""

import hashlib
import hmac
import ipaddress
import math
import threading
from collections import OrderedDict
from typing import Any, Final, NamedTuple
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

    def of(self, subject: object, times: int = 1) -> "Limit":
        """The limit for one subject, or several times as much."""
        return Limit(f"{self.name}/{subject}", self.most * times, self.seconds)

    @property
    def rate(self) -> float:
        """How much of the bucket drains in a second."""
        return self.most / self.seconds


LOGINS_BY_ADDRESS: Final = Limit("logins/address", 6, HOUR)
"""One every ten minutes, so that the link in the newest letter is always valid, even if strangers ask for more."""
LOGINS_BY_NETWORK: Final = Limit("logins/network", 30, HOUR)
CODES_BY_NETWORK: Final = Limit("codes/network", 60, HOUR)
GUESSES: Final = Limit("guesses", 5, DAY)
"""For each code, and each browser or network that guesses it: a stranger must not use up the guesses of others."""
TABLES_BY_PLAYER: Final = Limit("tables/player", 30, DAY)
INVITATIONS_BY_PLAYER: Final = Limit("invitations/player", 100, DAY)
GUEST_GAMES_BY_NETWORK: Final = Limit("guest-games/network", 30, HOUR)
MESSAGES_BY_PLAYER: Final = Limit("messages/player", 60, HOUR)
TEST_LETTERS_BY_PLAYER: Final = Limit("test-letters/player", 5, HOUR)
LINKS_BY_ADDRESS: Final = Limit("links/address", 3, HOUR)
LINKS_BY_NETWORK: Final = Limit("links/network", 20, HOUR)
REPLACED_LINKS_BY_PLAYER: Final = Limit("replaced-links/player", 10, HOUR)
LETTERS_BY_ADDRESS: Final = {
    "invitation": Limit("letters/invitation", 20, DAY),
    "talk": Limit("letters/talk", 60, DAY),
}
"""Letters that others cause, by kind: all that go to one address."""
LETTERS_TO_STRANGER: Final = {
    "invitation": Limit("letters/stranger", 6, DAY),
    "cancelled": Limit("letters/stranger", 6, DAY),
    "sign-in": Limit("letters/stranger-sign-in", 20, DAY),
}
"""The same for an address whose owner has never taken a seat here, and may not want any letters."""
CALLS_BY_CALLER: Final = Limit("calls/caller", 600, MINUTE)
CALLS_BY_NETWORK: Final = Limit("calls/network", 300, MINUTE)
PAGES_BY_NETWORK: Final = Limit("pages/network", 1200, MINUTE)
"""Sixty open pages of a game that ask for news every three seconds."""

SWEPT_AFTER: Final = 2 * DAY
"""No limit looks back further."""
WRITTEN_SHARE: Final = 20
"""Calls counted in memory are stored whenever they add up to a twentieth of the limit."""
MOST_COUNTED: Final = 10_000
EPSILON: Final = 1e-9
"""Tolerance for sums of fractions."""
CLOCK_SKEW: Final = MINUTE
"""A bucket that was changed further in the future was changed before the clock was set back."""
_IPV6_NETWORKS: Final = ((64, 1), (56, 4), (48, 16))
"""Providers give a customer anything from a /64 to a /48; larger networks have several times the limit."""


def check(ctx: AppContext, name: str, most: int, seconds: float, cost: int = 1) -> None:
    """Count `cost` uses of the name, or raise `RateLimited` and count nothing if they would be too many."""
    _check_all(ctx, [(Limit(name, most, seconds), cost)])


def _check(ctx: AppContext, limit: Limit, subject: object) -> None:
    _check_all(ctx, [(limit.of(subject), 1)])


def _check_networks(ctx: AppContext, limit: Limit, ip: str | None) -> None:
    _check_all(ctx, _network_uses(limit, ip))


def _network_uses(limit: Limit, ip: str | None) -> list[tuple[Limit, int]]:
    return [(limit.of(network, times), 1) for network, times in networks_of(ip)]


def _check_all(ctx: AppContext, uses: list[tuple[Limit, int]]) -> None:
    """Count uses with their costs, all or none."""
    if not ctx.settings.rate_limits:
        return
    database, now = ctx.database, ctx.clock()
    buckets = [(_bucket(ctx, limit.name), limit, cost) for limit, cost in uses if cost]
    # Not in the transaction, which a refusal rolls back.
    _correct_times(database, RateBucket.name.in_([bucket for bucket, _, _ in buckets]), now)
    with transaction(database):
        for bucket, limit, cost in buckets:
            if cost > limit.most or _fill(database, bucket, cost, now, limit.rate, limit.most) is None:
                raise RateLimited(_wait(database, bucket, limit, now, cost))


def _correct_times(database: Database, chosen: Any, now: float) -> None:
    """Let buckets that were changed in the future, by a clock that was wrong, drain from now on."""
    wrong = chosen & (RateBucket.changed > now + CLOCK_SKEW)
    # Reading first: there is hardly ever one, and an update would wait for other writers.
    if RateBucket.select().where(wrong).exists(database):
        RateBucket.update(changed=now).where(_unlocked(database, wrong)).execute(database)


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
            RateBucket.changed: EXCLUDED.changed,
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
    now = ctx.clock()
    _correct_times(ctx.database, RateBucket.changed > now, now)
    old = _unlocked(ctx.database, RateBucket.changed < now - SWEPT_AFTER)
    deleted: int = RateBucket.delete().where(old).execute(ctx.database)
    return deleted


def _unlocked(database: Database, chosen: object) -> Any:
    """A condition for the chosen buckets that no other transaction is about to fill: waiting for it could deadlock."""
    names = RateBucket.select(RateBucket.name).where(chosen)
    return RateBucket.name.in_(names if isinstance(database, SqliteDatabase) else names.for_update(skip_locked=True))


def network_of(ip: str | None) -> str:
    """The network of an IP address: a household or an office can use any address in it."""
    return networks_of(ip)[0][0]


def networks_of(ip: str | None) -> list[tuple[str, int]]:
    """The networks of an IP address, the smallest first, each with how many times a limit it may use."""
    try:
        address = ipaddress.ip_address((ip or "").partition("%")[0])
    except ValueError:
        return [("unknown", 1)]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return [(str(ipaddress.ip_network((address, size), strict=False)), times) for size, times in _IPV6_NETWORKS]
        address = address.ipv4_mapped
    return [(str(ipaddress.ip_network((address, 24), strict=False)), 1)]


def count_login_request(ctx: AppContext, address: str, ip: str | None) -> bool:
    """Count a request for a sign-in letter; False if enough were sent to this address."""
    sweep(ctx)
    _check_networks(ctx, LOGINS_BY_NETWORK, ip)
    try:
        _check(ctx, LOGINS_BY_ADDRESS, address)
    except RateLimited:
        return False
    return True


def check_links(ctx: AppContext, address: str, ip: str | None) -> None:
    """Count a request for the links of all games."""
    uses = [*_network_uses(LINKS_BY_NETWORK, ip), (LINKS_BY_ADDRESS.of(read_address(address)), 1)]
    _check_all(ctx, uses)


def check_code(ctx: AppContext, ip: str | None) -> None:
    """Count an attempt to enter a sign-in code, whatever the address."""
    _check_networks(ctx, CODES_BY_NETWORK, ip)


def count_guess(ctx: AppContext, code_id: int, guesser: str) -> bool:
    """Count a guess of a sign-in code, even with rate limits off; False if this guesser has none left."""
    database, now, bucket = ctx.database, ctx.clock(), _bucket(ctx, GUESSES.of(f"{code_id}/{guesser}").name)
    _correct_times(database, RateBucket.name == bucket, now)
    return _fill(database, bucket, 1, now, GUESSES.rate, GUESSES.most) is not None


def check_new_table(ctx: AppContext, player_id: int, invitations: int) -> None:
    """Count a new game and its invitations."""
    _check_all(ctx, [(TABLES_BY_PLAYER.of(player_id), 1), (INVITATIONS_BY_PLAYER.of(player_id), invitations)])


def check_invitation(ctx: AppContext, player_id: int) -> None:
    """Count one more invitation to an existing game."""
    _check(ctx, INVITATIONS_BY_PLAYER, player_id)


def check_guest_game(ctx: AppContext, ip: str | None) -> None:
    """Count a new game of a visitor who has not signed in."""
    _check_networks(ctx, GUEST_GAMES_BY_NETWORK, ip)


def check_message(ctx: AppContext, player_id: int) -> None:
    """Count a chat message."""
    _check(ctx, MESSAGES_BY_PLAYER, player_id)


def check_test_letter(ctx: AppContext, player_id: int) -> None:
    """Count a test letter."""
    _check(ctx, TEST_LETTERS_BY_PLAYER, player_id)


def check_replaced_links(ctx: AppContext, player_id: int) -> None:
    """Count a request for new links of a seat."""
    _check(ctx, REPLACED_LINKS_BY_PLAYER, player_id)


def check_letter(ctx: AppContext, kind: str, address: str, *, stranger: bool) -> None:
    """Count a letter to an address, from any sender; kinds that belong to a game in progress are not limited."""
    limits = [LETTERS_BY_ADDRESS.get(kind), LETTERS_TO_STRANGER.get(kind) if stranger else None]
    _check_all(ctx, [(limit.of(address), 1) for limit in limits if limit is not None])


class _Count:
    """What this process knows about one bucket, and how many calls it has not stored yet."""

    __slots__ = ("changed", "level", "unwritten")

    def __init__(self, now: float) -> None:
        self.level, self.changed, self.unwritten = 0.0, now, 0


class CallCounts:
    """The calls and pages counted by this process, so that a flood that is refused never reaches the database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: OrderedDict[str, _Count] = OrderedDict()

    def check(self, ctx: AppContext, limit: Limit) -> None:
        """Count a call or raise `RateLimited`; now and then the count is stored and compared with the database."""
        now = ctx.clock()
        with self._lock:
            count = self._count(limit.name, now)
            self._add(count, limit, now)
            due = count.unwritten if count.unwritten >= limit.most // WRITTEN_SHARE else 0
            count.unwritten -= due
        if due:
            level = _fill(ctx.database, _bucket(ctx, limit.name), due, now, limit.rate, math.inf)
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
        count.changed = now
        if count.level + 1 > limit.most + EPSILON:
            raise RateLimited((count.level + 1 - limit.most) / limit.rate)
        count.level += 1
        count.unwritten += 1


_COUNTS: Final[WeakKeyDictionary[Database, CallCounts]] = WeakKeyDictionary()
"""One for each open database."""
_COUNTS_LOCK: Final = threading.Lock()


def check_call(ctx: AppContext, caller: str | None, ip: str | None) -> None:
    """Count an API call for its caller, see `Principal.subject`; one without a caller for its networks."""
    if caller is None:
        _count_by_network(ctx, CALLS_BY_NETWORK, ip)
    elif ctx.settings.rate_limits:
        _counts(ctx).check(ctx, CALLS_BY_CALLER.of(caller))


def check_page(ctx: AppContext, ip: str | None) -> None:
    """Count a request for a page by somebody unknown."""
    _count_by_network(ctx, PAGES_BY_NETWORK, ip)


def _count_by_network(ctx: AppContext, limit: Limit, ip: str | None) -> None:
    if ctx.settings.rate_limits:
        # The smallest first: what it refuses must not use up the larger network, which others share.
        for network, times in networks_of(ip):
            _counts(ctx).check(ctx, limit.of(network, times))


def _counts(ctx: AppContext) -> CallCounts:
    with _COUNTS_LOCK:
        return _COUNTS.setdefault(ctx.database, CallCounts())
