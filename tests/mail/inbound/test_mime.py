"""Replies as the mail programs of the world write them, each with what is read in it and understood of it."""

from pathlib import Path

import pytest

from service.auth.tokens import ReplyLink, TokenSigner
from service.engine.json_reader import Json
from service.mail.inbound import commands
from service.mail.inbound.commands import EMPTY, Command, ParseFailure
from service.mail.inbound.mime import Kind, read_message
from service.ui.marrakech.game_ui import MARRAKECH_UI
from tests.mail.inbound.post import DOMAIN

FOLDER = Path(__file__).parent / "messages"
LINKS = TokenSigner(["a-key-for-the-corpus-of-replies"])
LINK = ReplyLink("Souk7Market5", 1, 5, 0)


def parse_reply(words: str, view: Json, language: str, offered: bool = False) -> Command | ParseFailure:
    return commands.parse_reply(words, MARRAKECH_UI, view, language, offered)


FACING_EAST = {
    "assam": {"at": "d4", "facing": "east"},
    "legal": [{"type": "face", "direction": direction} for direction in ("left", "ahead", "right")],
}
PLACES = {
    "assam": {"at": "d4", "facing": "east"},
    "legal": [{"type": "lay", "squares": squares} for squares in (["d3", "e3"], ["d5", "d6"], ["d5", "e5"])],
}

# The file, the words that stand in it, the player's language, and what they mean.
PEOPLE: dict[str, tuple[str, str, str]] = {
    "apple-mail": ("right", "en", "right"),
    "base64-utf8": ("D5\u2014E5!", "en", "d5-e5"),
    "flowed-stuffed": ("d5-e5", "en", "d5-e5"),
    "gmail": ("left", "en", "left"),
    "gmail-bottom-posting": ("d5-e5", "en", "d5-e5"),
    "gmail-french": ("à gauche", "fr", "left"),
    "gmail-german": ("nach links bitte", "de", "left"),
    "gmail-html-only": ("left", "en", "left"),
    "greeting-and-closing": ("Hello Assam,\ngo left, please!\nBest wishes,\nBo", "en", "left"),
    "inline-answers": ("left", "en", "left"),
    "iphone": ("Ahead", "en", "ahead"),
    "iphone-french": ("Tout droit", "fr", "ahead"),
    "iphone-german": ("Geradeaus", "de", "ahead"),
    "k9": ("links", "de", "left"),
    "mailbox-file": ("left", "en", "left"),
    "no-mime-latin1": ("À gauche", "fr", "left"),
    "no-quoting": ("d5/e5", "en", "d5-e5"),
    "outlook-desktop-html-only": ("Right", "en", "right"),
    "outlook-desktop-plain": ("d5-e5", "en", "d5-e5"),
    "outlook-french": ("Droite \u2013 merci", "fr", "right"),
    "outlook-german": ("Norden\nMit freundlichen Grüßen\nBo Müller", "de", "left"),
    "outlook-ios": ("left", "en", "left"),
    "outlook-web": ("#3", "en", "d5-e5"),
    "outlook-web-html-only": ("#3", "en", "d5-e5"),
    "pgp-signed": ("1", "en", "d3-e3"),
    "picture-attached": ("left", "en", "left"),
    "proton": ("Left.", "en", "left"),
    "samsung": ("2", "en", "d5-d6"),
    "thunderbird-flowed": ("e5-d5", "en", "d5-e5"),
    "thunderbird-german": ("Süden", "de", "right"),
    "thunderbird-html": ("left", "en", "left"),
    "thunderbird-html-bottom": ("d5 \u2013 e5", "en", "d5-e5"),
    "unknown-attribution": ("left", "en", "left"),
    "unknown-charset": ("left", "en", "left"),
    "utf16": ("left", "en", "left"),
    "vacation-subject-only": ("left", "en", "left"),
    "yahoo-html": ("left", "en", "left"),
}
PROGRAMS = [
    "exchange-out-of-office",
    "mailing-list",
    "null-sender",
    "old-autoresponder",
    "own-letter",
    "read-receipt",
    "vacation",
]
BOUNCES = {
    "bounce-postfix": "smtp; 550 5.1.1 <bo@example.com>: Recipient address rejected: User unknown",
    "bounce-headers-only": "smtp; 552 5.2.2 mailbox full",
    "delayed": "",
}


def raw(name: str) -> bytes:
    return (FOLDER / f"{name}.eml").read_bytes()


