"""Whoever is new here is written to in the language of their browser, and by the clock of its zone."""

import zoneinfo
from typing import Final

from flask import request

from service.context import AppContext
from service.db.models import Player
from service.routes.pages.page_language import asked_for

_SETTINGS: Final = (Player.language, Player.time_zone, Player.mail, Player.quiet, Player.days_off)


def settle_in(ctx: AppContext, player: Player) -> None:
    """Take over what the browser says; the form that was sent has the zone where the page could find it out."""
    zone = request.form.get("zone", "")
    known = zone in zoneinfo.available_timezones()
    changes = {"language": asked_for(), "time_zone": zone if known else player.time_zone}
    Player.update(**changes).where(Player.id == player.id).execute(ctx.database)


def has_said_nothing(player: Player) -> bool:
    """Whether all settings are as they were made, as with everybody who is known by an invitation only."""
    return all(getattr(player, setting.name) == setting.default for setting in _SETTINGS)
