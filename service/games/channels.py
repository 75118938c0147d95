"""Channels: where players get short messages besides mail, in a browser (web push) or through a service (Apprise)."""

import base64
import binascii
import json
import secrets
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from apprise import Apprise, AppriseAsset
from cryptography.hazmat.primitives.asymmetric import ec

from service.auth.rate_limits import check_test_letter
from service.context import AppContext
from service.db.connection import transaction
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import LONGEST_NAME, Channel, Player
from service.errors import BadRequest, NotFound
from service.text import clean

PUSH: Final = "push"
SERVICE: Final = "apprise"
MOST_CHANNELS: Final = 10
LONGEST_URL: Final = 500
SERVICE_SECONDS: Final = 15
"""How long a service may take to accept a message."""
PUSH_HOSTS: Final = (
    "fcm.googleapis.com",
    "*.push.services.mozilla.com",
    "*.push.apple.com",
    "*.notify.windows.com",
)
"""The push services of Chrome, Firefox, Safari and Edge."""
_HOSTED: Final = frozenset({"discord", "pbul", "pover", "slack", "tgram"})
"""The schemes of services with one host of their own."""
_SELF_HOSTED: Final = frozenset(
    scheme + ending
    for scheme in ("form", "gotify", "json", "matrix", "mmost", "nctalk", "ntfy", "rocket", "xml")
    for ending in ("", "s")
)
"""The schemes of services whose URL names the host."""
EXAMPLES: Final = {
    "Discord": "https://discord.com/api/webhooks/ID/TOKEN",
    "Matrix": "matrixs://TOKEN@matrix.org/!ROOM",
    "ntfy": "ntfy://TOPIC",
    "Pushover": "pover://USER_KEY@TOKEN",
    "Slack": "https://hooks.slack.com/services/A/B/C",
    "Telegram": "tgram://BOT_TOKEN/CHAT_ID",
}
"""What the URLs of well-known services look like."""
WEB_HOOK: Final = "jsons://HOST/PATH"
"""The same for a player's own web server."""
_LONGEST_SUBSCRIPTION: Final = 2000
_POINT_BYTES: Final = 65
_AUTH_BYTES: Final = 16


class Notification(NamedTuple):
    """A short message. Its link is not secret, because others may read the same chat room."""

    title: str
    body: str
    link: str
    topic: str
    """A newer message replaces one with the same topic that was not shown yet."""


class NotDelivered(Exception):
    """A channel did not accept a message; the text is a reason for the server host and the player."""

    def __init__(self, words: str, *, temporary: bool) -> None:
        self.temporary = temporary
        super().__init__(words)


class ChannelGone(Exception):
    """A browser no longer accepts messages, and never will again."""


def service_of(url: str) -> Any:
    """Apprise's object for the service that a URL names; None if it names none. Redirects could lead to other hosts."""
    asset = AppriseAsset(
        storage_mode="memory", service_timeout=SERVICE_SECONDS, http_redirects=False, app_id="Marrakech by Mail"
    )
    return Apprise.instantiate(url, asset=asset)


def list_channels(ctx: AppContext, player_id: int) -> list[Any]:
    """The player's channels, the oldest first."""
    chosen = Channel.select().where(Channel.player == player_id).order_by(Channel.created, Channel.id)
    return list(chosen.execute(ctx.database))


def find_channel(ctx: AppContext, player_id: int, channel_id: str) -> Any:
    """One of the player's channels."""
    channel = Channel.select().where((Channel.id == channel_id) & (Channel.player == player_id)).first(ctx.database)
    if channel is None:
        raise NotFound("You've already removed this channel.")
    return channel


def add_service(ctx: AppContext, player: Player, url: str, name: str = "") -> Any:
    """Add a channel for an Apprise URL."""
    address = url.strip()
    service = service_of(address) if 0 < len(address) <= LONGEST_URL else None
    if service is None or not service.url():
        raise BadRequest("We don't know this kind of URL. See the examples below.")
    if service.redirects or not service.verify_certificate:
        raise BadRequest("The URL can't have the options redirect and verify. Leave them out.")
    _check_service_host(ctx, service)
    return _add(ctx, player, SERVICE, address, clean(name)[:LONGEST_NAME] or str(service.service_name))


