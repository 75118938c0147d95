"""The page behind `List-Unsubscribe`: one click ends the letters that can be missed; for turn letters it asks first.

GET changes nothing, since mail scanners open links. A mail program posts without having seen the page (RFC 8058), so
the token alone says whose letters they are.
"""

import json
from typing import Final

from flask import Blueprint, render_template, request

from service.auth.tokens import BadLink, Unsubscribe
from service.context import AppContext
from service.db.models import Player
from service.engine.json_reader import Json
from service.games.players import MAIL_PREFERENCES, is_deleted
from service.routes.api.schemas import MailWishes
from service.routes.pages.page_language import speak_to
from service.routes.pages.security_headers import sealed_pages

_MISSED_EASILY: Final = {"reminders": ("reminders",), "talk": ("talk",)}
"""What one click ends, by the kind of letter it is in; in any other letter it is all that can be missed."""
_ALL: Final = tuple(MAIL_PREFERENCES.values())


def unsubscribe_pages(ctx: AppContext) -> Blueprint:
    """`/u/TOKEN`."""
    pages = sealed_pages("unsubscribe")

    @pages.get("/u/<token>")
    def ask(token: str) -> str:
        link, player = _reader(ctx, token)
        return _page(link, player, changed=False)

    @pages.post("/u/<token>")
    def change(token: str) -> str:
        link, player = _reader(ctx, token)
        _change(ctx, player, _changes(link, request.form.get("letters", "")))
        return _page(link, player, changed=True)

    return pages


def _reader(ctx: AppContext, token: str) -> tuple[Unsubscribe, Player]:
    link = ctx.links.read_unsubscribe(token)
    found = list(Player.select().where(Player.id == link.player).execute(ctx.database))
    if link.kind not in _ALL or not found:
        raise BadLink
    if is_deleted(found[0]):
        raise BadLink("Whoever this link was for plays here no more; no letter is sent to them any more.", gone=True)
    speak_to(found[0])
    return link, found[0]


def _page(link: Unsubscribe, player: Player, *, changed: bool) -> str:
    return render_template("unsubscribe.html", wishes=_wishes(player), easily=_easily(link), changed=changed)


def _wishes(player: Player) -> Json:
    return MailWishes(**json.loads(player.mail)).model_dump()


def _easily(link: Unsubscribe) -> tuple[str, ...]:
    return _MISSED_EASILY.get(link.kind, ("reminders", "talk"))


def _changes(link: Unsubscribe, letters: str) -> dict[str, bool]:
    """What a form asks for; a mail program's click has no such field and ends what can be missed."""
    if letters == "all":
        return dict.fromkeys(_ALL, True)
    return dict.fromkeys(_ALL if letters == "none" else _easily(link), False)


def _change(ctx: AppContext, player: Player, changes: dict[str, bool]) -> None:
    player.mail = json.dumps(_wishes(player) | changes)
    Player.update(mail=player.mail).where(Player.id == player.id).execute(ctx.database)
