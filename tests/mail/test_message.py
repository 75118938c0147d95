"""What a letter looks like on the wire: its headers, its parts, and names that would like to do harm."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import pytest

from service.auth.login import create_login_code, find_or_create_player
from service.auth.tokens import Unsubscribe
from service.context import AppContext
from service.db.models import Game, Letter
from service.mail import outbox
from service.mail.letters import Composed, Picture, compose
from service.mail.message import mail_domain, message_id, reply_address, write_message
from service.mail.outbox import Addressee
from tests.mail.tables import ANN, HOSTILE, letters, played, rename, started
from tests.support.clock import Clock

ADDRESSEE = Addressee(7, {}, None, "playing", 1, to_act=True, link_version=2)
PNG = bytes(range(256)) * 40
PLAIN = Composed("Your turn", "Hello\n", "", ())
RICH = Composed(
    "Your turn",
    "Ümläute und ein Brett:\n+---+\n| ♟ |\n+---+\n-- \nMarrakech\n",
    '<p>Hallo</p><img src="cid:board">',
    (Picture("board", "board.png", PNG),),
)


@pytest.fixture
def house(ctx: AppContext) -> AppContext:
    """A server with a name of its own, and a domain for replies."""
    settings = replace(
        ctx.settings,
        base_url="https://games.example.org",
        mail_from="Marrakech <post@example.org>",
        inbound_domain="reply.example.org",
    )
    return ctx._replace(settings=settings)


def a_letter(**fields: Any) -> Letter:
    about = {"kind": "turn", "about": "abc/1/5/turn", "game": "game12345678", "seat": 1, "turn": 5}
    return Letter(**{"id": 1, "address": ANN, "created": 1_790_000_000.0, **about, **fields})


def on_the_wire(ctx: AppContext, letter: Letter, composed: Composed, addressee: Addressee = ADDRESSEE) -> EmailMessage:
    """The message as somebody reads it who has only got its bytes, which are all fit to travel."""
    raw = write_message(ctx, letter, addressee, composed)
    assert raw.isascii()
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
    assert b"\n" not in raw.replace(b"\r\n", b"")
    read = message_from_bytes(raw, policy=policy.default)
    assert isinstance(read, EmailMessage)
    assert not read.defects
    return read


def text_of(message: EmailMessage, kind: str = "plain") -> str:
    part = message.get_body((kind,))
    assert isinstance(part, EmailMessage)
    return str(part.get_content()).replace("\r\n", "\n")


def test_an_answer_says_which_message_it_answers_and_stays_in_the_thread(house: AppContext) -> None:
    thread = on_the_wire(house, a_letter(), PLAIN)["References"]
    for written, answered in (("<7@example.com>", "<7@example.com>"), ("", str(thread))):
        letter = a_letter(kind="answer", about="abc/1/answer/7", details=json.dumps({"message_id": written}))
        message = on_the_wire(house, letter, PLAIN)
        assert message["Auto-Submitted"] == "auto-replied"
        assert message["In-Reply-To"] == answered
        assert message["References"] == f"{thread} {written}".rstrip()


def test_a_turn_letter_says_what_it_is(house: AppContext) -> None:
    message = on_the_wire(house, a_letter(), PLAIN)
    assert message["From"] == "Marrakech <post@example.org>"
    assert message["To"] == ANN
    assert message["Subject"] == "Your turn"
    assert message["Date"] == format_datetime(datetime.fromtimestamp(house.clock(), UTC))
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "DR, RN, NRN, OOF, AutoReply"
    assert message["List-Id"] == "Marrakech by Mail <letters.games.example.org>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["MIME-Version"] == "1.0"


def test_a_letter_that_waited_has_the_date_on_which_it_is_sent(house: AppContext, clock: Clock) -> None:
    letter = a_letter(created=clock.now)
    clock.now += 3 * 24 * 3600
    assert on_the_wire(house, letter, PLAIN)["Date"].datetime.timestamp() == clock.now


def test_one_click_in_the_cancellation_of_an_offered_seat_ends_invitations(house: AppContext) -> None:
    for accepted, wish in ((False, "invitations"), (True, "turns")):
        message = on_the_wire(house, a_letter(kind="cancelled"), PLAIN, ADDRESSEE._replace(accepted=accepted))
        token = message["List-Unsubscribe"].rpartition("/u/")[2].rstrip(">")
        assert house.tokens.read_unsubscribe(token).kind == wish


def test_one_click_knows_the_reader_and_the_kind(house: AppContext) -> None:
    kinds = {"turn": "turns", "reminder": "reminders", "talk": "talk", "over": "turns", "invitation": "invitations"}
    for kind, wish in kinds.items():
        message = on_the_wire(house, a_letter(kind=kind), PLAIN)
        found = re.fullmatch(r"<https://games\.example\.org/u/([^>]+)>", message["List-Unsubscribe"])
        assert found
        assert house.tokens.read_unsubscribe(found[1]) == Unsubscribe(7, wish)


def test_a_long_link_stands_in_its_header_unbroken(house: AppContext) -> None:
    base = "https://a-very-long-name-of-a-host-in-the-desert.games.of.the.whole.family.example.org/marrakech"
    house = house._replace(settings=replace(house.settings, base_url=base))
    raw = write_message(house, a_letter(), ADDRESSEE, PLAIN)
    (link,) = re.findall(rb"^List-Unsubscribe: <(https://[^ >]+)>\r$", raw, re.MULTILINE)
    assert link.startswith(f"{base}/u/".encode())
    assert re.search(rb"^Message-ID: <[0-9a-f]{32}@[a-z.-]+>\r$", raw, re.MULTILINE)


def test_the_same_letter_always_has_the_same_id_and_another_has_another(house: AppContext) -> None:
    first, again = (on_the_wire(house, a_letter(id=number), PLAIN)["Message-ID"] for number in (1, 2))
    assert first == again == message_id(house.settings, "abc/1/5/turn")
    assert re.fullmatch(r"<[0-9a-f]{32}@games\.example\.org>", first)
    assert on_the_wire(house, a_letter(about="abc/1/6/turn"), PLAIN)["Message-ID"] != first
    stranger = house._replace(settings=replace(house.settings, secret_keys=("another-key-of-a-house",)))
    assert on_the_wire(stranger, a_letter(), PLAIN)["Message-ID"] != first


def test_a_new_key_in_front_changes_no_id(house: AppContext) -> None:
    rotated = replace(house.settings, secret_keys=("a-brand-new-key-in-front", *house.settings.secret_keys))
    assert message_id(rotated, "abc/1/5/turn") == message_id(house.settings, "abc/1/5/turn")


def test_the_letters_of_a_game_are_one_thread_for_each_reader(house: AppContext) -> None:
    first = on_the_wire(house, a_letter(), PLAIN)
    later = on_the_wire(house, a_letter(about="abc/1/over", kind="over", turn=9), PLAIN)
    other_seat = on_the_wire(house, a_letter(seat=0), PLAIN)
    other_game = on_the_wire(house, a_letter(game="anothergame1"), PLAIN)
    assert first["References"] == first["In-Reply-To"] == later["References"] == later["In-Reply-To"]
    assert len({str(each["References"]) for each in (first, other_seat, other_game)}) == 3
    assert str(first["References"]) not in {str(first["Message-ID"]), str(later["Message-ID"])}


def test_a_sign_in_letter_belongs_to_no_thread_and_cannot_be_turned_off(house: AppContext) -> None:
    message = on_the_wire(house, a_letter(kind="sign-in", about="sign-in/1", game=None, seat=None, turn=None), PLAIN)
    assert not {"In-Reply-To", "References", "List-Unsubscribe", "Reply-To"} & set(message.keys())


def test_a_reply_goes_where_it_is_read_as_a_move(house: AppContext) -> None:
    address = on_the_wire(house, a_letter(), PLAIN)["Reply-To"]
    assert address == f"play+{house.tokens.reply('game12345678', 1, 5, 2)}@reply.example.org"
    assert re.fullmatch(r"play\+[a-z2-7]{1,59}@reply\.example\.org", address)
    silent = house._replace(settings=replace(house.settings, inbound_domain=""))
    assert reply_address(silent, a_letter(), ADDRESSEE) is None
    assert reply_address(house, a_letter(game=None), ADDRESSEE) is None


@pytest.mark.parametrize(
    ("base_url", "domain"),
    [
        ("https://games.example.org/marrakech", "games.example.org"),
        ("http://127.0.0.1:8000", "example.net"),
        ("http://[::1]:8000", "example.net"),
        ("http://localhost:8000", "example.net"),
    ],
)
def test_the_house_is_called_by_its_links_or_by_its_sender(ctx: AppContext, base_url: str, domain: str) -> None:
    settings = replace(ctx.settings, base_url=base_url, mail_from='"Ann, the host" <ann@Example.net>')
    assert mail_domain(settings) == domain


def test_a_plain_letter_has_one_part(house: AppContext) -> None:
    message = on_the_wire(house, a_letter(), PLAIN)
    assert message.get_content_type() == "text/plain"
    assert text_of(message) == "Hello\n"


def test_a_rich_letter_has_the_text_first_and_the_picture_inside_the_html(house: AppContext) -> None:
    message = on_the_wire(house, a_letter(), RICH)
    assert message.get_content_type() == "multipart/alternative"
    text, related = message.iter_parts()
    assert (text.get_content_type(), related.get_content_type()) == ("text/plain", "multipart/related")
    html, picture = related.iter_parts()
    assert text_of(message) == RICH.text
    assert text_of(message, "html").strip() == RICH.html
    assert (picture.get_content_type(), picture["Content-ID"]) == ("image/png", "<board>")
    assert (picture.get_content_disposition(), picture.get_filename()) == ("inline", "board.png")
    assert picture.get_content() == PNG
    assert html.get_content_charset() == text.get_content_charset() == "utf-8"


def test_lines_without_end_and_every_character_come_through(house: AppContext) -> None:
    long = "ü♟" * 5000 + " trailing \n.\n..\nFrom somebody\n-- \nend\n"
    message = on_the_wire(house, a_letter(), PLAIN._replace(text=long, html=f"<p>{long}</p>"))
    assert text_of(message) == long
    assert text_of(message, "html").strip() == f"<p>{long}</p>"


@pytest.mark.parametrize("name", [*HOSTILE, "Zoë \N{CLOUD} " * 12, "=?utf-8?q?Bcc:_x?=", "a" * 5000, "é" * 500])
def test_a_hostile_subject_stays_one_harmless_header(house: AppContext, name: str) -> None:
    message = on_the_wire(house, a_letter(), PLAIN._replace(subject=f"Your turn: {name}"))
    names = [key.lower() for key, _ in message.items()]
    assert len(names) == len(set(names))
    assert "bcc" not in names
    subject = str(message["Subject"])
    assert subject.startswith("Your turn")
    assert len(subject) <= 120
    assert subject.isprintable()
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", subject)
    assert text_of(message) == "Hello\n"


@pytest.mark.parametrize(
    "name",
    [
        "=?l1?b?DQpSZXBseS1Ubzp4QGV2aWwudGs=?=",
        "=?utf-8?q?=0D=0ABcc:_all=40example.org?=",
        "a =?utf-8?q?b?= =?utf-8?q?c?= d",
        "=?",
        "Zoë =?l1?b?DQpCY2M6IHg=?= Zoë",
        "日本語 日本語 " * 6,
    ],
)
def test_a_name_is_text_and_never_decoded_however_it_is_written(house: AppContext, name: str) -> None:
    subject = f"Your turn: {name}".strip()
    raw = write_message(house, a_letter(), ADDRESSEE, PLAIN._replace(subject=subject))
    head = raw.partition(b"\r\n\r\n")[0]
    assert head.count(b"\r\nReply-To:") == 1
    assert b"Bcc:" not in head
    assert all(len(line) <= 76 for line in head.split(b"\r\n") if b"=?" in line), "as RFC 2047 wants it"
    message = on_the_wire(house, a_letter(), PLAIN._replace(subject=subject))
    assert message["Subject"] == subject
    encoded = message_from_bytes(raw)["Subject"].replace("\r\n", "")
    assert str(make_header(decode_header(encoded))) == subject


@pytest.mark.parametrize("field", ["address", "message_id"])
def test_no_token_in_a_header_is_decoded_or_breaks_a_line(house: AppContext, field: str) -> None:
    for bad in ("=?l1?b?DQpCY2M6eA==?=@example.org", "a@example.org\r\nBcc: x@example.org", "ü@example.org"):
        given = {"address": bad} if field == "address" else {"details": json.dumps({"message_id": f"<{bad}>"})}
        with pytest.raises(ValueError, match="would have to be encoded"):
            write_message(house, a_letter(kind="answer", **{"details": "{}", **given}), ADDRESSEE, PLAIN)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_real_letter_with_a_hostile_name_is_sound(house: AppContext, name: str) -> None:
    game = played(house, started(house), 2)
    rename(house, game, 0, name)
    Game.update(name=name.replace("\x00", "")[:80]).where(Game.id == game.id).execute(house.database)
    letter = letters(house, "turn")[-1]
    composed = compose(house, letter)
    message = on_the_wire(house, letter, composed)
    assert text_of(message) == composed.text
    assert str(message["Subject"]).startswith("Game: ")


def test_the_sender_may_have_any_name(ctx: AppContext) -> None:
    for sender, name in (('"Ann, the host" <a@example.org>', "Ann, the host"), ("Zoë ☁ Ö <z@example.org>", "Zoë ☁ Ö")):
        settings = replace(ctx.settings, mail_from=sender)
        (address,) = on_the_wire(ctx._replace(settings=settings), a_letter(), PLAIN)["From"].addresses
        assert (address.display_name, address.username) == (name, sender[-14])
    plain = replace(ctx.settings, mail_from="post@example.org")
    assert on_the_wire(ctx._replace(settings=plain), a_letter(), PLAIN)["From"] == "post@example.org"


def test_the_reader_of_a_letter_is_found_with_the_claim(house: AppContext) -> None:
    create_login_code(house, ANN)
    claim = outbox.claim(house.database, house.clock())
    assert claim
    (letter,) = claim.letters
    stranger = outbox.find_addressee(house.database, letter, claim.key)
    assert stranger
    assert stranger.player is None
    ann = find_or_create_player(house, ANN)
    addressee = outbox.find_addressee(house.database, letter, claim.key)
    assert addressee == Addressee(ann.id, {}, None, None, None, to_act=False, link_version=None)
