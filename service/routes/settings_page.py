"""`/me`: one's name, language and time, which letters to get, when not to be waited for, and how to leave."""

import json
import zoneinfo
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel.dates import get_day_names
from flask import Blueprint, Response, redirect, render_template, request
from pydantic import ValidationError

from service import leaving
from service.clocks.calendars import FEWEST_DAYS, FEWEST_HOURS, WEEKDAYS
from service.clocks.changing import MOST_DAYS_AWAY, change_player
from service.clocks.local_time import first_moment
from service.errors import BadRequest, Forbidden, Problem
from service.languages import locale_for, marked, spoken
from service.limits import check_test_letter
from service.mail.troubles import trouble_told
from service.mail.trying import ask_for_test_letter
from service.models import Player
from service.office import Office
from service.routes.api_account import checked_changes
from service.routes.bodies import MailWishes, PatchMe
from service.routes.sealing import sealed_pages
from service.routes.sessions import check_form, close_session, visitor
from service.routes.speaking import languages, reader_here

_CONTINENTS: Final = frozenset(
    {"Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
_REFUSALS: Final = {
    "name": marked("The name is too long or has invisible characters in it; write another."),
    "language": marked("This language is not one of those in the list; choose one of them."),
    "time_zone": marked("This time zone is not one of those in the list; choose one of them."),
    "quiet": marked(
        "Quiet hours need a beginning and an end, and must leave at least %(hours)s hours of the day to play."
    ),
    "days_off": marked("Days off must leave at least %(days)s days of the week to play."),
    "away_until": marked(
        "The last day away must lie ahead, and all in all you can be away for %(away)s days in a year."
    ),
}


def settings_pages(office: Office) -> Blueprint:
    """`/me` and what its buttons do."""
    pages = sealed_pages("settings")

    @pages.get("/me")
    def me() -> Any:
        player = visitor(office)
        return redirect("/login?next=/me", 303) if player is None else _page(office, player)

    @pages.post("/me")
    def change() -> Any:
        player = check_form(office)
        try:
            _change(office, player)
        except Problem as problem:
            return _page(office, player, refusal=problem), problem.status
        return redirect("/me?done=saved", 303)

    _add_leaving(pages, office)
    return pages


def _add_leaving(pages: Blueprint, office: Office) -> None:
    """The buttons below the form: does mail arrive, signing out, taking one's data along, leaving for good."""

    @pages.post("/me/test-letter")
    def test_letter() -> Any:
        player = check_form(office)
        check_test_letter(office, player.id)
        return _page(office, player, told=ask_for_test_letter(office, player))

    @pages.post("/me/sign-out-everywhere")
    def sign_out_everywhere() -> Any:
        player = check_form(office)
        anew = Player.token_version + 1
        Player.update(token_version=anew).where(Player.id == player.id).execute(office.database)
        return _signed_out("/")

    @pages.post("/me/export")
    def export() -> Response:
        player = check_form(office)
        body = json.dumps(leaving.export_player(office, player), ensure_ascii=False, indent=1)
        response = Response(body, mimetype="application/json")
        response.headers["Content-Disposition"] = 'attachment; filename="marrakech-by-mail.json"'
        return response

    @pages.post("/me/delete")
    def delete() -> Any:
        player = check_form(office)
        try:
            _check_sure()
            _forget(office, player)
        except Problem as problem:
            return _page(office, player, refusal=problem), problem.status
        return _signed_out("/me/gone")

    @pages.get("/me/gone")
    def gone() -> str:
        return render_template("gone.html")


def _forget(office: Office, player: Player) -> None:
    try:
        leaving.forget_player(office, player.id, resign=request.form.get("resign") == "yes")
    except leaving.StillPlaying:
        raise Forbidden(
            "You are still in running games; tick that you resign from all of them, or play them first."
        ) from None


def _check_sure() -> None:
    if request.form.get("sure") != "yes":
        raise BadRequest("Nothing was deleted; tick that you are sure.")


def _signed_out(way: str) -> Any:
    response: Any = redirect(way, 303)
    close_session(response)
    return response


def _page(office: Office, player: Player, refusal: Problem | None = None, told: str = "") -> str:
    reader, (begins, _, ends) = reader_here(office), (player.quiet or "").partition("-")
    days = get_day_names("wide", locale=locale_for(reader.language))
    return render_template(
        "me.html",
        player=player,
        refusal=refusal,
        told=told,
        saved=request.args.get("done") == "saved",
        languages=languages(),
        language=spoken(player.language),
        zones=_zones(player.time_zone),
        wishes=MailWishes(**json.loads(player.mail)).model_dump(),
        begins=begins,
        ends=ends,
        week=[(name, days[number], name in player.days_off.split(",")) for number, name in enumerate(WEEKDAYS)],
        away=_last_day(office, player),
        trouble=trouble_told(player.mail_trouble or "", reader.translations.gettext),
        most_away=MOST_DAYS_AWAY,
        running=len(leaving.running_games(office, player.id)),
    )


@lru_cache(maxsize=64)
def _zones(own: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every zone that somebody lives in, by continent, each with its city; and the player's own in any case."""
    groups: dict[str, list[tuple[str, str]]] = {"": [("UTC", "UTC")]}
    if own != "UTC" and own.partition("/")[0] not in _CONTINENTS:
        groups[""].append((own, own))
    for name in sorted(zoneinfo.available_timezones()):
        continent, slash, city = name.partition("/")
        if slash and continent in _CONTINENTS:
            groups.setdefault(continent, []).append((name, city.replace("_", " ")))
    return list(groups.items())


def _last_day(office: Office, player: Player) -> str:
    """The last day on which the player is away, as a form writes it."""
    if player.away_until is None or player.away_until <= office.clock():
        return ""
    # Up to the midnight after it, so a second before that.
    return datetime.fromtimestamp(player.away_until - 1, ZoneInfo(player.time_zone)).date().isoformat()


def _change(office: Office, player: Player) -> None:
    """Write down what the form says; raises `BadRequest` in the reader's language."""
    say = reader_here(office).translations.gettext
    try:
        changes = checked_changes(_wanted().model_dump(exclude_unset=True))
        changes |= _away(office, player, request.form.get("away", ""), changes["time_zone"])
        change_player(office, player.id, changes)
    except ValidationError as error:
        raise BadRequest(_refusal(say, str(error.errors()[0]["loc"][0]))) from None
    except BadRequest as problem:
        raise BadRequest(_refusal(say, problem.detail.removeprefix("body.").partition(":")[0])) from None


def _wanted() -> PatchMe:
    """What the form says, as a program would say it."""
    form = request.form
    begins, ends = form.get("begins", ""), form.get("ends", "")
    if form.get("language") not in languages():
        raise BadRequest("body.language: there is none such.")
    return PatchMe.model_validate(
        {
            "name": form.get("name", ""),
            "language": form["language"],
            "time_zone": form.get("time_zone", ""),
            "mail": {name: form.get(name) == "yes" for name in MailWishes.model_fields},
            "quiet": {"from": begins, "to": ends} if begins or ends else None,
            "days_off": form.getlist("days_off"),
        }
    )


def _refusal(say: Callable[[str], str], field: str) -> str:
    values = {"hours": FEWEST_HOURS, "days": FEWEST_DAYS, "away": MOST_DAYS_AWAY}
    return say(_REFUSALS[field]) % values


def _away(office: Office, player: Player, last_day: str, zone: str) -> dict[str, float | None]:
    """Being away, where that has changed: saying it again would begin it again."""
    if last_day == _last_day(office, player):
        return {}
    if not last_day:
        return {"away_until": None}
    try:
        after = date.fromisoformat(last_day) + timedelta(days=1)
        return {"away_until": float(first_moment(zone, after.toordinal(), 0))}
    except (ValueError, OverflowError):
        raise BadRequest("body.away_until: must be a day.") from None
