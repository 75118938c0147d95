"""From a row of the outbox to a letter: its subject and its text."""

import json
from collections.abc import Callable
from functools import cache
from gettext import NullTranslations
from typing import Any, Final, NamedTuple, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service import places
from service.clock import written
from service.engine.reading import Json
from service.engine.showing import whole_view
from service.identity import CODE_SECONDS
from service.lobby import EXPIRES_AFTER
from service.mail.choices import choices_of, places_of
from service.mail.looking_back import Glance, at_the_end, at_turn
from service.mail.story import Story, winners_told
from service.mail.wording import listed, moment, player_names, span, subject_line, table_name, wrapped
from service.models import Letter
from service.office import Office
from service.render.characters import board_text
from service.store import StoredGame, load

LONGEST_STORY: Final = 12
"""How many paragraphs a letter tells at most; who left a game early would get most of it otherwise."""
_TRANSLATIONS: Final = NullTranslations()

Context: TypeAlias = dict[str, Any]


class Picture(NamedTuple):
    """A picture in a letter; the HTML refers to it as `cid:` and its cid."""

    cid: str
    name: str
    png: bytes


class Composed(NamedTuple):
    """A letter as it can be read."""

    subject: str
    text: str
    links: tuple[str, ...]
    """The links in the order of the text, in which each stands alone on its line."""
    html: str = ""
    pictures: tuple[Picture, ...] = ()


class Outdated(Exception):
    """The letter's seat belongs to somebody else by now, so its links are no longer for this reader."""


def compose(office: Office, letter: Letter) -> Composed:
    """The letter; raises `Outdated` where it must not be sent any more."""
    context = {"base": office.settings.base_url, **_context(office, letter)}
    letters = _environment()
    subject = letters.get_template(f"{letter.kind}.subject.txt").render(context)
    text = letters.get_template(f"{letter.kind}.txt").render(context).strip() + "\n"
    # No name can hold "://", so a line that begins with our own address is a link of ours.
    links = tuple(line for line in text.splitlines() if line.startswith(f"{office.settings.base_url}/"))
    return Composed(subject_line(subject), text, links)


def _context(office: Office, letter: Letter) -> Context:
    if letter.kind == "sign-in":
        return _sign_in(office, letter)
    if letter.kind == "test":
        return {}
    return _ABOUT_TABLES[letter.kind](_matter(office, letter))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(places.templates() / "mail"),
        autoescape=False,  # noqa: S701 - plain text; the HTML parts will have an environment that escapes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_translations(_TRANSLATIONS, newstyle=True)  # type: ignore[attr-defined]
    environment.filters["wrapped"] = wrapped
    return environment


def _sign_in(office: Office, letter: Letter) -> Context:
    details = json.loads(letter.details)
    link = f"{office.settings.base_url}/login/{details['link']}"
    return {"code": details["code"], "link": link, "minutes": CODE_SECONDS // 60}


class _Matter(NamedTuple):
    """What a letter about a table is about."""

    office: Office
    game: StoredGame
    seat: int
    turn: int
    created: float
    details: Json


def _matter(office: Office, letter: Any) -> _Matter:
    game = load(office.database, letter.game_id)
    if game.seats[letter.seat].address != letter.address:
        raise Outdated
    return _Matter(office, game, letter.seat, letter.turn or 0, letter.created, json.loads(letter.details))


def _about_table(matter: _Matter) -> Context:
    """What every letter about a table needs."""
    office, game = matter.office, matter.game
    names = player_names(game)
    base, version = office.settings.base_url, game.seats[matter.seat].link_version
    return {
        "table": table_name(game),
        "you": names[matter.seat],
        "host": names[0],
        "seat_link": f"{base}/s/{office.links.seat(game.id, matter.seat, version)}",
        "game_link": f"{base}/g/{game.id}",
    }


def _invitation(matter: _Matter) -> Context:
    game, names = matter.game, player_names(matter.game)
    others = [names[seat.seat] for seat in game.seats[1:] if seat.seat != matter.seat and (seat.player or seat.bot)]
    return {
        **_about_table(matter),
        "others": listed(others, _TRANSLATIONS),
        "seats": len(game.seats),
        "options": game.options,
        "pace": span(game.pace, _TRANSLATIONS) if game.pace else "",
        "expires": span(EXPIRES_AFTER, _TRANSLATIONS),
    }


def _declined(matter: _Matter) -> Context:
    return {**_about_table(matter), "seat": matter.details["seat"] + 1}


def _closed(matter: _Matter) -> Context:
    return {**_about_table(matter), "waited": span(EXPIRES_AFTER, _TRANSLATIONS)}


def _turn(matter: _Matter) -> Context:
    office, game, seat, turn = matter[:4]
    glance = at_turn(office, game, seat, turn)
    view = _view(matter, glance)
    link = f"{office.settings.base_url}/t/{office.links.turn(game.id, seat, turn, game.seats[seat].link_version)}"
    choices = choices_of(view, _TRANSLATIONS)
    deadline = _deadline(matter)
    return {
        **_about_table(matter),
        **_told(matter, glance),
        "board": board_text(view, places_of(view)),
        "turn_link": link,
        "choices": [{"words": choice.words, "link": f"{link}?do={choice.do}"} for choice in choices],
        "deadline": moment(deadline) if deadline else "",
        "left": span(deadline - matter.created, _TRANSLATIONS) if deadline else "",
    }


def _over(matter: _Matter) -> Context:
    game = matter.game
    glance = at_the_end(matter.office, game, matter.seat)
    view, names = _view(matter, glance), player_names(game)
    result = view["result"]
    return {
        **_about_table(matter),
        **_told(matter, glance),
        "id": game.id,
        "won": matter.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": winners_told(names, result["winners"], _TRANSLATIONS),
        "ranking": [{**result["scores"][seat], "name": names[seat]} for seat in result["ranking"]],
        "board": board_text(view),
        "dice": view["dice"],
        "record_link": f"{matter.office.settings.base_url}/api/v1/games/{game.id}/record",
    }


def _view(matter: _Matter, glance: Glance) -> Json:
    """The game as the reader saw it, the players called as in the sentences."""
    deadline = _deadline(matter)
    at = None if deadline is None else written(deadline)
    view = whole_view(matter.game.heading, glance.state, glance.head, matter.seat, at)
    names = player_names(matter.game)
    view["seats"] = [{**seat, "name": name} for seat, name in zip(view["seats"], names, strict=True)]
    return view


def _told(matter: _Matter, glance: Glance) -> Context:
    story = Story(matter.game, _TRANSLATIONS).told(glance.since, matter.seat)
    return {
        "story": story[-LONGEST_STORY:],
        "shortened": len(story) > LONGEST_STORY,
        "first_turn": glance.first,
    }


def _deadline(matter: _Matter) -> float | None:
    """When the time of the letter's turn is up, or was: only the turn that is on is in the game's row."""
    game = matter.game
    if game.turn == matter.turn and game.status == "playing":
        return game.deadline
    return matter.created + game.pace if game.pace else None


_ABOUT_TABLES: Final[dict[str, Callable[[_Matter], Context]]] = {
    "invitation": _invitation,
    "declined": _declined,
    "cancelled": _closed,
    "expired": _closed,
    "links": _about_table,
    "turn": _turn,
    "over": _over,
}
KINDS: Final = ("sign-in", "test", *_ABOUT_TABLES)
"""Every kind of letter there is."""
