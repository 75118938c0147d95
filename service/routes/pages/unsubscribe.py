"""The page behind `List-Unsubscribe`: one click stops optional letters; for turn letters it asks first.

GET changes nothing, because mail scanners open links. A mail program posts without having fetched the page (RFC 8058),
so the token alone identifies the player.
"""

import json
from typing import Final

from flask import render_template, request

from service.auth.tokens import BadLink, Unsubscribe
from service.db.models import Player
from service.engine.json_reader import Json
from service.games.players import MAIL_PREFERENCES, is_deleted
from service.routes.api.schemas import MailPreferences
from service.routes.current import current_context, set_reader
from service.routes.pages.responses import create_page_blueprint

_OPTIONAL: Final = tuple(name for name in MAIL_PREFERENCES if name != "turns")


pages = create_page_blueprint("unsubscribe", cross_site_posts=True)


@pages.get("/u/<token>")
def show_unsubscribe(token: str) -> str:
    """Ask which letters to stop."""
    link, player = _read_link(token)
    return _page(link, player, changed=False)


@pages.post("/u/<token>")
def submit_unsubscribe(token: str) -> str:
    """Stop or resume letters."""
    link, player = _read_link(token)
    _change(player, _changes(link, request.form.get("letters", "")))
    return _page(link, player, changed=True)


def _read_link(token: str) -> tuple[Unsubscribe, Player]:
    ctx = current_context()
    link = ctx.tokens.read_unsubscribe(token)
    found = list(Player.select().where(Player.id == link.player).execute(ctx.database))
    if link.kind not in MAIL_PREFERENCES or not found:
        raise BadLink
    if is_deleted(found[0]):
        raise BadLink("This player has left and gets no more e-mails. There's nothing to change here.", gone=True)
    set_reader(found[0])
    return link, found[0]


def _page(link: Unsubscribe, player: Player, *, changed: bool) -> str:
    preferences = {name: _preferences(player)[name] for name in MAIL_PREFERENCES}
    return render_template(
        "unsubscribe.html",
        preferences=preferences,
        wanted=[name for name, wanted in preferences.items() if wanted],
        optional=_optional(link),
        changed=changed,
    )


def _preferences(player: Player) -> Json:
    return MailPreferences(**json.loads(player.mail)).model_dump()


def _optional(link: Unsubscribe) -> tuple[str, ...]:
    """What one click stops: letters like the one it is in. Turn letters are still sent, or the game would stop."""
    return (link.kind,) if link.kind in _OPTIONAL else _OPTIONAL


def _changes(link: Unsubscribe, letters: str) -> dict[str, bool]:
    """What the form wants; a mail program's click has no such field and stops optional letters."""
    if letters == "all":
        return dict.fromkeys(MAIL_PREFERENCES, True)
    return dict.fromkeys(MAIL_PREFERENCES if letters == "none" else _optional(link), False)


def _change(player: Player, changes: dict[str, bool]) -> None:
    player.mail = json.dumps(_preferences(player) | changes)
    Player.update(mail=player.mail).where(Player.id == player.id).execute(current_context().database)