def test_every_message_in_the_folder_is_read_here() -> None:
    assert {path.stem for path in FOLDER.glob("*.eml")} == {*PEOPLE, *PROGRAMS, *BOUNCES, "nothing-above"}


@pytest.mark.parametrize("name", PEOPLE)
def test_a_persons_reply_is_read_and_understood(name: str) -> None:
    words, language, meaning = PEOPLE[name]
    mail = read_message(raw(name), DOMAIN)
    assert (mail.kind, mail.words) == (Kind.PERSON, words)
    assert mail.message_id == f"<{name}@mail.example.com>"
    assert [LINKS.read_reply(token) for token in mail.tokens] == [LINK]
    view = PLACES if "-" in meaning else FACING_EAST
    wish = parse_reply(mail.words, view, language)
    assert isinstance(wish, Command)
    action = wish.action or {}
    assert (action.get("direction") or "-".join(action["squares"])) == meaning


def test_a_reply_with_nothing_above_the_quotation_says_nothing() -> None:
    mail = read_message(raw("nothing-above"), DOMAIN)
    assert mail.words == ""
    assert parse_reply(mail.words, FACING_EAST, "en") == ParseFailure(EMPTY, "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_wrote_is_known_as_such_and_its_words_are_not_read(name: str) -> None:
    mail = read_message(raw(name), DOMAIN)
    assert (mail.kind, mail.words) == (Kind.AUTOMATIC, "")


@pytest.mark.parametrize("name", BOUNCES)
def test_a_bounce_is_traced_to_the_letter_that_came_back(name: str) -> None:
    mail = read_message(raw(name), DOMAIN)
    assert (mail.kind, mail.bounce_reason) == (Kind.BOUNCE, BOUNCES[name])
    assert [LINKS.read_reply(token) for token in mail.tokens] == [LINK]


def test_a_bounce_whose_words_lack_the_status_gets_it_from_the_report() -> None:
    report = raw("bounce-postfix").replace(b"smtp; 550 5.1.1 <", b"smtp; 550 <")
    assert read_message(report, DOMAIN).bounce_reason.startswith("5.1.1 smtp; 550 <bo@example.com>")


def test_encoded_subjects_are_decoded() -> None:
    assert read_message(raw("outlook-german"), DOMAIN).subject == "AW: Du bist dran: Märchenmarkt"
    assert read_message(raw("outlook-french"), DOMAIN).subject == "RE : À toi de jouer"


HEADERS = [
    ("Auto-Submitted: no", Kind.PERSON),
    ("Auto-Submitted: NO; really", Kind.PERSON),
    ("Auto-Submitted: auto-replied", Kind.AUTOMATIC),
    ("X-Autoreply: yes", Kind.AUTOMATIC),
    ("X-Autorespond:", Kind.AUTOMATIC),
    ("X-Autoreply: no", Kind.PERSON),
    ("Precedence: auto_reply", Kind.AUTOMATIC),
    ("Precedence: Junk", Kind.AUTOMATIC),
    ("Precedence: first-class", Kind.PERSON),
    ("X-Auto-Response-Suppress: DR, RN, NRN", Kind.PERSON),
    ("X-Auto-Response-Suppress: DR, OOF, AutoReply", Kind.AUTOMATIC),
    ("Return-Path: <bo@example.com>", Kind.PERSON),
    ("Return-Path: < >", Kind.AUTOMATIC),
    ("List-Unsubscribe: <https://example.org/u>", Kind.AUTOMATIC),
    ("Subject: Abwesenheitsnotiz", Kind.PERSON),
]


@pytest.mark.parametrize(("header", "kind"), HEADERS)
def test_headers_say_whether_a_program_wrote_it(header: str, kind: Kind) -> None:
    assert read_message(f"{header}\nTo: x@example.org\n\nleft\n".encode(), DOMAIN).kind is kind


A, B = "a" * 48, "b" * 48


@pytest.mark.parametrize(
    ("headers", "envelope", "tokens"),
    [
        (f"To: play+{A}@reply.example.org", None, (A,)),
        (f"To: PLAY+{A.upper()}@Reply.Example.ORG", None, (A,)),
        (f"To: ann@example.org, Marrakech\n <play+{A}@reply.example.org>", None, (A,)),
        (f"To: ann@example.org\nCc: play+{A}@reply.example.org", None, (A,)),
        (f"To: play+{A}@reply.example.org\nDelivered-To: play+{B}@reply.example.org", None, (B,)),
        (f"Delivered-To: play+{A}@reply.example.org\nX-Original-To: play+{B}@reply.example.org", None, (B,)),
        (f"To: play+{A}@reply.example.org, play+{B}@reply.example.org", None, (A, B)),
        (f"To: play+{A}@reply.example.org, play+{A}@reply.example.org", None, (A,)),
        (f"To: play+{A}@reply.example.org", f"play+{B}@reply.example.org", (B,)),
        (f"To: play+{A}@reply.example.org", "ann@example.org", ()),
        (f"To: play+{A}@reply.example.com", None, ()),
        (f"To: play+{A}@reply.example.org.evil.example", None, ()),
        (f"To: xplay+{A}@reply.example.org", None, ()),
        (f"From: play+{A}@reply.example.org\nReply-To: play+{A}@reply.example.org", None, ()),
        ("To: play@reply.example.org", None, ()),
    ],
)
def test_the_token_comes_from_the_address_that_the_message_was_sent_to(
    headers: str, envelope: str | None, tokens: tuple[str, ...]
) -> None:
    assert read_message(f"{headers}\n\nleft\n".encode(), DOMAIN, envelope).tokens == tokens


def test_without_a_domain_for_replies_no_address_is_ours() -> None:
    assert read_message(f"To: play+{A}@reply.example.org\n\nleft\n".encode(), "").tokens == ()


@pytest.mark.parametrize(
    "wrong", ["<a@b>\r\n Bcc: all@example.org", "no brackets", "<a b@c>", f"<{'a' * 400}@b>", "<é@b>"]
)
def test_an_id_that_could_do_harm_in_a_header_of_ours_is_not_taken(wrong: str) -> None:
    mail = read_message(f"Message-ID: {wrong}\n\nleft\n".encode(), DOMAIN)
    assert mail.message_id in {"", "<a@b>"}


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("left", "left"),
        ("<p>left</p><p>Bo</p>", "left\nBo"),
        ("le<b>ft</b>", "left"),
        ("<pre>left\n\nBo\n&gt; quoted\n</pre>", "left\nBo"),
        ("<title>right</title><style>right</style><script>right</script><!-- right -->left", "left"),
        ("left<blockquote>right<blockquote>ahead</blockquote></blockquote>", "left"),
        ("<blockquote>right</blockquote>left<blockquote>ahead</blockquote>", "left"),
        ("left<br>-- <br>right", "left"),
        ("&nbsp;left&nbsp;<br/>&#62; right", "left"),
        ("<div>left<div id='appendonsend'></div>right", "left"),
        ("<P>LEFT</P><BLOCKQUOTE>right", "LEFT"),
        ("<p>left</p><div id='Signature'><p>Bo</p>right</div>", "left"),
        ("<div class=ms-outlook-mobile-signature>left<br>Get Outlook for iOS</div>", "left"),
        ("left < right", "left"),
        ("<div title='a > b'>left", "b'>left"),
    ],
)
def test_html_is_read_as_people_see_it(html: str, words: str) -> None:
    assert read_message(f"Content-Type: text/html\n\n{html}\n".encode(), DOMAIN).words == words


