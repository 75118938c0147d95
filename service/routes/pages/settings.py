"""`/me`: the player's name, language, time zone, e-mail preferences and times off; export and deletion."""

import json
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel.dates import get_day_names
from flask import Response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from pydantic import ValidationError

from service.auth.rate_limits import check_test_letter
from service.clocks.calendar import FEWEST_DAYS, FEWEST_HOURS, WEEKDAYS, first_moment
from service.clocks.calendar_changes import MOST_DAYS_AWAY, change_player
from service.context import AppContext
from service.db.connection import transaction
from service.db.letter_texts import translate_delivery_error
from service.db.models import Player
from service.errors import BadRequest, Forbidden, Problem
from service.games import players
from service.games.channels import EXAMPLES, PUSH, WEB_HOOK, list_channels, remove_browsers
from service.games.players import send_test_letter
from service.games.vapid import public_key
from service.i18n import locale_for, marked, spoken
from service.routes.api.account import checked_changes
from service.routes.api.schemas import MailPreferences, PatchMe
from service.routes.current import current_context, current_player, current_reader, languages
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import authenticate_form, delete_session_cookie

_CONTINENTS: Final = frozenset(
    {"Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
_REFUSALS: Final = {
    "name": marked("The name is too long or contains invisible characters. Enter another one."),
    "language": marked("This language isn't in the list. Choose one that is."),
    "time_zone": marked("This time zone isn't in the list. Choose one that is."),
    "quiet": marked("Quiet hours need a start and an end. Leave at least %(hours)s hours of the day for playing."),
    "days_off": marked("Leave at least %(days)s days of the week for playing."),
    "away_until": marked("Choose a day after today. You can be away for at most %(away)s days a year."),
}


pages = create_page_blueprint("settings")


@pages.get("/me")
def show_settings() -> ResponseReturnValue:
    """The player's settings."""
    player = current_player()
    return redirect("/login?next=/me", 303) if player is None else settings_page(player)


@pages.post("/me")
def submit_settings() -> ResponseReturnValue:
    """Save the settings."""
    player = authenticate_form()
    try:
        _save(current_context(), player)
    except Problem as problem:
        return settings_page(player, refusal=problem), problem.status
    return redirect("/me?done=saved", 303)


@pages.post("/me/test-letter")
def submit_test_letter() -> str:
    """Send the player a test letter."""
    ctx, player = current_context(), authenticate_form()
    check_test_letter(ctx, player.id)
    return settings_page(player, note=send_test_letter(ctx, player))


@pages.post("/me/sign-out-everywhere")
def sign_out_everywhere() -> ResponseReturnValue:
    """Invalidate all sessions and API tokens of the player."""
    ctx, player = current_context(), authenticate_form()
    increased = Player.token_version + 1
    with transaction(ctx.database):
        Player.update(token_version=increased).where(Player.id == player.id).execute(ctx.database)
        remove_browsers(ctx, player.id)
    return _sign_out("/")


@pages.post("/me/export")
def export_data() -> Response:
    """Everything that is stored about the player, as a file."""
    player = authenticate_form()
    body = json.dumps(players.export_player(current_context(), player), ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": 'attachment; filename="marrakech-by-mail.json"'}
    return Response(body, mimetype="application/json", headers=headers)


@pages.post("/me/delete")
def delete_account() -> ResponseReturnValue:
    """Delete the player for good."""
    player = authenticate_form()
    try:
        _check_sure()
        _delete(current_context(), player)
    except Problem as problem:
        return settings_page(player, refusal=problem), problem.status
    return _sign_out("/me/gone")


@pages.get("/me/gone")
def show_goodbye() -> str:
    """The page after deleting an account."""
    return render_template("gone.html")


def _delete(ctx: AppContext, player: Player) -> None:
    try:
        players.delete_player(ctx, player.id, resign=request.form.get("resign") == "yes")
    except players.StillPlaying:
        raise Forbidden(
            "You're still playing. Tick the box to resign from all your games, or finish them first."
        ) from None


def _check_sure() -> None:
    if request.form.get("sure") != "yes":
        raise BadRequest("Nothing was deleted. To delete your data, tick the box that says you're sure.")


def _sign_out(path: str) -> ResponseReturnValue:
    response = redirect(path, 303)
    delete_session_cookie(response)
    return response


def settings_page(
    player: Player, refusal: Problem | None = None, note: str = "", errors: Mapping[str, Problem] | None = None
) -> str:
    """The page; `errors` are those of the forms for channels, by field."""
    ctx, reader = current_context(), current_reader()
    begins, _, ends = (player.quiet or "").partition("-")
    days = get_day_names("wide", locale=locale_for(reader.language))
    return render_template(
        "me.html",
        player=player,
        refusal=refusal,
        note=note,
        done=request.args.get("done", ""),
        languages=languages(),
        language=spoken(player.language),
        zones=_zones(player.time_zone),
        preferences=MailPreferences(**json.loads(player.mail)).model_dump(),
        begins=begins,
        ends=ends,
        week=[(name, days[number], name in player.days_off.split(",")) for number, name in enumerate(WEEKDAYS)],
        away=_last_day(ctx, player),
        trouble=translate_delivery_error(player.mail_trouble or "", reader.translations.gettext),
        most_away=MOST_DAYS_AWAY,
        running=len(players.running_games(ctx, player.id)),
        errors=errors or {},
        channels=[_channel(channel) for channel in list_channels(ctx, player.id)],
        push_key=public_key(ctx.database),
        notify_hosts=ctx.settings.notify_hosts,
        examples=EXAMPLES,
        web_hook=WEB_HOOK,
        entered=request.form,
    )


def _channel(channel: Any) -> dict[str, str]:
    """A channel as the page shows it; its address is a secret, apart from a browser's, which the browser knows."""
    reader = current_reader()
    return {
        "id": channel.id,
        "name": channel.name or reader.translations.gettext("Browser"),
        "endpoint": json.loads(channel.address)["endpoint"] if channel.kind == PUSH else "",
        "since": reader.format_short_time(channel.created),
        "trouble": translate_delivery_error(channel.trouble or "", reader.translations.gettext),
    }


@lru_cache(maxsize=64)
def _zones(own: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """All time zones by continent, each with its city, and the player's own in any case."""
    groups: dict[str, list[tuple[str, str]]] = {"": [("UTC", "UTC")]}
    if own != "UTC" and own.partition("/")[0] not in _CONTINENTS:
        groups[""].append((own, own))
    for name in sorted(zoneinfo.available_timezones()):
        continent, slash, city = name.partition("/")
        if slash and continent in _CONTINENTS:
            groups.setdefault(continent, []).append((name, city.replace("_", " ")))
    return list(groups.items())


def _last_day(ctx: AppContext, player: Player) -> str:
    """The last day on which the player is away, as a form writes it."""
    if player.away_until is None or player.away_until <= ctx.clock():
        return ""
    # The moment stored is the midnight after the last day.
    return datetime.fromtimestamp(player.away_until - 1, ZoneInfo(player.time_zone)).date().isoformat()


def _save(ctx: AppContext, player: Player) -> None:
    """Save what the form says; raises `BadRequest` in the reader's language."""
    say = current_reader().translations.gettext
    try:
        changes = checked_changes(_read_form().model_dump(exclude_unset=True))
        changes |= _away(ctx, player, request.form.get("away", ""), changes["time_zone"])
        change_player(ctx, player.id, changes)
    except ValidationError as error:
        raise BadRequest(_refusal(say, str(error.errors()[0]["loc"][0]))) from None
    except BadRequest as problem:
        raise BadRequest(_refusal(say, problem.detail.removeprefix("body.").partition(":")[0])) from None


def _read_form() -> PatchMe:
    """The form as a body of the API's `PATCH /me`."""
    form = request.form
    begins, ends = form.get("begins", ""), form.get("ends", "")
    if form.get("language") not in languages():
        raise BadRequest("body.language: there is none such.")
    return PatchMe.model_validate(
        {
            "name": form.get("name", ""),
            "language": form["language"],
            "time_zone": form.get("time_zone", ""),
            "mail": {name: form.get(name) == "yes" for name in MailPreferences.model_fields},
            "quiet": {"from": begins, "to": ends} if begins or ends else None,
            "days_off": form.getlist("days_off"),
            "hidden": form.get("hidden") == "yes",
        }
    )


def _refusal(say: Callable[[str], str], field: str) -> str:
    values = {"hours": FEWEST_HOURS, "days": FEWEST_DAYS, "away": MOST_DAYS_AWAY}
    return say(_REFUSALS[field]) % values


def _away(ctx: AppContext, player: Player, last_day: str, zone: str) -> dict[str, float | None]:
    """The change to `away_until`, if any: setting it again would count the days again."""
    if last_day == _last_day(ctx, player):
        return {}
    if not last_day:
        return {"away_until": None}
    try:
        after = date.fromisoformat(last_day) + timedelta(days=1)
        return {"away_until": float(first_moment(zone, after.toordinal(), 0))}
    except (ValueError, OverflowError):
        raise BadRequest("body.away_until: must be a day.") from None
