"""From a row of the outbox to a letter: its subject, its text, its HTML and its picture."""

import json
from collections.abc import Callable, Iterator
from gettext import NullTranslations
from typing import Any, Final, NamedTuple

from service.auth.login import CODE_SECONDS, read_login_letter
from service.context import AppContext
from service.db.letter_texts import NOT_ALLOWED, translate_delivery_error
from service.db.letters import IS_HELD
from service.db.models import Letter, Player, Seat
from service.errors import Forbidden
from service.games.channels import Notification
from service.i18n import ENGLISH, Reader
from service.logs import redact
from service.mail import chat_digest, game_letters
from service.mail.game_section import Drawing
from service.mail.letter_context import (
    Context,
    LetterContext,
    Outdated,
    create_letter_context,
    find_reader,
    unsubscribe_link,
)
from service.mail.templates import render_mail, render_preview
from service.text import clean

__all__ = ["KINDS", "Composed", "Outdated", "Picture", "compose", "compose_notification", "subject_line"]
LONGEST_SUBJECT: Final = 120
_MOST_REASONS: Final = 5


class Picture(NamedTuple):
    """A picture inside a letter; its HTML shows it by `cid:` and this id."""

    cid: str
    name: str
    png: bytes


class FooterLink(NamedTuple):
    """A link below a letter."""

    title: str
    link: str


class Composed(NamedTuple):
    """A letter as it can be sent."""

    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...]
    answer_plays: int | None = None
    """The turn whose choices it offers, which a reply to it plays; `CHAT_TURN` for one about the chat."""


def compose(ctx: AppContext, letter: Letter) -> Composed:
    """The letter; raises `Outdated` if it must not be sent any more."""
    reader = find_reader(ctx, str(letter.address), _requested_language(letter))
    context = _full_context(ctx, letter, reader)
    mail = render_mail(str(letter.kind), reader.translations, context)
    pictures = (_picture(context["cid"], context["drawing"]),) if "drawing" in context else ()
    return Composed(subject_line(mail.subject), mail.text, mail.html, pictures, context.get("answer_plays"))


def compose_notification(ctx: AppContext, letter: Any) -> Notification:
    """The letter as a short message; raises `Outdated` if it must not be sent any more."""
    reader = find_reader(ctx, letter.address)
    context = _full_context(ctx, letter, reader)
    title = context["table"] or reader.translations.gettext("Marrakech by Mail")
    body = clean(render_preview(letter.kind, reader.translations, context))
    path = f"/g/{letter.game_id}" if letter.game_id else "/me"
    return Notification(subject_line(title), body, ctx.settings.base_url + path, letter.game_id or letter.kind)


def _full_context(ctx: AppContext, letter: Any, reader: Reader) -> Context:
    cid = f"board.{letter.id}@marrakech"
    context: Context = {"base": ctx.settings.base_url, "reader": reader, "cid": cid, "table": ""}
    context |= _context(ctx, letter, reader)
    return {**context, "footer": list(_footer(ctx, letter, reader, context))}


def _footer(ctx: AppContext, letter: Any, reader: Reader, context: Context) -> Iterator[FooterLink]:
    """Links to the rules, and to the settings of a reader who has any."""
    if letter.kind == "sign-in":
        return
    say, base = reader.translations.gettext, ctx.settings.base_url
    yield FooterLink(say("Rules"), context.get("rules_link") or f"{base}/rules")
    player = Player.select(Player.id).where(Player.email == letter.address).scalar(ctx.database)
    if player is not None:
        yield FooterLink(say("Settings"), f"{base}/me")
        seat = (Seat.game == letter.game_id) & (Seat.seat == letter.seat) & (Seat.accepted == False)  # noqa: E712 - SQL
        accepted = letter.game_id is None or not Seat.select().where(seat).exists(ctx.database)
        yield FooterLink(say("Unsubscribe"), unsubscribe_link(ctx, player, letter.kind, accepted=accepted))


def subject_line(text: str) -> str:
    """A subject on one line and not too long for a header."""
    line = clean(text)
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1].rstrip()}…"


def _requested_language(letter: Any) -> str:
    """The language of the page on which a letter was requested, if it is known."""
    return ENGLISH if letter.game_id is not None else str(json.loads(letter.details).get("language", ENGLISH))


def _picture(cid: str, drawing: Drawing) -> Picture:
    # No words are drawn on a picture, so it is the same in every language.
    return Picture(cid, "board.png", drawing.ui.board_png(drawing.view, NullTranslations(), drawing.events))


def _context(ctx: AppContext, letter: Any, reader: Reader) -> Context:
    if letter.game_id is None:
        return _WITHOUT_TABLE[letter.kind](ctx, json.loads(letter.details) | {"address": letter.address}, reader)
    return _ABOUT_TABLES[letter.kind](create_letter_context(ctx, letter, reader))


def _sign_in(ctx: AppContext, details: Any, reader: Reader) -> Context:
    try:
        letter = read_login_letter(ctx, details["code"])
    except Forbidden:
        raise Outdated(NOT_ALLOWED) from None
    if letter is None:
        raise Outdated
    link = f"{ctx.settings.base_url}/login/{letter.link}"
    return {"code": letter.code, "link": link, "minutes": CODE_SECONDS // 60}


def _test(ctx: AppContext, details: Any, reader: Reader) -> Context:
    return {}


def _answer(ctx: AppContext, details: Any, reader: Reader) -> Context:
    return {**game_letters.answer_text(details, reader.translations), "you": "", "board": "", "choices": []}


def _refusals(ctx: AppContext, details: Any, reader: Reader) -> Context:
    """For the server hosts: letters that spam filters and full mailboxes reject."""
    held = Letter.select(Letter.trouble).where(IS_HELD).order_by(Letter.id.desc()).tuples().execute(ctx.database)
    reasons = [redact(translate_delivery_error(trouble, reader.translations.gettext)) for (trouble,) in held]
    if not reasons:
        raise Outdated
    return {"number": len(reasons), "reasons": list(dict.fromkeys(reasons))[:_MOST_REASONS]}


_WITHOUT_TABLE: Final[dict[str, Callable[[AppContext, Any, Reader], Context]]] = {
    "sign-in": _sign_in,
    "test": _test,
    "answer": _answer,
    "links": game_letters.all_links,
    "refusals": _refusals,
}
_ABOUT_TABLES: Final[dict[str, Callable[[LetterContext], Context]]] = {
    "invitation": game_letters.invitation,
    "declined": game_letters.declined,
    "cancelled": game_letters.closed,
    "expired": game_letters.closed,
    "links": game_letters.links,
    "turn": game_letters.turn,
    "roll": game_letters.roll,
    "reminder": game_letters.reminder,
    "time-up": game_letters.time_up,
    "answer": game_letters.answer,
    "talk": chat_digest.talk,
    "over": game_letters.over,
    "undeliverable": game_letters.undeliverable,
}
KINDS: Final = tuple(dict.fromkeys([*_WITHOUT_TABLE, *_ABOUT_TABLES]))
"""Every kind of letter there is."""
