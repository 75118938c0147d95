"""The calls about oneself: signing in, and one's settings."""

import json
import zoneinfo
from datetime import datetime
from typing import Any

from flask import request

from service.addresses import read_address
from service.callers import Caller
from service.clock import written
from service.clocks.calendars import write_days_off
from service.clocks.changing import change_player
from service.engine.reading import Json
from service.engine.record import read_time
from service.errors import BadRequest
from service.limits import check_sign_in, check_test_letter
from service.mail.trying import ask_for_test_letter
from service.models import Player
from service.office import Office
from service.routes import answers, bodies
from service.routes.operations import Api
from service.routes.speaking import reader_here
from service.seat_links import mail_again
from service.signing_in import confirm_code, mail_code


def account_calls(api: Api) -> None:
    """Add the calls."""
    office = api.office

    @api.call("POST", "/login", body=bodies.Login, answer=answers.Accepted, status=202, signed_in=False)
    def login(caller: Caller, body: bodies.Login) -> Json:
        """Have a code and a link mailed to an address; the answer is the same whether or not it is known."""
        mail_code(office, body.email, request.remote_addr, reader_here(office).language)
        return {"detail": "If this address may play here, a letter with a code is on its way to it."}

    @api.call("POST", "/login/confirm", body=bodies.LoginConfirm, answer=answers.SignedIn, signed_in=False)
    def confirm(caller: Caller, body: bodies.LoginConfirm) -> Json:
        """Change the code from the letter into a token."""
        player = confirm_code(office, body.email, body.code)
        return {"token": office.links.api(player.id, player.token_version), "player": _me(office, player)}

    @api.call("POST", "/links", body=bodies.Login, answer=answers.Accepted, status=202, signed_in=False)
    def links(caller: Caller, body: bodies.Login) -> Json:
        """Have the links of your games mailed to you again; the answer is the same whether or not you have any."""
        check_sign_in(office, read_address(body.email), request.remote_addr or "")
        mail_again(office, body.email)
        return {"detail": "If somebody with this address plays here, letters with the links are on their way."}

    @api.call("GET", "/me", answer=answers.Me, errors=(403,))
    def me(caller: Caller) -> Json:
        """Who you are and how you want your letters."""
        return _me(office, caller.signed_in())

    @api.call("PATCH", "/me", body=bodies.PatchMe, answer=answers.Me, errors=(403,))
    def change_me(caller: Caller, body: bodies.PatchMe) -> Json:
        """Change what you send; the rest stays as it is."""
        player = caller.signed_in()
        return _me(office, change_player(office, player.id, checked_changes(body.model_dump(exclude_unset=True))))

    @api.call("POST", "/me/test-letter", answer=answers.Accepted, status=202, errors=(403,))
    def test_letter(caller: Caller) -> Json:
        """Have a test letter sent to yourself; the answer says what is known of the way to you."""
        player = caller.signed_in()
        check_test_letter(office, player.id)
        return {"detail": ask_for_test_letter(office, player)}


def _me(office: Office, player: Player) -> Json:
    away = player.away_until or 0.0
    begins, _, ends = (player.quiet or "").partition("-")
    return {
        "id": player.id,
        "email": player.email,
        "name": player.name,
        "language": player.language,
        "time_zone": player.time_zone,
        "mail": bodies.MailWishes(**json.loads(player.mail)).model_dump(),
        "away_until": written(away) if away > office.clock() else None,
        "quiet": {"from": begins, "to": ends} if player.quiet else None,
        "days_off": [name for name in player.days_off.split(",") if name],
    }


def checked_changes(changes: dict[str, Any]) -> dict[str, Any]:
    """Check what pydantic cannot, and give what is to be written down."""
    for name in ("name", "language", "time_zone", "mail", "days_off"):
        if name in changes and changes[name] is None:
            raise BadRequest(f"body.{name}: must not be null; leave it out to keep it.")
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
