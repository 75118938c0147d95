"""The API's calls about the caller: signing in, and their settings."""

import json
import zoneinfo
from datetime import datetime
from typing import Any

from flask import request
from flask.typing import ResponseReturnValue

from service.auth.login import confirm_code, send_login_code
from service.auth.rate_limits import check_links, check_test_letter
from service.clocks.calendar import write_days_off
from service.clocks.calendar_changes import change_player
from service.context import AppContext
from service.db.models import Player
from service.engine.json_reader import Json
from service.engine.records import read_time
from service.errors import BadRequest
from service.games.players import resend_links, send_test_letter
from service.routes.api import schemas
from service.routes.api.blueprint import api, call, current_principal
from service.routes.current import current_context, current_reader
from service.text import format_utc


@api.post("/login")
@call(schemas.Accepted, body=schemas.Login, status=202, signed_in=False)
def post_login(body: schemas.Login) -> ResponseReturnValue:
    """Send a code and a link to an address; the response is the same whether or not it is known."""
    ctx = current_context()
    send_login_code(ctx, body.email, request.remote_addr, current_reader().language)
    return {"detail": "If this address can play here, an e-mail with a code is on its way."}, 202


@api.post("/login/confirm")
@call(schemas.SignedIn, body=schemas.LoginConfirm, signed_in=False)
def post_confirm(body: schemas.LoginConfirm) -> ResponseReturnValue:
    """Exchange the code from the e-mail for a token."""
    ctx = current_context()
    player = confirm_code(ctx, body.email, body.code, request.remote_addr)
    return {"token": ctx.tokens.api(player.id, player.token_version), "player": _show_player(ctx, player)}


@api.post("/links")
@call(schemas.Accepted, body=schemas.Login, status=202, signed_in=False)
def post_links(body: schemas.Login) -> ResponseReturnValue:
    """Send the links of your games again; the response is the same whether or not you have any."""
    ctx = current_context()
    check_links(ctx, body.email, request.remote_addr)
    resend_links(ctx, body.email)
    return {"detail": "If somebody with this address plays here, an e-mail with the links is on its way."}, 202


@api.get("/me")
@call(schemas.Me, also=(403,))
def get_me() -> ResponseReturnValue:
    """Your name, settings and e-mail preferences."""
    return _show_player(current_context(), current_principal().require_login())


@api.patch("/me")
@call(schemas.Me, body=schemas.PatchMe, also=(403,))
def patch_me(body: schemas.PatchMe) -> ResponseReturnValue:
    """Change what you send; the rest stays as it is."""
    ctx, player = current_context(), current_principal().require_login()
    return _show_player(ctx, change_player(ctx, player.id, checked_changes(body.model_dump(exclude_unset=True))))


@api.post("/me/test-letter")
@call(schemas.Accepted, status=202, also=(403,))
def post_test_letter() -> ResponseReturnValue:
    """Send yourself a test e-mail; the response says what is known about the delivery."""
    ctx, player = current_context(), current_principal().require_login()
    check_test_letter(ctx, player.id)
    return {"detail": send_test_letter(ctx, player)}, 202


def _show_player(ctx: AppContext, player: Player) -> Json:
    away = player.away_until or 0.0
    begins, _, ends = (player.quiet or "").partition("-")
    return {
        "id": player.id,
        "email": player.email,
        "name": player.name,
        "language": player.language,
        "time_zone": player.time_zone,
        "mail": schemas.MailPreferences(**json.loads(player.mail)).model_dump(),
        "away_until": format_utc(away) if away > ctx.clock() else None,
        "quiet": {"from": begins, "to": ends} if player.quiet else None,
        "days_off": [name for name in player.days_off.split(",") if name],
        "hidden": bool(player.hidden),
    }


def checked_changes(changes: dict[str, Any]) -> dict[str, Any]:
    """Check what the schema cannot express, and return the columns to update."""
    for name in ("name", "language", "time_zone", "mail", "days_off", "hidden"):
        if name in changes and changes[name] is None:
            raise BadRequest(f"body.{name}: must not be null. Leave it out to keep it.")
    if "time_zone" in changes and changes["time_zone"] not in zoneinfo.available_timezones():
        raise BadRequest("body.time_zone: must be a zone such as Europe/Paris or UTC.")
    if "mail" in changes:
        changes["mail"] = json.dumps(changes["mail"])
    if changes.get("away_until") is not None:
        changes["away_until"] = datetime.fromisoformat(read_time(changes["away_until"], "body.away_until")).timestamp()
    if changes.get("quiet") is not None:
        changes["quiet"] = f"{changes['quiet']['begins']}-{changes['quiet']['ends']}"
    if "days_off" in changes:
        changes["days_off"] = write_days_off(changes["days_off"])
    return changes
