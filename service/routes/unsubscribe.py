"""The page behind `List-Unsubscribe`: one click ends the letters that can be missed; for turn letters it asks first.

GET changes nothing, since mail scanners open links. A mail program posts without having seen the page (RFC 8058), so
the token alone says whose letters they are.
"""

import json
from typing import Final

from flask import Blueprint, render_template, request

from service.engine.reading import Json
from service.leaving import is_forgotten
from service.links import BadLink, Unsubscribe
from service.mail.wishes import WISHES
from service.models import Player
from service.office import Office
from service.routes.bodies import MailWishes
from service.routes.sealing import sealed_pages
from service.routes.speaking import speak_to

_MISSED_EASILY: Final = {"reminders": ("reminders",), "talk": ("talk",)}
"""What one click ends, by the kind of letter it is in; in any other letter it is all that can be missed."""
_ALL: Final = tuple(WISHES.values())


def unsubscribe_pages(office: Office) -> Blueprint:
    """`/u/TOKEN`."""
    pages = sealed_pages("unsubscribe")

    @pages.get("/u/<token>")
    def ask(token: str) -> str:
        link, player = _reader(office, token)
        return _page(link, player, changed=False)

    @pages.post("/u/<token>")
    def change(token: str) -> str:
        link, player = _reader(office, token)
        _change(office, player, _changes(link, request.form.get("letters", "")))
        return _page(link, player, changed=True)

    return pages


def _reader(office: Office, token: str) -> tuple[Unsubscribe, Player]:
    link = office.links.read_unsubscribe(token)
    found = list(Player.select().where(Player.id == link.player).execute(office.database))
    if link.kind not in _ALL or not found:
        raise BadLink
    if is_forgotten(found[0]):
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


def _change(office: Office, player: Player, changes: dict[str, bool]) -> None:
    player.mail = json.dumps(_wishes(player) | changes)
    Player.update(mail=player.mail).where(Player.id == player.id).execute(office.database)