def _check_service_host(ctx: AppContext, service: Any) -> None:
    """Refuse hosts that the settings don't allow: the server may reach machines that players can't."""
    scheme = urlsplit(str(service.url())).scheme
    if scheme in _HOSTED:
        return
    host = "ntfy.sh" if getattr(service, "mode", "") == "cloud" else str(service.host)
    if scheme not in _SELF_HOSTED:
        raise BadRequest(
            "This server doesn't send messages to %(service)s. Use another service.", service=str(service.service_name)
        )
    _check_host(host, ctx.settings.notify_hosts)


def _check_host(host: str, patterns: tuple[str, ...]) -> None:
    if not any(fnmatchcase(host.lower(), pattern) for pattern in patterns):
        raise BadRequest(
            "This server can't send messages to %(host)s. The person who runs it can allow that with "
            "the setting NOTIFY_HOSTS.",
            host=host,
        )


def add_browser(ctx: AppContext, player: Player, subscription: str, name: str = "") -> Any:
    """Add a channel for a browser's push subscription, in the JSON that the browser made."""
    address = _read_subscription(subscription)
    _check_host(urlsplit(address["endpoint"]).hostname or "", (*PUSH_HOSTS, *ctx.settings.notify_hosts))
    stored = json.dumps(address, sort_keys=True)
    with transaction(ctx.database):
        # One browser has one subscription: if two players share it, it belongs to the one who asked last.
        Channel.delete().where(Channel.address == stored).execute(ctx.database)
        return _add(ctx, player, PUSH, stored, clean(name)[:LONGEST_NAME])


def _read_subscription(text: str) -> dict[str, Any]:
    """The parts of a subscription that are needed to send to it."""
    try:
        given = json.loads(text if len(text) <= _LONGEST_SUBSCRIPTION else "")
        endpoint, keys = given["endpoint"], given["keys"]
        point, auth = _decode(keys["p256dh"]), _decode(keys["auth"])
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        complete = urlsplit(endpoint).scheme in {"https", "http"} and len(point) == _POINT_BYTES
        complete = complete and len(auth) == _AUTH_BYTES
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        complete = False
    if not complete:
        raise BadRequest("Your browser's subscription can't be read. Reload the page and try again.")
    return {"endpoint": endpoint, "keys": {"p256dh": keys["p256dh"], "auth": keys["auth"]}}


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    except binascii.Error:
        raise ValueError from None


def _add(ctx: AppContext, player: Any, kind: str, address: str, name: str) -> Any:
    with transaction(ctx.database):
        channels = list_channels(ctx, player.id)
        if any(channel.address == address for channel in channels):
            raise BadRequest("You've already added this channel.")
        if len(channels) >= MOST_CHANNELS:
            raise BadRequest("You already have %(number)s channels. Remove one first.", number=MOST_CHANNELS)
        new = {"id": secrets.token_hex(8), "player": player.id, "kind": kind, "address": address, "name": name}
        Channel.insert(**new, created=ctx.clock()).execute(ctx.database)
        return find_channel(ctx, player.id, new["id"])


def remove_channel(ctx: AppContext, player_id: int, channel_id: str) -> None:
    """Remove a channel; messages that wait for it are dropped when they are due."""
    Channel.delete().where((Channel.id == channel_id) & (Channel.player == player_id)).execute(ctx.database)


def remove_browsers(ctx: AppContext, player_id: int) -> None:
    """Remove the channels for browsers of a player who signs out everywhere."""
    Channel.delete().where((Channel.player == player_id) & (Channel.kind == PUSH)).execute(ctx.database)


def send_test_message(ctx: AppContext, player: Any, channel_id: str) -> None:
    """Put a test message for a channel into the outbox."""
    channel = find_channel(ctx, player.id, channel_id)
    check_test_letter(ctx, player.id)
    about = f"test/{player.id}/{secrets.token_hex(8)}#{channel.id}"
    enqueue_letters(ctx.database, [NewLetter("test", player.email, about, channel=channel.id)], ctx.clock())
