"""Whatever a stranger sends is read as something, and soon."""

import base64

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.mail.inbound.mime import LARGEST, Received, decode_words, is_charset, read_message
from tests.mail.inbound.post import DOMAIN
from tests.mail.inbound.test_mime import FACING_EAST, FOLDER, parse_reply
from tests.support.pace import seconds

MB = LARGEST
PLAIN = b"Content-Type: text/plain; charset=utf-8\n\n"
HTML = b"Content-Type: text/html; charset=utf-8\n\n"


def nested(levels: int) -> bytes:
    """Each part in another one."""
    return (
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(levels)) + b"\nleft"
    )


def branching() -> bytes:
    """As many parts as a megabyte holds."""
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: a/b\n\nx\n" * 50_000


BOMBS = {
    "zeros": bytes(MB),
    "one line": PLAIN + b"a" * MB,
    "empty lines": PLAIN + b"\n" * MB,
    "carriage returns": PLAIN + b"\r" * MB,
    "ten thousand lines": PLAIN + b"On Monday, Ann wrote\n" * 10_000,
    "quotes": PLAIN + b"> " * (MB // 2),
    "quoted lines": PLAIN + b">\n" * (MB // 2),
    "dashes": PLAIN + b"-" * MB,
    "dashed lines": PLAIN + b"-- a --\n" * (MB // 8),
    "half of saying who": PLAIN + (b"On wrote " * 100 + b"\n") * 1000,
    "colons": PLAIN + (b"a" * 95 + b":\n") * 10_000,
    "years": PLAIN + b"a 2026:\n" * (MB // 8),
    "headers of a letter": PLAIN + b"a: b\n" * (MB // 5),
    "stars": PLAIN + (b"*" * 900 + b"a\n") * 1000,
    "dashes apart": PLAIN + (b"- " * 400 + b"a\n") * 1000,
    "telephones": PLAIN + (b"+1 " * 30 + b"\n") * 10_000,
    "devices": PLAIN + (b"iPhone" * 24 + b"\n") * 10_000,
    "scanners": PLAIN + b"virus" * (MB // 5),
    "indented lines": PLAIN + b"\ta\n" * (MB // 3),
    "spaces": PLAIN + b"left" + b" " * MB,
    "tags": HTML + b"<" * MB,
    "open tags": HTML + b"<div>" * (MB // 5),
    "shortest tags": HTML + b"<p>" * (MB // 3),
    "tags of no name": HTML + b"<>" * (MB // 2),
    "many tags": HTML + b"".join(b"<p%x=>" % n for n in range(MB // 8)),
    "paragraphs": HTML + b"<p>a" * (MB // 4),
    "pieces of a word": HTML + b"a<b>" * (MB // 4),
    "open comments": HTML + b"<!--" * (MB // 4),
    "closed comments": HTML + b"<!---->" * (MB // 7),
    "attributes": HTML + b'<div class="' * (MB // 12),
    "names": HTML + b"".join(b"<a%d " % n + b"id=" * 160 + b">" for n in range(2000)),
    "signatures": HTML + b"<div id=signature>" * (MB // 18),
    "quoted texts": b"Content-Type: multipart/mixed; boundary=b\n\n" + (b"--b\n\n" + b"> a:\n" * 5000) * 40,
    "blockquotes": HTML + b"<blockquote>" * (MB // 12),
    "entities": HTML + b"&amp;" * (MB // 5),
    "long entity": HTML + b"&" + b"a" * MB,
    "headers": b"a: b\n" * (MB // 5),
    "one header": b"To: " + b"a" * MB,
    "folded header": b"To:" + b"\n " * (MB // 2),
    "addresses": b"To: " + b"play+a@reply.example.org," * (MB // 25),
    "plus signs": b"To: " + b"play+" * (MB // 5),
    "many to": b"To: play+aaaa@reply.example.org\n" * (MB // 32),
    "parameters": b"Content-Type: text/plain" + b"; a=b" * (MB // 5),
    "encoded words": b"Subject: " + b"=?utf-8?q?a?= " * (MB // 14),
    "nested": nested(20_000),
    "branching": branching(),
    "nested rfc822": b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
    + b"--b\nContent-Type: message/rfc822\n\n" * 25_000,
    "base64": b"Content-Transfer-Encoding: base64\n" + PLAIN + base64.encodebytes(bytes(700_000)),
    "broken base64": b"Content-Transfer-Encoding: base64\n" + PLAIN + b"=" * MB,
    "quoted-printable": b"Content-Transfer-Encoding: quoted-printable\n" + PLAIN + b"=" * MB,
    "soft breaks": b"Content-Transfer-Encoding: quoted-printable\n" + PLAIN + b"=\n" * (MB // 2),
    "flowed": b"Content-Type: text/plain; format=flowed\n\n" + b"a \n" * (MB // 3),
    "punycode": b"Content-Type: text/plain; charset=punycode\n\n" + b"a-" * (MB // 2),
    "utf-7": b"Content-Type: text/plain; charset=utf-7\n\n" + b"+2AA-" * (MB // 5),
    "combining": PLAIN + "\u0301".encode() * (MB // 2),
    "ligatures": PLAIN + "\ufdfa".encode() * (MB // 3),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_megabyte_of_anything_is_read_within_the_time_of_a_heartbeat(name: str) -> None:
    raw = BOMBS[name][:MB]
    read: list[Received] = []

    def work() -> None:
        read.append(read_message(raw, DOMAIN))
        parse_reply(read[-1].words, FACING_EAST, "de")

    took = seconds(work, 0.05)
    assert isinstance(read[-1], Received)
    assert took < 0.05, f"{took:.3f} seconds"


@given(st.binary(max_size=2000))
@example(b"")
@example(b"\n")
@example(b"From ")
@example(b":\n\n")
def test_any_bytes_are_read_as_something(raw: bytes) -> None:
    check(raw)


HEADER = st.sampled_from(
    [b"To: play+aaaa@reply.example.org", b"Content-Type: text/html", b"Content-Type: text/plain; format=flowed"]
    + [b"Content-Type: multipart/mixed; boundary=b", b"Content-Type: multipart/report; report-type=delivery-status"]
    + [b"Content-Transfer-Encoding: base64", b"Content-Transfer-Encoding: quoted-printable", b"Subject: =?x?q?=ff?="]
    + [b"Content-Type: text/plain; charset=%s" % name for name in (b"utf-16", b"hex", b"idna", b"undefined", b"utf-7")]
)
LINE = st.sampled_from(
    b"left|--b|--b--||> left|<div>|</blockquote>|<!--|-- |On x wrote:|From: a|Sent: b|To: c|=3D=|bGVmdA==|\xff\xfe|\0"
    b"|&#x110000;|&#0;|Action: failed".split(b"|")
)


@given(st.lists(HEADER, max_size=4), st.lists(st.one_of(LINE, HEADER, st.binary(max_size=20)), max_size=30))
def test_anything_that_looks_like_mail_is_read_as_something(headers: list[bytes], lines: list[bytes]) -> None:
    check(b"\n".join([*headers, b"", *lines]))


@given(st.sampled_from(sorted(FOLDER.glob("*.eml"))), st.data())
def test_a_reply_that_was_damaged_on_its_way_is_read_as_something(path: object, data: st.DataObject) -> None:
    raw = bytearray(path.read_bytes())  # type: ignore[attr-defined]
    for _ in range(data.draw(st.integers(1, 10))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    check(bytes(raw[: data.draw(st.integers(0, len(raw)))]))


def check(raw: bytes) -> None:
    mail = read_message(raw, DOMAIN)
    assert "\0" not in mail.words
    assert mail.message_id.isascii()
    assert mail.subject == " ".join(mail.subject.split())
    assert mail.bounce_reason.isprintable()
    for language in ("en", "de", "fr"):
        parse_reply(mail.words, FACING_EAST, language)


@pytest.mark.parametrize("name", ["utf-8", "ISO-8859-15", "windows-1252", "koi8-r", "gb18030", "utf-16le"])
def test_charsets_of_mail_are_known(name: str) -> None:
    assert is_charset(name)


@pytest.mark.parametrize(
    "name", ["", "x-klingon", "punycode", "idna", "unicode_escape", "undefined", "a\0b", "é", "a" * 50]
)
def test_what_is_no_charset_of_mail_is_not(name: str) -> None:
    assert not is_charset(name)


@pytest.mark.parametrize("charset", ["hex", "zlib", "rot13", "bz2", "base64"])
def test_a_codec_that_makes_no_text_is_harmless(charset: str) -> None:
    raw = f"Content-Type: text/plain; charset={charset}\n\nleft\n".encode()
    assert read_message(raw, DOMAIN).words == "left"


@given(st.text())
def test_any_header_can_be_decoded(value: str) -> None:
    decode_words(value)
    decode_words(f"=?utf-8?b?{value}?=")
    decode_words(f"=?{value}?q?a?=")