@pytest.mark.parametrize(
    "said",
    [
        "On Mon, 16 Nov 2026 at 10:00, Marrakech wrote:",
        "On Mon, 16 Nov 2026 at 10:00, Marrakech\n<play+aaaa@reply.example.org>\nwrote:",
        "Am Mo., 16. Nov. 2026, 09:30 hat Marrakech <a@b.example>\ngeschrieben:",
        "Am 16.11.2026 um 10:00 schrieb Marrakech:",
        "Le lun. 16 nov. 2026 à 09:30, Marrakech <a@b.example> a écrit\u00a0:",
        "El lun, 16 nov 2026 a las 9:30, Marrakech (<a@b.example>) escribió:",
        "2026-11-16 10:00 GMT+01:00 Marrakech <a@b.example> wrote:",
        "----- Mail original -----",
        "-----Ursprüngliche Nachricht-----",
        "-----Message d'origine-----",
        "________________________________",
        "Begin forwarded message:",
        "*From:* Marrakech\n*Sent:* Monday\n*To:* Bo",
        "De : Marrakech\nEnvoyé : lundi\nÀ : Bo",
        'Gesendet: Montag, 16. November 2026 um 10:00 Uhr\nVon: "Marrakech" <a@b.example>\nAn: bo@gmx.example',
        "Sent from my Galaxy",
        "Gesendet mit der GMX Mail App",
        "Envoyé depuis l'application Mail Orange",
        "--",
        "> anything",
        "   > anything",
    ],
)
def test_what_follows_these_lines_is_not_the_players(said: str) -> None:
    assert read_message(f"\nleft\n\n{said}\n\nright\n".encode(), DOMAIN).words == "left"


