"""From a row of the outbox to a letter: its subject, its text, its HTML and its picture."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from service.identity import CODE_SECONDS
from service.languages import ENGLISH
from service.mail import about_ends, about_seats, about_turns, said
from service.mail.how_it_stands import Drawing
from service.mail.matter import Context, Matter, Outdated, matter_of
from service.mail.paper import written_out
from service.mail.readers import Reader, reader_with
from service.mail.wording import subject_line
from service.models import Letter
from service.office import Office

__all__ = ["KINDS", "Composed", "Outdated", "Picture", "Words", "compose", "in_words_only"]


class Picture(NamedTuple):
    """A picture inside a letter; its HTML shows it by `cid:` and this id."""

    cid: str
    name: str
    png: bytes


class Composed(NamedTuple):
    """A letter as it can be sent."""

    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...]
    links: tuple[str, ...]
    """The links in the order of the text, in which each stands alone on its line."""
    answer_plays: int | None = None
    """The turn whose choices it offers, which an answer to it plays."""


class Words(NamedTuple):
    """A letter without its pictures, which take longest to make."""

    subject: str
    text: str
    html: str
    drawing: Drawing | None
    cid: str
    answer_plays: int | None

    def links(self, base: str) -> tuple[str, ...]:
        """Our own links in the text."""
        # No name can hold "://", so a line that begins with our own address is a link of ours.
        return tuple(line for line in self.text.splitlines() if line.startswith(f"{base}/"))


def compose(office: Office, letter: Letter, *, again: bool = False) -> Composed:
    """The letter; raises `Outdated` where it must not be sent any more.

    Where it is only looked at `again`, it is shown even when its turn is over.
    """
    words = in_words_only(office, letter, again=again)
    pictures = (_picture(words.cid, words.drawing),) if words.drawing else ()
    links = words.links(office.settings.base_url)
    return Composed(words.subject, words.text, words.html, pictures, links, words.answer_plays)


def in_words_only(office: Office, letter: Letter, *, again: bool = False) -> Words:
    """The letter's words; raises `Outdated` as `compose` does."""
    reader = reader_with(office, str(letter.address), _asked_in(letter))
    cid = f"board.{letter.id}@marrakech"
    context: Context = {"base": office.settings.base_url, "reader": reader, "cid": cid, "table": ""}
    context |= _context(office, letter, reader, again)
    sheet = written_out(str(letter.kind), reader.translations, context)
    drawing, answer_plays = context.get("drawing"), context.get("answer_plays")
    return Words(subject_line(sheet.subject), sheet.text, sheet.html, drawing, cid, answer_plays)


def _asked_in(letter: Any) -> str:
    """The language in which somebody has asked for a letter, where that is known."""
    return ENGLISH if letter.game_id is not None else str(json.loads(letter.details).get("language", ENGLISH))


def _picture(cid: str, drawing: Drawing) -> Picture:
    from service.render.png import board_png  # noqa: PLC0415 - the renderer is large, and the pages need none

    return Picture(cid, "board.png", board_png(drawing.view, drawing.places, paid_squares=drawing.paid))


def _context(office: Office, letter: Any, reader: Reader, again: bool) -> Context:
    if letter.game_id is None:
        return _WITHOUT_TABLE[letter.kind](office, json.loads(letter.details), reader)
    return _ABOUT_TABLES[letter.kind](matter_of(office, letter, reader, again))


def _sign_in(office: Office, details: Any, reader: Reader) -> Context:
    link = f"{office.settings.base_url}/login/{details['link']}"
    return {"code": details["code"], "link": link, "minutes": CODE_SECONDS // 60}


def _test(office: Office, details: Any, reader: Reader) -> Context:
    return {}


def _answer(office: Office, details: Any, reader: Reader) -> Context:
    return {**about_turns.answered(details, reader.translations), "you": "", "board": "", "choices": []}


_WITHOUT_TABLE: Final[dict[str, Callable[[Office, Any, Reader], Context]]] = {
    "sign-in": _sign_in,
    "test": _test,
    "answer": _answer,
}
_ABOUT_TABLES: Final[dict[str, Callable[[Matter], Context]]] = {
    "invitation": about_seats.invitation,
    "declined": about_seats.declined,
    "cancelled": about_seats.closed,
    "expired": about_seats.closed,
    "links": about_seats.links,
    "turn": about_turns.turn,
    "roll": about_turns.roll,
    "reminder": about_turns.reminder,
    "time-up": about_turns.time_up,
    "answer": about_turns.answer,
    "talk": said.talk,
    "over": about_ends.over,
}
KINDS: Final = tuple(dict.fromkeys([*_WITHOUT_TABLE, *_ABOUT_TABLES]))
"""Every kind of letter there is."""
