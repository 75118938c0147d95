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


class Composed(NamedTuple):
    """A letter as it can be read."""

    subject: str
    text: str
    links: tuple[str, ...]
    """The links in the order of the text, in which each stands alone on its line."""


class Outdated(Exception):
    """The letter's seat belongs to somebody else by now, so its links are no longer for this reader."""


def compose(office: Office, letter: Letter) -> Composed:
    """The letter; raises `Outdated` where it must not be sent any more."""
    context = {"base": office.settings.base_url, **_CONTEXTS[letter.kind](office, letter)}
    letters = _environment()
    subject = letters.get_template(f"{letter.kind}.subject.txt").render(context)
    text = letters.get_template(f"{letter.kind}.txt").render(context).strip() + "\n"
    # No name can hold "://", so a line that begins with our own address is a link of ours.
    links = tuple(line for line in text.splitlines() if line.startswith(f"{office.settings.base_url}/"))
    return Composed(subject_line(subject), text, links)


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


def _about_table(office: Office, letter: Letter, game: StoredGame) -> Context:
    """What every letter about a table needs."""
    names = player_names(game)
    seat = game.seats[letter.seat]
    if seat.address != letter.address:
        raise Outdated
    base, links = office.settings.base_url, office.links
    return {
        "table": table_name(game),
        "you": names[letter.seat],
        "host": names[0],
        "seat_link": f"{base}/s/{links.seat(game.id, seat.seat, seat.link_version)}",
        "game_link": f"{base}/g/{game.id}",
    }


def _invitation(office: Office, letter: Letter) -> Context:
    game = load(office.database, letter.game_id)
    others = [
        name for seat, name in enumerate(player_names(game)) if seat not in {0, letter.seat} and _sits(game, seat)
    ]
    return {
        **_about_table(office, letter, game),
        "others": listed(others, _TRANSLATIONS),
        "seats": len(game.seats),
        "options": game.options,
        "pace": span(game.pace, _TRANSLATIONS) if game.pace else "",
        "expires": span(EXPIRES_AFTER, _TRANSLATIONS),
    }


def _sits(game: StoredGame, seat: int) -> bool:
    return game.seats[seat].player is not None or game.seats[seat].bot is not None


def _declined(office: Office, letter: Letter) -> Context:
    game = load(office.database, letter.game_id)
    return {**_about_table(office, letter, game), "seat": json.loads(letter.details)["seat"] + 1}


def _closed(office: Office, letter: Letter) -> Context:
    game = load(office.database, letter.game_id)
    return {**_about_table(office, letter, game), "waited": span(EXPIRES_AFTER, _TRANSLATIONS)}


def _turn(office: Office, letter: Letter) -> Context:
    game = load(office.database, letter.game_id)
    glance = at_turn(office, game, letter.seat, letter.turn)
    view = _view(game, glance, letter)
    version = game.seats[letter.seat].link_version
    turn_link = f"{office.settings.base_url}/t/{office.links.turn(game.id, letter.seat, letter.turn, version)}"
    deadline = _deadline(game, letter)
    return {
        **_about_table(office, letter, game),
        **_told(game, glance, letter),
        "board": board_text(view, places_of(view)),
        "turn_link": turn_link,
        "choices": [
            {"words": choice.words, "link": f"{turn_link}?do={choice.do}"} for choice in choices_of(view, _TRANSLATIONS)
        ],
        "deadline": moment(deadline) if deadline else "",
        "left": span(deadline - letter.created, _TRANSLATIONS) if deadline else "",
    }


def _over(office: Office, letter: Letter) -> Context:
    game = load(office.database, letter.game_id)
    glance = at_the_end(office, game, letter.seat)
    view, names = _view(game, glance, letter), player_names(game)
    result = view["result"]
    return {
        **_about_table(office, letter, game),
        **_told(game, glance, letter),
        "id": game.id,
        "won": letter.seat in result["winners"],
        "alone": len(result["winners"]) == 1,
        "winners": winners_told(names, result["winners"], _TRANSLATIONS),
        "ranking": [{**result["scores"][seat], "name": names[seat]} for seat in result["ranking"]],
        "board": board_text(view),
        "dice": view["dice"],
        "record_link": f"{office.settings.base_url}/api/v1/games/{game.id}/record",
    }


def _view(game: StoredGame, glance: Glance, letter: Letter) -> Json:
    deadline = _deadline(game, letter)
    return whole_view(
        game.heading, glance.state, glance.head, letter.seat, None if deadline is None else written(deadline)
    )


def _told(game: StoredGame, glance: Glance, letter: Letter) -> Context:
    story = Story(game, _TRANSLATIONS).told(glance.since, letter.seat)
    return {
        "story": story[-LONGEST_STORY:],
        "shortened": len(story) > LONGEST_STORY,
        "first_turn": glance.first,
    }


def _deadline(game: StoredGame, letter: Letter) -> float | None:
    """When the time of the letter's turn is up, or was: only the turn that is on is in the game's row."""
    if game.turn == letter.turn and game.status == "playing":
        return game.deadline
    return letter.created + game.pace if game.pace else None


_CONTEXTS: Final[dict[str, Callable[[Office, Letter], Context]]] = {
    "sign-in": _sign_in,
    "invitation": _invitation,
    "declined": _declined,
    "cancelled": _closed,
    "expired": _closed,
    "turn": _turn,
    "over": _over,
}
KINDS: Final = tuple(_CONTEXTS)