@pytest.mark.parametrize(
    ("quoted", "words"),
    [
        ("> answer with one line, such as\nleft.\n> Look at the game first:", ""),
        ("> answer with one line, such as\nleft.\n\n> Look at the game first:", ""),
        ("> answer with one line, such as\nleft.\n> Look at the game first:\n\nright", "right"),
        ("> answer with one line, such as left.\n\nright\n\n> Look at the game first:", "right"),
        ("> answer with one line, such as left.\nright\n", "right"),
    ],
)
def test_the_end_of_a_quoted_line_that_was_broken_is_not_an_answer(quoted: str, words: str) -> None:
    assert read_message(f"\nOn Monday, Marrakech wrote:\n{quoted}\n".encode(), DOMAIN).words == words


ORDINARY = [
    *("From here to there", "On we go", "To: the left", "- left -", "Am I right", "a > b", "On it!", "Le 3", "At d5:"),
    *("**left**", "--left--", "»left«", "\tleft", "left | right", "#3", "12 13 14 15", "16.11.2026", "Meet at 18:00:"),
    *("Ann: 30\nBo: 25\nCy: 12", "Monday: 10:00\nTuesday: 11:00", "Direction: left\n\nPlace: d5-e5", "PS: left"),
    *("Sent Assam left", "Get well soon", "Get left for Assam", "Von meinem Platz nach links", "Envoyé à gauche"),
    *("my iPhone is broken", "I have a virus", "this is confidential", "bo@example.com is my address"),
    "I wrote to Ann, and she said: yes",
]


@pytest.mark.parametrize("line", ORDINARY)
@pytest.mark.parametrize(
    "below", ["", "\n\nOn Wed, Nov 18, 2026 at 10:00 AM Marrakech <a@b.example> wrote:\n\n> left\n"]
)
def test_an_ordinary_line_cuts_nothing_off(line: str, below: str) -> None:
    said = f"left\n{line}\nright"
    read = "\n".join(each.strip() for each in said.split("\n") if each)
    assert read_message(f"\n{said}{below}\n".encode(), DOMAIN).words == read


UNMARKED = "left\n\nright"
MARKED = 'left<div class="gmail_quote"><blockquote class="gmail_quote">right</blockquote></div>'


@pytest.mark.parametrize(
    ("plain", "html", "words"),
    [
        (UNMARKED, MARKED, "left"),
        (UNMARKED, MARKED.removeprefix("left"), ""),
        (UNMARKED, "left<br>ahead", "left\nright"),
        (UNMARKED, "left<blockquote>right</blockquote>", "left\nright"),
        ("> right", "left", "left"),
        ("", MARKED, "left"),
        ("left", "", "left"),
    ],
)
def test_html_is_preferred_to_plain_text_if_it_marks_the_quoted_letter(plain: str, html: str, words: str) -> None:
    parts = "".join(f"--b\nContent-Type: text/{kind}\n\n{text}\n" for kind, text in (("plain", plain), ("html", html)))
    assert (
        read_message(f"Content-Type: multipart/alternative; boundary=b\n\n{parts}--b--".encode(), DOMAIN).words == words
    )


def test_a_picture_between_two_texts_makes_them_two_texts() -> None:
    parts = [("text/plain", "left"), ("image/png", "x"), ("text/html", MARKED.removeprefix("left"))]
    body = "".join(f"--b\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    assert read_message(f"Content-Type: multipart/mixed; boundary=b\n\n{body}--b--".encode(), DOMAIN).words == "left"


def test_a_line_with_our_own_address_is_not_the_players() -> None:
    raw = f"To: play+{A}@{DOMAIN}\n\nleft\n\nMarrakech play+{A}@{DOMAIN} skribis\nright\n".encode()
    assert read_message(raw, DOMAIN).words == "left"
    assert "right" in read_message(raw, "").words
