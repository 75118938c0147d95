"""Sending a notification to a player's channel: to a browser with pywebpush, to a service with Apprise."""

import json
from email.utils import parseaddr
from typing import Any, Final
from urllib.parse import urlsplit

import requests
from apprise import Apprise, NotifyFormat
from pywebpush import WebPushException, webpush

from service.context import AppContext
from service.db.letter_texts import CHANNEL_REFUSED, CHANNEL_UNREACHABLE
from service.games.channels import PUSH, ChannelGone, NotDelivered, Notification, service_of
from service.games.vapid import load_vapid_key

_PUSH_SECONDS: Final = 10
"""How long a push service may take to accept a message."""
_KEPT_SECONDS: Final = 3 * 24 * 3600
"""How long a push service keeps a message for a device that is switched off."""
_NO_MENTIONS: Final = str.maketrans({"@": "\uff20", "<": "\uff1c"})
"""Fullwidth characters: a player called @everyone must not call everybody in a chat room."""
_GONE: Final = (404, 410)
_BUSY: Final = 429


def send(ctx: AppContext, channel: Any, notification: Notification) -> None:
    """Send a message to a channel; raises `NotDelivered` or `ChannelGone`."""
    if channel.kind == PUSH:
        _push(ctx, json.loads(channel.address), notification)
    else:
        _send_to_service(channel.address, notification)


def _push(ctx: AppContext, subscription: Any, notification: Notification) -> None:
    server = urlsplit(subscription["endpoint"]).hostname
    try:
        with requests.Session() as session:
            session.max_redirects = 0  # a redirect could lead to a host that is not allowed
            webpush(
                subscription,
                json.dumps({"title": notification.title, "body": notification.body, "link": notification.link}),
                vapid_private_key=load_vapid_key(ctx.database),
                vapid_claims={"sub": _contact(ctx)},
                timeout=_PUSH_SECONDS,
                ttl=_KEPT_SECONDS,
                headers={"Topic": notification.topic, "Urgency": "normal"},
                requests_session=session,
            )
    except WebPushException as error:
        status = error.status_code or 0
        if status in _GONE:
            raise ChannelGone from None
        words = CHANNEL_REFUSED % {"server": server, "words": status}
        raise NotDelivered(words, temporary=status == _BUSY or status >= 500) from None
    except requests.RequestException:
        # The error contains the endpoint, which is a secret.
        raise NotDelivered(CHANNEL_UNREACHABLE % {"server": server}, temporary=True) from None


def _contact(ctx: AppContext) -> str:
    """Where the operators of a push service find the host of this server; some of them require it."""
    base = ctx.settings.base_url
    return base if base.startswith("https://") else f"mailto:{parseaddr(ctx.settings.mail_from)[1]}"


def _send_to_service(url: str, notification: Notification) -> None:
    service = service_of(url)
    if service is None:
        raise NotDelivered(CHANNEL_UNREACHABLE % {"server": "Apprise"}, temporary=False)
    title, body = (text.translate(_NO_MENTIONS) for text in (notification.title, notification.body))
    text = f"{body}\n{notification.link}"
    result = Apprise(service).notify(body=text, title=title, body_format=NotifyFormat.TEXT)
    if not result:
        reasons = " ".join(entry.message for entry in result.logs())
        words = {"server": str(service.service_name), "words": reasons}
        # Apprise doesn't say whether another try could help.
        raise NotDelivered(CHANNEL_REFUSED % words, temporary=True)
